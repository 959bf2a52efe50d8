//! Depths and stresses of soft bodies against closed forms.

use super::*;
use crate::NodeDepths;
use crate::WorldContact;
use crate::soft::element::ElementKind;

/// Poisson's ratio of `rubber`.
const POISSON: f64 = 0.3;

fn alone(body: SoftBodyDescription) -> World {
    let mut builder = World::builder(WorldOptions::default());
    builder.add_soft_body(body).unwrap();
    built(builder)
}

/// Moves every node of the first soft body.
fn deform(world: &mut World, place: impl Fn(&Vector3<f64>) -> Vector3<f64>) {
    let soft = world.soft.as_mut().unwrap();
    soft.system.x.iter_mut().for_each(|x| *x = place(x));
    soft.update_overlaps();
}

#[test]
fn a_block_that_is_stretched_has_the_stress_of_uniaxial_tension() {
    for (kind, stretch) in
        [(ElementKind::Linear, 1.2), (ElementKind::Quadratic, 1.2), (ElementKind::Linear, 0.7)]
    {
        let mut body = soft_cube("cube", 0.0);
        (body.elements, body.material) = (kind, rubber(1e5));
        let mut world = alone(body);
        assert!(world.soft_stress("cube").unwrap().iter().all(|stress| *stress < 1e-6), "at rest");
        // Corotational: P₁ = E (λ₁ − 1) where λ₂ = λ₃ = 1 − ν (λ₁ − 1) leaves the sides free, and σ = P₁/λ₂². Rotated.
        let across = 1.0 - POISSON * (stretch - 1.0);
        let rotation = nalgebra::Rotation3::new(Vector3::new(0.3, -1.0, 0.5));
        deform(&mut world, |x| rotation * x.component_mul(&Vector3::new(stretch, across, across)));
        let expected = 1e5 * (stretch - 1.0_f64).abs() / (across * across);
        let (elements, nodes) = (world.soft_stress("cube").unwrap(), world.soft_node_stress("cube").unwrap());
        assert_eq!(elements.len(), world.soft_descriptions()[0].mesh.tets().len());
        assert_eq!(nodes.len(), world.soft_positions("cube").unwrap().len());
        for stress in elements.iter().chain(&nodes) {
            assert!((stress - expected).abs() < 1e-9 * expected, "{kind:?} {stress} {expected}");
        }
    }
}

#[test]
fn the_stress_at_a_node_is_the_mean_of_the_elements_around_it_by_volume() {
    let mut world = alone(soft_cube("cube", 0.0));
    deform(&mut world, |x| x + Vector3::new(8.0 * x.x * x.x, 4.0 * x.x * x.y, 0.0));
    let (elements, nodes) = (world.soft_stress("cube").unwrap(), world.soft_node_stress("cube").unwrap());
    let mesh = &world.soft_descriptions()[0].mesh;
    for node in [0, 13, 26_u32] {
        let around = (0..mesh.tets().len()).filter(|&tet| mesh.tets()[tet].contains(&node));
        let (sum, volume) = around.fold((0.0, 0.0), |(sum, volume), tet| {
            let [a, b, c, d] = mesh.tet(tet);
            let own = (b - a).cross(&(c - a)).dot(&(d - a));
            (sum + own * elements[tet], volume + own)
        });
        assert!((nodes[node as usize] - sum / volume).abs() < 1e-9 * nodes[node as usize]);
    }
    let [min, most] =
        [f64::min as fn(f64, f64) -> f64, f64::max].map(|f| elements.iter().copied().reduce(f).unwrap());
    assert!(most > 2.0 * min, "stresses differ: {min} {most}");
    assert_eq!(world.soft_node_stress("no such body"), None);
}

#[test]
fn depths_of_the_nodes_of_a_cube_are_their_distances_to_its_faces() {
    // Marching is exact where one face is nearest, and too small elsewhere: by half a cell at most between two or three faces, by a
    // whole one between all six.
    let of_grid = (NodeDepths::Grid { resolution: 20 }, 0.1 / 19.0, 1e-9);
    for (depths, cell, rounding) in [(NodeDepths::Exact, 0.0, 1e-15), of_grid] {
        let mut body = soft_cube("cube", 0.7);
        (body.mesh, body.depths) = (cube(4, 0.1), depths);
        let world = alone(body);
        let depths = world.soft_depths("cube").unwrap();
        let (mesh, mut inside) = (&world.soft_descriptions()[0].mesh, 0);
        for (node, depth) in mesh.nodes().iter().zip(depths) {
            let expected = 0.05 - node.coords.amax();
            let nearest = node.coords.iter().filter(|x| (x.abs() - node.coords.amax()).abs() < 1e-9).count();
            let too_small = match (nearest, expected) {
                (1, _) | (_, ..1e-9) => rounding,
                (_, 0.049..) => cell + rounding,
                _ => 0.5 * cell + rounding,
            };
            assert!((-rounding..=too_small).contains(&(expected - depth)), "{node} {depth} {expected}");
            inside += usize::from(*depth > 1e-3);
        }
        assert_eq!((inside, depths.len()), (27, 125));
        assert_eq!(world.soft_depths("no such body"), None);
    }
}

#[test]
fn a_cube_that_is_pressed_into_the_ground_has_contact_depths_below_it_and_nowhere_else() {
    let mut builder = World::builder(options(1e6, 0.01));
    builder.add_body(ground()).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.048)).unwrap();
    let world = built(builder);
    let depths = world.soft_contact_depths("cube").unwrap();
    for (x, depth) in world.soft_positions("cube").unwrap().iter().zip(&depths) {
        let expected = (-x.z).max(0.0);
        assert!((depth - expected).abs() < 1e-15, "{x} {depth}");
    }
    assert_eq!(depths.iter().filter(|depth| **depth > 0.0).count(), 9);
    let contacts = world.contacts();
    let is_up = |c: &WorldContact| (c.normal.z - 1.0).abs() < 1e-15 && (c.depth - 0.002).abs() < 1e-15;
    assert!(contacts.len() == 9 && contacts.iter().all(is_up), "{contacts:?}");
    assert!(contacts.iter().all(|c| (c.point.z + 0.002).abs() < 1e-15));
}
