//! Numbers and poses of files with ground truth: JSON lists, nested or flat, rotations as rows of a matrix.

use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde_json::Value;

/// Or the defect of the file.
type Result<T> = std::result::Result<T, String>;

pub(crate) fn number(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| format!("{value} is not a number"))
}

/// The numbers of an array, nested or flat.
fn numbers(value: &Value) -> Result<Vec<f64>> {
    let items = value.as_array().ok_or_else(|| format!("{value} is not an array"))?;
    let nested =
        items.iter().map(|item| if item.is_array() { numbers(item) } else { Ok(vec![number(item)?]) });
    Ok(nested.collect::<Result<Vec<_>>>()?.concat())
}

/// `N` numbers, nested or flat.
fn exactly<const N: usize>(value: &Value) -> Result<[f64; N]> {
    let numbers = numbers(value)?;
    numbers.try_into().map_err(|list: Vec<f64>| format!("{} numbers in place of {N}", list.len()))
}

/// The pose of a rotation and a translation [m].
pub(crate) fn pose(rotation: &Value, translation: &Value) -> Result<Isometry3<f64>> {
    let translation = Vector3::from(exactly::<3>(translation)?);
    let rotation = Matrix3::from_row_slice(&exactly::<9>(rotation)?);
    let orientation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    Ok(Isometry3::from_parts(translation.into(), orientation))
}
