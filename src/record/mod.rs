//! What a run leaves behind: states, a summary, timings and the hashes that make runs comparable.
