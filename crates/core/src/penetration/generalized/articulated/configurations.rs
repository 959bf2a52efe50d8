//! Configurations of an articulated model along a motion.

/// A robot among obstacles, as the strategies see it.
pub(crate) trait Configurations {
    /// The link that carries each link; none of the root.
    fn parents(&self) -> &[Option<usize>];

    /// The number of the configuration that moves a link against its parent, if one does.
    fn coordinate(&self, link: usize) -> Option<usize>;

    /// Least and greatest value of a number of the configuration [rad or m].
    fn limits(&self, coordinate: usize) -> [f64; 2];

    /// A large change of a number of the configuration: a radian, or the size of the robot [m].
    fn scale(&self, coordinate: usize) -> f64;

    /// The links that collide with obstacles or with links that they may not touch, in order.
    fn colliding(&mut self, configuration: &[f64]) -> Vec<usize>;

    /// The first contact of a motion in which every number runs linearly from a free configuration to another one.
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
    /// The links that touch then.
    pub(crate) links: Vec<usize>,
}

/// How many links carry each link.
pub(super) fn depths(parents: &[Option<usize>]) -> Vec<usize> {
    let up = |&link: &usize| parents[link];
    (0..parents.len()).map(|link| std::iter::successors(Some(link), up).count() - 1).collect()
}

/// Whether `link` is `ancestor` or hangs on it.
pub(super) fn hangs_on(parents: &[Option<usize>], link: usize, ancestor: usize) -> bool {
    std::iter::successors(Some(link), |&link| parents[link]).any(|link| link == ancestor)
}

/// How many links hang directly on each link.
pub(super) fn children(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children = vec![0; parents.len()];
    parents.iter().flatten().for_each(|&parent| children[parent] += 1);
    children
}
