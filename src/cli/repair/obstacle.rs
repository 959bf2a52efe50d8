//! What a robot is among: mesh files, convex shapes and URDF files, each with an optional pose behind an `@`.

use std::path::PathBuf;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::super::access;
use super::super::failure::{Exit, Failure};
use super::super::query::robot::is_robot;
use super::super::query::shape::ShapeArgument;
use crate::geometry::Solidity;
use crate::geometry::report::MeshReport;
use crate::kinematics::urdf::Shapes;
use crate::penetration::generalized::{Obstacle, Shape};
use crate::proximity::Model;
use crate::repair::{Prop, at_rest};

/// Largest deviation from 1 of the length of a quaternion: what six written digits leave.
const ROTATION_TOLERANCE: f64 = 1e-5;

/// The obstacles that an argument names; a URDF file makes one for each of its links that has a shape.
pub(super) fn props(text: &str, shapes: Shapes, packages: &[PathBuf]) -> Result<Vec<Prop>, Failure> {
    let (name, pose) = split(text)?;
    if is_robot(name) {
        return of_robot(name, &pose, shapes, packages);
    }
    let argument = ShapeArgument::parse(name)?;
    let shape = if argument.is_convex() {
        Shape::convex(argument.convex()?)
    } else {
        Shape::of_model(argument.model(None, None)?)
    };
    Ok(vec![Prop { name: text.to_owned(), obstacle: Obstacle { shape, pose } }])
}

/// The shape and its pose: `SHAPE`, `SHAPE@X,Y,Z` or `SHAPE@X,Y,Z,W,QX,QY,QZ`. What stands behind an `@` and is no list of
/// numbers belongs to the name of a file.
pub(in crate::cli) fn split(text: &str) -> Result<(&str, Isometry3<f64>), Failure> {
    let whole = Ok((text, Isometry3::identity()));
    let Some((name, pose)) = text.rsplit_once('@') else { return whole };
    let numbers: Result<Vec<f64>, _> = pose.split(',').map(|number| number.trim().parse::<f64>()).collect();
    let Ok(numbers) = numbers else { return whole };
    let wrong = |why: &str| Err(Failure::new(Exit::Usage, format!("`{text}`: {why}")));
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
            let turn = UnitQuaternion::new_normalize(quaternion);
            Ok((name, Isometry3::from_parts(Translation3::new(x, y, z), turn)))
        }
        _ => wrong("a pose is 3 numbers (x,y,z) or 7 (x,y,z,w,qx,qy,qz)"),
    }
}

fn of_robot(
    path: &str,
    pose: &Isometry3<f64>,
    shapes: Shapes,
    packages: &[PathBuf],
) -> Result<Vec<Prop>, Failure> {
    let robot = access::robot(path, shapes, packages);
    let robot = robot.map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let at_rest = at_rest(&robot.articulation);
    let places = robot.articulation.link_poses(&at_rest, pose);
    let places = places.map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let links = robot.articulation.links().iter().zip(robot.meshes).zip(places);
    let prop = |((link, mesh), pose): ((&String, Option<_>), _)| {
        let mesh = mesh?;
        let solid = if MeshReport::of(&mesh).solid { Solidity::Solid } else { Solidity::Surface };
        let shape = Shape::of_model(Model::new(mesh, solid));
        Some(Prop { name: format!("{path}/{link}"), obstacle: Obstacle { shape, pose } })
    };
    let props: Vec<_> = links.filter_map(prop).collect();
    if props.is_empty() {
        return Err(Failure::new(Exit::BadFile, format!("{path}: no link has a shape")));
    }
    Ok(props)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_stands_behind_the_last_at_sign() {
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
                Err(Failure::Told(Exit::Usage, message)) => assert!(message.contains(why), "{message}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
