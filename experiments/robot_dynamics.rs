//! Mass matrices, inverse and forward dynamics of robots in random states, as JSON, for a comparison with other libraries.
//!
//! ```text
//! cargo run --release --example robot_dynamics -- FILE…
//! ```
//!
//! Each file gives a line: its path, the names of the coordinates in order, and for each of a few states the configuration `q`, the
//! velocities `v`, the accelerations `a`, the mass matrix `mass` by rows, the forces `tau` of the motion under Earth's gravity along −z,
//! and the accelerations `fd` under these forces. `experiments/pinocchio_dynamics.py` compares them with Pinocchio.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

use std::error::Error;

use extricate::kinematics::read_robot;
use extricate::kinematics::urdf::UrdfOptions;
use extricate::multibody::{RobotDynamics, RobotMotion};
use extricate::nalgebra::Vector3;
use extricate_test_support::Noise;
use serde_json::{Value, json};

/// Random states of a robot.
const STATES: usize = 5;

fn dynamics_of(path: &str) -> Result<Value, Box<dyn Error>> {
    let robot = read_robot(path, &UrdfOptions::default())?;
    let articulation = &robot.articulation;
    let dynamics = RobotDynamics::new(articulation, &robot.inertials);
    let count = articulation.coordinates().len();
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut noise = Noise(1);
    let mut states = Vec::new();
    for _ in 0..STATES {
        let [q, v, a] = [0; 3].map(|_| (0..count).map(|_| noise.signed()).collect::<Vec<f64>>());
        let motion = RobotMotion { configuration: &q, velocities: &v };
        let tau = dynamics.inverse_dynamics(motion, &a, &gravity)?;
        let mass = dynamics.mass_matrix(&q)?;
        let fd = dynamics.forward_dynamics(motion, tau.as_slice(), &gravity).map(|fd| fd.as_slice().to_vec());
        let rows: Vec<Vec<f64>> = mass.row_iter().map(|row| row.iter().copied().collect()).collect();
        states.push(json!({"q": q, "v": v, "a": a, "mass": rows, "tau": tau.as_slice(), "fd": fd.ok()}));
    }
    let names: Vec<&str> =
        articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.as_str()).collect();
    Ok(json!({"file": path, "names": names, "states": states}))
}

fn main() {
    for path in std::env::args().skip(1) {
        match dynamics_of(&path) {
            Ok(value) => println!("{value}"),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}
