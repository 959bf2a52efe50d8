//! Small quadratic programs: the point nearest to a given one among those that satisfy linear inequalities.
//!
//! | file             | unknowns                  | rows           | method                                                  |
//! |------------------|---------------------------|----------------|---------------------------------------------------------|
//! | [`in_projection`] | 3, a translation          | tens           | dual active set [Goldfarb & Idnani 1983], 3 × 3 inverse |
//! | [`least_change`] | any number, hard or soft  | tens           | the same, on an orthogonal basis of the active rows     |
//! | [`least_motion`] | 3 for each of many bodies | sparse, many   | projected Gauss–Seidel as conjugate gradients, then a primal–dual active set |
//!
//! They stay three, since their answers differ in the last bits: [`in_projection`] solves the normal equations of at most three
//! planes without allocation, in the innermost loop of translational penetration; [`least_change`] updates a factorisation,
//! which keeps its precision where many rows nearly depend on each other; [`least_motion`] never forms a dense matrix, and
//! hands the few programs that it does not solve to [`least_change`]. The portals of
//! [`incremental`](super::convex::incremental) are no such solver: there the rows are found while the program is solved.

pub mod in_projection;
pub(crate) mod least_change;
pub(crate) mod least_motion;
