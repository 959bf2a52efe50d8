//! Plain text tables.

use std::fmt;

/// Rows of cells, aligned in columns.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds a row.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
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
}
