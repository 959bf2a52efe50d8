//! Configurations in which the loops of a robot are closed.
//!
//! Gauss–Newton steps of smallest norm on the gaps of the loops: rotations count by the extent of the robot, the farthest origin of a link from its root. A
//! joint that meets its limit stays there.

use nalgebra::{DMatrix, DVector, Isometry3, Point3};

use super::articulation::joint::JointKind;
use super::articulation::tree::Articulation;
use super::closure::{Closure, ClosureKind};
use super::error::RobotError;

/// Maximum number of steps. Those that converge need fewer than ten.
const MAX_STEPS: usize = 60;
/// Gap over the extent at which loops are as closed as the kinematics can say.
const CLOSED: f64 = 1e-14;
/// The same where no step reduces it any more.
const ROUNDED: f64 = 1e-11;
/// The same that counts as closed.
const NEARLY_CLOSED: f64 = 1e-6;
/// Singular value over the largest one below which a direction moves nothing. Smaller lets dead centres cause steps without bound.
const SINGULAR: f64 = 1e-9;
/// Longest step [rad or extents]: larger leave the assembly of the start.
const MAX_STEP: f64 = 0.5;

/// Index of a loop that is open, with the distance of its frames \[m\] and the angle between them \[rad\].
pub type OpenLoop = (usize, [f64; 2]);

/// The widest loop of a robot that is open in a configuration, by more than a millionth of its extent.
///
/// # Errors
/// [`RobotError`] when the configuration does not fit the articulation.
pub fn opening(
    articulation: &Articulation,
    closures: &[Closure],
    configuration: &[f64],
) -> Result<Option<OpenLoop>, RobotError> {
    if closures.is_empty() {
        return Ok(None);
    }
    let loops = Loops::new(articulation, closures, configuration)?;
    // Negated, so that NaN is open.
    let open = loops.widest().filter(|(_, gap)| !(loops.size(gap) <= NEARLY_CLOSED * loops.extent));
    Ok(open)
}

/// The nearest configuration, within the limits of the joints, in which all loops are closed; coordinates in `kept` stay. Of several assemblies it is the
/// one near the given configuration.
///
/// # Errors
/// [`RobotError`] when the configuration does not fit the articulation; within, the widest loop of the best configuration found where none
/// closes all.
pub fn close_loops(
    articulation: &Articulation,
    closures: &[Closure],
    (configuration, kept): (&[f64], &[usize]),
) -> Result<Result<Vec<f64>, OpenLoop>, RobotError> {
    let mut q = configuration.to_vec();
    if closures.is_empty() {
        return Ok(Ok(q));
    }
    let limits: Vec<_> =
        articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].limits).collect();
    let mut is_fixed: Vec<bool> = (0..q.len()).map(|at| kept.contains(&at)).collect();
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..MAX_STEPS {
        let loops = Loops::new(articulation, closures, &q)?;
        let gap = loops.gaps.amax();
        if best.as_ref().is_none_or(|(smallest, _)| gap < *smallest) {
            best = Some((gap, q.clone()));
        } else if gap <= ROUNDED * loops.extent {
            // It no longer falls: rounding.
            break;
        }
        if gap <= CLOSED * loops.extent {
            break;
        }
        let Some(step) = loops.step(&is_fixed) else { break };
        let longest = step.iter().zip(loops.scales()).map(|(x, scale)| x.abs() / scale).fold(0.0, f64::max);
        let fraction = if longest > MAX_STEP { MAX_STEP / longest } else { 1.0 };
        for (at, x) in step.iter().enumerate() {
            let to = q[at] + fraction * x;
            q[at] = limits[at].map_or(to, |[lower, upper]| to.max(lower).min(upper));
            is_fixed[at] |= (q[at] - to).abs() > 0.0;
        }
    }
    let (_, q) = best.unwrap_or_default();
    Ok(match opening(articulation, closures, &q)? {
        Some(open) => Err(open),
        None => Ok(q),
    })
}

/// The gaps of the loops in a configuration.
struct Loops<'a> {
    articulation: &'a Articulation,
    closures: &'a [Closure],
    /// Of each loop its three translations \[m\] and, of a weld, its rotations times the extent.
    gaps: DVector<f64>,
    jacobian: DMatrix<f64>,
    extent: f64,
}

impl<'a> Loops<'a> {
    fn new(
        articulation: &'a Articulation,
        closures: &'a [Closure],
        configuration: &[f64],
    ) -> Result<Self, RobotError> {
        let placed = articulation.placed(configuration, &Isometry3::identity())?;
        let reach = placed.poses().iter().map(|pose| pose.translation.vector.norm()).fold(0.0, f64::max);
        let of_frames = closures.iter().flat_map(|closure| &closure.frames);
        let extent = of_frames.map(|frame| frame.translation.vector.norm()).fold(reach, f64::max);
        let rows: usize = closures.iter().map(rows_of).sum();
        let columns = configuration.len();
        let (mut gaps, mut jacobian) = (DVector::zeros(rows), DMatrix::zeros(rows, columns));
        let mut row = 0;
        for closure in closures {
            let count = rows_of(closure);
            let links = closure.links.each_ref().map(|link| articulation.link(link));
            if let [Some(a), Some(b)] = links {
                let [first, second] =
                    [(a, 0), (b, 1)].map(|(link, side)| placed.poses()[link] * closure.frames[side]);
                let points = [first, second].map(|frame| Point3::from(frame.translation.vector));
                gaps.fixed_rows_mut::<3>(row).copy_from(&(points[1] - points[0]));
                let moved = placed.point_jacobian(b, &points[1]) - placed.point_jacobian(a, &points[0]);
                jacobian.fixed_rows_mut::<3>(row).copy_from(&moved);
                if count == 6 {
                    let between = (first.rotation.inverse() * second.rotation).scaled_axis();
                    gaps.fixed_rows_mut::<3>(row + 3).copy_from(&(first.rotation * between * extent));
                    let rotated = placed.link_jacobian(b) - placed.link_jacobian(a);
                    let rotated = rotated.fixed_rows::<3>(3) * extent;
                    jacobian.fixed_rows_mut::<3>(row + 3).copy_from(&rotated);
                }
            }
            row += count;
        }
        Ok(Self { articulation, closures, gaps, jacobian, extent })
    }

    /// Unit of each coordinate: a radian, or the extent.
    fn scales(&self) -> Vec<f64> {
        let is_translation =
            |joint: usize| matches!(self.articulation.joints()[joint].kind, JointKind::Prismatic { .. });
        let coordinates = self.articulation.coordinates().iter();
        coordinates.map(|&joint| if is_translation(joint) { self.extent } else { 1.0 }).collect()
    }

    /// The smallest change of the coordinates that are not fixed, in their units, that closes the linearised loops.
    fn step(&self, is_fixed: &[bool]) -> Option<Vec<f64>> {
        let numbers = self.gaps.iter().chain(self.jacobian.iter());
        if !numbers.into_iter().all(|x| x.is_finite()) {
            return None;
        }
        let scales = self.scales();
        let mut scaled = self.jacobian.clone();
        for (at, scale) in scales.iter().enumerate() {
            scaled.column_mut(at).scale_mut(if is_fixed[at] { 0.0 } else { *scale });
        }
        let decomposition = scaled.svd(true, true);
        let largest = decomposition.singular_values.amax();
        let step = decomposition.solve(&-&self.gaps, SINGULAR * largest).ok()?;
        let step: Vec<f64> = step.iter().zip(&scales).map(|(x, scale)| x * scale).collect();
        step.iter().all(|x| x.is_finite()).then_some(step)
    }

    /// The widest loop.
    fn widest(&self) -> Option<OpenLoop> {
        let mut row = 0;
        let mut widest: Option<OpenLoop> = None;
        for (index, closure) in self.closures.iter().enumerate() {
            let count = rows_of(closure);
            let translation = self.gaps.rows(row, 3).norm();
            let rotation = if count == 6 { self.gaps.rows(row + 3, 3).norm() / self.extent } else { 0.0 };
            let gap = [translation, if rotation.is_finite() { rotation } else { 0.0 }];
            if widest.is_none_or(|(_, other)| self.size(&gap) > self.size(&other)) {
                widest = Some((index, gap));
            }
            row += count;
        }
        widest
    }

    fn size(&self, [translation, rotation]: &[f64; 2]) -> f64 {
        if translation.is_nan() { *translation } else { translation.max(rotation * self.extent) }
    }
}

/// Number of rows of a loop.
fn rows_of(closure: &Closure) -> usize {
    match closure.kind {
        ClosureKind::Point => 3,
        ClosureKind::Weld => 6,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::kinematics::parse_robot;
    use crate::kinematics::urdf::UrdfOptions;

    /// A parallelogram: two cranks of 1 m whose tips a coupler of 2 m connects.
    const PARALLELOGRAM: &str = r#"<mujoco>
        <compiler angle="radian"/>
        <worldbody>
            <body name="crank"><joint name="A" axis="0 0 1"/><geom type="sphere" size="0.1" pos="0 0.5 0"/>
                <body name="coupler" pos="0 1 0"><joint name="B" axis="0 0 1"/><geom type="sphere" size="0.1" pos="1 0 0"/></body>
            </body>
            <body name="rocker" pos="2 0 0"><joint name="D" axis="0 0 1" range="-1 1" limited="true"/><geom type="sphere" size="0.1" pos="0 0.5 0"/></body>
        </worldbody>
        <equality><connect name="C" body1="coupler" body2="rocker" anchor="2 0 0"/></equality>
    </mujoco>"#;

    #[test]
    fn a_parallelogram_follows_its_crank_as_far_as_limits_let_it() {
        let robot = parse_robot(PARALLELOGRAM, Path::new("robot.xml"), &UrdfOptions::default()).unwrap();
        let (articulation, closures) = (&robot.articulation, &robot.closures[..]);
        assert_eq!(opening(articulation, closures, &[0.0; 3]).unwrap(), None);
        let open = opening(articulation, closures, &[0.4, 0.0, 0.0]).unwrap();
        let (0, [distance, 0.0]) = open.unwrap() else { panic!("{open:?}") };
        // The tip of the coupler: (2 cos 0.4 − sin 0.4, cos 0.4 + 2 sin 0.4), away from (2, 1).
        let [x, y] = [2.0 * 0.4_f64.cos() - 0.4_f64.sin(), 0.4_f64.cos() + 2.0 * 0.4_f64.sin()];
        assert!((distance - (x - 2.0).hypot(y - 1.0)).abs() < 1e-14);
        let closed = close_loops(articulation, closures, (&[0.4, 0.0, 0.0], &[0])).unwrap().unwrap();
        for (value, expected) in closed.iter().zip([0.4, -0.4, 0.4]) {
            assert!((value - expected).abs() < 1e-13, "{closed:?}");
        }
        // The rocker ends at 1 rad.
        let beyond = close_loops(articulation, closures, (&[1.2, -1.2, 0.0], &[0])).unwrap();
        let (0, [distance, _]) = beyond.unwrap_err() else { panic!() };
        // Crank and rocker hold their tips, and the coupler of 2 m points from one to the other.
        let [x, y] = [2.0 + 1.2_f64.sin() - 1.0_f64.sin(), 1.0_f64.cos() - 1.2_f64.cos()];
        assert!((distance - (x.hypot(y) - 2.0)).abs() < 1e-6, "{distance}");
    }
}
