//! Plain tables for people.

use std::fmt;

use crate::dynamics::BodyPenetration;

/// Rows of cells, aligned in columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row.
    pub(super) fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        self.rows.push(std::iter::once(format!("  {name}")).chain(cells).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
        let widths: Vec<usize> = (0..columns)
            .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        for (index, row) in self.rows.iter().enumerate() {
            let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            let line = padded.collect::<Vec<_>>().join("  ");
            let end = if index + 1 < self.rows.len() { "\n" } else { "" };
            write!(f, "{}{end}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number in as few digits as tell it.
pub(super) fn number(value: f64) -> String {
    let plain = format!("{value:.6}");
    let is_readable = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if is_readable {
        plain.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.3e}")
    }
}

/// A pair that overlaps.
pub(super) fn overlap(pair: &BodyPenetration) -> String {
    let [a, b] = &pair.bodies;
    let pair_name = if a == b { format!("{a} and itself") } else { format!("{a} and {b}") };
    format!("{pair_name}: {} m deep, {:.2e} of the smaller body", number(pair.depth), pair.depth / pair.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_lines_end_with_their_text() {
        let mut table = Table::default();
        table.row("µ", ["1".into(), "x".into()]);
        table.row("long", ["234".into()]);
        assert_eq!(table.to_string(), "  µ     1    x\n  long  234");
    }

    #[test]
    fn numbers_keep_their_value_in_few_digits() {
        let told = [0.0, 1.0, 0.25, 1.6e-7, 12_345_678.0, -0.5].map(number);
        assert_eq!(told, ["0", "1", "0.25", "1.600e-7", "1.235e7", "-0.5"]);
        assert_eq!(number(f64::NAN), "NaN");
    }
}
