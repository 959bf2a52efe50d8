//! Robots, and the bodies that they touch, solved in generalized coordinates.
//!
//! rapier finds the pairs and its own step moves all bodies; then the bodies of each *island* that holds a robot, that is
//! robots and the free bodies connected with them by contacts, are put back to the start of the step and solved here:
//!
//! 1. Each tree (a robot, or a free body as a tree of one link) moves freely over the step, by the implicit midpoint rule
//!    in its coordinates ([`motion`]): second order, time-symmetric, so that swinging chains and spinning tops keep their energy.
//!    Where gravity alone acts on a robot on a fixed base, its velocities are then scaled to the energy at the start, and the iteration starts at the accelerations of the step before.
//!    The force within each joint is taken as late in the step as its spring and damper are stiff, up to the end (backward Euler). Where rows act,
//!    the displacement of such a joint follows from the velocity at the end that they had in the last step, so that nothing that rests moves.
//! 2. The response of a tree to impulses at its *ports*, the links and joints with rows, is a dense matrix of the size
//!    of the ports, by solves in the factorised tree ([`ports`]): the Delassus operator in blocks, one for each tree.
//!    Joints that mimic others and closed loops are eliminated from it exactly ([`held`]); the free motion has the forces of the
//!    couplings ([`coupled`]) and those that close the loops ([`crate::robot::closed_rows`]).
//! 3. Contacts with exact Coulomb cones ([`contact`]) and limits of joints ([`limit`]) are solved by Gauss–Seidel sweeps with momentum
//!    ([`sweeps`]) in coordinates in which the response is the identity ([`coordinates`]), twice: for the displacement of the step, which closes gaps and recovers overlaps, and for the velocity at
//!    its end, which has no speed of recovery. Both start from the impulses of the step before, by features ([`rows`]). Where links rotate far in the
//!    step, or the rows would change the kinetic energy by more than their work, the second solve is that of the configuration at its end.
//! 4. Where bodies with restitution collide, the impacts come between the two ([`impact`]), from the velocities at the moment of touch.
//! 5. Bounds of motors and of friction are an active set: all of this is repeated where the motion found shows that a bound is left or reached.
//! 6. Islands with deep overlaps that are recovered gain no energy beyond the work of the forces within joints ([`bound`]).
//!
//! Soft bodies are solved before, with the free motion and the response of the robots near them ([`ahead`]). Worlds with joints between bodies
//! leave their robots to rapier's multibodies.

mod acceleration;
pub(crate) mod ahead;
mod bound;
mod cholesky;
mod closed_motion;
mod contact;
mod coordinates;
mod coupled;
mod free_body;
mod held;
mod impact;
mod islands;
mod limit;
pub(crate) mod memory;
mod midpoint;
mod motion;
mod port_motion;
mod ports;
mod proximal;
mod rows;
pub(crate) mod solver;
mod sweeps;
#[cfg(test)]
mod tests;

pub(crate) use solver::MultibodySolver;
