//! Signed distance of convex shapes against ground truth and brute force, and the promises that hold for every answer.

mod brute_force;
#[path = "../../experiments/convex_fuzz/checks.rs"]
#[allow(dead_code, reason = "shared with the fuzz")]
mod checks;
mod degenerate;
#[path = "../../experiments/convex_ground_truth/forms.rs"]
#[allow(dead_code, reason = "shared with the fuzz and the benchmark")]
mod forms;
mod ground_truth;
mod kinds;
mod motions;
mod polytopes;
mod promises;
#[path = "../../experiments/convex_ground_truth/random.rs"]
#[allow(dead_code, reason = "shared with the fuzz and the benchmark")]
mod random;
mod relations;
mod strategies;
