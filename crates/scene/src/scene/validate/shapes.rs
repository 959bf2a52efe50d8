//! Shapes: names, lengths, scales. Checks that need the mesh itself are done when it is loaded.

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
        match shape {
            ShapeEntry::Hull { of } => self.hull(&[path, &[Field("of")]].concat(), of),
            ShapeEntry::Rounded { core, radius } => {
                let quantity = "the radius of rounding [m]";
                self.range(&[path, &[Field("radius")]].concat(), quantity, *radius, POSITIVE);
                self.core_of_rounded(&[path, &[Field("core")]].concat(), core);
            }
            plain => self.lengths(path, plain),
        }
    }

    /// Checks the source of a hull: a mesh, solid or not.
    fn hull(&mut self, path: &[Step], of: &ShapeEntry) {
        match of {
            ShapeEntry::Mesh { solidity, .. } | ShapeEntry::Procedural { solidity, .. } => {
                if solidity.is_some() {
                    let message = "`solidity` is not allowed here: a hull is always solid";
                    self.contradiction(&[path, &[Field("solidity")]].concat(), message);
                }
                self.lengths(path, of);
            }
            _ => self.contradiction(path, "only a `mesh` or `procedural` has a hull"),
        }
    }

    /// Checks the source of a tetrahedralization: a closed mesh.
    pub(super) fn tetrahedralized(&mut self, path: &[Step], of: &ShapeEntry) {
        match of {
            ShapeEntry::Mesh { solidity, .. } | ShapeEntry::Procedural { solidity, .. } => {
                if solidity.is_some() {
                    let message =
                        "`solidity` is not allowed here: a mesh must be closed to be tetrahedralized";
                    self.contradiction(&[path, &[Field("solidity")]].concat(), message);
                }
                self.lengths(path, of);
            }
            _ => self.contradiction(path, "only a `mesh` or `procedural` can be tetrahedralized"),
        }
    }

    fn core_of_rounded(&mut self, path: &[Step], core: &ShapeEntry) {
        match core {
            ShapeEntry::Cuboid { .. }
            | ShapeEntry::Cylinder { .. }
            | ShapeEntry::Cone { .. }
            | ShapeEntry::Hull { .. } => self.shape(path, core),
            _ => self.contradiction(path, "only a `cuboid`, `cylinder`, `cone` or `hull` can be rounded"),
        }
    }

    fn lengths(&mut self, path: &[Step], shape: &ShapeEntry) {
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
            ShapeEntry::Hull { .. } | ShapeEntry::Rounded { .. } | ShapeEntry::HalfSpace => {}
        }
    }
}
