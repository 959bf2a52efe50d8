//! What can be asked of the viewer, by keys, panels and scripts alike.

use std::path::PathBuf;

use crate::soft_quantity::SoftQuantity;

use extricate_dynamics::AnyBody;

/// What can be asked of the viewer.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Plays, or pauses.
    PlayPause,
    /// Takes a single step, or shows the next recorded state; pauses.
    Step,
    /// Shows the recorded state before; pauses.
    StepBack,
    /// Goes back to the start.
    Reset,
    /// Doubles the speed.
    Faster,
    /// Halves the speed.
    Slower,
    /// Sets the speed: simulated seconds per second.
    Speed(f64),
    /// Shows a recorded state, 0 being the start.
    Seek(usize),
    /// Turns the camera's target to what is selected, or to all, and fits it into the picture.
    Fit,
    /// Shows or hides a layer.
    Toggle(Layer),
    /// Colours soft bodies by the next quantity.
    NextColoring,
    /// Colours soft bodies by a quantity.
    Color(Option<SoftQuantity>),
    /// Shows the boxes of this level of the trees.
    TreeLevel(usize),
    /// Shows this step of the walk, counted through all walks of the query.
    WalkStep(usize),
    /// Moves the slice of the distance field: its place along its axis, 0 and 1 at the ends of the body's box.
    Slice(f64),
    /// Selects a body, or nothing.
    Select(Option<AnyBody>),
    /// Begins or ends sketching.
    Sketch,
    /// Puts the sketch into the nearest poses without overlaps.
    Repair,
    /// Repairs while one drags, or stops doing so.
    Follow,
    /// Takes back the last change of the sketch.
    Undo,
    /// Makes it again.
    Redo,
    /// Saves the sketch where it is saved unless one says where.
    Save,
    /// Saves the sketch: the scene if the name ends in `.ron`, the joints of its robot if in `.json`.
    SaveAs(PathBuf),
    /// Simulates the sketch, from rest.
    Simulate,
    /// Shows or hides help.
    Help,
    /// Saves a picture with a new name in the present folder.
    Picture,
    /// Saves a picture to a file.
    PictureTo(PathBuf),
    /// Takes the message away, ends sketching, or deselects: the first of these that does something.
    Escape,
    /// Ends the viewer.
    Quit,
}

/// Something that is drawn on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Contact points, normals and forces.
    Contacts,
    /// Local penetrations: an arrow for each region.
    Penetrations,
    /// Global penetration depth with its bounds, and a ghost where the bodies are apart.
    Depth,
    /// The walk of a query in contact space, with the free configurations it began from.
    Walk,
    /// The distance field on a slice through a body.
    Field,
    /// Boxes of the trees.
    Trees,
}

impl Layer {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Contacts, Self::Penetrations, Self::Depth, Self::Walk, Self::Field, Self::Trees];

    /// Its name in panels.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contacts => "Contacts",
            Self::Penetrations => "Local penetrations",
            Self::Depth => "Global depth and ghost",
            Self::Walk => "Walk of a query",
            Self::Field => "Distance field",
            Self::Trees => "Boxes of trees",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Which layers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layers(u8);

impl Layers {
    /// Whether a layer is shown.
    #[must_use]
    pub const fn has(self, layer: Layer) -> bool {
        self.0 & layer.bit() != 0
    }

    /// Shows what is hidden, hides what is shown.
    pub const fn toggle(&mut self, layer: Layer) {
        self.0 ^= layer.bit();
    }

    /// Whether none is shown.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}
