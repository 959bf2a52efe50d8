//! Lists of lists in flat arrays.

use std::ops::Range;

/// Lists of different lengths, one behind the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rows<T> {
    /// Where each row starts, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// No rows.
    pub(super) fn new() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }

    /// Adds a row behind the others.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.starts.push(self.items.len() as u32);
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the items of a row are among all items.
    #[inline]
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The items of a row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> &[T] {
        &self.items[self.range(row)]
    }

    /// The rows in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.items[ends[0] as usize..ends[1] as usize])
    }

    /// All items, row behind row.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// The same rows of other items.
    pub(super) fn map<U>(&self, map: impl FnMut(&T) -> U) -> Rows<U> {
        Rows { starts: self.starts.clone(), items: self.items.iter().map(map).collect() }
    }
}
