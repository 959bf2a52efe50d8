//! Actions of the viewer, common to keys, panels and scripts.

use std::path::PathBuf;

use crate::soft_quantity::SoftQuantity;

use extricate_dynamics::AnyBody;
use extricate_scene::scene::BodyField;

/// An action of the viewer.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Plays or pauses.
    PlayPause,
    /// Pauses and takes a single step, or shows the next recorded state.
    Step,
    /// Pauses and shows the previous recorded state.
    StepBack,
    /// Resets to the start.
    Reset,
    /// Doubles the speed.
    Faster,
    /// Halves the speed.
    Slower,
    /// Sets the speed: simulated seconds per second.
    Speed(f64),
    /// Shows a recorded state by index, 0 being the start.
    Seek(usize),
    /// Frames the selection, or the whole scene, with the camera.
    Fit,
    /// Shows or hides a layer.
    Toggle(Layer),
    /// Colours soft bodies by the next quantity.
    NextColoring,
    /// Colours soft bodies by a quantity.
    Color(Option<SoftQuantity>),
    /// Shows the boxes of this level of the bounding volume hierarchies.
    TreeLevel(usize),
    /// Shows this step of the query walk, counted through all walks of the query.
    WalkStep(usize),
    /// Moves the slice of the distance field: position along its axis, 0 and 1 at the ends of the body's box.
    Slice(f64),
    /// Selects a body, or deselects.
    Select(Option<AnyBody>),
    /// Opens another scene or run.
    Open(PathBuf),
    /// Opens a scene or run whose file was dropped on the window, or adds a mesh or robot to the scene file.
    Drop(PathBuf),
    /// Replaces a value of a body in the scene file.
    SetValue {
        /// Name of the body.
        body: String,
        /// The field.
        field: BodyField,
        /// The value as text, numbers separated by blanks.
        value: String,
    },
    /// Opens or closes a sketch.
    Sketch,
    /// Moves the sketch to the nearest collision-free poses.
    Repair,
    /// Switches repair during a drag on or off.
    Follow,
    /// Undoes the last change of the sketch, or of the scene file.
    Undo,
    /// Redoes the last undone change of the sketch, or of the scene file.
    Redo,
    /// Saves the sketch to its last file, or to a new file beside the scene.
    Save,
    /// Saves the sketch to a file: the scene as `.ron`, the joints of a robot as `.json`.
    SaveAs(PathBuf),
    /// Simulates the sketch, from rest.
    Simulate,
    /// Shows or hides help.
    Help,
    /// Saves a screenshot under a new name in the current folder.
    Picture,
    /// Saves a screenshot to a file.
    PictureTo(PathBuf),
    /// Closes the help, dismisses the message, closes the sketch, or deselects: the first of these that applies.
    Escape,
    /// Ends the viewer.
    Quit,
}

/// An optional layer of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Contact points, normals and forces.
    Contacts,
    /// Local penetrations: an arrow for each region.
    Penetrations,
    /// Global penetration depth with its bounds, and a ghost at the separated pose.
    Depth,
    /// Walk of a penetration query in contact space, with the free configurations that it starts from.
    Walk,
    /// Distance field on a slice through a body.
    Field,
    /// Boxes of the bounding volume hierarchies.
    Trees,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 6] =
        [Self::Contacts, Self::Penetrations, Self::Depth, Self::Walk, Self::Field, Self::Trees];

    /// Name in panels.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contacts => "Contacts",
            Self::Penetrations => "Local penetrations",
            Self::Depth => "Global penetration depth",
            Self::Walk => "Query walk",
            Self::Field => "Distance field",
            Self::Trees => "Bounding boxes",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Set of shown layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layers(u8);

impl Layers {
    /// Whether a layer is shown.
    #[must_use]
    pub const fn has(self, layer: Layer) -> bool {
        self.0 & layer.bit() != 0
    }

    /// Shows a hidden layer, hides a shown one.
    pub const fn toggle(&mut self, layer: Layer) {
        self.0 ^= layer.bit();
    }

    /// Whether all shown layers are shown in `other` too.
    #[must_use]
    pub const fn are_among(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether no layer is shown.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}
