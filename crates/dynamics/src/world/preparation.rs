//! Preparation of a world: what its steps would build on first use is built before the first one, in parallel.

use std::time::{Duration, Instant};

use super::data::{Preparation, World};
use crate::profile::{Activity, PairTime, Phase};

impl World {
    /// Builds all that sweeps of fast bodies and the separation of deep overlaps need of the shapes: surfaces, eroded solids, balls
    /// inside. Without this call the first step does so, and reports the time as [`StepTimings::preparation`](crate::StepTimings).
    /// Further calls return what the first one did.
    pub fn prepare(&self) -> Preparation {
        *self.preparation.get_or_init(|| {
            let started = Instant::now();
            self.enter(Phase::Preparation);
            let shapes = self.passes.continuous.prepare();
            self.enter(Phase::Idle);
            Preparation { shapes, time: started.elapsed() }
        })
    }

    /// Prepares a world that was not prepared yet, and returns the time that it took.
    pub(crate) fn prepare_first(&self) -> Duration {
        if self.preparation.get().is_some() { Duration::ZERO } else { self.prepare().time }
    }

    /// Starts to time each pair of bodies, see [`pair_times`](Self::pair_times).
    pub fn start_profile(&self) {
        self.tally.profiler.start();
    }

    /// Times of the pairs of bodies since the start of the profile, the costliest first; `None` unless one was started.
    #[must_use]
    pub fn pair_times(&self) -> Option<Vec<PairTime>> {
        self.tally.profiler.pairs()
    }

    /// Present activity of the world, for a thread that monitors long steps.
    #[must_use]
    pub fn activity(&self) -> Activity {
        self.tally.profiler.activity()
    }

    /// States the activity between steps, for [`activity`](Self::activity).
    pub fn enter(&self, phase: Phase) {
        self.tally.profiler.enter(phase);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Vector3};

    use crate::{BodyDescription, BodyKind, Shape, World, WorldOptions};
    use extricate_core::geometry::Solidity;
    use extricate_core::geometry::procedural::{Procedural, Torus};
    use extricate_core::proximity::Model;

    /// Two tori that share a mesh and fall fast onto each other and the ground.
    fn falling() -> World {
        let mesh = Torus::default().mesh().unwrap();
        let ring = Shape::from(Model::new(mesh, Solidity::Solid));
        let mut builder = World::builder(WorldOptions::default());
        let ground =
            BodyDescription::new("ground", BodyKind::Fixed, Shape::half_space(), Isometry3::identity());
        builder.add_body(ground).unwrap();
        for (name, height) in [("lower", 1.2), ("upper", 2.4)] {
            let pose = Isometry3::new(Vector3::z() * height, Vector3::x() * 0.3);
            let mut body = BodyDescription::new(name, BodyKind::Dynamic, ring.clone(), pose);
            body.linear_velocity = Vector3::z() * -8.0 * height;
            builder.add_body(body).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn preparation_and_profile_change_no_bit_and_name_the_pairs_that_met() {
        let (mut plain, mut prepared) = (falling(), falling());
        let preparation = prepared.prepare();
        assert_eq!((preparation.shapes, prepared.prepare()), (2, preparation));
        prepared.start_profile();
        for step in 0..120 {
            // Only the first step of the one that was not prepared has a preparation, which is not part of its time.
            let [late, early] = [&mut plain, &mut prepared].map(|world| world.step().unwrap().timings);
            assert_eq!((late.preparation.is_zero(), early.preparation.is_zero()), (step > 0, true));
        }
        assert_eq!(plain.hash(), prepared.hash());
        assert_eq!(plain.pair_times(), None);
        let pairs = prepared.pair_times().unwrap();
        // Bodies in the order of their names: ground, lower, upper.
        assert!(pairs.iter().any(|pair| pair.bodies == [0, 1] && pair.count > 1));
        assert!(pairs.iter().all(|pair| pair.slowest_step <= 120 && pair.total() >= pair.slowest));
        assert!(pairs.is_sorted_by_key(|pair| std::cmp::Reverse(pair.total())));
    }
}
