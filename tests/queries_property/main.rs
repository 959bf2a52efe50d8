//! Promises of every geometric query, on random solids and on hostile ones.
//!
//! ```text
//! cargo test --release --test queries_property
//! PROPTEST_CASES=20000 PROPTEST_RNG_SEED=7 cargo test --release --test queries_property
//! ```
//!
//! Without these variables the cases are few and always the same. A failing case is shrunk to the simplest pair that fails.

mod apart;
mod boxes;
mod growth;
mod hostile;
mod moving;
mod norms;
mod norms_apart;
mod norms_of_meshes;
mod overlapping;
mod restricted;
mod solids;
