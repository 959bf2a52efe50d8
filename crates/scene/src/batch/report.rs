//! Reports: results of items as lines of JSON, behind a common header.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::item::Item;
use super::manifest::ManifestLine;
use crate::request::{Class, Fault, Reply};

/// Header of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header<'a> {
    pub(super) index: u64,
    pub(super) id: Option<&'a str>,
    pub(super) kind: &'static str,
}

/// Result of an item as it is written, with the time of the request itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    pub(super) line: Vec<u8>,
    pub(super) time: Duration,
}

/// Result of an item as a line of JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Line<'a, R> {
    /// Number of the item in the manifest, from 0.
    index: u64,
    /// Id of the item, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    id: Option<&'a str>,
    /// Kind of the request; `unknown` where the line could not be read.
    kind: &'static str,
    /// Status as of the equivalent command; `failed` where there is no answer; of a run `complete` or `not-met`.
    status: &'static str,
    /// Exit code of the equivalent command; failures only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Class")]
    exit_code: Option<Class>,
    /// Reason of the failure; failures only.
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
pub(super) struct OwnedHeader {
    index: u64,
    id: Option<String>,
    pub(super) kind: &'static str,
}

impl OwnedHeader {
    pub(super) fn header(&self) -> Header<'_> {
        Header { index: self.index, id: self.id.as_deref(), kind: self.kind }
    }
}

impl Header<'_> {
    /// Kind of an item that could not be read.
    pub(super) const UNKNOWN: &'static str = "unknown";

    /// Header of a line that could not be read.
    pub(super) fn unknown(index: u64) -> Self {
        Self { index, id: None, kind: Self::UNKNOWN }
    }

    /// Header of a line whose result was lost by a panic.
    pub(super) fn of_line(line: &ManifestLine) -> OwnedHeader {
        let item = line.text.as_ref().ok().map(|text| Item::parse(text));
        let (id, kind) = match item {
            Some(Ok(item)) => (item.id.clone(), Some(item.kind())),
            Some(Err(error)) => (error.id, error.kind),
            None => (None, None),
        };
        OwnedHeader { index: line.index, id, kind: kind.unwrap_or(Self::UNKNOWN) }
    }

    /// Report of an answer.
    pub(super) fn report<R: Reply>(&self, answer: &R, time: Duration) -> Report {
        let shortfall = answer.shortfall();
        self.line(answer.status(), shortfall, answer, time)
    }

    /// Report of a failure.
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
