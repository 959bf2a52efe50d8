//! An arm on a planar base, a crawler, the three-link of [Tang14 Fig. 1] and two sticks.

use super::urdf::{Joint, Shape, Urdf, X, Y, Z};

/// An arm of eight bodies on a planar base, with nine freedoms.
pub(crate) fn arm_on_base() -> String {
    let mut arm = Urdf::new("arm_on_base", "An arm on a planar base: 8 bodies, 9 freedoms.");
    for link in ["world", "rail_x", "rail_y"] {
        arm.link(link, &[]);
    }
    let limits = [-4.0, 4.0];
    arm.slide(&Joint { name: "base_x", parent: "world", child: "rail_x", at: [0.0; 3], axis: X, limits });
    arm.slide(&Joint { name: "base_y", parent: "rail_x", child: "rail_y", at: [0.0; 3], axis: Y, limits });
    arm.link("cart", &[Shape::Box([0.5, 0.4, 0.16], [0.0, 0.0, 0.12])]);
    let limits = [-3.1, 3.1];
    arm.revolute(&Joint {
        name: "base_turn",
        parent: "rail_y",
        child: "cart",
        at: [0.0; 3],
        axis: Z,
        limits,
    });
    arm.link("column", &[Shape::Box([0.16, 0.16, 0.46], [0.0, 0.0, 0.23])]);
    arm.fix("column_foot", "cart", "column", [0.1, 0.0, 0.2]);
    let mut next =
        |name: &str, parent: &str, child: &str, at: [f64; 3], axis: [f64; 3], limit: f64, shape: Shape| {
            arm.link(child, &[shape]);
            arm.revolute(&Joint { name, parent, child, at, axis, limits: [-limit, limit] });
        };
    let limb = |radius: f64, length: f64| Shape::Limb(radius, length, [0.0, 0.0, 0.5 * length]);
    next("shoulder_turn", "column", "shoulder", [0.0, 0.0, 0.46], Z, 3.0, limb(0.08, 0.16));
    next("shoulder_bend", "shoulder", "upper_arm", [0.0, 0.0, 0.16], Y, 2.0, limb(0.055, 0.42));
    next("elbow", "upper_arm", "forearm", [0.0, 0.0, 0.42], Y, 2.4, limb(0.045, 0.36));
    next("wrist_turn", "forearm", "wrist", [0.0, 0.0, 0.36], Z, 3.0, limb(0.036, 0.1));
    next("wrist_bend", "wrist", "flange", [0.0, 0.0, 0.1], Y, 2.0, limb(0.034, 0.09));
    let tool = Shape::Box([0.03, 0.11, 0.1], [0.0, 0.0, 0.06]);
    next("tool_turn", "flange", "tool", [0.0, 0.0, 0.09], Z, 3.0, tool);
    arm.finish()
}

/// A body on four legs of three links: 13 bodies, 40 freedoms.
pub(crate) fn crawler() -> String {
    let mut crawler = Urdf::new("crawler", "A body on four legs of three links: 13 bodies, 40 freedoms.");
    crawler.root("body", 0.42);
    crawler.link("body", &[Shape::Box([0.44, 0.26, 0.14], [0.0; 3])]);
    for (front, x) in [("front", 1.0), ("rear", -1.0)] {
        for (side, y) in [("left", 1.0), ("right", -1.0)] {
            let [hip, thigh, knee, shin, ankle, foot] = ["hip", "thigh", "knee", "shin", "ankle", "foot"]
                .map(|part| format!("{front}_{side}_{part}"));
            let at = [0.19 * x, 0.15 * y, 0.0];
            let limb =
                |radius: f64, length: f64, y: f64| Shape::Limb(radius, length, [0.0, y, -0.5 * length]);
            // Thighs reach outwards, so that legs pass beside the body.
            crawler.link(&thigh, &[Shape::Box([0.07, 0.2, 0.07], [0.0, 0.12 * y, 0.0])]);
            let about = [(Z, [-0.9, 0.9]), (X, [-1.2, 1.2]), (Y, [-1.0, 1.0])];
            crawler.revolutes(&hip, ["body", &thigh], at, &about);
            crawler.link(&shin, &[limb(0.034, 0.26, 0.0)]);
            let about = [(X, [-1.5, 1.5]), (Y, [-1.0, 1.0]), (Z, [-0.6, 0.6])];
            crawler.revolutes(&knee, [&thigh, &shin], [0.0, 0.24 * y, -0.02], &about);
            crawler.link(&foot, &[limb(0.026, 0.14, 0.0)]);
            let about = [(X, [-1.4, 1.4]), (Y, [-1.0, 1.0]), (Z, [-0.6, 0.6])];
            let freedoms = if x > 0.0 { 3 } else { 2 };
            crawler.revolutes(&ankle, [&shin, &foot], [0.0, 0.0, -0.27], &about[..freedoms]);
        }
    }
    crawler.finish()
}

/// Three bars in the plane y–z, the middle one on a planar base, the outer ones hinged at its ends.
pub(crate) fn three_link() -> String {
    let mut bars = Urdf::new(
        "three_link",
        "Three bars in the plane of x and y: 5 freedoms, as in Fig. 1 of Tang et al.",
    );
    for link in ["world", "rail_x", "rail_y"] {
        bars.link(link, &[]);
    }
    let limits = [-4.0, 4.0];
    bars.slide(&Joint { name: "base_x", parent: "world", child: "rail_x", at: [0.0; 3], axis: X, limits });
    bars.slide(&Joint { name: "base_y", parent: "rail_x", child: "rail_y", at: [0.0; 3], axis: Y, limits });
    bars.link("middle", &[Shape::Box([1.0, 0.12, 0.12], [0.0; 3])]);
    let limits = [-3.1, 3.1];
    bars.revolute(&Joint {
        name: "base_turn",
        parent: "rail_y",
        child: "middle",
        at: [0.0; 3],
        axis: Z,
        limits,
    });
    for (side, sign) in [("left", -1.0), ("right", 1.0)] {
        bars.link(side, &[Shape::Box([0.56, 0.12, 0.12], [0.34 * sign, 0.0, 0.0])]);
        let (name, at) = (format!("{side}_hinge"), [0.54 * sign, 0.0, 0.0]);
        bars.revolute(&Joint {
            name: &name,
            parent: "middle",
            child: side,
            at,
            axis: Z,
            limits: [-2.4, 2.4],
        });
    }
    bars.finish()
}

/// Two thin sticks of 1 m in the plane of x and y.
pub(crate) fn two_link() -> String {
    let mut sticks = Urdf::new("two_link", "Two sticks of 1 m and 2 mm thickness in the plane of x and y.");
    sticks.link("ground", &[]);
    let limits = [-3.1, 3.1];
    for (name, parent, child, x) in [("first", "ground", "upper", 0.0), ("second", "upper", "lower", 1.0)] {
        sticks.link(child, &[Shape::Box([1.0, 0.002, 0.002], [0.5, 0.0, 0.0])]);
        sticks.revolute(&Joint { name, parent, child, at: [x, 0.0, 0.0], axis: Z, limits });
    }
    sticks.finish()
}
