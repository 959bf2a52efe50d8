//! Effective inertias of joints at rest, by which MuJoCo scales the damping of servos: 1 / (H⁻¹)ᵢᵢ of the mass matrix H, with all other joints free.
//!
//! H is that of composite rigid bodies, with Featherstone's factor H = Lᵀ D L along the branches \[Featherstone08 §6.2, §6.5\]. Twists, wrenches and
//! inertias are about the origin of the world, which is near a robot at rest. MuJoCo up to 3 took Hᵢᵢ, with the other joints held.

use std::collections::HashMap;

use nalgebra::{Isometry3, Matrix3, Translation3, Vector3};

use super::bodies::Bodies;
use crate::kinematics::urdf::Inertial;
use crate::kinematics::urdf::document::{JointElement, JointType};

/// Mass, first moment and inertia about the origin of the world.
#[derive(Clone, Copy)]
struct Composite {
    mass: f64,
    moment: Vector3<f64>,
    inertia: Matrix3<f64>,
}

/// Angular velocity, and velocity of the point at the origin of the world; or force and moment.
type Twist = [Vector3<f64>; 2];

/// A freedom of a joint, with the place of its row.
struct Freedom {
    joint: usize,
    twist: Twist,
    /// The freedoms that carry it, from the base to itself.
    path: Vec<usize>,
}

impl Composite {
    fn of(own: &Inertial, pose: &Isometry3<f64>) -> Self {
        let Inertial { mass, center, inertia } = own.transformed(pose);
        let r = center.coords;
        let about = inertia + mass * (Matrix3::identity() * r.norm_squared() - r * r.transpose());
        Self { mass, moment: mass * r, inertia: about }
    }

    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.moment += other.moment;
        self.inertia += other.inertia;
    }

    /// Moment about the origin, and momentum, of a motion.
    fn momentum(&self, [angular, linear]: &Twist) -> Twist {
        [self.inertia * angular + self.moment.cross(linear), self.mass * linear + angular.cross(&self.moment)]
    }
}

/// Effective inertias of joints of one freedom at the values of the file [kg·m² or kg], in the order of the joints; zero of others.
pub(super) fn effective_inertias(bodies: &Bodies<'_>) -> Vec<f64> {
    let index: HashMap<&str, usize> =
        bodies.links.iter().enumerate().map(|(index, link)| (link.name.as_str(), index)).collect();
    let ends: Vec<[usize; 2]> = bodies
        .joints
        .iter()
        .map(|joint| [&joint.parent, &joint.child].map(|end| index[end.as_str()]))
        .collect();
    let mut poses = vec![Isometry3::identity(); bodies.links.len()];
    let mut last = vec![None; bodies.links.len()];
    let mut freedoms: Vec<Freedom> = Vec::new();
    for (number, (joint, [parent, child])) in bodies.joints.iter().zip(&ends).enumerate() {
        poses[*child] = poses[*parent] * pose_at_rest(joint);
        last[*child] = last[*parent];
        for twist in twists(joint, &poses[*child]) {
            let above = last[*child].map_or_else(Vec::new, |at: usize| freedoms[at].path.clone());
            let path = above.into_iter().chain([freedoms.len()]).collect();
            last[*child] = Some(freedoms.len());
            freedoms.push(Freedom { joint: number, twist, path });
        }
    }
    let nothing = Composite { mass: 0.0, moment: Vector3::zeros(), inertia: Matrix3::zeros() };
    let mut composites = vec![nothing; bodies.links.len()];
    for ((composite, link), pose) in composites.iter_mut().zip(&bodies.links).zip(&poses) {
        link.inertial.iter().for_each(|own| composite.add(&Composite::of(own, pose)));
    }
    // A joint comes after those that carry it.
    for [parent, child] in ends.iter().rev() {
        let carried = composites[*child];
        composites[*parent].add(&carried);
    }
    let mut rows: Vec<Vec<f64>> =
        freedoms.iter().map(|own| row(own, &freedoms, &composites, &ends)).collect();
    for (own, row) in freedoms.iter().zip(&mut rows) {
        let armature = bodies.joints[own.joint].dynamics.armature;
        row[own.path.len() - 1] += armature;
    }
    factorise(&freedoms, &mut rows);
    let mut inertias = vec![0.0; bodies.joints.len()];
    for (number, own) in freedoms.iter().enumerate() {
        if matches!(bodies.joints[own.joint].kind, JointType::Revolute | JointType::Prismatic) {
            inertias[own.joint] = 1.0 / mobility(&freedoms, &rows, number);
        }
    }
    inertias
}

/// Entries of the mass matrix of a freedom with those on its path.
fn row(own: &Freedom, freedoms: &[Freedom], composites: &[Composite], ends: &[[usize; 2]]) -> Vec<f64> {
    let [moment, momentum] = composites[ends[own.joint][1]].momentum(&own.twist);
    let entry = |&other: &usize| {
        let [angular, linear] = &freedoms[other].twist;
        angular.dot(&moment) + linear.dot(&momentum)
    };
    own.path.iter().map(entry).collect()
}

/// Lᵀ D L in place: D on the diagonal, L below it.
fn factorise(freedoms: &[Freedom], rows: &mut [Vec<f64>]) {
    for own in freedoms.iter().rev() {
        let depth = own.path.len() - 1;
        let number = own.path[depth];
        let row = std::mem::take(&mut rows[number]);
        let mut scaled = row.clone();
        for above in (0..depth).rev() {
            // Without inertia nothing is coupled with it.
            let factor = if row[depth] > 0.0 { row[above] / row[depth] } else { 0.0 };
            for (entry, own) in rows[own.path[above]].iter_mut().zip(&row) {
                *entry -= factor * own;
            }
            scaled[above] = factor;
        }
        rows[number] = scaled;
    }
}

/// Diagonal entry of the inverse of the mass matrix, xᵀ D⁻¹ x with Lᵀ x = e.
fn mobility(freedoms: &[Freedom], rows: &[Vec<f64>], number: usize) -> f64 {
    let path = &freedoms[number].path;
    let mut x = vec![0.0; path.len()];
    x[path.len() - 1] = 1.0;
    let mut sum = 0.0;
    for depth in (0..path.len()).rev() {
        let row = &rows[path[depth]];
        let value = x[depth];
        for (above, factor) in row[..depth].iter().enumerate() {
            x[above] -= factor * value;
        }
        if value.abs() > 0.0 {
            sum += value * value / row[depth];
        }
    }
    sum
}

/// Twists of the freedoms of a joint whose child is at a pose.
fn twists(joint: &JointElement, pose: &Isometry3<f64>) -> Vec<Twist> {
    let axis = joint.axis.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
    let origin = pose.translation.vector;
    let rotation = |axis: Vector3<f64>| {
        let angular = pose.rotation * axis;
        [angular, origin.cross(&angular)]
    };
    let displacement = |axis: Vector3<f64>| [Vector3::zeros(), pose.rotation * axis];
    let axes = || [Vector3::x(), Vector3::y(), Vector3::z()].into_iter();
    match joint.kind {
        JointType::Revolute => vec![rotation(axis)],
        JointType::Prismatic => vec![displacement(axis)],
        JointType::Spherical => axes().map(rotation).collect(),
        JointType::Floating => axes().map(displacement).chain(axes().map(rotation)).collect(),
        _ => Vec::new(),
    }
}

/// Child → parent where the body is in the pose of the file.
fn pose_at_rest(joint: &JointElement) -> Isometry3<f64> {
    let axis = joint.axis.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
    match joint.kind {
        JointType::Revolute => joint.origin * Isometry3::rotation(axis * joint.rest),
        JointType::Prismatic => joint.origin * Translation3::from(axis * joint.rest),
        _ => joint.origin,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::kinematics::parse_robot;
    use crate::kinematics::urdf::UrdfOptions;

    /// Model of a geared servo of a hinge, and a servo of a slide that is carried by it.
    const ARM: &str = r#"<mujoco><compiler angle="radian"/><worldbody>BEFORE
<body name="a" pos="0.1 0.2 1"><joint name="j1" axis="0 1 0" ref="0.4" damping="0.2" armature="0.03"/>
<geom type="box" size="0.2 0.05 0.04" pos="0.2 0.01 0.02" mass="2"/>
<body name="wrist" pos="0.4 0 0" euler="0.2 0 0.1"><geom type="box" size="0.03 0.03 0.05" pos="0.02 0 0.01" mass="0.5"/>
<body name="b" pos="0.05 0 0.1"><joint name="j2" axis="0.3 0.2 1" pos="0 0.02 0"/>
<geom type="box" size="0.15 0.03 0.03" pos="0.1 0 0.05" mass="1"/>
<body name="c" pos="0.2 0 0"><joint name="s3" type="slide" axis="1 0.2 0.5" damping="3"/>
<geom type="box" size="0.05 0.04 0.03" mass="0.3" pos="0 0.1 0"/></body></body></body></body>AFTER</worldbody>
<actuator><position name="p1" joint="j1" kp="300" dampratio="0.7" gear="2"/><position name="p3" joint="s3" kp="50" dampratio="1.1"/>
<general joint="j2" gaintype="fixed" gainprm="20" biastype="affine" biasprm="0 -20 0.9"/></actuator></mujoco>"#;

    /// Stiffness and damping of the servos of `j1`, `j2` and `s3`.
    fn servos(text: &str) -> Vec<[f64; 2]> {
        let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
        let robot = parse_robot(text, Path::new("m.xml"), &options).unwrap();
        let of = |name: &str| {
            let joint = robot.articulation.joints().iter().position(|own| own.name == name).unwrap();
            robot.dynamics[joint].servo.map(|servo| [servo.stiffness, servo.damping]).unwrap()
        };
        ["j1", "j2", "s3"].map(of).to_vec()
    }

    #[test]
    fn damping_ratios_are_those_of_the_inertia_that_the_joint_moves() {
        // By MuJoCo 4.0.0; the gear enters twice.
        let on_base =
            [[1200.0, 4.0 * 9.952031867228083], [20.0, 1.330326491392109], [50.0, 8.36903124115654]];
        let free = [[1200.0, 4.0 * 6.58687356246046], [20.0, 0.975434922387178], [50.0, 8.015416058038937]];
        let root =
            "<body name='root' pos='0 0 0.5'><freejoint/><geom type='box' size='0.1 0.2 0.3' mass='4'/>";
        for ([before, after], expected) in [(["", ""], on_base), ([root, "</body>"], free)] {
            let text = ARM.replace("BEFORE", before).replace("AFTER", after);
            for (found, expected) in servos(&text).iter().flatten().zip(expected.iter().flatten()) {
                assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
            }
        }
    }

    #[test]
    fn a_servo_of_one_mass_has_twice_the_root_of_stiffness_and_mass() {
        let text = |servo: &str| {
            format!(
                "<mujoco><worldbody><body name='b'><joint name='j' type='slide' armature='1'/><geom size='1' mass='3'/></body></worldbody>\
                 <actuator>{servo}</actuator></mujoco>"
            )
        };
        let damping = |servo: &str| {
            let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
            let robot = parse_robot(&text(servo), Path::new("m.xml"), &options);
            robot
                .map(|robot| robot.dynamics[0].servo.map(|servo| servo.damping))
                .map_err(|error| error.to_string())
        };
        assert_eq!(damping("<position joint='j' kp='25' dampratio='0.5'/>"), Ok(Some(10.0)));
        assert_eq!(damping("<position joint='j' kp='25' kv='7'/>"), Ok(Some(7.0)));
        let both = damping("<position joint='j' kp='25' kv='7' dampratio='1'/>");
        assert!(both.unwrap_err().ends_with("it has both `kv` and `dampratio`"));
    }
}
