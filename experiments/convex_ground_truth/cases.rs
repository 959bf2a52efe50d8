//! Classes of pairs with their exact depths, from files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use nalgebra::{Isometry3, Matrix3, Rotation3, Unit, UnitQuaternion, Vector3};

use super::shapes::{Result, Shape};

/// A relative pose of two shapes and the truth about it.
pub(crate) struct Case {
    pub(crate) a: Rc<Shape>,
    pub(crate) b: Rc<Shape>,
    /// B in the frame of A [m].
    pub(crate) pose: Isometry3<f64>,
    /// Cases in a row with one number are a coherent motion.
    pub(crate) sequence: u64,
    pub(crate) truth: Truth,
}

pub(crate) struct Truth {
    pub(crate) depth: f64,
    /// Uncertainty of the truth itself [m].
    pub(crate) gap: f64,
    /// Direction in which A moves.
    pub(crate) direction: Unit<Vector3<f64>>,
    /// A unit vector across it, towards which a guess is off.
    pub(crate) beside: Unit<Vector3<f64>>,
}

pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
    /// Accepted error, relative to the depth.
    pub(crate) relative_tolerance: f64,
}

impl Case {
    /// A guess [rad] off the best direction.
    pub(crate) fn guess(&self, off: f64) -> Vector3<f64> {
        let Truth { direction, beside, .. } = &self.truth;
        direction.into_inner() * off.cos() + beside.into_inner() * off.sin()
    }

    /// Accepted error of a certified answer [m].
    pub(crate) fn tolerance(&self, relative: f64) -> f64 {
        relative * self.truth.depth + 1e-14 * (self.a.reach + self.b.reach) + self.truth.gap.max(0.0)
    }
}

impl Class {
    /// Whether the cases are motions.
    pub(crate) fn is_coherent(&self) -> bool {
        self.cases.windows(2).any(|pair| pair[0].sequence == pair[1].sequence)
    }
}

/// All classes under a folder with `shapes.txt` and `cases/*.csv`, in the order of their names.
pub(crate) fn read(folder: &Path) -> Result<Vec<Class>> {
    let mut shapes = HashMap::new();
    for line in fs::read_to_string(folder.join("shapes.txt"))?.lines() {
        if let Some((name, description)) = line.split_once(' ') {
            shapes.insert(name.to_owned(), Rc::new(Shape::parse(description, folder)?));
        }
    }
    let mut files: Vec<_> =
        fs::read_dir(folder.join("cases"))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    files.iter().map(|file| class(file, &shapes)).collect()
}

fn class(file: &Path, shapes: &HashMap<String, Rc<Shape>>) -> Result<Class> {
    let name = file.file_stem().ok_or("a file without a name")?.to_string_lossy().into_owned();
    let text = fs::read_to_string(file)?;
    let cases = text.lines().skip(1).map(|line| case(line, shapes)).collect::<Result<_>>()?;
    // The truth about cylinder and cone is a search's, not a closed form.
    let relative_tolerance = if name == "cyl_cone" { 1e-6 } else { 1e-9 };
    Ok(Class { name, cases, relative_tolerance })
}

/// `id,seq,shapeA,shapeB,r00…r22,tx,ty,tz,depth,nx,ny,nz,ux,uy,uz,gt_gap`; n moves B.
fn case(line: &str, shapes: &HashMap<String, Rc<Shape>>) -> Result<Case> {
    let words: Vec<&str> = line.split(',').collect();
    let shape = |index: usize| -> Result<Rc<Shape>> {
        let name = words.get(index).ok_or("too few columns")?;
        Ok(Rc::clone(shapes.get(*name).ok_or_else(|| format!("no shape is called {name}"))?))
    };
    let (a, b) = (shape(2)?, shape(3)?);
    let numbers = words[4..].iter().map(|word| Ok(word.parse()?)).collect::<Result<Vec<f64>>>()?;
    let [rotation, translation, depth, n, u, gap] =
        [0..9, 9..12, 12..13, 13..16, 16..19, 19..20].map(|range| numbers.get(range).unwrap_or(&[]));
    if gap.is_empty() {
        return Err(format!("too few columns: {line}").into());
    }
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_row_slice(rotation));
    let vector = Vector3::from_column_slice;
    let pose =
        Isometry3::from_parts(vector(translation).into(), UnitQuaternion::from_rotation_matrix(&rotation));
    let truth = Truth {
        depth: depth[0],
        gap: gap[0],
        direction: Unit::new_normalize(-vector(n)),
        beside: Unit::new_normalize(vector(u)),
    };
    Ok(Case { a, b, pose, sequence: words[1].parse()?, truth })
}
