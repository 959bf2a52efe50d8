//! Chains of many links that hang through boxes.

use cpu_time::ThreadTime;
use extricate::geometry::convex::ConvexShape;
use extricate::kinematics::{Articulation, Joint, JointKind};
use extricate::penetration::generalized::{
    Base, CollisionWorld, GeneralizedError, GeneralizedOptions, MovableModel, Obstacle, Pose, Shape,
};
use extricate::proximity::AllowedCollisions;
use nalgebra::{Isometry3, Vector3};

use super::Result;

/// A chain of capsules 0.1 m long that hinge in turn about x and y, hanging from the origin through a box at its middle.
fn chain(links: usize) -> Result<CollisionWorld> {
    let names = (0..=links).map(|i| format!("link_{i}")).collect();
    let joint = |i: usize| {
        let kind =
            JointKind::Revolute { axis: if i.is_multiple_of(2) { Vector3::y() } else { Vector3::x() } };
        let joint = Joint::new(&format!("joint_{i}"), &format!("link_{i}"), &format!("link_{}", i + 1), kind);
        let origin = Isometry3::translation(0.0, 0.0, if i == 0 { 0.0 } else { -0.1 });
        Joint { origin, limits: Some([-1.2, 1.2]), ..joint }
    };
    let articulation = Articulation::new(names, (0..links).map(joint).collect())?;
    let capsule = || {
        let pose = Isometry3::translation(0.0, 0.0, -0.05);
        Shape::of_pieces(vec![(ConvexShape::capsule(0.02, 0.06), pose)])
    };
    let shapes = std::iter::once(None).chain((0..links).map(|_| Some(capsule()))).collect();
    let mut allowed = AllowedCollisions::default();
    (1..links).for_each(|i| allowed.allow(i, i + 1));
    let movable = MovableModel::new(articulation, shapes, allowed, Base::Fixed)?;
    let size = Vector3::repeat(0.04 * links as f64);
    let middle = Isometry3::translation(0.3 * size.x, 0.1 * size.y, -0.05 * links as f64);
    let obstacle = Obstacle { shape: Shape::convex(ConvexShape::cuboid(size)), pose: middle };
    Ok(CollisionWorld::new(vec![movable], vec![obstacle])?)
}

/// Prints the time of each effort for chains of these numbers of links.
pub(super) fn run(links: &[usize]) -> Result<()> {
    println!(
        "| links | effort | √σ [m] | CPU ms | work | descents | source |\n|--:|---|--:|--:|--:|--:|---|"
    );
    for &links in links {
        let world = chain(links)?;
        let start = [Pose { base: Isometry3::identity(), joints: vec![0.0; links] }];
        for (name, options) in [("fast", GeneralizedOptions::fast()), ("best", GeneralizedOptions::default())]
        {
            let options = GeneralizedOptions { parallel: false, ..options };
            let time = ThreadTime::now();
            let found = world.penetration(&start, &options);
            let milliseconds = time.elapsed().as_secs_f64() * 1e3;
            let (depth, found) = match found {
                Ok(Some(found)) if found.verified_free => (format!("{:.4}", found.depth), found),
                Err(GeneralizedError::NotFound { best, .. }) => ("not found".to_owned(), *best),
                Ok(_) => return Err("free already, or not verified".into()),
                Err(error) => return Err(error.into()),
            };
            let (summary, source) = (found.summary, found.source);
            println!(
                "| {links} | {name} | {depth} | {milliseconds:.0} | {} | {} | {source} |",
                summary.work, summary.descents
            );
        }
    }
    Ok(())
}
