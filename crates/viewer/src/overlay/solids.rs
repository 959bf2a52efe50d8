//! Query models of the bodies of a scene, and the pairs that are allowed to overlap.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::super::Models;
use super::shapes::SceneShapes;
use extricate_core::geometry::{Aabb, Solidity, TriangleMesh};
use extricate_core::proximity::{Model, collide};
use extricate_dynamics::{AnyBody, BodyKind};
use extricate_scene::record::WorldState;

/// Query models of the bodies of a scene.
pub(super) struct Solids {
    /// By body index; `None` for a half-space.
    models: Vec<Option<Arc<Model>>>,
    /// Whether a body is dynamic or kinematic, by body index.
    moves: Vec<bool>,
    /// Pairs of robot links that are allowed to overlap, the smaller index first.
    allowed: BTreeSet<[usize; 2]>,
}

impl Solids {
    pub(super) fn of(shapes: &SceneShapes, drawn: &Models) -> Self {
        let mut made: Vec<(*const TriangleMesh, Arc<Model>)> = Vec::new();
        let models = shapes.bodies.iter().zip(&drawn.bodies).map(|(body, drawn)| {
            if let Some(model) = body.shape.model() {
                return Some(Arc::clone(model));
            }
            let mesh = drawn.mesh.as_ref()?;
            if let Some((_, model)) = made.iter().find(|(known, _)| std::ptr::eq(*known, &raw const **mesh)) {
                return Some(Arc::clone(model));
            }
            let model = Arc::new(Model::new((**mesh).clone(), Solidity::Solid));
            made.push((&raw const **mesh, Arc::clone(&model)));
            Some(model)
        });
        let models = models.collect();
        Self {
            models,
            moves: shapes.bodies.iter().map(|body| body.kind != BodyKind::Fixed).collect(),
            allowed: shapes.allowed.iter().copied().collect(),
        }
    }

    /// Query model of a body; `None` for a half-space.
    pub(super) fn model(&self, body: usize) -> Option<&Arc<Model>> {
        self.models[body].as_ref()
    }

    /// Number of bodies.
    pub(super) fn len(&self) -> usize {
        self.models.len()
    }

    /// Overlapping pairs that are not allowed, or those of them with the subject. A movable body comes first, otherwise the
    /// smaller index.
    pub(super) fn overlapping(&self, state: &WorldState, subject: Option<AnyBody>) -> Vec<[usize; 2]> {
        let mut boxes: Vec<(usize, Aabb)> = self
            .models
            .iter()
            .enumerate()
            .filter_map(|(body, model)| Some((body, box_of(model.as_ref()?.mesh(), &state.pose(body)))))
            .collect();
        // Sweep along x: pairs are found among boxes whose x intervals overlap.
        boxes.sort_by(|(i, a), (j, b)| a.min.x.total_cmp(&b.min.x).then(i.cmp(j)));
        let mut pairs = Vec::new();
        for (place, (i, first)) in boxes.iter().enumerate() {
            let near = boxes[place + 1..].iter().take_while(|(_, second)| second.min.x <= first.max.x);
            for (j, second) in near {
                let meet = first.min <= second.max && second.min <= first.max;
                let pair = [*i.min(j), *i.max(j)];
                if meet && self.may_not_overlap(pair, subject) && self.collide(pair, state) {
                    pairs.push(pair);
                }
            }
        }
        pairs.sort_unstable();
        pairs.into_iter().map(|[a, b]| if self.moves[a] { [a, b] } else { [b, a] }).collect()
    }

    fn may_not_overlap(&self, pair: [usize; 2], subject: Option<AnyBody>) -> bool {
        let of_subject = match subject {
            Some(AnyBody::Rigid(body)) => pair.contains(&body),
            Some(AnyBody::Soft(_)) => false,
            None => true,
        };
        of_subject && pair.iter().any(|&body| self.moves[body]) && !self.allowed.contains(&pair)
    }

    fn collide(&self, [a, b]: [usize; 2], state: &WorldState) -> bool {
        let (Some(first), Some(second)) = (self.model(a), self.model(b)) else { return false };
        collide(first, &state.pose(a), second, &state.pose(b))
    }
}

/// World-aligned box around the rotated bounding box of a mesh [m, world].
pub(super) fn box_of(mesh: &TriangleMesh, pose: &Isometry3<f64>) -> Aabb {
    let own = mesh.aabb();
    let half_extents = pose.rotation.to_rotation_matrix().into_inner().abs() * (0.5 * own.extents());
    let center: Point3<f64> = pose * own.center();
    let half: Vector3<f64> = half_extents;
    Aabb { min: center - half, max: center + half }
}
