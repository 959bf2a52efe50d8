//! The camera looks at something, and its picture has an angle.

use super::Checker;
use crate::scene::locate::Step::Field;

/// What a flat picture can show without its edges being torn apart.
const FIELD_OF_VIEW: (&str, fn(f64) -> bool) = ("between 1 and 170", |x| (1.0..=170.0).contains(&x));

impl Checker<'_> {
    pub(super) fn camera(&mut self) {
        let Some(camera) = self.file().camera else { return };
        let place = [Field("camera"), Field("field_of_view")];
        self.range(&place, "the field of view [°]", camera.field_of_view, FIELD_OF_VIEW);
        if camera.eye == camera.target {
            let message = "the eye of the camera is at its target, so it looks nowhere";
            self.contradiction(&[Field("camera"), Field("target")], message);
        }
    }
}
