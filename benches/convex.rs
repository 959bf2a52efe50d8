//! Penetration of convex shapes: certified, cold and warm, beside [Gao23] and parry3d-f64.
//!
//! The classes are those of the ground truth in `../shared/data/convex` (or `$EXTRICATE_DATA/convex`), or pairs of the
//! same kinds from seeds where it is absent, and besides fine hulls and motions from seeds. [Gao23] starts 15° off the
//! true direction, as in the paper, and on motions from its last answer; "warm" is ours with the cache carried along.
//! parry answers for its own shapes, at poses made before. After criterion's groups a table: times, supports, and the
//! worst error of the depth. `cargo bench --bench convex -- NAME` is for the classes whose names hold `NAME`.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "errors belong beside the times, and counts are divided"
)]

#[path = "../experiments/convex_ground_truth/cases.rs"]
mod cases;
#[path = "../experiments/convex_ground_truth/contenders.rs"]
mod contenders;
#[path = "../experiments/convex_ground_truth/forms.rs"]
#[allow(dead_code, reason = "shared with the fuzz and the tests")]
mod forms;
#[path = "../experiments/convex_ground_truth/generated.rs"]
mod generated;
#[path = "../experiments/convex_ground_truth/random.rs"]
#[allow(dead_code, reason = "shared with the fuzz and the tests")]
mod random;
#[path = "../experiments/convex_ground_truth/shapes.rs"]
mod shapes;

use std::path::PathBuf;
use std::time::Duration;

use cases::Class;
use contenders::{Contender, Memory, Prepared, Row, run};
use criterion::Criterion;
use shapes::Result;

/// The classes, from the files where they are.
fn classes() -> Result<Vec<Class>> {
    let data = std::env::var_os("EXTRICATE_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let folder = data.join("convex");
    let mut classes = if folder.is_dir() { cases::read(&folder)? } else { generated::like_the_files()? };
    classes.extend(generated::beyond_the_files()?);
    Ok(classes)
}

fn measure(criterion: &mut Criterion, class: &Class) {
    let prepared: Vec<_> = class.cases.iter().map(Prepared::new).collect();
    let mut group = criterion.benchmark_group(format!("convex/{}", class.name));
    for contender in contenders(class) {
        let (mut memory, mut next) = (Memory::default(), (0..prepared.len()).cycle());
        group.bench_function(contender.name(), |bencher| {
            bencher.iter(|| prepared[next.next().expect("endless")].ask(contender, &mut memory));
        });
    }
    group.finish();
}

fn contenders(class: &Class) -> impl Iterator<Item = Contender> {
    Contender::ALL.into_iter().filter(|contender| contender.runs_on(class))
}

fn print_rows(class: &Class) {
    for contender in contenders(class) {
        let Row { metres, wrong, missed, micros: [mean, median, p99], supports, .. } = run(class, contender);
        println!(
            "| {} | {} | {mean:.3} | {median:.3} | {p99:.3} | {supports:.1} | {metres:.1e} | {wrong} | {missed} |",
            class.name,
            contender.name(),
        );
    }
}

fn main() -> Result<()> {
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(10)
        .nresamples(1000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .configure_from_args();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = arguments.iter().find(|argument| !argument.starts_with('-'));
    let mut classes = classes()?;
    classes.retain(|class| only.is_none_or(|name| class.name.contains(name.as_str())));
    for class in &classes {
        measure(&mut criterion, class);
    }
    criterion.final_summary();
    // Without it, the benchmark is run as a test.
    if arguments.iter().any(|argument| argument == "--bench") {
        println!(
            "\n| class | contender | mean µs | median | p99 | supports | worst error m | wrong | missed |"
        );
        println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
        classes.iter().for_each(print_rows);
    }
    Ok(())
}
