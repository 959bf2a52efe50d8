//! The elements of an MJCF file, with those of the files that it includes in their place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::geometry::limits::{XML_DEPTH, XML_NODES};
use crate::geometry::read::correction::Correction;
use crate::geometry::read::file::text_of;
use crate::geometry::read::xml::{Lines, parsed, prepared};
use crate::kinematics::urdf::RobotFileError;
use crate::kinematics::urdf::limits::FILE_BYTES;
use crate::kinematics::urdf::options::File;

/// An element.
pub(crate) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    path: Arc<Path>,
    pub(super) line: usize,
}

impl Element {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Children of a name.
    pub(super) fn each<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Children of all sections of a name: a section may be repeated.
    pub(super) fn section<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.each(name).flat_map(|section| &section.children)
    }

    /// An error in this element.
    pub(super) fn refused(&self, cause: impl Into<String>) -> RobotFileError {
        let (path, cause) = (self.path.to_path_buf(), format!("<{}>: {}", self.name, cause.into()));
        RobotFileError::Content { path, line: Some(self.line), cause }
    }

    /// A correction of this element.
    pub(super) fn correction(&self, part: String, found: String, became: &str) -> Correction {
        let (path, became) = (self.path.to_path_buf(), became.to_owned());
        Correction { path, line: self.line, part, found, became }
    }

    /// The folder of the file that it is in.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The root element of a model, and the files that it includes.
pub(crate) struct Tree {
    pub(crate) root: Element,
    pub(crate) included: Vec<PathBuf>,
}

impl Tree {
    /// The elements of a file and of those that it includes. As for MuJoCo, no file is included twice, which bounds the
    /// recursion, and paths begin at the folder of the model.
    pub(crate) fn read(file: &File<'_>) -> Result<Self, RobotFileError> {
        let mut reader = TreeReader { file, count: 0, known: BTreeSet::new(), included: Vec::new() };
        let root = reader.text(file.text, &Arc::from(file.path), 0)?;
        Ok(Self { root, included: reader.included })
    }
}

struct TreeReader<'a> {
    file: &'a File<'a>,
    /// Elements read so far.
    count: u32,
    known: BTreeSet<PathBuf>,
    included: Vec<PathBuf>,
}

impl TreeReader<'_> {
    fn text(&mut self, text: &str, path: &Arc<Path>, depth: usize) -> Result<Element, RobotFileError> {
        let refused = |(line, cause)| RobotFileError::Content { path: path.to_path_buf(), line, cause };
        let text = prepared(text).map_err(refused)?;
        let document = parsed(&text).map_err(refused)?;
        self.element(document.root_element(), (path, &Lines::of(&text)), depth)
    }

    fn element(
        &mut self,
        node: roxmltree::Node<'_, '_>,
        place: (&Arc<Path>, &Lines),
        depth: usize,
    ) -> Result<Element, RobotFileError> {
        let (path, lines) = place;
        let attributes = node.attributes().map(|own| (own.name().to_owned(), own.value().to_owned()));
        let mut element = Element {
            name: node.tag_name().name().to_owned(),
            attributes: attributes.collect(),
            children: Vec::new(),
            path: Arc::clone(path),
            line: lines.line(node),
        };
        self.count += 1;
        if self.count > XML_NODES || depth > XML_DEPTH {
            let cause = format!("more than {XML_NODES} elements, or nested more than {XML_DEPTH} deep");
            return Err(element.refused(cause));
        }
        for child in node.children().filter(roxmltree::Node::is_element) {
            let child = self.element(child, place, depth + 1)?;
            if child.name == "include" {
                element.children.append(&mut self.include(&child, depth)?);
            } else {
                element.children.push(child);
            }
        }
        Ok(element)
    }

    /// The elements of the file that an `<include>` names.
    fn include(&mut self, include: &Element, depth: usize) -> Result<Vec<Element>, RobotFileError> {
        let name = include.get("file").ok_or_else(|| include.refused("it has no `file`"))?;
        let path = self.file.path.with_file_name("").join(name);
        let refused = |cause: String| include.refused(format!("file \"{name}\": {cause}"));
        self.file.reach.check(&path, &include.path).map_err(|error| refused(error.to_string()))?;
        let own = path.canonicalize().map_err(|error| refused(error.to_string()))?;
        let is_model = self.file.path.canonicalize().is_ok_and(|model| model == own);
        if is_model || !self.known.insert(own) {
            return Err(refused("it is included twice".to_owned()));
        }
        let text = text_of(&path, FILE_BYTES).map_err(|error| refused(error.to_string()))?;
        self.included.push(path.clone());
        Ok(self.text(&text, &Arc::from(path), depth)?.children)
    }
}
