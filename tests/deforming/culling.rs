//! Cases that normal cones alone would get wrong: contacts of patches whose normals all lean the same way.

use std::f64::consts::TAU;

use extricate::geometry::TriangleMesh;
use extricate::proximity::deforming::{DeformingModel, DeformingOptions, first_self_contact, self_contacts};
use nalgebra::Point3;

/// A strip of `cells` quads between two curves over [0, 1].
fn strip(
    cells: u32,
    inner: impl Fn(f64) -> Point3<f64>,
    outer: impl Fn(f64) -> Point3<f64>,
) -> Vec<Point3<f64>> {
    let places = (0..=cells).map(|i| f64::from(i) / f64::from(cells));
    places.flat_map(|u| [inner(u), outer(u)]).collect()
}

fn strip_mesh(vertices: Vec<Point3<f64>>) -> TriangleMesh {
    let cells = vertices.len() as u32 / 2 - 1;
    let cell = |i: u32| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 1, 2 * i + 3, 2 * i + 2]];
    TriangleMesh::new(vertices, (0..cells).flat_map(cell).collect()).expect("a strip")
}

fn culled_and_not(model: &DeformingModel) -> [usize; 2] {
    [true, false].map(|normal_cones| {
        let (mut found, options) =
            (Vec::new(), DeformingOptions { normal_cones, ..DeformingOptions::default() });
        self_contacts(model, &options, &mut found).expect("valid");
        let first = first_self_contact(model, &options).expect("valid");
        assert_eq!(first.is_none(), found.is_empty());
        found.len()
    })
}

/// A ramp that winds round `revolutions` times and climbs by `pitch` in each, seen from above at all times.
fn ramp(revolutions: f64, pitch: f64) -> Vec<Point3<f64>> {
    let at = |radius: f64, u: f64| {
        let angle = TAU * revolutions * u;
        Point3::new(radius * angle.cos(), radius * angle.sin(), pitch * revolutions * u + 0.02 * radius)
    };
    strip(120, |u| at(1.0, u), |u| at(2.0, u))
}

#[test]
fn a_winding_ramp_that_is_pressed_flat_meets_itself_though_all_its_normals_point_up() {
    let mut model = DeformingModel::new(&strip_mesh(ramp(1.6, 1.0))).expect("small");
    model.move_to(&ramp(1.6, 0.5)).expect("finite");
    assert_eq!(culled_and_not(&model), [0, 0]);
    // From 0.5 to −0.5 per revolution: the layers pass through one another at half time.
    model.move_to(&ramp(1.6, -0.5)).expect("finite");
    let [culled, all] = culled_and_not(&model);
    assert_eq!(culled, all);
    assert!(all > 50);
    let first =
        first_self_contact(&model, &DeformingOptions::default()).expect("valid").expect("it passes itself");
    assert!((first.contact.time - 0.5).abs() < 1e-9, "{first:?}");
}

#[test]
fn a_flat_horseshoe_that_closes_in_its_plane_meets_itself() {
    let shoe = |gap: f64| {
        let at = move |radius: f64, u: f64| {
            let angle = gap + (TAU - 2.0 * gap) * u;
            Point3::new(radius * angle.cos(), radius * angle.sin(), 0.0)
        };
        strip(40, move |u| at(1.0, u), move |u| at(2.0, u))
    };
    let mut model = DeformingModel::new(&strip_mesh(shoe(0.5))).expect("small");
    model.move_to(&shoe(0.01)).expect("finite");
    assert_eq!(culled_and_not(&model), [0, 0]);
    model.move_to(&shoe(-0.1)).expect("finite");
    let [culled, all] = culled_and_not(&model);
    assert_eq!(culled, all);
    assert!(all > 0);
}

#[test]
fn a_tongue_that_slides_over_its_own_sheet_meets_it_only_where_it_sinks_in() {
    // A strip bent back over itself by 170 degrees in the plane of its normals' cone: as the layers meet, they touch.
    let bent = |lift: f64| {
        let at = move |y: f64, u: f64| {
            let angle = 2.6 * u;
            Point3::new(angle.cos(), y * (1.0 + 0.1 * u), lift * u + 0.3 * angle.sin())
        };
        strip(60, move |u| at(0.0, u), move |u| at(1.0, u))
    };
    let mut model = DeformingModel::new(&strip_mesh(bent(1.0))).expect("small");
    for lift in [0.5, 0.1, -0.5, -1.0] {
        model.move_to(&bent(lift)).expect("finite");
        let [culled, all] = culled_and_not(&model);
        assert_eq!(culled, all, "{lift}");
    }
}

#[test]
fn a_disc_twisted_by_half_a_revolution_meets_itself_in_the_middle_of_the_step() {
    // On straight lines the innermost ring shrinks to a point halfway and flips over, while the rim rests. The disc is
    // flat and seen from above at the start and at the end.
    const RINGS: u32 = 30;
    const STEPS: u32 = 24;
    let twisted = |twist: f64| {
        let mut places = vec![Point3::origin()];
        for ring in 0..=RINGS {
            let out = f64::from(ring) / f64::from(RINGS);
            for step in 0..STEPS {
                let angle = TAU * f64::from(step) / f64::from(STEPS) + twist * (1.0 - out);
                let radius = 0.1 + 0.9 * out;
                places.push(Point3::new(radius * angle.cos(), radius * angle.sin(), 0.0));
            }
        }
        places
    };
    let at = |ring: u32, step: u32| 1 + ring * STEPS + step % STEPS;
    let mut triangles = Vec::new();
    for step in 0..STEPS {
        triangles.push([0, at(0, step), at(0, step + 1)]);
        for ring in 0..RINGS {
            triangles.push([at(ring, step), at(ring + 1, step), at(ring + 1, step + 1)]);
            triangles.push([at(ring, step), at(ring + 1, step + 1), at(ring, step + 1)]);
        }
    }
    let mesh = TriangleMesh::new(twisted(0.0), triangles).expect("a disc");
    let mut model = DeformingModel::new(&mesh).expect("small");
    model.move_to(&twisted(1.5)).expect("finite");
    assert_eq!(culled_and_not(&model), [0, 0]);
    model.set_motion(&twisted(0.0), &twisted(TAU / 2.0)).expect("finite");
    let [culled, all] = culled_and_not(&model);
    assert_eq!(culled, all);
    assert!(all > 100);
}
