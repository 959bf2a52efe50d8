//! `extricate query`: shapes at given poses, asked one question per pose; each kind of question has its file.

pub(super) mod broad_phase;
mod collide;
mod deforming;
mod distance;
mod generalized;
mod hausdorff;
mod lines;
mod pair;
mod penetration;
pub(super) mod poses;
pub(super) mod robot;
mod self_collision;
mod spanning;
mod time_of_contact;

use clap::Subcommand;

use super::console::Console;
use super::failure::Failure;
use super::interrupt::Interrupt;
use extricate_scene::batch::answers::coordinates;

pub(super) const EXAMPLES: &str = "\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query distance cup.obj spoon.obj --poses poses.jsonl --json
  extricate query penetration cup.obj spoon.obj

`extricate query KIND --help` tells the options of a kind, how shapes are written, and poses.";

/// How shapes are written.
const SHAPES: &str = "\
Shapes, sizes in metres:
  FILE              a mesh file (.obj .stl .ply .off .gltf .glb); a closed mesh is solid
  hull:FILE         the convex hull of its vertices
  sphere:R          around the origin, like all that follow
  box:X,Y,Z         full sizes
  capsule:R,LENGTH  along z, the length without the caps
  cylinder:R,H      along z
  cone:R,H          along z, the apex up, the origin at half height
  halfspace         all that has z of zero or below
  rounded:R:SHAPE   all points at most R from a shape that is no mesh file

Two convex shapes are answered exactly, with a lower bound of the depth. A mesh file is asked about together with another
one, a box or a hull. What names triangles, and `--surface`, take the triangles of meshes, boxes and hulls.";

/// How poses are written.
const POSES: &str = "\
A pose line: {\"a\": {\"translation\": [x,y,z], \"rotation\": [w,x,y,z]}, \"b\": {...}}; a rotation of nine numbers is a
matrix, rows first; what is missing is the identity; further keys are ignored. Points, directions and translations are
in the world frame; the time of an answer is that of the query alone. Exit code 5 tells that a query failed.";

/// What to ask.
#[derive(Debug, Subcommand)]
pub(super) enum Question {
    /// Do two shapes collide? Touching counts.
    Collide(collide::Arguments),
    /// How far are two shapes apart? Zero where they collide.
    Distance(distance::Arguments),
    /// How far do two surfaces deviate from one another, at most?
    Hausdorff(hausdorff::Arguments),
    /// How far are two shapes apart where they are farthest?
    Spanning(spanning::Arguments),
    /// When do two moving shapes first touch?
    TimeOfContact(time_of_contact::Arguments),
    /// Does a mesh meet itself?
    SelfCollision(self_collision::Arguments),
    /// How far must A move to be free of B?
    Penetration(penetration::Arguments),
    /// How far must A move, turns allowed, to be free of B?
    Generalized(generalized::Arguments),
    /// Which of many moving boxes overlap?
    BroadPhase(broad_phase::Arguments),
}

/// Answers the question for every pose, in their order.
pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    question: &Question,
) -> Result<(), Failure> {
    match question {
        Question::Collide(arguments) => collide::execute(console, interrupt, arguments),
        Question::Distance(arguments) => distance::execute(console, interrupt, arguments),
        Question::Hausdorff(arguments) => hausdorff::execute(console, interrupt, arguments),
        Question::Spanning(arguments) => spanning::execute(console, interrupt, arguments),
        Question::BroadPhase(arguments) => broad_phase::execute(console, interrupt, arguments),
        Question::TimeOfContact(arguments) => time_of_contact::execute(console, interrupt, arguments),
        Question::SelfCollision(arguments) => self_collision::execute(console, interrupt, arguments),
        Question::Generalized(arguments) => generalized::execute(console, interrupt, arguments),
        Question::Penetration(arguments) => penetration::execute(console, interrupt, arguments),
    }
}
