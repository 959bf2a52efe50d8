//! A grasp carried over from one cup to another [Tang14 §6.2].
//!
//! `cargo run --release --example grasp_transfer`
//!
//! A hand that is closed through a small cup is repaired: its fingers come to lie on the cup, which is a grasp of it. The same
//! joint values, used as the grasp of a larger cup, put the fingers into its wall; repaired again, they lie on that one.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::collections::BTreeMap;
use std::error::Error;
use std::f64::consts::FRAC_PI_2;

use extricate::nalgebra::{Isometry3, Translation3, UnitQuaternion};
use extricate::query::CollideOptions;
use extricate::{Posed, Robot, Shape, Workcell, query};

/// Links at most this far from the cup touch it [m].
const TOUCH: f64 = 1e-4;

/// The hand as it was closed, without regard to any cup [rad]: thumb, then base, middle and tip of each finger.
const CLOSED: [(&str, f64); 6] = [
    ("thumb_spread", -0.7),
    ("thumb_roll", 0.7),
    ("thumb_bend", 0.35),
    ("base", 1.05),
    ("bend", 1.13),
    ("tip", 0.7),
];

fn main() -> Result<(), Box<dyn Error>> {
    let hand = Robot::load("assets/robots/hand.urdf")?;
    let mut joints = BTreeMap::new();
    for (name, angle) in CLOSED {
        if name.starts_with("thumb") {
            joints.insert(name.to_owned(), angle);
            continue;
        }
        joints
            .extend(["index", "middle", "ring", "little"].map(|finger| (format!("{finger}_{name}"), angle)));
    }
    println!("closed through the small cup:");
    let grasp = repaired(&hand, "assets/meshes/cup_small.obj", &hand.configuration(&joints)?)?;
    println!("carried over to the large cup:");
    repaired(&hand, "assets/meshes/cup_large.obj", &grasp)?;
    Ok(())
}

/// The nearest free configuration of the hand around a cup, printed with the largest changes and the links that touch.
fn repaired(hand: &Robot, cup: &str, closed: &[f64]) -> Result<Vec<f64>, Box<dyn Error>> {
    let cup = Shape::load(cup)?;
    // It lies across the palm, its opening towards the little finger.
    let lying = UnitQuaternion::from_euler_angles(FRAC_PI_2, 0.0, 0.0);
    let cup = Posed::new(&cup, Isometry3::from_parts(Translation3::new(0.06, 0.05, 0.095), lying));
    let cell = Workcell::new(hand, [("cup", cup.clone())])?;

    println!("  {} pairs collide", cell.colliding_pairs(closed)?.len());
    let Some(repair) = cell.repair(closed, &Default::default())? else {
        println!("  free already");
        return Ok(closed.to_vec());
    };
    println!(
        "  repaired: {:.2} mm in the root mean square, free: {}",
        1e3 * repair.depth,
        repair.verified_free
    );
    for change in repair.changes.iter().take(3) {
        println!("    {}: {:.2} mm of it", change.name, 1e3 * change.sigma.sqrt());
    }
    let grasp = repair.poses[0].joints.clone();
    let posed = hand.at(&grasp)?;
    let touching =
        query::colliding_parts(&posed, &cup, &CollideOptions { clearance: TOUCH, ..Default::default() })?;
    let names: Vec<&str> = touching.iter().filter_map(|pair| posed.name(pair.parts[0])).collect();
    println!("  {} links touch the cup: {}", names.len(), names.join(", "));
    println!("  minimum distance {:.1e} m", cell.clearance(&grasp)?);
    Ok(grasp)
}
