//! Files dropped on the window: scenes and runs are opened, meshes and robots are added to the scene file.

use std::path::Path;

use nalgebra::{Isometry3, Point3};

use super::Session;
use extricate_core::geometry::read::EXTENSIONS;
use extricate_dynamics::AnyBody;
use extricate_scene::scene::{text_with_mesh, text_with_robot};

/// Extensions of files of robots.
const ROBOTS: [&str; 4] = ["urdf", "xacro", "xml", "mjcf"];
/// Height of an added body above the highest one over its own height.
const GAP: f64 = 0.1;

impl Session {
    /// Opens a scene or run, or adds a mesh or robot to the scene file.
    pub(super) fn drop_file(&mut self, file: &Path) {
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if file.is_dir() || extension == "ron" {
            return self.open(file);
        }
        let is_mesh = EXTENSIONS.contains(&extension.as_str());
        if !is_mesh && !ROBOTS.contains(&&*extension) {
            let known = [EXTENSIONS, &ROBOTS].concat().join(", ");
            self.fail(format!(
                "cannot use {}; expected a scene (ron), the folder of a run, or a mesh or robot ({known})",
                file.display()
            ));
            return;
        }
        if self.sketch.is_some() {
            self.fail("close the sketch (E) before files are added to the scene");
            return;
        }
        let mut added = String::new();
        let what = format!("addition of {}", file.display());
        let edited = self.edit(&what, |session, path, text| {
            let (text, name) = session.with_file(path, text, (file, is_mesh))?;
            added = name;
            Ok(text)
        });
        match edited {
            Ok(()) => {
                let scene = self.title.path().display();
                self.note(format!("`{added}` is added to {scene}; Z undoes"));
            }
            Err(error) => self.fail(format!("{} not added: {error}", file.display())),
        }
    }

    /// The text of the scene with a mesh or robot in the middle of the view, and its name: a mesh above all bodies, a robot at the
    /// height of zero.
    fn with_file(
        &self,
        path: &Path,
        text: &str,
        (file, is_mesh): (&Path, bool),
    ) -> Result<(String, String), String> {
        let target = self.camera.target;
        if !is_mesh {
            let at = Point3::new(target.x, target.y, 0.0);
            return text_with_robot(path, text, file, &at).map_err(|error| error.to_string());
        }
        let add = |at: &Point3<f64>| text_with_mesh(path, text, file, at).map_err(|error| error.to_string());
        let (first, name) = add(&target)?;
        let scene = self.parsed(path, &first)?;
        let body = scene.bodies.iter().find(|body| body.name == name);
        let bounds = body.map(|body| body.shape.aabb(&Isometry3::identity()));
        let bounds = bounds.ok_or_else(|| format!("no body `{name}`"))?;
        let rigid = (0..self.models.bodies.len()).map(AnyBody::Rigid);
        let all = rigid.chain((0..self.models.soft.len()).map(AnyBody::Soft));
        let tops = all.map(|body| self.bounds(body).max.z).filter(|top| top.is_finite());
        let top = tops.fold(0.0, f64::max);
        let height = bounds.max.z - bounds.min.z;
        let middle = bounds.center();
        add(&Point3::new(target.x - middle.x, target.y - middle.y, top - bounds.min.z + GAP * height))
    }
}
