//! Mobility of a point of a body or of a robot under a force: acceleration over force.

use nalgebra::{DMatrix, Matrix3, Point3, Vector3};
use rapier3d::dynamics::{Multibody, RigidBody, RigidBodyHandle, RigidBodySet};
use rapier3d::pipeline::PhysicsWorld;

use crate::rigid::inertia_times;

/// Mobility, as a fraction of the maximum one, below which the point cannot move in a direction. Less lets rounding near
/// singular configurations appear as huge masses; more ignores directions in which a heavy robot does move.
const MIN_MOBILITY: f64 = 1e-4;

/// Effective mass at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resistance {
    /// Force over acceleration [kg, world], zero in directions in which the point cannot move.
    pub(super) mass: Matrix3<f64>,
    /// Total mass that moves with the point [kg].
    pub(super) total: f64,
    /// Whether it is part of a robot.
    pub(super) jointed: bool,
}

/// Mobility of a point of a robot that rapier does not joint [1/kg], and the mass of its parts that move [kg].
pub(crate) type LinkMobility = (Matrix3<f64>, f64);

/// Effective mass at `point` [m, body frame] of a dynamic body, which is a `link` or not; `None` where it cannot move.
pub(crate) fn of(
    physics: &PhysicsWorld,
    handle: RigidBodyHandle,
    point: &Point3<f64>,
    link: Option<&LinkMobility>,
) -> Option<Resistance> {
    if let Some((mobility, total)) = link {
        return Some(Resistance { mass: inverse(mobility)?, total: *total, jointed: true });
    }
    let body = &physics.bodies[handle];
    let arm = arm(body, point);
    let Some(link) = physics.multibody_joints.rigid_body_link(handle) else {
        let mobility = Matrix3::from_diagonal_element(1.0 / body.mass()) + rotational_mobility(body, &arm)?;
        return Some(Resistance { mass: inverse(&mobility)?, total: body.mass(), jointed: false });
    };
    let multibody = physics.multibody_joints.get_multibody(link.multibody)?;
    let (mass, total) = generalized_mass(multibody, &physics.bodies);
    let column = |at: usize| {
        let jacobian = multibody.body_jacobian(link.id).column(at).into_owned();
        let angular = Vector3::new(jacobian[3], jacobian[4], jacobian[5]);
        Vector3::new(jacobian[0], jacobian[1], jacobian[2]) + angular.cross(&arm)
    };
    // J: velocity of the point for a unit velocity of each coordinate.
    let columns: Vec<Vector3<f64>> = (0..multibody.ndofs()).map(column).collect();
    let jacobian = DMatrix::from_fn(3, columns.len(), |axis, at| columns[at][axis]);
    let mobility = &jacobian * mass.cholesky()?.solve(&jacobian.transpose());
    let mass = inverse(&Matrix3::from_fn(|i, j| mobility[(i, j)]))?;
    Some(Resistance { mass, total, jointed: true })
}

/// Vector from the centre of mass to a point [m, world axes].
pub(crate) fn arm(body: &RigidBody, point: &Point3<f64>) -> Vector3<f64> {
    let world: Vector3<f64> = body.position().transform_point(point.coords.into()).into();
    world - Vector3::from(body.center_of_mass())
}

/// −[r]× I⁻¹ [r]×: mobility of a point by rotation of its body.
fn rotational_mobility(body: &RigidBody, arm: &Vector3<f64>) -> Option<Matrix3<f64>> {
    let columns = [0, 1, 2].map(|axis| inertia_times(body, &Vector3::ith(axis, 1.0)));
    let inverse = Matrix3::from_columns(&columns).try_inverse()?;
    Some(-arm.cross_matrix() * inverse * arm.cross_matrix())
}

/// Inverse over the directions in which there is mobility; `None` where there is none.
fn inverse(mobility: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    // Rounding leaves the mobility slightly unsymmetric.
    let symmetric = 0.5 * (mobility + mobility.transpose());
    let eigen = symmetric.symmetric_eigen();
    let max = eigen.eigenvalues.max();
    if !(max > 0.0 && max.is_finite()) {
        return None;
    }
    let inverted = eigen.eigenvalues.map(|value| if value > MIN_MOBILITY * max { 1.0 / value } else { 0.0 });
    Some(eigen.eigenvectors * Matrix3::from_diagonal(&inverted) * eigen.eigenvectors.transpose())
}

/// Mass matrix of the generalized coordinates of a robot, and the mass of its parts that move [kg].
fn generalized_mass(multibody: &Multibody, bodies: &RigidBodySet) -> (DMatrix<f64>, f64) {
    let count = multibody.ndofs();
    let (mut mass, mut total) = (DMatrix::zeros(count, count), 0.0);
    for (index, link) in multibody.links().enumerate() {
        let body = &bodies[link.rigid_body_handle()];
        if !body.is_dynamic() {
            continue;
        }
        total += body.mass();
        let jacobian = multibody.body_jacobian(index);
        let parts = |at: usize| {
            let column = jacobian.column(at).into_owned();
            [Vector3::new(column[0], column[1], column[2]), Vector3::new(column[3], column[4], column[5])]
        };
        let parts: Vec<_> = (0..count).map(parts).collect();
        for (j, [linear, angular]) in parts.iter().enumerate() {
            let spin = inertia_times(body, angular);
            for (i, other) in parts.iter().enumerate() {
                mass[(i, j)] += body.mass() * other[0].dot(linear) + other[1].dot(&spin);
            }
        }
    }
    (mass, total)
}
