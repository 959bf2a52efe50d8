//! A tree of rigid links in generalized coordinates.

use nalgebra::{Isometry3, Matrix3, Vector3};

use super::joint::JointModel;

/// A link with its joint to the parent.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkModel {
    /// The parent, which comes before it; `None` for the base.
    pub parent: Option<usize>,
    /// Frame of the joint in that of the parent.
    pub origin: Isometry3<f64>,
    /// The joint.
    pub joint: JointModel,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass [m, link frame].
    pub center: Vector3<f64>,
    /// Inertia about the centre of mass [kg·m², axes of the link].
    pub inertia: Matrix3<f64>,
    /// Inertia of the rotors, added to each diagonal entry of the mass matrix that the joint has [kg·m² or kg].
    pub armature: f64,
}

/// A tree of rigid links in generalized coordinates, parents before their children.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Multibody {
    links: Vec<LinkModel>,
    /// Place of the first coordinate and of the first velocity of each link's joint, and the totals at the end.
    places: Vec<[usize; 2]>,
}

impl Multibody {
    /// A tree without links.
    #[must_use]
    pub fn new() -> Self {
        Self { links: Vec::new(), places: vec![[0, 0]] }
    }

    /// Adds a link, whose parent must have been added, and returns its index.
    ///
    /// # Panics
    /// When its parent is not there.
    pub fn add(&mut self, link: LinkModel) -> usize {
        assert!(link.parent.is_none_or(|parent| parent < self.links.len()), "parents come first");
        let [q, v] = self.places[self.links.len()];
        self.places.push([q + link.joint.coordinates(), v + link.joint.freedoms()]);
        self.links.push(link);
        self.links.len() - 1
    }

    /// The links.
    #[must_use]
    pub fn links(&self) -> &[LinkModel] {
        &self.links
    }

    /// Number of coordinates: quaternions have four.
    #[must_use]
    pub fn coordinates(&self) -> usize {
        self.places[self.links.len()][0]
    }

    /// Number of velocities: degrees of freedom.
    #[must_use]
    pub fn freedoms(&self) -> usize {
        self.places[self.links.len()][1]
    }

    /// Places of the coordinates of a link's joint.
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn coordinates_of(&self, link: usize) -> std::ops::Range<usize> {
        self.places[link][0]..self.places[link + 1][0]
    }

    /// Places of the velocities of a link's joint.
    ///
    /// # Panics
    /// When there is no such link.
    #[must_use]
    pub fn freedoms_of(&self, link: usize) -> std::ops::Range<usize> {
        self.places[link][1]..self.places[link + 1][1]
    }

    /// Link whose joint has a velocity; the last one for those that there are not.
    #[must_use]
    pub fn link_of(&self, freedom: usize) -> usize {
        self.places.partition_point(|[_, first]| *first <= freedom).min(self.links.len()) - 1
    }

    /// The configuration with all joints at their identity.
    #[must_use]
    pub fn identity(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.coordinates()];
        for (index, link) in self.links.iter().enumerate() {
            link.joint.set_identity(&mut q[self.coordinates_of(index)]);
        }
        q
    }

    /// Moves a configuration by velocities over a time \[s\]: q ← q ⊕ h v.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn advance(&self, q: &mut [f64], v: &[f64], h: f64) {
        for (index, link) in self.links.iter().enumerate() {
            link.joint.advance(&mut q[self.coordinates_of(index)], &v[self.freedoms_of(index)], h);
        }
    }

    /// Velocities that lead from a configuration to another in a time \[s\], q₁ = q₀ ⊕ h v; of those of rotations the nearest to what `v` is before.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn lead(&self, [from, to]: [&[f64]; 2], h: f64, v: &mut [f64]) {
        v.iter_mut().for_each(|v| *v *= h);
        for (index, link) in self.links.iter().enumerate() {
            let places = self.coordinates_of(index);
            link.joint.lead([&from[places.clone()], &to[places]], &mut v[self.freedoms_of(index)]);
        }
        v.iter_mut().for_each(|v| *v /= h);
    }
}
