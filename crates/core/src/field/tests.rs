//! Promises of distance fields, against closed forms, exact closest points and recomputed fields.

use nalgebra::{Point3, Vector3};

use super::*;
use crate::geometry::procedural::{Cuboid, Procedural, Torus};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::{Aabb, Solidity, TriangleMesh};
use crate::proximity::{Model, closest_point, signed_distance};

/// A sphere of latitudes and longitudes.
pub(super) fn sphere(radius: f64, rings: usize) -> TriangleMesh {
    let (columns, mut vertices) = (2 * rings, vec![Point3::new(0.0, 0.0, radius)]);
    for ring in 1..rings {
        let polar = std::f64::consts::PI * ring as f64 / rings as f64;
        for column in 0..columns {
            let angle = std::f64::consts::TAU * column as f64 / columns as f64;
            let (sine, cosine) = polar.sin_cos();
            vertices.push(Point3::new(
                radius * sine * angle.cos(),
                radius * sine * angle.sin(),
                radius * cosine,
            ));
        }
    }
    vertices.push(Point3::new(0.0, 0.0, -radius));
    let at = |ring: usize, column: usize| match ring {
        0 => 0,
        _ if ring == rings => vertices.len() as u32 - 1,
        _ => (1 + (ring - 1) * columns + column % columns) as u32,
    };
    let mut triangles = Vec::new();
    for (ring, column) in (0..rings).flat_map(|ring| (0..columns).map(move |column| (ring, column))) {
        let [a, b, c, d] =
            [at(ring, column), at(ring + 1, column), at(ring + 1, column + 1), at(ring, column + 1)];
        if ring + 1 < rings {
            triangles.push([a, b, c]);
        }
        if ring > 0 {
            triangles.push([a, c, d]);
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

fn options(resolution: usize) -> FieldOptions {
    FieldOptions { resolution, ..FieldOptions::default() }
}

/// Mean and maximum error at nodes with a value.
fn errors(field: &DistanceField, model: &Model) -> (f64, f64) {
    let (mut sum, mut max, mut count) = (0.0, 0.0_f64, 0);
    for (value, node) in field.values().zip(field.nodes()).filter(|(value, _)| value.is_finite()) {
        let error = (value - signed_distance(model, &node)).abs();
        (sum, max, count) = (sum + error, max.max(error), count + 1);
    }
    (sum / f64::from(count), max)
}

#[test]
fn the_mean_error_inside_a_sphere_shrinks_with_the_order_of_the_march() {
    let mesh = sphere(1.0, 80);
    let model = Model::new(mesh.clone(), Solidity::Solid);
    let mean = |resolution, order| {
        let options = FieldOptions { order, side: Side::Inside, exact: Some(1.0), ..options(resolution) };
        errors(&DistanceField::of(&mesh, &options).unwrap(), &model).0
    };
    let [coarse, fine] = [24, 48].map(|n| mean(n, Order::Second));
    assert!((coarse / fine).log2() > 1.6, "{coarse} {fine}");
    let [first_coarse, first_fine] = [24, 48].map(|n| mean(n, Order::First));
    let order = (first_coarse / first_fine).log2();
    assert!(order > 0.6 && order < 1.3, "{order}");
    assert!(fine < 0.1 * first_fine, "{fine} {first_fine}");
}

#[test]
fn a_box_has_the_distances_of_its_closed_form() {
    let mesh = Cuboid::default().mesh().unwrap();
    let field = DistanceField::of(&mesh, &FieldOptions { padding: 0.5, ..options(41) }).unwrap();
    for (value, node) in field.values().zip(field.nodes()) {
        let beyond = node.coords.abs() - Vector3::repeat(0.5);
        let exact = beyond.sup(&Vector3::zeros()).norm() + beyond.max().min(0.0);
        let mut depths = [0, 1, 2].map(|axis| beyond[axis]);
        depths.sort_by(f64::total_cmp);
        // Inside, where one face is clearly the nearest; kinks and rounded edges cost a part of a cell.
        let is_flat = exact < 0.0 && depths[2] - depths[1] > 2.5 * field.grid().spacing;
        let tolerance = if is_flat { 1e-12 } else { 0.7 * field.grid().spacing };
        assert!((value - exact).abs() <= tolerance, "{node}: {value} instead of {exact}");
        assert!((field.value(&node) - value).abs() < 1e-12);
    }
    let (_, gradient) = field.value_and_gradient(&Point3::new(0.42, 0.03, -0.04));
    assert!((gradient - Vector3::x()).norm() < 1e-9, "{gradient}");
}

#[test]
fn the_gradient_is_the_derivative_of_the_value_within_and_beyond_the_grid() {
    let field = DistanceField::of(&Torus::default().mesh().unwrap(), &options(30)).unwrap();
    let (size, step) = (field.grid().bounds().extents(), 1e-6 * field.grid().spacing);
    for i in 0..200 {
        let offset_of = |prime: f64| (f64::from(i) * prime).fract() * 1.6 - 0.8;
        let offset = Vector3::new(offset_of(0.618), offset_of(0.414), offset_of(0.732)).component_mul(&size);
        let point = field.grid().bounds().center() + offset;
        let cells = (point - field.grid().origin) / field.grid().spacing;
        if cells.iter().any(|x| (x - x.round()).abs() < 1e-3) {
            continue; // the gradient jumps there
        }
        let (_, gradient) = field.value_and_gradient(&point);
        for axis in 0..3 {
            let ahead = Vector3::ith(axis, step);
            let slope = (field.value(&(point + ahead)) - field.value(&(point - ahead))) / (2.0 * step);
            assert!((slope - gradient[axis]).abs() < 1e-6, "{point} {axis}: {slope} {gradient}");
        }
    }
}

#[test]
fn signs_are_those_of_the_solid_and_errors_stay_small_on_both_sides_of_a_torus() {
    let mesh = Torus::default().mesh().unwrap();
    let model = Model::new(mesh.clone(), Solidity::Solid);
    for mesh in [mesh.clone(), mesh.reversed()] {
        let field = DistanceField::of(&mesh, &options(48)).unwrap();
        assert_eq!(field.known(), field.grid().len());
        for (value, node) in field.values().zip(field.nodes()) {
            assert_eq!(value < 0.0, model.contains(&node), "{node}");
        }
        let (mean, max) = errors(&field, &model);
        assert!(mean < 0.08 * field.grid().spacing && max < 0.5 * field.grid().spacing, "{mean} {max}");
    }
}

#[test]
fn only_the_requested_side_and_band_are_marched() {
    let mesh = sphere(1.0, 20);
    let whole = DistanceField::of(&mesh, &options(32)).unwrap();
    let near = 1.1 * whole.grid().spacing;
    for (side, sign) in [(Side::Inside, -1.0), (Side::Outside, 1.0)] {
        let band = 4.0 * whole.grid().spacing;
        let part = DistanceField::of(&mesh, &FieldOptions { side, band: Some(band), ..options(32) }).unwrap();
        for (value, full) in part.values().zip(whole.values()) {
            let wanted = full.abs() < near && value.is_finite() || (sign * full > 0.0 && full.abs() <= band);
            let expected = if wanted { full } else { f64::INFINITY.copysign(full) };
            assert_eq!(value.to_bits(), expected.to_bits());
        }
    }
}

#[test]
fn the_same_mesh_in_other_units_has_the_same_field() {
    let mesh = sphere(1.0, 20);
    let metres = DistanceField::of(&mesh, &options(24)).unwrap();
    for unit in [1e-3, 1e3] {
        let scaled = mesh.scaled(&Vector3::repeat(unit)).unwrap();
        let field = DistanceField::of(&scaled, &options(24)).unwrap();
        for (value, metre) in field.values().zip(metres.values()) {
            assert!((value / unit - metre).abs() < 1e-12, "{value} {metre}");
        }
    }
}

#[test]
fn invalid_meshes_and_options_are_refused() {
    let mesh = sphere(1.0, 8);
    let open = TriangleMesh::new(mesh.vertices().to_vec(), mesh.triangles()[1..].to_vec()).unwrap();
    let error = DistanceField::of(&open, &options(16)).unwrap_err();
    assert!(matches!(error, FieldError::Shape(ShapeError::NotClosed { edges: 3 })), "{error}");
    let refused = |options: FieldOptions| DistanceField::of(&mesh, &options).unwrap_err();
    let error = refused(options(100_000)).to_string();
    assert!(error.contains("GiB"), "{error}");
    assert!(matches!(refused(options(1)), FieldError::TooCoarse { nodes: 1 }));
    assert!(matches!(refused(FieldOptions { padding: f64::NAN, ..options(9) }), FieldError::Option { .. }));
    assert!(matches!(
        refused(FieldOptions { band: Some(f64::NAN), ..options(9) }),
        FieldError::Option { .. }
    ));
    assert!(matches!(refused(FieldOptions { spacing: Some(0.0), ..options(9) }), FieldError::Option { .. }));
}

#[test]
fn a_soup_of_triangles_is_closed_when_its_corners_meet() {
    let mesh = sphere(1.0, 8);
    let corners = mesh.triangles().iter().flatten().map(|&i| mesh.vertices()[i as usize]).collect::<Vec<_>>();
    let triangles = (0..corners.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let soup = TriangleMesh::new(corners, triangles).unwrap();
    let [soup, mesh] = [soup, mesh].map(|mesh| DistanceField::of(&mesh, &options(16)).unwrap());
    assert!(soup.values().eq(mesh.values()));
}

/// The mesh with a dent where x is large, and the bounding box of the changed triangles.
fn dented(mesh: &TriangleMesh, depth: f64) -> (TriangleMesh, Aabb) {
    let moved: Vec<_> = (mesh.vertices().iter())
        .map(|p| if p.x > 0.55 && p.y > -0.2 { p - Vector3::x() * depth * (p.x - 0.55) } else { *p })
        .collect();
    let after = TriangleMesh::new(moved, mesh.triangles().to_vec()).unwrap();
    let mut region = Aabb::EMPTY;
    for (index, triangle) in mesh.triangles().iter().enumerate() {
        if triangle.iter().any(|&i| mesh.vertices()[i as usize] != after.vertices()[i as usize]) {
            mesh.triangle(index).iter().chain(&after.triangle(index)).for_each(|p| region.include(p));
        }
    }
    (after, region)
}

#[test]
fn an_update_equals_the_recomputed_field() {
    let mesh = sphere(1.0, 32);
    for (depth, side, order) in [
        (0.6, Side::Inside, Order::Second),
        (1.5, Side::Both, Order::Second),
        (-0.3, Side::Both, Order::First),
        (0.01, Side::Outside, Order::Second),
    ] {
        let (after, region) = dented(&mesh, depth);
        for band in [None, Some(0.3)] {
            let options = FieldOptions { side, order, band, ..options(40) };
            let mut field = DistanceField::of(&mesh, &FieldOptions { padding: 0.3, ..options }).unwrap();
            let before = field.clone();
            let update = field.update(&after, &[region]).unwrap();
            let anew = DistanceField::on(&after, *field.grid(), &options).unwrap();
            let mut changed = 0;
            for ((value, expected), old) in field.values().zip(anew.values()).zip(before.values()) {
                changed += usize::from((value - old).abs() > 1e-9);
                let same = value.to_bits() == expected.to_bits() || (value - expected).abs() < 1e-12;
                assert!(same, "{depth} {side:?} {order:?} {band:?}: {value} {expected}");
            }
            assert_eq!(field.known(), anew.known());
            assert!(changed > 50 && update.recomputed >= changed, "{changed} {update:?}");
            assert!(update.recomputed < field.known(), "{update:?}");
        }
    }
}

#[test]
fn an_update_in_too_small_a_region_is_remedied() {
    let mesh = sphere(1.0, 32);
    let field = DistanceField::of(&mesh, &FieldOptions { side: Side::Inside, ..options(40) }).unwrap();
    let remedy = |depth| {
        let (after, region) = dented(&mesh, depth);
        let mut updated = field.clone();
        let update = updated.update_within(&after, &[region]).unwrap();
        if update.remedy == Remedy::Whole {
            let options = FieldOptions { side: Side::Inside, ..options(40) };
            let anew = DistanceField::on(&after, *field.grid(), &options).unwrap();
            assert!(updated.values().eq(anew.values()));
        }
        update.remedy
    };
    assert_eq!([0.0, 0.002, 0.6].map(remedy), [Remedy::None, Remedy::Blended, Remedy::Whole]);
}

#[test]
fn sampled_nodes_are_exact() {
    let model = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
    let points: Vec<_> = (0..50).map(|i| Point3::new(f64::from(i) * 0.03 - 0.7, 0.1, 0.05)).collect();
    for (distance, point) in sample_nodes(&model, &points).into_iter().zip(&points) {
        assert!((distance.abs() - closest_point(&model, point).distance).abs() < 1e-15);
        assert_eq!(distance < 0.0, model.contains(point));
    }
}

#[test]
fn fields_and_updates_have_the_same_bits_on_any_number_of_threads() {
    let mesh = sphere(1.0, 48);
    let (after, region) = dented(&mesh, 0.4);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let field = DistanceField::of(&mesh, &options(40)).unwrap();
            let mut updated = field.clone();
            updated.update(&after, &[region]).unwrap();
            field.values().chain(updated.values()).map(f64::to_bits).collect::<Vec<_>>()
        })
    };
    let alone = on(1);
    assert!([2, 3, 8].into_iter().all(|threads| on(threads) == alone));
}

#[test]
fn the_depth_of_a_box_is_exact_between_its_kinks_and_has_first_order_errors_on_them() {
    let mesh = Cuboid::default().mesh().unwrap();
    // The grid is not aligned with the box, so that kinks run between nodes.
    let grid = |n: usize| Grid {
        origin: Point3::new(-0.6, -0.61, -0.59),
        spacing: 1.2 / n as f64,
        counts: [n + 1; 3],
    };
    let worst = |n: usize| {
        let field =
            DistanceField::on(&mesh, grid(n), &FieldOptions { side: Side::Inside, ..options(0) }).unwrap();
        let h = field.grid().spacing;
        let (mut smooth, mut kinked) = (0.0_f64, 0.0_f64);
        for (value, node) in field.values().zip(field.nodes()).filter(|(value, _)| *value < 0.0) {
            let mut depths = [0, 1, 2].map(|axis| 0.5 - node[axis].abs());
            depths.sort_by(f64::total_cmp);
            let error = (value + depths[0]).abs();
            if depths[1] - depths[0] > 3.0 * h {
                smooth = smooth.max(error)
            } else {
                kinked = kinked.max(error)
            }
        }
        (smooth, kinked / h)
    };
    for n in [17, 34, 68] {
        let (smooth, kinked) = worst(n);
        assert!(smooth < 1e-12, "{n}: {smooth}");
        assert!(kinked > 1e-6 && kinked < 0.5, "{n}: {kinked} cells");
    }
}

#[test]
fn the_field_of_a_torus_converges_with_second_order_where_its_closed_form_is_smooth() {
    let torus = Torus { major_radius: 1.0, minor_radius: 0.4, segments: 256, sides: 128 };
    let mesh = torus.mesh().unwrap();
    let mean = |resolution| {
        let field = DistanceField::of(
            &mesh,
            &FieldOptions { padding: 0.15, exact: Some(1.0), ..options(resolution) },
        );
        let field = field.unwrap();
        let (mut sum, mut count) = (0.0, 0);
        for (value, node) in field.values().zip(field.nodes()) {
            // Of the closed form: kinks are the circle in the middle of the tube and the axis.
            let ring = node.x.hypot(node.y);
            let tube = (ring - 1.0).hypot(node.z);
            if tube > 0.1 && ring > 0.25 {
                (sum, count) = (sum + (value - (tube - 0.4)).abs(), count + 1);
            }
        }
        (sum / f64::from(count), field.grid().spacing)
    };
    let [(coarse, wide), (fine, narrow)] = [32, 80].map(mean);
    let order = (coarse / fine).ln() / (wide / narrow).ln();
    assert!(order > 1.6 && fine < 2e-2 * narrow, "{order}: {coarse} {fine}");
}

#[test]
fn successive_updates_equal_the_recomputed_field() {
    let mesh = sphere(1.0, 32);
    let options = FieldOptions { padding: 0.3, ..options(36) };
    let mut field = DistanceField::of(&mesh, &options).unwrap();
    let mut last = mesh.clone();
    // In, out by several cells, and back.
    for depth in [0.8, -1.2, 0.3, 0.0] {
        let (next, region) = dented(&mesh, depth);
        let mut both = region;
        for (index, triangle) in mesh.triangles().iter().enumerate() {
            if triangle.iter().any(|&i| last.vertices()[i as usize] != next.vertices()[i as usize]) {
                last.triangle(index).iter().chain(&next.triangle(index)).for_each(|p| both.include(p));
            }
        }
        field.update(&next, &[both]).unwrap();
        let anew = DistanceField::on(&next, *field.grid(), &options).unwrap();
        for (value, expected) in field.values().zip(anew.values()) {
            assert!((value - expected).abs() < 1e-12, "{depth}: {value} {expected}");
        }
        assert_eq!(field.known(), anew.known());
        last = next;
    }
}

#[test]
fn a_wider_exact_band_is_exact_and_preserved_by_updates() {
    let mesh = Torus::default().mesh().unwrap();
    let model = Model::new(mesh.clone(), Solidity::Solid);
    let field = DistanceField::of(&mesh, &FieldOptions { exact: Some(3.0), ..options(40) }).unwrap();
    let near = |limit: f64| {
        let limit = limit * field.grid().spacing;
        let pairs = field.values().zip(field.nodes()).filter(move |(value, _)| value.abs() <= limit);
        pairs.map(|(value, node)| (value - signed_distance(&model, &node)).abs()).fold(0.0, f64::max)
    };
    assert!(near(3.0) < 1e-12 && near(4.0) > 1e-9, "{} {}", near(3.0), near(4.0));
    let mut updated = field.clone();
    let update = updated.update(&mesh, &[mesh.aabb()]).unwrap();
    assert!(update.recomputed == 0 && updated.values().eq(field.values()), "{update:?}");
    let refused = DistanceField::of(&mesh, &FieldOptions { exact: Some(0.5), ..options(40) });
    assert!(matches!(refused, Err(FieldError::Option { .. })));
}
