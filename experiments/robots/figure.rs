//! A figure of 15 bodies with 41 freedoms.

use super::urdf::{Joint, Shape, Urdf, X, Y, Z};

/// Standing upright with its pelvis 0.95 m high, facing +x, arms hanging.
pub(crate) fn urdf() -> String {
    let mut figure = Urdf::new("figure", "A figure of 15 bodies with 41 freedoms, 1.7 m tall.");
    figure.root("pelvis", 0.95);
    figure.link("pelvis", &[Shape::Box([0.18, 0.28, 0.16], [0.0; 3])]);
    figure.link("chest", &[Shape::Box([0.2, 0.34, 0.38], [0.0, 0.0, 0.22])]);
    figure.revolutes(
        "waist",
        ["pelvis", "chest"],
        [0.0, 0.0, 0.1],
        &[(Z, [-0.6, 0.6]), (Y, [-0.4, 1.0]), (X, [-0.4, 0.4])],
    );
    figure.link("head", &[Shape::Ball(0.11, [0.01, 0.0, 0.13])]);
    figure.revolutes("neck", ["chest", "head"], [0.0, 0.0, 0.44], &[(Z, [-1.2, 1.2]), (Y, [-0.6, 0.7])]);
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        arm(&mut figure, side, sign);
        leg(&mut figure, side, sign);
    }
    figure.finish()
}

/// Limits of a joint of the left side, mirrored for the right one.
fn mirrored([lower, upper]: [f64; 2], sign: f64) -> [f64; 2] {
    if sign > 0.0 { [lower, upper] } else { [-upper, -lower] }
}

fn arm(figure: &mut Urdf, side: &str, sign: f64) {
    let [upper, lower, hand] = ["upper_arm", "forearm", "hand"].map(|name| format!("{side}_{name}"));
    let [shoulder, elbow, wrist] = ["shoulder", "elbow", "wrist"].map(|name| format!("{side}_{name}"));
    figure.link(&upper, &[Shape::Limb(0.045, 0.28, [0.0, 0.0, -0.16])]);
    figure.revolutes(
        &shoulder,
        ["chest", &upper],
        [0.0, sign * 0.235, 0.36],
        &[(X, mirrored([-0.3, 2.6], sign)), (Y, [-2.8, 1.0]), (Z, mirrored([-1.2, 1.2], sign))],
    );
    figure.link(&lower, &[Shape::Limb(0.038, 0.25, [0.0, 0.0, -0.14])]);
    figure.revolutes(&elbow, [&upper, &lower], [0.0, 0.0, -0.3], &[(Y, [-2.4, 0.0]), (Z, [-1.4, 1.4])]);
    figure.link(&hand, &[Shape::Box([0.04, 0.09, 0.15], [0.0, 0.0, -0.085])]);
    figure.revolutes(
        &wrist,
        [&lower, &hand],
        [0.0, 0.0, -0.275],
        &[(X, [-0.6, 0.6]), (Y, [-1.2, 1.2]), (Z, [-0.4, 0.4])],
    );
}

fn leg(figure: &mut Urdf, side: &str, sign: f64) {
    let [thigh, shin, foot] = ["thigh", "shin", "foot"].map(|name| format!("{side}_{name}"));
    let [hip, knee, ankle] = ["hip", "knee", "ankle"].map(|name| format!("{side}_{name}"));
    figure.link(&thigh, &[Shape::Limb(0.068, 0.4, [0.0, 0.0, -0.21])]);
    figure.revolutes(
        &hip,
        ["pelvis", &thigh],
        [0.0, sign * 0.095, -0.08],
        &[(X, mirrored([-0.4, 0.9], sign)), (Y, [-2.0, 0.6]), (Z, mirrored([-0.7, 0.7], sign))],
    );
    figure.link(&shin, &[Shape::Limb(0.05, 0.39, [0.0, 0.0, -0.205])]);
    let limits = [0.0, 2.4];
    figure.revolute(&Joint {
        name: &knee,
        parent: &thigh,
        child: &shin,
        at: [0.0, 0.0, -0.42],
        axis: Y,
        limits,
    });
    figure.link(&foot, &[Shape::Box([0.24, 0.09, 0.06], [0.06, 0.0, -0.04])]);
    figure.revolutes(
        &ankle,
        [&shin, &foot],
        [0.0, 0.0, -0.41],
        &[(X, [-0.3, 0.3]), (Y, [-0.6, 0.9]), (Z, [-0.3, 0.3])],
    );
}
