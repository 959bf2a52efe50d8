//! Queries timed and verified, and the statistics of many of them.

use cpu_time::ProcessTime;
use extricate::penetration::PenetrationError;
use extricate::penetration::{
    Effort, LowerBound, MotionCoherence, Penetration, TranslationalOptions, penetration, penetration_coherent,
};
use extricate::proximity::{Model, collide};
use nalgebra::{Isometry3, Translation3};

use super::statistics::mean;

/// Two models with their poses, body to world.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) a: &'a Model,
    pub(crate) pose_a: &'a Isometry3<f64>,
    pub(crate) b: &'a Model,
    pub(crate) pose_b: &'a Isometry3<f64>,
}

/// A verified answer and the CPU time it took [ms].
pub(crate) struct Answer {
    pub(crate) found: Penetration,
    pub(crate) milliseconds: f64,
}

/// Reason for which there is no answer.
#[derive(Debug, Clone)]
pub(crate) enum Miss {
    /// The source that was asked for has no free configuration to start from.
    NoStart,
    /// A failure, with its message.
    Failed(String),
}

impl std::fmt::Display for Miss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoStart => f.write_str("the source has no start"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Miss {}

impl From<PenetrationError> for Miss {
    fn from(error: PenetrationError) -> Self {
        match error {
            PenetrationError::NoFreeConfiguration { .. } => Self::NoStart,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<&str> for Miss {
    fn from(why: &str) -> Self {
        Self::Failed(why.to_owned())
    }
}

/// The effort alone: no lower bound, which [Je12] has none of, and one thread.
pub(crate) fn with_effort(effort: Effort) -> TranslationalOptions {
    let lower_bound = LowerBound::Skip;
    TranslationalOptions { effort, lower_bound, parallel: false, ..TranslationalOptions::default() }
}

impl Pair<'_> {
    pub(crate) fn overlaps(&self) -> bool {
        collide(self.a, self.pose_a, self.b, self.pose_b)
    }

    /// The answer to a query of a pair that overlaps, after a check that it is free; of its repetitions the minimum time.
    pub(crate) fn ask(&self, options: &TranslationalOptions, repeats: usize) -> Result<Answer, Miss> {
        let mut min: Option<Answer> = None;
        for _ in 0..repeats.max(1) {
            let start = ProcessTime::now();
            let found = penetration(self.a, self.pose_a, self.b, self.pose_b, options);
            let milliseconds = start.elapsed().as_secs_f64() * 1e3;
            let found = found?.ok_or("reported apart")?;
            if min.as_ref().is_none_or(|min| milliseconds < min.milliseconds) {
                min = Some(Answer { found, milliseconds });
            }
        }
        let answer = min.ok_or("no repetition")?;
        self.check(&answer.found)?;
        Ok(answer)
    }

    /// One query with motion coherence, and its time [ms]; `None` when the pair is apart. Verified like the others.
    pub(crate) fn ask_coherently(
        &self,
        options: &TranslationalOptions,
        coherence: &mut MotionCoherence,
    ) -> (Result<Option<Penetration>, Miss>, f64) {
        let start = ProcessTime::now();
        let found = penetration_coherent((self.a, self.pose_a), (self.b, self.pose_b), options, coherence);
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let verified = found.map_err(Miss::from).and_then(|found| {
            match &found {
                Some(penetration) => self.check(penetration)?,
                None if self.overlaps() => return Err("reported apart".into()),
                None => {}
            }
            Ok(found)
        });
        (verified, milliseconds)
    }

    /// The models must be apart after the translation.
    fn check(&self, found: &Penetration) -> Result<(), Miss> {
        let moved = Translation3::from(found.translation) * self.pose_a;
        if collide(self.a, &moved, self.b, self.pose_b) {
            return Err(Miss::Failed(format!("not free after {} m", found.depth)));
        }
        Ok(())
    }
}

/// Statistics of many queries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Summary {
    pub(crate) milliseconds: Vec<f64>,
    pub(crate) depths: Vec<f64>,
    rows: Vec<f64>,
    iterations: Vec<f64>,
    casts: Vec<f64>,
    /// Queries for which the source had no start.
    pub(crate) without_start: usize,
    /// Messages of the failures.
    pub(crate) failures: Vec<String>,
}

impl Summary {
    /// Keeps an answer, or why there is none; then its depth is not a number, so that depths stay in step.
    pub(crate) fn add(&mut self, answer: Result<Answer, Miss>) {
        match answer {
            Ok(Answer { found, milliseconds }) => {
                self.milliseconds.push(milliseconds);
                self.depths.push(found.depth);
                self.rows.push(found.rows as f64);
                self.iterations.push(f64::from(found.iterations));
                self.casts.push(f64::from(found.casts + found.marches));
            }
            Err(miss) => {
                self.depths.push(f64::NAN);
                match miss {
                    Miss::NoStart => self.without_start += 1,
                    Miss::Failed(why) => self.failures.push(why),
                }
            }
        }
    }

    /// Mean time [ms], contacts, in-projections, casts and marches: cells of a table.
    pub(crate) fn cells(&self) -> String {
        if self.milliseconds.is_empty() {
            return "– | – | – | –".to_owned();
        }
        let [rows, iterations, casts] = [&self.rows, &self.iterations, &self.casts].map(|x| mean(x));
        format!("{:.3} | {rows:.1} | {iterations:.1} | {casts:.0}", self.milliseconds())
    }

    /// Mean time [ms].
    pub(crate) fn milliseconds(&self) -> f64 {
        mean(&self.milliseconds)
    }

    /// Mean of the depths divided by others, where both are known.
    pub(crate) fn ratio_to(&self, others: &[f64]) -> f64 {
        let ratios = self.depths.iter().zip(others).map(|(depth, other)| depth / other);
        mean(&ratios.filter(|ratio| ratio.is_finite()).collect::<Vec<_>>())
    }

    /// [`Summary::total_to`] as a cell of a table.
    pub(crate) fn total_cell(&self, others: &[f64]) -> String {
        let total = self.total_to(others);
        if total.is_finite() { format!("{total:.3}") } else { "–".to_owned() }
    }

    /// Sum of the depths divided by that of others, over where both are known: a graze weighs little.
    pub(crate) fn total_to(&self, others: &[f64]) -> f64 {
        let both = self.depths.iter().zip(others).filter(|(depth, other)| (*depth + *other).is_finite());
        let [own, other] = both.fold([0.0; 2], |sums, (own, other)| [sums[0] + own, sums[1] + other]);
        own / other
    }
}
