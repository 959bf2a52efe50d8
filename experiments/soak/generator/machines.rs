//! Robots with motors.

use super::draft::{Draft, Kind, number};

/// A joint that a motor drives: its name, the unit of its value, the range of targets, the stiffness of the motor.
type Driven = (&'static str, &'static str, f64, f64);

/// Robots of the assets: file, and the joints that motors drive.
const ROBOTS: &[(&str, &[Driven])] = &[
    (
        "arm",
        &[
            ("turn", "radians", 1.5, 2000.0),
            ("shoulder", "radians", 1.0, 2000.0),
            ("elbow", "radians", 1.0, 1000.0),
        ],
    ),
    ("gripper", &[("lift", "metres", 0.3, 20000.0), ("grip", "metres", 0.06, 5000.0)]),
    ("chain", &[]),
    ("two_link", &[]),
    ("cart", &[]),
];

/// Wheels of the cart.
const WHEELS: &[&str] = &["front_left_wheel", "front_right_wheel", "back_left_wheel", "back_right_wheel"];

/// Adds a robot, if the scene has one.
pub(crate) fn add(draft: &mut Draft) {
    if !draft.mixture.robot {
        return;
    }
    draft.kinds.insert(Kind::Robots);
    let (name, driven) = ROBOTS[draft.random.below(ROBOTS.len())];
    let file = format!("robots/{name}.urdf");
    let mut motors: Vec<String> = Vec::new();
    for (joint, unit, most, stiffness) in driven {
        let target = number(most * draft.random.unit_interval());
        let damping = number(0.05 * stiffness);
        motors.push(format!(
            "\"{joint}\": position(target: {unit}({target}), stiffness: {stiffness}, damping: {damping})"
        ));
    }
    if name == "cart" {
        let rate = number(draft.random.within(-6.0, 6.0));
        motors
            .extend(WHEELS.iter().map(|w| format!("\"{w}\": velocity(target: radians({rate}), damping: 1)")));
    }
    draft.driven |= !motors.is_empty();
    let floats = name == "cart" || draft.random.chance(0.2);
    let base = if floats { "floating" } else { "fixed" };
    // The chain hangs six metres down.
    let bottom = if name == "chain" { 5.5 } else { -1.1 + 0.16 };
    draft.files.insert(file.clone());
    draft.robots.push(format!(
        "(name: \"robot\", file: \"{file}\", base: {base}, position: (0, 0, {bottom:?}), friction: 0.7, motors: {{{}}})",
        motors.join(", ")
    ));
}
