//! A scene while it is made.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::random::Random;
use super::mixture::{Accuracy, Mixture, Overlap};

/// Kinds of content by which statistics are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    All,
    Open,
    Closed,
    ThinPlates,
    Meshes,
    Hulls,
    Primitives,
    Rounded,
    Joints,
    HardJoints,
    Robots,
    Kinematic,
    Soft,
    OverlapIgnored,
    OverlapRepaired,
    Bullets,
    MassRatio,
    Bouncing,
    Weightless,
    Millimetres,
    Kilometres,
    Preview,
    Reference,
    LongSteps,
}

impl Kind {
    /// As the table names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Open => "open ground, bowls, tubs, slopes",
            Self::Closed => "closed containers",
            Self::ThinPlates => "of these thin plates",
            Self::Meshes => "meshes",
            Self::Hulls => "hulls",
            Self::Primitives => "primitives",
            Self::Rounded => "rounded shapes",
            Self::Joints => "joints",
            Self::HardJoints => "of these hard to hold",
            Self::Robots => "robots",
            Self::Kinematic => "kinematic bodies",
            Self::Soft => "soft bodies",
            Self::OverlapIgnored => "overlaps, ignored",
            Self::OverlapRepaired => "overlaps, repaired",
            Self::Bullets => "bullets",
            Self::MassRatio => "mass ratios above 100",
            Self::Bouncing => "restitution of 0.7 and more",
            Self::Weightless => "weightless",
            Self::Millimetres => "millimetres",
            Self::Kilometres => "kilometres",
            Self::Preview => "accuracy preview",
            Self::Reference => "accuracy reference",
            Self::LongSteps => "steps twice as long",
        }
    }
}

/// Relax passes of scenes with joints: chains want more than usual.
const PASSES: u32 = 20;

/// Coefficient of friction of soft bodies.
const SOFT_FRICTION: f64 = 0.3;

/// A body that was placed, in units of length.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) name: String,
    pub(crate) at: [f64; 3],
}

/// A scene that is being made; lengths in units.
pub(crate) struct Draft {
    pub(crate) mixture: Mixture,
    pub(crate) random: Random,
    pub(crate) kinds: BTreeSet<Kind>,
    pub(crate) shapes: Vec<String>,
    pub(crate) bodies: Vec<String>,
    pub(crate) joints: Vec<String>,
    pub(crate) robots: Vec<String>,
    pub(crate) soft_bodies: Vec<String>,
    /// Dynamic bodies that are loose in their cells.
    pub(crate) loose: Vec<Placed>,
    /// Corners of the box that no body leaves.
    pub(crate) inside: Option<[[f64; 3]; 2]>,
    /// Smallest thickness of each soft body [m], in the order of their numbers.
    pub(crate) thicknesses: Vec<f64>,
    /// Whether anything does work on the bodies.
    pub(crate) driven: bool,
    /// Files of `assets` that are named.
    pub(crate) files: BTreeSet<String>,
}

/// A scene and its known properties.
#[derive(Debug, Clone)]
pub(crate) struct Generated {
    /// The scene file.
    pub(crate) text: String,
    /// Features of the scene.
    pub(crate) kinds: BTreeSet<Kind>,
    /// Files it names, relative to `assets`.
    pub(crate) files: BTreeSet<String>,
    /// Units of length [m] and of time [s].
    pub(crate) units: [f64; 2],
    /// Maximum rise of the energy, but for what lifts bodies out of overlaps, over what the scene could turn into motion;
    /// none where something does work: kinematic bodies, motors.
    pub(crate) energy_gain: Option<f64>,
    /// Smallest thickness of each soft body [m], in the order of their numbers.
    pub(crate) thicknesses: Vec<f64>,
}

impl Generated {
    /// Smallest thickness of the soft bodies [m], if there are any.
    pub(crate) fn smallest_thickness(&self) -> Option<f64> {
        self.thicknesses.iter().copied().reduce(f64::min)
    }

    /// Smallest thickness of the soft ones of the bodies with these names [m].
    pub(crate) fn thickness_of(&self, names: &[String]) -> Option<f64> {
        let number = |name: &String| name.strip_prefix("soft-")?.parse::<usize>().ok();
        names.iter().filter_map(|name| self.thicknesses.get(number(name)?).copied()).reduce(f64::min)
    }

    /// The scene with another coefficient of friction of its soft bodies.
    pub(crate) fn with_soft_friction(mut self, friction: f64) -> Self {
        self.text = self.text.replace(&soft_contact(SOFT_FRICTION), &soft_contact(friction));
        self
    }

    /// The scene with a pressure of soft contact that stiffens beyond a fraction of the thickness.
    pub(crate) fn with_stiffening(mut self, fraction: f64) -> Self {
        self.text = self.text.replace(RECOVERY, &format!("{RECOVERY}, stiffen_beyond: {fraction:?}"));
        self
    }
}

/// Release of the overlaps of soft bodies as it is written.
const RECOVERY: &str = "recovery: 0.2";

/// Contact of soft bodies as it is written.
fn soft_contact(friction: f64) -> String {
    format!("soft: (contact: (stiffness: 1e7, friction: {friction}, {RECOVERY})),")
}

impl Draft {
    pub(crate) fn new(mixture: Mixture, random: Random) -> Self {
        let mut kinds = BTreeSet::from([Kind::All]);
        let when = [
            (mixture.overlap == Overlap::Ignored, Kind::OverlapIgnored),
            (mixture.overlap == Overlap::Repaired, Kind::OverlapRepaired),
            (mixture.densities[1] > 100.0 * mixture.densities[0], Kind::MassRatio),
            (mixture.restitution >= 0.7, Kind::Bouncing),
            (mixture.is_weightless(), Kind::Weightless),
            (mixture.unit < 0.01, Kind::Millimetres),
            (mixture.unit > 100.0, Kind::Kilometres),
            (mixture.accuracy == Accuracy::Preview, Kind::Preview),
            (mixture.accuracy == Accuracy::Reference, Kind::Reference),
            (mixture.step > 1.0, Kind::LongSteps),
            (mixture.hard_joints, Kind::HardJoints),
        ];
        kinds.extend(when.into_iter().filter(|(holds, _)| *holds).map(|(_, kind)| kind));
        Self {
            mixture,
            random,
            kinds,
            shapes: Vec::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            robots: Vec::new(),
            soft_bodies: Vec::new(),
            loose: Vec::new(),
            inside: None,
            thicknesses: Vec::new(),
            driven: false,
            files: BTreeSet::new(),
        }
    }

    /// A length as it is written [m].
    pub(crate) fn length(&self, units: f64) -> String {
        number(units * self.mixture.unit)
    }

    /// A point as it is written [m].
    pub(crate) fn point(&self, units: [f64; 3]) -> String {
        triple(units.map(|x| x * self.mixture.unit))
    }

    /// A velocity as it is written [m/s].
    pub(crate) fn velocity(&self, units: [f64; 3]) -> String {
        triple(units.map(|x| x * self.mixture.unit / self.mixture.unit_of_time()))
    }

    /// An angular velocity as it is written [rad/s].
    pub(crate) fn angular_velocity(&self, units: [f64; 3]) -> String {
        triple(units.map(|x| x / self.mixture.unit_of_time()))
    }

    /// An orientation, in one of the ways to write it.
    pub(crate) fn rotation(&mut self) -> String {
        let angle = number(self.random.within(-180.0, 180.0));
        match self.random.below(4) {
            0 => {
                let [x, y, z] = self.random.in_cube().map(|x| number(180.0 * x));
                format!("euler_degrees({x}, {y}, {z})")
            }
            1 => {
                let ([x, y, z], half) = (self.random.direction(), self.random.within(0.0, 3.0));
                let (sin, cos) = half.sin_cos();
                let [w, x, y, z] = [cos, sin * x, sin * y, sin * z].map(number);
                format!("quaternion({w}, {x}, {y}, {z})")
            }
            _ => format!("axis_angle_degrees(axis: {}, angle: {angle})", triple(self.random.direction())),
        }
    }

    /// Adds a shape and returns its name.
    pub(crate) fn shape(&mut self, shape: &str) -> String {
        let name = format!("s{}", self.shapes.len());
        self.shapes.push(format!("\"{name}\": {shape}"));
        name
    }

    /// Friction and restitution of a body.
    pub(crate) fn surface(&mut self) -> String {
        let friction = number(self.mixture.friction * self.random.within(0.5, 1.0));
        let restitution = number(self.mixture.restitution * self.random.within(0.8, 1.0));
        format!("friction: {friction}, restitution: {restitution}")
    }

    /// The scene.
    pub(crate) fn finish(self, title: &str) -> Generated {
        let Mixture { unit, accuracy, overlap, step, duration, .. } = self.mixture;
        let time = self.mixture.unit_of_time();
        let gravity = triple(self.mixture.gravity.map(|g| g * unit / (time * time)));
        let mut text = String::new();
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        let on_overlap = if overlap == Overlap::Repaired { "repair" } else { "ignore" };
        let rate = if self.soft_bodies.is_empty() { accuracy.rate() } else { 240.0 };
        let write = |text: &mut String| -> std::fmt::Result {
            writeln!(text, "// {title}: {}.", kinds.join(", "))?;
            writeln!(text, "(\n    title: \"{title}\",\n    gravity: {gravity},")?;
            writeln!(text, "    time_step: {},", number(step * time / rate))?;
            writeln!(text, "    duration: {},\n    accuracy: {},", number(duration * time), accuracy.name())?;
            writeln!(text, "    on_overlap: {on_overlap},")?;
            if !self.joints.is_empty() && !self.mixture.hard_joints {
                writeln!(text, "    solver: (relax_passes: {PASSES}),")?;
            }
            list(text, "shapes", ['{', '}'], &self.shapes)?;
            list(text, "bodies", ['[', ']'], &self.bodies)?;
            list(text, "robots", ['[', ']'], &self.robots)?;
            list(text, "joints", ['[', ']'], &self.joints)?;
            if !self.soft_bodies.is_empty() {
                writeln!(text, "    {}", soft_contact(SOFT_FRICTION))?;
            }
            list(text, "soft_bodies", ['[', ']'], &self.soft_bodies)?;
            list(text, "expect", ['(', ')'], &self.expectations())?;
            writeln!(text, ")")
        };
        write(&mut text).expect("a string takes everything");
        let energy_gain = self.energy_gain();
        let Self { kinds, files, thicknesses, .. } = self;
        Generated { text, kinds, files, units: [unit, time], energy_gain, thicknesses }
    }

    /// Expectations of the scene.
    fn expectations(&self) -> Vec<String> {
        let mut expect = vec![format!("final_penetration: {}", number(self.final_penetration()))];
        if let Some(gain) = self.energy_gain_with_lift() {
            expect.push(format!("energy_gain: {}", number(gain)));
        }
        if let Some([min, max]) = self.inside {
            expect.push(format!("no_escape: (min: {}, max: {})", self.point(min), self.point(max)));
        }
        expect
    }
}

impl Draft {
    /// Maximum depth at the end over the size of the smaller body: bodies at rest have sunk in by their load, moving bodies may
    /// just have hit, a bullet by more than others, and parts that joints or motors push into each other stay so.
    fn final_penetration(&self) -> f64 {
        let Mixture { joints, robot, kinematic, soft, overlap, bullets, .. } = self.mixture;
        match () {
            () if self.mixture.rests() && overlap == Overlap::None => 0.02,
            () if joints || robot || kinematic || soft + bullets > 0 || overlap != Overlap::None => 1.0,
            () => 0.2,
        }
    }

    /// Maximum rise of the energy, but for what lifts bodies out of overlaps, over what the scene could turn into motion;
    /// none where something does work, or joints are hard to hold.
    ///
    /// Joints are held by a solver that iterates, and soft bodies by one that stops at a tolerance: they get some per cent.
    /// Robots that overlap are pushed by the solver.
    fn energy_gain(&self) -> Option<f64> {
        let Mixture { joints, robot, soft, overlap, hard_joints, .. } = self.mixture;
        let fraction = match () {
            () if (robot || soft > 0) && overlap == Overlap::Ignored => 1.0,
            () if joints || robot || soft > 0 => 0.05,
            () => 0.002,
        };
        (!self.driven && !hard_joints).then_some(fraction)
    }

    /// The same with what lifts bodies out of overlaps: less than they could fall.
    fn energy_gain_with_lift(&self) -> Option<f64> {
        let lifted = self.mixture.overlap == Overlap::Ignored && !self.mixture.is_weightless();
        self.energy_gain().map(|fraction| if lifted { 1.0 } else { fraction })
    }
}

fn list(text: &mut String, name: &str, [open, close]: [char; 2], entries: &[String]) -> std::fmt::Result {
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(text, "    {name}: {open}")?;
    entries.iter().try_for_each(|entry| writeln!(text, "        {entry},"))?;
    writeln!(text, "    {close},")
}

/// A number as it is written: nine digits say it.
pub(crate) fn number(x: f64) -> String {
    format!("{:?}", format!("{x:.8e}").parse::<f64>().expect("a number that was just written"))
}

/// Three numbers as they are written.
pub(crate) fn triple(v: [f64; 3]) -> String {
    let [x, y, z] = v.map(number);
    format!("({x}, {y}, {z})")
}
