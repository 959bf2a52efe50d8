//! Adapter of the camera to kiss3d.

use kiss3d::camera::Camera3d;
use kiss3d::event::WindowEvent;
use kiss3d::glamx::{Mat4, Pose3, Vec3};
use kiss3d::window::Canvas;
use nalgebra::{Matrix4, Point3, Vector2};

use super::similarity::Similarity;
use crate::{Camera, LensSample};

/// A camera for one picture, displaced within its lens, in view coordinates. It ignores all events except changes of size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eye {
    camera: Camera,
    sample: LensSample,
    place: Similarity,
    /// The displaced eye [m, world].
    eye: Point3<f64>,
    projection: Mat4,
    view: Pose3,
}

/// Near and far clip plane over the distance to the target: a larger ratio of the two costs depth resolution.
const CLIP: [f64; 2] = [0.01, 200.0];

impl Eye {
    /// The eye for a picture of this size [pixels].
    pub(super) fn new(camera: &Camera, sample: &LensSample, place: &Similarity, size: Vector2<f64>) -> Self {
        let clip_planes = |distance: f64| CLIP.map(|fraction| fraction * distance * place.scale);
        let projection = camera.projection(size.x / size.y, clip_planes(camera.distance));
        let projection = single(&sample.displaced(&projection, size));
        let [right, up, _] = camera.axes();
        let displacement = right * sample.eye.x + up * sample.eye.y;
        let eye = camera.eye() + displacement;
        let [from, to] = [eye, camera.target + displacement].map(|point| place.point(&point));
        let view = Pose3::look_at_rh(from, to, Vec3::Z);
        Self { camera: *camera, sample: *sample, place: *place, eye, projection, view }
    }
}

impl Camera3d for Eye {
    fn handle_event(&mut self, _: &Canvas, event: &WindowEvent) {
        if let WindowEvent::FramebufferSize(width, height) = *event {
            let size = Vector2::new(f64::from(width.max(1)), f64::from(height.max(1)));
            *self = Self::new(&self.camera, &self.sample, &self.place, size);
        }
    }

    fn eye(&self) -> Vec3 {
        self.place.point(&self.eye)
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
