//! Drawing a sketch: where everything is, what collides, what was put free, and ghosts of where it was.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::Isometry3;

use super::SketchMode;
use crate::{Color, Drawing, Ghost, palette};
use extricate_scene::repair::Posture;

/// How opaque ghosts are.
const GHOST: f32 = 0.45;
/// Share of its own colour that what was put free, and what neither collides nor was moved, keeps.
const OWN: f32 = 0.35;
const NEUTRAL: f32 = 0.25;
/// Share of the greatest radius of a link by which something must have moved to leave a ghost, which would flicker in it.
const NOTICED: f64 = 0.01;

impl SketchMode {
    /// Sees what is to be drawn, where something has changed.
    pub(super) fn redraw(&mut self) {
        let revision = self.sketch.revision();
        let followed = if self.following { self.followed.as_ref().map_or(0, |(of, _)| of + 1) } else { 0 };
        let repaired = self.repaired.as_ref().map_or(0, |(of, _)| of + 1);
        let of = Some([revision, followed, repaired]);
        if self.drawn.of == of {
            return;
        }
        self.drawn.of = of;
        let colliding = match self.sketch.colliding() {
            Ok(found) => found.iter().flat_map(|pair| pair.names.clone()).collect(),
            Err(error) => {
                self.tell(Err(error));
                BTreeSet::new()
            }
        };
        let colliding: BTreeSet<usize> =
            colliding.iter().filter_map(|name: &String| self.cast.index(name)).collect();
        let sketched = self.sketch.posture().clone();
        let followed =
            self.followed.as_ref().filter(|_| self.following).map(|(_, found)| found.posture.clone());
        let repaired = self.repaired.as_ref().filter(|(of, _)| *of == revision);
        let (shown, before) = match (followed, repaired) {
            (Some(followed), _) => (followed, Some(sketched)),
            (None, Some((_, repaired))) => (sketched, Some(repaired.before.clone())),
            (None, None) => (sketched, None),
        };
        let is_put_free = before.is_some();
        let shown = self.poses(&shown);
        let neutral = |color: &Color| palette::FIXED.mixed(*color, NEUTRAL);
        let tints = self.drawn.colors.iter().map(neutral).enumerate().collect();
        let mut drawing = Drawing { tints, ..Drawing::default() };
        if let Some(before) = before {
            let before = self.poses(&before);
            for (index, (now, before)) in shown.iter().zip(&before).enumerate() {
                if !self.is_noticed(index, now, before) {
                    continue;
                }
                drawing.tints.insert(index, palette::FREE.mixed(self.drawn.colors[index], OWN));
                if let Some(mesh) = &self.drawn.meshes[index] {
                    let color = palette::COLLIDING.with_alpha(GHOST);
                    drawing.ghosts.push(Ghost { mesh: Arc::clone(mesh), pose: *before, color });
                }
            }
        }
        if !is_put_free {
            drawing.tints.extend(colliding.into_iter().map(|index| (index, palette::COLLIDING)));
        }
        shown.iter().enumerate().for_each(|(body, pose)| self.drawn.state.set_pose(body, pose));
        self.drawn.drawing = drawing;
    }

    /// Whether a drawn body has moved so far that it can be seen.
    fn is_noticed(&self, index: usize, now: &Isometry3<f64>, before: &Isometry3<f64>) -> bool {
        let Some(mesh) = &self.drawn.meshes[index] else { return false };
        let (middle, reach) = (mesh.aabb().center(), 0.5 * mesh.aabb().extents().norm());
        let far = (now * middle - before * middle).norm() + reach * now.rotation.angle_to(&before.rotation);
        far > NOTICED * self.sketch.ensemble().arrangement().size()
    }

    /// Where the drawn bodies are in a posture.
    fn poses(&self, posture: &Posture) -> Vec<Isometry3<f64>> {
        let mut poses: Vec<_> = self.drawn.state.poses().collect();
        // Postures are of this sketch.
        for place in self.sketch.places(posture).unwrap_or_default() {
            if let Some(index) = self.cast.index_of_own(&place.name) {
                poses[index] = place.pose;
            }
        }
        poses
    }
}
