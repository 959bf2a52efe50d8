//! Sources of starts, each by itself.

use nalgebra::{Isometry3, Point3, Vector3};

use super::chart::LocalChart;
use super::descent::{Descent, RANDOM_WINDOW, WINDOW, stalls};
use super::search::MultiStartSearch;
use super::*;
use crate::geometry::convex::{ConvexHull, ConvexShape};
use crate::kinematics::articulation::joint::{Joint, JointKind};
use crate::kinematics::articulation::tree::Articulation;
use crate::proximity::articulated::link_pairs::AllowedCollisions;

/// Half the length of the comb, half the thickness of its teeth, and half the edge of what slides through it [m].
const COMB: f64 = 0.8;
const TOOTH: f64 = 0.01;
const HALF: f64 = 0.25;

fn block(half: [f64; 3]) -> Shape {
    let corner = |i: u32| {
        let side = |axis: u32| if i >> axis & 1 == 0 { -1.0 } else { 1.0 };
        Point3::from(Vector3::new(side(0), side(1), side(2)).component_mul(&Vector3::from(half)))
    };
    let hull = ConvexHull::new(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    Shape::convex(ConvexShape::hull(hull.into()))
}

/// A cube that slides along x, by at most `reach`, through teeth that are closer to each other than it is wide.
fn comb(reach: f64) -> CollisionWorld {
    let links = ["rail", "slider"].map(str::to_owned).to_vec();
    let slide = Joint::new("slide", "rail", "slider", JointKind::Prismatic { axis: Vector3::x() });
    let articulation = Articulation::new(links, vec![slide.within([-reach, reach])]).unwrap();
    let shapes = vec![None, Some(block([HALF; 3]))];
    let movable = MovableModel::new(articulation, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
    let tooth = |k: i32| Obstacle {
        shape: block([TOOTH, 1.0, 1.0]),
        pose: Isometry3::translation(0.2 * f64::from(k), 0.0, 0.0),
    };
    CollisionWorld::new(vec![movable], (-4..=4).map(tooth).collect()).unwrap()
}

fn at(position: f64) -> Vec<Pose> {
    vec![Pose { base: Isometry3::identity(), joints: vec![position] }]
}

/// Runs a check with a search around poses, on one thread.
pub(super) fn with_search<T>(
    collision_world: &CollisionWorld,
    poses: &[Pose],
    check: impl FnOnce(&MultiStartSearch<'_>) -> T,
) -> T {
    let chart = &LocalChart::new(collision_world, poses);
    let options = &GeneralizedOptions { parallel: false, ..GeneralizedOptions::default() };
    let descent = Descent::new(collision_world, chart, options);
    let (at_fast, stop) = (&std::sync::OnceLock::new(), &|| false);
    check(&MultiStartSearch {
        collision_world,
        chart,
        descent,
        options,
        min_after_success: None,
        chooses: true,
        at_fast,
        deadline: None,
        stop,
    })
}

#[test]
fn what_is_stuck_where_it_is_is_found_free_at_the_end_of_its_rail() {
    let shifted = |reach: f64| {
        let collision_world = comb(reach);
        with_search(&collision_world, &at(0.05), |search| {
            let stuck = search.run(&search.origin());
            assert!(stuck.free.is_none(), "a descent leaves the comb");
            let found = search.shifted(stuck);
            assert!(found.free.is_none() || found.source == GeneralizedSource::Shift);
            found.free.map(|free| search.chart.poses(&collision_world, &free)[0].joints[0])
        })
    };
    // It starts nearer to the upper end, and comes back until it touches the last tooth.
    let free = shifted(1.2).unwrap();
    assert!((free - (COMB + TOOTH + HALF)).abs() < 1e-6, "{free}");
    // No room beyond the last tooth.
    assert_eq!(shifted(1.0), None);
}

#[test]
fn a_result_of_another_start_is_improved_for_a_minimum_of_work() {
    let collision_world = comb(1.2);
    let work_with = |min_after_failure: u64| {
        let work = WorkBounds { min: 0, min_after_failure, ..WorkBounds::default() };
        let options = GeneralizedOptions { work, parallel: false, ..GeneralizedOptions::default() };
        let found = collision_world.penetration(&at(0.05), &options).unwrap().unwrap();
        assert_ne!(found.source, GeneralizedSource::Direct);
        assert!((found.depth - (COMB + TOOTH + HALF - 0.05)).abs() < 1e-6, "{}", found.depth);
        found.summary
    };
    let (short, long) = (work_with(0), work_with(1_500));
    assert_eq!(short.end, SearchEnd::NoImprovement);
    assert!(short.work < 1_500 && long.work >= 1_500, "{short:?}, {long:?}");
}

/// Cubes that slide along x, each through a comb of its own of which one tooth is missing: cube `k` fits at `gaps[k]` alone.
fn combs_with_gaps(gaps: &[i32]) -> CollisionWorld {
    const SPACING: f64 = 0.3;
    const TEETH: i32 = 12;
    let names = || (0..gaps.len()).map(|k| format!("slider_{k}"));
    let links = std::iter::once("rail".to_owned()).chain(names()).collect();
    let row = |k: usize| Isometry3::translation(0.0, 4.0 * k as f64, 0.0);
    let slide = |(k, name): (usize, String)| {
        Joint::new(&name, "rail", &name, JointKind::Prismatic { axis: Vector3::x() })
            .at(row(k))
            .within([-SPACING * f64::from(TEETH - 2), SPACING * f64::from(TEETH - 2)])
    };
    let articulation = Articulation::new(links, names().enumerate().map(slide).collect()).unwrap();
    let shapes = std::iter::once(None).chain(gaps.iter().map(|_| Some(block([0.28; 3])))).collect();
    let movable = MovableModel::new(articulation, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
    let teeth = gaps.iter().enumerate().flat_map(|(row_of, &gap)| {
        (-TEETH..=TEETH).filter(move |&tooth| tooth != gap).map(move |tooth| Obstacle {
            shape: block([TOOTH, 1.0, 1.0]),
            pose: row(row_of) * Isometry3::translation(SPACING * f64::from(tooth), 0.0, 0.0),
        })
    });
    CollisionWorld::new(vec![movable], teeth.collect()).unwrap()
}

#[test]
fn fast_effort_searches_until_something_is_free() {
    let mut most = 0;
    for gaps in [[5, -7, 6, -4], [-6, -8, 3, 7], [8, 8, -8, 8], [7, -5, -6, 4]] {
        let poses = [Pose { base: Isometry3::identity(), joints: vec![0.05; gaps.len()] }];
        let collision_world = combs_with_gaps(&gaps);
        let found = collision_world.penetration(&poses, &GeneralizedOptions::fast()).unwrap().unwrap();
        for (position, gap) in found.poses[0].joints.iter().zip(gaps) {
            assert!((position - 0.3 * f64::from(gap)).abs() < 0.3 - 0.28 - TOOTH + 1e-6, "{found:?}");
        }
        most = most.max(found.summary.improved_at);
    }
    // The sources and the random starts that come first do not find all of them.
    assert!(most > 60, "{most}");
}

#[test]
fn a_descent_stalls_after_its_window_and_a_free_one_after_the_longest() {
    let still = |steps: usize, sigma: f64| vec![[0.1, sigma]; steps];
    for window in [RANDOM_WINDOW, WINDOW] {
        assert!(!stalls(&still(window, f64::INFINITY), window));
        assert!(stalls(&still(window + 1, f64::INFINITY), window));
        // Once free, the violation does not count, and σ has time.
        assert!(!stalls(&still(WINDOW, 1.0), window));
        assert!(stalls(&still(WINDOW + 1, 1.0), window));
    }
    // A tenth a step is more than a fifth within three of them.
    let falling: Vec<_> =
        (0..=RANDOM_WINDOW as i32).map(|step| [0.9_f64.powi(step), f64::INFINITY]).collect();
    assert!(!stalls(&falling, RANDOM_WINDOW));
}

#[test]
fn what_overlaps_at_every_place_of_its_rail_is_proved_to_be_stuck() {
    // Beyond the last tooth, half a tooth beyond 0.8 m, the cube is free from 1.06 m on.
    for (reach, is_stuck) in [(0.3, true), (1.0, true), (1.05, true), (1.07, false), (2.0, false)] {
        let collision_world = comb(reach);
        let found =
            collision_world.with_workspace(|workspace| collision_world.is_stuck(&at(0.05), workspace));
        assert_eq!(found, is_stuck, "{reach}");
        let repaired = collision_world.penetration(&at(0.05), &GeneralizedOptions::fast());
        match repaired {
            Err(GeneralizedError::NotFound { best, .. }) => {
                assert!(
                    is_stuck && best.summary.end == SearchEnd::Impossible,
                    "{reach}: {}",
                    best.summary.end
                );
            }
            other => assert!(!is_stuck && other.unwrap().unwrap().verified_free, "{reach}"),
        }
    }
}

#[test]
fn the_start_that_is_chosen_overlaps_less_than_the_others() {
    let collision_world = comb(2.0);
    with_search(&collision_world, &at(0.05), |search| {
        let overlap = |y: &[f64]| {
            collision_world.with_workspace(|workspace| search.overlap(y, f64::INFINITY, workspace))
        };
        let make = |number| starts::random(search.chart, &search.origin(), 1.5, number);
        for index in 0..20 {
            let (chosen, work) = search.with_smallest_overlap([7, index], make);
            // Of sixteen points on the rail some are beyond the comb.
            assert!(overlap(&chosen) <= 0.0, "{index}: {}", overlap(&chosen));
            assert!(work > 0 || overlap(&make([7, index])) <= 0.0, "{index}");
        }
    });
}
