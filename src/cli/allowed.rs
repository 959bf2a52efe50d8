//! Why two links of a robot may collide, as it is told.

use extricate_core::proximity::AllowedBecause;

/// The reason in a word, and how many configurations were sampled for it.
pub(super) fn because(reason: AllowedBecause) -> (&'static str, u32) {
    match reason {
        AllowedBecause::Adjacent => ("adjacent", 0),
        AllowedBecause::AlwaysColliding { configurations } => ("always_colliding", configurations),
        AllowedBecause::Given => ("given", 0),
    }
}

/// The same for people: `first` is the configuration that was looked at first, and `giver` what gives allowed pairs.
pub(super) fn why((because, configurations): (&str, u32), first: &str, giver: &str) -> String {
    match because {
        "always_colliding" => {
            format!("they collide at {first} and in all of {configurations} other configurations")
        }
        "given" => format!("{giver} says so"),
        other => other.to_owned(),
    }
}
