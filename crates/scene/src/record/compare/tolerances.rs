//! Tolerances of a comparison.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use serde_json::{Map, Value, json};

use super::Quantity;
use crate::record::RecordError;

/// Largest accepted differences, relative to scales, one for each quantity.
///
/// | quantity | is relative to | default |
/// |---|---|---|
/// | `position`, `nodes`, `penetration` | length of the scene | 1e-6 |
/// | `rotation` | 1 rad | 1e-6 |
/// | `linear_velocity` | speed of the scene | 1e-5 |
/// | `angular_velocity` | speed of the scene over the size of its smallest body | 1e-5 |
/// | `joint` | 1 rad; length of the scene where the joint slides | 1e-6 |
/// | `volume` | the volume itself | 1e-6 |
/// | `energy` | energy of the scene | 1e-6 |
/// | `contacts` | the number itself, but four contacts (a manifold) always pass | 0.1 |
/// | `inverted` | one element | 0 |
///
/// The scales of a scene are described at [`Scales`](super::Scales). The defaults are far above the effect of rounding on a motion that is
/// not chaotic, and far below a visible difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances([f64; Quantity::COUNT]);

fn settable() -> impl Iterator<Item = Quantity> {
    Quantity::ALL.into_iter().filter(|&quantity| quantity != Quantity::Presence)
}

impl Default for Tolerances {
    fn default() -> Self {
        Self(Quantity::ALL.map(|quantity| match quantity {
            Quantity::Presence | Quantity::Inverted => 0.0,
            Quantity::LinearVelocity | Quantity::AngularVelocity => 1e-5,
            Quantity::Contacts => 0.1,
            _ => 1e-6,
        }))
    }
}

impl Tolerances {
    /// Word for a quantity that is not compared.
    pub const ANY: &str = "any";

    /// The tolerance of a quantity; infinite where it is not compared.
    #[must_use]
    pub fn of(&self, quantity: Quantity) -> f64 {
        self.0[quantity as usize]
    }

    /// The same tolerances with another one for a quantity.
    #[must_use]
    pub fn with(mut self, quantity: Quantity, tolerance: f64) -> Self {
        self.0[quantity as usize] = tolerance;
        self
    }

    /// Sets the tolerance of a quantity by name, with the value as text, and returns the quantity.
    ///
    /// ```
    /// use extricate_scene::record::compare::{Quantity, Tolerances};
    ///
    /// let mut tolerances = Tolerances::default();
    /// tolerances.set("position", "1e-3")?;
    /// tolerances.set("contacts", "any")?;
    /// assert_eq!(tolerances.of(Quantity::Position), 1e-3);
    /// assert!(tolerances.set("colour", "1").is_err());
    /// # Ok::<(), extricate_scene::record::RecordError>(())
    /// ```
    ///
    /// # Errors
    /// [`RecordError`] when the quantity is unknown, or the value is negative or not a number.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Quantity, RecordError> {
        let known = || settable().map(Quantity::name).collect::<Vec<_>>().join(", ");
        let quantity = settable()
            .find(|quantity| quantity.name() == name)
            .ok_or_else(|| RecordError::UnknownQuantity { name: name.to_owned(), known: known() })?;
        let wrong = || RecordError::Tolerance { quantity: quantity.name(), value: value.to_owned() };
        let tolerance = match value {
            Self::ANY => f64::INFINITY,
            _ => value.parse::<f64>().ok().filter(|t| t.is_finite() && *t >= 0.0).ok_or_else(wrong)?,
        };
        self.0[quantity as usize] = tolerance;
        Ok(quantity)
    }
}

impl Serialize for Tolerances {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json::serialize(&settable().map(|quantity| (quantity, self.of(quantity))).collect(), serializer)
    }
}

/// Missing quantities have their default tolerances.
impl<'de> Deserialize<'de> for Tolerances {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given: BTreeMap<Quantity, f64> = json::deserialize(deserializer)?;
        Ok(given.into_iter().fold(Self::default(), |tolerances, (quantity, x)| tolerances.with(quantity, x)))
    }
}

/// A non-negative number, or the word for a quantity that is not compared, for each quantity.
impl JsonSchema for Tolerances {
    fn schema_name() -> Cow<'static, str> {
        "Tolerances".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let tolerance = json!({ "oneOf": [{ "type": "number", "minimum": 0 }, { "const": Self::ANY }] });
        let properties: Map<String, Value> =
            settable().map(|quantity| (quantity.name().to_owned(), tolerance.clone())).collect();
        json_schema!({ "type": "object", "properties": properties })
    }
}

/// JSON of tolerances by quantity: a number, or `any`.
pub(in crate::record) mod json {
    use serde::de::Error as _;
    use serde_json::Value;

    use super::{BTreeMap, Deserializer, Quantity, Serializer, Tolerances};
    use crate::state::unique;

    pub(in crate::record) fn serialize<S: Serializer>(
        tolerances: &BTreeMap<Quantity, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let value = |x: f64| if x.is_finite() { Value::from(x) } else { Value::from(Tolerances::ANY) };
        serializer.collect_map(tolerances.iter().map(|(quantity, x)| (quantity, value(*x))))
    }

    pub(in crate::record) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Quantity, f64>, D::Error> {
        let mut tolerances = Tolerances::default();
        let set = |(name, value): (String, Value)| {
            // Numbers go through text as well, so that files and the command line accept the same values.
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let quantity = tolerances.set(&name, &text).map_err(D::Error::custom)?;
            Ok((quantity, tolerances.of(quantity)))
        };
        unique::<String, Value, D>(deserializer)?.into_iter().map(set).collect()
    }
}
