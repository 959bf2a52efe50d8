//! Repair of a robot among obstacles: the configurations of a file, line by line.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{RepairArguments, write_whole};
use crate::cli::configurations::{self, Line};
use crate::cli::terminal::{Console, Exit, Failure};
use extricate_core::kinematics::JointKind;
use extricate_core::kinematics::srdf::srdf_text;
use extricate_core::proximity::AllowedReason;
use extricate_scene::repair::{AllowedLinks, Robot};
use extricate_scene::request::allowed;
use extricate_scene::request::configuration::ConfigurationFields;
use extricate_scene::request::obstacles::ObstacleArgument;
use extricate_scene::request::{
    Context, Library, LinkFields, Origin, RepairSequence, RepairStatus, RobotRepairRequest, RobotSource,
};

/// Options of robots.
#[derive(Debug, Args)]
pub(super) struct RobotArguments {
    /// The robot to repair: a file in URDF, xacro or MJCF, recognized by its content.
    #[arg(long, value_name = "R.urdf|R.xml")]
    robot: Option<PathBuf>,
    /// File of configurations, repaired line by line, or the values of the joints as {"name": value} [default: one, all joints
    /// at zero].
    #[arg(long, value_name = "Q.json|{…}")]
    joints: Option<PathBuf>,
    /// Named configuration of the robot: a keyframe of MJCF or a group state of SRDF. Joints that a line of Q.json does not
    /// name are there instead of at zero.
    #[arg(long, value_name = "NAME")]
    at: Option<String>,
    /// Obstacle, as SHAPE, SHAPE@X,Y,Z or SHAPE@X,Y,Z,W,QX,QY,QZ: a shape in the notation of `query`, or a robot, whose
    /// links stay at rest; may be repeated.
    #[arg(long, value_name = "SHAPE")]
    obstacle: Vec<String>,
    /// Mobility of its root link [default: fixed].
    #[arg(long, value_name = "WHICH")]
    base: Option<BaseArgument>,
    /// Only list the pairs of links that may collide, with the reasons.
    #[arg(long)]
    list_allowed: bool,
    /// Format of that list [default: text, or JSON with `--json`].
    #[arg(long, value_name = "FORMAT", requires = "list_allowed")]
    format: Option<ListFormat>,
    /// Treat the lines as independent of one another instead of as a sequence.
    #[arg(long)]
    independent: bool,
    #[command(flatten)]
    links: LinkFields,
}

/// Mobility of the root of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BaseArgument {
    /// The root is fixed.
    Fixed,
    /// The root moves with six degrees of freedom.
    Floating,
}

/// Format of a list of pairs of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// A semantic robot description, as MoveIt reads it.
    Srdf,
}

impl RobotArguments {
    /// Refuses the options of robots if no robot is given.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        let options = [
            ("--joints", self.joints.is_some()),
            ("--at", self.at.is_some()),
            ("--obstacle", !self.obstacle.is_empty()),
            ("--base", self.base.is_some()),
            ("--allow", !self.links.allow.is_empty()),
            ("--forbid", !self.links.forbid.is_empty()),
            ("--list-allowed", self.list_allowed),
            ("--independent", self.independent),
            ("--format", self.format.is_some()),
            ("--package", !self.links.package.is_empty()),
            ("--srdf", self.links.srdf.is_some()),
            ("--xacro-arg", !self.links.xacro_arg.is_empty()),
            ("--visual", self.links.visual),
            ("--seed", self.links.seed.is_some()),
        ];
        match options.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::new(
                Exit::Usage,
                format!("`{option}` requires `--robot` and cannot be used with a scene"),
            )),
        }
    }

    /// The source of the robot.
    fn source(&self) -> Result<RobotSource, Failure> {
        let path = self.robot.as_ref();
        let path =
            path.ok_or_else(|| Failure::new(Exit::Usage, "missing input: expected a scene or `--robot`"))?;
        Ok(RobotSource {
            robot: path.display().to_string(),
            floating: self.base == Some(BaseArgument::Floating),
            links: self.links.clone(),
        })
    }
}

/// Repairs the configurations of a robot.
pub(super) fn execute(console: &mut Console, arguments: &RepairArguments) -> Result<(), Failure> {
    let own = &arguments.of_robot;
    let library = Library::default().with_access(console.access());
    let context = Context {
        folder: Path::new(""),
        library: &library,
        parallel: true,
        sequence: true,
        origin: Origin::Options,
    };
    let source = own.source()?;
    let robot = source.robot(&context)?;
    if own.list_allowed {
        if own.format == Some(ListFormat::Srdf) {
            return console.line(srdf_of(&robot, &source, &context)?.trim_end());
        }
        let allowed = AllowedCollisions::new(&robot);
        return if console.json() { console.json_line(&allowed) } else { allowed.print(console) };
    }
    let lines = configurations::read(own.joints.as_deref(), &robot, own.at.as_deref())?;
    if let (Some(warn), Some(hint)) = (console.access().warn, degrees(&robot, &lines)) {
        warn(&hint);
    }
    let obstacles = own.obstacle.iter().map(|text| ObstacleArgument::parse(text));
    let request = RobotRepairRequest {
        source,
        configuration: ConfigurationFields::default(),
        obstacles: obstacles.collect::<Result<_, _>>()?,
        fields: arguments.fields.clone(),
    };
    let mut sequence = request.sequence(&context, own.independent)?;
    run(console, (&mut sequence, &lines), arguments.output.as_deref())
}

/// A hint at the first angle beyond a full rotation that is within its limits if it is meant in degrees.
fn degrees(robot: &Robot, lines: &[Line]) -> Option<String> {
    let articulation = robot.model().articulation();
    let in_degrees = |line: &Line| {
        articulation.coordinates().iter().zip(&line.pose.joints).find_map(|(&joint, value)| {
            let joint = &articulation.joints()[joint];
            let [lower, upper] = joint.limits.filter(|_| matches!(joint.kind, JointKind::Revolute { .. }))?;
            let is_meant = value.abs() > TAU && (lower..=upper).contains(&value.to_radians());
            let (place, name) = (&line.place, &joint.name);
            is_meant.then(|| {
                format!("{place}: joint `{name}` is at {value} rad, outside its limits {lower} to {upper}: in degrees?")
            })
        })
    };
    lines.iter().find_map(in_degrees)
}

/// Repairs line by line; the lines repaired before an interruption or an error are written.
fn run(
    console: &mut Console,
    (sequence, lines): (&mut RepairSequence, &[Line]),
    output: Option<&Path>,
) -> Result<(), Failure> {
    let mut progress = console.progress(lines.len() as u64);
    let (mut written, mut unrepaired) = (String::new(), 0_usize);
    let mut ended = Ok(());
    for (index, line) in lines.iter().enumerate() {
        if console.is_interrupted() {
            ended = Err(Failure::Silent(Exit::Interrupted));
            break;
        }
        let (answer, time) = match sequence.answer(&line.pose) {
            Ok(answer) => answer,
            Err(error) => {
                ended = Err(Failure::new(Exit::Numerical, format!("{}: {error}", line.place)));
                break;
            }
        };
        unrepaired += usize::from(answer.status == RepairStatus::NotFound);
        written.push_str(&answer.line().map_err(|error| Failure::of(Exit::Usage, &error))?);
        if console.json() {
            let (status, error) = (answer.status, answer.error.as_deref());
            console.json_line(&super::Line::new(index, status, error, &answer, time))?;
        } else {
            console.line(format_args!("{index}: {answer}"))?;
        }
        progress.update(index as u64 + 1, || format!("{unrepaired} not repaired"));
    }
    if let Some(output) = output {
        write_whole(output, &written)?;
    }
    ended?;
    if unrepaired > 0 {
        let message = format!("{unrepaired} of {} not repaired", lines.len());
        return Err(Failure::new(Exit::NoFreePose, message));
    }
    Ok(())
}

/// SRDF of the pairs of links that may collide. Given pairs keep the reason of the SRDF file that gave them.
pub(in crate::cli) fn srdf_of(
    robot: &Robot,
    source: &RobotSource,
    context: &Context,
) -> Result<String, Failure> {
    let given = source.srdf(context)?;
    let pairs = robot.allowed().iter().map(|AllowedLinks { links, because }| {
        let links = links.each_ref().map(String::as_str);
        let reason = match because {
            AllowedReason::Adjacent => "Adjacent",
            AllowedReason::AlwaysColliding { .. } => "Always",
            AllowedReason::Given => given.as_ref().and_then(|srdf| srdf.reason(links)).unwrap_or("User"),
        };
        (links, reason)
    });
    Ok(srdf_text(robot.name(), pairs))
}

/// Pairs of links that may collide, with the reasons.
#[derive(Debug, Serialize)]
struct AllowedCollisions {
    allowed_collisions: Vec<AllowedPair>,
}

#[derive(Debug, Serialize)]
struct AllowedPair {
    links: [String; 2],
    because: &'static str,
    configurations: u32,
}

impl AllowedCollisions {
    fn new(robot: &Robot) -> Self {
        let pair = |pair: &AllowedLinks| {
            let (because, configurations) = allowed::reason(pair.because);
            AllowedPair { links: pair.links.clone(), because, configurations }
        };
        Self { allowed_collisions: robot.allowed().iter().map(pair).collect() }
    }

    fn print(&self, console: &mut Console) -> Result<(), Failure> {
        let pairs = self.allowed_collisions.len();
        console.line(format_args!("{pairs} pairs of links allowed to collide"))?;
        for AllowedPair { links: [a, b], because, configurations } in &self.allowed_collisions {
            let why = allowed::explanation((because, *configurations), "rest", "`--allow` or the file");
            console.line(format_args!("  {a} and {b}: {why}"))?;
        }
        Ok(())
    }
}
