//! Long searches for the depth of a pair, from every source and from random free places, and the file of their results.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use extricate::penetration::{FreeConfiguration, LowerBound, Penetration, TranslationalOptions, penetration};
use extricate::proximity::{Model, collide};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Translation3};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Effort of the cover, which also looks for shorter exits.
const EVALUATIONS: u32 = 4000;
/// Random translations shorter than the best depth that are tested, and walked from where they are free.
const RANDOM: usize = 300;
/// Seeds of the random source.
const SEEDS: u64 = 4;

/// The smallest depth of all searches [m], not above `known`.
pub(crate) fn depth([a, b]: [&Model; 2], pose: &Isometry3<f64>, known: f64) -> Result<f64> {
    let here = Isometry3::identity();
    let ask = |options: &TranslationalOptions| penetration(a, pose, b, &here, options);
    let base = TranslationalOptions { parallel: false, lower_bound: LowerBound::Skip, ..Default::default() };
    let cover = TranslationalOptions { lower_bound: LowerBound::Cover { evaluations: EVALUATIONS }, ..base };
    let mut best = ask(&cover)?.ok_or("the pose is reported apart")?.depth.min(known);
    let sources = [
        FreeConfiguration::Sampled,
        FreeConfiguration::MaximallyClear,
        FreeConfiguration::FaceNormals,
        FreeConfiguration::PrincipalAxes,
    ];
    let forced = sources.map(|source| TranslationalOptions { start: Some(source), ..base });
    let random =
        (0..SEEDS).map(|seed| TranslationalOptions { start: Some(FreeConfiguration::Random), seed, ..base });
    // A source without a free configuration, or whose result is not verified, is no result.
    let shorter = |found: &Penetration, best: f64| found.depth.min(best);
    for options in forced.into_iter().chain(random) {
        best = ask(&options).ok().flatten().map_or(best, |found| shorter(&found, best));
    }
    let mut noise = Noise(77);
    for _ in 0..RANDOM {
        let translation = noise.uniform_direction(0.1..1.0).into_inner() * (best * noise.unit_interval());
        if collide(a, &(Translation3::from(translation) * pose), b, &here) {
            continue;
        }
        let options = TranslationalOptions { start: Some(FreeConfiguration::Given(translation)), ..base };
        best = ask(&options).ok().flatten().map_or(best, |found| shorter(&found, best));
    }
    Ok(best)
}

/// Depths by family, in the order of the poses [m].
pub(crate) type Known = BTreeMap<String, Vec<f64>>;

/// The depths of a file: a family a line, its name and its depths, separated by tabs.
pub(crate) fn read(path: &Path) -> Result<Known> {
    let mut known = Known::new();
    if !path.exists() {
        return Ok(known);
    }
    for (index, line) in std::fs::read_to_string(path)?.lines().enumerate() {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default().to_owned();
        let depths = fields.map(str::parse).collect::<std::result::Result<Vec<f64>, _>>();
        let depths = depths.map_err(|error| format!("{}, line {}: {error}", path.display(), index + 1))?;
        known.insert(name, depths);
    }
    Ok(known)
}

/// Writes the file that [`read`] reads.
pub(crate) fn write(path: &Path, known: &Known) -> Result<()> {
    let mut text = String::new();
    for (name, depths) in known {
        text.push_str(name);
        for depth in depths {
            write!(text, "\t{depth:.9e}")?;
        }
        text.push('\n');
    }
    Ok(std::fs::write(path, text)?)
}
