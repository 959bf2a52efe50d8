//! Loads that robots bear, beside Coulomb's law.

use std::path::Path;

use extricate::Scene;

/// Mass of the box, whose weight is 5 N \[kg\].
const MASS: f64 = 5.0 / 9.81;

/// Height of a box that two fingers hold at µ = 0.5 with a force in all \[N\], while the scene runs: at the times that are asked for.
fn heights<const N: usize>(force: f64, times: [f64; N]) -> [f64; N] {
    let text = format!(
        r#"(title: "hold", duration: 10, shapes: {{"box": cuboid(size: (0.08, 0.08, 0.08))}},
bodies: [(name: "box", shape: "box", mass: {MASS}, friction: 0.5, position: (0, 0, 0.089))],
robots: [(name: "gripper", file: "../../assets/robots/gripper.urdf", friction: 0.5, joints: {{"grip": metres(0.03)}},
motors: {{"lift": position(target: metres(0), stiffness: 20000, damping: 800), "grip": effort(target: {force})}})])"#
    );
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/robots/hold.ron");
    let mut world = Scene::parse(&place, text).unwrap().world().unwrap();
    times.map(|time| {
        while world.time() < time - 1e-9 {
            world.step().unwrap();
        }
        world.body("box").unwrap().position.z
    })
}

#[test]
fn fingers_hold_a_box_that_friction_can_hold_without_slip() {
    // 6 N at each finger bear 6 N of the box's 5 N.
    let [settled, held] = heights(12.0, [0.5, 3.0]);
    assert!((held - settled).abs() < 1e-8, "{settled} {held}");
    assert!((held - 0.089).abs() < 1e-5, "{held}");
}

#[test]
fn a_box_that_friction_cannot_hold_slides() {
    let force = 9.5;
    let [first, second, third] = heights(force, [0.025, 0.05, 0.075]);
    // Without the fall before the fingers press.
    let rate = -(first - 2.0 * second + third) / (0.025 * 0.025);
    // Friction bears no more than Coulomb's bound, and of that all but the part that rotates the box: the pressure may be off its middle.
    let bound = 9.81 - 0.5 * force / MASS;
    assert!(rate > 0.999 * bound && rate < 1.2 * bound, "{rate} {bound}");
}
