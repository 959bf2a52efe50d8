//! The ground: a plane that receives shadows, with a grid whose cell size is a round length.
//!
//! The grid is a texture: it is lit with the plane, and its mipmaps fade it with distance.

use std::sync::Arc;

use image::{DynamicImage, GrayImage, Luma};
use kiss3d::glamx::{Pose3, Quat, Vec2, Vec3};
use kiss3d::resource::{Texture, TextureManager};
use kiss3d::scene::SceneNode3d;
use nalgebra::{Isometry3, Point3};

use super::material::dress;
use super::paint::{Finish, paint};
use super::similarity::Similarity;
use crate::{Models, palette};
use extricate_scene::record::WorldState;

/// Half the side of the plane over the scene's radius: larger than the distance at which fog hides it for usual cameras.
const PLANE: f64 = 1000.0;
/// Period of bold lines [cells]; the texture repeats with it.
const BOLD: u32 = 5;
/// Texels along the side of a cell.
const TEXELS: u32 = 128;
/// Brightness of thin and bold lines over that of the ground, in 255ths.
const LINES: [u8; 2] = [190, 145];
/// Half the width of thin and of bold lines [texels].
const WIDTHS: [u32; 2] = [1, 2];

/// The half-spaces of a scene on the stage.
#[derive(Default)]
pub(super) struct Grounds {
    planes: Vec<SceneNode3d>,
    /// Side of a cell [m].
    pub(super) cell: f64,
    /// Current poses of the planes.
    poses: Vec<Isometry3<f64>>,
    /// Normal of the first plane, zero if there is none, and height of the origin above it, in view coordinates.
    first: (Vec3, f32),
}

impl Grounds {
    pub(super) fn new(models: &Models, root: &mut SceneNode3d, place: &Similarity) -> Self {
        // About a quarter of the scene's radius: a few cells lie under the scene at any scale.
        let cell = round(0.25 / place.scale);
        let planes = models.grounds.iter().map(|_| {
            #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
            let [side, cells] = [2.0 * PLANE, 2.0 * PLANE / (place.scale * cell)].map(|x| x as f32);
            let mut plane = root.add_quad(side, side, 1, 1).enable_backface_culling(false);
            plane.set_casts_shadows(false);
            dress(&mut plane);
            plane.set_texture(grid());
            // A line passes through the middle for every size of the plane.
            let repeats = cells / BOLD as f32;
            plane.modify_uvs(&mut |uvs| {
                for uv in uvs {
                    *uv = (*uv - Vec2::splat(0.5)) * repeats;
                }
            });
            paint(&mut plane, palette::GROUND, Finish::Dull);
            plane
        });
        Self { planes: planes.collect(), cell, poses: Vec::new(), first: (Vec3::ZERO, 0.0) }
    }

    /// Normal of the first plane, zero if there is none, and height of the origin above it, in view coordinates.
    pub(super) fn plane(&self) -> (Vec3, f32) {
        self.first
    }

    /// Sets the poses of the planes.
    pub(super) fn place(&mut self, models: &Models, state: &WorldState, place: &Similarity) {
        let poses = models.grounds.iter().map(|ground| ground.pose(state));
        if poses.clone().eq(self.poses.iter().copied()) {
            return;
        }
        self.poses = poses.collect();
        self.first = (Vec3::ZERO, 0.0);
        // Bold lines are at multiples of this length in the plane's own frame.
        let bold = f64::from(BOLD) * self.cell;
        for (plane, pose) in self.planes.iter_mut().zip(&self.poses) {
            // The point of the plane nearest to the scene, rounded to the grid.
            let middle = pose.inverse_transform_point(&place.origin);
            let [x, y] = [middle.x, middle.y].map(|x| (x / bold).round() * bold);
            let q = pose.rotation;
            #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
            let [i, j, k, w] = [q.i, q.j, q.k, q.w].map(|x| x as f32);
            let middle = place.point(&(pose * Point3::new(x, y, 0.0)));
            if self.first.0 == Vec3::ZERO {
                let normal = Quat::from_xyzw(i, j, k, w) * Vec3::Z;
                self.first = (normal, -normal.dot(middle));
            }
            plane.set_pose(Pose3::from_parts(middle, Quat::from_xyzw(i, j, k, w)));
        }
    }
}

/// Texture of the grid: lines on white, the bold ones through the corners.
fn grid() -> Arc<Texture> {
    /// No anisotropic filtering: software drivers take seconds for pixels at grazing angles.
    const ANISOTROPY: u16 = 1;
    let side = BOLD * TEXELS;
    let from_line = |at: u32, period: u32| (at % period).min(period - at % period);
    let shade = |x: u32, y: u32| {
        let [thin, bold] = [TEXELS, side].map(|period| from_line(x, period).min(from_line(y, period)));
        match (thin < WIDTHS[0], bold < WIDTHS[1]) {
            (_, true) => LINES[1],
            (true, false) => LINES[0],
            (false, false) => u8::MAX,
        }
    };
    let image = DynamicImage::ImageLuma8(GrayImage::from_fn(side, side, |x, y| Luma([shade(x, y)])));
    TextureManager::get_global_manager(|manager| {
        let usual = manager.anisotropy();
        manager.set_generate_mipmaps(true);
        manager.set_anisotropy(ANISOTROPY);
        let texture = manager.add_image_with_color_space(image.clone(), "extricate grid", true);
        manager.set_generate_mipmaps(false);
        manager.set_anisotropy(usual);
        texture
    })
}

/// Largest of 1, 2, 5 times a power of ten that is not above `length`.
fn round(length: f64) -> f64 {
    /// Relative tolerance: a round length in other units, which is rounded, must not get the next smaller cell.
    const EQUAL: f64 = 1.0 + 1e-9;
    let power = 10.0_f64.powf((length * EQUAL).log10().floor());
    let times = [5.0, 2.0, 1.0].into_iter().find(|times| times * power <= length * EQUAL).unwrap_or(1.0);
    times * power
}

/// Text of a length [m]: 0.05 m is `5 cm`.
pub(super) fn readable_length(length: f64) -> String {
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
    fn cells_are_round_lengths_in_all_units() {
        for unit in [1e-6, 1e-3, 0.1, 1.0, 1e3] {
            for length in [0.2, 0.5, 1.0, 0.7, 0.2 * (1.0 - 1e-12)] {
                let cell = round(length);
                assert!((round(length * unit) / (cell * unit) - 1.0).abs() < 1e-9, "{length} in {unit}");
            }
        }
    }

    #[test]
    fn cells_are_the_largest_round_length_below() {
        for (length, cell, text) in
            [(0.3, 0.2, "20 cm"), (0.0999, 0.05, "5 cm"), (7.0, 5.0, "5 m"), (2.5e-3, 2e-3, "2 mm")]
        {
            assert!((round(length) / cell - 1.0).abs() < 1e-9);
            assert_eq!(readable_length(round(length)), text);
        }
    }
}
