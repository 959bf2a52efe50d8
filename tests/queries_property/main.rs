//! What every geometric query promises, on random solids and on hostile ones.
//!
//! ```text
//! cargo test --release --test queries_property
//! PROPTEST_CASES=20000 PROPTEST_RNG_SEED=7 cargo test --release --test queries_property
//! ```
//!
//! Without these variables the cases are few and always the same. What fails is shrunk to the simplest pair that does.

mod apart;
mod hostile;
mod moving;
mod overlapping;
mod solids;
