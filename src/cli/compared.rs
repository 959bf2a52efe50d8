//! Output of comparisons of runs: as text lines, and as JSON.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::page::{Cell, Page};
use super::terminal::{Console, Exit, Failure};
use extricate_scene::record::RecordError;
use extricate_scene::record::compare::{BitDifference, ComparisonReport, Difference, InputDifference};
use extricate_scene::request::table::Table;
use extricate_scene::request::text::number;

/// Result of a comparison of states.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StateComparison<'a> {
    /// States that were compared.
    states: u64,
    /// Number of them with a value beyond its tolerance.
    states_beyond: u64,
    /// Whether all states that were compared are equal bit for bit.
    exact: bool,
    /// The first step that is not equal bit for bit; null where all are.
    bits: Option<BitDifference>,
    /// The last step before the first difference; null where nothing differs or the first step does.
    agrees_until: Option<u64>,
    /// Values beyond their tolerance in the first state that has any: fields of bodies, the largest difference first, then values
    /// of the whole scene.
    #[schemars(length(max = 8))]
    first: &'a [Difference],
    /// For every quantity the field with the largest difference relative to its tolerance.
    worst: Vec<&'a Difference>,
}

impl<'a> StateComparison<'a> {
    pub(super) fn of(report: &'a ComparisonReport) -> Self {
        Self {
            states: report.states,
            states_beyond: report.states_beyond,
            exact: report.is_exact(),
            bits: report.bits,
            agrees_until: report.agrees_until,
            first: &report.first,
            worst: report.worst.values().collect(),
        }
    }
}

/// Differing inputs of two runs, a line for each.
pub(super) fn inputs<'a>(
    found: &'a [InputDifference],
    labels: [&'a str; 2],
) -> impl Iterator<Item = String> + 'a {
    found.iter().map(move |InputDifference { what, a, b }| {
        let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        format!("{what} differs: {} {}, {} {}", labels[0], side(a), labels[1], side(b))
    })
}

/// The first difference in a sentence.
pub(super) fn first(report: &ComparisonReport) -> Option<String> {
    let first = report.first.first()?;
    let since = match report.agrees_until {
        Some(step) if step + 1 < first.step => {
            format!("between step {step}, which agrees, and step {}", first.step)
        }
        _ => format!("at step {}", first.step),
    };
    Some(format!("first difference {since} ({} s): {}", number(first.time), sentence(first)))
}

/// Further differences in that state.
pub(super) fn also(report: &ComparisonReport) -> impl Iterator<Item = String> + '_ {
    report.first.iter().skip(1).map(|difference| format!("also there: {}", sentence(difference)))
}

fn sentence(difference: &Difference) -> String {
    let Difference { field, quantity, expected, measured, difference: by, tolerance, .. } = difference;
    let subject = match &difference.body {
        Some(body) => format!("{body}, {field}"),
        None => field.clone(),
    };
    let unit =
        Some(quantity.unit()).filter(|unit| !unit.is_empty()).map_or(String::new(), |u| format!(" {u}"));
    format!(
        "{subject}: expected {}, measured {}: {}{unit} apart, {}{unit} pass",
        values(expected),
        values(measured),
        small(*by),
        small(*tolerance),
    )
}

/// A difference or tolerance, in few digits.
fn small(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.2e}") }
}

fn values(values: &[f64]) -> String {
    let parts: Vec<String> = values.iter().map(|value| digits(*value)).collect();
    if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) }
}

/// A value with enough digits to show a difference.
fn digits(value: f64) -> String {
    let plain = format!("{value:.9}");
    let is_readable = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if is_readable {
        plain.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        let text = format!("{value:.9e}");
        let Some((digits, exponent)) = text.split_once('e') else { return text };
        format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The result of the comparison of bits, in a sentence.
pub(super) fn bits(report: &ComparisonReport) -> String {
    match report.bits {
        None => "equal bit for bit".to_owned(),
        Some(BitDifference { step, after: Some(after) }) => {
            format!("equal bit for bit up to step {after}, not at step {step}")
        }
        Some(BitDifference { step, after: None }) => format!("not equal bit for bit from step {step} on"),
    }
}

/// Heads of the table of the largest differences.
const HEADS: [&str; 5] = ["of", "at step", "apart", "pass", "times"];

/// The largest differences by quantity, as a table.
pub(super) fn worst(report: &ComparisonReport) -> Table {
    let mut table = Table::default();
    table.row("worst", HEADS.map(String::from));
    for (name, cells) in worst_lines(report) {
        table.row(&name, cells);
    }
    table
}

/// The same as a table of a page.
pub(super) fn worst_rows(report: &ComparisonReport, page: &mut Page) {
    let row = |(name, cells): (String, Vec<String>)| {
        (None, std::iter::once(name).chain(cells).map(Cell::from).collect())
    };
    let heads: Vec<&str> = std::iter::once("largest difference").chain(HEADS).collect();
    page.table(&heads, worst_lines(report).map(row));
}

/// For each quantity its name with the unit, and the cells of [`HEADS`].
fn worst_lines(report: &ComparisonReport) -> impl Iterator<Item = (String, Vec<String>)> + '_ {
    report.worst.iter().map(|(quantity, worst)| {
        let of = match &worst.body {
            Some(body) => format!("{body}, {}", worst.field),
            None => worst.field.clone(),
        };
        let times = if worst.difference == 0.0 { 0.0 } else { worst.difference / worst.tolerance };
        let unit = quantity.unit();
        let name = if unit.is_empty() { quantity.to_string() } else { format!("{quantity} [{unit}]") };
        let times = if times < 1000.0 { format!("{times:.2}") } else { small(times) };
        let numbers = [small(worst.difference), small(worst.tolerance), times];
        (name, [of, worst.step.to_string()].into_iter().chain(numbers).collect())
    })
}

/// Prints indented lines.
pub(super) fn lines(console: &mut Console, lines: impl IntoIterator<Item = String>) -> Result<(), Failure> {
    lines.into_iter().try_for_each(|line| console.line(format_args!("  {line}")))
}

/// A path as it is printed, with forward slashes on every system.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// The failure of writing a golden file or of reading a run.
pub(super) fn failed(error: RecordError) -> Failure {
    let exit = match &error {
        RecordError::File { .. } => Exit::Usage,
        _ => Exit::BadFile,
    };
    Failure::of(exit, &error)
}
