//! Shapes: one type for convex shapes and meshes.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use nalgebra::{Isometry3, Point3, Vector3};

use super::error::QueryError;
use crate::geometry::convex::{ConvexHull, ConvexShape, Core, START_ANYWHERE};
use crate::geometry::mass_properties::{MassProperties, signed_volume};
use crate::geometry::read::read_mesh;
use crate::geometry::report::MeshReport;
use crate::geometry::{Aabb, Solidity, TriangleMesh};
use crate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use crate::penetration::error::PenetrationError;
use crate::penetration::generalized;
use crate::penetration::object_norm::{Extent, Measure};
use crate::proximity::Model;

/// A shape in its own frame \[m\]: a convex primitive, a hull, a rounded shape, a half-space, or a triangle mesh.
///
/// Primitives are centred at the origin with their axis along z. A clone shares all data. Constructors accept any numbers;
/// [`Shape::validated`] and every query reject those that define no shape.
///
/// ```
/// use extricate_core::query::Shape;
/// use nalgebra::Vector3;
///
/// let dice = Shape::cuboid(Vector3::repeat(0.016)).rounded(0.001)?;
/// assert!(dice.core().is_some() && dice.kind() == "rounded box");
/// // JSON, RON and any other format of serde.
/// let text = serde_json::to_string(&Shape::ball(0.5))?;
/// assert_eq!(text, r#"{"ball":{"radius":0.5}}"#);
/// let read: Shape = serde_json::from_str(&text)?;
/// assert_eq!(read.bounding_sphere().1, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Shape {
    geometry: Geometry,
}

#[derive(Debug, Clone)]
enum Geometry {
    Convex(Arc<Convex>),
    Mesh(Arc<Mesh>),
}

#[derive(Debug)]
struct Convex {
    shape: ConvexShape,
    triangles: OnceLock<Option<Triangles>>,
}

#[derive(Debug)]
struct Mesh {
    triangles: Triangles,
    searchable: OnceLock<generalized::Shape>,
}

/// Triangles of a shape.
#[derive(Debug, Clone)]
pub struct Triangles {
    /// The model of the triangles [m, frame of the shape].
    pub model: Arc<Model>,
    /// Maximum distance \[m\] by which the triangles, which contain the shape, extend beyond it; zero where they are exact.
    pub excess: f64,
}

impl Shape {
    /// Reads a mesh file (OBJ, STL, PLY, OFF, glTF, COLLADA); a closed mesh of a volume is a solid, any other one a surface.
    ///
    /// # Errors
    /// [`QueryError::File`] when the file is not read.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, QueryError> {
        Ok(Self::mesh(read_mesh(path)?))
    }

    /// The ball of a radius \[m\] around the origin.
    #[must_use]
    pub fn ball(radius: f64) -> Self {
        ConvexShape::sphere(radius).into()
    }

    /// All points at most `radius` \[m\] from a segment of a length \[m\] along z.
    #[must_use]
    pub fn capsule(radius: f64, length: f64) -> Self {
        ConvexShape::capsule(radius, length).into()
    }

    /// The box of full edge lengths \[m\] along the axes.
    #[must_use]
    pub fn cuboid(size: Vector3<f64>) -> Self {
        ConvexShape::cuboid(size).into()
    }

    /// The cylinder of a radius and a full height \[m\] around the z axis.
    #[must_use]
    pub fn cylinder(radius: f64, height: f64) -> Self {
        ConvexShape::cylinder(radius, height).into()
    }

    /// The cone of a base radius and a full height \[m\], apex towards +z, centred at half height.
    #[must_use]
    pub fn cone(radius: f64, height: f64) -> Self {
        ConvexShape::cone(radius, height).into()
    }

    /// The half-space z ≤ 0; a pose rotates it.
    #[must_use]
    pub fn half_space() -> Self {
        ConvexShape::half_space().into()
    }

    /// The convex hull of points \[m\].
    ///
    /// # Errors
    /// [`QueryError::Shape`] when there is no point, too many, or one that is not finite.
    pub fn hull(points: &[Point3<f64>]) -> Result<Self, QueryError> {
        Ok(ConvexShape::hull(Arc::new(ConvexHull::new(points)?)).into())
    }

    /// All points at most `radius` \[m\] from a convex shape.
    ///
    /// # Errors
    /// [`QueryError::Unsupported`] for a mesh.
    pub fn rounded(&self, radius: f64) -> Result<Self, QueryError> {
        let reason = "only convex shapes are rounded; take the convex hull";
        let refused = QueryError::Unsupported { query: "rounding", shapes: [self.kind(), "ball"], reason };
        Ok(self.core().ok_or(refused)?.clone().rounded(radius).into())
    }

    /// A triangle mesh: a solid where it is closed and has a volume, otherwise a surface.
    #[must_use]
    pub fn mesh(mesh: TriangleMesh) -> Self {
        let solidity = Solidity::of(&mesh);
        Model::new(mesh, solidity).into()
    }

    /// A triangle mesh as a surface without an inside.
    #[must_use]
    pub fn surface(mesh: TriangleMesh) -> Self {
        Model::new(mesh, Solidity::Surface).into()
    }

    /// A triangle mesh as the boundary of a solid.
    ///
    /// # Errors
    /// [`QueryError::OpenMesh`] when it is open or has no volume.
    pub fn solid(mesh: TriangleMesh) -> Result<Self, QueryError> {
        if Solidity::of(&mesh) == Solidity::Solid {
            return Ok(Model::new(mesh, Solidity::Solid).into());
        }
        let MeshReport { unbalanced_edges, edges, volume, .. } = MeshReport::of(&mesh);
        Err(QueryError::OpenMesh { unbalanced_edges, edges, volume: volume.unwrap_or(f64::NAN) })
    }

    /// Returns the shape if its sizes are valid.
    ///
    /// # Errors
    /// [`QueryError::Shape`] for a size that is negative, zero or not finite.
    pub fn validated(self) -> Result<Self, QueryError> {
        self.check()?;
        Ok(self)
    }

    /// Whether both are clones of one shape.
    pub(super) fn is_clone_of(&self, other: &Self) -> bool {
        match (&self.geometry, &other.geometry) {
            (Geometry::Convex(own), Geometry::Convex(others)) => Arc::ptr_eq(own, others),
            (Geometry::Mesh(own), Geometry::Mesh(others)) => Arc::ptr_eq(own, others),
            _ => false,
        }
    }

    pub(super) fn check(&self) -> Result<(), QueryError> {
        if let Some(shape) = self.core() {
            shape.clone().validated()?;
        }
        Ok(())
    }

    /// The shape as a convex core and a radius; `None` for a mesh.
    #[must_use]
    pub fn core(&self) -> Option<&ConvexShape> {
        match &self.geometry {
            Geometry::Convex(convex) => Some(&convex.shape),
            Geometry::Mesh(_) => None,
        }
    }

    /// The shape as a convex core and a radius, if it has bounds; `None` for a mesh and a half-space.
    #[must_use]
    pub fn bounded_core(&self) -> Option<&ConvexShape> {
        self.core().filter(|shape| *shape.core() != Core::HalfSpace)
    }

    /// The triangle model; `None` for a convex shape.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<Model>> {
        match &self.geometry {
            Geometry::Convex(_) => None,
            Geometry::Mesh(mesh) => Some(&mesh.triangles.model),
        }
    }

    /// Triangles of the surface: exact for meshes, boxes and hulls; for a round shape those of a polyhedron that contains it
    /// with [`Triangles::excess`]; `None` for a half-space and a hull without area. They are computed once.
    #[must_use]
    pub fn triangles(&self) -> Option<&Triangles> {
        match &self.geometry {
            Geometry::Mesh(mesh) => Some(&mesh.triangles),
            Geometry::Convex(convex) => convex.triangles.get_or_init(|| triangles_of(&convex.shape)).as_ref(),
        }
    }

    /// The shape for searches among rigid and articulated motions: its convex decomposition where it is a union of convex
    /// components, with its triangles. It is computed once.
    #[must_use]
    pub fn searchable(&self) -> generalized::Shape {
        match &self.geometry {
            Geometry::Convex(convex) => generalized::Shape::convex(convex.shape.clone()),
            Geometry::Mesh(mesh) => mesh
                .searchable
                .get_or_init(|| generalized::Shape::of_model(Arc::clone(&mesh.triangles.model)))
                .clone(),
        }
    }

    /// Computes what queries of a mesh compute on first use ([`Model::prepare`]), the shape for searches among motions included;
    /// convex shapes need nothing. Time budgets of queries are for the search alone.
    ///
    /// ```
    /// use std::time::Duration;
    /// use extricate_core::geometry::procedural::{Procedural, Torus};
    /// use extricate_core::query::{PenetrationOptions, Posed, Shape, penetration};
    /// use nalgebra::Isometry3;
    ///
    /// let ring = Shape::mesh(Torus::default().mesh()?);
    /// ring.prepare();
    /// let (a, b) = (Posed::at_origin(&ring), Posed::new(&ring, Isometry3::translation(0.3, 0.0, 0.0)));
    /// let options = PenetrationOptions { time_budget: Some(Duration::from_millis(50)), ..PenetrationOptions::default() };
    /// assert!(penetration(&a, &b, &options)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare(&self) {
        if let Geometry::Mesh(mesh) = &self.geometry {
            mesh.triangles.model.prepare();
            let _ = self.searchable();
        }
    }

    /// Name of the kind: `ball`, `capsule`, `box`, `cylinder`, `cone`, `hull`, `rounded …`, `half-space`, `solid mesh`,
    /// `surface mesh`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        let shape = match &self.geometry {
            Geometry::Mesh(mesh) if mesh.triangles.model.solidity() == Solidity::Solid => {
                return "solid mesh";
            }
            Geometry::Mesh(_) => return "surface mesh",
            Geometry::Convex(convex) => &convex.shape,
        };
        match (shape.core(), shape.radius() > 0.0) {
            (Core::Point, _) => "ball",
            (Core::Segment { .. }, _) => "capsule",
            (Core::Cuboid { .. }, false) => "box",
            (Core::Cuboid { .. }, true) => "rounded box",
            (Core::Cylinder { .. }, false) => "cylinder",
            (Core::Cylinder { .. }, true) => "rounded cylinder",
            (Core::Cone { .. }, false) => "cone",
            (Core::Cone { .. }, true) => "rounded cone",
            (Core::Hull(_), false) => "hull",
            (Core::Hull(_), true) => "rounded hull",
            (Core::HalfSpace, _) => "half-space",
        }
    }

    /// Whether the shape is a half-space, the only shape without bounds.
    #[must_use]
    pub fn is_half_space(&self) -> bool {
        self.core().is_some_and(|shape| *shape.core() == Core::HalfSpace)
    }

    /// Whether two shapes are the same: meshes and hulls by identity, others by their sizes.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match ([self.core(), other.core()], [self.model(), other.model()]) {
            ([Some(a), Some(b)], _) => {
                a.core().is_same(b.core()) && a.radius().to_bits() == b.radius().to_bits()
            }
            (_, [Some(a), Some(b)]) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Address of the data that clones of a shape share: of a mesh its model, of a convex shape its description.
    #[must_use]
    pub fn address(&self) -> usize {
        match &self.geometry {
            Geometry::Convex(convex) => Arc::as_ptr(convex).addr(),
            Geometry::Mesh(mesh) => Arc::as_ptr(&mesh.triangles.model).addr(),
        }
    }

    /// A point of the shape that is farthest along a direction, which must not be zero [m, frame of the shape]; `None` for
    /// a half-space.
    #[must_use]
    pub fn support(&self, direction: &Vector3<f64>) -> Option<Point3<f64>> {
        match &self.geometry {
            Geometry::Convex(_) if self.is_half_space() => None,
            Geometry::Convex(convex) => {
                let outward = direction.try_normalize(0.0)?;
                let point = convex.shape.core().support(&outward, START_ANYWHERE).point;
                Some(Point3::from(point + outward * convex.shape.radius()))
            }
            Geometry::Mesh(mesh) => {
                let height = |point: &Point3<f64>| direction.dot(&point.coords);
                used_vertices(&mesh.triangles.model).max_by(|p, q| height(p).total_cmp(&height(q)))
            }
        }
    }

    /// Volume \[m³\]; infinite for a half-space, meaningless for an open mesh.
    #[must_use]
    pub fn volume(&self) -> f64 {
        match &self.geometry {
            Geometry::Convex(convex) => convex.shape.volume(),
            Geometry::Mesh(mesh) => signed_volume(mesh.triangles.model.mesh()).abs(),
        }
    }

    /// Volume moments of the shape; area moments where it is a surface. For a rounded box, cylinder, cone or hull they are
    /// those of [`ConvexShape::inscribed_polyhedron`].
    ///
    /// # Errors
    /// [`PenetrationError`] for a half-space and for shapes without volume or area.
    pub fn extent(&self) -> Result<Extent, PenetrationError> {
        match &self.geometry {
            Geometry::Mesh(mesh) => {
                let model = &mesh.triangles.model;
                Extent::of_mesh(model.mesh(), model.solidity())
            }
            Geometry::Convex(convex) => match Extent::of_convex(&convex.shape) {
                Err(PenetrationError::NoClosedForm) => {
                    let mesh = convex.shape.inscribed_polyhedron().ok_or(PenetrationError::NoClosedForm)?;
                    Extent::of_mesh(&mesh, Solidity::Solid)
                }
                extent => extent,
            },
        }
    }

    /// Volume \[m³\], centre of mass \[m\] and inertia \[m⁵\] at density 1, in the frame of the shape. For a rounded box,
    /// cylinder, cone or hull they are those of a polyhedron that lies within it by up to 0.5 % of the radius.
    ///
    /// # Errors
    /// [`QueryError::Shape`] for sizes that define no shape; [`QueryError::Unsupported`] for a half-space and for shapes
    /// without volume.
    pub fn mass_properties(&self) -> Result<MassProperties, QueryError> {
        self.check()?;
        let extent = self.extent().ok().filter(|extent| extent.kind() == Measure::Volume);
        let reason = "it has no volume, or an infinite one";
        let shapes = [self.kind(), "unit density"];
        let extent = extent.ok_or(QueryError::Unsupported { query: "mass", shapes, reason })?;
        Ok(MassProperties { volume: extent.measure(), center: extent.centroid(), inertia: extent.inertia() })
    }

    /// Centre [m, frame of the shape] and radius \[m\] of a bounding sphere of the shape; infinite for a half-space.
    #[must_use]
    pub fn bounding_sphere(&self) -> (Point3<f64>, f64) {
        match &self.geometry {
            Geometry::Convex(convex) => convex.shape.bounding_sphere(),
            Geometry::Mesh(mesh) => (mesh.triangles.model.center(), mesh.triangles.model.radius()),
        }
    }

    /// Radius \[m\] of [`Shape::bounding_sphere`].
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_sphere().1
    }

    /// The smallest axis-aligned box around the shape at a pose [m, world]; all space for a half-space.
    #[must_use]
    pub fn aabb(&self, pose: &Isometry3<f64>) -> Aabb {
        match &self.geometry {
            Geometry::Convex(convex) => convex.shape.aabb(pose),
            Geometry::Mesh(mesh) => {
                let points: Vec<_> = used_vertices(&mesh.triangles.model).map(|p| pose * p).collect();
                Aabb::of_points(&points)
            }
        }
    }
}

/// Vertices of all triangles [m, body frame]; vertices that no triangle uses bound nothing.
pub(super) fn used_vertices(model: &Model) -> impl Iterator<Item = Point3<f64>> + '_ {
    let mesh = model.mesh();
    mesh.triangles().iter().flatten().map(|&index| mesh.vertices()[index as usize])
}

fn triangles_of(shape: &ConvexShape) -> Option<Triangles> {
    let mesh = shape.circumscribed_polyhedron()?;
    let is_exact = shape.radius() <= 0.0 && matches!(shape.core(), Core::Cuboid { .. } | Core::Hull(_));
    let excess = if is_exact { 0.0 } else { excess_of(&mesh, shape) };
    let solidity = Solidity::of(&mesh);
    Some(Triangles { model: Arc::new(Model::new(mesh, solidity)), excess })
}

/// Maximum distance of a polyhedron's points from a convex shape [m]: the distance is a convex function, which is maximal at a
/// vertex.
fn excess_of(mesh: &TriangleMesh, shape: &ConvexShape) -> f64 {
    let (point, here) = (ConvexShape::sphere(0.0), Isometry3::identity());
    let (options, mut cache) = (ConvexOptions::default(), ConvexCache::default());
    let beyond = |vertex: &Point3<f64>| {
        let at = Isometry3::from(vertex.coords);
        signed_distance(&point, &at, shape, &here, &options, &mut cache).map_or(0.0, |found| found.at_most)
    };
    mesh.vertices().iter().map(beyond).fold(0.0, f64::max)
}

impl From<ConvexShape> for Shape {
    fn from(shape: ConvexShape) -> Self {
        Self { geometry: Geometry::Convex(Arc::new(Convex { shape, triangles: OnceLock::new() })) }
    }
}

impl From<Arc<Model>> for Shape {
    fn from(model: Arc<Model>) -> Self {
        let triangles = Triangles { model, excess: 0.0 };
        Self { geometry: Geometry::Mesh(Arc::new(Mesh { triangles, searchable: OnceLock::new() })) }
    }
}

impl From<Model> for Shape {
    fn from(model: Model) -> Self {
        Arc::new(model).into()
    }
}
