//! Drawing of the selection and of the pulling spring.

use nalgebra::{Isometry3, Point3};

use super::Session;
use crate::overlay::boxes::edges;
use crate::{Drawing, Line, Point, palette};
use extricate_dynamics::AnyBody;

impl Session {
    /// Bounding box of the selection, and the pulling spring.
    pub(super) fn marks(&self) -> Drawing {
        let mut drawing = Drawing::default();
        if let Some(body) = self.display.subject {
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

    /// Edges of the bounding box of a body; that of a rigid body is aligned with its own frame.
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
        let line = |ends: [Point3<f64>; 2]| Line {
            ends: ends.map(|corner| pose * corner),
            color: palette::INK.with_alpha(0.6),
            width: 1.0,
            on_top: false,
        };
        edges(&bounds).map(line).into()
    }
}
