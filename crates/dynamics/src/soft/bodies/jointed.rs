//! Links of robots in the soft solve.
//!
//! The response of a robot to the loads on its links is B Bᵀ, B with six rows for each link: in coordinates z whose inertia is the identity
//! the velocities of the links change by B z. These coordinates are unknowns of the soft solve as the positions of free bodies are, and
//! the links move with them: contacts and springs know the links by blocks of their own, which follow the coordinates, and what acts on
//! these blocks acts on the coordinates through Bᵀ. So a link yields as its whole robot lets it, with its motors, loops
//! and couplings, and links that are pressed together or carried by one joint do not count its inertia twice.

use nalgebra::{Matrix3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;

use super::state::SoftLoad;
use crate::soft::interaction::{Interaction, OuterProducts};

/// Robots in a step of the soft bodies.
pub(crate) trait JointedRobots {
    /// Motions of the robots that soft bodies may touch.
    fn motions(&self) -> &[JointedMotion];

    /// Takes note of the loads that a solve with these motions led to, at the centres of mass of the links. Returns whether the motions are others now,
    /// because motors or friction within the joints reach or leave their bounds under the loads.
    fn adapt(&mut self, loads: &[(RigidBodyHandle, SoftLoad)]) -> bool;
}

/// Motion of a robot over a step, as the soft bodies can change it.
pub(crate) struct JointedMotion {
    /// Index of the robot.
    pub(crate) robot: usize,
    /// Inertia of each coordinate \[kg\].
    pub(crate) inertia: f64,
    /// Number of coordinates.
    pub(crate) count: usize,
    /// Rates of the coordinates to which the loads of the last step would lead, three of them a vector: where the solve sets out. From a robot that nothing holds,
    /// fingers that press would set out on the other side of what they hold.
    pub(crate) rates: Vec<Vector3<f64>>,
    /// Links that soft bodies may touch in the step.
    pub(crate) links: Vec<JointedLink>,
}

/// Motion of a link over a step.
pub(crate) struct JointedLink {
    pub(crate) body: RigidBodyHandle,
    /// Displacement of the centre of mass \[m\] and rotation vector \[rad\] without the soft bodies.
    pub(crate) displacement: [Vector3<f64>; 2],
    /// Change of both by the coordinates, three of them a matrix; the last ones are padded with zeros.
    pub(crate) response: [Vec<Matrix3<f64>>; 2],
}

/// Three coordinates at the start of a substep.
pub(super) struct Coordinates {
    pub(super) block: usize,
    pub(super) inertia: f64,
    pub(super) rate: Vector3<f64>,
    /// Rate at the end if the loads are those of the last step.
    pub(super) expected: Vector3<f64>,
    /// Components that do not exist.
    pub(super) held: [bool; 3],
}

/// The robots of a step of the soft bodies.
pub(super) struct StepLinks<'a> {
    motions: &'a [JointedMotion],
    /// First block of the coordinates of each motion.
    leaders: Vec<usize>,
    /// Motion and link of each rigid body, if it is one.
    links: Vec<Option<(usize, &'a JointedLink)>>,
    /// Rates of the coordinates at the start of a substep, three of them a vector, by motion.
    pub(super) rates: Vec<Vec<Vector3<f64>>>,
}

impl<'a> StepLinks<'a> {
    /// The motions of robots whose coordinates begin at the blocks `leaders`, with the rigid bodies of a world.
    pub(super) fn new(
        motions: &'a [JointedMotion],
        leaders: Vec<usize>,
        bodies: impl Iterator<Item = RigidBodyHandle>,
    ) -> Self {
        let of = |body: RigidBodyHandle| {
            let mut all = motions
                .iter()
                .enumerate()
                .flat_map(|(at, motion)| motion.links.iter().map(move |link| (at, link)));
            all.find(|(_, link)| link.body == body)
        };
        let links = bodies.map(|body| if motions.is_empty() { None } else { of(body) }).collect();
        let rates = motions.iter().map(|motion| vec![Vector3::zeros(); motion.count.div_ceil(3)]).collect();
        Self { motions, leaders, links, rates }
    }

    /// Whether a rigid body is a link that follows coordinates.
    pub(super) fn follows(&self, body: usize) -> bool {
        self.links[body].is_some()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.motions.is_empty()
    }

    /// The coordinates at the start of a substep that is a `part` of the step.
    pub(super) fn coordinates(&self, part: f64) -> impl Iterator<Item = Coordinates> {
        self.motions.iter().zip(&self.leaders).zip(&self.rates).flat_map(move |((motion, &leader), rates)| {
            rates.iter().zip(&motion.rates).enumerate().map(move |(index, (rate, expected))| Coordinates {
                block: leader + index,
                inertia: motion.inertia,
                rate: *rate,
                expected: rate + part * expected,
                held: [0, 1, 2].map(|axis| 3 * index + axis >= motion.count),
            })
        })
    }

    /// The blocks of a rigid body in a substep that is a `part` of the step and starts with its centre of mass at a position, if it follows.
    pub(super) fn follower(
        &self,
        body: usize,
        block: usize,
        (position, part): (Vector3<f64>, f64),
    ) -> Option<Follower<'a>> {
        let (motion, link) = self.links[body]?;
        let [displacement, rotation] = link.displacement.map(|whole| part * whole);
        let origin = [position + displacement, rotation];
        Some(Follower { block, leader: self.leaders[motion], origin, response: &link.response })
    }

    /// Takes the rates at the end of a substep of `dt` \[s\] from the system at `x`.
    pub(super) fn advance(&mut self, x: &[Vector3<f64>], dt: f64) {
        for (rates, &leader) in self.rates.iter_mut().zip(&self.leaders) {
            rates.iter_mut().zip(&x[leader..]).for_each(|(rate, x)| *rate = x / dt);
        }
    }

    /// Starts the step anew.
    pub(super) fn restart(&mut self) {
        self.rates.iter_mut().for_each(|rates| rates.fill(Vector3::zeros()));
    }
}

/// Blocks of a link that follow those of coordinates.
pub(super) struct Follower<'a> {
    /// Its first block.
    pub(super) block: usize,
    /// The first block of the coordinates.
    pub(super) leader: usize,
    /// Its blocks with all coordinates at zero.
    pub(super) origin: [Vector3<f64>; 2],
    pub(super) response: &'a [Vec<Matrix3<f64>>; 2],
}

impl Follower<'_> {
    /// Its blocks with the system at `x`.
    pub(super) fn at(&self, x: &[Vector3<f64>]) -> [Vector3<f64>; 2] {
        [0, 1].map(|place| {
            let moved = self.response[place].iter().zip(&x[self.leader..]).map(|(b, z)| b * z);
            self.origin[place] + moved.sum::<Vector3<f64>>()
        })
    }
}

/// An interaction whose links follow coordinates.
pub(super) struct Jointed<'a> {
    followers: &'a [Follower<'a>],
    /// Index among the followers of each block that follows, twice plus its place, by block from the first that may; `u32::MAX` of others.
    indices: Vec<u32>,
    first: usize,
    other: &'a mut dyn Interaction,
    x: Vec<Vector3<f64>>,
    gradient: Vec<Vector3<f64>>,
    terms: OuterProducts,
}

impl<'a> Jointed<'a> {
    /// The interaction `other` with followers.
    pub(super) fn new(followers: &'a [Follower<'a>], other: &'a mut dyn Interaction) -> Self {
        let first = followers.iter().map(|follower| follower.block).min().unwrap_or(0);
        let end = followers.iter().map(|follower| follower.block + 2).max().unwrap_or(0);
        let mut indices = vec![u32::MAX; end.saturating_sub(first)];
        for (index, follower) in (0_u32..).zip(followers) {
            for place in 0..2 {
                indices[follower.block - first + place as usize] = 2 * index + place;
            }
        }
        let (x, gradient, terms) = (Vec::new(), Vec::new(), OuterProducts::default());
        Self { followers, indices, first, other, x, gradient, terms }
    }

    /// Sets the blocks that follow where the system is at `x`.
    fn follow(&mut self, x: &[Vector3<f64>]) {
        self.x.clear();
        self.x.extend_from_slice(x);
        for follower in self.followers {
            [self.x[follower.block], self.x[follower.block + 1]] = follower.at(x);
        }
    }

    /// The follower that a block belongs to, and its place in it.
    fn follower_of(&self, block: u32) -> Option<(&Follower<'a>, usize)> {
        let index = *self.indices.get((block as usize).checked_sub(self.first)?)? as usize;
        Some((self.followers.get(index / 2)?, index % 2))
    }

    /// A column over blocks as one over those that lead: the blocks of a link, which has a position and a rotation, become those of its robot.
    fn lead(&self, column: &[(u32, Vector3<f64>)], led: &mut Vec<(u32, Vector3<f64>)>) {
        led.clear();
        let mut open: Option<(usize, usize)> = None;
        for &(block, j) in column {
            let Some((follower, place)) = self.follower_of(block) else {
                led.push((block, j));
                continue;
            };
            let response = &follower.response[place];
            let at = match open {
                Some((leader, at)) if leader == follower.leader => at,
                _ => {
                    let leaders = follower.leader..follower.leader + response.len();
                    let narrow = |block: usize| u32::try_from(block).expect("blocks fit 32 bits");
                    let at = led.len();
                    led.extend(leaders.map(|block| (narrow(block), Vector3::zeros())));
                    open = Some((follower.leader, at));
                    at
                }
            };
            led[at..].iter_mut().zip(response).for_each(|((_, sum), b)| *sum += b.tr_mul(&j));
        }
    }
}

impl Interaction for Jointed<'_> {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        self.follow(x);
        self.other.energy(&self.x)
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        self.follow(x);
        self.gradient.clear();
        self.gradient.resize(x.len(), Vector3::zeros());
        self.terms.clear();
        self.terms.permit_indefinite(hessian.takes_indefinite());
        let energy = self.other.linearise(&self.x, &mut self.gradient, &mut self.terms);
        for follower in self.followers {
            for place in 0..2 {
                let force = std::mem::take(&mut self.gradient[follower.block + place]);
                for (leader, response) in (follower.leader..).zip(&follower.response[place]) {
                    self.gradient[leader] += response.tr_mul(&force);
                }
            }
        }
        g.iter_mut().zip(&self.gradient).for_each(|(g, own)| *g += own);
        let mut led = Vec::new();
        for (stiffness, column) in self.terms.terms() {
            self.lead(column, &mut led);
            hessian.push_signed(stiffness, led.iter().copied());
        }
        energy
    }

    fn freeze_active_set(&mut self, x: &[Vector3<f64>]) {
        self.follow(x);
        self.other.freeze_active_set(&self.x);
    }

    fn extend_active_set(&mut self, x: &[Vector3<f64>]) {
        self.follow(x);
        self.other.extend_active_set(&self.x);
    }

    fn note_shortened_step(&mut self, x: &[Vector3<f64>]) {
        self.follow(x);
        self.other.note_shortened_step(&self.x);
    }

    fn refresh_active_set(&mut self, x: &[Vector3<f64>]) {
        self.follow(x);
        self.other.refresh_active_set(&self.x);
    }

    fn drift(&mut self, x: &[Vector3<f64>]) -> Option<f64> {
        self.follow(x);
        self.other.drift(&self.x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First block that leads: after a node and two links.
    const LEADER: usize = 5;

    /// A spring of a sum over all blocks that an interaction knows.
    struct Springs;

    impl Interaction for Springs {
        fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
            let mut gradient = vec![Vector3::zeros(); x.len()];
            self.linearise(x, &mut gradient, &mut OuterProducts::default())
        }

        fn linearise(
            &mut self,
            x: &[Vector3<f64>],
            g: &mut [Vector3<f64>],
            hessian: &mut OuterProducts,
        ) -> f64 {
            let weights = [1.0_f64, -0.5, 2.0, 0.7, -1.1, 0.3];
            let row =
                |block: usize| weights[block % 6] * Vector3::new(1.0, 0.5 * weights[(block + 1) % 6], -2.0);
            let sum: f64 = x.iter().enumerate().take(LEADER).map(|(block, x)| row(block).dot(x)).sum();
            g.iter_mut().enumerate().take(LEADER).for_each(|(block, g)| *g += 3.0 * sum * row(block));
            hessian.push(3.0, (0..5).map(|block| (block, row(block as usize))));
            1.5 * sum * sum
        }
    }

    #[test]
    fn gradient_and_hessian_are_those_of_the_energy_of_the_blocks_that_lead() {
        let m = |seed: f64| Matrix3::from_fn(|i, j| (seed + 1.3 * i as f64 - 0.7 * j as f64).sin());
        let responses =
            [[vec![m(0.1), m(0.9)], vec![m(2.0), m(3.3)]], [vec![m(4.0), m(5.2)], vec![m(6.1), m(7.7)]]];
        let followers: Vec<_> = responses
            .iter()
            .zip([1, 3])
            .map(|(response, block)| Follower {
                block,
                leader: LEADER,
                origin: [Vector3::new(0.1, 0.2, 0.3), Vector3::new(-0.2, 0.1, 0.05)],
                response,
            })
            .collect();
        let mut springs = Springs;
        let mut jointed = Jointed::new(&followers, &mut springs);
        let mut x: Vec<_> = (0..7).map(|i| Vector3::new(0.3, -0.1, 0.2) * (i as f64 + 0.5)).collect();
        let (mut g, mut terms) = (vec![Vector3::zeros(); 7], OuterProducts::default());
        let energy = jointed.linearise(&x, &mut g, &mut terms);
        assert!((energy - jointed.energy(&x)).abs() < 1e-12 * energy);
        let push = |jointed: &mut Jointed<'_>, x: &[Vector3<f64>]| {
            let mut g = vec![Vector3::zeros(); 7];
            jointed.linearise(x, &mut g, &mut OuterProducts::default());
            g
        };
        for (block, axis) in [0, 5, 6].into_iter().flat_map(|block| (0..3).map(move |axis| (block, axis))) {
            let before = x[block][axis];
            x[block][axis] = before + 1e-3;
            let (up, above) = (jointed.energy(&x), push(&mut jointed, &x));
            x[block][axis] = before - 1e-3;
            let (down, below) = (jointed.energy(&x), push(&mut jointed, &x));
            x[block][axis] = before;
            assert!(((up - down) / 2e-3 - g[block][axis]).abs() < 1e-8 * energy, "{block} {axis}");
            let mut unit = vec![Vector3::zeros(); 7];
            unit[block][axis] = 1.0;
            let mut product = vec![Vector3::zeros(); 7];
            terms.add_product(&unit, &mut product);
            for at in [0, 5, 6] {
                assert!(
                    ((above[at] - below[at]) / 2e-3 - product[at]).norm() < 1e-8 * energy,
                    "{block} {at}"
                );
            }
        }
        assert!((1..5).all(|block| g[block] == Vector3::zeros()));
        let count = terms.terms().next().map(|(_, column)| column.len());
        assert_eq!(count, Some(3), "one entry for each block");
    }
}
