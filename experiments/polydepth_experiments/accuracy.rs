//! Table 2 of [Je12]: the error of the depth relative to the sizes of the bodies, against depths known otherwise.

use std::collections::BTreeMap;
use std::path::Path;

use extricate::geometry::Solidity;
use extricate::penetration::Effort;
use extricate::proximity::Model;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use serde_json::Value;

use super::answers::{Pair, with_effort};
use super::known_depths::{self, Case};
use super::motion::{Random, random_configurations};
use super::statistics::{mean, mean_radius, median, relative_error};
use super::subjects::{self, Result, Setting, Subject};
use super::truth::{number, pose};

/// Amount by which a depth may fall below an exact one [fraction of the bodies' mean radii]: the files' exact depths belong to
/// pieces whose coordinates are rounded to seven digits, and a mesh's corners are rounded anyway.
const BELOW: f64 = 1e-8;
/// Searches from differently oriented trees whose minimum depth stands for an unknown one.
const SEARCHES: usize = 8;

/// Cases with the same kind of reference.
pub(crate) struct Set {
    pub(crate) name: String,
    /// Source of the reference depths.
    pub(crate) reference: &'static str,
    /// Whether they are exact; otherwise they are upper bounds themselves.
    pub(crate) exact: bool,
    pub(crate) cases: Vec<Case>,
}

/// Prints the table; returns the failures.
pub(crate) fn table(setting: &Setting) -> Result<Vec<String>> {
    println!("\n## Table 2: error of the depth, fraction of 2 v̄(A) + 2 v̄(B)\n");
    println!(
        "| set | cases | reference | [Je12]'s code mean | median | fast mean | median | best mean | median \
         | best at the reference | failed |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    println!("| Bunny1 (paper) | 100 | near-exact Minkowski sum | 0.500 % | 0.165 % | | | | | | |");
    println!("| Distorted-torus (paper) | 100 | near-exact Minkowski sum | 1.165 % | 0.066 % | | | | | | |");
    let mut failures = Vec::new();
    for set in sets(setting)? {
        failures.extend(row(&set));
    }
    Ok(failures)
}

fn sets(setting: &Setting) -> Result<Vec<Set>> {
    let mut sets =
        vec![searched(subjects::distorted_torus()?, setting)?, searched(subjects::blob(7)?, setting)?];
    sets.extend(known_depths::sets(setting.poses)?);
    if let Some(data) = &setting.data {
        sets.extend(soup(data, setting)?);
        sets.extend(unions_of_pieces(data)?);
    }
    Ok(sets)
}

/// Prints the row of a set; returns the failures.
fn row(set: &Set) -> Vec<String> {
    let mut failures = Vec::new();
    let mut error_of = |case: &Case, found: Option<f64>| {
        let found = found?;
        let radii = [&case.models.0, &case.models.1].map(|model| mean_radius(model));
        if set.exact && found < case.depth - BELOW * (radii[0] + radii[1]) {
            failures.push(format!("{}: {found} m is below the exact {} m", set.name, case.depth));
        }
        Some(relative_error(found, case.depth, radii))
    };
    let original: Vec<f64> = set.cases.iter().filter_map(|case| error_of(case, case.original)).collect();
    let mut asked = Vec::new();
    let [fast, best] = [Effort::Fast, Effort::Best].map(|effort| {
        let answers = set.cases.iter().map(|case| (case, case.pair().ask(&with_effort(effort), 1)));
        let found = answers.filter_map(|(case, answer)| match answer {
            Ok(answer) => error_of(case, Some(answer.found.depth)),
            Err(why) => {
                asked.push(format!("{}: {why}", set.name));
                None
            }
        });
        found.collect::<Vec<f64>>()
    });
    failures.extend(asked);
    let percent = |errors: &[f64]| match errors {
        [] => "| ".to_owned(),
        _ => format!("{:.3} % | {:.3} %", 100.0 * mean(errors), 100.0 * median(errors)),
    };
    /// An error that is rounding.
    const NONE: f64 = 1e-8;
    let exact = best.iter().filter(|&&error| error < NONE).count();
    println!(
        "| {} | {} | {} | {} | {} | {} | {exact} | {} |",
        set.name,
        set.cases.len(),
        set.reference,
        percent(&original),
        percent(&fast),
        percent(&best),
        failures.len()
    );
    failures
}

/// Random configurations of a mesh whose depths are the minimum of several thorough searches: each sees the meshes
/// in other frames, and so other trees and other directions.
fn searched(subject: Subject, setting: &Setting) -> Result<Set> {
    let mut random = Random::new(7);
    let name = format!("{}, {} triangles", subject.name, subject.triangles());
    let rotations: Vec<_> = (0..SEARCHES).map(|_| random.rotation()).collect();
    let rotated = |rotation: &UnitQuaternion<f64>| {
        let mesh =
            subject.model.mesh().transformed(&Isometry3::from_parts(Vector3::zeros().into(), *rotation));
        Model::new(mesh, Solidity::Solid)
    };
    let models: Vec<_> = rotations.iter().map(rotated).collect();
    let here = Isometry3::identity();
    let mut cases = Vec::new();
    let own = std::sync::Arc::new(subject.model);
    for pose in random_configurations(&own, setting.poses) {
        let mut min = f64::INFINITY;
        for (i, rotation_a) in rotations.iter().enumerate() {
            let (j, pose_a) = ((i + 1) % SEARCHES, pose * rotation_a.inverse());
            let pose_b = here * rotations[j].inverse();
            let pair = Pair { a: &models[i], pose_a: &pose_a, b: &models[j], pose_b: &pose_b };
            min = min.min(pair.ask(&with_effort(Effort::Best), 1)?.found.depth);
        }
        cases.push(Case {
            models: (own.clone(), own.clone()),
            poses: [pose, here],
            depth: min,
            original: None,
        });
    }
    Ok(Set { name, reference: "minimum of 8 searches", exact: false, cases })
}

/// The sets of `soup/`: best-known depths, and those of the original library.
fn soup(data: &Path, setting: &Setting) -> Result<Vec<Set>> {
    let entries = std::fs::read_dir(data.join("soup"))?.collect::<std::io::Result<Vec<_>>>()?;
    let mut files: Vec<_> = entries.iter().map(std::fs::DirEntry::path).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    let mut sets = Vec::new();
    for file in files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).ok_or("a file name")?;
        let Some(subject) = setting.scan(name)? else { continue };
        let name = format!("{}, {} triangles", subject.name, subject.triangles());
        let model = std::sync::Arc::new(subject.model);
        let mut cases = Vec::new();
        for line in std::fs::read_to_string(&file)?.lines().take(setting.poses) {
            let line: Value = serde_json::from_str(line)?;
            cases.push(Case {
                models: (model.clone(), model.clone()),
                poses: [
                    pose(&line["a"]["rotation"], &line["a"]["translation"])?,
                    pose(&line["b"]["rotation"], &line["b"]["translation"])?,
                ],
                depth: number(&line["best_known_depth"])?,
                original: Some(number(&line["je12_depth"])?),
            });
        }
        sets.push(Set { name, reference: "best known", exact: false, cases });
    }
    Ok(sets)
}

/// The sets of `exact/`: unions of convex pieces with their exact depths.
fn unions_of_pieces(data: &Path) -> Result<Vec<Set>> {
    let folder = data.join("exact");
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("exact.json"))?)?;
    let mut sets: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in truth["cases"].as_array().ok_or("exact.json has no cases")? {
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let solid = |key: &str| -> Result<_> {
            let mesh = extricate::geometry::read::read_mesh(folder.join(text(key)))?;
            Ok(std::sync::Arc::new(Model::new(mesh, Solidity::Solid)))
        };
        sets.entry(text("set")).or_default().push(Case {
            models: (solid("A_mesh")?, solid("B_mesh")?),
            poses: [pose(&case["A_R"], &case["A_t"])?, Isometry3::identity()],
            depth: number(&case["pd"])?,
            original: None,
        });
    }
    let set = |(name, cases)| Set { name: format!("`{name}`"), reference: "exact", exact: true, cases };
    Ok(sets.into_iter().map(set).collect())
}
