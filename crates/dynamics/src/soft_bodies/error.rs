//! Why a soft body does not fit into a world.

use thiserror::Error;

use crate::soft::contact::ContactError;
use crate::soft::element::ElementError;

/// Why a soft body does not fit into a world.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum SoftBodyError {
    /// A handle or an attachment has no nodes.
    #[error("{holder} has no nodes")]
    NoNodes {
        /// The handle or the attachment.
        holder: String,
    },
    /// A handle or an attachment names a node that the mesh does not have.
    #[error("{holder} names node {node}, but the mesh has only {nodes} nodes (0-based)")]
    NodeOutOfRange {
        /// The handle or the attachment.
        holder: String,
        /// The node that is out of range.
        node: u32,
        /// Number of nodes of the mesh.
        nodes: usize,
    },
    /// A node is held by two handles or attachments, or twice by one.
    #[error("node {node} belongs to {first} and to {second}, but can belong to one only")]
    HeldTwice {
        /// The node.
        node: u32,
        /// What holds it first.
        first: String,
        /// What holds it, too.
        second: String,
    },
    /// Two handles of a body have the same name.
    #[error("there are two handles named `{handle}`")]
    DuplicateHandle {
        /// Name of the handle.
        handle: String,
    },
    /// A handle prescribes nothing.
    #[error("handle `{handle}` prescribes none of the three axes")]
    NoAxis {
        /// Name of the handle.
        handle: String,
    },
    /// A handle turns and leaves an axis free.
    #[error("handle `{handle}` turns at {time} s, so it must prescribe all three axes")]
    TurnsWithFreeAxis {
        /// Name of the handle.
        handle: String,
        /// Time of the first keyframe that turns it [s].
        time: f64,
    },
    /// The times of a handle's keyframes do not ascend from zero.
    #[error(
        "keyframe {keyframe} (0-based) of handle `{handle}` has the time {time} s: times are finite, not negative and ascend"
    )]
    KeyframeTime {
        /// Name of the handle.
        handle: String,
        /// 0-based index of the keyframe.
        keyframe: usize,
        /// Its time [s].
        time: f64,
    },
    /// A number of a handle is not finite.
    #[error("{quantity} of handle `{handle}` is {value}, but must be finite")]
    NotFinite {
        /// Name of the handle.
        handle: String,
        /// Which number.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// The stiffness of an attachment is not a positive number.
    #[error(
        "the attachment to `{body}` has a stiffness of {stiffness} N/m, but must have a finite one above 0"
    )]
    Stiffness {
        /// Name of the rigid body.
        body: String,
        /// The stiffness [N/m].
        stiffness: f64,
    },
    /// An attachment names a rigid body that does not exist.
    #[error("there is no rigid body `{body}` to be attached to")]
    UnknownBody {
        /// The name that is not there.
        body: String,
    },
    /// The mesh has no elements.
    #[error(transparent)]
    Elements(#[from] ElementError),
    /// Contact refuses the body.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// There is no distance field of the surface on the grid asked for.
    #[error("no distance field with {resolution} points along the longest side: {reason}")]
    Field {
        /// Points along the longest side.
        resolution: usize,
        /// What the field says.
        reason: String,
    },
}
