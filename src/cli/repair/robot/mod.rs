//! A robot among obstacles: configurations of a file, repaired line by line.

mod answer;
pub(in crate::cli) mod lines;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use self::answer::{AllowedAnswer, Text};
use self::lines::Line;
use super::super::access;
use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::interrupt::Interrupt;
use super::super::query::robot::two_links;
use super::{Arguments, write_whole};
use extricate_core::kinematics::urdf::{Shapes, UrdfOptions};
use extricate_core::penetration::generalized::{Base, GeneralizedCoherence, Pose};
use extricate_scene::batch::answers::robot_repair::{Answer, answer, class_of};
use extricate_scene::batch::answers::{Status, timed};
use extricate_scene::batch::obstacles::ObstacleArgument;
use extricate_scene::batch::{Class, Library};
use extricate_scene::repair::{Ensemble, Freedom, RepairError, RepairOptions, Robot, RobotOptions};

/// Options of robots.
#[derive(Debug, Args)]
pub(super) struct RobotArguments {
    /// The robot to repair, a URDF file.
    #[arg(long, value_name = "R.urdf")]
    robot: Option<PathBuf>,
    /// File of configurations, answered line by line [default: one, all joints at zero].
    #[arg(long, value_name = "Q.json")]
    joints: Option<PathBuf>,
    /// What stands in its way, as SHAPE, SHAPE@X,Y,Z or SHAPE@X,Y,Z,W,QX,QY,QZ: a shape as `query` takes it, or a URDF file,
    /// whose links stay where they are at rest; may be given several times.
    #[arg(long, value_name = "SHAPE")]
    obstacle: Vec<String>,
    /// Whether its root link stays or moves in any direction [default: fixed].
    #[arg(long, value_name = "WHICH")]
    base: Option<BaseArgument>,
    /// Two links, or a link and an obstacle, that may collide; may be given several times. Neighbours may, and links that
    /// always do.
    #[arg(long, value_name = "A,B", value_parser = two_links)]
    allow: Vec<[String; 2]>,
    /// Two links that may not collide, though they are neighbours or always do; may be given several times.
    #[arg(long, value_name = "A,B", value_parser = two_links)]
    forbid: Vec<[String; 2]>,
    /// Tell which links may collide, and why, and do nothing else.
    #[arg(long)]
    list_allowed: bool,
    /// The lines have nothing to do with one another: each is answered as if it were the only one.
    #[arg(long)]
    independent: bool,
    /// Folder of the packages that the files name as package://; may be given several times.
    #[arg(long, value_name = "DIR")]
    package: Vec<PathBuf>,
    /// Take the shapes of links that are meant to be seen, not those meant for collision.
    #[arg(long)]
    visual: bool,
    /// Seed of random starts [default: 0].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Whether the root of a robot moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BaseArgument {
    /// It stays.
    Fixed,
    /// It moves in any direction.
    Floating,
}

impl RobotArguments {
    /// Refuses the options where no robot is given.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        let options = [
            ("--joints", self.joints.is_some()),
            ("--obstacle", !self.obstacle.is_empty()),
            ("--base", self.base.is_some()),
            ("--allow", !self.allow.is_empty()),
            ("--forbid", !self.forbid.is_empty()),
            ("--list-allowed", self.list_allowed),
            ("--independent", self.independent),
            ("--package", !self.package.is_empty()),
            ("--visual", self.visual),
            ("--seed", self.seed.is_some()),
        ];
        match options.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => {
                Err(Failure::new(Exit::Usage, format!("`{option}` goes with `--robot`, not with a scene")))
            }
        }
    }

    fn urdf_options(&self) -> UrdfOptions {
        let shapes = if self.visual { Shapes::Visual } else { Shapes::Collision };
        UrdfOptions { shapes, packages: self.package.clone(), ..UrdfOptions::default() }
    }

    /// Reads the robot; pairs of `--allow` that are not two of its links are left for later.
    fn read(&self) -> Result<(Robot, Vec<&[String; 2]>), Failure> {
        let path =
            self.robot.as_ref().ok_or_else(|| Failure::new(Exit::Usage, "a scene or `--robot` is needed"))?;
        let options = self.urdf_options();
        let robot = access::robot(path, options.shapes, &options.packages);
        let robot = robot.map_err(|error| Failure::of(Exit::BadFile, &error))?;
        let is_link = |name: &String| robot.articulation.link(name).is_some();
        let (among_links, others): (Vec<_>, Vec<_>) =
            self.allow.iter().partition(|[a, b]| is_link(a) && is_link(b));
        let base = match self.base {
            Some(BaseArgument::Floating) => Base::Floating,
            _ => Base::Fixed,
        };
        let allow = among_links.into_iter().cloned().collect();
        let options = RobotOptions { base, allow, forbid: self.forbid.clone() };
        let robot = Robot::new(robot, &options).map_err(|error| failure(&error, &path.display()))?;
        Ok((robot, others))
    }
}

/// A failure with the file that it is about, by what went wrong.
fn failure(error: &RepairError, file: &dyn std::fmt::Display) -> Failure {
    match class_of(error) {
        Class::BadFile => Failure::new(Exit::BadFile, format!("{file}: {error}")),
        class => Failure::of(class.into(), error),
    }
}

/// Repairs the configurations of a robot.
pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let own = &arguments.of_robot;
    let (robot, allow) = own.read()?;
    if own.list_allowed {
        return tell_allowed(console, &robot);
    }
    let lines = lines::read(own.joints.as_deref(), &robot)?;
    let (mut props, library) = (Vec::new(), Library::default());
    for text in &own.obstacle {
        props.extend(ObstacleArgument::parse(text)?.props(&library, Path::new(""), &own.urdf_options())?);
    }
    let freedom = Freedom {
        fixed: arguments.fix.iter().cloned().collect(),
        weights: arguments.weight.iter().cloned().collect(),
    };
    let path = own.robot.as_deref().map_or_else(String::new, |path| path.display().to_string());
    let measure = robot.measure().map_err(|error| failure(&error, &path))?;
    let mut ensemble = robot.among(props, &freedom).map_err(|error| failure(&error, &path))?;
    for [first, second] in allow {
        ensemble.allow([first, second]).map_err(|error| failure(&error, &path))?;
    }
    let options = RepairOptions {
        effort: arguments.effort.into(),
        clearance: arguments.clearance,
        max_move: arguments.max_move,
        seed: own.seed.unwrap_or_default(),
        parallel: true,
    };
    let task = Task { ensemble: &ensemble, options, independent: own.independent, measure };
    task.run(console, interrupt, &lines, arguments.output.as_deref())
}

/// A robot among obstacles, and how to repair it.
struct Task<'a> {
    ensemble: &'a Ensemble,
    options: RepairOptions,
    independent: bool,
    measure: extricate_core::penetration::object_norm::Measure,
}

impl Task<'_> {
    /// Answers line by line; what was answered until an interruption or an error is written.
    fn run(
        &self,
        console: &mut Console,
        interrupt: &Interrupt,
        lines: &[Line],
        output: Option<&Path>,
    ) -> Result<(), Failure> {
        let mut progress = console.progress(lines.len() as u64);
        let (mut written, mut unrepaired) = (String::new(), 0_usize);
        let mut coherence = GeneralizedCoherence::default();
        let mut ended = Ok(());
        for (index, line) in lines.iter().enumerate() {
            if interrupt.is_asked() {
                ended = Err(Failure::Silent(Exit::Interrupted));
                break;
            }
            let (answer, time) = match self.answer(&line.pose, &mut coherence) {
                Ok(answer) => answer,
                Err(error) => {
                    ended = Err(Failure::new(Exit::Numerical, format!("{}: {error}", line.place)));
                    break;
                }
            };
            unrepaired += usize::from(answer.status == Status::NotFound);
            written.push_str(&answer.line()?);
            answer.tell(index, time, console)?;
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

    fn answer(
        &self,
        pose: &Pose,
        coherence: &mut GeneralizedCoherence,
    ) -> Result<(Answer, Duration), RepairError> {
        let poses = [pose.clone()];
        let (found, time) = timed(|| {
            if self.independent {
                self.ensemble.repair(&poses, &self.options)
            } else {
                self.ensemble.repair_coherent(&poses, &self.options, coherence)
            }
        });
        Ok((answer(self.ensemble, pose, self.measure, found)?, time))
    }
}

fn tell_allowed(console: &mut Console, robot: &Robot) -> Result<(), Failure> {
    let answer = AllowedAnswer::new(robot);
    if console.json() { console.json_line(&answer) } else { answer.tell(console) }
}
