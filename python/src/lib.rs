//! Extension module `extricate._native` of the Python package `extricate`: the façade of the crate `extricate`, for arrays.
//!
//! Arguments are checked here (`arrays`); long calls and batches run in pools of threads that belong to this process (`pool`)
//! without the interpreter's lock; results are frozen dataclasses that the Python package defines (`results`), and failures
//! are its exceptions (`errors`).

mod arrays;
mod errors;
mod field;
mod pictures;
mod pool;
mod queries;
mod results;
mod robot;
mod run;
mod separate;
mod shape;
mod workcell;
mod world;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line; `arguments` begin with the name of the program. Returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    errors::guarded(py, || py.detach(|| extricate::cli::main_with(arguments)))
}

/// Queries, robots, work cells and worlds.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::field::PyDistanceField;
    #[pymodule_export]
    use super::main;
    #[pymodule_export]
    use super::pictures::_raster;
    #[pymodule_export]
    use super::queries::{
        _panic, collide, distance, growth_distance, hausdorff, local_penetrations, penetration,
        penetration_batch, penetration_rigid, time_of_contact,
    };
    #[pymodule_export]
    use super::robot::PyRobot;
    #[pymodule_export]
    use super::run::{PyRun, open_run, run};
    #[pymodule_export]
    use super::separate::separate;
    #[pymodule_export]
    use super::shape::{PyMesh, PyShape};
    #[pymodule_export]
    use super::workcell::PyWorkcell;
    #[pymodule_export]
    use super::world::PyWorld;

    /// Version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
