//! Soft bodies against closed forms and other solvers: every case of `../shared/data/fem/valid/cases.json` with the
//! expected and the measured value, the tolerance and the verdict. Ends with code 1 if a case fails.
//!
//! `cargo run --release --example fem_validation [V01 V04 …]`

#![expect(clippy::print_stdout, reason = "an example prints")]

mod coil;
mod contact;
mod meshes;
mod statics;
mod steps;

use serde_json::Value;

/// Rows of the table.
#[derive(Default)]
struct Table {
    failed: usize,
    rows: usize,
}

impl Table {
    /// A row that holds where |measured − expected| ≤ tolerance · |expected|.
    fn relative(&mut self, case: &str, what: &str, expected: f64, measured: f64, tolerance: f64) {
        let holds = (measured - expected).abs() <= tolerance * expected.abs();
        self.row(
            case,
            what,
            (&format!("{expected:.12e}"), &format!("{tolerance:.0e} relative")),
            measured,
            holds,
        );
    }

    /// A row that holds where |measured − expected| ≤ tolerance.
    fn absolute(&mut self, case: &str, what: &str, expected: f64, measured: f64, tolerance: f64) {
        let holds = (measured - expected).abs() <= tolerance;
        self.row(case, what, (&format!("{expected:.12e}"), &format!("{tolerance:.0e}")), measured, holds);
    }

    /// A row that holds where measured ≤ bound.
    fn at_most(&mut self, case: &str, what: &str, bound: f64, measured: f64) {
        self.row(case, what, (&format!("at most {bound:.3e}"), "bound"), measured, measured <= bound);
    }

    /// A row that holds where measured ≥ bound.
    fn at_least(&mut self, case: &str, what: &str, bound: f64, measured: f64) {
        self.row(case, what, (&format!("at least {bound:.3e}"), "bound"), measured, measured >= bound);
    }

    fn row(
        &mut self,
        case: &str,
        what: &str,
        (expected, tolerance): (&str, &str),
        measured: f64,
        holds: bool,
    ) {
        let verdict = if holds { "pass" } else { "FAIL" };
        println!("{case} | {what:48} | {expected:>20} | {measured:>20.12e} | {tolerance:>14} | {verdict}");
        self.rows += 1;
        self.failed += usize::from(!holds);
    }
}

type Case = (&'static str, fn(&Value, &mut Table));

const CASES: [Case; 12] = [
    ("V01", statics::patch),
    ("V02", statics::bar),
    ("V03", statics::cantilever),
    ("V04", statics::hanging),
    ("V05", statics::rotation),
    ("V08", steps::integrators),
    ("V09", contact::hertz),
    ("V10", contact::stacked),
    ("V11", contact::ring),
    ("V13", contact::fold),
    ("V14", coil::coil),
    ("V15", contact::derivatives),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let path = meshes::folder().join("valid/cases.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("there is no {}", path.display());
        std::process::exit(2);
    };
    let cases: Vec<Value> = serde_json::from_str(&text).expect("cases.json holds a list");
    let mut table = Table::default();
    println!("case | what | expected | measured | tolerance | verdict");
    for (id, run) in CASES {
        if wanted.is_empty() || wanted.iter().any(|word| word == id) {
            let case = cases.iter().find(|case| case["id"] == id).expect("the case is listed");
            let start = std::time::Instant::now();
            run(&case["expected"], &mut table);
            println!("{id} took {:.2} s", start.elapsed().as_secs_f64());
        }
    }
    println!("{} of {} rows hold", table.rows - table.failed, table.rows);
    std::process::exit(i32::from(table.failed > 0));
}
