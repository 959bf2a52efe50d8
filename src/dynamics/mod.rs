//! Rigid dynamics: rapier integrates, contacts come from [`crate::penetration`] and [`crate::proximity`].
