//! Distances, penetration depths and repairs of poses for shapes that are neither convex nor decomposed, and physics on top.
//!
//! Two shapes overlap: how deep, in which direction, and where do they go so that they no longer do? *Extricate* answers for
//! triangle meshes as they are (concave, open or a soup of triangles), for convex shapes, for half-spaces and for robots, with
//! bounds that are proved and with translations that are verified before they are returned. Rigid, articulated and soft bodies
//! that are simulated with these answers keep apart where convex decompositions interlock.
//!
//! # A first query
//!
//! ```
//! use extricate::nalgebra::{Isometry3, Vector3};
//! use extricate::{Posed, Shape, query};
//!
//! # std::env::set_current_dir(env!("CARGO_MANIFEST_DIR"))?;
//! let cup = Shape::load("assets/meshes/cup.obj")?;
//! let ball = Shape::ball(0.02);
//! let in_cup = Posed::new(&cup, Isometry3::identity());
//! let at_rim = Posed::new(&ball, Isometry3::translation(0.04, 0.0, 0.05));
//!
//! match query::penetration(&at_rim, &in_cup, &Default::default())? {
//!     Some(found) => println!("the ball is {} m deep, out along {}", found.depth, found.direction.into_inner()),
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
//! | ask about two shapes, or about a robot and a shape | [`query`], with [`Shape`], [`Posed`] and [`Robot`] |
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
//! | feature | has |
//! |---|---|
//! | none | shapes, robots, queries, distance fields, planning |
//! | `simulation` | `World`, `Scene`, `Workcell`, batches, recordings; glTF, VTK and SVG files |
//! | `cli` (default) | the program, and the module `cli` that it is made of |
//! | `viewer` | the window, and pictures |
//!
//! # Layers
//!
//! Each layer names only those before it: [`geometry`], [`kinematics`], [`bvh`], [`proximity`], [`penetration`], [`field`],
//! [`mod@plan`], [`query`], `dynamics`, `scene`, `repair`, `record`, `batch`, `viewer`, `cli`.

#[cfg(feature = "cli")]
pub mod cli;

pub use extricate_core::geometry::{TetMesh, TriangleMesh as Mesh};
pub use extricate_core::query::{self, Posed, Robot, Shape};
pub use extricate_core::{bvh, field, geometry, kinematics, penetration, plan, proximity};
#[cfg(feature = "simulation")]
pub use extricate_dynamics::{self as dynamics, World};
#[cfg(feature = "simulation")]
pub use extricate_scene::{batch, record, repair, repair::Workcell, scene, scene::Scene};
#[cfg(feature = "viewer")]
pub use extricate_viewer as viewer;
pub use nalgebra;

/// The programs of the front page and of the book are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct FrontPage;

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
