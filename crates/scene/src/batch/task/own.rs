//! Whether a mesh meets itself.

use super::{Bench, Head, Told};
use crate::batch::answers::self_collision::at_rest;
use crate::batch::answers::timed;
use crate::batch::fault::{Class, Fault};
use crate::batch::fields::Fields;
use crate::batch::item::ItemFault;
use crate::batch::shape::ShapeArgument;
use extricate_core::geometry::Solidity;

/// A mesh that may meet itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnTask {
    shape: String,
    all: bool,
    crossing: bool,
}

impl OwnTask {
    pub(super) fn take(fields: &mut Fields) -> Result<Self, ItemFault> {
        Ok(Self { shape: fields.need("a")?, all: fields.flag("all")?, crossing: fields.flag("crossing")? })
    }

    pub(super) fn answer(&self, bench: &Bench, head: Head) -> Result<Told, Fault> {
        let shape = ShapeArgument::parse_in(&self.shape, bench.folder)?;
        if !shape.has_triangles() {
            let why = "self-collision is that of triangles";
            return Err(Fault::new(Class::Usage, format!("`{}` has no triangles: {why}", shape.text())));
        }
        let model = bench.library.model(&shape, Some(Solidity::Surface))?;
        let (found, time) = timed(|| at_rest(&model, self.all, self.crossing));
        Ok(head.told(&found, time))
    }
}
