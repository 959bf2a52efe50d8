//! Counts of the answers of the elementary tests, compared with the truth.

use extricate::proximity::ProximityError;
use extricate::proximity::deforming::{ElementaryContact, ElementaryOptions, edge_edge, vertex_face};
use nalgebra::Point3;

use super::question::{Kind, Query};
use super::{exact, gap};

/// Counts of some queries.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) queries: u64,
    /// The features touch.
    pub(crate) contacts: u64,
    /// They touch, and the test said that they do not. Must be zero.
    pub(crate) missed: u64,
    /// They touch before the time that the test named. Must be zero.
    pub(crate) late: u64,
    /// They do not touch, and the test said that they do.
    pub(crate) false_alarms: u64,
    /// The test used up its steps.
    pub(crate) uncertain: u64,
    /// Maximum distance at the named time of a certain contact, relative to the extent.
    pub(crate) max_gap: f64,
    /// The same of a false alarm, certain or not.
    pub(crate) max_false_gap: f64,
    /// Queries that were refused as not finite.
    pub(crate) refused: u64,
}

impl Tally {
    /// Runs and judges one query.
    pub(crate) fn of(kind: Kind, query: &Query, options: &ElementaryOptions) -> Self {
        let mut tally = Self { queries: 1, ..Self::default() };
        match ask(kind, query, options) {
            Err(_) => tally.refused = 1,
            Ok(None) => {
                let truth = exact::decide(kind, query, 0.0);
                tally.contacts = u64::from(truth.touch);
                tally.missed = u64::from(truth.touch);
            }
            Ok(Some(contact)) => {
                let truth = exact::decide(kind, query, contact.time);
                let gap = gap::distance(kind, query, contact.time)
                    / gap::extent(kind, query).max(f64::MIN_POSITIVE);
                tally.contacts = u64::from(truth.touch);
                tally.late = u64::from(truth.touch_before);
                tally.uncertain = u64::from(!contact.certain);
                if contact.certain {
                    tally.max_gap = gap;
                }
                if !truth.touch {
                    tally.false_alarms = 1;
                    tally.max_false_gap = gap;
                }
            }
        }
        tally
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            queries: self.queries + other.queries,
            contacts: self.contacts + other.contacts,
            missed: self.missed + other.missed,
            late: self.late + other.late,
            false_alarms: self.false_alarms + other.false_alarms,
            uncertain: self.uncertain + other.uncertain,
            max_gap: self.max_gap.max(other.max_gap),
            max_false_gap: self.max_false_gap.max(other.max_false_gap),
            refused: self.refused + other.refused,
        }
    }
}

/// Answer of the elementary test to a query.
pub(crate) fn ask(
    kind: Kind,
    query: &Query,
    options: &ElementaryOptions,
) -> Result<Option<ElementaryContact>, ProximityError> {
    let [start, end] = query.map(|points| points.map(Point3::from));
    match kind {
        Kind::VertexFace => vertex_face(&start, &end, options),
        Kind::EdgeEdge => edge_edge(&start, &end, options),
    }
}
