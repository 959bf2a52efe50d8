//! Ports of a tree: the links and joints at which rows act, and its response to impulses there.

use nalgebra::{DMatrix, Vector3};

use super::held::{Held, HeldRow};
use super::motion::MovingTree;
use crate::algebra::dot;
use crate::algebra::pivoted_cholesky::PivotedCholesky;
use crate::robot::loops::TreeLoop;
use extricate_core::multibody::{SpatialVector, UnitForce};

/// Rate, over that of steps, at which the drift of a coupling is removed. Above 1 it overshoots.
const REGAIN: f64 = 0.2;
/// Response of a port that the others leave, over its own, that is taken for rounding.
const ROUNDING: f64 = 1e-14;
/// Freedoms of a tree, over its ports, from which coordinates of the ports alone are made: a contact then costs less, and the factor hardly anything.
const WIDE: usize = 2;

/// Ports of a tree, numbered from `first` among those of all trees.
pub(super) struct Ports {
    /// Links, with six ports each: angular, then linear, references at their origins.
    links: Vec<usize>,
    /// Velocities of joints, with one port each.
    freedoms: Vec<usize>,
    pub(super) first: usize,
    /// Bᵀ of the response B Bᵀ, the velocities of the ports that impulses at the ports cause: coordinates in which it is the identity, with a column for
    /// each port.
    pub(super) basis: DMatrix<f64>,
    /// Couplings and loops, eliminated from the response.
    held: Option<Held>,
}

impl Ports {
    /// Ports at links and joints of a tree that was moved freely, from number `first`; both in ascending order.
    pub(super) fn new(
        tree: &mut MovingTree<'_>,
        (mut links, mut freedoms): (Vec<usize>, Vec<usize>),
        (first, h): (usize, f64),
    ) -> Self {
        links.extend(tree.loops.iter().flat_map(TreeLoop::links));
        links.sort_unstable();
        links.dedup();
        for coupling in tree.couplings {
            freedoms.extend(coupling.v);
        }
        freedoms.sort_unstable();
        freedoms.dedup();
        let count = 6 * links.len() + freedoms.len();
        let mut this = Self { links, freedoms, first, basis: DMatrix::zeros(0, count), held: None };
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
        let MovingTree { multibody, placement, factor, .. } = tree;
        let mut basis = DMatrix::zeros(multibody.freedoms(), count);
        let of_links = self.links.iter().flat_map(|&link| {
            (0..6).map(move |axis| {
                let mut unit = [0.0; 6];
                unit[axis] = 1.0;
                UnitForce::Wrench(link, spatial(&unit))
            })
        });
        let units = of_links.chain(self.freedoms.iter().map(|&freedom| UnitForce::Joint(freedom)));
        for (mut column, unit) in basis.column_iter_mut().zip(units) {
            factor.coordinates((multibody, placement), &unit, column.as_mut_slice());
        }
        self.basis = basis;
        self.eliminate(tree, h);
        if WIDE * count <= self.basis.nrows() {
            self.narrow();
        }
    }

    /// Makes coordinates of the ports alone of those of a tree with many more freedoms.
    fn narrow(&mut self) {
        let columns: Vec<&[f64]> = (0..self.count()).map(|port| self.of_port(port)).collect();
        let response = DMatrix::from_fn(columns.len(), columns.len(), |a, b| dot(columns[a], columns[b]));
        let scales: Vec<f64> = response.diagonal().iter().copied().collect();
        self.basis = PivotedCholesky::new(response, &scales, ROUNDING).into_factor().transpose();
    }

    /// Coordinates of a port, numbered among its own.
    pub(super) fn of_port(&self, port: usize) -> &[f64] {
        let length = self.basis.nrows();
        &self.basis.as_slice()[port * length..(port + 1) * length]
    }

    pub(super) fn count(&self) -> usize {
        self.basis.ncols()
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
        let own = self.of_port(port - self.first);
        dot(own, own)
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
        let mut rows: Vec<HeldRow> = Vec::new();
        for coupling in tree.couplings {
            let port = |v: usize| self.of_freedom(v).map_or(0, |port| port - self.first);
            let [follower, leader] = coupling.q.map(|q| tree.q[q]);
            let target = -REGAIN / h * (follower - coupling.factor * leader - coupling.offset);
            let [follower, leader] = coupling.v.map(port);
            let sides = [vec![(follower, 1.0)], vec![(leader, -coupling.factor)]];
            rows.push(HeldRow { sides, target, group: rows.len() });
        }
        for closed in tree.loops {
            let first = rows.len();
            for (index, (_, directions)) in closed.rows(&tree.base, tree.placement.poses()).enumerate() {
                // Translations, then rotations.
                let group = first + index / 3;
                let side = |(link, [angular, linear]): (Option<usize>, [Vector3<f64>; 2])| {
                    let port = self.of_link(link?)? - self.first;
                    Some((port..).zip(angular.iter().chain(linear.iter()).copied()).collect())
                };
                let sides = directions.map(|direction| side(direction).unwrap_or_default());
                rows.push(HeldRow { sides, target: 0.0, group });
            }
        }
        if let Some(path) = tree.free_path() {
            let mut velocities = vec![0.0; self.count()];
            self.read(tree, path, &mut velocities);
            let loops = &mut rows[tree.couplings.len()..];
            loops.iter_mut().for_each(|row| row.target = row.velocity(&velocities));
        }
        self.held =
            (!rows.is_empty()).then(|| Held::eliminate(rows, tree.kept[1].as_deref(), &mut self.basis));
    }

    /// Makes the velocities of the ports those that couplings and loops allow: of the displacement, in which couplings lose their drift, or
    /// at the end of the step.
    pub(super) fn hold(&self, velocities: &mut [f64], is_displacement: bool) {
        let Some(held) = &self.held else { return };
        held.respond(&held.impulses(&held.violations(velocities, is_displacement)), velocities);
    }

    /// Rows of couplings and loops that are not redundant where the tree is placed.
    pub(super) fn kept(&self) -> Vec<usize> {
        self.held.as_ref().map_or_else(Vec::new, |held| held.kept().to_vec())
    }

    /// Adds to velocities `v` of the tree what impulses at its ports cause, with those of its couplings and loops, which are returned.
    pub(super) fn apply(
        &self,
        tree: &mut MovingTree<'_>,
        (impulses, is_displacement): (&[f64], bool),
        v: &mut [f64],
    ) -> Vec<f64> {
        let mut x = vec![0.0; v.len()];
        let (mut total, mut of_rows) = (impulses.to_vec(), Vec::new());
        if let Some(held) = &self.held {
            // The response without the rows is not stored: the velocities are solved for first.
            let mut velocities = vec![0.0; self.count()];
            self.solve(tree, impulses, &mut x);
            x.iter_mut().zip(&*v).for_each(|(x, v)| *x += v);
            self.read(tree, &x, &mut velocities);
            of_rows = held.impulses(&held.violations(&velocities, is_displacement));
            held.add_to_ports(&of_rows, &mut total);
        }
        self.solve(tree, &total, &mut x);
        v.iter_mut().zip(&x).for_each(|(v, x)| *v += x);
        of_rows
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
