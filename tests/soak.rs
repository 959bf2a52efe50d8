//! A few scenes of the soak, and a test of its judgement: `cargo run --release --example soak` runs hundreds.

#[expect(dead_code, reason = "what only the example reads")]
#[path = "../experiments/soak/generator/mod.rs"]
mod generator;
#[path = "../experiments/soak/random.rs"]
mod random;
#[expect(dead_code, reason = "what only the example reads")]
#[path = "../experiments/soak/trial.rs"]
mod trial;

use std::collections::BTreeSet;
use std::path::Path;

use extricate::scene::Scene;
use generator::{Generated, Kind};
use trial::Trial;

/// Scenes that are run: closed and open, with joints, overlaps that are ignored and repaired, bullets, robots, soft bodies.
const SCENES: [u64; 8] = [0, 1, 2, 3, 4, 6, 7, 8];

fn run(scene: &Generated, threads: usize) -> Trial {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| trial::run(0, scene, None))
}

#[test]
fn a_few_random_scenes_keep_every_promise_with_any_number_of_threads() {
    for index in SCENES {
        let scene = generator::scene(1, index);
        let [one, three] = [1, 3].map(|threads| run(&scene, threads));
        assert!(one.failures.is_empty(), "{index}: {:?}\n{}", one.failures, scene.text);
        assert_eq!((one.hash, one.steps), (three.hash, three.steps), "scene {index}");
        assert!(one.refused.is_some() || one.steps > 100, "scene {index}");
    }
}

#[test]
fn a_number_gives_the_same_valid_scene_every_time_and_all_kinds_occur() {
    let mut kinds = BTreeSet::new();
    for index in 0..300 {
        let scene = generator::scene(3, index);
        assert_eq!(scene.text, generator::scene(3, index).text);
        kinds.extend(scene.kinds.iter().copied());
        if index < 40 {
            let parsed = Scene::parse(Path::new("assets/soak.ron"), scene.text.clone());
            assert!(parsed.is_ok(), "{:?}\n{}", parsed.err(), scene.text);
        }
    }
    assert!(kinds.len() == 24 && kinds.contains(&Kind::HardJoints), "{kinds:?}");
    assert!(generator::scene(3, 0).text != generator::scene(4, 0).text);
}

#[test]
fn a_broken_promise_is_reported() {
    let scene = generator::scene(1, 0);
    let with = |text: &str| Generated { text: text.to_owned(), ..scene.clone() };
    let falling = |expect: &str| {
        format!(
            "(title: \"\", duration: 0.1, shapes: {{\"a\": ball(radius: 1)}}, bodies: [(name: \"a\", shape: \"a\")], \
             expect: ({expect}))"
        )
    };
    for (text, why) in [
        ("(title: 3)".to_owned(), "scene: "),
        (falling("max_speed: 0.5"), "max_speed"),
        (falling("no_escape: (min: (-1, -1, -0.01), max: (1, 1, 1))"), "no_escape"),
    ] {
        let trial = run(&with(&text), 1);
        assert!(trial.failures.iter().any(|failure| failure.starts_with(why)), "{:?}", trial.failures);
    }
    assert!(run(&with(&falling("max_speed: 2")), 1).failures.is_empty());
}
