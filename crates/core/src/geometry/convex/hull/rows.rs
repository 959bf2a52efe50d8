//! Lists of lists in flat arrays (compressed rows).

use std::ops::Range;

/// Lists of different lengths, stored contiguously.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rows<T> {
    /// Index of the first item of each row, and the number of items.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// An empty list of rows.
    pub(super) fn new() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }

    /// Appends a row.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.starts.push(self.items.len() as u32);
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Range of the items of a row among all items.
    #[inline]
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Items of a row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> &[T] {
        &self.items[self.range(row)]
    }

    /// Rows in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.items[ends[0] as usize..ends[1] as usize])
    }

    /// All items, row after row.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// Rows of the same lengths with mapped items.
    pub(super) fn map<U>(&self, map: impl FnMut(&T) -> U) -> Rows<U> {
        Rows { starts: self.starts.clone(), items: self.items.iter().map(map).collect() }
    }
}
