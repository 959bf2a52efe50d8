//! Deforming mesh preprocessed for queries: topology and tree are built once, boxes are refitted at every step.

use std::sync::OnceLock;

use nalgebra::{Isometry3, Point3};

use super::culling::{Step, free_nodes};
use super::features::MeshFeatures;
use super::patches::Patches;
use crate::bvh::swept::SweptBvh;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::{Aabb, TriangleMesh};
use crate::proximity::error::ProximityError;

/// Triangle mesh whose vertices move on straight lines over a step, t ∈ [0, 1].
#[derive(Debug, Clone)]
pub struct DeformingModel {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) features: MeshFeatures,
    pub(super) tree: SweptBvh,
    pub(super) start: Vec<Point3<f64>>,
    pub(super) end: Vec<Point3<f64>>,
    /// Patches of the tree, built by the first self-collision query.
    patches: OnceLock<Patches>,
    /// Nodes that are proved free of self-collision during the current step.
    free_nodes: OnceLock<Vec<bool>>,
}

impl DeformingModel {
    /// Builds a model of `mesh` at rest, with its topology and tree.
    ///
    /// Coincident vertices with different indices are different vertices: weld them first.
    ///
    /// ```
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    /// use extricate_core::proximity::deforming::{DeformingModel, DeformingOptions, self_collides};
    ///
    /// let cube = Cuboid::default().mesh()?;
    /// let mut model = DeformingModel::new(&cube)?;
    /// let half = cube.vertices().iter().map(|p| p * 0.5).collect::<Vec<_>>();
    /// model.set_motion(cube.vertices(), &half)?;
    /// assert!(!self_collides(&model, &DeformingOptions::default())?);
    /// let inside_out = cube.vertices().iter().map(|p| -p).collect::<Vec<_>>();
    /// model.move_to(&inside_out)?;
    /// assert!(self_collides(&model, &DeformingOptions::default())?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProximityError::Overflow`] when the mesh exceeds the range of single-precision boxes.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, ProximityError> {
        let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
        check(&vertices, &vertices)?;
        let features = MeshFeatures::new(vertices.len(), &triangles);
        let tree = SweptBvh::new(&vertices, &triangles);
        Ok(Self {
            triangles,
            features,
            tree,
            end: vertices.clone(),
            start: vertices,
            patches: OnceLock::new(),
            free_nodes: OnceLock::new(),
        })
    }

    /// Builds a model of `mesh` whose vertices move on straight lines from the pose `start` to the pose `end` (body to
    /// world): exact for a rigid obstacle at rest or in translation; a rotation is approximated by chords.
    ///
    /// # Errors
    /// As [`DeformingModel::set_motion`].
    pub fn moved(
        mesh: &TriangleMesh,
        start: &Isometry3<f64>,
        end: &Isometry3<f64>,
    ) -> Result<Self, ProximityError> {
        let mut model = Self::new(mesh)?;
        let [start, end] = [start, end].map(|pose| mesh.vertices().iter().map(|p| pose * p).collect());
        model.set_paths(start, end)?;
        Ok(model)
    }

    /// Sets the paths of the next step, vertex i moving from `start[i]` to `end[i]` [m, world], and refits the tree.
    ///
    /// # Errors
    /// [`ProximityError`] when the number of positions is wrong, a coordinate is not finite or the step is too large;
    /// the model is then unchanged.
    pub fn set_motion(&mut self, start: &[Point3<f64>], end: &[Point3<f64>]) -> Result<(), ProximityError> {
        self.check_count(start.len())?;
        self.check_count(end.len())?;
        check(start, end)?;
        self.start.copy_from_slice(start);
        self.end.copy_from_slice(end);
        self.refit();
        Ok(())
    }

    /// Sets the next consecutive step: from the end of the last one to `end` [m, world].
    ///
    /// # Errors
    /// As [`DeformingModel::set_motion`].
    pub fn move_to(&mut self, end: &[Point3<f64>]) -> Result<(), ProximityError> {
        self.check_count(end.len())?;
        // Checked before anything changes.
        check(&self.end, end)?;
        self.start.copy_from_slice(&self.end);
        self.end.copy_from_slice(end);
        self.refit();
        Ok(())
    }

    /// As [`DeformingModel::move_to`] with the vertices of `end`, whose triangles must equal those of the model.
    ///
    /// ```
    /// use extricate_core::geometry::procedural::{Cuboid, Procedural};
    /// use extricate_core::proximity::ProximityError;
    /// use extricate_core::proximity::deforming::DeformingModel;
    ///
    /// let cube = Cuboid::default().mesh()?;
    /// let mut model = DeformingModel::new(&cube)?;
    /// model.move_to_mesh(&cube.scaled(&nalgebra::Vector3::repeat(2.0))?)?;
    /// assert!(matches!(model.move_to_mesh(&cube.reversed()), Err(ProximityError::Topology { triangle: 0 })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProximityError::Topology`] when a triangle differs, else as [`DeformingModel::set_motion`].
    pub fn move_to_mesh(&mut self, end: &TriangleMesh) -> Result<(), ProximityError> {
        let same = self.triangles.iter().zip(end.triangles()).take_while(|(a, b)| a == b).count();
        if same < self.triangles.len().max(end.triangles().len()) {
            return Err(ProximityError::Topology { triangle: same });
        }
        self.move_to(end.vertices())
    }

    fn set_paths(&mut self, start: Vec<Point3<f64>>, end: Vec<Point3<f64>>) -> Result<(), ProximityError> {
        check(&start, &end)?;
        (self.start, self.end) = (start, end);
        self.refit();
        Ok(())
    }

    /// Rejects a wrong number of positions.
    fn check_count(&self, given: usize) -> Result<(), ProximityError> {
        let vertices = self.start.len();
        let error = ProximityError::Count { what: "positions", given, expected: vertices };
        if given == vertices { Ok(()) } else { Err(error) }
    }

    fn refit(&mut self) {
        // The patches depend on the topology only and stay valid; the proof is that of one step.
        self.free_nodes = OnceLock::new();
        self.tree.refit(&self.triangles, &self.start, &self.end);
    }

    /// For each node of the tree, whether its triangles are proved not to collide with one another during the step.
    pub(super) fn free_nodes(&self) -> &[bool] {
        self.free_nodes.get_or_init(|| {
            let patches = self
                .patches
                .get_or_init(|| Patches::new(&self.tree, &self.triangles, &self.features, self.start.len()));
            let step = Step { triangles: &self.triangles, start: &self.start, end: &self.end };
            free_nodes(&self.tree, patches, &step)
        })
    }

    /// Vertex positions at time 0, #V × 3 [m, world].
    #[must_use]
    pub fn start(&self) -> &[Point3<f64>] {
        &self.start
    }

    /// Vertex positions at time 1, #V × 3 [m, world].
    #[must_use]
    pub fn end(&self) -> &[Point3<f64>] {
        &self.end
    }

    /// Position of vertex `index` at a time in [0, 1] [m, world].
    ///
    /// # Panics
    /// When `index` is not below the number of vertices.
    #[must_use]
    pub fn vertex_at(&self, index: u32, time: f64) -> Point3<f64> {
        let (start, end) = (self.start[index as usize], self.end[index as usize]);
        Point3::from(start.coords * (1.0 - time) + end.coords * time)
    }

    /// Triangles, #T × 3, 0-based vertex indices.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Edges, #E × 2, 0-based vertex indices, the lower one first, sorted.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.features.edges
    }

    /// Memory in bytes, including positions and data cached by queries.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.triangles)
            + self.features.memory()
            + self.tree.memory()
            + self.patches.get().map_or(0, Patches::memory)
            + self.free_nodes.get().map_or(0, Vec::len)
            + size_of_val(&*self.start)
            + size_of_val(&*self.end)
    }
}

/// Maximum extent of a step [m]: an order of magnitude below the range of single-precision boxes.
const MAX_EXTENT: f64 = 1e37;

/// Rejects positions that are not finite or exceed the range of single-precision boxes.
fn check(start: &[Point3<f64>], end: &[Point3<f64>]) -> Result<(), ProximityError> {
    for positions in [start, end] {
        if let Some(vertex) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            let (element, point) = ("vertex", positions[vertex]);
            return Err(ShapeError::NotFinite { element, index: vertex, point }.into());
        }
    }
    let extent = Aabb::of_points(start.iter().chain(end)).extents().max();
    // An extent that is NaN is not small.
    let is_small = extent <= MAX_EXTENT;
    if is_small { Ok(()) } else { Err(ProximityError::Overflow { length: extent }) }
}
