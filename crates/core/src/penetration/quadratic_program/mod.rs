//! Small quadratic programs: the point nearest to a given one among those that satisfy linear inequalities.
//!
//! | file             | unknowns                  | rows           | method                                                  |
//! |------------------|---------------------------|----------------|---------------------------------------------------------|
//! | [`in_projection`] | 3, a translation          | tens           | dual active set [Goldfarb & Idnani 1983], 3 × 3 inverse |
//! | [`min_norm_projection`] | any number, hard or soft  | tens           | the same, on an orthogonal basis of the active rows     |
//! | [`min_motion`] | 3 for each of many bodies | sparse, many   | projected Gauss–Seidel as conjugate gradients, then a primal–dual active set |
//! | [`shortest_in_norm`] | 3, a translation in L1 or L∞ | tens | [`min_norm_projection`] of one more unknown |
//!
//! They remain separate, since their results differ in the last bits: [`in_projection`] solves the normal equations of at most three
//! planes without allocation, in the innermost loop of translational penetration; [`min_norm_projection`] updates a factorisation,
//! which remains accurate where many rows are nearly dependent; [`min_motion`] never forms a dense matrix, and
//! passes the few programs that it does not solve to [`min_norm_projection`]. The portals of
//! [`incremental`](super::convex::incremental) are not such a solver: there the rows are found while the program is solved.

pub mod in_projection;
pub(crate) mod min_motion;
pub(crate) mod min_norm_projection;
pub(crate) mod shortest_in_norm;
