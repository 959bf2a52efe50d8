//! Generalized penetration: the least motion, turns included, that takes bodies apart [Tang14].

pub mod rigid;
