//! The release of overlaps at the start.

use nalgebra::Vector3;

use super::contacts::SoftContact;
use super::initial::{InitialOverlaps, Pairs, Pressure, pair};
use super::point::{Contact, Field};

/// Time [s] during which the release of an overlap continues while the point does not follow: it bounds the effective
/// depth, and so the energy that gathers, by speed × window. With less of it, pushes that nearly balance take long to
/// separate bodies. No effect on the sets of docs/sensitivity.md.
const RELEASE_WINDOW: f64 = 0.1;

/// Depth beyond the onset of stiffening, in onsets, of a contact that eases its pair at the end of a part that did not converge. Larger: more energy of contacts that the solve did not see returns; smaller: more
/// pairs are eased, and go deep. The parts of six scenes of the soak end with at most 2.3, those that gain energy with 22 and more (docs/measured.md).
const DEEP: f64 = 8.0;

/// Contacts among which the deepest is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// Those of soft bodies with each other, or within one.
    SoftBodies,
    /// All of them.
    All,
}

impl SoftContact {
    /// Records initial overlaps at the first call and releases a part of them at each.
    ///
    /// A remainder falls by v·dt a step, but not to more than v times [`RELEASE_WINDOW`] below the depth: a point that moves out is
    /// not pushed faster than v, and one that is held, by opposing pushes, stores little energy. Without the second
    /// rule the whole energy of the overlap would gather there and burst out later. Where nothing is released, a remainder falls with
    /// the depth: up to it the pressure stays linear.
    pub(super) fn release(&mut self, x: &[Vector3<f64>]) {
        if !self.has_remainders() {
            return;
        }
        self.detect(x);
        let deep = self.deep_pairs();
        let mut now: Vec<_> =
            self.detected.contacts.iter().map(|c| ((c.probe, c.field), (c.depth, c.law))).collect();
        now.sort_unstable_by_key(|entry| entry.0);
        let Some(InitialOverlaps { remainders, parting, eased, firm }) = &mut self.initial else {
            let remainders = now.into_iter().map(|(key, (depth, _))| (key, depth)).collect();
            self.initial = Some(InitialOverlaps { remainders, parting: deep, ..InitialOverlaps::default() });
            return;
        };
        if !self.easing {
            [parting, eased]
                .into_iter()
                .for_each(|pairs| pairs.retain(|pair| deep.binary_search(pair).is_ok()));
            firm.retain(|(pair, _)| deep.binary_search(pair).is_ok());
        }
        let Some(speed) = self.options.recovery else {
            remainders.retain_mut(|(key, remainder)| {
                let found = now.binary_search_by_key(key, |entry| entry.0);
                *remainder = remainder.min(found.map_or(0.0, |at| now[at].1.0));
                *remainder > 0.0
            });
            return;
        };
        let step = speed * self.dt;
        let gathered = self.options.recovery_pressure.map_or(f64::INFINITY, |p| p / self.options.stiffness);
        let pressure = gathered.min(speed * RELEASE_WINDOW);
        for (key, remainder) in remainders.iter_mut() {
            // A point no longer in contact has depth zero: its remainder then falls by the first rule alone.
            let found = now.binary_search_by_key(key, |entry| entry.0);
            let (depth, press) =
                found.map_or((0.0, pressure), |at| (now[at].1.0, now[at].1.1.depth_at(pressure)));
            *remainder = (*remainder - step).max(remainder.min(depth - (step + press)));
        }
        remainders.retain(|(_, remainder)| *remainder > 0.0);
    }

    /// The pairs of bodies that are deeper than the onset of stiffening at the blocks `start` or `end`, ascending.
    pub(crate) fn deep_pairs_at(&mut self, start: &[Vector3<f64>], end: &[Vector3<f64>]) -> Pairs {
        self.detect(end);
        let mut pairs = self.deep_pairs();
        self.detect(start);
        pairs.extend(self.deep_pairs());
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Whether a pressure at the blocks `x` is that of a depth far beyond the onset of its stiffening.
    pub(crate) fn has_deep_at(&mut self, x: &[Vector3<f64>]) -> bool {
        self.detect(x);
        let deep = DEEP * self.onset();
        self.detected.contacts.iter().any(|contact| contact.law.beyond_onset(contact.effective_depth) > deep)
    }

    /// The depth beyond twice the onset of its stiffening of the deepest contact `among` some at the blocks `x` \[m\].
    pub(crate) fn excess_at(&mut self, x: &[Vector3<f64>], among: Among) -> f64 {
        let onset = self.onset();
        self.detect(x);
        let some =
            self.detected.contacts.iter().filter(|contact| among == Among::All || contact.obstacle.is_none());
        some.map(|contact| contact.law.beyond_onset(contact.effective_depth) - onset).fold(0.0, f64::max)
    }

    /// Sets whether edges with an end in the active set become contacts during a minimisation where their pressure stiffens.
    pub(crate) fn let_edges_join(&mut self, join: bool) {
        self.joins_beside = join;
        self.detected_at.clear();
    }

    /// Whether they do.
    #[cfg(test)]
    pub(crate) fn edges_join(&self) -> bool {
        self.joins_beside
    }

    /// Whether [`Self::ease`] would change the pressure of one of the pairs of bodies.
    pub(crate) fn can_ease(&self, pairs: &Pairs, to: Pressure) -> bool {
        let firm = self.initial.iter().flat_map(|initial| &initial.firm);
        pairs.iter().any(|&[a, b]| self.pressure_of(a, b) < to)
            || firm.into_iter().any(|(pair, _)| pairs.contains(pair))
    }

    /// Eases the pressure of `pairs` of bodies `to` one that does not stiffen faster than the common one, stiffens less or not at all: in this step, whatever their depth, until
    /// [`Self::end_easing`], then until they have parted. That takes energy from them, if anything; where they have parted the pressure
    /// is the same by all laws.
    pub(crate) fn ease(&mut self, pairs: &Pairs, to: Pressure) {
        let initial = self.initial.get_or_insert_default();
        initial.firm.retain(|(pair, _)| !pairs.contains(pair));
        let list = match to {
            Pressure::Stiffens => None,
            Pressure::Eased => Some(&mut initial.eased),
            Pressure::Linear => Some(&mut initial.parting),
        };
        if let Some(list) = list {
            list.extend(pairs);
            list.sort_unstable();
            list.dedup();
        }
        self.easing = true;
        self.detected_at.clear();
    }

    /// The pairs of bodies whose pressure is linear until they have parted, and those whose pressure stiffens less.
    #[cfg(test)]
    pub(crate) fn eased_pairs(&self) -> [&[[Field; 2]]; 2] {
        self.initial.as_ref().map_or([&[]; 2], |initial| [&initial.parting, &initial.eased])
    }

    /// The pressure of a pair of bodies.
    pub(super) fn pressure_of(&self, owner: Field, field: Field) -> Pressure {
        self.initial.as_ref().map_or(Pressure::Stiffens, |initial| initial.pressure_of(owner, field))
    }

    /// Number of the pairs whose pressure stiffens faster until they have parted.
    #[cfg(test)]
    pub(crate) fn firm_pair_count(&self) -> usize {
        self.initial.as_ref().map_or(0, |initial| initial.firm.len())
    }

    /// Ends a step with eased pairs.
    pub(crate) fn end_easing(&mut self) {
        self.easing = false;
    }

    /// The pairs of bodies with a contact deeper than the onset of stiffening, ascending; none where nothing stiffens.
    fn deep_pairs(&self) -> Vec<[Field; 2]> {
        if !self.options.stiffens() {
            return Vec::new();
        }
        let is_deep = |contact: &&Contact| contact.depth > self.onset_of(contact);
        let deep = self.detected.contacts.iter().filter(is_deep);
        let mut pairs: Vec<_> = deep.map(|contact| pair(self.owner(contact.probe), contact.field)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Depth [m] beyond which the pressure stiffens: a fraction of the thickness of the thinnest soft body that has one; infinite without such a
    /// body.
    pub(super) fn onset(&self) -> f64 {
        let thicknesses = self.bodies.iter().map(|body| body.thickness).filter(|thickness| *thickness > 0.0);
        self.options.stiffen_beyond * thicknesses.fold(f64::INFINITY, f64::min)
    }

    /// Depth [m] beyond which the pressure of a contact stiffens where its bodies did not begin deep in each other.
    fn onset_of(&self, contact: &Contact) -> f64 {
        let owner = self.owner(contact.probe);
        let folded = if owner == contact.field { self.folds.depth_of(contact.probe) } else { 0.0 };
        self.onset() + folded
    }

    /// Whether there are initial overlaps that matter and have not parted yet, or that are not known yet.
    fn has_remainders(&self) -> bool {
        (self.options.recovery.is_some() || self.options.stiffens())
            && self.initial.as_ref().is_none_or(|initial| *initial != InitialOverlaps::default())
    }
}
