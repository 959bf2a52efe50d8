//! Drawing of a sketch: poses, tints of colliding and repaired bodies, and ghosts of previous poses.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use nalgebra::Isometry3;

use super::SketchMode;
use crate::{Color, Drawing, Ghost, palette};
use extricate_scene::repair::Posture;

/// Opacity of ghosts.
const GHOST: f32 = 0.45;
/// Weight of the own colour in the tint of repaired bodies, and of bodies that neither collide nor have moved.
const MOVED_TINT: f32 = 0.35;
const NEUTRAL_TINT: f32 = 0.25;
/// Displacement over the maximum radius of a link from which a moved body leaves a ghost: surfaces of a nearer ghost
/// would flicker with those of the body.
const MIN_MOTION: f64 = 0.01;

impl SketchMode {
    /// Updates the drawing if something has changed.
    pub(super) fn redraw(&mut self) {
        let revision = self.sketch.revision();
        let followed = if self.following { self.followed.as_ref().map_or(0, |(of, _)| of + 1) } else { 0 };
        let repaired = self.repaired.as_ref().map_or(0, |(of, _)| of + 1);
        let key = Some([revision, followed, repaired]);
        if self.view.key == key {
            return;
        }
        self.view.key = key;
        let colliding = match self.sketch.colliding() {
            Ok(found) => found.iter().flat_map(|pair| pair.names.clone()).collect(),
            Err(error) => {
                self.report(Err(error));
                BTreeSet::new()
            }
        };
        let names = colliding;
        let colliding: BTreeSet<usize> =
            names.iter().filter_map(|name: &String| self.body_map.index(name)).collect();
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
        let soft_tints = self.soft_tints(&shown, before.as_ref(), &names);
        self.place_soft(&shown);
        let shown = self.poses(&shown);
        let neutral = |color: &Color| palette::FIXED.mixed(*color, NEUTRAL_TINT);
        let tints = self.view.colors.iter().map(neutral).enumerate().collect();
        let mut drawing = Drawing { tints, soft_tints, ..Drawing::default() };
        if let Some(before) = before {
            let before = self.poses(&before);
            for (index, (now, before)) in shown.iter().zip(&before).enumerate() {
                if !self.is_noticed(index, now, before) {
                    continue;
                }
                drawing.tints.insert(index, palette::FREE.mixed(self.view.colors[index], MOVED_TINT));
                if let Some(mesh) = &self.view.meshes[index] {
                    let color = palette::COLLIDING.with_alpha(GHOST);
                    drawing.ghosts.push(Ghost { mesh: Arc::clone(mesh), pose: *before, color });
                }
            }
        }
        if !is_put_free {
            drawing.tints.extend(colliding.into_iter().map(|index| (index, palette::COLLIDING)));
        }
        shown.iter().enumerate().for_each(|(body, pose)| self.view.state.set_pose(body, pose));
        self.view.drawing = drawing;
    }

    /// Places the nodes of soft bodies, which move rigidly, as in a posture.
    fn place_soft(&mut self, posture: &Posture) {
        for place in self.sketch.soft_motions(posture) {
            let Some(index) = self.body_map.soft_index(&place.name) else { continue };
            let before = &self.view.nodes[index];
            self.view.state.soft[index].nodes = before.iter().map(|node| place.pose * node).collect();
        }
    }

    /// Tints of soft bodies: of those that collide, or that have moved visibly from the posture before.
    fn soft_tints(
        &self,
        shown: &Posture,
        before: Option<&Posture>,
        colliding: &BTreeSet<String>,
    ) -> HashMap<usize, Color> {
        let mut tints = HashMap::new();
        let motions = self.sketch.soft_motions(shown);
        for (at, now) in motions.iter().enumerate() {
            let Some(index) = self.body_map.soft_index(&now.name) else { continue };
            match before {
                None if colliding.contains(&now.name) => drop(tints.insert(index, palette::COLLIDING)),
                None => {}
                Some(before) => {
                    let before = &self.sketch.soft_motions(before)[at];
                    let far = self.view.nodes[index]
                        .iter()
                        .map(|node| (now.pose * node - before.pose * node).norm())
                        .fold(0.0, f64::max);
                    if far > MIN_MOTION * self.sketch.ensemble().collision_world().size() {
                        tints.insert(index, palette::FREE);
                    }
                }
            }
        }
        tints
    }

    /// Whether a drawn body has moved visibly.
    fn is_noticed(&self, index: usize, now: &Isometry3<f64>, before: &Isometry3<f64>) -> bool {
        let Some(mesh) = &self.view.meshes[index] else { return false };
        let (middle, radius) = (mesh.aabb().center(), 0.5 * mesh.aabb().extents().norm());
        // An upper bound of the displacement of any vertex.
        let far = (now * middle - before * middle).norm() + radius * now.rotation.angle_to(&before.rotation);
        far > MIN_MOTION * self.sketch.ensemble().collision_world().size()
    }

    /// Poses of the drawn bodies in a posture.
    fn poses(&self, posture: &Posture) -> Vec<Isometry3<f64>> {
        let mut poses: Vec<_> = self.view.state.poses().collect();
        // Cannot fail: the posture is one of this sketch.
        for place in self.sketch.named_poses(posture).unwrap_or_default() {
            if let Some(index) = self.body_map.index_of_own(&place.name) {
                poses[index] = place.pose;
            }
        }
        poses
    }
}
