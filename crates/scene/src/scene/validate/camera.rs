//! Camera: viewing direction and field of view.

use super::Checker;
use crate::scene::locate::Step::Field;

/// Field of view [°] that a perspective picture can show without extreme distortion at its edges.
const FIELD_OF_VIEW: (&str, fn(f64) -> bool) = ("between 1 and 170", |x| (1.0..=170.0).contains(&x));

impl Checker<'_> {
    pub(super) fn camera(&mut self) {
        let Some(camera) = self.file().camera else { return };
        let place = [Field("camera"), Field("field_of_view")];
        self.range(&place, "the field of view [°]", camera.field_of_view, FIELD_OF_VIEW);
        if camera.eye == camera.target {
            let message = "`eye` and `target` of the camera coincide: it has no viewing direction";
            self.contradiction(&[Field("camera"), Field("target")], message);
        }
    }
}
