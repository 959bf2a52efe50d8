use nalgebra::{Isometry3, Point3, Vector3};

use super::*;
use crate::geometry::procedural::{Capsule, Cuboid, Procedural, Sphere};
use crate::geometry::triangle_mesh::Solidity;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::{Joint, JointKind, Motion, RigidMotion};
use crate::proximity::collision::collide;
use crate::proximity::continuous::ContinuousOptions;
use crate::proximity::distance;
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;
use crate::proximity::tests::Noise;

/// A bar from the origin to x = `length`.
fn bar(length: f64, thickness: f64) -> TriangleMesh {
    let bar = Cuboid { x: length, y: thickness, z: thickness, ..Cuboid::default() };
    bar.mesh().unwrap().transformed(&Isometry3::translation(0.5 * length, 0.0, 0.0))
}

fn revolute(name: &str, parent: &str, child: &str, axis: Vector3<f64>) -> Joint {
    Joint::new(name, parent, child, JointKind::Revolute { axis })
}

/// An arm of `count` bars with axes in two directions, on a rail along x.
fn arm(count: usize) -> ArticulatedModel {
    let mut links = vec!["rail".to_owned(), "cart".to_owned()];
    let mut joints = vec![Joint::new("slide", "rail", "cart", JointKind::Prismatic { axis: Vector3::x() })];
    let mut meshes = vec![None, Some(Cuboid { x: 0.3, y: 0.3, z: 0.3, ..Cuboid::default() }.mesh().unwrap())];
    for i in 0..count {
        let (parent, child) = (links[i + 1].clone(), format!("bar{i}"));
        let axis = [Vector3::z(), Vector3::z(), Vector3::new(0.1, 1.0, 0.0)][i % 3];
        let at = if i == 0 {
            Isometry3::translation(0.25, 0.0, 0.0)
        } else {
            Isometry3::translation(0.55, 0.0, 0.0)
        };
        joints.push(revolute(&format!("j{i}"), &parent, &child, axis).at(at));
        links.push(child);
        let capsule = Capsule { radius: 0.04, length: 0.4, segments: 8, rings: 2 }.mesh().unwrap();
        let lying = Isometry3::new(Vector3::new(0.25, 0.0, 0.0), Vector3::y() * std::f64::consts::FRAC_PI_2);
        meshes.push(Some(capsule.transformed(&lying)));
    }
    ArticulatedModel::new(Articulation::new(links, joints).unwrap(), meshes, Solidity::Solid)
}

/// Whether anything collides at a configuration.
fn collides(
    model: &ArticulatedModel,
    configuration: &[f64],
    base: &Isometry3<f64>,
    obstacles: &[(&Model, Isometry3<f64>)],
    allowed: &AllowedCollisions,
) -> bool {
    let poses = model.articulation().link_poses(configuration, base).unwrap();
    let with_obstacle = (0..poses.len()).any(|link| {
        let of_link = model.model(link);
        of_link
            .is_some_and(|of_link| obstacles.iter().any(|(o, pose)| collide(of_link, &poses[link], o, pose)))
    });
    with_obstacle || !model.self_collisions(configuration, base, allowed).unwrap().is_empty()
}

fn between(from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(x, y)| x + (y - x) * t).collect()
}

#[test]
fn a_bar_on_a_hinge_meets_a_ball_at_the_angle_of_the_closed_form() {
    let joint = revolute("j", "a", "b", Vector3::z());
    let tree = Articulation::new(vec!["a".into(), "b".into()], vec![joint]).unwrap();
    let model = ArticulatedModel::new(tree, vec![None, Some(bar(2.0, 0.1))], Solidity::Solid);
    let ball = Model::new(Sphere { radius: 0.25, frequency: 20 }.mesh().unwrap(), Solidity::Solid);
    for (x, y) in [(0.3, 1.2), (-1.0, 0.8), (-1.2, -0.4)] {
        let at_rest = Motion::still(&Isometry3::translation(x, y, 0.0));
        let base = Motion::still(&Isometry3::identity());
        let motion = ArticulatedMotion { from: &[0.0], to: &[6.0], base };
        let obstacles = [MovingObstacle { model: &ball, motion: at_rest }];
        let contact = articulated(&model, &motion, &obstacles, None, &ContinuousOptions::default());
        let contact = contact.unwrap().unwrap();
        let angle = y.atan2(x).rem_euclid(std::f64::consts::TAU) - (0.3 / x.hypot(y)).asin();
        // The facets lie a little within the ball.
        assert!(
            6.0 * contact.time >= angle - 1e-5 && 6.0 * contact.time <= angle + 3e-3,
            "{contact:?} {angle}"
        );
        assert!((nalgebra::distance(&contact.points[1], &Point3::new(x, y, 0.0)) - 0.25).abs() < 3e-3);
        assert!(contact.normal.dot(&Vector3::new(-x, -y, 0.0).normalize()).abs() < 0.7);
    }
}

#[test]
fn a_base_that_moves_carries_the_links() {
    let joint = revolute("j", "a", "b", Vector3::z());
    let tree = Articulation::new(vec!["a".into(), "b".into()], vec![joint]).unwrap();
    let model = ArticulatedModel::new(tree, vec![None, Some(bar(1.0, 0.1))], Solidity::Solid);
    let wall =
        Model::new(Cuboid { x: 0.1, y: 9.0, z: 9.0, ..Cuboid::default() }.mesh().unwrap(), Solidity::Solid);
    let base = Motion::steady(&Isometry3::identity(), &(Vector3::x() * 4.0), &Vector3::zeros());
    let away = Motion::steady(&Isometry3::translation(3.05, 0.0, 0.0), &Vector3::x(), &Vector3::zeros());
    let motion = ArticulatedMotion { from: &[0.0], to: &[0.0], base };
    let obstacles = [MovingObstacle { model: &wall, motion: away }];
    let contact =
        articulated(&model, &motion, &obstacles, None, &ContinuousOptions::default()).unwrap().unwrap();
    // From 2 apart they close at 3.
    assert!((contact.time - 2.0 / 3.0).abs() < 1e-6 && (contact.normal.x + 1.0).abs() < 1e-9);
    assert!((contact.points[0].x - (1.0 + 8.0 / 3.0)).abs() < 1e-5);
}

#[test]
fn no_link_tunnels_through_thin_obstacles_nor_through_another_link() {
    let model = arm(6);
    let allowed = AllowedCollisions::adjacent(&model);
    let sheet =
        Model::new(Cuboid { x: 0.6, y: 0.6, z: 1e-4, ..Cuboid::default() }.mesh().unwrap(), Solidity::Solid);
    let needle =
        Model::new(Cuboid { x: 2.0, y: 1e-4, z: 1e-4, ..Cuboid::default() }.mesh().unwrap(), Solidity::Solid);
    let mut noise = Noise(70);
    let (mut met, mut passed, mut with_itself) = (0, 0, 0);
    for _ in 0..60 {
        let [from, to] = [(); 2].map(|()| {
            (0..7).map(|i| if i == 0 { 0.5 * noise.next() } else { 2.8 * noise.next() }).collect::<Vec<_>>()
        });
        let mut pose = || {
            let direction = noise.vector().normalize();
            Isometry3::new(direction * (1.2 + 0.6 * noise.next()), 3.0 * noise.vector())
        };
        let (from_sheet, to_sheet, of_needle) = (pose(), pose(), pose());
        let obstacles = [
            MovingObstacle { model: &sheet, motion: Motion::linear(&from_sheet, &to_sheet) },
            MovingObstacle { model: &needle, motion: Motion::still(&of_needle) },
        ];
        let base =
            Motion::screw(&Isometry3::identity(), &Isometry3::new(0.2 * noise.vector(), noise.vector()));
        let motion = ArticulatedMotion { from: &from, to: &to, base };
        let found =
            articulated(&model, &motion, &obstacles, Some(&allowed), &ContinuousOptions::default()).unwrap();
        let end = found.map_or(1.0, |contact| contact.time);
        for i in 0..if end > 0.0 { 300 } else { 0 } {
            let t = end * f64::from(i) / 300.0;
            let posed = obstacles.map(|o| (o.model, o.motion.pose_at(t)));
            let hit = collides(&model, &between(&from, &to, t), &base.pose_at(t), &posed, &allowed);
            assert!(!hit, "in contact at {t} of {end}: {found:?}");
        }
        match found {
            None => passed += 1,
            Some(contact) => {
                met += 1;
                let poses =
                    model.articulation().link_poses(&between(&from, &to, end), &base.pose_at(end)).unwrap();
                let (other, other_pose) = match contact.other {
                    ContactPartner::Obstacle(i) => (obstacles[i].model, obstacles[i].motion.pose_at(end)),
                    ContactPartner::Link(i) => {
                        with_itself += 1;
                        (model.model(i).unwrap(), poses[i])
                    }
                };
                let gap =
                    distance(model.model(contact.link).unwrap(), &poses[contact.link], other, &other_pose);
                assert!(gap.value <= 1e-6, "{gap:?}");
                if gap.value > 0.0 {
                    assert!((gap.witnesses[0] - contact.points[0]).norm() < 1e-2);
                    let between = contact.points[0] - contact.points[1];
                    assert!((between - contact.normal.into_inner() * gap.value).norm() < 1e-12);
                }
            }
        }
    }
    assert!(met > 20 && passed > 5 && with_itself > 5, "{met} {passed} {with_itself}");
}

#[test]
fn results_are_independent_of_the_number_of_threads() {
    let model = arm(5);
    let allowed = AllowedCollisions::adjacent(&model);
    let ball = Model::new(Sphere { radius: 0.2, frequency: 6 }.mesh().unwrap(), Solidity::Solid);
    let place = Motion::still(&Isometry3::translation(0.3, 1.1, 0.4));
    let obstacles = [MovingObstacle { model: &ball, motion: place }; 3];
    let mut noise = Noise(71);
    let base = Motion::still(&Isometry3::identity());
    for _ in 0..10 {
        let [from, to] = [1.0, 2.5].map(|reach| (0..6).map(|_| reach * noise.next()).collect::<Vec<_>>());
        let motion = ArticulatedMotion { from: &from, to: &to, base };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                articulated(&model, &motion, &obstacles, Some(&allowed), &ContinuousOptions::default())
            })
        };
        assert_eq!(format!("{:?}", with(1)), format!("{:?}", with(5)));
    }
}

#[test]
fn adjacent_and_rigidly_connected_links_are_allowed_to_collide_and_others_are_not() {
    let joints = vec![
        revolute("ab", "a", "empty", Vector3::z()),
        revolute("eb", "empty", "b", Vector3::y()),
        Joint::new("bc", "b", "c", JointKind::Fixed),
        Joint::new("bd", "b", "d", JointKind::Fixed),
        revolute("de", "d", "e", Vector3::z()),
    ];
    let names = ["a", "empty", "b", "c", "d", "e"].map(String::from).to_vec();
    let tree = Articulation::new(names, joints).unwrap();
    let cube = || Some(Cuboid::default().mesh().unwrap());
    let model =
        ArticulatedModel::new(tree, vec![cube(), None, cube(), cube(), cube(), cube()], Solidity::Solid);
    let mut allowed = AllowedCollisions::adjacent(&model);
    // Through the empty link; by joints; and c and d, which never move to one another.
    assert_eq!(allowed.iter().collect::<Vec<_>>(), [[0, 2], [2, 3], [2, 4], [3, 4], [4, 5]]);
    // All cubes coincide.
    let found = model.self_collisions(&[0.0; 3], &Isometry3::identity(), &allowed).unwrap();
    assert_eq!(found, [[0, 3], [0, 4], [0, 5], [2, 5], [3, 5]]);
    allowed.allow_overlapping(&model, &[0.0; 3]).unwrap();
    assert!(model.self_collisions(&[0.0; 3], &Isometry3::identity(), &allowed).unwrap().is_empty());
}

#[test]
fn contact_at_the_start_yields_time_zero() {
    let model = arm(4);
    let ball = Model::new(Sphere { radius: 0.2, frequency: 6 }.mesh().unwrap(), Solidity::Solid);
    let place = Motion::still(&Isometry3::translation(0.7, 0.0, 0.0));
    let obstacles = [MovingObstacle { model: &ball, motion: place }];
    let base = Motion::still(&Isometry3::identity());
    let motion = ArticulatedMotion { from: &[0.0; 5], to: &[1.0; 5], base };
    let contact =
        articulated(&model, &motion, &obstacles, None, &ContinuousOptions::default()).unwrap().unwrap();
    assert!(contact.time == 0.0 && contact.gap == 0.0 && contact.other == ContactPartner::Obstacle(0));
}

#[test]
fn invalid_input_and_exhausted_iterations_are_errors() {
    let model = arm(2);
    let ball = Model::new(Sphere { radius: 0.2, frequency: 6 }.mesh().unwrap(), Solidity::Solid);
    let place = Motion::still(&Isometry3::translation(0.7, 0.9, 0.0));
    let obstacles = [MovingObstacle { model: &ball, motion: place }];
    let base = Motion::still(&Isometry3::identity());
    let of = |from: &[f64], to: &[f64], options: &ContinuousOptions| {
        articulated(&model, &ArticulatedMotion { from, to, base }, &obstacles, None, options)
    };
    let default = ContinuousOptions::default();
    let (here, there) = ([0.0; 3], [0.0, 2.0, 0.0]);
    assert!(matches!(of(&here[1..], &there, &default), Err(ProximityError::Articulation(_))));
    assert!(matches!(of(&here, &[0.0, f64::NAN, 0.0], &default), Err(ProximityError::Articulation(_))));
    let contact = of(&here, &there, &default).unwrap().unwrap();
    let few = ContinuousOptions { max_iterations: 2, ..default };
    match of(&here, &there, &few) {
        Err(ProximityError::IterationsExhausted { free_until, .. }) => assert!(free_until <= contact.time),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_spent_time_budget_is_an_error_with_the_time_up_to_which_the_motion_is_free() {
    let model = arm(2);
    let ball = Model::new(Sphere { radius: 0.2, frequency: 60 }.mesh().unwrap(), Solidity::Solid);
    let place = Motion::still(&Isometry3::translation(0.7, 0.9, 0.0));
    let obstacles = [MovingObstacle { model: &ball, motion: place }];
    let base = Motion::still(&Isometry3::identity());
    let motion = ArticulatedMotion { from: &[0.0; 3], to: &[0.0, 2.0, 0.0], base };
    let within = |time_budget| {
        let options = ContinuousOptions { time_budget, ..ContinuousOptions::default() };
        articulated(&model, &motion, &obstacles, None, &options)
    };
    let contact = within(None).unwrap().unwrap();
    // The clock is looked at once in 128 steps.
    assert!(contact.steps > 256, "{}", contact.steps);
    match within(Some(std::time::Duration::ZERO)) {
        Err(ProximityError::IterationsExhausted { free_until, .. }) => assert!(free_until < contact.time),
        other => panic!("{other:?}"),
    }
    assert_eq!(within(Some(std::time::Duration::MAX)).unwrap().map(|found| found.time), Some(contact.time));
}

/// Three bars on one post, all of which start side by side: the outer two rotate, the middle one slides.
fn crossing_bars() -> ArticulatedModel {
    let links = ["post", "low", "high", "rail"].map(String::from).to_vec();
    let joints = vec![
        revolute("yaw", "post", "low", Vector3::z()).within([-1.0, 1.0]),
        revolute("twist", "low", "high", Vector3::x())
            .within([-3.0, 3.0])
            .at(Isometry3::translation(0.2, 0.0, 0.0)),
        Joint::new("slide", "post", "rail", JointKind::Prismatic { axis: Vector3::z() }).within([0.0, 2.0]),
    ];
    let meshes = vec![Some(bar(0.3, 0.3)), Some(bar(1.0, 0.2)), Some(bar(1.0, 0.2)), Some(bar(1.0, 0.2))];
    ArticulatedModel::new(Articulation::new(links, joints).unwrap(), meshes, Solidity::Solid)
}

#[test]
fn pairs_that_separate_at_some_configuration_are_collisions_and_the_others_are_allowed() {
    let model = crossing_bars();
    let derived = model.derive_allowed(&[0.0; 3], &[], Sampling::default()).unwrap();
    let always = AllowedReason::AlwaysColliding { configurations: 200 };
    let adjacent = AllowedReason::Adjacent;
    // The twisted bar never leaves the post; the rail leaves all of the others but its neighbour.
    assert_eq!(
        derived.allowed,
        [([0, 1], adjacent), ([0, 2], always), ([0, 3], adjacent), ([1, 2], adjacent)]
    );
    assert_eq!(derived.at_start, [[1, 3], [2, 3]]);
    let given = model.derive_allowed(&[0.0; 3], &[[1, 3]], Sampling::default()).unwrap();
    assert!(given.allowed.contains(&([1, 3], AllowedReason::Given)));
    assert_eq!(given.at_start, [[2, 3]]);
}

#[test]
fn allowed_pairs_are_the_same_for_every_seed_and_from_a_start_without_overlap() {
    let model = crossing_bars();
    let lifted = [0.3, 1.0, 1.5];
    for seed in 0..5 {
        let sampling = Sampling { seed, configurations: 100 };
        let derived = model.derive_allowed(&lifted, &[], sampling).unwrap();
        let pairs: Vec<_> = derived.allowed.iter().map(|(pair, _)| *pair).collect();
        assert_eq!(pairs, [[0, 1], [0, 2], [0, 3], [1, 2]], "seed {seed}");
        assert!(derived.at_start.is_empty());
    }
}
