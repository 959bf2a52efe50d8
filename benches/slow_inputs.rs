//! The slowest queries that a search of half an hour found among the families of `experiments/budgets` (`--families --search`), each relative
//! to its bound on time or work: meshes that strain trees and searches. Those with a time budget, of 50 ms, end at it or soon after;
//! preparation is not measured.
//!
//! ```text
//! cargo bench --bench slow_inputs
//! ```

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of triangles and random numbers"
)]

#[path = "../experiments/budgets/families.rs"]
mod families;
#[path = "../experiments/budgets/kinds.rs"]
mod kinds;
#[path = "../experiments/budgets/random.rs"]
mod random;
mod support;

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use extricate::{Posed, Shape};
use kinds::Kind;
use support::short_group;

/// Time budget of the queries that have one.
const BUDGET: Duration = Duration::from_millis(50);

/// Kinds of queries with the numbers of their inputs, slowest first.
const SLOWEST: [(&str, u64); 10] = [
    ("penetration with a lower bound", 15_044_078_033_422_552_213),
    ("penetration, fast", 12_392_664_796_972_246_175),
    ("penetration, fast, without a budget", 13_496_830_906_718_090_954),
    ("rigid penetration", 9_190_231_455_568_614_385),
    ("penetration, fast", 1_375_778_329_607_445_348),
    ("penetration, fast", 3_902_597_571_355_545_578),
    ("rigid penetration", 8_175_669_156_347_208_626),
    ("penetration, best", 255_145_335_469_488_516),
    ("penetration with a lower bound", 2_822_017_490_179_526_983),
    ("rigid penetration", 14_444_355_477_907_244_954),
];

fn slow_inputs(criterion: &mut Criterion) {
    let mut group = short_group(criterion, "slow_inputs");
    for (name, number) in SLOWEST {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name).expect("a kind of query");
        let (text, shapes, pose, _) = families::case(number).expect("a case of the search");
        shapes.iter().for_each(Shape::prepare);
        let [a, b] = &shapes;
        let (a, b) = (Posed::new(a, pose), Posed::at_origin(b));
        // Some are alike.
        group.bench_function(BenchmarkId::new(name, format!("{text}, {number}")), |bencher| {
            bencher.iter(|| kind.ask(&a, &b, BUDGET));
        });
    }
    group.finish();
}

criterion_group!(benches, slow_inputs);
criterion_main!(benches);
