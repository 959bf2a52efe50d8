//! Shapes in command lines and manifests: a mesh file, or a convex shape such as `box:1,2,3` or `rounded:0.1:hull:FILE`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::access::Access;
use super::fault::{Class, Fault};
use crate::scene::schema::ShapeEntry;
use extricate_core::geometry::convex::{ConvexHull, ConvexShape, Core};
use extricate_core::geometry::procedural::{Cuboid, Procedural};
use extricate_core::geometry::report::MeshReport;
use extricate_core::geometry::{Solidity, TriangleMesh};
use extricate_core::proximity::Model;
use extricate_core::suggestion::did_you_mean;

/// A shape argument.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeArgument {
    /// The argument as written.
    text: String,
    entry: ShapeEntry,
    /// Path of its file, resolved.
    file: Option<PathBuf>,
}

/// Minimum number of triangles of a mesh whose tree is stored on disk: building it takes about as long as starting the
/// program. Smaller, and trees are stored whose building goes unnoticed; results do not depend on it.
const LARGE: usize = 20_000;

/// Maximum number of nested roundings. One is enough for any shape; the bound limits the recursion on hostile arguments.
const MAX_ROUNDINGS: usize = 8;

/// Notation of every form.
const FORMS: &str =
    "sphere:R, box:X,Y,Z, capsule:R,LENGTH, cylinder:R,H, cone:R,H, halfspace, hull:FILE, rounded:R:SHAPE";

/// Whether a text names a robot: a URDF or MJCF file.
#[must_use]
pub fn is_robot(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    [".urdf", ".xacro", ".xml", ".mjcf"].iter().any(|extension| text.ends_with(extension))
}

impl ShapeArgument {
    /// Parses a shape.
    ///
    /// # Errors
    /// A [`Fault`] with the accepted notation.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        Self::parse_in(text, Path::new(""))
    }

    /// Parses a shape, with its file resolved against a folder.
    pub(crate) fn parse_in(text: &str, folder: &Path) -> Result<Self, Fault> {
        let entry =
            entry(text, folder).map_err(|why| Fault::new(Class::Usage, format!("`{text}`: {why}")))?;
        let file = entry.file().map(|file| folder.join(file));
        Ok(Self { text: text.to_owned(), entry, file })
    }

    /// Its form.
    pub(super) fn entry(&self) -> &ShapeEntry {
        &self.entry
    }

    /// Its mesh file, if it has one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The text before the path of the file, which describes the operations on the mesh.
    pub(crate) fn text_before_file(&self) -> &str {
        self.text.strip_suffix(self.entry.file().unwrap_or_default()).unwrap_or(&self.text)
    }

    /// Whether its form is convex; a mesh file is never, whatever its mesh.
    pub(super) fn is_convex(&self) -> bool {
        !matches!(self.entry, ShapeEntry::Mesh { .. })
    }

    /// Refuses a shape without triangles, which are needed for the reason `why`.
    pub(super) fn need_triangles(&self, why: &str) -> Result<(), Fault> {
        if self.has_triangles() {
            return Ok(());
        }
        Err(Fault::new(Class::Usage, format!("`{}` has no triangles: {why}", self.text)))
    }

    /// Whether triangles represent the shape exactly.
    pub(super) fn has_triangles(&self) -> bool {
        matches!(self.entry, ShapeEntry::Mesh { .. } | ShapeEntry::Hull { .. } | ShapeEntry::Cuboid { .. })
    }

    /// The convex shape.
    pub(super) fn convex(&self, access: &Access) -> Result<ConvexShape, Fault> {
        self.convex_of(&self.entry, access)
    }

    fn convex_of(&self, entry: &ShapeEntry, access: &Access) -> Result<ConvexShape, Fault> {
        match entry {
            ShapeEntry::Rounded { core, radius } => Ok(self.convex_of(core, access)?.rounded(*radius)),
            ShapeEntry::Hull { .. } => {
                let hull = ConvexHull::new(self.read(access)?.vertices());
                let hull = hull.map_err(|error| Fault::of(Class::BadFile, &error))?;
                Ok(ConvexShape::hull(Arc::new(hull)))
            }
            entry => entry.primitive().and_then(|shape| shape.core().cloned()).ok_or_else(|| {
                let path = self.path().display();
                let why =
                    format!("{path} is a mesh file, not a convex shape: write hull:FILE for its convex hull");
                Fault::new(Class::Usage, why)
            }),
        }
    }

    fn path(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }

    /// Reads the mesh of its file.
    fn read(&self, access: &Access) -> Result<TriangleMesh, Fault> {
        access.mesh(self.path()).map_err(|error| Fault::of(Class::BadFile, &error))
    }

    /// The shape with its tree, which is stored in the folder `cache` if the mesh is large; closed meshes are solids unless
    /// `solidity` is given.
    pub(super) fn model(
        &self,
        solidity: Option<Solidity>,
        access: &Access,
        cache: Option<&Path>,
    ) -> Result<Model, Fault> {
        let mesh = self.mesh(access)?;
        let derived = Solidity::of(&mesh);
        if (solidity, derived) == (Some(Solidity::Solid), Solidity::Surface) {
            let (text, why) = (&self.text, without_inside(&mesh));
            let message =
                format!("{text} is not a solid: {why}; {DEFECTS}, and without `solid` it is a surface");
            return Err(Fault::new(Class::BadFile, message));
        }
        let solidity = solidity.unwrap_or(derived);
        match cache.filter(|_| mesh.triangles().len() >= LARGE) {
            None => Ok(Model::new(mesh, solidity)),
            Some(folder) => cached(mesh, solidity, folder),
        }
    }

    /// The triangles of the shape.
    fn mesh(&self, access: &Access) -> Result<TriangleMesh, Fault> {
        if !self.is_convex() {
            return self.read(access);
        }
        match self.convex(access)?.core() {
            Core::Hull(hull) => hull
                .mesh()
                .map_err(|error| Fault::new(Class::BadFile, format!("{} is flat: {error}", self.text))),
            Core::Cuboid { half_extents } => {
                let [x, y, z] = (2.0 * half_extents).into();
                let cuboid = Cuboid { x, y, z, ..Cuboid::default() };
                cuboid.mesh().map_err(|error| Fault::of(Class::Usage, &error))
            }
            _ => Err(Fault::new(Class::Usage, format!("`{}` has no triangles", self.text))),
        }
    }
}

/// The command that lists the defects of a mesh.
pub(super) const DEFECTS: &str = "`extricate convert IN OUT` lists its defects";

/// Reason why a mesh has no inside.
pub(super) fn without_inside(mesh: &TriangleMesh) -> String {
    let report = MeshReport::of(mesh);
    match report.volume {
        Some(volume) => format!("it has a volume of {volume} m³"),
        None => {
            let (open, edges) = (report.unbalanced_edges, report.edges);
            format!("it is open ({open} of {edges} edges)")
        }
    }
}

/// A model of `mesh` whose tree is read from the folder, or built and stored there.
fn cached(mesh: TriangleMesh, solidity: Solidity, folder: &Path) -> Result<Model, Fault> {
    let bad = |error: &dyn std::error::Error| Fault::of(Class::BadFile, error);
    let path = folder.join(format!("{:016x}.tree", mesh.fingerprint()));
    if path.exists() {
        return Model::load_tree(mesh, solidity, &path).map_err(|error| bad(&error));
    }
    make_folder(folder)?;
    let model = Model::new(mesh, solidity);
    model.save_tree(&path).map_err(|error| bad(&error))?;
    Ok(model)
}

/// Creates the cache folder.
pub(super) fn make_folder(folder: &Path) -> Result<(), Fault> {
    fs::create_dir_all(folder).map_err(|error| {
        Fault::new(Class::BadFile, format!("cannot create the folder {}: {error}", folder.display()))
    })
}

/// Parses a shape.
fn entry(text: &str, folder: &Path) -> Result<ShapeEntry, String> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let entry = match name {
        "sphere" => {
            let [radius] = sizes(rest, "sphere:R")?;
            ShapeEntry::Ball { radius }
        }
        "box" => {
            let [x, y, z] = sizes(rest, "box:X,Y,Z with full edge lengths")?;
            ShapeEntry::Cuboid { size: (x, y, z) }
        }
        "capsule" => {
            let [radius, length] = sizes(rest, "capsule:R,LENGTH, the length without the caps,")?;
            ShapeEntry::Capsule { radius, length }
        }
        "cylinder" => {
            let [radius, height] = sizes(rest, "cylinder:R,H")?;
            ShapeEntry::Cylinder { radius, height }
        }
        "cone" => {
            let [radius, height] = sizes(rest, "cone:R,H")?;
            ShapeEntry::Cone { radius, height }
        }
        "halfspace" if text == name => ShapeEntry::HalfSpace,
        "halfspace" => return Err(String::from("a half-space has no dimensions: write halfspace")),
        "hull" if rest.is_empty() => return Err(String::from("write hull:FILE with a mesh file")),
        "hull" => ShapeEntry::Hull { of: Box::new(mesh_file(rest)) },
        "rounded" => return rounded(rest, folder),
        _ => return file(text, name, folder),
    };
    if let Some(shape) = entry.primitive() {
        shape.validated().map_err(|error| error.to_string())?;
    }
    Ok(entry)
}

fn mesh_file(path: &str) -> ShapeEntry {
    ShapeEntry::Mesh { file: path.to_owned(), scale: 1.0, solidity: None }
}

/// Parses the dimensions of a shape; `written` is the accepted notation.
fn sizes<const N: usize>(text: &str, written: &str) -> Result<[f64; N], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse::<f64>()).collect();
    let numbers = numbers.ok().and_then(|numbers| <[f64; N]>::try_from(numbers).ok());
    numbers.ok_or_else(|| format!("write {written} in metres, with decimal points"))
}

fn rounded(text: &str, folder: &Path) -> Result<ShapeEntry, String> {
    // Each level is one level of recursion.
    if text.matches("rounded:").count() >= MAX_ROUNDINGS {
        return Err(format!("a shape is rounded at most {MAX_ROUNDINGS} times"));
    }
    let Some((radius, shape)) = text.split_once(':') else {
        return Err(String::from("write rounded:R:SHAPE with a radius in metres"));
    };
    let [radius] = sizes(radius, "rounded:R:SHAPE with a radius")?;
    if !(radius >= 0.0 && radius.is_finite()) {
        return Err(format!(
            "the radius of a rounded shape must be zero or above and finite, not {radius} m"
        ));
    }
    match entry(shape, folder)? {
        ShapeEntry::Mesh { .. } => {
            Err(String::from("a mesh file can be rounded as its convex hull only: rounded:R:hull:FILE"))
        }
        core => Ok(ShapeEntry::Rounded { core: Box::new(core), radius }),
    }
}

/// A mesh file, unless the text looks like a misspelt shape. A single letter before a colon is a drive.
fn file(text: &str, name: &str, folder: &Path) -> Result<ShapeEntry, String> {
    let is_word = name.len() > 1 && name.chars().all(|letter| letter.is_ascii_alphabetic());
    if text != name && is_word && !folder.join(text).exists() {
        let known = FORMS.split(", ").map(|form| form.split(':').next().unwrap_or(form));
        return Err(format!(
            "unknown shape `{name}`; accepted: {FORMS}, or a mesh file{}",
            did_you_mean(name, known)
        ));
    }
    Ok(mesh_file(text))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    fn convex(text: &str) -> ConvexShape {
        ShapeArgument::parse(text).unwrap().convex(&Access::default()).unwrap()
    }

    #[test]
    fn every_form_is_parsed() {
        assert_eq!(convex("sphere:0.5"), ConvexShape::sphere(0.5));
        assert_eq!(convex("box:1, 2.5,3"), ConvexShape::cuboid(Vector3::new(1.0, 2.5, 3.0)));
        assert_eq!(convex("capsule:0.5,0"), ConvexShape::capsule(0.5, 0.0));
        assert_eq!(convex("cylinder:0.5,2"), ConvexShape::cylinder(0.5, 2.0));
        assert_eq!(convex("cone:0.5,2"), ConvexShape::cone(0.5, 2.0));
        assert_eq!(convex("halfspace"), ConvexShape::half_space());
        assert_eq!(
            convex("rounded:0.1:rounded:0.2:cone:0.5,2"),
            ConvexShape::cone(0.5, 2.0).rounded(0.2).rounded(0.1)
        );
        let hull = ShapeArgument::parse("rounded:0.1:hull:C:\\cup.obj").unwrap();
        let core = ShapeEntry::Hull { of: Box::new(mesh_file("C:\\cup.obj")) };
        assert_eq!(hull.entry, ShapeEntry::Rounded { core: Box::new(core), radius: 0.1 });
        assert_eq!(
            (hull.file(), hull.text_before_file()),
            (Some(Path::new("C:\\cup.obj")), "rounded:0.1:hull:")
        );
        for path in ["cup.obj", "C:\\meshes\\cup.obj", "./box", "./halfspace", "a b/c:d.obj"] {
            assert_eq!(ShapeArgument::parse(path).unwrap().entry, mesh_file(path));
        }
    }

    #[test]
    fn invalid_shapes_are_refused_with_the_accepted_notation() {
        for (text, expected) in [
            ("sphere:-1", "radius of a sphere must be positive and finite, not -1 m"),
            ("sphere:", "write sphere:R"),
            ("sphere", "write sphere:R"),
            ("sphere:1,2", "write sphere:R"),
            ("box:1,2", "write box:X,Y,Z"),
            ("box:1,2,0", "size along z of a box must be positive and finite, not 0 m"),
            ("box:1,2,NaN", "not NaN m"),
            ("box", "write box:X,Y,Z"),
            ("hull", "write hull:FILE"),
            ("capsule:1", "write capsule:R,LENGTH"),
            ("capsule:1,-2", "length of a capsule must be zero or above"),
            ("cylinder:1,inf", "not inf m"),
            ("cone:1,x", "write cone:R,H"),
            ("halfspace:1", "has no dimensions"),
            ("hull:", "write hull:FILE"),
            ("rounded:1", "write rounded:R:SHAPE"),
            ("rounded:x:box:1,1,1", "write rounded:R:SHAPE"),
            ("rounded:-0.1:sphere:1", "zero or above and finite, not -0.1 m"),
            ("rounded:0.1:sphere:0", "radius of a sphere"),
            ("rounded:0.1:cup.obj", "rounded:R:hull:FILE"),
            ("rounded:0.1:", "rounded:R:hull:FILE"),
            ("spere:1", "unknown shape `spere`"),
        ] {
            match ShapeArgument::parse(text) {
                Err(Fault { class: Class::Usage, message }) => {
                    assert!(message.contains(expected) && message.contains(text), "{message}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn robots_are_recognized_by_their_extension() {
        assert!(
            is_robot("arm.urdf")
                && is_robot("a/b.URDF")
                && is_robot("a.xml")
                && !is_robot("arm.obj")
                && !is_robot("urdf")
        );
    }

    #[test]
    fn boxes_and_files_have_triangles() {
        let has = |text: &str| ShapeArgument::parse(text).unwrap().has_triangles();
        assert!(["box:1,1,1", "cup.obj", "hull:cup.obj"].into_iter().all(has));
        assert!(
            !["sphere:1", "halfspace", "rounded:0:box:1,1,1", "rounded:1:hull:cup.obj"].into_iter().any(has)
        );
    }
}
