//! Colours on soft bodies: depths, contacts, displacements, stresses.

use nalgebra::{Matrix3, Point3, Vector3};

use super::super::{ColorMap, Drawing, Legend, VertexValues};
use super::input::OverlayInput;
use super::shapes::SceneShapes;
use crate::soft_quantity::SoftQuantity;
use extricate_dynamics::World;
use extricate_dynamics::soft::element::Elements;

/// Note that contact depths of soft bodies are unknown.
const NO_DEPTHS: &str = "Depths of contacts are not recorded.";

/// Rest data of the soft bodies.
pub(super) struct SoftShapes {
    bodies: Vec<SoftShape>,
}

/// Rest data of a soft body.
pub(super) struct SoftShape {
    /// `None` if the mesh has no elements, which a world rejects.
    elements: Option<Elements>,
    /// Nodes at the start [m, world].
    start: Vec<Point3<f64>>,
    /// Depths of the nodes [m].
    pub(super) depths: Vec<f64>,
    /// Linear tetrahedra `#T × 4` between the nodes.
    pub(super) tets: Vec<[u32; 4]>,
}

impl SoftShapes {
    pub(super) fn of(shapes: &SceneShapes) -> Self {
        let shape = |(body, depths): (&extricate_dynamics::SoftBodyDescription, &Vec<f64>)| {
            let elements = Elements::new(&body.mesh, body.material, body.elements).ok();
            let rest = elements.as_ref().map_or(&[][..], |elements| elements.rest_positions());
            SoftShape {
                start: rest.iter().map(|&x| body.pose * Point3::from(x)).collect(),
                depths: depths.clone(),
                tets: elements.as_ref().map_or_else(Vec::new, |it| it.linear_mesh().tets().to_vec()),
                elements,
            }
        };
        Self { bodies: shapes.soft.iter().zip(&shapes.soft_depths).map(shape).collect() }
    }

    /// The bodies with the depths of their nodes.
    pub(super) fn depths(&self) -> &[SoftShape] {
        &self.bodies
    }

    /// Colours on all soft bodies, from zero to `max`, or to the maximum value present.
    pub(super) fn colors(&self, input: &OverlayInput, quantity: SoftQuantity, max: Option<f64>) -> Drawing {
        let mut drawing = Drawing::default();
        if self.bodies.is_empty() {
            drawing.notes.push("No soft body to colour.".to_owned());
            return drawing;
        }
        if quantity == SoftQuantity::ContactDepth && input.contact_depths.is_none() {
            drawing.notes.push(NO_DEPTHS.to_owned());
            return drawing;
        }
        let depths = |body: usize| input.contact_depths.and_then(|depths| depths.get(body));
        let values = self.bodies.iter().zip(&input.state.soft).enumerate().map(|(index, (body, soft))| {
            body.values(depths(index).map_or(&[][..], Vec::as_slice), &soft.nodes, quantity)
        });
        let values: Vec<Vec<f64>> = values.collect();
        let max = max.unwrap_or_else(|| values.iter().flatten().copied().fold(0.0, f64::max));
        let map = ColorMap::default();
        for (body, values) in values.iter().enumerate() {
            let values = values.iter().map(|value| normalized(*value, max)).collect();
            drawing.soft_values.insert(body, VertexValues { values, map });
        }
        drawing.legends.push(Legend { title: quantity.title().to_owned(), range: [0.0, max], map });
        drawing
    }
}

impl SoftShape {
    /// Values of a quantity at all nodes.
    fn values(&self, contact_depths: &[f64], nodes: &[Point3<f64>], quantity: SoftQuantity) -> Vec<f64> {
        let values = match quantity {
            SoftQuantity::Depth => self.depths.clone(),
            SoftQuantity::ContactDepth => contact_depths.to_vec(),
            SoftQuantity::Displacement => {
                self.start.iter().zip(nodes).map(|(start, now)| (now - start).norm()).collect()
            }
            SoftQuantity::Stress => self.stresses(nodes),
        };
        if values.len() == nodes.len() { values } else { vec![0.0; nodes.len()] }
    }

    /// Von Mises stress at the nodes [Pa]: means of the elements around them, weighted by their volumes at rest.
    fn stresses(&self, nodes: &[Point3<f64>]) -> Vec<f64> {
        let Some(elements) = self.elements.as_ref().filter(|it| it.node_count() == nodes.len()) else {
            return Vec::new();
        };
        let x: Vec<Vector3<f64>> = nodes.iter().map(|node| node.coords).collect();
        let mut sums = vec![[0.0; 2]; nodes.len()];
        for element in 0..elements.element_count() {
            let stress = von_mises(&elements.cauchy(element, &x));
            // Elements without a finite stress, such as collapsed ones, are left out of the means.
            if !stress.is_finite() {
                continue;
            }
            let volume = elements.rest_volume(element);
            for &node in elements.nodes_of(element) {
                let [sum, all] = &mut sums[node as usize];
                *sum += volume * stress;
                *all += volume;
            }
        }
        sums.into_iter().map(|[sum, volume]| if volume > 0.0 { sum / volume } else { 0.0 }).collect()
    }
}

/// Depths of contacts at the nodes of each soft body of a world \[m\].
pub(crate) fn contact_depths(world: &World) -> Vec<Vec<f64>> {
    let bodies = world.soft_descriptions().iter();
    bodies.map(|body| world.soft_contact_depths(&body.name).unwrap_or_default()).collect()
}

/// Von Mises stress √(3/2 s:s), with the deviator s of the Cauchy stress [Pa].
fn von_mises(cauchy: &Matrix3<f64>) -> f64 {
    let deviator = cauchy - Matrix3::from_diagonal_element(cauchy.trace() / 3.0);
    (1.5 * deviator.norm_squared()).sqrt()
}

/// Value over the maximum, clamped to [0, 1]; zero if the maximum is.
pub(super) fn normalized(value: f64, max: f64) -> f64 {
    if max > 0.0 { (value / max).clamp(0.0, 1.0) } else { 0.0 }
}
