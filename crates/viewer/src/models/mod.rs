//! Drawable models of the bodies of a scene.

mod mass;

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::{Color, palette};
use extricate_core::geometry::{Aabb, ShapeError, TriangleMesh};
use extricate_dynamics::{BodyDescription, BodyKind, World};
use extricate_scene::record::WorldState;
use extricate_scene::record::export::surface::shared_surface;

/// Drawable models of the bodies of a scene.
#[derive(Debug, Clone)]
pub struct Models {
    /// Its bodies, sorted by name as in [`World::descriptions`].
    pub bodies: Vec<BodyModel>,
    /// Its soft bodies, sorted by name as in [`World::soft_descriptions`].
    pub soft: Vec<SoftModel>,
    /// Its half-spaces.
    pub grounds: Vec<Ground>,
}

/// Drawable model of a rigid body.
#[derive(Debug, Clone)]
pub struct BodyModel {
    /// Its name.
    pub name: String,
    /// Fixed, dynamic or kinematic.
    pub kind: BodyKind,
    /// Its surface [m, body frame]; bodies of equal shape share one mesh. `None` for a half-space.
    pub mesh: Option<Arc<TriangleMesh>>,
    /// Its colour.
    pub color: Color,
    /// Its mass \[kg\], if it is dynamic and the mass is known.
    pub mass: Option<f64>,
}

/// Drawable model of a soft body.
#[derive(Debug, Clone)]
pub struct SoftModel {
    /// Its name.
    pub name: String,
    /// Indices of the nodes on its surface.
    pub nodes: Vec<u32>,
    /// Surface triangles `#T × 3`, indices into `nodes`, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Its colour.
    pub color: Color,
}

/// A half-space that is drawn as a plane with a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ground {
    /// Index of its body.
    pub body: usize,
}

impl Models {
    /// Drawable models of a world.
    ///
    /// # Errors
    /// [`ShapeError`] when a shape has no surface that can be drawn.
    pub fn of(world: &World) -> Result<Self, ShapeError> {
        let mut shapes = Vec::new();
        let (mut bodies, mut grounds) = (Vec::new(), Vec::new());
        let mut colors = Colors::default();
        for (index, body) in world.descriptions().iter().enumerate() {
            if body.shape.is_half_space() {
                grounds.push(Ground { body: index });
            }
            let mesh = shared_surface(&body.shape, &mut shapes)?;
            let mass = mass::of(body);
            bodies.push(BodyModel {
                name: body.name.clone(),
                kind: body.kind,
                mesh,
                color: colors.next(body),
                mass,
            });
        }
        let soft = world.soft_descriptions().iter().map(|body| {
            let boundary = body.mesh.boundary();
            let mut place = vec![0; body.mesh.nodes().len()];
            for (index, &node) in (0_u32..).zip(&boundary.nodes) {
                place[node as usize] = index;
            }
            let triangles = boundary.faces.iter().map(|face| face.map(|node| place[node as usize])).collect();
            SoftModel {
                name: body.name.clone(),
                nodes: boundary.nodes,
                triangles,
                color: colors.next_of_palette(),
            }
        });
        Ok(Self { soft: soft.collect(), bodies, grounds })
    }

    /// Index of the body with a name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.binary_search_by(|body| body.name.as_str().cmp(name)).ok()
    }

    /// Number of triangles of all bodies, soft ones included.
    #[must_use]
    pub fn triangles(&self) -> usize {
        let rigid = self.bodies.iter().filter_map(|body| body.mesh.as_ref());
        let rigid: usize = rigid.map(|mesh| mesh.triangles().len()).sum();
        rigid + self.soft.iter().map(|body| body.triangles.len()).sum::<usize>()
    }

    /// Bounding box of everything but half-spaces [m, world]; of the movable bodies if `moving` and there are any.
    #[must_use]
    pub fn bounds(&self, state: &WorldState, moving: bool) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        for (body, pose) in self.bodies.iter().zip(state.poses()) {
            let Some(mesh) = body.mesh.as_ref().filter(|_| !moving || body.kind != BodyKind::Fixed) else {
                continue;
            };
            let Aabb { min, max } = mesh.aabb();
            for corner in 0..8 {
                let side = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
                bounds.include(&(pose * Point3::new(side(0), side(1), side(2))));
            }
        }
        state.soft.iter().flat_map(|soft| &soft.nodes).for_each(|node| bounds.include(node));
        let is_empty = !(bounds.extents().norm() >= 0.0);
        if is_empty && moving { self.bounds(state, false) } else { bounds }
    }
}

/// Assignment of colours to bodies in the order of their names.
#[derive(Default)]
struct Colors {
    /// Numbers of palette colours assigned and of robots met so far.
    used: usize,
    robots: usize,
    /// Robot of the last link, and the number of its links so far.
    robot: String,
    links: usize,
}

impl Colors {
    /// Colour of the next body: grey for fixed ones, two alternating tones of one colour for the links of a robot
    /// (`robot/link`), the palette cyclically for the others.
    fn next(&mut self, body: &BodyDescription) -> Color {
        match body.name.split_once('/') {
            Some((robot, _)) => self.link(robot),
            None if body.kind == BodyKind::Fixed => palette::FIXED,
            None => self.next_of_palette(),
        }
    }

    /// The next colour of the palette.
    fn next_of_palette(&mut self) -> Color {
        self.used += 1;
        palette::BODIES[(self.used - 1) % palette::BODIES.len()]
    }

    fn link(&mut self, robot: &str) -> Color {
        /// Weight of a robot's own colour in the tones of its links; the first robot has plain tones.
        const OWN: f32 = 0.4;
        if self.robot != robot {
            robot.clone_into(&mut self.robot);
            self.robots += 1;
            self.links = 0;
        }
        self.links += 1;
        let tone = palette::LINKS[self.links % palette::LINKS.len()];
        match self.robots.checked_sub(2) {
            None => tone,
            Some(other) => tone.mixed(palette::BODIES[other % palette::BODIES.len()], OWN),
        }
    }
}

impl Ground {
    /// Plane → world: the plane is z = 0, its normal z.
    #[must_use]
    pub fn pose(&self, state: &WorldState) -> Isometry3<f64> {
        let body = state.pose(self.body);
        let up = body.rotation * Vector3::z();
        let rotation = nalgebra::UnitQuaternion::rotation_between(&Vector3::z(), &up);
        // Antiparallel normals have no unique axis of rotation; any horizontal one serves.
        let rotation = rotation.unwrap_or_else(|| {
            nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
        });
        Isometry3::from_parts(body.translation, rotation)
    }
}
