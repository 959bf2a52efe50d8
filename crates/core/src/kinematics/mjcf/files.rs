//! Files that a model names, and the model as a single file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::compiler::Compiler;
use super::defaults::Defaults;
use super::element::{Element, Tree};
use super::mesh::{asset_name, mesh_path};
use crate::geometry::read::reach::FileScope;
use crate::kinematics::urdf::RobotFileError;
use crate::kinematics::urdf::options::File;

/// A model with the elements of the files that it includes.
pub struct ModelFiles {
    tree: Tree,
    path: PathBuf,
    scope: FileScope,
}

/// Settings that hold for paths of files; there are none in a model that names copies.
const PATH_SETTINGS: [&str; 3] = ["meshdir", "assetdir", "strippath"];

impl ModelFiles {
    /// The model in the content of an MJCF file.
    ///
    /// # Errors
    /// [`RobotFileError`] when the file or one that it includes is damaged.
    pub fn of(text: &str, path: &Path, scope: &FileScope) -> Result<Self, RobotFileError> {
        let tree = Tree::read(&File { path, text, reach: scope })?;
        Ok(Self { tree, path: path.to_owned(), scope: scope.clone() })
    }

    /// The files that it includes.
    #[must_use]
    pub fn included(&self) -> &[PathBuf] {
        &self.tree.included
    }

    /// Calls `name` for the path of each mesh that exists within the file scope. Returns the model without includes and with the
    /// returned names of its meshes, which are relative to its folder.
    ///
    /// # Errors
    /// [`RobotFileError`] for settings that are invalid, and errors of `name`.
    pub fn with_meshes<E: From<RobotFileError>>(
        mut self,
        name: &mut dyn FnMut(&Path) -> Result<String, E>,
    ) -> Result<String, E> {
        let compiler = {
            let defaults = Defaults::of(&self.tree.root)?;
            Compiler::of(&self.tree.root, &defaults)?
        };
        for section in self.tree.root.children.iter_mut() {
            if section.name == "compiler" {
                section.attributes.retain(|(name, _)| !PATH_SETTINGS.contains(&name.as_str()));
            }
            let is_asset = section.name == "asset";
            for mesh in section.children.iter_mut().filter(|asset| is_asset && asset.name == "mesh") {
                let Some(path) = mesh.get("file").map(|file| mesh_path(&self.path, &compiler, file)) else {
                    continue;
                };
                if self.scope.check(&path, &self.path).is_err() || !path.is_file() {
                    continue;
                }
                let own = asset_name(mesh).unwrap_or_default();
                mesh.attributes.retain(|(name, _)| name != "file" && name != "name");
                mesh.attributes.extend([("name".to_owned(), own), ("file".to_owned(), name(&path)?)]);
            }
        }
        let mut text = String::new();
        write(&self.tree.root, &mut text);
        Ok(text)
    }
}

/// Writes an element and its children as XML.
fn write(element: &Element, text: &mut String) {
    let escaped = |value: &str| value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    text.push('<');
    text.push_str(&element.name);
    for (name, value) in &element.attributes {
        write!(text, " {name}=\"{}\"", escaped(value)).expect("a text takes all");
    }
    text.push_str(">\n");
    element.children.iter().for_each(|child| write(child, text));
    writeln!(text, "</{}>", element.name).expect("a text takes all");
}
