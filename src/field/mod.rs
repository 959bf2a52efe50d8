//! Distance fields on regular grids [Fisher01 §4].

pub mod embedding;
pub mod tetrahedralize;
