//! Soft bodies meet robots.

use std::path::Path;

use super::*;
use crate::RobotDescription;
use crate::SoftAttachment;
use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};

/// A cart of 2 kg that slides along x.
const CART: &str = r#"<robot name="cart">
  <link name="rail"/>
  <link name="cart">
    <inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/></joint>
</robot>"#;

/// A soft cube left of a cart, in weightlessness.
fn beside_a_cart(change: impl FnOnce(&mut SoftBodyDescription)) -> World {
    let mut weightless = options(1e6, 1e-3);
    weightless.gravity = Vector3::zeros();
    weightless.soft.newton.relative_tolerance = 1e-12;
    weightless.soft.linear.relative_tolerance = 1e-12;
    let mut builder = World::builder(weightless);
    let robot = parse_urdf(CART, Path::new("cart.urdf"), &UrdfOptions::default()).unwrap();
    builder.add_robot(RobotDescription::new("cart", robot, Isometry3::identity())).unwrap();
    let mut cube = soft_cube("cube", 0.0);
    cube.pose.translation.vector.x = -0.155;
    cube.material = Material::new(Constitutive::Corotational, DENSITY, 1e5, 0.3).unwrap();
    change(&mut cube);
    builder.add_soft_body(cube).unwrap();
    built(builder)
}

#[test]
fn a_soft_body_that_hits_a_link_gives_it_the_momentum_that_it_loses() {
    let mut world = beside_a_cart(|cube| cube.linear_velocity.x = 1.0);
    run(&mut world, 0.1);
    let cart = world.body("cart/cart").unwrap().linear_velocity.x;
    let cube = world.soft_body("cube").unwrap().velocity.x;
    assert!(cart > 0.3 && cube < 0.4, "{cart} {cube}");
    assert!((2.0 * cart + cube - 1.0).abs() < 1e-9, "{cart} {cube}");
}

#[test]
fn a_soft_body_that_is_attached_to_a_link_drags_it_along() {
    let mut world = beside_a_cart(|cube| {
        let right = (0_u32..).zip(cube.mesh.nodes()).filter(|(_, node)| node.x > 0.049);
        let nodes = right.map(|(index, _)| index).collect();
        cube.attachments = vec![SoftAttachment { body: "cart/cart".into(), nodes, stiffness: 100.0 }];
        cube.linear_velocity.x = -0.5;
    });
    run(&mut world, 0.15);
    let cart = world.body("cart/cart").unwrap().linear_velocity.x;
    let cube = world.soft_body("cube").unwrap().velocity.x;
    assert!(cart < -0.04, "{cart} {cube}");
    // rapier's robots feel a force one of the six substeps late.
    let late = 1e-3 / 6.0 * world.soft_load("cart/cart").unwrap().force.x;
    assert!(late < -1e-4 && (2.0 * cart + late + cube + 0.5).abs() < 1e-9, "{cart} {late} {cube}");
}
