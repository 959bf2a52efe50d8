//! Passages: narrow places between the trees, from which trees of their own grow out to both sides.
//!
//! A hole hardly wider than what passes it is a part of the space so small that samples do not meet it, and retraction leads a
//! sample that overlaps the wall beside it to the nearer side of the wall. So poses *between* the trees are drawn, on the
//! straight motions from nodes of one to the nearest nodes of the other, which obstacles separate; the generalized penetration
//! retracts them to poses in contact, at a finer clearance than that of other samples. Of these, the poses that are blocked
//! in most directions both forwards and backwards are in a passage: a bridge test [Hsu, Jiang, Reif, Sun 2003] around contacts
//! rather than between samples. A tree grows from there, towards nodes of both other trees in turn, along the passage, as its
//! steps are retracted to its fine clearance.

use super::retraction::Retraction;
use super::search::BidirectionalSearch;
use super::segment::Segment;
use super::tree::{Extension, Passage, SearchTree};
use super::types::PlanError;
use crate::penetration::generalized::movable::Base;
use crate::penetration::generalized::pose::Pose;

/// Resolution of segments in a passage, as a fraction of that of others: narrower gaps can be passed, with more distance queries.
const RESOLUTION: f64 = 0.25;
/// Clearance of poses in a passage beyond that of the query, in these resolutions: the validator needs room to prove a segment.
const FINE: f64 = 2.5;
/// Poses that are drawn for one in a passage.
const DRAWS: u32 = 10;
/// Larger clearances of the first pose of a passage, as fractions of that of other samples, which lead it to the middle.
const CENTERED: [f64; 2] = [1.0, 0.5];
/// Maximum √σ by which a larger clearance may displace that pose, in clearances: it would leave the passage.
const NEAR: f64 = 4.0;
/// Fraction of the range by which drawn poses are scattered at most.
const SCATTER: f64 = 0.15;
/// Directions in which a pose is tried for being in a passage, and those in which it must be blocked both forwards and backwards.
const DIRECTIONS: u32 = 8;
const BLOCKED: u32 = 6;
/// Clearance that a pose in a passage does not get near where it is, as a fraction of the size of the collision world.
const ROOM: f64 = 0.1;
/// √σ to a pose with that clearance, in clearances, from which a pose is in a passage: in the corner of three walls it is √3.
const EXITS: f64 = 2.5;
/// Fraction of the drawn poses of a floating base with a rotation of their own.
const ROTATED: f64 = 0.5;
/// Fraction of the extensions of a tree in a passage that are towards an end of the path.
const ENDS: f64 = 0.5;
/// Maximum √σ of the extension on in one direction, in steps, and number of times that the direction is determined anew.
const PUSH: f64 = 24.0;
const PUSHES: u32 = 3;
/// Times that a tree in a passage grows before it is discarded, and maximum number of trees.
const GROWTHS: u32 = 12;
const TREES: usize = 8;
/// Fraction of the growths that are those of known trees, where there are any.
const KNOWN: f64 = 0.75;

impl BidirectionalSearch<'_> {
    /// Draws poses until one is in a passage, or takes a tree that grows in one, and grows it; returns the path if it joins both
    /// trees.
    pub(super) fn pass(&mut self) -> Result<Option<Vec<Pose>>, PlanError> {
        self.work.samples += 1;
        let is_known = self.passages.len() == TREES || self.numbers.unit_interval() < KNOWN;
        let passage = if is_known && !self.passages.is_empty() {
            let at = (self.numbers.unit_interval() * self.passages.len() as f64) as usize;
            Some(self.passages.swap_remove(at))
        } else {
            self.draw_passage()?
        };
        let Some(mut passage) = passage else { return Ok(None) };
        self.grow_out(&mut passage)?;
        passage.growths += 1;
        let Passage { tree, links, growths } = passage;
        match links {
            [Some([from, start]), Some([to, goal])] => {
                let mut path = self.trees[0].path_to(start);
                path.extend(tree.path_between(from, to).into_iter().skip(1));
                path.extend(self.trees[1].path_to(goal).into_iter().rev().skip(1));
                return Ok(Some(path));
            }
            _ if growths < GROWTHS => self.passages.push(Passage { tree, links, growths }),
            [Some([from, start]), None] => self.trees[0].absorb(start, tree, from),
            [None, Some([to, goal])] => self.trees[1].absorb(goal, tree, to),
            [None, None] => {}
        }
        Ok(None)
    }

    fn draw_passage(&mut self) -> Result<Option<Passage>, PlanError> {
        for _ in 0..DRAWS {
            let entered = self.entered()?;
            if entered.is_some() {
                self.work.overlapping += 1;
                self.work.retracted += 1;
                return Ok(entered);
            }
        }
        Ok(None)
    }

    /// Grows a tree in a passage towards nodes of the trees that it has not met, and on in the directions in which it then leads.
    fn grow_out(&mut self, Passage { tree, links, .. }: &mut Passage) -> Result<(), PlanError> {
        for side in 0..2 {
            if links[side].is_some() {
                continue;
            }
            // An end of the path is as a rule farther from the passage than the nodes around it.
            let is_end = self.numbers.unit_interval() < ENDS;
            let target = if is_end { 0 } else { self.random_node(side) };
            let pose = self.trees[side].pose(target).clone();
            let (from, _) = tree.nearest(&pose, &self.space.metric(&pose)?);
            match self.extend_passage(tree, from, &pose, RESOLUTION)? {
                Extension::Reached(met) => links[side] = Some([met, target]),
                Extension::Advanced(tip) => {
                    let tip = self.push(tree, from, tip)?;
                    let goal = tree.pose(tip).clone();
                    for (other, link) in links.iter_mut().enumerate().filter(|(_, link)| link.is_none()) {
                        let (near, _) = self.trees[other].nearest(&goal, &self.space.metric(&goal)?);
                        if let Extension::Reached(met) = self.extend(other, near, &goal)? {
                            *link = Some([tip, met]);
                        }
                    }
                }
                Extension::Trapped => {}
            }
        }
        Ok(())
    }

    /// Extends a tree in a passage in the direction from one of its nodes to another; returns the last node.
    fn push(&mut self, tree: &mut SearchTree, from: usize, mut tip: usize) -> Result<usize, PlanError> {
        let reach = PUSH * self.step();
        for _ in 0..PUSHES {
            let [start, end] = [from, tip].map(|node| tree.pose(node).clone());
            let length = self.space.distance(&start, &end)?;
            if !(length > 0.0) {
                break;
            }
            let beyond = self.space.beyond(&start, &end, reach / length);
            match self.extend_passage(tree, tip, &beyond, RESOLUTION)? {
                Extension::Reached(end) => return Ok(end),
                Extension::Advanced(end) => tip = end,
                Extension::Trapped => break,
            }
        }
        Ok(tip)
    }

    /// A tree of one pose in a passage, if the pose that was drawn leads to one.
    fn entered(&mut self) -> Result<Option<Passage>, PlanError> {
        let drawn = self.pose_between()?;
        let world = self.space.collision_world;
        let fine = self.options.clearance + FINE * RESOLUTION * self.resolution;
        if world.is_free(std::slice::from_ref(&drawn), fine)? {
            return Ok(None);
        }
        let Some(contact) = Retraction { clearance: fine }.out_of_overlap(world, &drawn) else {
            return Ok(None);
        };
        if !self.is_narrow(&contact, fine)? || self.has_room(&contact)? {
            return Ok(None);
        }
        let (mut root, mut gap) = (contact.clone(), fine);
        for fraction in CENTERED {
            let wide = fraction * self.gap();
            if !(wide > fine) {
                continue;
            }
            let centered = Retraction { clearance: wide }.out_of_overlap(world, &contact);
            if let Some(centered) = centered
                && self.space.distance(&contact, &centered)? < NEAR * wide
            {
                (root, gap) = (centered, wide);
                break;
            }
        }
        let metric = self.space.metric(&root)?;
        Ok(Some(Passage { tree: SearchTree::new(root, gap, &metric), growths: 0, links: [None; 2] }))
    }

    /// A pose on the straight motion from a node of one tree to the nearest node of the other, or near it.
    fn pose_between(&mut self) -> Result<Pose, PlanError> {
        let side = usize::from(self.numbers.unit_interval() < 0.5);
        let from = self.random_node(side);
        let from = self.trees[side].pose(from).clone();
        let (near, _) = self.trees[1 - side].nearest(&from, &self.space.metric(&from)?);
        let to = self.trees[1 - side].pose(near);
        let obstacles = self.space.collision_world.obstacles();
        let between = Segment::new(&from, to, obstacles).at(self.numbers.unit_interval());
        let fraction = SCATTER * self.numbers.unit_interval();
        let mut drawn = self.space.sample_near(&between, fraction, &mut self.numbers);
        // The nearest nodes on both sides of a wall lie along it: a passage across it needs other rotations.
        if self.space.collision_world.movables()[0].base() == Base::Floating
            && self.numbers.unit_interval() < ROTATED
        {
            drawn.base.rotation = self.space.sample(&mut self.numbers).base.rotation;
        }
        Ok(drawn)
    }

    fn random_node(&mut self, side: usize) -> usize {
        (self.numbers.unit_interval() * self.trees[side].len() as f64) as usize
    }

    /// Whether a pose in contact can be moved away from all that it touches by not much more than the distance wanted. Where one
    /// obstacle is on its own, or two or three make a corner, it can; between two sides of a passage it cannot.
    fn has_room(&self, pose: &Pose) -> Result<bool, PlanError> {
        let world = self.space.collision_world;
        let wide = self.options.clearance + ROOM * world.size();
        let away = Retraction { clearance: wide }.out_of_overlap(world, pose);
        Ok(match away {
            Some(away) => self.space.distance(pose, &away)? < EXITS * wide,
            None => false,
        })
    }

    /// Whether steps from a pose are blocked both forwards and backwards in most directions.
    fn is_narrow(&mut self, pose: &Pose, clearance: f64) -> Result<bool, PlanError> {
        let world = self.space.collision_world;
        let step = self.step();
        let mut blocked = 0;
        for tried in 0..DIRECTIONS {
            let aim = self.space.sample(&mut self.numbers);
            let fraction = step / self.space.distance(pose, &aim)?.max(step);
            let segment = Segment::new(pose, &aim, world.obstacles());
            let is_free = |time: f64| world.is_free(&[segment.at(time)], clearance);
            blocked += u32::from(!is_free(fraction)? && !is_free(-fraction)?);
            if blocked + (DIRECTIONS - 1 - tried) < BLOCKED {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
