//! Shapes: names, lengths, scales. What needs the mesh itself is checked when it is loaded.

use super::super::locate::Step::{self, Field, Index, Key};
use super::super::schema::ShapeEntry;
use super::{Checker, POSITIVE};

impl Checker<'_> {
    pub(super) fn shapes(&mut self) {
        let shapes = &self.file().shapes.0;
        let names = shapes.iter().enumerate();
        self.names("shapes", names.map(|(i, (name, _))| (name.as_str(), vec![Field("shapes"), Key(i)])));
        for (index, (_, shape)) in shapes.iter().enumerate() {
            self.shape(&[Field("shapes"), Index(index)], shape);
        }
    }

    fn shape(&mut self, path: &[Step], shape: &ShapeEntry) {
        let mut length = |field: &'static str, quantity, value| {
            self.range(&[path, &[Field(field)]].concat(), quantity, value, POSITIVE);
        };
        match *shape {
            ShapeEntry::Mesh { scale, .. } | ShapeEntry::Procedural { scale, .. } => {
                length("scale", "the scale", scale);
            }
            ShapeEntry::Ball { radius } => length("radius", "the radius [m]", radius),
            ShapeEntry::Capsule { radius, length: straight } => {
                length("radius", "the radius [m]", radius);
                length("length", "the length [m]", straight);
            }
            ShapeEntry::Cylinder { radius, height } | ShapeEntry::Cone { radius, height } => {
                length("radius", "the radius [m]", radius);
                length("height", "the height [m]", height);
            }
            ShapeEntry::Cuboid { size: (x, y, z) } => {
                for (axis, value) in [x, y, z].into_iter().enumerate() {
                    let place = [path, &[Field("size"), Index(axis)]].concat();
                    self.range(&place, "the edge length [m]", value, POSITIVE);
                }
            }
            ShapeEntry::HalfSpace => {}
        }
    }
}
