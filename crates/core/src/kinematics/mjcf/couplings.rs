//! Elements that concern bodies and joints by name: equality constraints, exempt pairs, actuators.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::bodies::{Bodies, Model};
use super::closures::closure_of;
use super::defaults::{ACTUATORS, Filled, MAIN, PARAMETERS};
use super::effective_inertia::effective_inertias;
use super::element::Element;
use crate::kinematics::articulation::joint::Mimic;
use crate::kinematics::urdf::document::{JointElement, JointType};
use crate::kinematics::urdf::limits::EXEMPT_PAIRS;
use crate::kinematics::urdf::{ActuatorKind, RobotFileError, Servo};

fn index_of(joints: &[JointElement]) -> HashMap<String, usize> {
    joints.iter().enumerate().map(|(index, joint)| (joint.name.clone(), index)).collect()
}

/// Reads the constraints between joints as mimicking, q₁ − r₁ = c₀ + c₁ (q₂ − r₂) with the references r, and those between bodies as
/// closures. Other constraints,
/// and those that close a cycle, are skipped.
pub(super) fn couple<'a>(model: &Model<'a>, bodies: &mut Bodies<'a>) -> Result<(), RobotFileError> {
    let joints = index_of(&bodies.joints);
    let is_scalar = |joint: &JointElement| matches!(joint.kind, JointType::Revolute | JointType::Prismatic);
    for element in model.root.section("equality") {
        let own = model.defaults.fill(element, MAIN)?;
        if own.flag("active") == Some(false) {
            continue;
        }
        if let Some(closure) = closure_of(&own, bodies)? {
            bodies.closures.push(closure);
            continue;
        }
        if element.name != "joint" {
            bodies.skipped.note(element, "equality constraint", &format!("<{}>", element.name));
            continue;
        }
        let find = |attribute: &str| joints.get(element.get(attribute)?).copied();
        let mut coefficients = own.list("polycoef", 5)?.unwrap_or_else(|| vec![0.0, 1.0]);
        coefficients.resize(5, 0.0);
        let is_linear = coefficients[2..].iter().all(|coefficient| coefficient.abs() <= 0.0);
        let ends = find("joint1").zip(find("joint2")).filter(|&(first, second)| {
            is_linear
                && is_scalar(&bodies.joints[first])
                && is_scalar(&bodies.joints[second])
                && !follows(&bodies.joints, &joints, second, first)
                && bodies.joints[first].mimic.is_none()
        });
        let Some((first, second)) = ends else {
            let which = "that is not a linear one of two joints, or is redundant";
            bodies.skipped.note(element, "equality constraint", which);
            continue;
        };
        let (factor, [r1, r2]) = (coefficients[1], [first, second].map(|joint| bodies.joints[joint].rest));
        let offset = coefficients[0] + r1 - factor * r2;
        let joint = bodies.joints[second].name.clone();
        bodies.joints[first].mimic = Some(Mimic { joint, factor, offset });
    }
    Ok(())
}

/// Whether a joint follows another one, through others.
fn follows(joints: &[JointElement], index: &HashMap<String, usize>, joint: usize, other: usize) -> bool {
    let leader = |&joint: &usize| joints[joint].mimic.as_ref().map(|mimic| index[&mimic.joint]);
    std::iter::successors(Some(joint), leader).any(|joint| joint == other)
}

/// Pairs of links that do not collide: those that the file excludes, and those whose masks have no common bit.
pub(super) fn exempt<'a>(
    model: &Model<'a>,
    bodies: &mut Bodies<'a>,
) -> Result<Vec<[String; 2]>, RobotFileError> {
    let mut pairs = BTreeSet::new();
    let links: HashMap<&str, usize> =
        bodies.links.iter().enumerate().map(|(index, link)| (link.name.as_str(), index)).collect();
    let mut others = Vec::new();
    for element in model.root.section("contact") {
        if element.name != "exclude" {
            others.push(element);
            continue;
        }
        match ["body1", "body2"].map(|end| links.get(element.get(end).unwrap_or_default())) {
            [Some(&a), Some(&b)] => _ = pairs.insert([a.min(b), a.max(b)]),
            _ => bodies.skipped.note(element, "<exclude>", "of an unknown body"),
        }
    }
    // Links with the same masks are compared once.
    let mut groups: BTreeMap<BTreeSet<[i64; 2]>, Vec<usize>> = BTreeMap::new();
    for (link, masks) in bodies.masks.iter().enumerate().filter(|(_, masks)| !masks.is_empty()) {
        groups.entry(masks.iter().copied().collect()).or_default().push(link);
    }
    let meet = |[type_a, affinity_a]: [i64; 2], [type_b, affinity_b]: [i64; 2]| {
        type_a & affinity_b != 0 || type_b & affinity_a != 0
    };
    for (at, (masks, own)) in groups.iter().enumerate() {
        for (other_masks, others) in groups.iter().skip(at) {
            if masks.iter().any(|&a| other_masks.iter().any(|&b| meet(a, b))) {
                continue;
            }
            if own.len().saturating_mul(others.len()) + pairs.len() > EXEMPT_PAIRS {
                let cause = format!("more than {EXEMPT_PAIRS} pairs of bodies are exempt from collision");
                return Err(model.root.refused(cause));
            }
            let mixed = own.iter().flat_map(|&a| others.iter().map(move |&b| [a.min(b), a.max(b)]));
            pairs.extend(mixed.filter(|[a, b]| a != b));
        }
    }
    others.into_iter().for_each(|element| bodies.skipped.element(element));
    Ok(pairs.into_iter().map(|pair| pair.map(|link| bodies.links[link].name.clone())).collect())
}

/// Reads actuators of joints as motors: force = gear · (gain · control + b₀ + b₁ · gear · q + b₂ · gear · q̇), within the
/// range of the forces of all actuators of the joint. Returns the joints of the actuators by name.
pub(super) fn actuate<'a>(
    model: &Model<'a>,
    bodies: &mut Bodies<'a>,
) -> Result<HashMap<&'a str, String>, RobotFileError> {
    let joints = index_of(&bodies.joints);
    let mut inertias = None;
    let mut actuators = HashMap::new();
    for element in model.root.section("actuator") {
        if !ACTUATORS.contains(&element.name.as_str()) {
            bodies.skipped.element(element);
            continue;
        }
        let own = model.defaults.fill(element, MAIN)?;
        let name = element.get("joint").or_else(|| element.get("jointinparent"));
        let Some(&joint) = name.and_then(|name| joints.get(name)) else {
            bodies.skipped.note(element, "actuator", "of something other than a joint of the model");
            continue;
        };
        let is_scalar = matches!(bodies.joints[joint].kind, JointType::Revolute | JointType::Prismatic);
        let Some(law) = ForceLaw::of(&own)?.filter(|_| is_scalar) else {
            bodies.skipped.note(element, "actuator", &format!("<{}>", element.name));
            continue;
        };
        if let Some(name) = element.get("name") {
            actuators.insert(name, bodies.joints[joint].name.clone());
        }
        for attribute in law.ignored.iter().copied().filter(|_| model.options.sound_masses) {
            bodies.skipped.attribute(element, attribute);
        }
        let gear = own.list("gear", 6)?.and_then(|gear| gear.first().copied()).unwrap_or(1.0);
        let range = |name: &str, flag: &str| -> Result<Option<f64>, RobotFileError> {
            let range = own.numbers::<2>(name)?;
            let is_limited = own.flag(flag).unwrap_or(model.compiler.auto_limits);
            Ok(range.filter(|_| is_limited).map(|[low, high]| low.abs().max(high.abs())))
        };
        let of_control = |control: f64| law.direct.map(|gain| gain.abs() * control);
        let controlled = range("ctrlrange", "ctrllimited")?.and_then(of_control);
        let force = range("forcerange", "forcelimited")?.or(controlled).map(|force| force * gear.abs());
        let inertia = match law.damping_ratio > 0.0 {
            true => inertias.get_or_insert_with(|| effective_inertias(bodies))[joint],
            false => 0.0,
        };
        let dynamics = &mut bodies.joints[joint].dynamics;
        // Several motors of a joint act together.
        if let Some(force) = force.filter(|force| *force > 0.0) {
            dynamics.effort = Some(dynamics.effort.unwrap_or(0.0) + force);
        }
        let (stiffness, damping) = law.on_joint(gear, inertia);
        if stiffness > 0.0 || damping > 0.0 {
            let before = dynamics.servo.unwrap_or(Servo { stiffness: 0.0, damping: 0.0 });
            dynamics.servo =
                Some(Servo { stiffness: before.stiffness + stiffness, damping: before.damping + damping });
        } else if law.direct.is_some() {
            dynamics.actuator = Some(ActuatorKind::Effort);
        }
    }
    for joint in &mut bodies.joints {
        if let Some(&bound) = bodies.force_bounds.get(&joint.name) {
            joint.dynamics.effort = Some(joint.dynamics.effort.map_or(bound, |effort| effort.min(bound)));
        }
    }
    Ok(actuators)
}

/// Force of an actuator as a function of control, length and velocity.
struct ForceLaw {
    /// Force per control, where nothing else contributes.
    direct: Option<f64>,
    stiffness: f64,
    damping: f64,
    /// Damping over the critical one, of a servo that states its damping so.
    damping_ratio: f64,
    /// Attributes that it does not hold.
    ignored: Vec<&'static str>,
}

impl ForceLaw {
    /// The law of an actuator; none of kinds that are not linear.
    fn of(own: &Filled<'_>) -> Result<Option<Self>, RobotFileError> {
        let law = |direct, stiffness: f64, damping: f64, damping_ratio: f64| {
            let (stiffness, damping) = (stiffness.max(0.0), damping.max(0.0));
            Some(Self { direct, stiffness, damping, damping_ratio, ignored: Vec::new() })
        };
        let direct = |gain| law(Some(gain), 0.0, 0.0, 0.0);
        let mut law = match own.element.name.as_str() {
            "motor" => direct(1.0),
            "position" | "intvelocity" => {
                let (stiffness, damping) = (own.number("kp", 1.0)?, own.number("kv", 0.0)?);
                let ratio = own.number("dampratio", 0.0)?;
                if damping.abs() > 0.0 && ratio.abs() > 0.0 {
                    return Err(own.refused("it has both `kv` and `dampratio`"));
                }
                law(None, stiffness, damping, ratio.max(0.0))
            }
            "velocity" => law(None, 0.0, own.number("kv", 1.0)?, 0.0),
            "cylinder" => Self::of_cylinder(own)?.and_then(direct),
            "general" => {
                let is = |name: &str, kind: &str| own.get(name).unwrap_or(kind).trim() == kind;
                let gain = own.list("gainprm", PARAMETERS)?.and_then(|gain| gain.first().copied());
                let gain = gain.unwrap_or(1.0);
                let mut bias = own.list("biasprm", PARAMETERS)?.unwrap_or_default();
                bias.resize(3, 0.0);
                // As of a `position` servo, whose positive third parameter is a damping ratio.
                let is_ratio = bias[2] > 0.0 && (gain + bias[1]).abs() <= 0.0;
                match own.get("biastype").unwrap_or("none").trim() {
                    "none" if is("gaintype", "fixed") => direct(gain),
                    "affine" if is("gaintype", "fixed") => {
                        law(None, -bias[1], -bias[2], if is_ratio { bias[2] } else { 0.0 })
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(law) = &mut law {
            law.ignored = Self::ignored(own)?;
        }
        Ok(law)
    }

    /// Stiffness and damping of a joint of an inertia behind a gear. A damping ratio ζ is that of the oscillator of the stiffness k and the
    /// inertia m behind the gear: d = 2 ζ √(k m).
    fn on_joint(&self, gear: f64, inertia: f64) -> (f64, f64) {
        let stiffness = self.stiffness * gear * gear;
        (stiffness, self.damping * gear * gear + 2.0 * self.damping_ratio * (stiffness * inertia).sqrt())
    }

    /// Area of a cylinder [m²]: its force at a pressure of one; none of one with a bias.
    fn of_cylinder(own: &Filled<'_>) -> Result<Option<f64>, RobotFileError> {
        let is_biased = own.numbers::<3>("bias")?.unwrap_or_default().iter().any(|bias| bias.abs() > 0.0);
        let diameter = own.numbers::<1>("diameter")?.map(|[d]| 0.25 * std::f64::consts::PI * d * d);
        let area = diameter.map_or_else(|| own.number("area", 1.0), Ok)?;
        Ok((!is_biased).then_some(area))
    }

    /// Attributes of a linear actuator that make it a law of another kind.
    fn ignored(own: &Filled<'_>) -> Result<Vec<&'static str>, RobotFileError> {
        let mut ignored = Vec::new();
        if own.numbers::<1>("timeconst")?.is_some_and(|[value]| value.abs() > 0.0) {
            ignored.push("timeconst");
        }
        if own.element.name == "general" && own.get("dyntype").is_some_and(|kind| kind.trim() != "none") {
            ignored.push("dyntype");
        }
        Ok(ignored)
    }
}

/// The sections of a model that do not concern its robot.
const OTHER_SECTIONS: [&str; 15] = [
    "compiler",
    "option",
    "size",
    "visual",
    "statistic",
    "default",
    "custom",
    "asset",
    "worldbody",
    "contact",
    "equality",
    "actuator",
    "sensor",
    "keyframe",
    "extension",
];

/// Names the sections of a model that are ignored.
pub(super) fn skip_sections<'a>(root: &'a Element, bodies: &mut Bodies<'a>) {
    for section in &root.children {
        match section.name.as_str() {
            name if OTHER_SECTIONS.contains(&name) => {}
            "tendon" | "deformable" => section.children.iter().for_each(|own| bodies.skipped.element(own)),
            _ => bodies.skipped.element(section),
        }
    }
}
