//! Continuous collision queries of deforming meshes [Lin17 §40.3].

use super::contact::{DeformingContact, DeformingOptions};
use super::model::DeformingModel;
use super::query::DeformingQuery;
use crate::proximity::error::ProximityError;

/// Whether `model` comes into contact with itself during its step, adjacent features excluded. `false` is a proof. See
/// [`DeformingModel::new`] for an example.
///
/// # Errors
/// [`ProximityError::Option`] when an option is negative or NaN; [`ProximityError::OutOfTime`] when the time budget passes before the answer is
/// known.
pub fn self_collides(model: &DeformingModel, options: &DeformingOptions) -> Result<bool, ProximityError> {
    DeformingQuery::within(model, options)?.any()
}

/// Appends every pair of features of `model` that come into contact during its step, sorted by features; each pair once.
///
/// ```
/// use extricate_core::geometry::TriangleMesh;
/// use extricate_core::proximity::deforming::{DeformingModel, DeformingOptions, self_contacts};
/// use nalgebra::Point3;
///
/// // A small triangle above a large one falls through it.
/// let corner = |x, y, z| Point3::new(x, y, z);
/// let mut places = vec![corner(-9.0, -9.0, 0.0), corner(9.0, -9.0, 0.0), corner(0.0, 9.0, 0.0)];
/// places.extend([corner(0.0, 0.0, 1.0), corner(1.0, 0.0, 2.0), corner(0.0, 1.0, 3.0)]);
/// let mesh = TriangleMesh::new(places.clone(), vec![[0, 1, 2], [3, 4, 5]])?;
/// let mut model = DeformingModel::new(&mesh)?;
/// places[3..].iter_mut().for_each(|p| p.z -= 4.0);
/// model.move_to(&places)?;
/// let mut contacts = Vec::new();
/// self_contacts(&model, &DeformingOptions::default(), &mut contacts)?;
/// let times = contacts.iter().map(|c| c.contact.time).collect::<Vec<_>>();
/// assert!((times[0] - 0.25).abs() < 1e-12 && times.len() == 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`self_collides`].
pub fn self_contacts(
    model: &DeformingModel,
    options: &DeformingOptions,
    contacts: &mut Vec<DeformingContact>,
) -> Result<(), ProximityError> {
    DeformingQuery::within(model, options)?.all(contacts)
}

/// First contact of `model` with itself during its step; of simultaneous ones that with the lowest features. `None` is a
/// proof that there is none.
///
/// ```
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::deforming::{DeformingModel, DeformingOptions, first_self_contact};
///
/// // A cube that is mirrored through a plane meets itself halfway, when it is flat.
/// let cube = Cuboid::default().mesh()?;
/// let mut model = DeformingModel::new(&cube)?;
/// let mirrored = cube.vertices().iter().map(|p| nalgebra::Point3::new(p.x, p.y, -p.z)).collect::<Vec<_>>();
/// model.move_to(&mirrored)?;
/// let first = first_self_contact(&model, &DeformingOptions::default())?.expect("it is flat halfway");
/// assert!((first.contact.time - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`self_collides`].
pub fn first_self_contact(
    model: &DeformingModel,
    options: &DeformingOptions,
) -> Result<Option<DeformingContact>, ProximityError> {
    DeformingQuery::within(model, options)?.first()
}

/// Whether the surfaces of `a` and `b` come into contact during their steps.
///
/// ```
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::deforming::{DeformingModel, DeformingOptions, collides};
/// use nalgebra::Isometry3;
///
/// let cube = Cuboid::default().mesh()?;
/// let at = |x| Isometry3::translation(x, 0.1, 0.2);
/// let wall = DeformingModel::moved(&cube, &at(0.0), &at(0.0))?;
/// let bullet = DeformingModel::moved(&cube, &at(-50.0), &at(50.0))?;
/// assert!(collides(&bullet, &wall, &DeformingOptions::default())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`self_collides`].
pub fn collides(
    a: &DeformingModel,
    b: &DeformingModel,
    options: &DeformingOptions,
) -> Result<bool, ProximityError> {
    DeformingQuery::between(a, b, options)?.any()
}

/// Appends every pair of features of `a` and `b` that come into contact during their steps, sorted by features; each
/// pair once.
///
/// ```
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::deforming::{DeformingModel, DeformingOptions, contacts};
/// use nalgebra::Isometry3;
///
/// let cube = Cuboid::default().mesh()?;
/// let at = |x| Isometry3::translation(x, 0.1, 0.2);
/// let wall = DeformingModel::moved(&cube, &at(0.0), &at(0.0))?;
/// let guest = DeformingModel::moved(&cube, &at(-3.0), &at(-0.5))?;
/// let mut found = Vec::new();
/// contacts(&guest, &wall, &DeformingOptions::default(), &mut found)?;
/// let [on_guest, on_wall] = found[0].witnesses(&guest, &wall);
/// assert!((on_guest - on_wall).norm() < 1e-9 && (on_wall.x + 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`self_collides`].
pub fn contacts(
    a: &DeformingModel,
    b: &DeformingModel,
    options: &DeformingOptions,
    contacts: &mut Vec<DeformingContact>,
) -> Result<(), ProximityError> {
    DeformingQuery::between(a, b, options)?.all(contacts)
}

/// First contact of the surfaces of `a` and `b` during their steps; of simultaneous ones that with the lowest features.
/// `None` is a proof that there is none. One surface inside the other is not a contact as long as they do not touch.
///
/// ```
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::proximity::deforming::{DeformingModel, DeformingOptions, first_contact};
/// use nalgebra::Isometry3;
///
/// let cube = Cuboid::default().mesh()?;
/// let at = |x| Isometry3::translation(x, 0.1, 0.2);
/// let wall = DeformingModel::moved(&cube, &at(0.0), &at(0.0))?;
/// let guest = DeformingModel::moved(&cube, &at(-3.0), &at(1.0))?;
/// let first = first_contact(&guest, &wall, &DeformingOptions::default())?.expect("the wall is in its path");
/// assert!((first.contact.time - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`self_collides`].
pub fn first_contact(
    a: &DeformingModel,
    b: &DeformingModel,
    options: &DeformingOptions,
) -> Result<Option<DeformingContact>, ProximityError> {
    DeformingQuery::between(a, b, options)?.first()
}
