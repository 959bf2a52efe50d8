//! Conditions that every answer must satisfy, checked without the library's search.

use extricate::geometry::convex::ConvexShape;
use extricate::penetration::convex::{ConvexCache, ConvexOptions, SignedDistance, signed_distance};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::forms::{Form, free_after};
use super::random::Random;

/// Directions at random in which a smaller depth is looked for.
const DIRECTIONS: usize = 60;
/// Steps of the search for a smaller depth around the answer and around the best random direction.
const STEPS: usize = 60;
/// Relative difference up to which the bounds of a depth agree.
const RELATIVE: f64 = 1e-9;
/// The same where a cylinder or a cone is in the pair.
const RELATIVE_CURVED: f64 = 1e-6;
/// Further accepted difference of the bounds, relative to the sizes and to the distance of the origins.
const ROUNDING: f64 = 1e-14;
/// Lateral distance by which witnesses may miss each other besides, relative to the sizes: at touching, where no depth holds
/// them opposite, the bounds say nothing about it.
const ASIDE: f64 = 1e-8;
/// Rounding of the poses themselves, relative to their coordinates: half a unit in the last place of each
/// of three coordinates of two poses, and as much again where they are combined into a relative pose or moved.
const WORLD_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A pair at its poses.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) forms: [Form; 2],
    pub(crate) poses: [Isometry3<f64>; 2],
}

/// Findings about a pair.
#[derive(Default)]
pub(crate) struct Verdict {
    /// Violated conditions, if any: the kind and the numbers.
    pub(crate) failures: Vec<(&'static str, String)>,
    pub(crate) overlapping: bool,
    /// The answer says itself that its bounds do not meet: the bound of work was hit, or rounding forbids it.
    pub(crate) bounds_apart: bool,
    pub(crate) supports: u32,
}

impl Pair {
    /// Accepted difference of the bounds of an answer [m].
    pub(crate) fn certificate(&self, value: f64) -> f64 {
        let sizes: f64 = self.forms.iter().map(Form::reach).sum();
        let [a, b] = self.poses.map(|pose| pose.translation.vector);
        let is_curved = self.forms.iter().any(Form::is_curved);
        let relative = if is_curved { RELATIVE_CURVED } else { RELATIVE };
        relative * value.abs() + ROUNDING * (sizes + (b - a).norm())
    }

    /// Accepted error of an answer [m].
    pub(crate) fn tolerance(&self, value: f64) -> f64 {
        let coordinates: f64 = self.poses.iter().map(|pose| pose.translation.vector.norm()).sum();
        self.certificate(value) + WORLD_ROUNDING * coordinates
    }

    pub(crate) fn free_after(&self, direction: &Vector3<f64>) -> f64 {
        let ([a, b], [pose_a, pose_b]) = (&self.forms, &self.poses);
        free_after((a, pose_a), (b, pose_b), direction)
    }

    pub(crate) fn swapped(&self) -> Self {
        let ([a, b], [pose_a, pose_b]) = (self.forms.clone(), self.poses);
        Self { forms: [b, a], poses: [pose_b, pose_a] }
    }

    pub(crate) fn moved(&self, by: Vector3<f64>) -> Self {
        let [pose_a, pose_b] = self.poses;
        Self { forms: self.forms.clone(), poses: [Translation3::from(by) * pose_a, pose_b] }
    }

    /// A little motion of both shapes.
    fn jittered(&self, random: &mut Random) -> Self {
        let reach = self.forms.iter().map(Form::reach).fold(0.0, f64::max);
        let poses = self.poses.map(|pose| {
            let rotation = UnitQuaternion::from_scaled_axis(random.in_ball() * 0.01);
            let by = pose.translation.vector + random.in_ball() * (0.003 * reach);
            Isometry3::from_parts(by.into(), rotation * pose.rotation)
        });
        Self { forms: self.forms.clone(), poses }
    }

    pub(crate) fn ask(
        &self,
        shapes: &[ConvexShape; 2],
        cache: &mut ConvexCache,
    ) -> Result<SignedDistance, String> {
        let ([a, b], [pose_a, pose_b]) = (shapes, &self.poses);
        signed_distance(a, pose_a, b, pose_b, &ConvexOptions::default(), cache)
            .map_err(|error| error.to_string())
    }

    pub(crate) fn shapes(&self) -> Result<[ConvexShape; 2], String> {
        let [a, b] = &self.forms;
        let shape = |form: &Form| form.shape().map_err(|error| error.to_string());
        Ok([shape(a)?, shape(b)?])
    }

    /// The signed distance, for those that build on it.
    pub(crate) fn signed_distance(&self) -> Option<SignedDistance> {
        self.ask(&self.shapes().ok()?, &mut ConvexCache::default()).ok()
    }

    /// All checks.
    pub(crate) fn judge(&self, random: &mut Random) -> Verdict {
        let mut verdict = Verdict::default();
        if let Err(error) = self.check(random, &mut verdict) {
            verdict.failures.push(("no answer", error));
        }
        verdict
    }

    fn check(&self, random: &mut Random, verdict: &mut Verdict) -> Result<(), String> {
        let shapes = self.shapes()?;
        let mut cache = ConvexCache::default();
        let found = self.ask(&shapes, &mut cache)?;
        verdict.overlapping = found.value < 0.0;
        verdict.supports = found.supports;
        verdict.bounds_apart = !(found.at_most - found.value <= self.certificate(found.value));
        let expect: Expect<'_> = &mut |holds, sort, numbers| {
            if !holds {
                verdict.failures.push((sort, numbers()));
            }
        };
        let tolerance = self.tolerance(found.value);
        let (value, at_most) = (found.value, found.at_most);
        expect(value <= at_most, "bounds out of order", &|| format!("{value:e} {at_most:e}"));
        let along = -self.free_after(&found.direction);
        expect((along - value).abs() <= tolerance, "value not along n", &|| format!("{value:e}, {along:e}"));
        let widest = self.widest_gap(&found.direction, random);
        expect(widest <= at_most + tolerance, "wider gap", &|| format!("{widest:e} > {at_most:e}"));
        self.check_witnesses(&found, tolerance, random, expect);
        self.check_relations(&found, &shapes, &mut cache, random, expect)
    }

    /// Exchange, separation, and the same question with a memory.
    fn check_relations(
        &self,
        found: &SignedDistance,
        shapes: &[ConvexShape; 2],
        cache: &mut ConvexCache,
        random: &mut Random,
        expect: Expect<'_>,
    ) -> Result<(), String> {
        let tolerance = 2.0 * self.tolerance(found.value);
        let agree = |p: &SignedDistance, q: &SignedDistance, by: f64| {
            p.value <= q.at_most + by && q.value <= p.at_most + by
        };
        let [a, b] = shapes.clone();
        let other = self.swapped().ask(&[b, a], &mut ConvexCache::default())?;
        expect(agree(found, &other, tolerance), "not symmetric", &|| {
            format!("{:e}…{:e}, exchanged {:e}…{:e}", found.value, found.at_most, other.value, other.at_most)
        });
        let out = -found.value * found.direction.into_inner();
        let touching = self.moved(out).ask(shapes, &mut ConvexCache::default())?;
        expect(touching.at_most >= -tolerance, "not free", &|| {
            format!("moved by {:e}, still {:e} deep", -found.value, -touching.value)
        });
        if found.at_most < 0.0 {
            let inside = self.moved(0.999 * out).ask(shapes, &mut ConvexCache::default())?;
            // The remaining depth is at least its lower bound less the displacement.
            expect(
                inside.value <= found.at_most - 0.999 * found.value + tolerance,
                "free too early",
                &|| {
                    format!(
                        "moved by 0.999, {:e} apart, before {:e}…{:e}",
                        inside.value, found.value, found.at_most
                    )
                },
            );
        }
        for _ in 0..2 {
            let moved = self.jittered(random);
            let (warm, cold) = (moved.ask(shapes, cache)?, moved.ask(shapes, &mut ConvexCache::default())?);
            let by = 2.0 * self.tolerance(cold.value);
            expect(agree(&warm, &cold, by), "warm is not cold", &|| {
                let [p, q] = [warm, cold].map(|x| (x.value, x.at_most));
                format!("warm {:e}…{:e}, cold {:e}…{:e}", p.0, p.1, q.0, q.1)
            });
            let open = warm.at_most - warm.value > moved.certificate(warm.value);
            let cold_open = cold.at_most - cold.value > moved.certificate(cold.value);
            expect(!open || cold_open, "warm bounds apart", &|| {
                format!("{:e}…{:e}", warm.value, warm.at_most)
            });
        }
        Ok(())
    }

    /// The widest gap between parallel planes that random directions and searches find [m], below zero for overlaps.
    pub(crate) fn widest_gap(&self, answer: &Unit<Vector3<f64>>, random: &mut Random) -> f64 {
        let normals = self.poses.iter().map(|pose| pose * Vector3::z());
        let candidates: Vec<Vector3<f64>> = (0..DIRECTIONS)
            .map(|_| random.direction().into_inner())
            .chain(normals.flat_map(|normal| [normal, -normal]))
            .collect();
        let gap = |direction: &Vector3<f64>| -self.free_after(direction);
        let best = candidates.into_iter().max_by(|p, q| gap(p).total_cmp(&gap(q))).unwrap_or_default();
        let climb = |from: Vector3<f64>, mut step: f64, random: &mut Random| {
            let (mut at, mut value) = (from, gap(&from));
            for _ in 0..STEPS {
                let next = (at + random.in_ball() * step).normalize();
                let next_value = gap(&next);
                if next_value > value {
                    (at, value) = (next, next_value);
                } else {
                    step *= 0.85;
                }
            }
            value
        };
        climb(best, 0.3, random).max(climb(answer.into_inner(), 0.1, random))
    }

    fn check_witnesses(
        &self,
        found: &SignedDistance,
        tolerance: f64,
        random: &mut Random,
        expect: Expect<'_>,
    ) {
        let [on_a, on_b] = found.witnesses;
        let (between, value) = (on_a - on_b, found.value);
        let along = between.dot(&found.direction);
        // Witnesses are as good as the bounds are close; where these do not meet, no face of a polytope is in the plane of
        // the answer.
        let gap = found.at_most - value;
        let open = gap > self.certificate(value);
        expect(open || (along - value).abs() <= tolerance + gap, "witnesses not as far apart", &|| {
            format!("value {value:e}, along n {along:e}")
        });
        // Opposite each other. A point of a core that is this much too far away is aside by the root of its distance.
        let aside = (between - along * found.direction.into_inner()).norm();
        let radii: f64 = self.forms.iter().map(Form::radius).sum();
        let sizes: f64 = self.forms.iter().map(Form::reach).sum();
        let allowed =
            2.0 * (tolerance * (value.abs() + radii + tolerance)).sqrt() + tolerance + ASIDE * sizes;
        expect(open || aside <= allowed, "witnesses aside", &|| {
            format!("value {value:e}, aside by {aside:e}")
        });
        for ((form, pose), point) in self.forms.iter().zip(&self.poses).zip([on_a, on_b]) {
            let local = pose.inverse_transform_point(&point);
            for _ in 0..10 {
                let direction = random.direction().into_inner();
                let outside = local.coords.dot(&direction) - form.support(&direction);
                expect(outside <= tolerance, "witness outside", &|| {
                    format!("by {outside:e}, depth {value:e}")
                });
            }
        }
    }
}

/// Records a failure, its kind and its numbers, unless the condition holds.
type Expect<'a> = &'a mut dyn FnMut(bool, &'static str, &dyn Fn() -> String);
