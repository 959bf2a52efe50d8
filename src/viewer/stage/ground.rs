//! The ground: a plane that takes shadows, and a grid whose cells are a round length.

use kiss3d::glamx::{Pose3, Quat};
use kiss3d::scene::SceneNode3d;
use nalgebra::{Isometry3, Point3};

use super::{Similarity, paint};
use crate::viewer::{Color, Frame, Line, Models, palette};

/// Half the side of the plane, as a multiple of the scene's radius.
const PLANE: f64 = 60.0;
/// Lines of the grid on each side of its middle.
const LINES: i32 = 14;
/// Pieces of a line: each is as faint as it is far out.
const PIECES: i32 = 14;

/// The half-spaces of a scene on the stage.
#[derive(Default)]
pub(super) struct Grounds {
    planes: Vec<SceneNode3d>,
    /// Side of a cell [m].
    pub(super) cell: f64,
}

impl Grounds {
    pub(super) fn new(models: &Models, root: &mut SceneNode3d, place: &Similarity) -> Self {
        let planes = models.grounds.iter().map(|_| {
            #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
            let side = (2.0 * PLANE) as f32;
            let mut plane = root.add_quad(side, side, 1, 1).enable_backface_culling(false);
            plane.set_casts_shadows(false);
            plane.set_roughness(1.0);
            paint(&mut plane, palette::GROUND);
            plane
        });
        Self { planes: planes.collect(), cell: round(0.25 / place.scale) }
    }

    /// Puts the planes where they are, and gives the lines of their grids.
    pub(super) fn place(&mut self, models: &Models, frame: &Frame, place: &Similarity) -> Vec<Line> {
        let mut lines = Vec::new();
        for (plane, ground) in self.planes.iter_mut().zip(&models.grounds) {
            let pose = ground.pose(frame);
            // As near to the scene as the plane goes, on the grid.
            let middle = pose.inverse_transform_point(&place.origin);
            let [x, y] = [middle.x, middle.y].map(|x| (x / self.cell).round() * self.cell);
            let under = pose * Point3::new(x, y, -SINK / place.scale);
            let q = pose.rotation;
            #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
            let [i, j, k, w] = [q.i, q.j, q.k, q.w].map(|x| x as f32);
            plane.set_pose(Pose3::from_parts(place.point(&under), Quat::from_xyzw(i, j, k, w)));
            grid(&pose, [x, y], self.cell, &mut lines);
        }
        lines
    }
}

/// How far below the grid the plane is drawn, so that the two do not fight, as a share of the scene's radius.
const SINK: f64 = 1e-3;

fn grid(pose: &Isometry3<f64>, [x, y]: [f64; 2], cell: f64, lines: &mut Vec<Line>) {
    let reach = f64::from(LINES);
    for across in -LINES..=LINES {
        for piece in -PIECES..PIECES {
            let [from, to] = [piece, piece + 1].map(|end| f64::from(end) / f64::from(PIECES) * reach);
            let across = f64::from(across);
            let out = (0.5 * (from + to)).hypot(across) / reach;
            #[expect(clippy::cast_possible_truncation, reason = "an opacity")]
            let alpha = (1.0 - out).max(0.0).powi(2) as f32;
            if alpha < 0.02 {
                continue;
            }
            let color: Color = palette::GROUND.mixed(palette::GRID, alpha);
            let at = |u: f64, v: f64| pose * Point3::new(x + u * cell, y + v * cell, 0.0);
            for ends in [[at(from, across), at(to, across)], [at(across, from), at(across, to)]] {
                lines.push(Line { ends, color, width: 1.0, on_top: false });
            }
        }
    }
}

/// The greatest of 1, 2, 5, 10, … times a power of ten that is not above `length`.
fn round(length: f64) -> f64 {
    let power = 10.0_f64.powf(length.log10().floor());
    let times = [5.0, 2.0, 1.0].into_iter().find(|times| times * power <= length).unwrap_or(1.0);
    times * power
}

/// A length as it is read: 0.05 m is 5 cm.
pub(super) fn told(length: f64) -> String {
    let (value, unit) = match length {
        _ if length < 1e-3 => (length * 1e6, "µm"),
        _ if length < 0.01 => (length * 1e3, "mm"),
        _ if length < 1.0 => (length * 1e2, "cm"),
        _ if length < 1e3 => (length, "m"),
        _ => (length / 1e3, "km"),
    };
    format!("{value:.0} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_round_lengths() {
        for (length, cell, text) in
            [(0.3, 0.2, "20 cm"), (0.0999, 0.05, "5 cm"), (7.0, 5.0, "5 m"), (2.5e-3, 2e-3, "2 mm")]
        {
            assert!((round(length) / cell - 1.0).abs() < 1e-9);
            assert_eq!(told(round(length)), text);
        }
    }
}
