//! Robots in URDF files.
