//! Hints: values of a scene that are valid, but probably not meant.

use std::collections::BTreeMap;

use super::error::{Fault, Problem};
use super::locate::Step::{self, Field, Index};
use super::parse::Document;
use super::robots::LoadedRobot;
use super::schema::BodyKind;
use super::shape::LoadedShape;
use extricate_core::geometry::TriangleMesh;

/// Size [m] from which the mesh of a movable body is probably written in millimetres. Half of it: still a crane or a wind
/// turbine; twice: parts of 0.1 m to 0.2 m go unnoticed.
const LARGE: f64 = 100.0;

/// Density [kg/m³] below which it is probably meant in g/cm³: all common solids but foams are above in kg/m³, and all but
/// the heaviest metals below in g/cm³.
const LIGHT: f64 = 12.0;

/// Time step [s] above which rigid bodies miss contacts: a falling one moves 12 mm in the first step.
const LONG_STEP: f64 = 0.05;

/// A hint about a mesh of hundreds of metres, with the way to scale it; none for a smaller one.
pub(crate) fn millimetres(what: &str, mesh: &TriangleMesh, scaled: &str) -> Option<String> {
    let size = mesh.aabb().extents().max();
    (size >= LARGE).then(|| {
        format!("{what} is {size:.0} m large; lengths are in metres: if it is in millimetres, {scaled}")
    })
}

/// The hints of a scene, each with its place; of each kind the first.
pub(super) fn hints(
    document: &Document,
    shapes: &BTreeMap<String, LoadedShape>,
    robots: &[LoadedRobot],
) -> Vec<String> {
    let file = &document.file;
    let hint = |path: &[Step], message: String| document.problem(path, Fault::Contradiction { message });
    let movable = || file.bodies.iter().enumerate().filter(|(_, body)| body.kind != BodyKind::Fixed);
    let large = movable().find_map(|(_, body)| {
        let mesh = shapes[&body.shape].shape.model()?.mesh();
        let message = millimetres(&format!("shape `{}`", body.shape), mesh, "write `scale: 0.001`")?;
        let index = file.shapes.0.iter().position(|(name, _)| *name == body.shape)?;
        Some(hint(&[Field("shapes"), Index(index), Field("file")], message))
    });
    let light = movable().find_map(|(index, body)| {
        let density = body.density.filter(|density| *density < LIGHT)?;
        let message = format!(
            "the density of `{}` is {density} kg/m³, that of a gas (water: 1000); g/cm³ times 1000 are kg/m³",
            body.name
        );
        Some(hint(&[Field("bodies"), Index(index), Field("density")], message))
    });
    let long = file.time_step.filter(|step| *step > LONG_STEP && file.soft_bodies.is_empty()).map(|step| {
        let message = format!(
            "the time step of {step} s is long: fast bodies miss contacts; usual are 0.01 s and less"
        );
        hint(&[Field("time_step")], message)
    });
    let bare = robots
        .iter()
        .zip(0..)
        .find(|(robot, _)| robot.description.links.iter().all(|link| link.model.is_none()));
    let bare = bare.map(|(robot, index)| {
        let message = format!("{}: {NO_COLLISION_SHAPES}", robot.path.display());
        hint(&[Field("robots"), Index(index), Field("file")], message)
    });
    [large, light, long, bare].iter().flatten().map(Problem::to_string).collect()
}

/// Finding on a robot without shapes.
pub(crate) const NO_COLLISION_SHAPES: &str =
    "no link has a <collision> shape, so nothing collides with the robot";
