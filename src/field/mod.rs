//! Distance fields on regular grids [Fisher01 §4].
