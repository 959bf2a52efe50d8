//! Closed loops of a robot: pairs of frames on two links of its tree, or on one and its base, that stay together.

use nalgebra::{Isometry3, Vector3};

use extricate_core::kinematics::ClosureKind;

/// A link, none of what carries the base, with the direction of an impulse on it: angular about its origin, and linear \[world\].
pub(crate) type Directed = (Option<usize>, [Vector3<f64>; 2]);

/// A loop of a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeLoop {
    /// Links; none of what carries the base.
    pub(super) links: [Option<usize>; 2],
    /// Frame → link, or → base.
    pub(super) frames: [Isometry3<f64>; 2],
    pub(super) kind: ClosureKind,
    /// Index among the closures of the robot.
    pub(super) closure: usize,
}

impl TreeLoop {
    /// Links of the tree that it connects.
    pub(crate) fn links(&self) -> impl Iterator<Item = usize> + '_ {
        self.links.iter().copied().flatten()
    }

    /// Number of its rows.
    pub(crate) fn count(&self) -> usize {
        if self.kind == ClosureKind::Weld { 6 } else { 3 }
    }

    /// Largest distance of a frame from the origin of what carries it, or of the links from each other \[m\].
    pub(crate) fn arm(&self, base: &Isometry3<f64>, poses: &[Isometry3<f64>]) -> f64 {
        let carriers = self.links.map(|link| link.map_or(base, |link| &poses[link]).translation.vector);
        let frames = self.frames.iter().map(|frame| frame.translation.vector.norm());
        frames.fold((carriers[0] - carriers[1]).norm(), f64::max)
    }

    /// The gaps that open it, along the axes of the world \[m, then rad\], with the impulses that close it, by side.
    pub(crate) fn rows(
        &self,
        base: &Isometry3<f64>,
        poses: &[Isometry3<f64>],
    ) -> impl Iterator<Item = (f64, [Directed; 2])> + use<> {
        let carriers = self.links.map(|link| link.map_or(base, |link| &poses[link]));
        let [first, second] = [0, 1].map(|side| carriers[side] * self.frames[side]);
        // Both sides at one point, so that no impulse of an open loop changes the angular momentum, nor looks as if it moved what it cannot.
        let middle = 0.5 * (first.translation.vector + second.translation.vector);
        let origin = |side: usize| self.links[side].map_or(middle, |_| carriers[side].translation.vector);
        let arms = [0, 1].map(|side| middle - origin(side));
        let links = self.links;
        let apart = second.translation.vector - first.translation.vector;
        let rotated = first.rotation * (first.rotation.inverse() * second.rotation).scaled_axis();
        let row = move |axis: usize, is_rotation: bool| {
            let along = Vector3::ith(axis, 1.0);
            let sides = [0, 1].map(|side| {
                let direction = if side == 0 { -along } else { along };
                let parts = if is_rotation {
                    [direction, Vector3::zeros()]
                } else {
                    [arms[side].cross(&direction), direction]
                };
                (links[side], parts)
            });
            (if is_rotation { rotated[axis] } else { apart[axis] }, sides)
        };
        let rotations = self.count() - 3;
        (0..3).map(move |axis| row(axis, false)).chain((0..rotations).map(move |axis| row(axis, true)))
    }
}
