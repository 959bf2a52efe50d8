//! Adapter of the camera to kiss3d.

use kiss3d::camera::Camera3d;
use kiss3d::event::WindowEvent;
use kiss3d::glamx::{Mat4, Pose3, Vec3};
use kiss3d::window::Canvas;
use nalgebra::Matrix4;

use super::similarity::Similarity;
use crate::Camera;

/// A camera for one picture, in view coordinates. It ignores all events except changes of size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eye {
    camera: Camera,
    place: Similarity,
    projection: Mat4,
    view: Pose3,
}

/// Near and far clip plane over the distance to the target: a larger ratio of the two costs depth resolution.
const CLIP: [f64; 2] = [0.01, 200.0];

impl Eye {
    pub(super) fn new(camera: &Camera, place: &Similarity, aspect: f64) -> Self {
        let clip_planes = |distance: f64| CLIP.map(|fraction| fraction * distance * place.scale);
        let projection = single(&camera.projection(aspect, clip_planes(camera.distance)));
        let [eye, target] = [camera.eye(), camera.target].map(|point| place.point(&point));
        let view = Pose3::look_at_rh(eye, target, Vec3::Z);
        Self { camera: *camera, place: *place, projection, view }
    }
}

impl Camera3d for Eye {
    fn handle_event(&mut self, _: &Canvas, event: &WindowEvent) {
        if let WindowEvent::FramebufferSize(width, height) = *event {
            *self = Self::new(&self.camera, &self.place, f64::from(width.max(1)) / f64::from(height.max(1)));
        }
    }

    fn eye(&self) -> Vec3 {
        self.place.point(&self.camera.eye())
    }

    fn view_transform(&self) -> Pose3 {
        self.view
    }

    fn transformation(&self) -> Mat4 {
        self.projection * self.view.to_mat4()
    }

    fn inverse_transformation(&self) -> Mat4 {
        self.transformation().inverse()
    }

    fn clip_planes(&self) -> (f32, f32) {
        #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
        let [near, far] = CLIP.map(|fraction| (fraction * self.camera.distance * self.place.scale) as f32);
        (near, far)
    }

    fn update(&mut self, _: &Canvas) {}

    fn view_transform_pair(&self, _: usize) -> (Pose3, Mat4) {
        (self.view, self.projection)
    }
}

fn single(matrix: &Matrix4<f64>) -> Mat4 {
    #[expect(clippy::cast_possible_truncation, reason = "what the graphics card takes")]
    let columns: Vec<f32> = matrix.iter().map(|&x| x as f32).collect();
    Mat4::from_cols_slice(&columns)
}
