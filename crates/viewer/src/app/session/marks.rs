//! What is drawn of the hand and the selection.

use nalgebra::{Isometry3, Point3};

use super::Session;
use crate::{Drawing, Line, Point, palette};
use extricate_core::geometry::Aabb;
use extricate_dynamics::AnyBody;

impl Session {
    /// A box around what is selected, and the spring that pulls.
    pub(super) fn marks(&self) -> Drawing {
        let mut drawing = Drawing::default();
        if let Some(body) = self.wants.subject {
            drawing.lines = self.frame_of(body);
        }
        if let (Some([held, target]), None) = (self.snapshot.pull, &self.sketch) {
            let color = palette::INK;
            drawing.lines.push(Line { ends: [held, target], color, width: 2.0, on_top: true });
            drawing.points =
                vec![Point { at: held, color, size: 0.7 }, Point { at: target, color, size: 0.7 }];
        }
        drawing
    }

    /// The edges of a box around a body: of a rigid one in its own frame.
    fn frame_of(&self, body: AnyBody) -> Vec<Line> {
        let (bounds, pose) = match body {
            AnyBody::Soft(_) => (self.bounds(body), Isometry3::identity()),
            AnyBody::Rigid(index) => {
                let mesh = self.models.bodies.get(index).and_then(|body| body.mesh.as_ref());
                let Some((mesh, pose)) = mesh.zip(self.state().poses().nth(index)) else { return Vec::new() };
                (mesh.aabb(), pose)
            }
        };
        if !(bounds.extents().norm() > 0.0) {
            return Vec::new();
        }
        let corners = corners(&bounds).map(|corner| pose * corner);
        let edges = (0..8_usize).flat_map(|corner| [1, 2, 4].map(|axis| [corner, corner ^ axis]));
        let edges = edges.filter(|[from, to]| from < to);
        let line = |[from, to]: [usize; 2]| Line {
            ends: [corners[from], corners[to]],
            color: palette::INK.with_alpha(0.6),
            width: 1.0,
            on_top: false,
        };
        edges.map(line).collect()
    }
}

/// The corners of a box: bit k of the index tells on which side of axis k.
pub(super) fn corners(Aabb { min, max }: &Aabb) -> [Point3<f64>; 8] {
    std::array::from_fn(|corner| {
        let side = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
        Point3::new(side(0), side(1), side(2))
    })
}
