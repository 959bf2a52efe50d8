//! Soft bodies, in metres.

use super::draft::{Draft, Kind, number};
use super::mixture::Container;

/// Meshes of soft bodies, and the smallest thickness of each [m].
const MESHES: [(&str, f64); 4] = [
    ("block(counts: (3, 3, 3), size: (0.3, 0.3, 0.3))", 0.3),
    ("rod(section: disc(radius: 0.1, rings: 2), length: 0.6, layers: 6)", 0.2),
    ("ring(section: disc(radius: 0.06, rings: 1), radius: 0.25, layers: 16)", 0.12),
    ("tetrahedralized(of: procedural(kind: \"sphere\", parameters: {\"radius\": 0.18}), cell: 0.07)", 0.36),
];

/// Adds the soft bodies of the scene.
pub(crate) fn add(draft: &mut Draft) {
    // Above the cells of the rigid ones.
    let lifted = if draft.mixture.container == Container::Bowl { 3.0 } else { 1.5 };
    for index in 0..draft.mixture.soft {
        draft.kinds.insert(Kind::Soft);
        let (mesh, thickness) = MESHES[draft.random.below(MESHES.len())];
        draft.thicknesses.push(thickness);
        let model = draft.random.pick(&["corotational", "neo_hookean", "st_venant_kirchhoff"]);
        let young = number(draft.random.log_within(3e4, 1e6));
        let poisson = number(draft.random.within(0.1, 0.45));
        let damping = number(draft.random.log_within(1e-4, 1e-2));
        let [x, y] = [draft.random.within(-0.2, 0.2), draft.random.within(-0.2, 0.2)].map(number);
        let rotation = draft.rotation();
        let height = number(lifted + 0.8 * index as f64);
        draft.soft_bodies.push(format!(
            "(name: \"soft-{index}\", mesh: {mesh}, material: (model: {model}, youngs_modulus: {young}, poisson_ratio: {poisson}, \
             mass_damping: 0.5, stiffness_damping: {damping}), position: ({x}, {y}, {height}), rotation: {rotation})"
        ));
    }
}
