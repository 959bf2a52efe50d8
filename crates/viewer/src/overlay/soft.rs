//! Colours on soft bodies: depths, contacts, displacements, stresses.

use nalgebra::{Matrix3, Point3, Vector3};

use super::super::{ColorMap, Drawing, Legend, VertexValues};
use super::input::OverlayInput;
use crate::soft_quantity::SoftQuantity;
use extricate_dynamics::World;
use extricate_dynamics::soft::element::Elements;

/// Rest data of the soft bodies.
pub(super) struct SoftShapes {
    bodies: Vec<SoftShape>,
}

/// Rest data of a soft body.
pub(super) struct SoftShape {
    name: String,
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
    pub(super) fn of(world: &World) -> Self {
        let shape = |body: &extricate_dynamics::SoftBodyDescription| {
            let elements = Elements::new(&body.mesh, body.material, body.elements).ok();
            let rest = elements.as_ref().map_or(&[][..], |elements| elements.rest_positions());
            SoftShape {
                name: body.name.clone(),
                start: rest.iter().map(|&x| body.pose * Point3::from(x)).collect(),
                depths: world.soft_depths(&body.name).map(<[f64]>::to_vec).unwrap_or_default(),
                tets: elements.as_ref().map_or_else(Vec::new, |it| it.linear_mesh().tets().to_vec()),
                elements,
            }
        };
        Self { bodies: world.soft_descriptions().iter().map(shape).collect() }
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
        if quantity == SoftQuantity::ContactDepth && !input.live {
            drawing.notes.push("A recording has no contacts.".to_owned());
            return drawing;
        }
        let values = self.bodies.iter().zip(&input.state.soft);
        let values: Vec<Vec<f64>> =
            values.map(|(body, soft)| body.values(input.world, &soft.nodes, quantity)).collect();
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
    fn values(&self, world: &World, nodes: &[Point3<f64>], quantity: SoftQuantity) -> Vec<f64> {
        let values = match quantity {
            SoftQuantity::Depth => self.depths.clone(),
            SoftQuantity::ContactDepth => world.soft_contact_depths(&self.name).unwrap_or_default(),
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

/// Von Mises stress √(3/2 s:s), with the deviator s of the Cauchy stress [Pa].
fn von_mises(cauchy: &Matrix3<f64>) -> f64 {
    let deviator = cauchy - Matrix3::from_diagonal_element(cauchy.trace() / 3.0);
    (1.5 * deviator.norm_squared()).sqrt()
}

/// Value over the maximum, clamped to [0, 1]; zero if the maximum is.
pub(super) fn normalized(value: f64, max: f64) -> f64 {
    if max > 0.0 { (value / max).clamp(0.0, 1.0) } else { 0.0 }
}
