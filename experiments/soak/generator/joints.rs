//! Joints of every kind between loose bodies, and to fixed ones.

use super::draft::{Draft, Kind, Placed, number, triple};

/// Name of the body on which a chain hangs.
const HOOK: &str = "hook";

/// Adds joints, if the scene has any: a chain of bodies, each joined to the one before.
pub(crate) fn add(draft: &mut Draft) {
    if !draft.mixture.joints || draft.loose.len() < 2 {
        return;
    }
    draft.kinds.insert(Kind::Joints);
    let mut chain = draft.loose.clone();
    chain.truncate(2 + draft.random.below(4));
    if draft.random.chance(0.4) {
        let anchor = Placed { name: HOOK.to_owned(), at: chain[0].at.map(|x| 1.05 * x) };
        hook(draft, &anchor);
        chain.insert(0, anchor);
    }
    for (index, pair) in chain.windows(2).enumerate() {
        joint(draft, index, pair);
    }
}

/// A small fixed body beside the first of the chain, which it does not collide with.
fn hook(draft: &mut Draft, anchor: &Placed) {
    let text = format!("ball(radius: {})", draft.length(0.01));
    let shape = draft.shape(&text);
    let position = draft.point(anchor.at);
    draft
        .bodies
        .push(format!("(name: \"{}\", shape: \"{shape}\", kind: fixed, position: {position})", anchor.name));
}

fn joint(draft: &mut Draft, index: usize, pair: &[Placed]) {
    let [a, b] = [&pair[0], &pair[1]];
    let middle = std::array::from_fn(|axis| 0.5 * (a.at[axis] + b.at[axis]));
    let (anchor, axis) = (draft.point(middle), triple(draft.random.direction()));
    let limited = draft.random.chance(0.5);
    let kind = match draft.random.below(6) {
        0 => "fixed".to_owned(),
        1 | 2 => {
            let [low, high] = [-90.0, 90.0].map(|x| number(x * draft.random.within(0.1, 1.0)));
            let limits = if limited { format!(", limits_degrees: ({low}, {high})") } else { String::new() };
            format!("revolute(anchor: {anchor}, axis: {axis}{limits})")
        }
        3 => {
            let [low, high] = [-0.3, 0.3].map(|x| draft.length(x));
            format!("prismatic(axis: {axis}, limits: ({low}, {high}))")
        }
        4 => format!("spherical(anchor: {anchor})"),
        _ => {
            let apart = (0..3).map(|axis| (a.at[axis] - b.at[axis]).powi(2)).sum::<f64>().sqrt();
            let slack = draft.random.within(1.001, 1.3);
            let [first, second, length] = [draft.point(a.at), draft.point(b.at), draft.length(apart * slack)];
            format!("rope(anchors: ({first}, {second}), length: {length})")
        }
    };
    // A hook is in the way of what hangs on it.
    let contacts = draft.random.chance(0.3) && a.name != HOOK;
    draft.joints.push(format!(
        "(name: \"joint-{index}\", bodies: (\"{}\", \"{}\"), kind: {kind}, contacts: {contacts})",
        a.name, b.name
    ));
}
