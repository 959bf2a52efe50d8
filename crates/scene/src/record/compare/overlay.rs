//! Picture of two states on top of each other, as SVG: from the front (x, z) and from above (x, y).
//!
//! A body is drawn as the convex hull of its projected vertices, the reference filled, the other run as an outline.

use std::collections::BTreeSet;
use std::fmt::Write;

use nalgebra::{Isometry3, Point2, Point3};

use crate::record::export::subject::Subject;
use crate::state::WorldState;
use extricate_core::geometry::ShapeError;
use extricate_dynamics::World;

/// Size of a view [px].
const VIEW: f64 = 470.0;
/// Margin of a view [px].
const MARGIN: f64 = 24.0;
/// Number of bodies up to which those that do not differ are drawn, too.
const MAX_BODIES: usize = 2000;

/// A projection onto the plane of a view.
type Projection = fn(&Point3<f64>) -> Point2<f64>;

/// A projected body: its name, and the outlines in both states.
struct Outline<'a> {
    name: &'a str,
    of: [Vec<Point2<f64>>; 2],
}

/// Draws two states of runs of a world; `differing` are the names of the bodies that are emphasized.
///
/// # Errors
/// [`ShapeError`] when a body has no surface.
pub fn overlay(
    world: &World,
    states: [&WorldState; 2],
    differing: &BTreeSet<&str>,
) -> Result<String, ShapeError> {
    let subject = Subject::of(world)?;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * VIEW,
        VIEW + MARGIN,
        2.0 * VIEW,
    );
    let views: [(&str, Projection); 2] =
        [("front: x, z", |p| Point2::new(p.x, p.z)), ("above: x, y", |p| Point2::new(p.x, p.y))];
    for (index, (label, project)) in views.into_iter().enumerate() {
        let outlines = outlines(&subject, states, differing, project);
        view(&mut text, (index, label), &outlines, differing);
    }
    text.push_str("</svg>\n");
    Ok(text)
}

/// The bodies in a projection.
fn outlines<'a>(
    subject: &'a Subject,
    states: [&WorldState; 2],
    differing: &BTreeSet<&str>,
    project: Projection,
) -> Vec<Outline<'a>> {
    let is_drawn = |name: &str| subject.bodies.len() <= MAX_BODIES || differing.contains(name);
    let hulls = |points: &dyn Fn(&WorldState) -> Vec<Point3<f64>>| {
        states.map(|state| hull(points(state).iter().map(project).collect()))
    };
    let rigid = subject.bodies.iter().enumerate().filter(|(_, body)| is_drawn(&body.name));
    let rigid = rigid.filter_map(|(index, body)| {
        let mesh = &subject.meshes[body.mesh?];
        let at = |pose: Isometry3<f64>| mesh.vertices().iter().map(|vertex| pose * vertex).collect();
        Some(Outline { name: &body.name, of: hulls(&|state| at(state.pose(index))) })
    });
    let soft = subject.soft.iter().enumerate().map(|(index, body)| {
        let of = |state: &WorldState| state.soft.get(index).map_or_else(Vec::new, |soft| body.points(soft));
        Outline { name: &body.name, of: hulls(&of) }
    });
    rigid.chain(soft).collect()
}

/// Draws a view.
fn view(text: &mut String, (index, label): (usize, &str), outlines: &[Outline], differing: &BTreeSet<&str>) {
    let points = || outlines.iter().flat_map(|outline| outline.of.iter().flatten());
    let far = |axis: usize| {
        points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], point| {
            [low.min(point[axis]), high.max(point[axis])]
        })
    };
    let [[left, right], [low, high]] = [far(0), far(1)];
    let size = (right - left).max(high - low);
    let scale = if size > 0.0 && size.is_finite() { (VIEW - 2.0 * MARGIN) / size } else { 1.0 };
    #[expect(clippy::cast_precision_loss, reason = "0 or 1")]
    let start = index as f64 * VIEW + MARGIN;
    let place = |point: &Point2<f64>| {
        format!("{:.1},{:.1}", start + scale * (point.x - left), MARGIN + scale * (high - point.y) + 16.0)
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "<text x=\"{start}\" y=\"18\" fill=\"#444\">{label}</text>");
    let mut polygon = |points: &[Point2<f64>], style: &str| {
        if !points.is_empty() {
            let corners: Vec<String> = points.iter().map(&place).collect();
            let _ = writeln!(text, "<polygon points=\"{}\" {style}/>", corners.join(" "));
        }
    };
    for Outline { name, of: [reference, other] } in outlines {
        let (fill, width) = if differing.contains(name) { (0.45, 2.2) } else { (0.12, 0.6) };
        polygon(reference, &format!("fill=\"#0072b2\" fill-opacity=\"{fill}\""));
        polygon(other, &format!("fill=\"none\" stroke=\"#d55e00\" stroke-width=\"{width}\""));
    }
}

/// Convex hull of points in the plane [Andrew79], counter-clockwise.
fn hull(mut points: Vec<Point2<f64>>) -> Vec<Point2<f64>> {
    points.retain(|point| point.iter().all(|x| x.is_finite()));
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = Point2<f64>>| {
        let mut chain: Vec<Point2<f64>> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp(&(point - b)) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_grid_is_its_four_corners() {
        let grid = (0..5).flat_map(|x| (0..3).map(move |y| Point2::new(f64::from(x), f64::from(y))));
        let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]].map(Point2::from);
        assert_eq!(hull(grid.collect()), corners);
        assert_eq!(hull(vec![Point2::new(f64::NAN, 0.0)]), []);
    }
}
