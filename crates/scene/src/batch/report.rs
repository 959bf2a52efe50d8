//! Reports: answers to items as lines of JSON, behind a header that all of them have.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::item::Item;
use super::manifest::ManifestLine;
use crate::request::{Class, Fault, Reply};

/// Start of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header<'a> {
    pub(super) index: u64,
    pub(super) id: Option<&'a str>,
    pub(super) kind: &'static str,
}

/// An answer as it is written, and the time of the question itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    pub(super) line: Vec<u8>,
    pub(super) time: Duration,
}

/// An answer as a line of JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Line<'a, R> {
    /// Number of the item in the manifest, from 0.
    index: u64,
    /// Its name, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    id: Option<&'a str>,
    /// Kind of the question; unknown where the line could not be read.
    kind: &'static str,
    /// As of the command that the item stands for; failed where there is no answer; of a run complete or not-met.
    status: &'static str,
    /// Of a failure: the exit code of the command that the item stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Class")]
    exit_code: Option<Class>,
    /// Of a failure: the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    error: Option<String>,
    #[serde(flatten)]
    answer: &'a R,
}

/// The fields of a failure: none.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NoAnswer {}

/// A header that owns its text.
pub(super) struct OwnHeader {
    index: u64,
    id: Option<String>,
    pub(super) kind: &'static str,
}

impl OwnHeader {
    pub(super) fn header(&self) -> Header<'_> {
        Header { index: self.index, id: self.id.as_deref(), kind: self.kind }
    }
}

impl Header<'_> {
    /// The kind of what could not be read.
    pub(super) const UNKNOWN: &'static str = "unknown";

    /// The head of a line that could not be read.
    pub(super) fn unknown(index: u64) -> Self {
        Self { index, id: None, kind: Self::UNKNOWN }
    }

    /// The head of a line whose answer was lost.
    pub(super) fn of_line(line: &ManifestLine) -> OwnHeader {
        let item = line.text.as_ref().ok().map(|text| Item::parse(text));
        let (id, kind) = match item {
            Some(Ok(item)) => (item.id.clone(), Some(item.kind())),
            Some(Err(error)) => (error.id, error.kind),
            None => (None, None),
        };
        OwnHeader { index: line.index, id, kind: kind.unwrap_or(Self::UNKNOWN) }
    }

    /// The line of an answer.
    pub(super) fn report<R: Reply>(&self, answer: &R, time: Duration) -> Report {
        let shortfall = answer.shortfall();
        self.line(answer.status(), shortfall, answer, time)
    }

    /// The line of a failure.
    pub(super) fn failed(&self, fault: Fault) -> Report {
        self.line("failed", Some(fault), &NoAnswer {}, Duration::ZERO)
    }

    fn line<R: Serialize>(
        &self,
        status: &'static str,
        fault: Option<Fault>,
        answer: &R,
        time: Duration,
    ) -> Report {
        let Self { index, id, kind } = *self;
        let (exit_code, error) = fault.map(|fault| (fault.class, fault.message)).unzip();
        let line = Line { index, id, kind, status, exit_code, error, answer };
        let mut line = serde_json::to_vec(&line).expect("answers are objects with text keys");
        line.push(b'\n');
        Report { line, time }
    }
}
