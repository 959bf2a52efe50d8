//! Ingredients of a scene, drawn first.

use super::super::random::Random;

/// Container of the bodies of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    /// Nothing: they float.
    None,
    /// A half-space.
    Floor,
    /// A half-space that leans.
    Slope,
    /// Six half-spaces.
    HalfSpaces,
    /// Six thick boxes.
    Boxes,
    /// Six plates a hundredth of a unit thick.
    Plates,
    /// A round bowl on a floor.
    Bowl,
    /// A tub on a floor.
    Tub,
}

impl Container {
    /// Whether no body can escape.
    pub(crate) fn is_closed(self) -> bool {
        matches!(self, Self::HalfSpaces | Self::Boxes | Self::Plates)
    }
}

/// Arrangement of the bodies at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// Apart.
    None,
    /// Some deep inside each other, pushed apart in the run.
    Ignored,
    /// The same, repaired before the run.
    Repaired,
}

/// Presets of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accuracy {
    Preview,
    Standard,
    Reference,
}

impl Accuracy {
    /// Steps in a unit of time.
    pub(crate) fn rate(self) -> f64 {
        match self {
            Self::Preview => 240.0,
            Self::Standard => 480.0,
            Self::Reference => 960.0,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Preview => "preview",
            Self::Standard => "standard",
            Self::Reference => "reference",
        }
    }
}

/// Ingredients of a scene.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mixture {
    /// Unit of length [m].
    pub(crate) unit: f64,
    /// Gravity in units of length per unit of time², along the world's axes.
    pub(crate) gravity: [f64; 3],
    pub(crate) accuracy: Accuracy,
    /// Length of a step over that of the accuracy.
    pub(crate) step: f64,
    pub(crate) container: Container,
    pub(crate) overlap: Overlap,
    /// Loose bodies, bullets not among them.
    pub(crate) bodies: usize,
    /// Minimum and maximum density [kg/m³].
    pub(crate) densities: [f64; 2],
    /// Maximum coefficients of restitution and friction.
    pub(crate) restitution: f64,
    pub(crate) friction: f64,
    pub(crate) bullets: usize,
    pub(crate) obstacles: usize,
    pub(crate) joints: bool,
    /// Whether joints are drawn without regard to convergence: see [`Mixture::joined`].
    pub(crate) hard_joints: bool,
    pub(crate) kinematic: bool,
    pub(crate) robot: bool,
    pub(crate) soft: usize,
    /// Duration in units of time.
    pub(crate) duration: f64,
}

/// Earth's gravity [m/s²], which is a unit of length per unit of time² times this number.
const GRAVITY: f64 = 9.81;

impl Mixture {
    /// Draws one.
    pub(crate) fn draw(random: &mut Random) -> Self {
        let (robot, soft) = (random.chance(0.1), random.chance(0.12));
        let container = match (robot, soft) {
            (true, _) => random.pick(&[Container::None, Container::Floor]),
            (_, true) => random.pick(&[Container::Floor, Container::Slope, Container::Bowl]),
            _ => draw_container(random),
        };
        let metre = robot || soft;
        let unit = if metre { 1.0 } else { random.pick(&[1e-3, 0.05, 1.0, 1.0, 1.0, 1e3]) };
        let floats = container == Container::None && !robot || random.chance(0.08);
        let gravity = match (floats, random.chance(0.1)) {
            (true, _) => [0.0; 3],
            (_, true) => random.direction().map(|x| GRAVITY * x),
            _ => [0.0, 0.0, -GRAVITY],
        };
        let overlap = match random.unit_interval() {
            x if x < 0.2 => Overlap::Ignored,
            x if x < 0.35 => Overlap::Repaired,
            _ => Overlap::None,
        };
        // Neither robots nor soft bodies are what is moved apart by translations.
        let overlap = if metre && overlap == Overlap::Repaired { Overlap::Ignored } else { overlap };
        let min = random.log_within(20.0, 2e3);
        let ratio = if random.chance(0.25) { random.log_within(10.0, 1e3) } else { random.within(1.0, 4.0) };
        Self {
            unit,
            gravity,
            accuracy: random.pick(&[
                Accuracy::Preview,
                Accuracy::Standard,
                Accuracy::Standard,
                Accuracy::Standard,
                Accuracy::Reference,
            ]),
            step: random.pick(&[0.5, 1.0, 1.0, 1.0, 1.0, 2.0]),
            container,
            overlap,
            bodies: if soft { 1 + random.below(3) } else { 2 + random.below(12) },
            densities: [min, min * ratio],
            restitution: random.pick(&[0.0, 0.0, 0.3, 0.7, 1.0]),
            friction: random.pick(&[0.0, 0.5, 0.5, 1.0, 3.0]),
            bullets: if !soft && random.chance(0.2) { 1 + random.below(3) } else { 0 },
            obstacles: if random.chance(0.3) { 1 + random.below(3) } else { 0 },
            joints: random.chance(0.3) && !soft,
            hard_joints: random.chance(0.15),
            kinematic: random.chance(0.15) && !soft && !robot,
            robot,
            soft: if soft { 1 + random.below(3) } else { 0 },
            duration: if soft { 1.2 } else { random.pick(&[1.0, 1.0, 2.0, 3.0]) },
        }
        .joined()
    }

    /// With masses and steps that joints can hold: what is light between heavy ones, or hangs far from its joint, needs
    /// many passes of the solver, and where they are too few the run gains energy and is stopped.
    fn joined(mut self) -> Self {
        self.hard_joints &= self.joints;
        if self.joints && !self.hard_joints {
            self.step = self.step.min(1.0);
            self.densities[1] = self.densities[1].min(4.0 * self.densities[0]);
        }
        self
    }

    /// Unit of time [s].
    pub(crate) fn unit_of_time(&self) -> f64 {
        self.unit.sqrt()
    }

    /// Whether the scene has no gravity.
    pub(crate) fn is_weightless(&self) -> bool {
        self.gravity.iter().all(|g| g.abs() < 1e-9)
    }

    /// Whether the bodies come to rest in the end.
    pub(crate) fn rests(&self) -> bool {
        let falls = self.gravity[2] < -0.99 * GRAVITY;
        let holds = !matches!(self.container, Container::None | Container::Slope);
        let undisturbed =
            !self.kinematic && !self.joints && !self.robot && self.soft == 0 && self.bullets == 0;
        falls && holds && undisturbed && self.restitution < 0.5 && self.friction > 0.0 && self.duration > 1.5
    }
}

fn draw_container(random: &mut Random) -> Container {
    random.pick(&[
        Container::None,
        Container::Floor,
        Container::Floor,
        Container::Slope,
        Container::HalfSpaces,
        Container::HalfSpaces,
        Container::Boxes,
        Container::Boxes,
        Container::Plates,
        Container::Bowl,
        Container::Tub,
    ])
}
