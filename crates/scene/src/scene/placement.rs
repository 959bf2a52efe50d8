//! Start poses of bodies: rotations as the schema writes them, and grids of copies.

use nalgebra::{Isometry3, Point3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

use super::random::Random;
use super::schema::{BodyEntry, Rotation, Triple};

/// The numbers as a vector.
pub(super) fn vector((x, y, z): Triple) -> Vector3<f64> {
    Vector3::new(x, y, z)
}

/// The numbers as a point.
pub(super) fn point(numbers: Triple) -> Point3<f64> {
    vector(numbers).into()
}

/// The orientation body → world. Axis and quaternion are normalized here; validation has ensured unit length within
/// the tolerance of four digits.
pub(super) fn orientation(rotation: &Rotation) -> UnitQuaternion<f64> {
    match *rotation {
        Rotation::Identity => UnitQuaternion::identity(),
        Rotation::Quaternion(w, x, y, z) => UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)),
        Rotation::AxisAngleDegrees { axis, angle } => {
            UnitQuaternion::from_axis_angle(&Unit::new_normalize(vector(axis)), angle.to_radians())
        }
        Rotation::EulerDegrees(x, y, z) => {
            UnitQuaternion::from_euler_angles(x.to_radians(), y.to_radians(), z.to_radians())
        }
    }
}

/// Number of bodies that the entry describes.
pub(super) fn copy_count(body: &BodyEntry) -> u64 {
    body.copies.as_ref().map_or(1, |copies| {
        let (x, y, z) = copies.count;
        u64::from(x).saturating_mul(u64::from(y)).saturating_mul(u64::from(z))
    })
}

/// Name and pose body → world of every body that the entry describes, the x index varying fastest.
pub(super) fn copies(body: &BodyEntry, random: &mut Random) -> Vec<(String, Isometry3<f64>)> {
    let (start, rotation) = (vector(body.position), orientation(&body.rotation));
    let Some(grid) = &body.copies else {
        return vec![(body.name.clone(), Isometry3::from_parts(start.into(), rotation))];
    };
    let (nx, ny, nz) = grid.count;
    if copy_count(body) == 0 {
        // Before the cells are enumerated: the other counts may be as large as 2³² − 1.
        return Vec::new();
    }
    let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
    cells
        .map(|cell| {
            let steps = Vector3::from(cell.map(f64::from));
            let name = copy_name(&body.name, [nx, ny, nz], cell);
            let moved = grid.moved.get(&name).copied().map_or(Vector3::zeros(), vector);
            let place = start + vector(grid.spacing).component_mul(&steps) + moved;
            // Drawn even where `rotations` replaces it, so that the other copies keep their orientations.
            let drawn = if grid.random_rotation { random.rotation() } else { UnitQuaternion::identity() };
            let rotated = grid.rotations.get(&name).map_or(drawn * rotation, orientation);
            (name, Isometry3::from_parts(Translation3::from(place), rotated))
        })
        .collect()
}

/// The body's name with the indices along the axes that have more than one copy.
fn copy_name(name: &str, counts: [u32; 3], cell: [u32; 3]) -> String {
    let indices = counts.iter().zip(cell).filter(|(count, _)| **count > 1);
    indices.fold(name.to_owned(), |name, (_, index)| format!("{name}-{index}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_by_90_degrees_is_the_same_in_every_notation() {
        let expected = Vector3::new(0.0, 0.0, -1.0);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for rotation in [
            Rotation::Quaternion(half, 0.0, half, 0.0),
            Rotation::AxisAngleDegrees { axis: (0.0, 1.0, 0.0), angle: 90.0 },
            Rotation::EulerDegrees(0.0, 90.0, 0.0),
        ] {
            let image = orientation(&rotation) * Vector3::x();
            assert!((image - expected).norm() < 1e-15, "{rotation:?}: {image}");
        }
    }

    #[test]
    fn euler_angles_rotate_about_fixed_axes_in_the_order_x_y_z() {
        let both = orientation(&Rotation::EulerDegrees(90.0, 0.0, 90.0));
        assert!((both * Vector3::y() - Vector3::z()).norm() < 1e-15);
        assert!((both * Vector3::x() - Vector3::y()).norm() < 1e-15);
    }

    #[test]
    fn copies_are_named_by_the_axes_that_have_more_than_one() {
        let text = "(name: \"b\", shape: \"s\", position: (1, 2, 3),
            copies: (count: (2, 1, 2), spacing: (0.5, 9, 0.25)))";
        let body: BodyEntry = super::super::parse::options().from_str(text).unwrap();
        let made = copies(&body, &mut Random::new(0));
        let names: Vec<_> = made.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b-0-0", "b-1-0", "b-0-1", "b-1-1"]);
        assert_eq!(made[3].1.translation.vector, Vector3::new(1.5, 2.0, 3.25));
    }
}
