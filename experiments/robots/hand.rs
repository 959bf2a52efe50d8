//! A hand of five fingers with 25 freedoms.

use super::urdf::{Joint, Shape, Urdf, X, Y, Z};

/// Pointing along +z, its palm towards +x, its thumb towards +y.
pub(crate) fn urdf() -> String {
    let mut hand = Urdf::new("hand", "A hand of five fingers with 25 freedoms, 0.2 m long.");
    hand.link("world", &[]);
    hand.link("forearm", &[Shape::Box([0.05, 0.06, 0.16], [0.0, 0.0, -0.1])]);
    let limits = [-0.15, 0.15];
    hand.slide(&Joint { name: "slide", parent: "world", child: "forearm", at: [0.0; 3], axis: Z, limits });
    hand.link("wrist", &[Shape::Box([0.03, 0.04, 0.02], [0.0; 3])]);
    let limits = [-0.5, 0.5];
    hand.revolute(&Joint { name: "sway", parent: "forearm", child: "wrist", at: [0.0; 3], axis: X, limits });
    hand.link("palm", &[Shape::Box([0.026, 0.086, 0.09], [0.0, 0.0, 0.06])]);
    let limits = [-0.7, 0.7];
    hand.revolute(&Joint { name: "nod", parent: "wrist", child: "palm", at: [0.0; 3], axis: Y, limits });
    for (finger, y, length) in [("index", 0.034, 1.0), ("middle", 0.012, 1.1), ("ring", -0.011, 1.0)] {
        self::finger(&mut hand, finger, "palm", [0.0, y, 0.112], length);
    }
    hand.link("little_metacarpal", &[Shape::Box([0.02, 0.018, 0.06], [0.0, 0.0, 0.035])]);
    let (at, limits) = ([0.004, -0.034, 0.035], [0.0, 0.6]);
    let (name, child) = ("little_fold", "little_metacarpal");
    hand.revolute(&Joint { name, parent: "palm", child, at, axis: [0.0, 0.96, 0.28], limits });
    finger(&mut hand, "little", "little_metacarpal", [0.0, 0.0, 0.078], 0.85);
    thumb(&mut hand);
    hand.finish()
}

fn finger(hand: &mut Urdf, name: &str, parent: &str, at: [f64; 3], length: f64) {
    let link = |part: &str| format!("{name}_{part}");
    let [knuckle, proximal, middle, distal] = ["knuckle", "proximal", "middle", "distal"].map(link);
    let [spread, base, bend, tip] = ["spread", "base", "bend", "tip"].map(link);
    hand.link(&knuckle, &[Shape::Box([0.014, 0.014, 0.01], [0.0; 3])]);
    hand.revolute(&Joint { name: &spread, parent, child: &knuckle, at, axis: X, limits: [-0.3, 0.3] });
    let phalanx = |width: f64, long: f64| Shape::Box([width, width, long - 0.004], [0.0, 0.0, 0.5 * long]);
    let mut next = |name: &str, parent: &str, child: &str, z: f64, limits: [f64; 2], size: [f64; 2]| {
        hand.link(child, &[phalanx(size[0], size[1])]);
        hand.revolute(&Joint { name, parent, child, at: [0.0, 0.0, z], axis: Y, limits });
    };
    let [long, short, last] = [0.045 * length, 0.026 * length, 0.024 * length];
    next(&base, &knuckle, &proximal, 0.006, [-0.3, 1.57], [0.016, long]);
    next(&bend, &proximal, &middle, long, [0.0, 1.75], [0.0145, short]);
    next(&tip, &middle, &distal, short, [0.0, 1.57], [0.013, last]);
}

fn thumb(hand: &mut Urdf) {
    hand.link("thumb_base", &[Shape::Box([0.016, 0.016, 0.016], [0.0; 3])]);
    let at = [0.008, 0.046, 0.03];
    let (parent, child, limits) = ("palm", "thumb_base", [-1.05, 1.05]);
    hand.revolute(&Joint { name: "thumb_roll", parent, child, at, axis: Z, limits });
    let mut next =
        |name: &str, parent: &str, child: &str, joint: ([f64; 3], [f64; 3], [f64; 2]), size: [f64; 2]| {
            let (at, axis, limits) = joint;
            hand.link(child, &[Shape::Box([size[0], size[0], size[1] - 0.004], [0.0, 0.0, 0.5 * size[1]])]);
            hand.revolute(&Joint { name, parent, child, at, axis, limits });
        };
    let leaning = [0.0, 0.006, 0.008];
    next("thumb_spread", "thumb_base", "thumb_proximal", (leaning, X, [-1.2, 0.1]), [0.018, 0.042]);
    next("thumb_turn", "thumb_proximal", "thumb_hub", ([0.0, 0.0, 0.042], X, [-0.25, 0.25]), [0.015, 0.012]);
    next("thumb_bend", "thumb_hub", "thumb_middle", ([0.0, 0.0, 0.012], Y, [-0.5, 0.8]), [0.016, 0.028]);
    next("thumb_tip", "thumb_middle", "thumb_distal", ([0.0, 0.0, 0.028], Y, [0.0, 1.4]), [0.014, 0.026]);
}
