//! The elements of one soft body.

use std::array::from_fn;

use nalgebra::{Matrix3, Vector3};

use super::refinement::{mass_fraction, refine};
use crate::error::SoftError;
use crate::soft::material::{Material, SignedSvd, Tangent};
use extricate_core::geometry::TetMesh;

/// Order of the shape functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ElementKind {
    /// Four nodes, a constant deformation gradient.
    #[default]
    Linear,
    /// Ten nodes: the corners and the midpoints of the edges, which are straight at rest. Does not lock.
    Quadratic,
}

/// Derivatives of one element, written by [`Elements::local`]: the first 4 (linear) or 10 (quadratic) entries are those of its
/// nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// ∂E/∂xₐ \[N\], the negative of the elastic force.
    pub gradient: [Vector3<f64>; 10],
    /// ∂²E/∂xₐ∂x_b [N/m], all pairs.
    pub hessian: [[Matrix3<f64>; 10]; 10],
}

impl Default for Local {
    fn default() -> Self {
        Self { gradient: [Vector3::zeros(); 10], hessian: [[Matrix3::zeros(); 10]; 10] }
    }
}

/// Rest shape of a tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rest {
    /// Inverse of the matrix of rest edges; its rows are the gradients of the barycentric coordinates of corners 1, 2 and 3
    /// [1/m]: F = D · `inverse` with D the deformed edges from corner 0.
    pub(super) inverse: Matrix3<f64>,
    /// Volume [m³].
    pub(super) volume: f64,
}

/// The elements of one soft body.
#[derive(Debug, Clone, PartialEq)]
pub struct Elements {
    pub(super) material: Material,
    pub(super) kind: ElementKind,
    pub(super) mesh: TetMesh,
    pub(super) rest_positions: Vec<Vector3<f64>>,
    /// Node indices, 4 or 10 for each element.
    pub(super) nodes: Vec<u32>,
    pub(super) rest: Vec<Rest>,
    pub(super) masses: Vec<f64>,
}

impl Elements {
    /// Elements of `kind` over `mesh`, whose shape is the rest shape.
    ///
    /// # Errors
    /// [`SoftError`] when a tetrahedron is so small or thin that its shape cannot be inverted, or there are too many
    /// nodes.
    pub fn new(mesh: &TetMesh, material: Material, kind: ElementKind) -> Result<Self, SoftError> {
        let rest = (0..mesh.tets().len()).map(|e| Rest::of(mesh, e)).collect::<Result<Vec<_>, _>>()?;
        let mut rest_positions: Vec<_> = mesh.nodes().iter().map(|p| p.coords).collect();
        let (nodes, linear_mesh) = match kind {
            ElementKind::Linear => (mesh.tets().as_flattened().to_vec(), mesh.clone()),
            ElementKind::Quadratic => refine(mesh, &mut rest_positions)?,
        };
        let mut elements =
            Self { material, kind, mesh: linear_mesh, rest_positions, nodes, rest, masses: Vec::new() };
        elements.masses = elements.lumped_masses();
        Ok(elements)
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Order of the shape functions.
    #[must_use]
    pub fn kind(&self) -> ElementKind {
        self.kind
    }

    /// Number of nodes, edge midpoints included.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.rest_positions.len()
    }

    /// Rest positions of the nodes, #N × 3 \[m\], body frame: those of the mesh, then the edge midpoints.
    #[must_use]
    pub fn rest_positions(&self) -> &[Vector3<f64>] {
        &self.rest_positions
    }

    /// Number of elements.
    #[must_use]
    pub fn element_count(&self) -> usize {
        self.rest.len()
    }

    /// Number of nodes of an element: 4 or 10.
    #[must_use]
    pub fn nodes_per_element(&self) -> usize {
        match self.kind {
            ElementKind::Linear => 4,
            ElementKind::Quadratic => 10,
        }
    }

    /// Nodes of element `e`: four corners, and with quadratic elements the edge midpoints in the order of
    /// [`TET_EDGES`](extricate_core::geometry::tet_mesh::TET_EDGES).
    #[must_use]
    pub fn nodes_of(&self, e: usize) -> &[u32] {
        let count = self.nodes_per_element();
        &self.nodes[count * e..count * (e + 1)]
    }

    /// Volume of element `e` at rest \[m³\].
    #[must_use]
    pub fn rest_volume(&self, e: usize) -> f64 {
        self.rest[e].volume
    }

    /// Lumped mass of each node \[kg\], all positive; they sum to density times volume.
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Linear tetrahedra over the same nodes, for contact and drawing: the mesh itself, or the eight
    /// sub-tetrahedra of each quadratic one.
    #[must_use]
    pub fn linear_mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// Deformation gradient of element `e` at the positions `x` \[m\] of the body's nodes; of a quadratic element at
    /// its centroid.
    #[must_use]
    pub fn deformation_gradient(&self, e: usize, x: &[Vector3<f64>]) -> Matrix3<f64> {
        match self.kind {
            ElementKind::Linear => self.linear_gradient(e, x),
            ElementKind::Quadratic => self.quadratic_gradient(e, x),
        }
    }

    /// Whether element `e` is inverted or flat (det F ≤ 0) at any of its quadrature points.
    #[must_use]
    pub fn is_inverted(&self, e: usize, x: &[Vector3<f64>]) -> bool {
        match self.kind {
            ElementKind::Linear => !(self.linear_gradient(e, x).determinant() > 0.0),
            ElementKind::Quadratic => self.quadratic_is_inverted(e, x),
        }
    }

    /// First Piola–Kirchhoff stress \[Pa\] of element `e`, of a quadratic one at its centroid: force per area at rest.
    #[must_use]
    pub fn first_piola(&self, e: usize, x: &[Vector3<f64>]) -> Matrix3<f64> {
        self.material.first_piola(&self.deformation_gradient(e, x))
    }

    /// Cauchy stress \[Pa\] of element `e`, of a quadratic one at its centroid: force per area as deformed. Not finite
    /// where the element is flat.
    #[must_use]
    pub fn cauchy(&self, e: usize, x: &[Vector3<f64>]) -> Matrix3<f64> {
        self.material.cauchy(&self.deformation_gradient(e, x))
    }

    /// Elastic energy \[J\] of element `e` at the positions `x` \[m\] of the body's nodes.
    #[must_use]
    pub fn energy_of(&self, e: usize, x: &[Vector3<f64>]) -> f64 {
        match self.kind {
            ElementKind::Linear => {
                self.rest[e].volume * self.material.energy_density(&self.linear_gradient(e, x))
            }
            ElementKind::Quadratic => self.quadratic_energy(e, x),
        }
    }

    /// Elastic energy \[J\] of element `e`; writes its gradient \[N\] and with `want_hessian` its Hessian [N/m] to `local`,
    /// with `project` projected to be positive semi-definite. Entries of `local` beyond the element's nodes are left unchanged,
    /// and so is a Hessian that is not wanted.
    pub fn local(
        &self,
        e: usize,
        x: &[Vector3<f64>],
        local: &mut Local,
        want_hessian: bool,
        project: bool,
    ) -> f64 {
        match self.kind {
            ElementKind::Linear => {
                let [state] = self.linear_states(e, x, want_hessian);
                self.linear_local(e, &state, local, (want_hessian, project))
            }
            ElementKind::Quadratic => self.quadratic_local(e, x, local, (want_hessian, project)),
        }
    }

    /// [`local`](Self::local) of the `N` elements from `first` on, with the same bits: the decompositions of four linear ones are
    /// vectorised and take about half of the time. `want` is (Hessian, projection). Returns each energy \[J\].
    ///
    /// # Panics
    /// When there are not `N` elements from `first` on.
    pub fn local_many<const N: usize>(
        &self,
        first: usize,
        x: &[Vector3<f64>],
        locals: &mut [Local; N],
        want: (bool, bool),
    ) -> [f64; N] {
        match self.kind {
            ElementKind::Linear => {
                let states: [_; N] = self.linear_states(first, x, want.0);
                from_fn(|lane| self.linear_local(first + lane, &states[lane], &mut locals[lane], want))
            }
            ElementKind::Quadratic => {
                from_fn(|lane| self.quadratic_local(first + lane, x, &mut locals[lane], want))
            }
        }
    }

    /// [`energy_of`](Self::energy_of) the `N` elements from `first` on \[J\], with the same bits and in less time.
    ///
    /// # Panics
    /// When there are not `N` elements from `first` on.
    #[must_use]
    pub fn energies_of<const N: usize>(&self, first: usize, x: &[Vector3<f64>]) -> [f64; N] {
        match self.kind {
            ElementKind::Linear => {
                let states: [_; N] = self.linear_states(first, x, false);
                from_fn(|lane| {
                    let (f, svd) = &states[lane];
                    self.rest[first + lane].volume * self.material.response(f, svd.as_ref()).energy_density
                })
            }
            ElementKind::Quadratic => from_fn(|lane| self.quadratic_energy(first + lane, x)),
        }
    }

    /// Deformation gradient F = D · D₀⁻¹ of a linear element.
    #[inline]
    fn linear_gradient(&self, e: usize, x: &[Vector3<f64>]) -> Matrix3<f64> {
        let corners = &self.nodes[4 * e..4 * e + 4];
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| x[corners[i] as usize]);
        Matrix3::from_columns(&[b - a, c - a, d - a]) * self.rest[e].inverse
    }

    /// Deformation gradients of elements `first`, `first` + 1, …, with their decompositions where the material needs them.
    #[inline]
    fn linear_states<const N: usize>(
        &self,
        first: usize,
        x: &[Vector3<f64>],
        hessian: bool,
    ) -> [(Matrix3<f64>, Option<SignedSvd>); N] {
        let f: [_; N] = from_fn(|lane| self.linear_gradient(first + lane, x));
        let svds = self.material.needs_svd(hessian).then(|| SignedSvd::of_many(f.each_ref()));
        from_fn(|lane| (f[lane], svds.map(|all| all[lane])))
    }

    /// Energy [J], gradient V P ∇Nₐ and Hessian of a linear element in the state `(f, svd)`.
    #[inline]
    fn linear_local(
        &self,
        e: usize,
        (f, svd): &(Matrix3<f64>, Option<SignedSvd>),
        local: &mut Local,
        (want_hessian, project): (bool, bool),
    ) -> f64 {
        let Rest { inverse, volume } = self.rest[e];
        let response = self.material.response(f, svd.as_ref());
        if want_hessian {
            let tangent = self.material.tangent_of(svd.as_ref());
            write_hessian(&if project { tangent.projected() } else { tangent }, &inverse, volume, local);
        }
        let forces = volume * response.stress * inverse.transpose();
        for a in 0..3 {
            local.gradient[a + 1] = forces.column(a).into_owned();
        }
        // The forces sum to zero exactly, whatever the rounding of the others.
        local.gradient[0] = -(local.gradient[1] + local.gradient[2] + local.gradient[3]);
        volume * response.energy_density
    }

    /// Lumped masses: a quarter of each linear element at each node, the scaled diagonal of quadratic ones [Hinton76].
    fn lumped_masses(&self) -> Vec<f64> {
        let mut masses = vec![0.0; self.node_count()];
        for e in 0..self.element_count() {
            let mass = self.material.density() * self.rest[e].volume;
            for (place, &node) in self.nodes_of(e).iter().enumerate() {
                masses[node as usize] += mass
                    * match self.kind {
                        ElementKind::Linear => 0.25,
                        ElementKind::Quadratic => mass_fraction(place),
                    };
            }
        }
        masses
    }
}

impl Rest {
    /// Rest shape of tetrahedron `element`.
    fn of(mesh: &TetMesh, element: usize) -> Result<Self, SoftError> {
        let [a, b, c, d] = mesh.tet(element);
        let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
        let volume = edges.determinant() / 6.0;
        match edges.try_inverse() {
            Some(inverse) if volume > 0.0 && inverse.iter().all(|x| x.is_finite()) => {
                Ok(Self { inverse, volume })
            }
            _ => Err(SoftError::Degenerate { element, volume }),
        }
    }
}

/// Writes the 4 × 4 blocks of a linear element; those of node 0 follow from the others, because a translation makes no force.
fn write_hessian(tangent: &Tangent, inverse: &Matrix3<f64>, volume: f64, local: &mut Local) {
    let gradients = [0, 1, 2].map(|a| tangent.v.transpose() * inverse.row(a).transpose());
    for a in 0..3 {
        for b in a..3 {
            let block = volume * tangent.block(&gradients[a], &gradients[b]);
            local.hessian[a + 1][b + 1] = block;
            local.hessian[b + 1][a + 1] = block.transpose();
        }
    }
    for b in 1..4 {
        let sum = local.hessian[1][b] + local.hessian[2][b] + local.hessian[3][b];
        local.hessian[0][b] = -sum;
        local.hessian[b][0] = -sum.transpose();
    }
    local.hessian[0][0] = -(local.hessian[0][1] + local.hessian[0][2] + local.hessian[0][3]);
}
