//! Distances, penetration depths and pose repair for shapes that are neither convex nor decomposed, and dynamics based on them.
//!
//! Two shapes overlap: how deep, in which direction, and which motion separates them? *Extricate* answers for triangle meshes
//! as they are (concave, open or a soup of triangles), for convex shapes, for half-spaces and for robots, with proved bounds
//! and with translations that are verified before they are returned. Rigid, articulated and soft bodies that are simulated
//! with these answers stay separated where convex decompositions interlock.
//!
//! # A first query
//!
//! ```
//! use extricate::nalgebra::{Isometry3, Vector3};
//! use extricate::{Posed, Shape, query};
//!
//! # std::env::set_current_dir(env!("CARGO_MANIFEST_DIR"))?;
//! let cup = Shape::load("assets/meshes/cup.obj")?;
//! let ball = Shape::ball(0.1);
//! let in_cup = Posed::new(&cup, Isometry3::identity());
//! let at_rim = Posed::new(&ball, Isometry3::translation(0.46, 0.0, 0.6));
//!
//! match query::penetration(&at_rim, &in_cup, &Default::default())? {
//!     Some(found) => println!("the ball is {:.6} m deep, out along {:.3?}", found.depth, found.direction.as_slice()),
//!     None => println!("proved apart by {} m", query::distance(&at_rim, &in_cup, &Default::default())?.value),
//! }
//!
//! let table = Shape::cuboid(Vector3::new(1.0, 1.0, 0.05));
//! assert!(!query::collide(&Posed::at_origin(&table), &at_rim, &Default::default())?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | query two shapes, or a robot and a shape | [`query`], with [`Shape`], [`Posed`] and [`Robot`] |
//! | keep a robot clear of obstacles, repair and plan its motion | `Workcell` |
//! | simulate | `Scene` (files) and `World` (by hand) |
//! | work with meshes | [`Mesh`], [`TetMesh`], [`geometry`] |
//!
//! # Conventions
//!
//! SI units; right-handed frames; column vectors; poses are active and map body coordinates to world coordinates.
//! The direction of a penetration is the direction in which body **A** must move. Quaternions are written
//! `w, x, y, z` in every file format. Gravity belongs to the scene.
//!
//! Penetrations and times of contact have three outcomes in three shapes: `Ok(Some(answer))`, `Ok(None)` for a *proved*
//! absence, and `Err` for a failure, which is never reported as an absence. All vectors and matrices are those of
//! [`nalgebra`], which is re-exported.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | none | shapes, robots, queries, distance fields, planning |
//! | `simulation` | `World`, `Scene`, `Workcell`, batches, recordings; glTF, VTK and SVG files |
//! | `cli` (default) | the program `extricate`, and its module `cli` |
//! | `viewer` | the window, and pictures |
//!
//! # Layers
//!
//! Each layer depends only on those before it: [`geometry`], [`kinematics`], [`multibody`], [`bvh`], [`proximity`], [`penetration`], [`field`],
//! [`mod@plan`], [`query`], `dynamics`, `scene`, `repair`, `record`, `batch`, `viewer`, `cli`.

#[cfg(feature = "cli")]
pub mod cli;

pub use extricate_core::geometry::{TetMesh, TriangleMesh as Mesh};
pub use extricate_core::query::{self, Posed, Robot, Shape};
pub use extricate_core::{bvh, field, geometry, kinematics, multibody, penetration, plan, proximity};
#[cfg(feature = "simulation")]
pub use extricate_dynamics::{self as dynamics, World};
#[cfg(feature = "simulation")]
pub use extricate_scene::{batch, record, repair, repair::Workcell, request, scene, scene::Scene};
#[cfg(feature = "cli")]
pub use extricate_serve as serve;
#[cfg(feature = "viewer")]
pub use extricate_viewer as viewer;
pub use nalgebra;

/// Compiles and runs the programs of the front page and of the book.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct FrontPage;

#[cfg(doctest)]
#[doc = include_str!("../docs/first-hour.md")]
pub struct FirstHour;

#[cfg(doctest)]
#[doc = include_str!("../docs/tutorials/first-query.md")]
pub struct FirstQuery;

#[cfg(all(doctest, feature = "simulation"))]
#[doc = include_str!("../docs/tutorials/first-repair.md")]
pub struct FirstRepair;

#[cfg(doctest)]
#[doc = include_str!("../docs/tutorials/first-robot.md")]
pub struct FirstRobot;

#[cfg(all(doctest, feature = "simulation"))]
#[doc = include_str!("../docs/library.md")]
pub struct Library;
