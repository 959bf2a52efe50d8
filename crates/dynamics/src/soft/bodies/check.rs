//! Validation of the description of a soft body, before the world is built.

use std::collections::BTreeMap;

use super::description::{Handle, SoftBodyDescription};
use crate::error::SoftError;

/// Validates handles and attachments: their nodes, times and numbers.
pub(crate) fn check(body: &SoftBodyDescription) -> Result<(), SoftError> {
    let nodes = body.mesh.nodes().len();
    let mut held = BTreeMap::<u32, String>::new();
    let mut names = Vec::new();
    for handle in &body.handles {
        if names.contains(&&handle.name) {
            return Err(SoftError::DuplicateHandle { handle: handle.name.clone() });
        }
        names.push(&handle.name);
        check_nodes(&format!("handle `{}`", handle.name), &handle.nodes, nodes, &mut held)?;
        check_numbers(handle)?;
        check_keyframes(handle)?;
    }
    for attachment in &body.attachments {
        let holder = format!("the attachment to `{}`", attachment.body);
        check_nodes(&holder, &attachment.nodes, nodes, &mut held)?;
        let stiffness = attachment.stiffness;
        if !(f64::MIN_POSITIVE..=f64::MAX).contains(&stiffness) {
            return Err(SoftError::Stiffness { body: attachment.body.clone(), stiffness });
        }
    }
    Ok(())
}

/// Validates the nodes of a holder: there are some, all exist, none is held twice.
fn check_nodes(
    holder: &str,
    nodes: &[u32],
    count: usize,
    held: &mut BTreeMap<u32, String>,
) -> Result<(), SoftError> {
    let holder = holder.to_owned();
    if nodes.is_empty() {
        return Err(SoftError::NoNodes { holder });
    }
    for &node in nodes {
        if node as usize >= count {
            return Err(SoftError::NodeOutOfRange { holder, node, nodes: count });
        }
        if let Some(first) = held.insert(node, holder.clone()) {
            return Err(SoftError::HeldTwice { node, first, second: holder });
        }
    }
    Ok(())
}

/// Validates that all numbers of a handle are finite.
fn check_numbers(handle: &Handle) -> Result<(), SoftError> {
    let pivot = handle.pivot.iter().map(|&x| ("a coordinate of the pivot [m]", x));
    let frames = handle.keyframes.iter().flat_map(|frame| {
        let displacement = frame.displacement.iter().map(|&x| ("a component of a displacement [m]", x));
        let rotation = frame.rotation.coords.iter().map(|&x| ("a component of a rotation", x));
        displacement.chain(rotation)
    });
    let until = handle.until.iter().map(|&until| ("the release time [s]", until));
    let mut numbers = pivot.chain(frames).chain(until);
    match numbers.find(|(_, value)| !value.is_finite()) {
        Some((quantity, value)) => {
            Err(SoftError::HandleNotFinite { handle: handle.name.clone(), quantity, value })
        }
        None => Ok(()),
    }
}

/// Validates the axes and keyframes of a handle.
fn check_keyframes(handle: &Handle) -> Result<(), SoftError> {
    /// Angle [rad] below which a rotation counts as none.
    const NO_ROTATION: f64 = 1e-12;
    let name = || handle.name.clone();
    if handle.axes == [false; 3] {
        return Err(SoftError::NoAxis { handle: name() });
    }
    let mut before = None;
    for (keyframe, frame) in handle.keyframes.iter().enumerate() {
        let time = frame.time;
        let ascends = before.is_none_or(|before| time > before);
        if !(time.is_finite() && time >= 0.0 && ascends) {
            return Err(SoftError::KeyframeTime { handle: name(), keyframe, time });
        }
        before = Some(time);
        if handle.axes != [true; 3] && frame.rotation.angle() > NO_ROTATION {
            return Err(SoftError::RotatesWithFreeAxis { handle: name(), time });
        }
    }
    Ok(())
}
