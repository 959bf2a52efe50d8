//! Tables I and II: rigid pairs along a motion, and configurations whose best answer is known.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use extricate::geometry::procedural::{
    BumpySphere, Cuboid, Cup, Hammer, LShape, Pawn, Procedural, Spoon, TorusKnot,
};
use extricate::geometry::read::read_mesh;
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::generalized::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, GeneralizedStart, penetration_rigid,
    penetration_rigid_coherent,
};
use extricate::penetration::{Effort, LowerBound, TranslationalOptions, penetration};
use extricate::proximity::Model;
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use serde_json::Value;

use crate::statistics::{max, mean, median};
use crate::truth;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Poses with the best σ known of each [m²].
type Cases = Vec<(Isometry3<f64>, f64)>;

/// Orientations of a motion.
const STEPS: u32 = 200;

/// A model of the folder, or the procedural one of its kind.
fn model(data: &Path, name: &str) -> Result<Option<Model>> {
    let path = data.join("models/rigid").join(format!("{name}.obj"));
    let mesh: Option<TriangleMesh> = if path.exists() {
        Some(read_mesh(&path)?)
    } else {
        match name {
            "spoon" => Some(Spoon::default().mesh()?),
            "cup" => Some(Cup::default().mesh()?),
            "hammer" => Some(Hammer::default().mesh()?),
            "bumpy_sphere" => Some(BumpySphere::default().mesh()?),
            "l_shape" => Some(LShape::default().mesh()?),
            "torusknot" => Some(TorusKnot::default().mesh()?),
            "pawn" => Some(Pawn::default().mesh()?),
            _ => None,
        }
    };
    Ok(mesh.map(|mesh| Model::new(mesh, Solidity::Solid)))
}

/// Poses of A moving towards B and rotating, from where the balls around both just touch to half of that distance.
fn motion(a: &Model, b: &Model) -> Vec<Isometry3<f64>> {
    let direction = Vector3::new(1.0, 0.4, 0.3).normalize();
    let pose = |step: u32| {
        let fraction = f64::from(step) / f64::from(STEPS);
        let rotation =
            UnitQuaternion::from_euler_angles(7.0 * fraction, 3.0 * fraction + 0.3, 11.0 * fraction);
        let middle = b.center() + direction * ((1.0 - 0.5 * fraction) * (a.radius() + b.radius()));
        Isometry3::from_parts((middle.coords - rotation * a.center().coords).into(), rotation)
    };
    (0..STEPS).map(pose).collect()
}

/// Cost and result of one kind of start along a motion.
#[derive(Default)]
struct Column {
    milliseconds: Vec<f64>,
    iterations: Vec<f64>,
    depths: Vec<f64>,
    failed: usize,
}

impl Column {
    fn add(&mut self, milliseconds: f64, found: Option<&GeneralizedPenetration>) {
        let Some(found) = found else {
            self.failed += 1;
            self.depths.push(f64::NAN);
            return;
        };
        self.milliseconds.push(milliseconds);
        self.iterations.push(f64::from(found.iterations));
        self.depths.push(found.depth);
    }

    fn print(&self, name: &str, best: &[f64]) {
        let ratios =
            self.depths.iter().zip(best).map(|(depth, best)| depth / best).filter(|ratio| ratio.is_finite());
        let ratios = ratios.collect::<Vec<_>>();
        println!(
            "  {name:20} {:9.3} {:9.3} {:9.1} {:12.4} {:8.3} {:7}",
            median(&self.milliseconds),
            mean(&self.milliseconds),
            mean(&self.iterations),
            median(&ratios),
            mean(&ratios),
            self.failed
        );
    }
}

/// Table I: time and iterations along a motion, by where the walks start.
pub(crate) fn table_1(data: &Path) -> Result<()> {
    println!(
        "Table I: a motion of {STEPS} orientations; milliseconds and iterations; √σ ÷ that of best effort"
    );
    let here = Isometry3::identity();
    let options =
        |start: Option<GeneralizedStart>| GeneralizedOptions { start, ..GeneralizedOptions::fast() };
    for [name_a, name_b] in [["bunny_40k", "dragon_48k"], ["spoon", "cup"]] {
        let (Some(a), Some(b)) = (model(data, name_a)?, model(data, name_b)?) else {
            println!("{name_a} in {name_b}: not there");
            continue;
        };
        let mut columns = [Column::default(), Column::default(), Column::default(), Column::default()];
        let (mut coherence, mut best, mut apart) = (GeneralizedCoherence::default(), Vec::new(), 0);
        for pose in motion(&a, &b) {
            let begin = Instant::now();
            let coherent = options(Some(GeneralizedStart::MotionCoherence));
            let found = penetration_rigid_coherent((&a, &pose), (&b, &here), &coherent, &mut coherence);
            let milliseconds = begin.elapsed().as_secs_f64() * 1e3;
            if let Ok(None) = found {
                apart += 1;
                continue;
            }
            columns[0].add(milliseconds, found.ok().flatten().as_ref());
            for (column, start) in [(1, Some(GeneralizedStart::CentroidDifference)), (2, None)] {
                let begin = Instant::now();
                let found = penetration_rigid(&a, &pose, &b, &here, &options(start));
                columns[column].add(begin.elapsed().as_secs_f64() * 1e3, found.ok().flatten().as_ref());
            }
            let begin = Instant::now();
            let found =
                penetration_rigid(&a, &pose, &b, &here, &GeneralizedOptions::default()).ok().flatten();
            columns[3].add(begin.elapsed().as_secs_f64() * 1e3, found.as_ref());
            best.push(found.map_or(f64::NAN, |found| found.depth));
        }
        println!("{name_a} in {name_b}: {} overlaps, {apart} apart", best.len());
        println!("  start                   median      mean     iter.  ratio median     mean  failed");
        let names = ["motion coherence", "centroid difference", "translational (fast)", "best effort"];
        for (column, name) in columns.iter().zip(names) {
            column.print(name, &best);
        }
    }
    Ok(())
}

/// Table II: against the best that is known.
pub(crate) fn table_2(data: &Path) -> Result<()> {
    println!("Table II: σ ÷ best known σ: median, mean, minimum, maximum; milliseconds: median");
    for set in ["l_torusknot", "hammer_bumpy"] {
        let path = data.join("generalized").join(format!("{set}.json"));
        if !path.exists() {
            println!("{set}: not there");
            continue;
        }
        let file: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let stem = |key: &str| {
            file[key].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default().to_owned()
        };
        let (Some(a), Some(b)) = (model(data, &stem("A"))?, model(data, &stem("B"))?) else { continue };
        let mut cases = Vec::new();
        for config in file["configs"].as_array().into_iter().flatten() {
            cases.push((truth::pose(&config["R0"], &config["t0"])?, truth::number(&config["sigma_best"])?));
        }
        compared(set, (&a, &b, &Isometry3::identity()), &cases);
    }
    if let Some((spoon, cases)) = spoon_box(data)? {
        let table =
            Model::new(Cuboid { x: 8.0, y: 8.0, z: 2.0, ..Cuboid::default() }.mesh()?, Solidity::Solid);
        compared("spoon_box", (&spoon, &table, &Isometry3::translation(0.0, 0.0, -1.0)), &cases);
    }
    pawn(data)
}

/// The spoon over the top face of a box, z = 0, with the best σ of each pose.
fn spoon_box(data: &Path) -> Result<Option<(Model, Cases)>> {
    let folder = data.join("generalized");
    if !folder.join("spoon_box.csv").exists() {
        return Ok(None);
    }
    let Some(spoon) = model(data, "spoon")? else { return Ok(None) };
    let frame: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("spoon_box.json"))?)?;
    let local = truth::pose(&frame["R_local_from_model"], &frame["com"])?;
    let text = std::fs::read_to_string(folder.join("spoon_box.csv"))?;
    let names = text.lines().next().unwrap_or_default().split(',').collect::<Vec<_>>();
    let mut cases = Vec::new();
    for line in text.lines().skip(1) {
        let fields = line.split(',').collect::<Vec<_>>();
        let number = |name: &str| -> Result<f64> {
            let at = names.iter().position(|other| *other == name).ok_or("a column is missing")?;
            Ok(fields[at].parse()?)
        };
        let mut rotation = Matrix3::zeros();
        for i in 0..3 {
            for j in 0..3 {
                rotation[(i, j)] = number(&format!("R0_{i}{j}"))?;
            }
        }
        let rotation = UnitQuaternion::from_matrix(&rotation) * local.rotation;
        let shift = Vector3::z() * number("com_height")? - rotation * local.translation.vector;
        cases.push((Isometry3::from_parts(shift.into(), rotation), number("sigma_6dof_best")?));
    }
    Ok(Some((spoon, cases)))
}

fn compared(name: &str, (a, b, pose_b): (&Model, &Model, &Isometry3<f64>), cases: &[(Isometry3<f64>, f64)]) {
    for (effort, label) in [(Effort::Fast, "fast"), (Effort::Best, "best")] {
        let options = GeneralizedOptions { effort, ..GeneralizedOptions::default() };
        let (mut ratios, mut times, mut failed) = (Vec::new(), Vec::new(), 0);
        for (pose, best) in cases {
            let begin = Instant::now();
            match penetration_rigid(a, pose, b, pose_b, &options) {
                Ok(Some(found)) if found.verified_free => ratios.push(found.sigma / best),
                _ => failed += 1,
            }
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        let min = ratios.iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
        println!(
            "  {name:14} {label}: {} cases, {failed} failed; {:.6} {:.6} {min:.6} {:.4}; {:.3} ms",
            cases.len(),
            median(&ratios),
            mean(&ratios),
            max(&ratios),
            median(&times)
        );
    }
}

/// The pawn and the machine part have no truth: fast against best effort, and against the translation.
fn pawn(data: &Path) -> Result<()> {
    let (Some(a), Some(b)) = (model(data, "pawn")?, model(data, "cad_fandisk_2k4")?) else { return Ok(()) };
    let here = Isometry3::identity();
    let (mut to_best, mut to_translation, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for pose in motion(&a, &b).iter().step_by(4) {
        let begin = Instant::now();
        let Some(fast) = penetration_rigid(&a, pose, &b, &here, &GeneralizedOptions::fast())? else {
            continue;
        };
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        let best =
            penetration_rigid(&a, pose, &b, &here, &GeneralizedOptions::default())?.ok_or("they overlap")?;
        let options =
            TranslationalOptions { lower_bound: LowerBound::Skip, ..TranslationalOptions::default() };
        let translated = penetration(&a, pose, &b, &here, &options)?.ok_or("they overlap")?;
        to_best.push(fast.sigma / best.sigma);
        to_translation.push(best.sigma / translated.depth.powi(2));
    }
    println!(
        "  pawn in CAD part: {} overlaps; fast σ ÷ best σ median {:.4} mean {:.4}; best σ ÷ depth² of translation median {:.3}; fast {:.3} ms",
        times.len(),
        median(&to_best),
        mean(&to_best),
        median(&to_translation),
        median(&times)
    );
    Ok(())
}
