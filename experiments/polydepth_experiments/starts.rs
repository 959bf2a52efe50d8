//! Fig. 13 and §7.2 of [Je12]: the value of each source of free configurations, on meshes with holes and pockets.

use extricate::geometry::procedural::Cup;
use extricate::penetration::{Effort, FreeConfiguration, TranslationalOptions};
use nalgebra::Isometry3;

use super::answers::{Pair, Summary, with_effort};
use super::motion::random_configurations;
use super::subjects::{self, Result, Setting, Subject};

const SOURCES: [(&str, FreeConfiguration); 6] = [
    ("centroid difference", FreeConfiguration::CentroidDifference),
    ("maximally clear", FreeConfiguration::MaximallyClear),
    ("random", FreeConfiguration::Random),
    ("sampled", FreeConfiguration::Sampled),
    ("face normals", FreeConfiguration::FaceNormals),
    ("principal axes", FreeConfiguration::PrincipalAxes),
];

/// Prints the table; returns the failures.
pub(crate) fn table(setting: &Setting) -> Result<Vec<String>> {
    println!(
        "\n## Table 1, sources of starts: mean depth ÷ best, ms; {} poses of each mesh;\n\
         in brackets the poses for which the source has no start\n",
        setting.poses
    );
    let names = SOURCES.map(|(name, _)| name).join(" | ");
    println!(
        "| ours | triangles | {names} | fast | best | failed |\n|---|{}",
        "--:|".repeat(SOURCES.len() + 4)
    );
    let [grate, fine_grate] = subjects::grates()?;
    let cup = Subject::of("cup", &Cup::default())?;
    let (knot, distorted) = (subjects::torus_knot()?, subjects::distorted_torus()?);
    let mut failures = Vec::new();
    for subject in [grate, fine_grate, cup, distorted, subjects::torus()?, knot] {
        let poses = random_configurations(&subject.model, setting.poses);
        let measure = |options: &TranslationalOptions, repeats| measure(&subject, &poses, options, repeats);
        let best = measure(&with_effort(Effort::Best), 1);
        let forced = SOURCES.map(|(_, source)| {
            let options = TranslationalOptions { start: Some(source), ..with_effort(Effort::Fast) };
            measure(&options, setting.repeats)
        });
        let fast = measure(&with_effort(Effort::Fast), setting.repeats);
        let all: Vec<_> = forced.into_iter().chain([fast, best]).collect();
        let reference = all[all.len() - 1].depths.clone();
        let cell = |summary: &Summary| match summary.without_start {
            0 => format!("{:.3}, {:.3}", summary.ratio_to(&reference), summary.milliseconds()),
            all if all == summary.depths.len() => "–".to_owned(),
            some => format!("{:.3}, {:.3} ({some})", summary.ratio_to(&reference), summary.milliseconds()),
        };
        let cells = all.iter().map(cell).collect::<Vec<_>>().join(" | ");
        let failed: Vec<_> = all.into_iter().flat_map(|summary| summary.failures).collect();
        println!("| {} | {} | {cells} | {} |", subject.name, subject.triangles(), failed.len());
        failures.extend(failed.into_iter().map(|why| format!("{}: {why}", subject.name)));
    }
    Ok(failures)
}

fn measure(
    subject: &Subject,
    poses: &[Isometry3<f64>],
    options: &TranslationalOptions,
    repeats: usize,
) -> Summary {
    let (model, here) = (&subject.model, Isometry3::identity());
    let mut summary = Summary::default();
    for pose_a in poses {
        summary.add(Pair { a: model, pose_a, b: model, pose_b: &here }.ask(options, repeats));
    }
    summary
}
