//! Reasons for which two links of a robot may collide, as they are printed.

use extricate_core::proximity::AllowedReason;

/// The reason in a word, and the number of configurations sampled for it.
#[must_use]
pub fn reason(reason: AllowedReason) -> (&'static str, u32) {
    match reason {
        AllowedReason::Adjacent => ("adjacent", 0),
        AllowedReason::AlwaysColliding { configurations } => ("always_colliding", configurations),
        AllowedReason::Given => ("given", 0),
    }
}

/// The reason as text: `first` is the configuration tested first, and `giver` the source of given pairs.
#[must_use]
pub fn explanation((because, configurations): (&str, u32), first: &str, giver: &str) -> String {
    match because {
        "always_colliding" => {
            format!("colliding at {first} and in all of {configurations} other configurations")
        }
        "given" => format!("allowed by {giver}"),
        other => other.to_owned(),
    }
}
