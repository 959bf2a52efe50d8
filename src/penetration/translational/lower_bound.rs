//! A lower bound of the penetration depth of solids.
