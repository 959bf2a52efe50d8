//! `extricate batch`: the items of a manifest, many at a time, in shards and over interruptions.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::terminal::{Console, Progress};
use super::terminal::{Exit, Failure};
use extricate_scene::batch::{
    BatchError, BatchOptions, BatchOutcome, BatchProgress, BatchSummary, Shard, THREAD_NAME, batch,
};
use extricate_scene::request::table::Table;
use extricate_scene::request::text::number;

const EXAMPLES: &str = "\
Examples:
  extricate batch assets/manifests/demo.jsonl -o out/demo
  extricate batch manifest.jsonl -o out/all --resume
  extricate batch manifest.jsonl --shard 2/16 -o out/shards/2
  extricate merge out/shards -o out/all

A line of the manifest is an item: {\"kind\": \"penetration\", \"a\": \"cup.obj\", \"b\": \"box:1,1,1\", \"poses\": {\"a\": …, \"b\": …}}, with
the options of the command it stands for as further fields, and an optional \"id\"; docs/cli.md lists them. Paths are relative
to the manifest. DIR gets results.jsonl, a line for each item in the order of the manifest; failed.jsonl, those of them that
failed; summary.json; timing.json; and runs/ID for items that are runs. It does not depend on --threads, nor on how often it was
interrupted and resumed. Deployments on clusters: deploy/README.md.

Exit code 8 tells that items failed, 7 that it was interrupted and can be resumed.";

/// Arguments of `batch`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The manifest, an item a line.
    manifest: PathBuf,
    /// Folder of the answers.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Answer the items I, I + N, I + 2 N, … alone, counted from 0.
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// Go on with what DIR holds of the same batch; an empty one is begun.
    #[arg(long)]
    resume: bool,
    /// What meshes and what is made of them may take, by estimate [MiB].
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    memory: u64,
}

/// The last line of a batch as JSON.
#[derive(Debug, Serialize)]
struct Told<'a> {
    complete: bool,
    #[serde(flatten)]
    summary: &'a BatchSummary,
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        Self::of(error.class(), &error)
    }
}

/// Answers the manifest.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    keep_panics_quiet();
    let mebibyte = 1 << 20;
    let options = BatchOptions {
        shard: arguments.shard,
        resume: arguments.resume,
        threads: rayon::current_num_threads(),
        access: console.access().clone(),
        memory: usize::try_from(arguments.memory).unwrap_or(usize::MAX).saturating_mul(mebibyte),
    };
    let mut report = Report { bar: None, next: Report::FIRST, begun: false };
    let outcome = batch(&arguments.manifest, &arguments.output, &options, &mut |progress| {
        report.tell(console, progress);
        console.go_on()
    })?;
    drop(report);
    tell(console, &outcome, arguments)?;
    match (outcome.stopped, outcome.summary.failed) {
        (true, _) => Err(Failure::Silent(Exit::Interrupted)),
        (false, 0) => Ok(()),
        (false, _) => Err(Failure::Silent(Exit::PartlyFailed)),
    }
}

/// A panic inside an item is told in its answer and nowhere else.
fn keep_panics_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let own = std::thread::current().name().is_some_and(|name| name.starts_with(THREAD_NAME));
        if !own {
            usual(panic);
        }
    }));
}

/// Progress on stderr: a bar on a terminal, a line now and then elsewhere.
struct Report {
    bar: Option<Progress>,
    next: Duration,
    begun: bool,
}

impl Report {
    /// When the first line is told.
    const FIRST: Duration = Duration::from_secs(2);
    /// Longest time between two lines; as long as it took so far, until then.
    const MOST: Duration = Duration::from_secs(30);

    fn tell(&mut self, console: &Console, progress: &BatchProgress) {
        let BatchProgress { items, done, found, failed, elapsed } = *progress;
        if !self.begun && found > 0 {
            console.note(format_args!("resumed: {found} of {items} items are done"));
        }
        self.begun = true;
        #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 52 bits")]
        let (made, left) = ((done - found) as f64, (items - done) as f64);
        let rate = made / elapsed.as_secs_f64();
        if io::stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| console.progress(items));
            return bar.update(done, || format!("{} items/s, {failed} failed", number(rate)));
        }
        if elapsed < self.next {
            return;
        }
        self.next = elapsed + elapsed.min(Self::MOST);
        let left =
            if made > 0.0 { format!("{:.0} s left", left / rate) } else { String::from("time left unknown") };
        console.note(format_args!("{done} of {items} items, {rate:.1} items/s, {failed} failed, {left}"));
    }
}

fn tell(console: &mut Console, outcome: &BatchOutcome, arguments: &Arguments) -> Result<(), Failure> {
    let BatchOutcome { summary, timing, stopped } = outcome;
    if console.json() {
        return console.json_line(&Told { complete: !stopped, summary });
    }
    let state = if *stopped { "interrupted, `--resume` goes on" } else { "complete" };
    console.line(format_args!("{}: {state}", arguments.manifest.display()))?;
    let mut table = counts(summary);
    table.row(
        "time",
        [format!(
            "{:.2} s, {:.1} items/s, {:.1} % outside the questions, {} items done before",
            timing.wall_time,
            timing.items_per_second,
            100.0 * timing.share_outside,
            timing.resumed
        )],
    );
    table.row("written to", [arguments.output.display().to_string()]);
    console.line(table)
}

/// How many items came to what.
pub(super) fn counts(summary: &BatchSummary) -> Table {
    let mut table = Table::default();
    table.row("items", [format!("{}, {} failed", summary.items, summary.failed)]);
    for (kind, statuses) in &summary.kinds {
        let told: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
        table.row(kind, [told.join(", ")]);
    }
    table.row("hash", [summary.results_hash.to_string()]);
    table
}
