//! Loop closures of robot files: pairs of links that a tree does not connect.

use nalgebra::Isometry3;

use super::articulation::tree::Articulation;

/// Relative motion of the two frames of a closure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosureKind {
    /// Their origins coincide; they rotate freely.
    Point,
    /// They coincide.
    Weld,
}

/// A loop that a file closes between two links.
#[derive(Debug, Clone, PartialEq)]
pub struct Closure {
    /// Its name in the file, or one made of those of the links.
    pub name: String,
    /// The names of the links.
    pub links: [String; 2],
    /// A frame on each link, frame → link.
    pub frames: [Isometry3<f64>; 2],
    /// Relative motion of the frames.
    pub kind: ClosureKind,
}

/// A closure whose frame on the second link may follow from the pose of the robot at rest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClosureElement {
    pub(super) name: String,
    pub(super) links: [String; 2],
    pub(super) first: Isometry3<f64>,
    /// The frame on the second link; without it, the loop is closed at rest.
    pub(super) second: Option<Isometry3<f64>>,
    pub(super) kind: ClosureKind,
}

/// The closures of a robot with this articulation; those of unknown links are left out.
pub(super) fn completed(elements: Vec<ClosureElement>, articulation: &Articulation) -> Vec<Closure> {
    let joints = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].rest);
    let at_rest: Vec<f64> = joints.collect();
    let poses = articulation.link_poses(&at_rest, &Isometry3::identity()).unwrap_or_default();
    let complete = |element: ClosureElement| {
        let [first, second] = element.links.each_ref().map(|link| articulation.link(link));
        let between = poses.get(second?)?.inverse() * poses.get(first?)?;
        let frames = [element.first, element.second.unwrap_or(between * element.first)];
        Some(Closure { name: element.name, links: element.links, frames, kind: element.kind })
    };
    elements.into_iter().filter_map(complete).collect()
}
