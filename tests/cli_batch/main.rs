//! `batch` and `merge`: the answers of the corresponding commands, whatever the threads, shards and kills.

#[path = "../cli_program/mod.rs"]
mod cli_program;

mod answers;
#[cfg(unix)]
mod deployments;
mod interruptions;
mod material;
mod shards;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
