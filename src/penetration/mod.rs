//! Penetration depth: the least translation that separates two overlapping shapes.
