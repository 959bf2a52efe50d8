use super::*;

fn camera() -> Camera {
    Camera::look_at(&Point3::new(3.0, -2.0, 1.5), &Point3::new(0.5, 0.2, 0.1), 0.7)
}

#[test]
fn looks_from_where_it_was_put() {
    assert!((camera().eye() - Point3::new(3.0, -2.0, 1.5)).norm() < 1e-12);
}

#[test]
fn rays_and_pixels_are_inverse() {
    let size = Vector2::new(1280.0, 720.0);
    for pixel in [Vector2::new(0.0, 0.0), Vector2::new(640.0, 360.0), Vector2::new(1000.0, 77.0)] {
        let ray = camera().ray(pixel, size);
        let seen = camera().pixel(&(ray.origin + 7.0 * ray.direction), size).expect("before the eye");
        assert!((seen - pixel).norm() < 1e-9);
        assert_eq!(camera().pixel(&(ray.origin - ray.direction), size), None);
    }
}

#[test]
fn a_fitted_camera_sees_the_whole_box() {
    let bounds = Aabb { min: Point3::new(-1e-3, 0.0, 2e-3), max: Point3::new(4e-3, 1e-3, 3e-3) };
    for size in [Vector2::new(1280.0, 720.0), Vector2::new(300.0, 900.0)] {
        let camera = Camera::fitted(&bounds, size.x / size.y);
        for corner in [bounds.min, bounds.max] {
            let pixel = camera.pixel(&corner, size).expect("before the eye");
            assert!(pixel.x > 0.0 && pixel.y > 0.0 && pixel.x < size.x && pixel.y < size.y);
        }
    }
}

#[test]
fn panning_moves_the_target_by_pixels() {
    let size = Vector2::new(1280.0, 720.0);
    let (mut moved, target) = (camera(), camera().target);
    moved.pan(Vector2::new(30.0, 40.0), size.y);
    let seen = moved.pixel(&target, size).expect("before the eye");
    assert!((seen - Vector2::new(670.0, 400.0)).norm() < 1e-6);
}
