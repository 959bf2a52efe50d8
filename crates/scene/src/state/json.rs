//! JSON of states: a list sorted by name is an object of values by name, rotations are w, x, y, z.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use nalgebra::{Isometry3, Point3, Vector3};
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::components::{quaternion, rotation};
use super::reading::ReadingValue;
use super::soft_state::{SoftState, SoftValues};
use extricate_dynamics::{BodyState, Energy, RobotState};

/// An entry of a list that is sorted by name.
pub(crate) trait Named {
    /// The name, which is unique in its list.
    fn name(&self) -> &str;
}

/// The entry of a name.
pub(crate) fn find<'a, T: Named>(list: &'a [T], name: &str) -> Option<&'a T> {
    list.binary_search_by(|entry| entry.name().cmp(name)).ok().map(|at| &list[at])
}

/// The entry of a name, mutable.
pub(crate) fn find_mut<'a, T: Named>(list: &'a mut [T], name: &str) -> Option<&'a mut T> {
    list.binary_search_by(|entry| entry.name().cmp(name)).ok().map(|at| &mut list[at])
}

/// Inserts an entry in order; returns the one of the same name that it replaces.
pub(crate) fn insert<T: Named>(list: &mut Vec<T>, entry: T) -> Option<T> {
    match list.binary_search_by(|other| other.name().cmp(entry.name())) {
        Ok(at) => Some(std::mem::replace(&mut list[at], entry)),
        Err(at) => {
            list.insert(at, entry);
            None
        }
    }
}

/// An entry with the value that is stored in JSON under its name.
pub(super) trait Entry: Named {
    /// The value without the name.
    type Value: Serialize + DeserializeOwned;

    fn value(&self) -> Self::Value;
    fn of(name: String, value: Self::Value) -> Self;
}

pub(super) fn serialize<T: Entry, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|entry| (entry.name(), entry.value())))
}

pub(super) fn deserialize<'de, T: Entry, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let values: BTreeMap<String, T::Value> = unique(deserializer)?;
    Ok(values.into_iter().map(|(name, value)| T::of(name, value)).collect())
}

/// The entries of an object; duplicate keys are refused, of which JSON maps keep the last.
pub(crate) fn unique<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: Deserialize<'de> + Ord + fmt::Debug,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(Unique(PhantomData))
}

struct Unique<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord + fmt::Debug, V: Deserialize<'de>> Visitor<'de> for Unique<K, V> {
    type Value = BTreeMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(key) = entries.next_key::<K>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            map.insert(key, entries.next_value()?);
        }
        Ok(map)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct BodyValue {
    /// Position of the origin [m].
    #[schemars(with = "[f64; 3]")]
    position: Point3<f64>,
    /// Unit quaternion w, x, y, z.
    rotation: [f64; 4],
    /// Velocity of the centre of mass [m/s].
    #[schemars(with = "[f64; 3]")]
    linear_velocity: Vector3<f64>,
    /// Angular velocity [rad/s].
    #[schemars(with = "[f64; 3]")]
    angular_velocity: Vector3<f64>,
}

impl Named for BodyState {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Entry for BodyState {
    type Value = BodyValue;

    fn value(&self) -> BodyValue {
        let Self { position, linear_velocity, angular_velocity, .. } = *self;
        BodyValue { position, rotation: quaternion(&self.rotation), linear_velocity, angular_velocity }
    }

    fn of(name: String, value: BodyValue) -> Self {
        let BodyValue { position, rotation: components, linear_velocity, angular_velocity } = value;
        Self { name, position, rotation: rotation(components), linear_velocity, angular_velocity }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct RobotValue {
    /// Values of all movable joints, by name [rad or m].
    #[serde(deserialize_with = "unique")]
    joints: BTreeMap<String, f64>,
    /// Pose of the root link.
    base: BaseValue,
    /// Values of its sensors in the step that led to the state, by name; missing where it has none, and at the start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "unique")]
    sensors: BTreeMap<String, ReadingValue>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct BaseValue {
    /// Position of the origin [m].
    #[schemars(with = "[f64; 3]")]
    translation: Vector3<f64>,
    /// Unit quaternion w, x, y, z.
    rotation: [f64; 4],
}

/// Energy as recorded.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Energy")]
pub(super) struct EnergyValue {
    /// Kinetic energy of the dynamic and the soft bodies [J].
    #[schemars(range(min = 0.0))]
    kinetic: f64,
    /// Potential energy of the dynamic and the soft bodies [J], zero at the world's origin.
    potential: f64,
    /// Energy stored in the elements of soft bodies [J].
    elastic: f64,
}

impl Named for RobotState {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Entry for RobotState {
    type Value = RobotValue;

    fn value(&self) -> RobotValue {
        let Isometry3 { translation, rotation } = &self.base;
        let base = BaseValue { translation: translation.vector, rotation: quaternion(rotation) };
        let sensors = self.sensors.iter().map(|(name, reading)| (name.clone(), (*reading).into()));
        RobotValue { joints: self.joints.clone(), base, sensors: sensors.collect() }
    }

    fn of(name: String, RobotValue { joints, base, sensors }: RobotValue) -> Self {
        let base = Isometry3::from_parts(base.translation.into(), rotation(base.rotation));
        let sensors = sensors.into_iter().map(|(name, value)| (name, value.into())).collect();
        Self { name, joints, velocities: BTreeMap::new(), efforts: BTreeMap::new(), base, sensors }
    }
}

impl Named for SoftState {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Entry for SoftState {
    type Value = SoftValues;

    fn value(&self) -> SoftValues {
        self.state.clone()
    }

    fn of(name: String, state: SoftValues) -> Self {
        Self { name, state, rest_volume: 0.0, nodes: Vec::new(), velocities: Vec::new() }
    }
}
