//! A step of the soft bodies.
