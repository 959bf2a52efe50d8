//! Penetration by translations that are restricted to a direction, a line or a plane, against closed forms.

use extricate::geometry::procedural;
use extricate::penetration::AllowedTranslations;
use extricate::query::{self, Penetration, PenetrationOptions, Posed, Shape};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, UnitVector3, Vector3};

fn found(a: &Posed, b: &Posed, allowed: AllowedTranslations) -> Penetration {
    let options = PenetrationOptions { allowed: Some(allowed), ..PenetrationOptions::default() };
    let found = query::penetration(a, b, &options).expect("a query").expect("they overlap");
    let moved = |fraction: f64| {
        let part = a.part(0);
        let pose = Translation3::from(fraction * found.translation) * part.pose;
        query::collide(&Posed::new(part.shape, pose), b, &Default::default()).expect("a query")
    };
    assert!(!moved(1.0) && moved(0.999) && found.lower_bound <= found.depth, "{found:?}");
    found
}

fn unit(x: f64, y: f64, z: f64) -> UnitVector3<f64> {
    Unit::new_normalize(Vector3::new(x, y, z))
}

#[test]
fn balls_leave_each_other_where_the_sphere_of_their_radii_ends() {
    let (a, b) = (Shape::ball(0.5), Shape::ball(0.3));
    let apart = Vector3::new(0.2, -0.1, 0.3);
    let (at, origin) = (Posed::new(&a, Isometry3::from(apart)), Posed::at_origin(&b));
    for axis in [unit(1.0, 0.0, 0.0), unit(0.3, -0.5, 0.8), unit(-1.0, 1.0, 0.1)] {
        let along = apart.dot(&axis);
        let half = (along * along - apart.norm_squared() + 0.64).sqrt();
        let forwards = found(&at, &origin, AllowedTranslations::Direction(axis));
        assert!((forwards.depth - (half - along)).abs() < 1e-9, "{forwards:?}");
        assert!(forwards.lower_bound > forwards.depth * (1.0 - 1e-8) && forwards.converged);
        let line = found(&at, &origin, AllowedTranslations::Line(axis));
        assert!((line.depth - (half - along.abs())).abs() < 1e-9, "{line:?}");
        // In a plane the section is a circle around the projected centre.
        let plane = found(&at, &origin, AllowedTranslations::Plane(axis));
        let expected = (0.64 - along * along).sqrt() - (apart - axis.scale(along)).norm();
        assert!((plane.depth - expected).abs() < 1e-8 * expected, "{plane:?} {expected}");
        assert!(plane.translation.dot(&axis).abs() < 1e-12 && plane.lower_bound > 0.999_999 * plane.depth);
    }
}

#[test]
fn boxes_leave_in_a_plane_through_the_nearest_of_the_projected_faces() {
    let cube = Shape::cuboid(Vector3::repeat(1.0));
    let (a, b) = (Posed::at_origin(&cube), Posed::new(&cube, Isometry3::translation(0.6, 0.1, 0.2)));
    let depth = |allowed| found(&a, &b, allowed).depth;
    assert!((depth(AllowedTranslations::Plane(Vector3::x_axis())) - 0.8).abs() < 1e-9);
    assert!((depth(AllowedTranslations::Plane(unit(1.0, 1.0, 0.0))) - 0.4 * 2_f64.sqrt()).abs() < 1e-9);
    assert!((depth(AllowedTranslations::Direction(Vector3::x_axis())) - 1.6).abs() < 1e-9);
    assert!((depth(AllowedTranslations::Direction(unit(0.0, 1.0, 1.0))) - 1.1 * 2_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn shapes_slide_out_of_a_half_space_obliquely_or_not_at_all() {
    let ground = Shape::half_space();
    let here = Posed::at_origin(&ground);
    let mesh = procedural::build("box", &Default::default()).unwrap();
    for shape in [Shape::ball(0.5), Shape::cuboid(Vector3::repeat(1.0)), Shape::mesh(mesh)] {
        let a = Posed::new(&shape, Isometry3::translation(0.0, 0.0, 0.3));
        let oblique = found(&a, &here, AllowedTranslations::Direction(unit(1.0, 0.0, 1.0)));
        assert!((oblique.depth - 0.2 * 2_f64.sqrt()).abs() < 1e-9, "{oblique:?}");
        for allowed in ["direction:0,0,-1", "plane:0,0,1", "line:1,0,0"] {
            let allowed = Some(allowed.parse().unwrap());
            let options = PenetrationOptions { allowed, ..PenetrationOptions::default() };
            let refused = query::penetration(&a, &here, &options).unwrap_err().to_string();
            assert!(refused.contains("no allowed translation"), "{refused}");
        }
    }
}

#[test]
fn a_round_shape_leaves_a_mesh_along_a_direction_as_it_leaves_the_box() {
    let mesh = procedural::build("box", &Default::default()).unwrap();
    let (ball, solid) = (Shape::ball(0.3), Shape::solid(mesh).unwrap());
    let turned = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.0, 0.4));
    let a = Posed::new(&ball, Isometry3::translation(0.3, 0.2, 0.6));
    let b = Posed::new(&solid, Isometry3::from_parts(Default::default(), turned));
    let up = found(&a, &b, AllowedTranslations::Direction(Vector3::z_axis()));
    assert!((up.depth - 0.2).abs() < 1e-8, "{up:?}");
}
