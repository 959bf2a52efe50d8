//! Against depths that independent programs computed; their sources are listed in the file.

use extricate::penetration::convex::ConvexCache;
use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::checks::Pair;
use super::forms::Form;

struct Row {
    line: &'static str,
    pair: Pair,
    depth: f64,
    /// Direction in which A moves.
    direction: Vector3<f64>,
    /// Uncertainty of the truth [m].
    unsure: f64,
}

fn form(name: &str) -> Form {
    match name {
        "sphere" => Form::Sphere(0.5),
        "capsule" => Form::Capsule { radius: 0.5, length: 1.0 },
        "cube" => Form::Cuboid(Vector3::repeat(1.0)),
        "boxA" => Form::Cuboid(Vector3::new(1.0, 0.6, 0.3)),
        "boxB" => Form::Cuboid(Vector3::new(0.8, 1.0, 0.4)),
        "cyl" => Form::Cylinder { radius: 0.5, height: 1.0 },
        "cone" => Form::Cone { radius: 0.5, height: 1.0 },
        other => panic!("no shape is called {other}"),
    }
}

fn row(line: &'static str) -> Row {
    let words: Vec<&str> = line.split(',').collect();
    let numbers: Vec<f64> = words[3..].iter().map(|word| word.parse().expect("a number")).collect();
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_row_slice(&numbers[0..9]));
    let translation = Vector3::from_column_slice(&numbers[9..12]);
    let pose = Isometry3::from_parts(translation.into(), UnitQuaternion::from_rotation_matrix(&rotation));
    Row {
        line,
        pair: Pair { forms: [form(words[1]), form(words[2])], poses: [Isometry3::identity(), pose] },
        depth: numbers[12],
        direction: -Vector3::from_column_slice(&numbers[13..16]),
        unsure: numbers[16],
    }
}

fn rows() -> Vec<Row> {
    let lines = include_str!("ground_truth.csv").lines();
    lines.filter(|line| !line.starts_with('#')).skip(1).map(row).collect()
}

#[test]
fn depths_agree_with_the_ground_truth_and_are_attained_along_the_direction() {
    for Row { line, pair, depth, direction, unsure } in rows() {
        let tolerance = pair.tolerance(depth) + unsure;
        let found = pair.ask(&pair.shapes().expect("valid"), &mut ConvexCache::default()).expect("finite");
        assert!((found.value + depth).abs() <= tolerance, "{line}: {:e}, {depth:e}", -found.value);
        assert!(found.at_most - found.value <= pair.certificate(depth), "{line}: {found:?}");
        let along = pair.free_after(&found.direction);
        assert!(along <= depth + tolerance, "{line}: {along:e} along {}", found.direction.into_inner());
        // The table itself: along its direction the shapes are as deep as it says.
        assert!((pair.free_after(&direction) - depth).abs() <= tolerance, "{line}");
    }
}
