//! Draws a scene as a picture, at the start or after some simulated time:
//!
//! ```text
//! cargo run --release --example picture -- SCENE.ron OUT.png [SECONDS]…
//! ```
//!
//! Several times give several pictures side by side. Parallel projection, one light with shadows, a ground grid of
//! tenths of a metre where the scene has a half-space; colours are told apart by colour-blind readers (Okabe–Ito).

#![expect(
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program; pixels and colours"
)]

mod raster;

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;

use extricate::dynamics::{BodyDescription, Shape};
use extricate::geometry::procedural::{Capsule, Cone, Cuboid, Cylinder, Procedural, Sphere};
use extricate::geometry::{Aabb, TriangleMesh};
use extricate::scene::Scene;
use nalgebra::{Isometry3, Point3, Vector3};
use raster::{Buffer, View};

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

/// What is drawn: meshes with their colours, and the ground.
struct Stage {
    meshes: HashMap<String, (TriangleMesh, [f64; 3])>,
    ground: Option<f64>,
    view: View,
    light: View,
}

impl Stage {
    fn new(bodies: &[BodyDescription]) -> Result<Self> {
        let mut meshes = HashMap::new();
        let mut bounds = Aabb::EMPTY;
        let mut ground = None;
        for (index, body) in bodies.iter().enumerate() {
            let Some(mesh) = mesh_of(&body.shape)? else {
                ground = Some(body.pose.translation.z);
                continue;
            };
            mesh.vertices().iter().for_each(|p| bounds.include(&(body.pose * p)));
            let fixed = body.kind != extricate::dynamics::BodyKind::Dynamic;
            meshes.insert(
                body.name.clone(),
                (mesh, if fixed { FIXED } else { PALETTE[index % PALETTE.len()] }),
            );
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
        let view = seen_from(Vector3::new(1.0, -2.2, 0.9), 0.48 * width as f64 / radius, width, height);
        let light = seen_from(Vector3::new(0.6, -0.5, 1.6), 600.0 / radius, 1600, 1600);
        Ok(Self { meshes, ground, view, light })
    }

    /// Linear colours of all pixels, row by row.
    fn draw(&self, poses: &[(String, Isometry3<f64>)]) -> Vec<[f64; 3]> {
        let (mut seen, mut lit) = (Buffer::new(self.view.clone()), Buffer::new(self.light.clone()));
        for (index, (name, pose)) in poses.iter().enumerate() {
            let Some((mesh, _)) = self.meshes.get(name) else { continue };
            for triangle in 0..mesh.triangles().len() {
                let corners = mesh.triangle(triangle).map(|p| pose * p);
                seen.draw(&corners, index);
                lit.draw(&corners, index);
            }
        }
        let color = |pixel: usize| self.shade(&seen, &lit, poses, pixel);
        (0..seen.fragments.len()).map(color).collect()
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
                (point, met.normal, self.meshes[&poses[met.body].0].1)
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

fn run() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: picture SCENE.ron OUT.png [SECONDS]…";
    let (scene, out) = (arguments.next().ok_or(usage)?, arguments.next().ok_or(usage)?);
    let mut times = arguments.map(|text| text.parse()).collect::<std::result::Result<Vec<f64>, _>>()?;
    if times.is_empty() {
        times.push(0.0);
    }
    let scene = Scene::load(&scene)?;
    let mut world = scene.world()?;
    let stage = Stage::new(&scene.bodies)?;
    let mut pictures = Vec::new();
    for time in times {
        while world.time() < time - 0.5 * scene.options.time_step {
            world.step()?;
        }
        let pose = |state: extricate::dynamics::BodyState| {
            (state.name, Isometry3::from_parts(state.position.coords.into(), state.rotation))
        };
        pictures.push(stage.draw(&world.bodies().into_iter().map(pose).collect::<Vec<_>>()));
    }
    write(&out, &pictures)
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
