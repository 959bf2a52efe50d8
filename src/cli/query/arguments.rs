//! Arguments of `extricate query`: the fields of the requests, and files of poses.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::broad_phase;
use extricate_scene::request::robot::RobotFields;
use extricate_scene::request::{
    self, CollideRequest, DistanceRequest, GeneralizedRequest, GrowthRequest, HausdorffRequest, MeshUnits,
    PairFields, PenetrationRequest, SelfCollisionRequest, TimeOfContactRequest,
};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query distance cup.obj spoon.obj --poses poses.jsonl --json
  extricate query penetration cup.obj spoon.obj

`extricate query KIND --help` lists the options of a kind and the notations of shapes and poses.";

/// Notation of shapes.
const SHAPES: &str = "\
Shapes, sizes in metres:
  FILE              a mesh file (.obj .stl .ply .off .gltf .glb); a closed mesh is solid
  hull:FILE         the convex hull of its vertices
  sphere:R          centred at the origin, like the following ones
  box:X,Y,Z         edge lengths
  capsule:R,LENGTH  along z, the length without the caps
  cylinder:R,H      along z
  cone:R,H          along z, the apex up, the origin at half height
  halfspace         all points with z ≤ 0
  rounded:R:SHAPE   all points within R of a shape that is not a mesh file
  ROBOT             a file in URDF, xacro or MJCF (.urdf .xacro .xml .mjcf), in the kinds collide, distance, penetration,
                    time-of-contact and self-collision

Two convex shapes are answered exactly, with a lower bound of the depth. Collision, distance and penetration depth accept
any two shapes; the other kinds, options that name triangles, and `--surface` require the triangles of meshes, boxes and
hulls.";

/// Notation of poses.
const POSES: &str = "\
SHAPE@X,Y,Z and SHAPE@X,Y,Z,W,QX,QY,QZ displace a shape or a robot in its frame. A pose line: {\"a\": {\"translation\": [x,y,z], \"rotation\": [w,x,y,z]}, \"b\": {...}}; a rotation of nine numbers is a
matrix, row by row; a missing pose is the identity; further keys of a line are ignored. Points, directions and translations are
in the world frame; the time of an answer is that of the query alone. Exit code 5 means that a query failed.";

/// Notation of the configurations of robots.
const ROBOTS: &str = "\
A robot: its root is at \"a\" or \"b\" (also \"base\"), and a line has \"joints\" as {\"name\": value} in rad and m, and \"at\",
the name of a configuration: a keyframe of MJCF, or a group state of the SRDF file. Joints that are not named are as `at`
or `--at` has them, else at zero. Where both are robots, \"b_joints\" and \"b_at\" are those of B. Names of links are in the
answer. `--joints` takes the files of `repair`, or the values themselves: --joints '{\"elbow\": 0.5}'.";

/// The kinds of queries.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum QueryCommand {
    /// Test whether two shapes collide; touching counts.
    #[command(after_help = format!("\
Examples:
  extricate query collide cup.obj spoon.obj
  extricate query collide cup.obj spoon.obj --all --poses poses.jsonl --json
  extricate query collide cup.obj spoon.obj --segments --json
  extricate query collide hull:cup.obj sphere:0.1
  extricate query collide arm.urdf box:1,1,0.6 --joints q.json --self-collision --json
  extricate query collide humanoid.xml table.obj --at home --poses '{{\"b\":{{\"translation\":[0.5,0,0]}}}}'

Touching counts, and a solid inside another one collides. A segment is the intersection of two triangles: the same point
twice where they only touch, and one side of the polygon of intersection where they are coplanar.

{SHAPES}

{POSES}

{ROBOTS}"))]
    Collide(PairArguments<WithRobots<CollideRequest>>),
    /// Distance between two shapes; zero if they collide.
    #[command(after_help = format!("\
Examples:
  extricate query distance cup.obj spoon.obj --closer-than 0.01
  extricate query distance cup.obj spoon.obj --tolerance 1% --json
  extricate query distance cup.obj spoon.obj --signed --poses poses.jsonl
  extricate query distance cylinder:0.2,0.5 sphere:0.1
  extricate query distance arm.urdf shelf.obj --joints q.json --json

The distance is zero if the shapes collide. It is proved to be at least `lower_bound`: with a tolerance the answer may
exceed the minimum distance by as much, which prunes candidates of similar distance. With `--signed` it is minus the
penetration depth if the shapes overlap, with the proved bounds `lower_bound` and `upper_bound`. Along a sequence of poses
each query starts from the result of the previous one.

{SHAPES}

{POSES}

{ROBOTS}"))]
    Distance(PairArguments<WithRobots<DistanceRequest>>),
    /// Hausdorff distance: the maximum deviation of two surfaces.
    #[command(after_help = format!("\
Examples:
  extricate query hausdorff scan.obj simplified.obj
  extricate query hausdorff simplified.obj scan.obj --one-sided --tolerance 0.1%
  extricate query hausdorff cup.obj box:0.1,0.1,0.1 --json

The maximum distance of a point of one surface from the other surface; of solids it is that of their boundaries.
`value` is attained by points; the true distance is between `lower_bound` and `upper_bound`, both proved.

{SHAPES}

{POSES}"))]
    Hausdorff(PairArguments<HausdorffRequest>),
    /// Maximum distance between the points of two shapes.
    #[command(after_help = format!("\
Examples:
  extricate query spanning cup.obj spoon.obj
  extricate query spanning cup.obj box:0.1,0.1,0.1 --poses poses.jsonl --json

The answer is exact up to rounding; it is attained at vertices.

{SHAPES}

{POSES}"))]
    Spanning(PairArguments<()>),
    /// Growth distance: the factor by which two convex shapes are scaled about their seeds so that they touch.
    #[command(after_help = format!("\
Examples:
  extricate query growth sphere:0.5 box:1,1,1@2,0,0
  extricate query growth hull:cup.obj cone:0.1,0.3 --a-seed 0,0,0.05 --json

Both shapes are scaled by the same factor, each about its seed, a point in it: the origin of its frame by default, or the
centre of a hull. Below 1 they overlap, above 1 they are apart. `value` is between `lower_bound` and `upper_bound`, both proved.

{SHAPES}

{POSES}"))]
    Growth(PairArguments<GrowthRequest>),
    /// First time of contact of two moving shapes.
    #[command(after_help = format!("\
Examples:
  extricate query time-of-contact cup.obj spoon.obj --poses motions.jsonl
  extricate query time-of-contact cup.obj box:1,1,1 --poses motions.jsonl --motion screw --json
  extricate query time-of-contact cloth.obj table.obj --a-end cloth_after.obj
  extricate query time-of-contact arm.urdf shelf.obj --poses motions.jsonl --self-collision
  extricate query time-of-contact arm.urdf arm.urdf --poses '{{\"b\":{{\"translation\":[1,0,0]}},\"joints_end\":{{\"elbow\":1}}}}'

A line of a motion: {{\"a\": POSE, \"a_end\": POSE, \"b\": POSE, \"b_end\": POSE}}, each POSE as {{\"translation\": [x,y,z],
\"rotation\": [w,x,y,z]}}; a body without an end pose is at rest, a missing pose is the identity. Times are in [0, 1]. The
answer \"free\" is a proof; the motion is proved free up to the time of contact, where the gap is within the tolerance. A start
in contact gives time 0, for rigid solids also one inside the other. With `--a-end` or `--b-end` the vertices move on straight
lines, and the answer names the features that touch first; adjacent ones of a mesh are exempt. Joints of robots run linearly to
\"joints_end\" and \"at_end\" (\"b_joints_end\" and \"b_at_end\"); without these they are at rest.

{SHAPES}

{ROBOTS}"))]
    TimeOfContact(PairArguments<WithRobots<TimeOfContactRequest>>),
    /// Test whether a mesh or robot collides with itself.
    SelfCollision(SelfCollisionArguments),
    /// Penetration depth: the minimum translation of A that separates it from B.
    #[command(after_help = format!("\
Examples:
  extricate query penetration cup.obj box:0.1,0.1,0.1 --effort fast
  extricate query penetration hull:cup.obj capsule:0.1,0.5 --json
  extricate query penetration cup.obj spoon.obj --start coherence --poses motion.jsonl --json
  extricate query penetration arm.urdf box:1,1,0.6 --joints q.json --json

{SHAPES}

{POSES}

{ROBOTS}
The depth is that of the deepest pair, and the translation separates this pair; all pairs are listed. `repair --robot` moves
the joints."))]
    Penetration(PairArguments<WithRobots<PenetrationRequest>>),
    /// Generalized penetration depth: the minimum motion of A, rotations included, that separates it from B.
    #[command(after_help = format!("\
Examples:
  extricate query generalized spoon.obj box:0.1,0.1,0.1
  extricate query generalized cup.obj spoon.obj --poses motion.jsonl --coherent --effort fast --json

The answer is the nearest collision-free pose of A that was found. Distance is measured by the object norm: `sigma` is the
mean squared displacement of the points of A [m²], `depth` its square root [m].

{SHAPES}

{POSES}"))]
    Generalized(PairArguments<GeneralizedRequest>),
    /// Overlapping pairs of many moving boxes.
    BroadPhase(broad_phase::BroadPhaseArguments),
}

/// A query of the command line, with its poses.
pub(super) struct QueryRequest {
    pub(super) question: request::Question,
    /// Origin of the poses, if there is one.
    pub(super) poses: Option<Lines>,
    /// Folder of cached preprocessing, if there is one.
    pub(super) cache: Option<PathBuf>,
    /// Plural noun for the lines of the file.
    pub(super) what: &'static str,
}

/// Origin of the lines of a query.
#[derive(Debug, Clone)]
pub(super) enum Lines {
    /// A file of lines, or a line.
    Poses(PathBuf),
    /// A file of configurations of a robot, or the values of its joints.
    Joints(PathBuf),
}

/// Two shapes and their poses, and the fields of a request about them.
#[derive(Debug, Args)]
pub(in crate::cli) struct PairArguments<R: Args> {
    /// The first shape, or a robot.
    a: String,
    /// The second shape, or a robot.
    b: String,
    /// File of poses, one query per line, or a line itself [default: both shapes at the identity].
    #[arg(long, value_name = "FILE.jsonl|{…}")]
    poses: Option<PathBuf>,
    /// File of configurations of a robot, as `repair` takes and writes them, or the values of its joints as {"name": value}.
    #[arg(long, value_name = "Q.json|{…}", conflicts_with = "poses")]
    joints: Option<PathBuf>,
    /// Folder in which preprocessed data of meshes is cached between calls: trees of large meshes, and their maximally clear
    /// configurations if a penetration query needs them.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Treat meshes as solids; an open mesh is then an error.
    #[arg(long, conflicts_with = "surface")]
    solid: bool,
    /// Treat meshes as surfaces without an inside.
    #[arg(long)]
    surface: bool,
    #[command(flatten)]
    units: MeshUnits,
    #[command(flatten)]
    request: R,
}

/// Fields of a request about two shapes or robots.
#[derive(Debug, Args)]
pub(in crate::cli) struct WithRobots<R: Args> {
    #[command(flatten)]
    request: R,
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

Neighbouring triangles share a corner or an edge, which is not a collision; corners are shared if they coincide. Triangles
that have another point in common collide, and so do two with the same corners. With `--end` the vertices move on straight
lines; the answer names the features that touch first; without any, the motion is proved free. Features that share a vertex,
by index, are then exempt.

For a robot, a .urdf or .xml (MJCF) file, the answer names the links that collide. A link may touch its parent, and the links that `--allow`
names. A line of `--poses` has \"joints\" as {\"name\": value} in rad and m, joints that are not named being at zero, and \"a\",
the pose of its root. With \"joints_end\" the joints move there, and the answer is the first contact of that motion.")]
pub(in crate::cli) struct SelfCollisionArguments {
    /// A mesh file, or a robot.
    a: String,
    #[command(flatten)]
    request: SelfCollisionRequest,
    /// File of configurations of a robot, one query per line, or a line itself [default: all joints at zero].
    #[arg(long, value_name = "FILE.jsonl|{…}")]
    poses: Option<PathBuf>,
    /// File of configurations of a robot, as `repair` takes and writes them, or the values of its joints as {"name": value}.
    #[arg(long, value_name = "Q.json|{…}", conflicts_with = "poses")]
    joints: Option<PathBuf>,
    #[command(flatten)]
    units: MeshUnits,
    #[command(flatten, next_help_heading = "Options of robots")]
    robot: RobotFields,
}

fn lines(poses: Option<&PathBuf>, joints: Option<&PathBuf>) -> Option<Lines> {
    poses.cloned().map(Lines::Poses).or_else(|| joints.cloned().map(Lines::Joints))
}

impl<R: Args> PairArguments<R> {
    fn to_request(&self, question: impl FnOnce(PairFields, &R) -> request::Question) -> QueryRequest {
        let Self { a, b, solid, surface, request, .. } = self;
        let fields = PairFields { a: a.clone(), b: b.clone(), solid: *solid, surface: *surface };
        let (poses, cache) = (lines(self.poses.as_ref(), self.joints.as_ref()), self.cache.clone());
        QueryRequest { question: question(fields, request), poses, cache, what: "poses" }
    }
}

impl QueryCommand {
    /// Unit and up axis of the mesh files.
    pub(in crate::cli) fn mesh_units(&self) -> MeshUnits {
        match self {
            Self::Collide(of) => of.units,
            Self::Distance(of) => of.units,
            Self::Hausdorff(of) => of.units,
            Self::Spanning(of) => of.units,
            Self::Growth(of) => of.units,
            Self::Penetration(of) => of.units,
            Self::Generalized(of) => of.units,
            Self::TimeOfContact(of) => of.units,
            Self::SelfCollision(of) => of.units,
            Self::BroadPhase(_) => MeshUnits::default(),
        }
    }

    /// The command as a request.
    pub(super) fn to_request(&self) -> QueryRequest {
        use request::Question as Q;
        match self {
            Self::Collide(of) => of.to_request(|pair, of| Q::Collide(pair, of.request, of.robot.clone())),
            Self::Distance(of) => of.to_request(|pair, of| Q::Distance(pair, of.request, of.robot.clone())),
            Self::Hausdorff(of) => of.to_request(|pair, request| Q::Hausdorff(pair, *request)),
            Self::Spanning(of) => of.to_request(|pair, ()| Q::Spanning(pair)),
            Self::Growth(of) => of.to_request(|pair, request| Q::Growth(pair, *request)),
            Self::Penetration(of) => {
                of.to_request(|pair, of| Q::Penetration(pair, of.request.clone(), of.robot.clone()))
            }
            Self::Generalized(of) => of.to_request(|pair, request| Q::Generalized(pair, *request)),
            Self::TimeOfContact(of) => {
                let question = |pair, of: &WithRobots<TimeOfContactRequest>| {
                    Q::TimeOfContact(pair, of.request.clone(), of.robot.clone())
                };
                QueryRequest { what: "motions", ..of.to_request(question) }
            }
            Self::SelfCollision(of) => QueryRequest {
                question: Q::SelfCollision(of.a.clone(), of.request.clone(), of.robot.clone()),
                poses: lines(of.poses.as_ref(), of.joints.as_ref()),
                cache: None,
                what: "configurations",
            },
            Self::BroadPhase(_) => unreachable!("the broad phase takes boxes, not shapes at poses"),
        }
    }
}
