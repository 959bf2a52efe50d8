//! Table 1 of [Je12]: a mesh and its copy in random configurations.

use extricate::penetration::Effort;
use nalgebra::Isometry3;

use super::answers::{Pair, Summary, with_effort};
use super::motion::random_configurations;
use super::subjects::{self, Result, Setting, Subject};

/// A row of the paper's table, and our meshes of that kind and size.
struct Row {
    /// Its name and number of triangles, and its time [ms], contacts and iterations, where the paper gives them.
    paper: &'static str,
    milliseconds: Option<f64>,
    subjects: Vec<Subject>,
}

fn rows(setting: &Setting) -> Result<Vec<Row>> {
    let with = |own: Subject, scans: &[&str]| -> Result<Vec<Subject>> {
        let scans = scans.iter().map(|name| setting.scan(name)).collect::<Result<Vec<_>>>()?;
        Ok(std::iter::once(own).chain(scans.into_iter().flatten()).collect())
    };
    let [grate, fine_grate] = subjects::grates()?;
    let row = |paper, milliseconds, subjects| Row { paper, milliseconds, subjects };
    Ok(vec![
        row(
            "Torusknot | 3k | 5.53 | 4.84 | 2.81",
            Some(5.53),
            with(subjects::torus_knot()?, &["torusknot"])?,
        ),
        row("Buddha | 10k | 6.23 | 5.04 | 1.92", Some(6.23), with(subjects::figurine(22)?, &["dragon10k"])?),
        row("Bunny2 | 40k | 7.55 | 8.25 | 2.16", Some(7.55), with(subjects::blob(45)?, &["bunny_noholes"])?),
        row(
            "Dragon | 174k | 12.76 | 11.92 | 2.29",
            Some(12.76),
            with(subjects::blob(93)?, &["dragonclass", "dragon200k"])?,
        ),
        row("Grate1 | 0.5k | – | – | –", None, with(grate, &["grate1"])?),
        row("Grate2 | 0.9k | – | – | –", None, with(fine_grate, &["grate2"])?),
        row("Distorted-torus | 1.3k | – | – | –", None, with(subjects::distorted_torus()?, &[])?),
        row("Golf-club | 105k | – | – | –", None, with(subjects::golf_club(656, 80)?, &["golfclass"])?),
        row("Santa | 152k | – | – | –", None, with(subjects::figurine(87)?, &["santaclass"])?),
    ])
}

/// Prints the table; returns the failures.
pub(crate) fn table(setting: &Setting) -> Result<Vec<String>> {
    println!("\n## Table 1: random configurations, {} of each mesh\n", setting.poses);
    println!(
        "| [Je12] | triangles | ms | contacts | iterations | ours | triangles | fast ms | contacts | iterations \
         | casts | times as fast | fast ÷ best | best ms | contacts | iterations | casts | failed |"
    );
    println!("|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut failures = Vec::new();
    for row in rows(setting)? {
        for subject in setting.chosen(row.subjects) {
            let [fast, best] = measure(&subject, setting);
            let failed = fast.failures.len() + best.failures.len();
            let times =
                row.milliseconds.map_or("–".into(), |ms| format!("{:.0}", ms / fast.milliseconds()));
            println!(
                "| {} | {} | {} | {} | {times} | {:.3} | {} | {failed} |",
                row.paper,
                subject.name,
                subject.triangles(),
                fast.cells(),
                fast.ratio_to(&best.depths),
                best.cells(),
            );
            failures.extend([fast, best].into_iter().flat_map(|summary| summary.failures));
        }
    }
    Ok(failures)
}

/// All configurations of a mesh with either effort.
fn measure(subject: &Subject, setting: &Setting) -> [Summary; 2] {
    let (model, here) = (&subject.model, Isometry3::identity());
    let poses = random_configurations(model, setting.poses);
    // A thorough search is long enough to be timed once.
    [(Effort::Fast, setting.repeats), (Effort::Best, 1)].map(|(effort, repeats)| {
        let mut summary = Summary::default();
        for pose_a in &poses {
            let pair = Pair { a: model, pose_a, b: model, pose_b: &here };
            summary.add(pair.ask(&with_effort(effort), repeats));
        }
        summary
    })
}
