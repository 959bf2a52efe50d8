//! A triangle mesh preprocessed for queries.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use nalgebra::{Point3, Vector3};

use super::clear_place::ClearConfigurations;
use super::curves_and_patches::CurvesAndPatches;
use super::curves_and_patches::curve_graph::CurveGraph;
use super::curves_and_patches::patches::PatchesOfModel;
use super::gyration::Gyration;
use super::incidence::Incidence;
use super::inner_ball::InnerBalls;
use super::outline::Outline;
use super::winding::WindingNumber;
use super::{face_normals, parts, principal_axes};
use crate::bvh::tree::TriangleBvh;
use crate::geometry::convex::hull::ConvexHull;
use crate::geometry::read::error::FileError;
use crate::geometry::topology::Topology;
use crate::geometry::triangle_mesh::{Solidity, TriangleMesh};

/// A triangle mesh with its BVH, its size and its solidity.
///
/// The tree is in single precision: models larger than 1e17 m, or farther apart, are no longer resolved, since squared
/// lengths overflow there; penetration queries return an error.
#[derive(Debug, Clone)]
pub struct Model {
    mesh: TriangleMesh,
    bvh: TriangleBvh,
    solidity: Solidity,
    radius: f64,
    centroid: Point3<f64>,
    /// Computed on first use, as are the following fields: most models never need them.
    winding: OnceLock<WindingNumber>,
    inner_balls: OnceLock<InnerBalls>,
    outline: OnceLock<Outline>,
    curves_and_patches: OnceLock<Option<Box<CurvesAndPatches>>>,
    part_representatives: OnceLock<Vec<[Point3<f64>; 2]>>,
    is_closed: OnceLock<bool>,
    incidence: OnceLock<Incidence>,
    pub(super) clear_configurations: OnceLock<ClearConfigurations>,
    face_normals: OnceLock<Vec<Vector3<f64>>>,
    principal_axes: OnceLock<[Vector3<f64>; 3]>,
    gyration: OnceLock<Gyration>,
    hull: OnceLock<Option<Arc<ConvexHull>>>,
}

impl Model {
    /// A model of `mesh`, taken as a solid or as a surface according to `solidity`.
    ///
    /// The tree is built with all threads of the current pool; the result does not depend on their number.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    /// use extricate_core::proximity::{Model};
    /// use nalgebra::Point3;
    ///
    /// let cube = Model::new(Cuboid::default().mesh()?, Solidity::Solid);
    /// assert_eq!(cube.mesh().triangles().len(), 12);
    /// assert!((cube.radius() - 0.75_f64.sqrt()).abs() < 1e-12);
    /// # let _ = Point3::<f64>::origin();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(mesh: TriangleMesh, solidity: Solidity) -> Self {
        let bvh = TriangleBvh::new(&mesh);
        Self::of_tree(mesh, solidity, bvh)
    }

    /// As [`Model::new`], with the tree that [`Model::save_tree`] has written for the same mesh: the same model in a
    /// third of the time.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Procedural, Torus};
    /// use extricate_core::proximity::Model;
    ///
    /// let path = std::env::temp_dir().join(format!("extricate-model-doc-{}.bvh", std::process::id()));
    /// let torus = Model::new(Torus::default().mesh()?, Solidity::Solid);
    /// torus.save_tree(&path)?;
    /// let again = Model::load_tree(Torus::default().mesh()?, Solidity::Solid, &path)?;
    /// assert_eq!(again.bvh(), torus.bvh());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FileError`] when the file cannot be read, is truncated or damaged, or belongs to another mesh, format or
    /// version.
    pub fn load_tree(mesh: TriangleMesh, solidity: Solidity, path: &Path) -> Result<Self, FileError> {
        let bvh = TriangleBvh::load(&mesh, path)?;
        Ok(Self::of_tree(mesh, solidity, bvh))
    }

    /// Writes the tree to a file, about five bytes per triangle; an existing file is replaced. See
    /// [`TriangleBvh::save`].
    ///
    /// # Errors
    /// [`FileError::Io`] when the file cannot be written.
    pub fn save_tree(&self, path: &Path) -> Result<(), FileError> {
        self.bvh.save(&self.mesh, path)
    }

    fn of_tree(mesh: TriangleMesh, solidity: Solidity, bvh: TriangleBvh) -> Self {
        let center = bvh.center();
        // Vertices of no triangle do not belong to the body.
        let used = mesh.triangles().iter().flatten().map(|&i| mesh.vertices()[i as usize]);
        let radius = used.map(|p| nalgebra::distance_squared(&p, &center)).fold(0.0, f64::max).sqrt();
        let centroid = area_centroid(&mesh, &center);
        Self {
            mesh,
            bvh,
            solidity,
            radius,
            centroid,
            winding: OnceLock::new(),
            inner_balls: OnceLock::new(),
            outline: OnceLock::new(),
            curves_and_patches: OnceLock::new(),
            part_representatives: OnceLock::new(),
            is_closed: OnceLock::new(),
            incidence: OnceLock::new(),
            clear_configurations: OnceLock::new(),
            face_normals: OnceLock::new(),
            principal_axes: OnceLock::new(),
            gyration: OnceLock::new(),
            hull: OnceLock::new(),
        }
    }

    /// The mesh [m, body frame].
    #[must_use]
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// The tree over the mesh.
    #[must_use]
    pub fn bvh(&self) -> &TriangleBvh {
        &self.bvh
    }

    /// Solid or surface.
    #[must_use]
    pub fn solidity(&self) -> Solidity {
        self.solidity
    }

    /// Centre of the mesh's axis-aligned box [m, body frame].
    #[must_use]
    pub fn center(&self) -> Point3<f64> {
        self.bvh.center()
    }

    /// Radius of the ball around [`Model::center`] that bounds the mesh \[m\]: the size that tolerances relate to.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Centroid of the surface [m, body frame].
    #[must_use]
    pub fn centroid(&self) -> Point3<f64> {
        self.centroid
    }

    /// Memory in bytes of the tree and of the data that queries have computed so far, the mesh not included.
    #[must_use]
    pub fn memory(&self) -> usize {
        let representatives = self.part_representatives.get().map_or(0, |points| size_of_val(&**points));
        self.bvh.memory()
            + self.winding.get().map_or(0, WindingNumber::memory)
            + self.inner_balls.get().map_or(0, InnerBalls::memory)
            + self.outline.get().map_or(0, Outline::memory)
            + self.curves_and_patches.get().and_then(Option::as_ref).map_or(0, |both| both.memory())
            + self.incidence.get().map_or(0, Incidence::memory)
            + self.clear_configurations.get().map_or(0, ClearConfigurations::memory)
            + self.face_normals.get().map_or(0, |normals| size_of_val(&**normals))
            + representatives
    }

    /// Dominant normals of the surface, outward where the triangles are; unit vectors in the body frame.
    pub(crate) fn face_normals(&self) -> &[Vector3<f64>] {
        self.face_normals.get_or_init(|| face_normals::clusters(&self.mesh))
    }

    /// Principal axes of inertia, unit vectors in the body frame; of a surface those of a shell.
    pub(crate) fn principal_axes(&self) -> &[Vector3<f64>; 3] {
        self.principal_axes.get_or_init(|| principal_axes::of(&self.mesh, self.solidity))
    }

    /// Convex hull of the mesh; `None` where its vertices have none.
    pub(crate) fn hull(&self) -> Option<&Arc<ConvexHull>> {
        let of_mesh = || {
            let (mesh, mut used) = (&self.mesh, vec![false; self.mesh.vertices().len()]);
            mesh.triangles().iter().flatten().for_each(|&index| used[index as usize] = true);
            let points = mesh.vertices().iter().zip(used).filter(|(_, used)| *used).map(|(point, _)| *point);
            ConvexHull::new(&points.collect::<Vec<_>>()).ok().map(Arc::new)
        };
        self.hull.get_or_init(of_mesh).as_ref()
    }

    /// Centroid, principal axes and radii of gyration of a solid by volume, of a surface by area.
    pub(crate) fn gyration(&self) -> &Gyration {
        self.gyration.get_or_init(|| Gyration::of(&self.mesh, self.solidity))
    }

    pub(super) fn winding(&self) -> &WindingNumber {
        self.winding.get_or_init(|| WindingNumber::new(&self.bvh))
    }

    /// Balls inside the solid; none in a surface.
    pub fn inner_balls(&self) -> &InnerBalls {
        self.inner_balls.get_or_init(|| InnerBalls::of(self))
    }

    /// Samples of the body, and the nearest points of its boundary on a grid.
    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(self))
    }

    /// Curves on the surface and patches of it; `None` for triangles that are too thin.
    pub(crate) fn curves_and_patches(&self) -> Option<(&CurveGraph, PatchesOfModel<'_>)> {
        let new = || CurvesAndPatches::new(&self.mesh, &self.bvh, self.radius).map(Box::new);
        let CurvesAndPatches { graph, patches } = self.curves_and_patches.get_or_init(new).as_deref()?;
        Some((graph, PatchesOfModel::new(patches, &self.mesh, &self.bvh)))
    }

    /// Whether the curves and the patches have been found already.
    pub(crate) fn has_curves_and_patches(&self) -> bool {
        self.curves_and_patches.get().is_some()
    }

    /// Incidence of welded vertices and triangles.
    pub(crate) fn incidence(&self) -> &Incidence {
        self.incidence.get_or_init(|| Incidence::new(&self.mesh))
    }

    /// Whether the mesh is closed.
    pub(super) fn is_closed(&self) -> bool {
        *self.is_closed.get_or_init(|| Topology::of(&self.mesh).is_closed())
    }

    /// Computes what queries of this model compute on first use, but for distances from single patches, which lower bounds ask for, with the threads of the current pool: tens of milliseconds for ten
    /// thousand triangles, seconds where thousands of them overlap each other. Time budgets are for the search alone: of a model that is not
    /// prepared the first query of a kind takes longer than its budget by that.
    ///
    /// ```
    /// use extricate_core::geometry::Solidity;
    /// use extricate_core::geometry::procedural::{Procedural, Torus};
    /// use extricate_core::proximity::Model;
    ///
    /// let ring = Model::new(Torus::default().mesh()?, Solidity::Solid);
    /// let before = ring.memory();
    /// ring.prepare();
    /// assert!(ring.memory() > before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare(&self) {
        let for_bounds = || {
            self.inner_balls();
            self.incidence();
            self.is_closed();
        };
        let for_starts = || {
            let _ = self.clear_configurations();
            self.outline();
            self.face_normals();
            self.principal_axes();
        };
        let for_motions = || {
            self.curves_and_patches();
            self.part_representatives();
            self.gyration();
            self.hull();
        };
        rayon::join(for_bounds, || rayon::join(for_starts, for_motions));
    }

    /// Finds the connected parts, which the first query for containment does otherwise.
    pub fn prepare_parts(&self) {
        self.part_representatives();
    }

    /// Two vertices of every connected part that are far from each other [m, frame of the tree].
    pub(super) fn part_representatives(&self) -> &[[Point3<f64>; 2]] {
        self.part_representatives.get_or_init(|| {
            let center = self.center();
            let points = parts::representatives(&self.mesh, &center);
            points.into_iter().map(|pair| pair.map(|p| Point3::from(p - center))).collect()
        })
    }
}

/// Centroid of the triangles weighted by area, summed relative to `about`.
fn area_centroid(mesh: &TriangleMesh, about: &Point3<f64>) -> Point3<f64> {
    let (mut sum, mut area) = (Vector3::zeros(), 0.0);
    for i in 0..mesh.triangles().len() {
        let [p, q, r] = mesh.triangle(i).map(|corner| corner - about);
        let doubled_area = (q - p).cross(&(r - p)).norm();
        sum += (p + q + r) * doubled_area;
        area += 3.0 * doubled_area;
    }
    about + sum / area
}
