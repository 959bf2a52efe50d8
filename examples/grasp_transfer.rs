//! A grasp carried over from one cup to another [Tang14 §6.2].
//!
//! `cargo run --release --example grasp_transfer`
//!
//! A hand that is closed through a small cup is repaired: its fingers come to lie on the cup, which is a grasp of it. The same
//! joint values, used as the grasp of a larger cup, put the fingers into its wall; repaired again, they lie on that one.
//! Told are the links that touch the cup, the least distance, and what moved most.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::penetration::generalized::{Obstacle, Part, Pose, Shape};
use extricate::proximity::{Model, distance};
use extricate::repair::{Ensemble, Freedom, Moved, Prop, RepairOptions, Robot, RobotOptions};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

/// Links nearer to the cup than this touch it [m].
const TOUCH: f64 = 1e-4;

/// The hand as it was closed, without looking at any cup [rad].
const CLOSED: [(&str, f64); 15] = [
    ("index_base", 1.05),
    ("index_bend", 1.13),
    ("index_tip", 0.7),
    ("middle_base", 1.05),
    ("middle_bend", 1.13),
    ("middle_tip", 0.7),
    ("ring_base", 1.05),
    ("ring_bend", 1.13),
    ("ring_tip", 0.7),
    ("little_base", 1.05),
    ("little_bend", 1.13),
    ("little_tip", 0.7),
    ("thumb_spread", -0.7),
    ("thumb_roll", 0.7),
    ("thumb_bend", 0.35),
];

fn main() -> Result<(), Box<dyn Error>> {
    let closed: BTreeMap<String, f64> =
        CLOSED.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let small = Grasp::of("cup_small")?;
    let start = small.robot.pose(&closed, Isometry3::identity())?;
    println!("closed through the small cup:");
    let on_small = small.repair(&start)?;
    println!("carried over to the large cup:");
    let large = Grasp::of("cup_large")?;
    large.repair(&on_small)?;
    Ok(())
}

/// A hand at a cup.
struct Grasp {
    robot: Robot,
    cup: Model,
    place: Isometry3<f64>,
    ensemble: Ensemble,
}

impl Grasp {
    fn of(cup: &str) -> Result<Self, Box<dyn Error>> {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let hand = read_urdf(assets.join("robots/hand.urdf"), &UrdfOptions::default())?;
        let robot = Robot::new(hand, &RobotOptions::default())?;
        let cup = Model::new(read_mesh(assets.join(format!("meshes/{cup}.obj")))?, Solidity::Solid);
        // It lies across the palm, its opening towards the little finger.
        let turn = UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
        let place = Isometry3::from_parts(Translation3::new(0.06, 0.05, 0.095), turn);
        let obstacle = Obstacle { shape: Shape::of_model(cup.clone()), pose: place };
        let prop = Prop { name: "cup".to_owned(), obstacle };
        let ensemble = robot.clone().among(vec![prop], &Freedom::default())?;
        Ok(Self { robot, cup, place, ensemble })
    }

    /// Repairs a pose of the hand, tells what became of it, and returns it.
    fn repair(&self, pose: &Pose) -> Result<Pose, Box<dyn Error>> {
        let before = self.ensemble.colliding(std::slice::from_ref(pose))?;
        println!("  {} pairs collide", before.len());
        let Some(repair) = self.ensemble.repair(std::slice::from_ref(pose), &RepairOptions::default())?
        else {
            println!("  free already");
            return Ok(pose.clone());
        };
        let after = repair.poses[0].clone();
        println!(
            "  repaired: {:.2} mm in the root mean square, free: {}",
            1e3 * repair.depth,
            repair.verified_free
        );
        for change in repair.changes.iter().take(3) {
            if let Moved::Turned(angle) = change.moved {
                println!("    {} by {:.1}°", change.name, angle.to_degrees());
            }
        }
        let touching = self.touching(&after)?;
        println!("  {} links touch the cup: {}", touching.len(), touching.join(", "));
        println!("  least distance {:.1e} m", self.ensemble.clearance(&repair.poses)?);
        Ok(after)
    }

    /// The links that touch the cup.
    fn touching(&self, pose: &Pose) -> Result<Vec<String>, Box<dyn Error>> {
        let model = self.robot.model();
        let places = model.articulation().link_poses(&pose.joints, &pose.base)?;
        let gap = |link: usize| {
            let own = model.model(link)?;
            Some(distance(own, &places[link], &self.cup, &self.place).value)
        };
        let links = (0..places.len()).filter(|&link| gap(link).is_some_and(|gap| gap <= TOUCH));
        Ok(links.map(|link| self.ensemble.name_of(Part::Link { mover: 0, link })).collect())
    }
}
