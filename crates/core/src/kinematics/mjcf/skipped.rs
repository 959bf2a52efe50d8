//! Parts of a model without a counterpart in a robot: one correction for each kind.

use std::collections::BTreeMap;

use super::element::Element;
use crate::geometry::read::correction::Correction;

/// Kinds that are ignored, each with its first element and the number of them.
#[derive(Default)]
pub(super) struct Skipped<'a>(BTreeMap<String, (&'a Element, usize)>);

impl<'a> Skipped<'a> {
    pub(super) fn element(&mut self, element: &'a Element) {
        self.add(format!("<{}>", element.name), element);
    }

    pub(super) fn attribute(&mut self, element: &'a Element, name: &str) {
        self.add(format!("`{name}` of <{}>", element.name), element);
    }

    pub(super) fn note(&mut self, element: &'a Element, what: &str, which: &str) {
        self.add(format!("{what} {which}"), element);
    }

    fn add(&mut self, kind: String, element: &'a Element) {
        self.0.entry(kind).or_insert((element, 0)).1 += 1;
    }

    pub(super) fn corrections(self) -> impl Iterator<Item = Correction> {
        self.0.into_iter().map(|(kind, (first, count))| {
            let times = if count == 1 { String::new() } else { format!(", {count} times") };
            let found = format!("{kind} has no counterpart{times}");
            first.correction("model".to_owned(), found, "it is ignored")
        })
    }
}
