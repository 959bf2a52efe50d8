//! Verdicts as JUnit XML: a suite for each scene, a case for each expectation and for the golden file. Without times, so that equal
//! runs give equal files.

use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Judged;
use crate::cli::terminal::{Exit, Failure};
use extricate_scene::record::write_whole;
use extricate_scene::request::text::number;

/// The verdicts of all scenes.
#[derive(Debug, Default)]
pub(super) struct Cases {
    suites: Vec<TestSuite>,
}

impl Cases {
    /// Adds a scene that was judged.
    pub(super) fn add(&mut self, judged: &Judged) {
        let summary = &judged.summary;
        let mut suite = TestSuite::new(summary.scene.as_str());
        for verdict in &summary.expect {
            let [expected, measured, tolerance] =
                [verdict.expected, verdict.measured, verdict.tolerance].map(number);
            let message = format!("expected {expected}, measured {measured}, tolerance {tolerance}");
            suite.add_test_case(case(&format!("expect {}", verdict.quantity), verdict.pass, message, &[]));
        }
        if summary.expect.is_empty() {
            suite.add_test_case(case("expect", false, "the scene has no expectations".to_owned(), &[]));
        }
        if let Some(golden) = &judged.golden {
            suite.add_test_case(case("golden", golden.pass(), golden.headline(), &golden.details()));
        }
        self.suites.push(suite);
    }

    /// Adds a scene that could not be judged.
    pub(super) fn add_failure(&mut self, path: &Path, failure: &Failure) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut suite = TestSuite::new(name.as_ref());
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(failure.text());
        suite.add_test_case(TestCase::new("run", status));
        self.suites.push(suite);
    }

    /// Writes the file.
    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut report = Report::new("extricate verify");
        report.add_test_suites(self.suites.iter().cloned());
        let text = report.to_string();
        let text =
            text.map_err(|error| Failure::new(Exit::Usage, format!("cannot write JUnit XML: {error}")))?;
        write_whole(path, text.as_bytes()).map_err(|error| Failure::of(Exit::Usage, &error))
    }
}

fn case(name: &str, pass: bool, message: String, details: &[String]) -> TestCase {
    if pass {
        return TestCase::new(name, TestCaseStatus::success());
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    if !details.is_empty() {
        status.set_description(details.join("\n"));
    }
    TestCase::new(name, status)
}
