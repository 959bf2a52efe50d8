//! `extricate batch`: processes the items of a manifest in parallel, in shards, and resumes after interruptions.

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

Each line of the manifest is an item: {\"kind\": \"penetration\", \"a\": \"cup.obj\", \"b\": \"box:1,1,1\", \"poses\": {\"a\": …, \"b\": …}}, with
the options of the corresponding command as further fields, and an optional \"id\"; docs/cli.md lists them. Paths are relative
to the manifest. Written to DIR: results.jsonl, a line for each item in the order of the manifest; failed.jsonl, the lines of
failed items; summary.json; timing.json; and runs/ID for items that are runs. The results depend neither on --threads nor on
interruptions. Deployments on clusters: deploy/README.md.

Exit code 8 means that items failed, 7 that the batch was interrupted and can be resumed.";

/// BatchArguments of `batch`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct BatchArguments {
    /// The manifest, one item per line.
    manifest: PathBuf,
    /// Folder of the results.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Process only the items I, I + N, I + 2 N, …, counted from 0.
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// Resume the batch in DIR; if DIR is empty, start it.
    #[arg(long)]
    resume: bool,
    /// Memory budget of meshes and their preprocessed data, estimated [MiB].
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    memory: u64,
}

/// Final line of a batch as JSON.
#[derive(Debug, Serialize)]
struct BatchReport<'a> {
    complete: bool,
    #[serde(flatten)]
    summary: &'a BatchSummary,
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        Self::of(error.class(), &error)
    }
}

/// Processes the manifest.
pub(super) fn execute(console: &mut Console, arguments: &BatchArguments) -> Result<(), Failure> {
    silence_item_panics();
    let mebibyte = 1 << 20;
    let options = BatchOptions {
        shard: arguments.shard,
        resume: arguments.resume,
        threads: rayon::current_num_threads(),
        access: console.access().clone(),
        memory: usize::try_from(arguments.memory).unwrap_or(usize::MAX).saturating_mul(mebibyte),
    };
    let mut reporter = ProgressReporter { bar: None, next: ProgressReporter::FIRST, begun: false };
    let outcome = batch(&arguments.manifest, &arguments.output, &options, &mut |progress| {
        reporter.update(console, progress);
        console.control_flow()
    })?;
    drop(reporter);
    print_outcome(console, &outcome, arguments)?;
    match (outcome.stopped, outcome.summary.failed) {
        (true, _) => Err(Failure::Silent(Exit::Interrupted)),
        (false, 0) => Ok(()),
        (false, _) => Err(Failure::Silent(Exit::PartlyFailed)),
    }
}

/// Silences panics inside items: they are reported in the item's result only.
fn silence_item_panics() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let own = std::thread::current().name().is_some_and(|name| name.starts_with(THREAD_NAME));
        if !own {
            default_hook(panic);
        }
    }));
}

/// Progress on stderr: a bar on a terminal, otherwise a line at increasing intervals.
struct ProgressReporter {
    bar: Option<Progress>,
    next: Duration,
    begun: bool,
}

impl ProgressReporter {
    /// Time of the first line.
    const FIRST: Duration = Duration::from_secs(2);
    /// Maximum time between two lines; the interval is the time elapsed so far until it reaches this.
    const MAX_INTERVAL: Duration = Duration::from_secs(30);

    fn update(&mut self, console: &Console, progress: &BatchProgress) {
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
        self.next = elapsed + elapsed.min(Self::MAX_INTERVAL);
        let left =
            if made > 0.0 { format!("{:.0} s left", left / rate) } else { String::from("time left unknown") };
        console.note(format_args!("{done} of {items} items, {rate:.1} items/s, {failed} failed, {left}"));
    }
}

fn print_outcome(
    console: &mut Console,
    outcome: &BatchOutcome,
    arguments: &BatchArguments,
) -> Result<(), Failure> {
    let BatchOutcome { summary, timing, stopped } = outcome;
    if console.json() {
        return console.json_line(&BatchReport { complete: !stopped, summary });
    }
    let state = if *stopped { "interrupted, resume with `--resume`" } else { "complete" };
    console.line(format_args!("{}: {state}", arguments.manifest.display()))?;
    let mut table = counts(summary);
    table.row(
        "time",
        [format!(
            "{:.2} s, {:.1} items/s, {:.1} % overhead, {} items done before",
            timing.wall_time,
            timing.items_per_second,
            100.0 * timing.overhead_fraction,
            timing.resumed
        )],
    );
    table.row("written to", [arguments.output.display().to_string()]);
    console.line(table)
}

/// Counts of items by kind and status.
pub(super) fn counts(summary: &BatchSummary) -> Table {
    let mut table = Table::default();
    table.row("items", [format!("{}, {} failed", summary.items, summary.failed)]);
    for (kind, statuses) in &summary.kinds {
        let parts: Vec<String> = statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
        table.row(kind, [parts.join(", ")]);
    }
    table.row("hash", [summary.results_hash.to_string()]);
    table
}
