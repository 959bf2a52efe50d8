//! Memory of a pair, in a form that rapier can serialize.
//!
//! rapier stores the memory of a pair in a workspace of the pair and writes that with the pair, but reads only workspaces
//! of its own. So a memory is written as one of those, a *carrier* that holds its bytes: the list of triangles of a pair
//! with a triangle mesh, which no pair here ever is. A pair that was read has a carrier; the dispatcher takes the memory
//! out of it when it first meets the pair ([`Remembered::of`]). A carrier that was not opened yet is written as it is, so
//! the bytes are the same in both cases.

use std::sync::OnceLock;

use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::query::details::{ContactManifoldsWorkspace, TypedWorkspaceData, WorkspaceData};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::stateful::Stateful;
use extricate_core::proximity::contacts::Feature;

/// Memory of a pair of shapes: its state determines later contacts; the rest is recomputed.
pub(super) trait Memory: Stateful + Clone + Default + Send + Sync + 'static {}

impl<T: Stateful + Clone + Default + Send + Sync + 'static> Memory for T {}

/// A memory in the workspace of a pair.
#[derive(Clone, Default)]
pub(super) struct Remembered<T> {
    memory: T,
    /// Carrier of the present memory, built on first use.
    carrier: OnceLock<Option<ContactManifoldsWorkspace>>,
}

impl<T: Memory> Remembered<T> {
    /// Returns the memory of a pair in its workspace for modification; a new one where there is none. The workspace must
    /// exist after the call, or rapier takes the manifolds for those of a pair of its own.
    pub(super) fn of(workspace: &mut Option<ContactManifoldsWorkspace>) -> Option<&mut T> {
        let workspace = workspace.get_or_insert_with(|| Self::default().into());
        if workspace.0.downcast_ref::<Self>().is_none() {
            let mut memory = T::default();
            if let Some(state) = opened(workspace) {
                memory.restore(state).ok()?;
            }
            *workspace = Self { memory, carrier: OnceLock::new() }.into();
        }
        let remembered = workspace.0.downcast_mut::<Self>()?;
        // The memory is about to change, so a carrier of its present state would be outdated.
        remembered.carrier.take();
        Some(&mut remembered.memory)
    }
}

impl<T: Memory> WorkspaceData for Remembered<T> {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        let carrier = self.carrier.get_or_init(|| carrier(&self.memory.snapshot()));
        carrier.as_ref().map_or(TypedWorkspaceData::Custom, |carrier| carrier.0.as_typed_workspace_data())
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(self.clone())
    }
}

/// Fields of a carrier as rapier writes them: the kind of the workspace, triangles, a box, and the triangles of the step
/// before.
type Written = (u32, Vec<u32>, Aabb, Vec<u32>);

/// The kind of a workspace for a triangle mesh.
const KIND: u32 = 0;

/// The carrier of a state.
fn carrier(state: &impl Serialize) -> Option<ContactManifoldsWorkspace> {
    let bytes = postcard::to_allocvec(state).ok()?;
    let length = u32::try_from(bytes.len()).ok()?;
    let words = bytes.chunks(4).map(|word| {
        let mut padded = [0; 4];
        padded[..word.len()].copy_from_slice(word);
        u32::from_le_bytes(padded)
    });
    let words = std::iter::once(length).chain(words).collect();
    let written: Written = (KIND, words, Aabb::new_invalid(), Vec::new());
    postcard::from_bytes(&postcard::to_allocvec(&written).ok()?).ok()
}

/// State in a carrier, if it is one.
fn opened<S: DeserializeOwned>(carrier: &ContactManifoldsWorkspace) -> Option<S> {
    let kind = carrier.0.as_typed_workspace_data();
    if !matches!(kind, TypedWorkspaceData::TriMeshShapeContactManifoldsWorkspace(_)) {
        return None;
    }
    let (_, words, ..): Written = postcard::from_bytes(&postcard::to_allocvec(carrier).ok()?).ok()?;
    let (&length, words) = words.split_first()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    postcard::from_bytes(bytes.get(..length as usize)?).ok()
}

/// A feature as it is written.
pub(super) type FeatureName = (u8, u32);

/// The feature's name.
pub(super) fn name_of(feature: Feature) -> FeatureName {
    match feature {
        Feature::Vertex(index) => (0, index),
        Feature::Edge(index) => (1, index),
        Feature::Face(index) => (2, index),
    }
}

/// The feature of a name.
pub(super) fn feature_of((kind, index): FeatureName) -> Feature {
    match kind {
        0 => Feature::Vertex(index),
        1 => Feature::Edge(index),
        _ => Feature::Face(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stateful::Mismatch;

    #[derive(Debug, Clone, Default, PartialEq)]
    struct Number(Vec<f64>);

    impl Stateful for Number {
        type State = Vec<f64>;

        fn snapshot(&self) -> Vec<f64> {
            self.0.clone()
        }

        fn restore(&mut self, state: Vec<f64>) -> Result<(), Mismatch> {
            self.0 = state;
            Ok(())
        }
    }

    /// Bytes of a workspace as rapier writes it, and the workspace that it reads from them.
    fn through_rapier(workspace: &ContactManifoldsWorkspace) -> (Vec<u8>, ContactManifoldsWorkspace) {
        let bytes = postcard::to_allocvec(workspace).unwrap();
        let read = postcard::from_bytes(&bytes).unwrap();
        (bytes, read)
    }

    #[test]
    fn a_memory_comes_back_and_a_carrier_that_was_not_opened_has_the_same_bytes() {
        for numbers in [vec![], vec![1.5], vec![f64::NAN, -0.0, 3e-300], vec![0.1; 1000]] {
            let mut workspace = None;
            Remembered::<Number>::of(&mut workspace).unwrap().0.clone_from(&numbers);
            let (bytes, carrier) = through_rapier(workspace.as_ref().unwrap());
            let (again, carrier) = through_rapier(&carrier);
            assert_eq!(bytes, again);
            let mut read = Some(carrier);
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&Remembered::<Number>::of(&mut read).unwrap().0), bits(&numbers));
            assert_eq!(through_rapier(&read.unwrap()).0, bytes);
        }
    }

    #[test]
    fn a_memory_that_changed_is_written_as_it_is_now() {
        let mut workspace = None;
        Remembered::<Number>::of(&mut workspace).unwrap().0.push(1.0);
        let (before, _) = through_rapier(workspace.as_ref().unwrap());
        Remembered::<Number>::of(&mut workspace).unwrap().0.push(2.0);
        let (after, mut read) = {
            let (bytes, read) = through_rapier(workspace.as_ref().unwrap());
            (bytes, Some(read))
        };
        assert_ne!(before, after);
        assert_eq!(Remembered::<Number>::of(&mut read).unwrap().0, [1.0, 2.0]);
    }

    #[test]
    fn features_keep_their_names() {
        for feature in [Feature::Vertex(0), Feature::Edge(7), Feature::Face(u32::MAX)] {
            assert_eq!(feature_of(name_of(feature)), feature);
        }
    }
}
