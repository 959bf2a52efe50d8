//! Configuration space of an articulated model: tree, limits, collisions and first contacts.

/// A robot among obstacles, reduced to the queries of the strategies.
pub(crate) trait ConfigurationSpace {
    /// The parent of each link; none for the root.
    fn parents(&self) -> &[Option<usize>];

    /// The generalized coordinate that moves a link against its parent, if there is one.
    fn coordinate(&self, link: usize) -> Option<usize>;

    /// Lower and upper limit of a generalized coordinate [rad or m].
    fn limits(&self, coordinate: usize) -> [f64; 2];

    /// A large change of a generalized coordinate: a radian, or the size of the robot [m].
    fn scale(&self, coordinate: usize) -> f64;

    /// The links that collide with obstacles or with links that they may not touch, in order.
    fn colliding(&mut self, configuration: &[f64]) -> Vec<usize>;

    /// The first contact of a motion in which every coordinate runs linearly from a free configuration to another one.
    fn first_contact(&mut self, from: &[f64], to: &[f64]) -> Option<FirstContact>;

    /// Whether nothing collides.
    fn is_free(&mut self, configuration: &[f64]) -> bool {
        self.colliding(configuration).is_empty()
    }
}

/// The first contact of a motion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FirstContact {
    /// A time in [0, 1] up to which the motion is free, next to the contact.
    pub(crate) time: f64,
    /// The links in contact at that time.
    pub(crate) links: Vec<usize>,
}

/// Depth of each link in the tree: its number of ancestors.
pub(super) fn depths(parents: &[Option<usize>]) -> Vec<usize> {
    let up = |&link: &usize| parents[link];
    (0..parents.len()).map(|link| std::iter::successors(Some(link), up).count() - 1).collect()
}

/// Whether `link` is `ancestor` or outboard of it.
pub(super) fn is_outboard(parents: &[Option<usize>], link: usize, ancestor: usize) -> bool {
    std::iter::successors(Some(link), |&link| parents[link]).any(|link| link == ancestor)
}

/// Number of children of each link.
pub(super) fn children(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children = vec![0; parents.len()];
    parents.iter().flatten().for_each(|&parent| children[parent] += 1);
    children
}
