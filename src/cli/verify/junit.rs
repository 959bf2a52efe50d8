//! Verdicts as JUnit XML: a suite for each scene, a case for each expectation and for the golden file. Without times, so that equal
//! runs give equal files.

use std::fmt::Write as _;
use std::path::Path;

use super::Judged;
use crate::cli::page;
use crate::cli::terminal::{Exit, Failure};
use extricate_scene::record::write_whole;
use extricate_scene::request::text::number;

/// The verdicts of all scenes.
#[derive(Debug, Default)]
pub(super) struct Cases {
    suites: Vec<Suite>,
}

/// The cases of a scene.
#[derive(Debug)]
struct Suite {
    name: String,
    cases: Vec<Case>,
}

#[derive(Debug)]
struct Case {
    name: String,
    problem: Option<Problem>,
}

/// Reason for which a case does not pass.
#[derive(Debug)]
struct Problem {
    /// `failure` of a case that was judged, `error` of one that could not be.
    element: &'static str,
    message: String,
    details: Vec<String>,
}

impl Cases {
    /// Adds a scene that was judged.
    pub(super) fn add(&mut self, judged: &Judged) {
        let summary = &judged.summary;
        let mut cases = Vec::new();
        for verdict in &summary.expect {
            let [expected, measured, tolerance] =
                [verdict.expected, verdict.measured, verdict.tolerance].map(number);
            let message = format!("expected {expected}, measured {measured}, tolerance {tolerance}");
            cases.push(case(format!("expect {}", verdict.quantity), verdict.pass, message, Vec::new()));
        }
        if summary.expect.is_empty() {
            let message = "the scene has no expectations".to_owned();
            cases.push(case("expect".to_owned(), false, message, Vec::new()));
        }
        if let Some(golden) = &judged.golden {
            cases.push(case("golden".to_owned(), golden.pass(), golden.headline(), golden.details()));
        }
        self.suites.push(Suite { name: summary.scene.clone(), cases });
    }

    /// Adds a scene that could not be judged.
    pub(super) fn add_failure(&mut self, path: &Path, failure: &Failure) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let problem = Problem { element: "error", message: failure.text(), details: Vec::new() };
        let cases = vec![Case { name: "run".to_owned(), problem: Some(problem) }];
        self.suites.push(Suite { name, cases });
    }

    /// Writes the file.
    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        let cases = || self.suites.iter().flat_map(|suite| &suite.cases);
        let [failures, errors] = ["failure", "error"].map(|element| count(cases(), element));
        // Writing to a string does not fail.
        let _ = writeln!(
            xml,
            "<testsuites name=\"extricate verify\" tests=\"{}\" skipped=\"0\" failures=\"{failures}\" errors=\"{errors}\">",
            cases().count(),
        );
        self.suites.iter().for_each(|suite| suite.append(&mut xml));
        xml.push_str("</testsuites>\n");
        write_whole(path, xml.as_bytes()).map_err(|error| Failure::of(Exit::Usage, &error))
    }
}

impl Suite {
    fn append(&self, xml: &mut String) {
        let [failures, errors] = ["failure", "error"].map(|element| count(&self.cases, element));
        let (name, tests) = (escaped(&self.name), self.cases.len());
        let _ = writeln!(
            xml,
            "    <testsuite name=\"{name}\" tests=\"{tests}\" skipped=\"0\" errors=\"{errors}\" failures=\"{failures}\">",
        );
        self.cases.iter().for_each(|case| case.append(xml));
        xml.push_str("    </testsuite>\n");
    }
}

impl Case {
    fn append(&self, xml: &mut String) {
        let name = escaped(&self.name);
        let _ = match &self.problem {
            None => writeln!(xml, "        <testcase name=\"{name}\"/>"),
            Some(Problem { element, message, details }) => {
                let message = escaped(message);
                let end = match details.as_slice() {
                    [] => "/>".to_owned(),
                    details => format!(">{}</{element}>", escaped(&details.join("\n"))),
                };
                writeln!(
                    xml,
                    "        <testcase name=\"{name}\">\n            <{element} message=\"{message}\"{end}\n        </testcase>",
                )
            }
        };
    }
}

fn case(name: String, pass: bool, message: String, details: Vec<String>) -> Case {
    Case { name, problem: (!pass).then_some(Problem { element: "failure", message, details }) }
}

/// Number of the cases with a problem of a kind.
fn count<'a>(cases: impl IntoIterator<Item = &'a Case>, element: &str) -> usize {
    cases
        .into_iter()
        .filter(|case| case.problem.as_ref().is_some_and(|found| found.element == element))
        .count()
}

/// Text for attributes and content, without the control characters that XML cannot express.
fn escaped(text: &str) -> String {
    let is_refused = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    page::escaped(&text.replace(is_refused, "")).replace('\'', "&apos;")
}
