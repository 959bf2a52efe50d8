//! Ports of a tree: the links and joints at which rows act, and its response to impulses there.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::motion::MovingTree;
use extricate_core::multibody::SpatialVector;

/// Rate, over that of steps, at which the drift of a coupling is removed. Above 1 it overshoots.
const REGAIN: f64 = 0.2;

/// Couplings of a tree, eliminated from the response of its ports. Products are written out: those of whole matrices depend on the
/// instructions that a processor has.
struct Eliminated {
    /// Ports of each coupling, follower and leader, and its factor.
    rows: Vec<([usize; 2], f64)>,
    /// G Bᵀ: the response to an impulse of each coupling, by column.
    spread: DMatrix<f64>,
    factor: Cholesky<f64, Dyn>,
    /// Velocities that remove the drift in the displacement.
    targets: Vec<f64>,
}

/// Ports of a tree, numbered from `first` among those of all trees.
pub(super) struct Ports {
    /// Links, with six ports each: angular, then linear, references at their origins.
    links: Vec<usize>,
    /// Velocities of joints, with one port each.
    freedoms: Vec<usize>,
    pub(super) first: usize,
    /// Velocities of the ports that impulses at the ports cause; symmetric.
    pub(super) response: DMatrix<f64>,
    eliminated: Option<Eliminated>,
}

impl Ports {
    /// Ports at links and joints of a tree that was moved freely, from number `first`; both in ascending order.
    pub(super) fn new(
        tree: &mut MovingTree<'_>,
        (links, mut freedoms): (Vec<usize>, Vec<usize>),
        (first, h): (usize, f64),
    ) -> Self {
        for coupling in tree.couplings {
            freedoms.extend(coupling.v);
        }
        freedoms.sort_unstable();
        freedoms.dedup();
        let count = 6 * links.len() + freedoms.len();
        let mut this =
            Self { links, freedoms, first, response: DMatrix::zeros(count, count), eliminated: None };
        this.respond(tree, h);
        this
    }

    /// Determines the response of the tree where it is placed.
    pub(super) fn respond(&mut self, tree: &mut MovingTree<'_>, h: f64) {
        let count = self.count();
        if count == 0 {
            return;
        }
        tree.factorise(h);
        let mut impulses = vec![0.0; count];
        let mut x = vec![0.0; tree.v.len()];
        for column in 0..count {
            impulses[column] = 1.0;
            self.solve(tree, &impulses, &mut x);
            impulses[column] = 0.0;
            let motions = tree.buffer.motions();
            let own = column * count..(column + 1) * count;
            read((&self.links, &self.freedoms), (motions, &x), &mut self.response.as_mut_slice()[own]);
        }
        self.eliminate(tree, h);
    }

    pub(super) fn count(&self) -> usize {
        self.response.nrows()
    }

    /// First port of a link, among those of all trees.
    pub(super) fn of_link(&self, link: usize) -> Option<usize> {
        self.links.binary_search(&link).ok().map(|index| self.first + 6 * index)
    }

    /// Link of a port.
    pub(super) fn link(&self, port: usize) -> usize {
        self.links[(port - self.first) / 6]
    }

    /// Response of a port to an impulse at it.
    pub(super) fn response_at(&self, port: usize) -> f64 {
        self.response[(port - self.first, port - self.first)]
    }

    /// Port of a velocity, among those of all trees.
    pub(super) fn of_freedom(&self, v: usize) -> Option<usize> {
        self.freedoms.binary_search(&v).ok().map(|index| self.first + 6 * self.links.len() + index)
    }

    /// Velocities of the ports at velocities of the tree.
    pub(super) fn read(&self, tree: &MovingTree<'_>, v: &[f64], into: &mut [f64]) {
        let mut motions = Vec::new();
        tree.multibody.velocities(&tree.placement, v, &mut motions);
        read((&self.links, &self.freedoms), (&motions, v), into);
    }

    /// Changes of the velocities of a tree that impulses at its ports cause.
    fn solve(&self, tree: &mut MovingTree<'_>, impulses: &[f64], x: &mut [f64]) {
        let mut joint = vec![0.0; x.len()];
        let mut wrenches = vec![SpatialVector::ZERO; tree.multibody.links().len()];
        for (index, &link) in self.links.iter().enumerate() {
            wrenches[link] = spatial(&impulses[6 * index..6 * index + 6]);
        }
        for (&freedom, &impulse) in self.freedoms.iter().zip(&impulses[6 * self.links.len()..]) {
            joint[freedom] = impulse;
        }
        tree.factor.solve(&tree.multibody, &tree.placement, (&joint, &wrenches), &mut tree.buffer, x);
    }

    fn eliminate(&mut self, tree: &MovingTree<'_>, h: f64) {
        let couplings = tree.couplings;
        if couplings.is_empty() {
            return;
        }
        let port = |v: usize| self.of_freedom(v).map_or(0, |port| port - self.first);
        let rows: Vec<_> = couplings.iter().map(|coupling| (coupling.v.map(port), coupling.factor)).collect();
        let targets = couplings.iter().map(|coupling| {
            let [follower, leader] = coupling.q.map(|q| tree.q[q]);
            -REGAIN / h * (follower - coupling.factor * leader - coupling.offset)
        });
        let spread = DMatrix::from_fn(self.count(), rows.len(), |port, row| {
            let ([follower, leader], factor) = rows[row];
            self.response[(port, follower)] - factor * self.response[(port, leader)]
        });
        let own = DMatrix::from_fn(rows.len(), rows.len(), |row, column| {
            let ([follower, leader], factor) = rows[row];
            spread[(follower, column)] - factor * spread[(leader, column)]
        });
        // Without inertia nothing is coupled.
        let Some(factor) = Cholesky::new(own) else { return };
        let solved = factor.solve(&spread.transpose());
        for column in 0..self.count() {
            for port in 0..self.count() {
                let eliminated = (0..rows.len()).map(|row| spread[(port, row)] * solved[(row, column)]);
                self.response[(port, column)] -= eliminated.sum::<f64>();
            }
        }
        self.eliminated = Some(Eliminated { rows, spread, factor, targets: targets.collect() });
    }

    /// Makes the velocities of the ports those that the couplings allow: of the displacement, which removes their drift, or
    /// at the end of the step.
    pub(super) fn couple(&self, velocities: &mut [f64], is_displacement: bool) {
        let Some(eliminated) = &self.eliminated else { return };
        let impulses = eliminated.impulses(velocities, is_displacement);
        for (row, impulse) in impulses.iter().enumerate() {
            let responses = eliminated.spread.column(row);
            velocities
                .iter_mut()
                .zip(responses.iter())
                .for_each(|(velocity, response)| *velocity += response * impulse);
        }
    }

    /// Adds to velocities `v` of the tree what impulses at its ports cause, with those of its couplings.
    pub(super) fn apply(
        &self,
        tree: &mut MovingTree<'_>,
        (impulses, is_displacement): (&[f64], bool),
        v: &mut [f64],
    ) {
        let mut x = vec![0.0; v.len()];
        let mut total = impulses.to_vec();
        if let Some(eliminated) = &self.eliminated {
            // The response without the couplings is not stored: the velocities are solved for first.
            let mut velocities = vec![0.0; self.count()];
            self.solve(tree, impulses, &mut x);
            x.iter_mut().zip(&*v).for_each(|(x, v)| *x += v);
            self.read(tree, &x, &mut velocities);
            let coupling = eliminated.impulses(&velocities, is_displacement);
            for (([follower, leader], factor), impulse) in eliminated.rows.iter().zip(coupling.iter()) {
                total[*follower] += impulse;
                total[*leader] -= factor * impulse;
            }
        }
        self.solve(tree, &total, &mut x);
        v.iter_mut().zip(&x).for_each(|(v, x)| *v += x);
    }
}

impl Ports {
    /// Starts the displacement of a tree that impulses at the ports accelerate until the end.
    pub(super) fn lead(&self, tree: &mut MovingTree<'_>, impulses: &[f64]) {
        let mut end = tree.end.clone();
        self.apply(tree, (impulses, false), &mut end);
        let mut response = vec![0.0; end.len()];
        self.solve(tree, impulses, &mut response);
        tree.lead(&end, &response);
    }
}

impl Eliminated {
    /// Impulses of the couplings at velocities of the ports without them.
    fn impulses(&self, velocities: &[f64], is_displacement: bool) -> DVector<f64> {
        let violated = self.rows.iter().zip(&self.targets).map(|(([follower, leader], factor), target)| {
            let drift = velocities[*follower] - factor * velocities[*leader];
            if is_displacement { drift - target } else { drift }
        });
        let violated = DVector::from_iterator(self.rows.len(), violated);
        -self.factor.solve(&violated)
    }
}

fn read((links, freedoms): (&[usize], &[usize]), (motions, v): (&[SpatialVector], &[f64]), into: &mut [f64]) {
    for (ports, &link) in into.chunks_exact_mut(6).zip(links) {
        ports[..3].copy_from_slice(motions[link].angular.as_slice());
        ports[3..].copy_from_slice(motions[link].linear.as_slice());
    }
    for (port, &freedom) in into[6 * links.len()..].iter_mut().zip(freedoms) {
        *port = v[freedom];
    }
}

/// Spatial vector of six ports.
pub(super) fn spatial(ports: &[f64]) -> SpatialVector {
    SpatialVector::new(
        nalgebra::Vector3::new(ports[0], ports[1], ports[2]),
        nalgebra::Vector3::new(ports[3], ports[4], ports[5]),
    )
}
