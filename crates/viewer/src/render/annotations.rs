//! Annotations of rendered pictures: overlaps, overlays and the clock.

use super::RenderSource;
use crate::overlay::{OverlayInput, OverlayPainter, Overlays, SceneShapes, contact_depths};
use crate::soft_quantity::SoftQuantity;
use crate::{Drawing, Models, ViewError, palette};
use extricate_core::penetration::Effort;
use extricate_dynamics::BodyKind;
use extricate_scene::record::WorldState;
use extricate_scene::scene::{overlaps, soft_overlaps};

/// Annotations of rendered pictures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Annotations {
    /// Whether overlapping bodies are vermilion, the others green, and fixed bodies transparent.
    pub overlaps: bool,
    /// Overlays of contacts, penetrations, fields, ….
    pub overlays: Overlays,
    /// Whether the time is shown in a corner.
    pub clock: bool,
    /// Time over which motion trails are drawn, from the centres of the movable bodies \[s\]; `None` for no trails.
    pub trails: Option<f64>,
}

/// Overlay caches of a source, and the shapes of its bodies after the first picture.
pub(super) type Annotator = (OverlayPainter, Option<SceneShapes>);

/// Opacity of fixed bodies where overlaps are shown.
const GLASS: f32 = 0.45;

impl Annotations {
    /// Drawing of the annotations of a source at a state.
    pub(super) fn drawing(
        &self,
        (painter, shapes): &mut Annotator,
        source: &RenderSource,
        models: &Models,
        state: &WorldState,
    ) -> Result<Drawing, ViewError> {
        let shapes = &*shapes.get_or_insert_with(|| SceneShapes::of(source.world(), models));
        let contacts = if self.overlays.contacts { source.contacts(state, models)? } else { None };
        let is_live = matches!(source, RenderSource::Live { .. });
        let has_depths = is_live && self.overlays.soft == Some(SoftQuantity::ContactDepth);
        let depths = has_depths.then(|| contact_depths(source.world()));
        let (contacts, contact_depths) = (contacts.as_deref(), depths.as_deref());
        let input = OverlayInput { shapes, models, state, contacts, contact_depths };
        let mut drawing = painter.draw(&input, &self.overlays);
        if self.overlaps {
            mark_overlaps(source, models, &mut drawing)?;
        }
        if self.clock {
            drawing.notes.push(format!("{:.2} s", state.time));
        }
        Ok(drawing)
    }
}

/// Tints overlapping and free bodies, and makes fixed bodies transparent.
fn mark_overlaps(source: &RenderSource, models: &Models, drawing: &mut Drawing) -> Result<(), ViewError> {
    let RenderSource::Live { world, .. } = source else { return Err(ViewError::NoRecordedOverlaps) };
    let mut pairs = overlaps(world, Effort::Fast)?;
    pairs.extend(soft_overlaps(world));
    let overlapping = |name: &str| pairs.iter().flat_map(|pair| &pair.bodies).any(|other| other == name);
    for (index, body) in models.bodies.iter().enumerate() {
        let color = match body.kind {
            BodyKind::Fixed => body.color.with_alpha(GLASS),
            _ if overlapping(&body.name) => palette::COLLIDING,
            _ => palette::FREE,
        };
        drawing.tints.insert(index, color);
    }
    for (index, body) in models.soft.iter().enumerate() {
        let color = if overlapping(&body.name) { palette::COLLIDING } else { palette::FREE };
        drawing.soft_tints.insert(index, color);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use extricate_scene::record::{Recording, RunDirectory, RunOptions, run};
    use extricate_scene::scene::Scene;

    const SCENE: &str = r#"(
        title: "a block", duration: 1, time_step: 0.01,
        shapes: {"block": cuboid(size: (1, 1, 0.2)), "ground": half_space},
        bodies: [
            (name: "block", shape: "block", position: (0, 0, 0.1)),
            (name: "ground", shape: "ground", kind: fixed),
        ],
    )"#;

    #[test]
    fn recorded_contacts_are_drawn_as_those_of_the_simulation_are() {
        let folder = std::env::temp_dir().join(format!("extricate-annotations-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("block.ron"), SCENE).expect("a scene");
        let scene = Scene::load(folder.join("block.ron")).expect("a scene");
        let directory = RunDirectory::create(folder.join("run")).and_then(RunDirectory::with_contacts);
        let options = RunOptions { steps: 20, every: 10, check_expectations: false };
        let world = scene.world().expect("a world");
        let directory = Some(directory.expect("a folder"));
        run(&scene, world, &options, directory, &mut |_| ControlFlow::Continue(())).expect("a run");

        let annotations = Annotations {
            overlays: Overlays { contacts: true, ..Overlays::default() },
            ..Annotations::default()
        };
        let recording = || Recording::open(folder.join("run")).expect("a run");
        let drawn = |mut source: RenderSource| {
            let models = Models::of(source.world()).expect("models");
            let state = source.seek(0.1, None, &mut |_| ControlFlow::Continue(())).expect("a state");
            let drawing = annotations.drawing(&mut Annotator::default(), &source, &models, &state);
            drawing.expect("a drawing").arrows
        };
        let recorded = drawn(RenderSource::of_recording(recording()).expect("a world"));
        let simulated = drawn(RenderSource::of_run(&recording(), 0.0).expect("a world"));
        assert_eq!(recorded.len(), 4);
        for (recorded, simulated) in recorded.iter().zip(&simulated) {
            assert!((recorded.from - simulated.from).norm() < 1e-12);
            assert!((recorded.along - simulated.along).norm() < 1e-12);
        }
        std::fs::remove_dir_all(folder).expect("it is ours");
    }
}
