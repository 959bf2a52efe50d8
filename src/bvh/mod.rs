//! Bounding volume hierarchies over triangles: build, refit, one tree, two trees in tandem.
