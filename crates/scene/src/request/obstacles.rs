//! Obstacles of a robot: mesh files, convex shapes and robots, each with an optional pose after an `@`.

use std::path::Path;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::fault::{Class, Fault};
use super::library::Library;
use super::shape::{ShapeArgument, is_robot};
use crate::repair::{NamedObstacle, at_rest};
use extricate_core::geometry::Solidity;
use extricate_core::kinematics::urdf::UrdfOptions;
use extricate_core::penetration::generalized::{Obstacle, Shape};
use extricate_core::proximity::Model;

/// A static obstacle, as written in an argument.
#[derive(Debug, Clone, PartialEq)]
pub struct ObstacleArgument {
    /// Its name in responses: the whole text.
    pub(crate) name: String,
    /// Its shape, or the file of a robot.
    pub(crate) shape: String,
    /// Body → world.
    pub(crate) pose: Isometry3<f64>,
}

impl ObstacleArgument {
    /// Parses an obstacle: `SHAPE`, `SHAPE@X,Y,Z` or `SHAPE@X,Y,Z,W,QX,QY,QZ`.
    ///
    /// # Errors
    /// A [`Fault`] where the pose is invalid.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (shape, pose) = split(text)?;
        Ok(Self { name: text.to_owned(), shape: shape.to_owned(), pose })
    }

    /// Whether it is a robot, whose links are static in its rest configuration.
    pub(crate) fn is_robot(&self) -> bool {
        is_robot(&self.shape)
    }

    /// Its shapes: one, or for a robot one per link that has a shape. Files are resolved against `folder`.
    pub(super) fn props(
        &self,
        library: &Library,
        folder: &Path,
        options: &UrdfOptions,
    ) -> Result<Vec<NamedObstacle>, Fault> {
        if self.is_robot() {
            return of_robot((&self.shape, &folder.join(&self.shape)), &self.pose, library, options);
        }
        let obstacle = Obstacle { shape: self.shape(library, folder)?, pose: self.pose };
        Ok(vec![NamedObstacle { name: self.name.clone(), obstacle }])
    }

    /// Its shape, if it is not a robot. Files are resolved against `folder`.
    pub(super) fn shape(&self, library: &Library, folder: &Path) -> Result<Shape, Fault> {
        let argument = ShapeArgument::parse_in(&self.shape, folder)?;
        let shape = match argument.is_convex() {
            true => library.convex(&argument)?,
            false => library.mesh(&argument, None)?,
        };
        Ok(shape.searchable())
    }
}

/// Maximum deviation from 1 of the length of a quaternion: the rounding of six written digits. Larger, and a quaternion that
/// was mistyped would pass.
const ROTATION_TOLERANCE: f64 = 1e-5;

/// Splits a text into shape and pose: `SHAPE`, `SHAPE@X,Y,Z` or `SHAPE@X,Y,Z,W,QX,QY,QZ`. Text after an `@` that is not a
/// list of numbers is part of the file name.
///
/// # Errors
/// A [`Fault`] where the pose is invalid.
pub fn split(text: &str) -> Result<(&str, Isometry3<f64>), Fault> {
    let whole = Ok((text, Isometry3::identity()));
    let Some((name, pose)) = text.rsplit_once('@') else { return whole };
    let numbers: Result<Vec<f64>, _> = pose.split(',').map(|number| number.trim().parse::<f64>()).collect();
    let Ok(numbers) = numbers else { return whole };
    let wrong = |why: &str| Err(Fault::new(Class::Usage, format!("`{text}`: {why}")));
    if !numbers.iter().all(|number| number.is_finite()) {
        return wrong("the numbers of a pose must be finite");
    }
    match numbers[..] {
        [x, y, z] => Ok((name, Isometry3::translation(x, y, z))),
        [x, y, z, w, i, j, k] => {
            let quaternion = Quaternion::new(w, i, j, k);
            let is_unit = (quaternion.norm() - 1.0).abs() <= ROTATION_TOLERANCE;
            if !is_unit {
                return wrong(&format!(
                    "the quaternion has length {}, but must have length 1",
                    quaternion.norm()
                ));
            }
            let rotation = UnitQuaternion::new_normalize(quaternion);
            Ok((name, Isometry3::from_parts(Translation3::new(x, y, z), rotation)))
        }
        _ => {
            let found = numbers.len();
            wrong(&format!("a pose needs 3 numbers (x,y,z) or 7 (x,y,z,w,qx,qy,qz), not {found}"))
        }
    }
}

fn of_robot(
    (name, path): (&str, &Path),
    pose: &Isometry3<f64>,
    library: &Library,
    options: &UrdfOptions,
) -> Result<Vec<NamedObstacle>, Fault> {
    let robot =
        library.access().robot(path, options.clone()).map_err(|error| Fault::of(Class::BadFile, &error))?;
    let at_rest = at_rest(&robot.articulation);
    let places = robot.articulation.link_poses(&at_rest, pose);
    let places = places.map_err(|error| Fault::of(Class::BadFile, &error))?;
    let links = robot.articulation.links().iter().zip(robot.meshes).zip(places);
    let prop = |((link, mesh), pose): ((&String, Option<_>), _)| {
        let mesh = mesh?;
        let solidity = Solidity::of(&mesh);
        let shape = Shape::of_model(Model::new(mesh, solidity));
        Some(NamedObstacle { name: format!("{name}/{link}"), obstacle: Obstacle { shape, pose } })
    };
    let props: Vec<_> = links.filter_map(prop).collect();
    if props.is_empty() {
        return Err(Fault::new(Class::BadFile, format!("{}: no link has a shape", path.display())));
    }
    Ok(props)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_follows_the_last_at_sign() {
        let (name, pose) = split("box:1,1,1@1,2,3").unwrap();
        assert_eq!((name, pose), ("box:1,1,1", Isometry3::translation(1.0, 2.0, 3.0)));
        let (name, pose) = split("a@b.obj@0,0,1,0.6,0,0.8,0").unwrap();
        assert_eq!((name, pose.rotation.j), ("a@b.obj", 0.8));
        for text in ["cup.obj", "meshes@home/cup.obj", "cup@2.obj"] {
            assert_eq!(split(text).unwrap(), (text, Isometry3::identity()));
        }
        for (text, why) in [
            ("sphere:1@1,2", "3 numbers"),
            ("sphere:1@1,2,nan", "finite"),
            ("sphere:1@0,0,0,1,1,0,0", "length 1.41"),
        ] {
            match split(text) {
                Err(Fault { class: Class::Usage, message }) => assert!(message.contains(why), "{message}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
