//! Results as the frozen dataclasses of `extricate._results`, and columns of batches.

use std::collections::BTreeMap;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

/// Classes of results, imported once.
macro_rules! classes {
    ($($function:ident = $name:literal),* $(,)?) => {
        $(
            #[doc = concat!("A `", $name, "`.")]
            pub(crate) fn $function<'py>(py: Python<'py>, values: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
                static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
                CLASS.import(py, "extricate._results", $name)?.call1(values)
            }
        )*
    };
}

classes! {
    distance = "Distance",
    distance_batch = "DistanceBatch",
    growth_distance = "GrowthDistance",
    growth_distance_batch = "GrowthDistanceBatch",
    penetration = "Penetration",
    penetration_batch = "PenetrationBatch",
    local_penetration = "LocalPenetration",
    local_penetration_batch = "LocalPenetrationBatch",
    rigid_penetration = "RigidPenetration",
    rigid_penetration_batch = "RigidPenetrationBatch",
    contact = "Contact",
    contact_batch = "ContactBatch",
    hausdorff = "Hausdorff",
    hausdorff_batch = "HausdorffBatch",
    separation = "Separation",
    separation_batch = "SeparationBatch",
    colliding_pair = "CollidingPair",
    repair_batch = "RepairBatch",
    path = "Path",
    world_contacts = "WorldContacts",
}

/// Status of an item: a result was found.
pub(crate) const FOUND: i8 = 1;
/// Status of an item: a proved absence.
pub(crate) const ABSENT: i8 = 0;
/// Status of an item: a failure, whose message is in the errors.
pub(crate) const FAILED: i8 = -1;

/// Status and errors of the items of a batch.
#[derive(Default)]
pub(crate) struct Outcomes {
    /// Status of each item.
    pub(crate) status: Vec<i8>,
    errors: BTreeMap<usize, String>,
}

impl Outcomes {
    /// Adds an item; returns what was found.
    pub(crate) fn add<T>(&mut self, item: Result<Option<T>, String>) -> Option<T> {
        let index = self.status.len();
        match item {
            Ok(found) => {
                self.status.push(if found.is_some() { FOUND } else { ABSENT });
                found
            }
            Err(why) => {
                self.status.push(FAILED);
                self.errors.insert(index, why);
                None
            }
        }
    }

    /// The errors, by index.
    pub(crate) fn errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let errors = PyDict::new(py);
        self.errors.iter().try_for_each(|(index, why)| errors.set_item(index, why))?;
        Ok(errors)
    }
}
