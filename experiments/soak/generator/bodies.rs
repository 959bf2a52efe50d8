//! Bodies: loose ones in the cells of a grid, overlapping ones, obstacles, bullets, kinematic ones.

use super::draft::{Draft, Kind, Placed};
use super::mixture::{Container, Overlap};
use super::{containers, shapes};

/// Cells along the axes; each has the room of a body of the maximum size.
const CELLS: [usize; 3] = [5, 5, 4];
/// Distance of the middles of cells [units].
const PITCH: f64 = 0.52;
/// Minimum and maximum distance of a body's points from its origin [units].
const SIZES: [f64; 2] = [0.08, 0.25];

/// Minimum size of bodies in scenes with joints: their masses differ less, and joints are near their rims.
const JOINED: f64 = 0.16;
/// Number of bodies side by side in a row in such scenes.
const ROW: usize = 5;

/// Adds all of them.
pub(crate) fn add(draft: &mut Draft) {
    let mut cells = cells(draft);
    let joined = draft.mixture.joints && !draft.mixture.hard_joints;
    if draft.mixture.kinematic {
        kinematic(draft);
    }
    let mut index = 0;
    while index < draft.mixture.bodies {
        let at = if joined && index < ROW { Some(cells.remove(0)) } else { take(draft, &mut cells) };
        let Some(at) = at else { break };
        let min = if joined { JOINED } else { SIZES[0] };
        let radius = draft.random.log_within(min, SIZES[1]);
        loose(draft, index, at, radius);
        index += 1;
        if draft.mixture.overlap != Overlap::None && draft.random.chance(0.6) {
            let by = draft.random.in_cube();
            let beside = std::array::from_fn(|axis| at[axis] + 0.6 * radius * by[axis]);
            loose(draft, index, beside, radius);
            draft.loose.pop();
            index += 1;
        }
    }
    for index in 0..draft.mixture.obstacles {
        let Some(at) = take(draft, &mut cells) else { break };
        obstacle(draft, index, at);
    }
    for index in 0..draft.mixture.bullets {
        if let Some(at) = take(draft, &mut cells) {
            bullet(draft, index, at);
        }
    }
}

/// Middles of the cells that are free.
fn cells(draft: &Draft) -> Vec<[f64; 3]> {
    let lifted = match draft.mixture.container {
        Container::Bowl => 1.5,
        Container::Slope => 0.5,
        _ if draft.mixture.robot => 3.0,
        _ => 0.0,
    };
    let min = usize::from(draft.mixture.kinematic);
    let mut cells = Vec::new();
    for z in min..CELLS[2] {
        for y in 0..CELLS[1] {
            for x in 0..CELLS[0] {
                let at = |index: usize, count: usize| (index as f64 - 0.5 * (count - 1) as f64) * PITCH;
                let cell = [at(x, CELLS[0]), at(y, CELLS[1]), at(z, CELLS[2]) + lifted];
                // Place of the robot's base.
                if !draft.mixture.robot || cell[0].hypot(cell[1]) > PITCH {
                    cells.push(cell);
                }
            }
        }
    }
    cells
}

fn take(draft: &mut Draft, cells: &mut Vec<[f64; 3]>) -> Option<[f64; 3]> {
    (!cells.is_empty()).then(|| cells.swap_remove(draft.random.below(cells.len())))
}

fn loose(draft: &mut Draft, index: usize, at: [f64; 3], radius: f64) {
    let name = format!("body-{index}");
    let shape = shapes::any(draft, radius);
    let (rotation, surface, density) = (draft.rotation(), draft.surface(), shapes::density(draft));
    let position = draft.point(at);
    let moves = draft.mixture.is_weightless() || draft.random.chance(0.3);
    let motion = if moves {
        let velocity = draft.random.in_cube().map(|x| 2.0 * x);
        let angular_velocity = draft.random.in_cube().map(|x| 6.0 * x);
        let [velocity, angular_velocity] =
            [draft.velocity(velocity), draft.angular_velocity(angular_velocity)];
        format!(", linear_velocity: {velocity}, angular_velocity: {angular_velocity}")
    } else {
        String::new()
    };
    let extra = match draft.random.below(10) {
        0 => ", continuous: true",
        1 => ", linear_damping: 0.1, angular_damping: 0.2",
        _ => "",
    };
    draft.bodies.push(format!(
        "(name: \"{name}\", shape: \"{shape}\", position: {position}, rotation: {rotation}, {density}, {surface}{motion}{extra})"
    ));
    draft.loose.push(Placed { name, at });
}

/// A small heavy body that is fast.
fn bullet(draft: &mut Draft, index: usize, at: [f64; 3]) {
    draft.kinds.insert(Kind::Bullets);
    let radius = draft.random.log_within(0.01, 0.05);
    let shape = match draft.random.chance(0.7) {
        true => format!("ball(radius: {})", draft.length(radius)),
        false => {
            let (round, straight) = (draft.length(0.5 * radius), draft.length(radius));
            format!("capsule(radius: {round}, length: {straight})")
        }
    };
    let shape = draft.shape(&shape);
    let speed = draft.random.log_within(20.0, 300.0);
    let velocity = draft.random.direction().map(|x| speed * x);
    let (position, velocity, surface) = (draft.point(at), draft.velocity(velocity), draft.surface());
    let density = shapes::density(draft);
    let swept = if draft.random.chance(0.5) { ", continuous: true" } else { "" };
    draft.bodies.push(format!(
        "(name: \"bullet-{index}\", shape: \"{shape}\", position: {position}, {density}, {surface}, linear_velocity: {velocity}{swept})"
    ));
}

/// A fixed obstacle.
fn obstacle(draft: &mut Draft, index: usize, at: [f64; 3]) {
    let shape = match draft.random.below(3) {
        0 => {
            draft.kinds.insert(Kind::ThinPlates);
            let size = [0.45, 0.2, 0.002].map(|x| x * draft.mixture.unit);
            let text = format!("cuboid(size: {})", super::draft::triple(size));
            draft.shape(&text)
        }
        _ => shapes::any(draft, SIZES[1]),
    };
    let (position, rotation, surface) = (draft.point(at), draft.rotation(), draft.surface());
    draft.bodies.push(format!(
        "(name: \"obstacle-{index}\", shape: \"{shape}\", kind: fixed, position: {position}, rotation: {rotation}, {surface})"
    ));
}

/// A paddle that rotates above the ground, or a plate that slides over it.
fn kinematic(draft: &mut Draft) {
    draft.kinds.insert(Kind::Kinematic);
    draft.driven = true;
    let bottom = match draft.mixture.container {
        Container::Bowl => 1.5 - 0.5 * PITCH * 3.0,
        _ => -containers::ROOM[2] + 0.25,
    };
    let rotates = draft.random.chance(0.6);
    let size = if rotates { [2.0, 0.1, 0.3] } else { [0.3, 1.5, 0.3] };
    let text = format!("cuboid(size: {})", draft.point(size));
    let (shape, surface) = (draft.shape(&text), draft.surface());
    let position = draft.point([0.0, 0.0, bottom]);
    let motion = if rotates {
        let rate = draft.random.within(-3.0, 3.0);
        format!("angular_velocity: {}", draft.angular_velocity([0.0, 0.0, rate]))
    } else {
        let speed = draft.random.within(-0.4, 0.4);
        format!("linear_velocity: {}", draft.velocity([speed, 0.0, 0.0]))
    };
    draft.bodies.push(format!(
        "(name: \"paddle\", shape: \"{shape}\", kind: kinematic, position: {position}, {surface}, {motion})"
    ));
}
