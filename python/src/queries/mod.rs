//! Queries about two shapes.

mod common;
mod depth;
mod growth;
mod proximity;

use std::sync::Arc;

use pyo3::prelude::*;

use crate::errors::{Failure, bad, guarded};
use crate::pool::{BatchOptions, batch, interruptible};

pub(crate) use common::{at_least_zero, effort};
pub(crate) use depth::{local_penetrations, penetration, penetration_batch, penetration_rigid};
pub(crate) use growth::growth_distance;
pub(crate) use proximity::{collide, distance, hausdorff, time_of_contact};

/// Panics on purpose, here, in a pool or in a batch, by which tests check that a panic arrives as an exception.
#[pyfunction]
#[pyo3(signature = (place="here"))]
pub(crate) fn _panic(py: Python<'_>, place: &str) -> PyResult<()> {
    #[expect(
        clippy::panic,
        reason = "a panic on purpose, by which callers test that it arrives as an exception"
    )]
    fn fall() -> Result<(), Failure> {
        panic!("a panic on purpose")
    }
    match place {
        "here" => guarded(py, fall)?.map_err(|failure| failure.raised(py)),
        "pool" => interruptible(py, |_| fall()),
        _ => {
            let options = BatchOptions { threads: 0, progress: None };
            let found = batch(py, 3, &options, |index| if index == 1 { fall() } else { Ok(()) })?;
            let errors: Arc<[String]> = found.into_iter().filter_map(Result::err).collect();
            Err(bad(errors.join("; ")))
        }
    }
}
