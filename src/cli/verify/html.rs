//! Verdicts as one page of HTML: a table of all scenes, then each with its expectations, its golden file and its plots.

use std::fs;
use std::path::{Path, PathBuf};

use super::Judged;
use super::golden::GoldenVerdict;
use crate::cli::page::{Cell, Page};
use crate::cli::terminal::Failure;
use extricate_scene::request::text::number;

/// Total size of the plots of scenes that pass \[bytes\]: those of further ones are left out, so that browsers open the page at once.
const PLOT_BYTES: u64 = 8 << 20;

/// The verdicts of all scenes.
#[derive(Debug, Default)]
pub(super) struct Report {
    rows: Vec<(Option<String>, Vec<Cell>)>,
    sections: Vec<Section>,
}

/// A scene.
#[derive(Debug)]
struct Section {
    name: String,
    pass: bool,
    /// Title, or the error for which it was not run.
    about: String,
    expectations: Vec<Vec<Cell>>,
    golden: Vec<String>,
    drift: Option<String>,
    folder: Option<PathBuf>,
}

impl Report {
    /// Adds a scene that was judged.
    pub(super) fn add(&mut self, judged: &Judged, folder: &Path) {
        let summary = &judged.summary;
        let expectations: Vec<Vec<Cell>> = summary
            .expect
            .iter()
            .map(|verdict| {
                let values = [verdict.expected, verdict.measured, verdict.tolerance]
                    .map(|value| Cell::from(number(value)));
                let mut cells = vec![Cell::from(verdict.quantity.clone())];
                cells.extend(values);
                cells.push(Cell::Verdict(verdict.pass));
                cells
            })
            .collect();
        let met = summary.expect.iter().filter(|verdict| verdict.pass).count();
        let golden = judged.golden.as_ref();
        self.rows.push((
            Some(summary.scene.clone()),
            vec![
                Cell::from(summary.scene.clone()),
                Cell::Verdict(judged.pass()),
                Cell::from(format!("{met} of {}", summary.expect.len())),
                golden.map_or_else(|| Cell::from("none"), |golden| Cell::Verdict(golden.pass())),
                Cell::from(format!("{} s, {} steps", number(summary.time), summary.steps)),
            ],
        ));
        let failed = golden.filter(|golden| !golden.pass());
        self.sections.push(Section {
            name: summary.scene.clone(),
            pass: judged.pass(),
            about: summary.title.clone(),
            expectations,
            golden: failed
                .map(|golden| std::iter::once(golden.headline()).chain(golden.details()).collect())
                .unwrap_or_default(),
            drift: failed.and_then(GoldenVerdict::drift).and_then(|path| fs::read_to_string(path).ok()),
            folder: Some(folder.to_owned()),
        });
    }

    /// Adds a scene that could not be judged.
    pub(super) fn add_failure(&mut self, path: &Path, failure: &Failure) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let cells = vec![
            Cell::from(name.clone()),
            Cell::Verdict(false),
            Cell::from("not run"),
            Cell::from(""),
            Cell::from(""),
        ];
        self.rows.push((Some(name.clone()), cells));
        self.sections.push(Section {
            name,
            pass: false,
            about: failure.text(),
            expectations: Vec::new(),
            golden: Vec::new(),
            drift: None,
            folder: None,
        });
    }

    /// Writes the page; scenes that fail come first.
    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let passed = self.sections.iter().filter(|section| section.pass).count();
        let verdict = format!("{passed} of {} scenes pass", self.sections.len());
        let mut page = Page::new("Verification of scenes", passed == self.sections.len(), &verdict);
        page.table(&["scene", "verdict", "expectations", "golden file", "run"], self.rows.iter().cloned());
        let mut sections: Vec<&Section> = self.sections.iter().collect();
        sections.sort_by_key(|section| section.pass);
        let mut left = PLOT_BYTES;
        for section in sections {
            section.write(&mut page, &mut left);
        }
        page.write(path)
    }
}

impl Section {
    fn write(&self, page: &mut Page, left: &mut u64) {
        page.heading(&self.name, &self.name);
        page.note(&self.about);
        if !self.expectations.is_empty() {
            let heads = ["quantity", "expected", "measured", "tolerance", "verdict"];
            page.table(&heads, self.expectations.iter().map(|cells| (None, cells.clone())));
        }
        page.list(self.golden.iter().cloned());
        if let Some(drift) = &self.drift {
            page.picture(drift, "Drift from the golden file, relative to the tolerances");
        }
        let Some(folder) = &self.folder else { return };
        let size = fs::metadata(folder.join("plots.svg")).map_or(0, |file| 2 * file.len());
        if !self.pass || size <= *left {
            page.plots(folder);
            *left = left.saturating_sub(if self.pass { size } else { 0 });
        }
    }
}
