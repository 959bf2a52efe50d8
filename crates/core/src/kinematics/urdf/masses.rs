//! Corrections of the masses of a robot that dynamics cannot use.

use super::document::Document;
use super::inertial::Inertial;
use super::options::{File, RobotFileError};
use crate::geometry::Solidity;
use crate::geometry::mass_properties::MassProperties;
use crate::geometry::read::correction::Correction;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::error::RobotError;
use nalgebra::{Matrix3, Point3};

/// Mass and inertia of a link that moves without any, over those of the lightest link: small enough to change no motion by
/// more than a thousandth, large enough for the equations of motion to stay well conditioned.
const TRIFLE: f64 = 1e-3;

/// Replaces physically invalid inertias, and drops invalid masses; refuses them where the options are strict.
pub(super) fn correct(
    robot: &mut Document,
    file: &File<'_>,
    strict: bool,
    corrections: &mut Vec<Correction>,
) -> Result<(), RobotFileError> {
    for link in &mut robot.links {
        let Some((own, Err(source))) = link.inertial.map(|own| (own, own.check())) else { continue };
        let (path, line, name) = (file.path.to_owned(), link.line, link.name.clone());
        if strict {
            return Err(RobotFileError::Inertial {
                path,
                line: Some(line),
                link: name,
                source: Box::new(source),
            });
        }
        let has_mass = !matches!(source, RobotError::InertialNotFinite | RobotError::MassNotPositive { .. });
        link.inertial = has_mass.then(|| own.nearest_valid());
        let became = if has_mass {
            "the mass stays, and the inertia becomes the nearest one that a body can have"
        } else {
            "mass and inertia are those of the shape at its density"
        };
        let (part, found) = (format!("link \"{name}\""), source.to_string());
        corrections.push(Correction { path, line, part, found, became: became.to_owned() });
    }
    Ok(())
}

/// Gives a small mass to links that move although neither they nor the links that they carry have a mass or a shape; reports
/// links whose mass follows from the convex hull of their shape.
pub(super) fn complete(
    robot: &Document,
    articulation: &Articulation,
    (meshes, inertials): (&[Option<TriangleMesh>], &mut [Option<Inertial>]),
    file: &File<'_>,
) -> Vec<Correction> {
    let count = articulation.links().len();
    let mut heavy: Vec<_> = (0..count).map(|i| inertials[i].is_some() || meshes[i].is_some()).collect();
    let order = articulation.parents_first();
    for &link in order.iter().rev() {
        if let Some(parent) = articulation.parent(link) {
            heavy[parent] |= heavy[link];
        }
    }
    let is_movable = |joint: usize| articulation.joints()[joint].kind != JointKind::Fixed;
    let moves = |link: usize| articulation.parent_joint(link).is_some_and(is_movable);
    let mut carries = vec![false; count];
    for link in (0..count).filter(|&link| moves(link)) {
        articulation.parent(link).into_iter().for_each(|parent| carries[parent] = true);
    }
    // The last link of a massless chain gets the mass for the whole chain.
    let is_light = |&link: &usize| moves(link) && !heavy[link] && !carries[link];
    let light: Vec<usize> = order.iter().copied().filter(is_light).collect();
    let correction = |link: usize, found: &str, became: String| {
        let name = &articulation.links()[link];
        let line = robot.links.iter().find(|own| own.name == *name).map_or(1, |own| own.line);
        let (path, part) = (file.path.to_owned(), format!("link \"{name}\""));
        Correction { path, line, part, found: found.to_owned(), became }
    };
    let is_open = |&link: &usize| {
        let mesh = meshes[link]
            .as_ref()
            .filter(|_| inertials[link].is_none() && articulation.parent(link).is_some());
        mesh.is_some_and(|mesh| {
            Solidity::of(mesh) == Solidity::Surface || MassProperties::of_solid(mesh).is_err()
        })
    };
    let open = order.iter().copied().filter(is_open).map(|link| {
        let found = "it states no mass, and its mesh encloses no volume";
        correction(link, found, "mass and inertia are those of the convex hull at its density".to_owned())
    });
    let mut corrections: Vec<_> = open.collect();
    let trifle = trifle(inertials);
    for link in light {
        inertials[link] = Some(trifle);
        let found = "it moves and has no mass: neither an <inertial> nor a shape";
        corrections.push(correction(link, found, format!("its mass is {:.1e} kg", trifle.mass)));
    }
    corrections
}

/// A mass that hardly matters to a robot with these masses.
fn trifle(inertials: &[Option<Inertial>]) -> Inertial {
    let lightest = inertials.iter().flatten().min_by(|a, b| a.mass.total_cmp(&b.mass));
    // Without any stated mass the masses follow from shapes: a gram within a few centimetres.
    let (mass, moment) = lightest.map_or((1.0, 1e-3), |own| (own.mass, own.inertia.trace() / 3.0));
    Inertial {
        mass: TRIFLE * mass,
        center: Point3::origin(),
        inertia: Matrix3::identity() * (TRIFLE * moment),
    }
}
