//! Draws scenes as a picture, at the start or after some simulated time:
//!
//! ```text
//! cargo run --release --example picture -- SCENE.ron… OUT.png [SECONDS]… [--overlaps] [--eye=X,Y,Z]
//! ```
//!
//! Several scenes or times give several pictures side by side, all seen from where the first one is. With `--overlaps`, bodies
//! that overlap another one are vermilion and the others green, what is fixed is of glass, and what moves fills the picture.
//! `--eye` is the direction to look from. Parallel projection, one light with shadows, a ground grid of
//! tenths of a metre where the scene has a half-space; colours are told apart by colour-blind readers (Okabe–Ito).

#![expect(
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program; pixels and colours"
)]

mod raster;

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;

use extricate::dynamics::{BodyDescription, BodyKind, Shape, World};
use extricate::geometry::procedural::{Capsule, Cone, Cuboid, Cylinder, Procedural, Sphere};
use extricate::geometry::{Aabb, TriangleMesh};
use extricate::penetration::Effort;
use extricate::scene::{Scene, overlaps};
use nalgebra::{Isometry3, Point3, Vector3};
use raster::{Buffer, Fragment, View};

/// Pixels of one picture, before the smoothing halves them.
const SIZE: [usize; 2] = [1040, 1200];
/// Okabe and Ito's palette.
const PALETTE: [[f64; 3]; 7] = [
    [0.90, 0.62, 0.00],
    [0.34, 0.71, 0.91],
    [0.00, 0.62, 0.45],
    [0.80, 0.47, 0.65],
    [0.94, 0.89, 0.26],
    [0.00, 0.45, 0.70],
    [0.84, 0.37, 0.00],
];
const BACKGROUND: [f64; 3] = [0.96, 0.97, 0.98];
const FIXED: [f64; 3] = [0.62, 0.64, 0.67];
/// Of what overlaps, and of what does not, where that is the question.
const OVERLAPPING: [f64; 3] = PALETTE[6];
const FREE: [f64; 3] = PALETTE[2];
/// Width of the picture over that of what moves.
const FRAME: f64 = 1.5;
/// How much of what is behind glass is hidden by it.
const GLASS: f64 = 0.45;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn mesh_of(shape: &Shape) -> Result<Option<TriangleMesh>> {
    Ok(Some(match *shape {
        Shape::Mesh(ref model) => model.mesh().clone(),
        Shape::Ball { radius } => Sphere { radius, ..Sphere::default() }.mesh()?,
        Shape::Cuboid { size } => Cuboid { x: size.x, y: size.y, z: size.z, ..Cuboid::default() }.mesh()?,
        Shape::Capsule { radius, length } => Capsule { radius, length, ..Capsule::default() }.mesh()?,
        Shape::Cylinder { radius, height } => Cylinder { radius, height, ..Cylinder::default() }.mesh()?,
        Shape::Cone { radius, height } => Cone { radius, height, ..Cone::default() }.mesh()?,
        Shape::Hull(_) | Shape::Rounded { .. } => shape.surface().ok_or("a hull has no area")?,
        Shape::HalfSpace { .. } => return Ok(None),
    }))
}

/// A body that is drawn.
struct Drawn {
    mesh: TriangleMesh,
    color: [f64; 3],
    /// Whether what is behind it is seen.
    glass: bool,
}

/// What is drawn: bodies by name, and the ground.
struct Stage {
    bodies: HashMap<String, Drawn>,
    ground: Option<f64>,
    view: View,
    light: View,
}

impl Stage {
    fn new(world: &World, eye: Vector3<f64>) -> Result<Self> {
        let bodies = world.descriptions();
        let mut drawn = HashMap::new();
        let mut bounds = Aabb::EMPTY;
        let mut ground = None;
        for (index, body) in bodies.iter().enumerate() {
            let Some(mesh) = mesh_of(&body.shape)? else {
                ground = Some(body.pose.translation.z);
                continue;
            };
            mesh.vertices().iter().for_each(|p| bounds.include(&(body.pose * p)));
            let color = if body.kind == BodyKind::Dynamic { PALETTE[index % PALETTE.len()] } else { FIXED };
            drawn.insert(body.name.clone(), Drawn { mesh, color, glass: false });
        }
        for body in world.soft_descriptions() {
            let nodes = world.soft_positions(&body.name).unwrap_or_default();
            nodes.iter().for_each(|&p| bounds.include(&p.into()));
        }
        let [width, height] = SIZE;
        let radius = 0.5 * bounds.extents().norm();
        let seen_from = |eye, scale, width, height| View {
            axes: View::from(eye),
            middle: bounds.center(),
            scale,
            width,
            height,
        };
        let view = seen_from(eye, 0.48 * width as f64 / radius, width, height);
        let light = seen_from(Vector3::new(0.6, -0.5, 1.6), 600.0 / radius, 1600, 1600);
        Ok(Self { bodies: drawn, ground, view, light })
    }

    /// Takes the surfaces of soft bodies as they are now; they are in the world's frame.
    fn deform(&mut self, world: &World) -> Result<()> {
        for (index, body) in world.soft_descriptions().iter().enumerate() {
            let nodes = world.soft_positions(&body.name).unwrap_or_default();
            let boundary = body.mesh.boundary();
            let mut place = vec![0; nodes.len()];
            for (index, &node) in (0_u32..).zip(&boundary.nodes) {
                place[node as usize] = index;
            }
            let vertices = boundary.nodes.iter().map(|&node| nodes[node as usize].into()).collect();
            let triangles = boundary.faces.iter().map(|face| face.map(|node| place[node as usize])).collect();
            let mesh = TriangleMesh::new(vertices, triangles)?;
            let color = PALETTE[(world.descriptions().len() + index) % PALETTE.len()];
            self.bodies.insert(body.name.clone(), Drawn { mesh, color, glass: false });
        }
        Ok(())
    }

    /// Looks at what moves, so that it fills the picture.
    fn fit(&mut self, bodies: &[BodyDescription]) {
        let mut seen = Aabb::EMPTY;
        for body in bodies.iter().filter(|body| body.kind == BodyKind::Dynamic) {
            let Some(drawn) = self.bodies.get(&body.name) else { continue };
            for vertex in drawn.mesh.vertices() {
                seen.include(&(self.view.axes * (body.pose * vertex)));
            }
        }
        let size = seen.extents();
        let fits = |pixels: usize, length: f64| pixels as f64 / (FRAME * length);
        self.view.scale = fits(self.view.width, size.x).min(fits(self.view.height, size.y));
        self.view.middle = self.view.axes.transpose() * seen.center();
    }

    /// Colours what overlaps and what does not, and makes glass of what is fixed.
    fn mark_overlaps(&mut self, world: &World) -> Result<()> {
        let pairs = overlaps(world, Effort::Fast)?;
        let overlapping: HashSet<_> = pairs.iter().flat_map(|pair| &pair.bodies).collect();
        for body in world.descriptions() {
            let Some(drawn) = self.bodies.get_mut(&body.name) else { continue };
            drawn.glass = body.kind != BodyKind::Dynamic;
            if !drawn.glass {
                drawn.color = if overlapping.contains(&body.name) { OVERLAPPING } else { FREE };
            }
        }
        Ok(())
    }

    /// Linear colours of all pixels, row by row.
    fn draw(&self, poses: &[(String, Isometry3<f64>)]) -> Vec<[f64; 3]> {
        let mut seen = [false, true].map(|_| Buffer::new(self.view.clone()));
        let mut lit = Buffer::new(self.light.clone());
        for (index, (name, pose)) in poses.iter().enumerate() {
            let Some(Drawn { mesh, glass, .. }) = self.bodies.get(name) else { continue };
            for triangle in 0..mesh.triangles().len() {
                let corners = mesh.triangle(triangle).map(|p| pose * p);
                seen[usize::from(*glass)].draw(&corners, index);
                if !glass {
                    lit.draw(&corners, index);
                }
            }
        }
        let [solid, glass] = &seen;
        let color = |pixel: usize| {
            let behind = self.shade(solid, &lit, poses, pixel);
            let before = |met: &Fragment| {
                solid.fragments[pixel].as_ref().is_none_or(|behind| met.height > behind.height)
            };
            if glass.fragments[pixel].as_ref().is_some_and(before) {
                let front = self.shade(glass, &lit, poses, pixel);
                return std::array::from_fn(|k| behind[k] + GLASS * (front[k] - behind[k]));
            }
            behind
        };
        (0..solid.fragments.len()).map(color).collect()
    }

    fn shade(
        &self,
        seen: &Buffer,
        lit: &Buffer,
        poses: &[(String, Isometry3<f64>)],
        pixel: usize,
    ) -> [f64; 3] {
        let at =
            Vector3::new((pixel % self.view.width) as f64 + 0.5, (pixel / self.view.width) as f64 + 0.5, 0.0);
        let (point, normal, color) = match (&seen.fragments[pixel], self.ground_at(&at)) {
            (Some(met), ground) if ground.is_none_or(|(height, _)| height <= met.height) => {
                let point = seen.view.unproject(&Vector3::new(at.x, at.y, met.height));
                (point, met.normal, self.bodies[&poses[met.body].0].color)
            }
            (_, Some((_, point))) => {
                let cell = |x: f64| (x * 10.0 - (x * 10.0).round()).abs() < 0.04;
                let line = if cell(point.x) || cell(point.y) { 0.86 } else { 0.93 };
                (point, Vector3::z(), [line; 3])
            }
            _ => return BACKGROUND,
        };
        let to_light = self.light.axes.row(2).transpose();
        let tolerance = 4.0 / self.light.scale;
        let shadow = if lit.hides(&(point + normal * tolerance), tolerance) { 0.0 } else { 1.0 };
        let light = 0.45 + 0.15 * normal.z.max(-0.5) + 0.45 * shadow * normal.dot(&to_light).max(0.0);
        color.map(|channel| channel * light.min(1.05))
    }

    /// Where the ray through a pixel meets the ground: height towards the eye, and point.
    fn ground_at(&self, at: &Vector3<f64>) -> Option<(f64, Point3<f64>)> {
        let ground = self.ground?;
        let origin = self.view.unproject(at);
        let towards = self.view.axes.row(2).transpose();
        let height = (ground - origin.z) / towards.z;
        Some((height, origin + towards * height))
    }
}

/// Writes pictures side by side, two by two pixels averaged.
fn write(path: &str, pictures: &[Vec<[f64; 3]>]) -> Result<()> {
    let [width, height] = SIZE.map(|x| x / 2);
    let mut bytes = Vec::with_capacity(3 * width * height * pictures.len());
    for row in 0..height {
        for picture in pictures {
            for column in 0..width {
                let corner = 2 * row * SIZE[0] + 2 * column;
                let four = [corner, corner + 1, corner + SIZE[0], corner + SIZE[0] + 1];
                for channel in 0..3 {
                    let mean = four.iter().map(|&i| picture[i][channel]).sum::<f64>() / 4.0;
                    bytes.push((mean.clamp(0.0, 1.0) * 255.0).round() as u8);
                }
            }
        }
    }
    let mut encoder = png::Encoder::new(
        BufWriter::new(File::create(path)?),
        (width * pictures.len()) as u32,
        height as u32,
    );
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}

/// What the command line asks for.
struct Request {
    scenes: Vec<String>,
    out: String,
    times: Vec<f64>,
    overlaps: bool,
    eye: Vector3<f64>,
}

impl Request {
    fn read() -> Result<Self> {
        let (mut scenes, mut out, mut times, mut overlaps) = (Vec::new(), None, Vec::new(), false);
        let mut eye = Vector3::new(1.0, -2.2, 0.9);
        for argument in std::env::args().skip(1) {
            match argument.as_str() {
                "--overlaps" => overlaps = true,
                look if look.starts_with("--eye=") => {
                    let numbers = look["--eye=".len()..].split(',').map(str::parse);
                    let numbers = numbers.collect::<std::result::Result<Vec<f64>, _>>()?;
                    eye = Vector3::from(<[f64; 3]>::try_from(numbers).map_err(|_| "--eye=X,Y,Z")?);
                }
                name if name.ends_with(".ron") => scenes.push(argument),
                name if name.ends_with(".png") => out = Some(argument),
                number => times.push(number.parse::<f64>().map_err(|error| format!("{number}: {error}"))?),
            }
        }
        let usage = "usage: picture SCENE.ron… OUT.png [SECONDS]… [--overlaps] [--eye=X,Y,Z]";
        if scenes.is_empty() {
            return Err(usage.into());
        }
        if times.is_empty() {
            times.push(0.0);
        }
        Ok(Self { scenes, out: out.ok_or(usage)?, times, overlaps, eye })
    }
}

fn run() -> Result<()> {
    let request = Request::read()?;
    let mut pictures = Vec::new();
    let mut first: Option<[View; 2]> = None;
    for path in &request.scenes {
        let scene = Scene::load(path)?;
        let mut world = scene.world()?;
        let mut stage = Stage::new(&world, request.eye)?;
        if request.overlaps {
            stage.fit(world.descriptions());
        }
        let [view, light] = first.get_or_insert([stage.view.clone(), stage.light.clone()]).clone();
        (stage.view, stage.light) = (view, light);
        if request.overlaps {
            stage.mark_overlaps(&world)?;
        }
        for &time in &request.times {
            while world.time() < time - 0.5 * scene.options.time_step {
                world.step()?;
            }
            let pose = |state: extricate::dynamics::BodyState| {
                (state.name, Isometry3::from_parts(state.position.coords.into(), state.rotation))
            };
            stage.deform(&world)?;
            let soft = world.soft_bodies().into_iter().map(|state| (state.name, Isometry3::identity()));
            let poses: Vec<_> = world.bodies().into_iter().map(pose).chain(soft).collect();
            pictures.push(stage.draw(&poses));
        }
    }
    write(&request.out, &pictures)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
