//! Everything drawn besides the bodies, as plain data that the stage shows.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::{Color, ColorMap};
use extricate_core::geometry::TriangleMesh;

/// Everything drawn besides the bodies, and changes of how bodies are drawn. World frame, metres.
#[derive(Debug, Clone, Default)]
pub struct Drawing {
    /// Lines.
    pub lines: Vec<Line>,
    /// Arrows.
    pub arrows: Vec<Arrow>,
    /// Points, drawn as small balls.
    pub points: Vec<Point>,
    /// Texts at positions.
    pub labels: Vec<Label>,
    /// Transparent copies of meshes at other poses.
    pub ghosts: Vec<Ghost>,
    /// Coloured surfaces.
    pub patches: Vec<Patch>,
    /// Colours of bodies that are not drawn in their own, by index in [`Models::bodies`](super::Models::bodies).
    pub tints: HashMap<usize, Color>,
    /// Colours of soft bodies that are not drawn in their own, by index in [`Models::soft`](super::Models::soft).
    pub soft_tints: HashMap<usize, Color>,
    /// Values on the nodes of soft bodies, drawn as colours, by index in [`Models::soft`](super::Models::soft).
    pub soft_values: HashMap<usize, VertexValues>,
    /// Opacity of bodies without a tint: below one where something inside them is shown.
    pub opacity: Option<f32>,
    /// Legends of colour maps.
    pub legends: Vec<Legend>,
    /// Lines of text in a corner.
    pub notes: Vec<String>,
}

impl Drawing {
    /// Removes labels, legends and notes, and returns a drawing of them; `None` if there are none.
    pub(crate) fn take_texts(&mut self) -> Option<Self> {
        let texts = Self {
            labels: std::mem::take(&mut self.labels),
            legends: std::mem::take(&mut self.legends),
            notes: std::mem::take(&mut self.notes),
            ..Self::default()
        };
        let is_empty = texts.labels.is_empty() && texts.legends.is_empty() && texts.notes.is_empty();
        (!is_empty).then_some(texts)
    }

    /// Adds another drawing; its tints, opacity and values replace those of this one.
    pub fn extend(&mut self, other: Self) {
        self.lines.extend(other.lines);
        self.arrows.extend(other.arrows);
        self.points.extend(other.points);
        self.labels.extend(other.labels);
        self.ghosts.extend(other.ghosts);
        self.patches.extend(other.patches);
        self.tints.extend(other.tints);
        self.soft_tints.extend(other.soft_tints);
        self.soft_values.extend(other.soft_values);
        self.legends.extend(other.legends);
        self.notes.extend(other.notes);
        self.opacity = other.opacity.or(self.opacity);
    }
}

/// A straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Its ends \[m\].
    pub ends: [Point3<f64>; 2],
    /// Its colour.
    pub color: Color,
    /// Its width [logical pixels].
    pub width: f32,
    /// Whether it is visible through objects in front of it.
    pub on_top: bool,
}

/// An arrow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrow {
    /// Its tail \[m\].
    pub from: Point3<f64>,
    /// Vector from tail to tip \[m\].
    pub along: Vector3<f64>,
    /// Its colour.
    pub color: Color,
    /// Thickness of the shaft over the default one.
    pub thickness: f32,
}

/// A point, drawn as a small ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its position \[m\].
    pub at: Point3<f64>,
    /// Its colour.
    pub color: Color,
    /// Its size over the default one.
    pub size: f32,
}

/// A text at a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Its position \[m\].
    pub at: Point3<f64>,
    /// The text.
    pub text: String,
    /// Its colour.
    pub color: Color,
}

/// A copy of a mesh at another pose.
#[derive(Debug, Clone)]
pub struct Ghost {
    /// The mesh; the same pointer is uploaded once.
    pub mesh: Arc<TriangleMesh>,
    /// Mesh → world.
    pub pose: Isometry3<f64>,
    /// Its colour and opacity.
    pub color: Color,
}

/// A coloured surface, visible from both sides and without shading.
#[derive(Debug, Clone)]
pub struct Patch {
    /// Its vertices \[m\].
    pub vertices: Vec<Point3<f64>>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// A value in [0, 1] for each vertex.
    pub values: Vec<f64>,
    /// The colour map of the values.
    pub map: ColorMap,
}

/// Values on the nodes of a soft body.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexValues {
    /// A value in [0, 1] for each node.
    pub values: Vec<f64>,
    /// The colour map of the values.
    pub map: ColorMap,
}

/// Legend of a colour map.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// The quantity with its unit: `Von Mises stress [Pa]`.
    pub title: String,
    /// The values of both ends.
    pub range: [f64; 2],
    /// The colour map.
    pub map: ColorMap,
}
