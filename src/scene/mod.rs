//! Scenes: the RON schema, validation, loading and instantiation.
