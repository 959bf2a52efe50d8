//! Growth of the time of a repair with the number of pieces and of triangles of an obstacle.

use std::path::Path;

use cpu_time::ThreadTime;
use extricate::penetration::generalized::{GeneralizedError, GeneralizedOptions};

use super::chart::{self, Panel, Series};
use super::exponent::exponent;
use super::scenes::Cavity;
use super::{Result, quantile};

/// Sketches of each obstacle.
const COUNT: u64 = 6;
/// Parts of each of the 33 slabs of the tub along an edge: 33 to 9537 pieces.
const PARTS: [u32; 6] = [1, 2, 4, 8, 12, 17];
/// Triangles of the ring.
const TRIANGLES: [f64; 4] = [1e4, 4.6e4, 2.2e5, 1e6];

/// Median CPU time [ms] and median √σ [m] of fast effort.
fn measure(cavity: &Cavity) -> Result<[f64; 2]> {
    let (mut times, mut depths) = (Vec::new(), Vec::new());
    for (_, pose) in &cavity.sketches {
        let options = GeneralizedOptions { clearance: 1e-4, parallel: false, ..GeneralizedOptions::fast() };
        let time = ThreadTime::now();
        let found = cavity.ensemble.collision_world().penetration(std::slice::from_ref(pose), &options);
        times.push(time.elapsed().as_secs_f64() * 1e3);
        match found {
            Ok(Some(found)) => depths.push(found.depth),
            Err(GeneralizedError::NotFound { .. }) => depths.push(f64::INFINITY),
            Ok(None) => return Err("free already".into()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok([quantile(&times, 0.5), quantile(&depths, 0.5)])
}

/// Prints both tables with their exponents, and draws them.
pub(super) fn run(out: &Path) -> Result<()> {
    let mut panels = Vec::new();
    let pieces = PARTS.map(|parts| (f64::from(33 * parts * parts), Cavity::divided_tub(parts, COUNT)));
    panels.push(family("pieces of a tub", pieces.into_iter())?);
    let triangles = TRIANGLES.map(|count| (count, Cavity::ring(count, COUNT)));
    panels.push(family("triangles of a ring", triangles.into_iter())?);
    chart::draw(out, 2, &panels)
}

fn family(what: &str, members: impl Iterator<Item = (f64, Result<Cavity>)>) -> Result<Panel> {
    println!("| {what} | CPU ms, median | √σ [m], median |\n|--:|--:|--:|");
    let mut points = Vec::new();
    for (count, cavity) in members {
        let [milliseconds, depth] = measure(&cavity?)?;
        println!("| {count:.0} | {milliseconds:.2} | {depth:.4} |");
        points.push([count, milliseconds]);
    }
    let label = format!("fast: n^{:.2}", exponent(&points));
    println!("| exponent | {:.2} | |\n", exponent(&points));
    let series = vec![Series { label, points, color: 0, dashed: false, marked: true }];
    let axes = [what.to_owned(), "CPU time [ms]".to_owned()];
    Ok(Panel { title: format!("A figure of 41 joints: {what}"), axes, logarithmic: true, series })
}
