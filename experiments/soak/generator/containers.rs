//! Containers of the bodies: ground, slopes, closed boxes, bowls.

use super::draft::{Draft, Kind, triple};
use super::mixture::Container;

/// Half the inner edges of a closed container, in units.
pub(crate) const ROOM: [f64; 3] = [1.3, 1.3, 1.1];
/// Distance that origins may be beyond the inner faces of a closed container, in units: about half a body, whose origin may
/// be at its rim. A body that escapes keeps going.
const RIM: f64 = 0.3;

/// Adds the container.
pub(crate) fn add(draft: &mut Draft) {
    let container = draft.mixture.container;
    if container.is_closed() {
        draft.kinds.insert(Kind::Closed);
        draft.inside = Some([ROOM.map(|x| -x - RIM), ROOM.map(|x| x + RIM)]);
    } else if container != Container::None {
        draft.kinds.insert(Kind::Open);
    }
    match container {
        Container::None => {}
        Container::Floor => floor(draft, -ROOM[2], "identity"),
        Container::Slope => {
            let angle = draft.random.within(2.0, 30.0);
            let axis = draft.random.within(0.0, 6.0);
            let axis = triple([axis.cos(), axis.sin(), 0.0]);
            floor(draft, -2.0 * ROOM[2], &format!("axis_angle_degrees(axis: {axis}, angle: {angle})"));
        }
        Container::HalfSpaces => half_spaces(draft),
        Container::Boxes => plates(draft, 0.5),
        Container::Plates => {
            draft.kinds.insert(Kind::ThinPlates);
            plates(draft, 0.01);
        }
        Container::Bowl => bowl(draft),
        Container::Tub => {
            let scale = draft.mixture.unit;
            let parameters = r#"{"width": 3, "depth": 3, "height": 2, "wall": 0.2}"#;
            let shape = format!("procedural(kind: \"tub\", parameters: {parameters}, scale: {scale:?})");
            standing(draft, &shape, 1.0 - 0.2 - ROOM[2], -1.5);
        }
    }
}

fn fixed(draft: &mut Draft, name: &str, shape: &str, at: [f64; 3], rotation: &str) {
    let (position, surface) = (draft.point(at), draft.surface());
    draft.bodies.push(format!(
        "(name: \"{name}\", shape: \"{shape}\", kind: fixed, position: {position}, rotation: {rotation}, {surface})"
    ));
}

/// The ground at a height.
fn floor(draft: &mut Draft, height: f64, rotation: &str) {
    let shape = draft.shape("half_space");
    fixed(draft, "floor", &shape, [0.0, 0.0, height], rotation);
}

fn half_spaces(draft: &mut Draft) {
    let shape = draft.shape("half_space");
    let orientations = [
        ("bottom", 2, -1.0, "identity"),
        ("top", 2, 1.0, "euler_degrees(180, 0, 0)"),
        ("left", 0, -1.0, "euler_degrees(0, 90, 0)"),
        ("right", 0, 1.0, "euler_degrees(0, -90, 0)"),
        ("front", 1, -1.0, "euler_degrees(-90, 0, 0)"),
        ("back", 1, 1.0, "euler_degrees(90, 0, 0)"),
    ];
    for (name, axis, sign, rotation) in orientations {
        let mut at = [0.0; 3];
        at[axis] = sign * ROOM[axis];
        fixed(draft, name, &shape, at, rotation);
    }
}

/// Six boxes of a thickness [units] that overlap at their edges.
fn plates(draft: &mut Draft, thickness: f64) {
    for axis in 0..3 {
        let mut size = ROOM.map(|x| 2.0 * (x + thickness));
        size[axis] = thickness;
        let shape = format!("cuboid(size: {})", draft.point(size));
        let shape = draft.shape(&shape);
        for sign in [-1.0, 1.0] {
            let mut at = [0.0; 3];
            at[axis] = sign * (ROOM[axis] + 0.5 * thickness);
            let name = format!("plate-{axis}{}", if sign < 0.0 { "-" } else { "+" });
            fixed(draft, &name, &shape, at, "identity");
        }
    }
}

/// The bowl of the assets, or a procedural one, under all of the room.
fn bowl(draft: &mut Draft) {
    let scale = 1.5 * draft.mixture.unit;
    let shape = if draft.random.chance(0.5) {
        draft.files.insert("meshes/bowl.obj".to_owned());
        format!("mesh(file: \"meshes/bowl.obj\", scale: {scale:?})")
    } else {
        format!("procedural(kind: \"bowl\", scale: {scale:?})")
    };
    standing(draft, &shape, -1.0, -2.5);
}

/// A fixed mesh at a height, above the ground at another.
fn standing(draft: &mut Draft, shape: &str, height: f64, ground: f64) {
    floor(draft, ground, "identity");
    let shape = draft.shape(shape);
    fixed(draft, "container", &shape, [0.0, 0.0, height], "identity");
}
