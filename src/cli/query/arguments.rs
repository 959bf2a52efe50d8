//! Arguments of `extricate query`: the fields of the requests, and files of poses.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::broad_phase;
use extricate_scene::request::robot::RobotFields;
use extricate_scene::request::{
    self, CollideRequest, DistanceRequest, GeneralizedRequest, HausdorffRequest, PairFields,
    PenetrationRequest, SelfCollisionRequest, TimeOfContactRequest,
};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query distance cup.obj spoon.obj --poses poses.jsonl --json
  extricate query penetration cup.obj spoon.obj

`extricate query KIND --help` tells the options of a kind, how shapes are written, and poses.";

/// Notation of shapes.
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

Two convex shapes are answered exactly, with a lower bound of the depth. Whether they collide, how far they are apart and
how deep they overlap is asked about any two shapes; other kinds, what names triangles, and `--surface` take the
triangles of meshes, boxes and hulls.";

/// Notation of poses.
const POSES: &str = "\
A pose line: {\"a\": {\"translation\": [x,y,z], \"rotation\": [w,x,y,z]}, \"b\": {...}}; a rotation of nine numbers is a
matrix, rows first; what is missing is the identity; further keys are ignored. Points, directions and translations are
in the world frame; the time of an answer is that of the query alone. Exit code 5 tells that a query failed.";

/// What to ask.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Question {
    /// Do two shapes collide? Touching counts.
    #[command(after_help = format!("\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query collide cup.obj spoon.obj --all --poses poses.jsonl --json
  extricate query collide cup.obj spoon.obj --segments --json
  extricate query collide hull:cup.obj sphere:0.1

Touching counts, and a solid inside another one collides. A segment is what two triangles share: the same point twice
where they only touch, and one side of the polygon that they share where they lie in one plane.

{SHAPES}

{POSES}"))]
    Collide(Pair<CollideRequest>),
    /// How far are two shapes apart? Zero where they collide.
    #[command(after_help = format!("\
Examples:
  extricate query distance cup.obj spoon.obj --closer-than 0.01
  extricate query distance cup.obj spoon.obj --tolerance 1% --json
  extricate query distance cup.obj spoon.obj --signed --poses poses.jsonl
  extricate query distance cylinder:0.2,0.5 sphere:0.1

The distance is zero where the shapes collide. It is proved to be at least `lower_bound`: with a tolerance the answer
may be farther than the closest points by so much, which saves looking at all that is about as close. With `--signed` it
is minus the penetration depth where the shapes overlap, and `lower_bound` and `upper_bound` tell what is proved. Along a
sequence of poses a query starts from where the last one ended.

{SHAPES}

{POSES}"))]
    Distance(Pair<DistanceRequest>),
    /// How far do two surfaces deviate from one another, at most?
    #[command(after_help = format!("\
Examples:
  extricate query hausdorff scan.obj simplified.obj
  extricate query hausdorff simplified.obj scan.obj --one-sided --tolerance 0.1%
  extricate query hausdorff cup.obj box:0.1,0.1,0.1 --json

The greatest distance of a point of one surface from the other surface; of solids it is that of their boundaries.
`value` is found, and the true one is at least `lower_bound` and at most `upper_bound`, both proved.

{SHAPES}

{POSES}"))]
    Hausdorff(Pair<HausdorffRequest>),
    /// How far are two shapes apart where they are farthest?
    #[command(after_help = format!("\
Examples:
  extricate query spanning cup.obj spoon.obj
  extricate query spanning cup.obj box:0.1,0.1,0.1 --poses poses.jsonl --json

The answer is exact, to rounding; it is attained at vertices.

{SHAPES}

{POSES}"))]
    Spanning(Pair<()>),
    /// When do two moving shapes first touch?
    #[command(after_help = format!("\
Examples:
  extricate query time-of-contact cup.obj spoon.obj --poses motions.jsonl
  extricate query time-of-contact cup.obj box:1,1,1 --poses motions.jsonl --motion screw --json
  extricate query time-of-contact cloth.obj table.obj --a-end cloth_after.obj
  extricate query time-of-contact arm.urdf shelf.obj --poses motions.jsonl --self-collision

A line of a motion: {{\"a\": POSE, \"a_end\": POSE, \"b\": POSE, \"b_end\": POSE}}, each POSE as {{\"translation\": [x,y,z],
\"rotation\": [w,x,y,z]}}; a body without an end rests, what is missing is the identity. Times are in [0, 1]. No contact is a
proof; up to the time that is told the motion is proved free, and then the gap is within the tolerance. A start in
contact gives time 0, for rigid solids also one inside the other. With `--a-end` or `--b-end` the vertices move on straight lines, and
what is told are the features that touch first; adjacent ones of a mesh never do. A may be a robot, a .urdf file: its root
is at `a`, and a line holds \"joints\" and \"joints_end\" as {{\"name\": value}} in rad and m; joints that are not named are at
zero, and without \"joints_end\" they rest.

{SHAPES}"))]
    TimeOfContact(Pair<Motion>),
    /// Does a mesh meet itself?
    SelfCollision(SelfCollision),
    /// How far must A move to be free of B?
    #[command(after_help = format!("\
Examples:
  extricate query penetration cup.obj box:0.1,0.1,0.1 --effort fast
  extricate query penetration hull:cup.obj capsule:0.1,0.5 --json
  extricate query penetration cup.obj spoon.obj --start coherence --poses motion.jsonl --json

{SHAPES}

{POSES}"))]
    Penetration(Pair<PenetrationRequest>),
    /// How far must A move, turns allowed, to be free of B?
    #[command(after_help = format!("\
Examples:
  extricate query generalized spoon.obj box:0.1,0.1,0.1
  extricate query generalized cup.obj spoon.obj --poses motion.jsonl --coherent --effort fast --json

The answer is the nearest pose of A that was found at which it is free of B. Near is measured by the object norm: `sigma` is
the mean squared displacement of the points of A [m²], `depth` its square root [m].

{SHAPES}

{POSES}"))]
    Generalized(Pair<GeneralizedRequest>),
    /// Which of many moving boxes overlap?
    BroadPhase(broad_phase::Arguments),
}

/// A question of the command line, and where it is asked.
pub(super) struct Asked {
    pub(super) question: request::Question,
    /// File of poses, if there is one.
    pub(super) poses: Option<PathBuf>,
    /// Folder of what is kept between calls, if there is one.
    pub(super) cache: Option<PathBuf>,
    /// Word for the lines of the file.
    pub(super) what: &'static str,
}

/// Two shapes and their poses, and the fields of a request about them.
#[derive(Debug, Args)]
pub(in crate::cli) struct Pair<R: Args> {
    /// The first shape.
    a: String,
    /// The second shape.
    b: String,
    /// File of poses, one query a line [default: both shapes where they are].
    #[arg(long, value_name = "FILE.jsonl")]
    poses: Option<PathBuf>,
    /// Folder in which what meshes are made ready with is kept from one call to the next: trees of large ones, and their
    /// maximally clear places where a penetration needs them.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Take meshes as solids; an open mesh is an error then.
    #[arg(long, conflicts_with = "surface")]
    solid: bool,
    /// Take meshes as surfaces without an inside.
    #[arg(long)]
    surface: bool,
    #[command(flatten)]
    request: R,
}

/// Fields of a request about two shapes, or a robot and a shape, that move.
#[derive(Debug, Args)]
pub(in crate::cli) struct Motion {
    #[command(flatten)]
    request: TimeOfContactRequest,
    #[command(flatten, next_help_heading = "Options of robots")]
    robot: RobotFields,
}

/// Arguments of `query self-collision`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  extricate query self-collision scan.obj
  extricate query self-collision scan.obj --all --json
  extricate query self-collision cloth.obj --end cloth_after.obj
  extricate query self-collision arm.urdf --poses joints.jsonl --allow hand,forearm

Neighbours share a corner or an edge, and that is no collision; corners are shared where they lie at one place. Triangles
that have another point in common collide, and so do two on the same corners. With `--end` the vertices move on straight
lines; what is told are the features that touch first, and none is a proof that the motion is free. Features that share a
vertex, by index, never touch then.

Of a robot, a .urdf file, the links are told that meet. A link may touch the link that carries it, and what `--allow` names.
A line of `--poses` holds \"joints\" as {\"name\": value} in rad and m, joints that are not named being at zero, and \"a\", the
pose of its root. With \"joints_end\" the joints move there, and the first contact on the way is told.")]
pub(in crate::cli) struct SelfCollision {
    /// A mesh file, or a robot.
    a: String,
    #[command(flatten)]
    request: SelfCollisionRequest,
    /// File of configurations of a robot, one query a line [default: all joints at zero].
    #[arg(long, value_name = "FILE.jsonl")]
    poses: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Options of robots")]
    robot: RobotFields,
}

impl<R: Args> Pair<R> {
    fn asked(&self, question: impl FnOnce(PairFields, &R) -> request::Question) -> Asked {
        let Self { a, b, solid, surface, request, .. } = self;
        let fields = PairFields { a: a.clone(), b: b.clone(), solid: *solid, surface: *surface };
        let (poses, cache) = (self.poses.clone(), self.cache.clone());
        Asked { question: question(fields, request), poses, cache, what: "poses" }
    }
}

impl Question {
    /// The question as a request.
    pub(super) fn asked(&self) -> Asked {
        use request::Question as Q;
        match self {
            Self::Collide(of) => of.asked(|pair, request| Q::Collide(pair, *request)),
            Self::Distance(of) => of.asked(|pair, request| Q::Distance(pair, *request)),
            Self::Hausdorff(of) => of.asked(|pair, request| Q::Hausdorff(pair, *request)),
            Self::Spanning(of) => of.asked(|pair, ()| Q::Spanning(pair)),
            Self::Penetration(of) => of.asked(|pair, request| Q::Penetration(pair, request.clone())),
            Self::Generalized(of) => of.asked(|pair, request| Q::Generalized(pair, *request)),
            Self::TimeOfContact(of) => {
                let question =
                    |pair, of: &Motion| Q::TimeOfContact(pair, of.request.clone(), of.robot.clone());
                Asked { what: "motions", ..of.asked(question) }
            }
            Self::SelfCollision(of) => Asked {
                question: Q::SelfCollision(of.a.clone(), of.request.clone(), of.robot.clone()),
                poses: of.poses.clone(),
                cache: None,
                what: "configurations",
            },
            Self::BroadPhase(_) => unreachable!("boxes are no shapes at poses"),
        }
    }
}
