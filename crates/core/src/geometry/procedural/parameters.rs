//! Parameters of procedural meshes: one declaration generates the struct, its defaults and its access by name.

use std::collections::BTreeMap;

use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Maximum number of triangles of a mesh: about a gigabyte.
const MAX_TRIANGLES: u64 = 10_000_000;

/// Kind of procedural mesh: its parameters, and the mesh built from them.
pub trait Procedural: Default {
    /// Name, in snake case.
    const KIND: &'static str;
    /// Description, one paragraph.
    const ABOUT: &'static [&'static str];
    /// Its parameters, in order of declaration.
    const PARAMETERS: &'static [Parameter];

    /// Sets parameters by name; omitted ones have their defaults.
    ///
    /// # Errors
    /// [`ShapeError::UnknownParameter`], or [`ShapeError::OutOfRange`] for a count that is not an integer.
    fn from_parameters(parameters: &BTreeMap<String, f64>) -> Result<Self, ShapeError>;

    /// Builds the mesh.
    ///
    /// # Errors
    /// [`ShapeError`] when a parameter is out of its range.
    fn mesh(&self) -> Result<TriangleMesh, ShapeError>;
}

/// Parameter of a kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Name, in snake case.
    pub name: &'static str,
    /// Default value.
    pub default: f64,
    /// Whether it is a count, which must be an integer.
    pub is_count: bool,
    /// Meaning and unit, lines of one paragraph.
    pub about: &'static [&'static str],
}

/// Kind of procedural mesh, as data.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Name, in snake case.
    pub name: &'static str,
    /// Description, lines of one paragraph.
    pub about: &'static [&'static str],
    /// Its parameters.
    pub parameters: &'static [Parameter],
    build: fn(&BTreeMap<String, f64>) -> Result<TriangleMesh, ShapeError>,
}

impl Kind {
    /// The kind as data.
    pub(super) const fn of<P: Procedural>() -> Self {
        Self {
            name: P::KIND,
            about: P::ABOUT,
            parameters: P::PARAMETERS,
            build: |parameters| P::from_parameters(parameters)?.mesh(),
        }
    }

    /// Builds the mesh from parameters by name.
    pub(super) fn build(&self, parameters: &BTreeMap<String, f64>) -> Result<TriangleMesh, ShapeError> {
        (self.build)(parameters)
    }
}

/// A type that a parameter can have.
pub(super) trait Value: Copy {
    const IS_COUNT: bool;
    const EXPECTED: &'static str;
    fn from_number(number: f64) -> Option<Self>;
}

impl Value for f64 {
    const IS_COUNT: bool = false;
    const EXPECTED: &'static str = "a finite number";
    fn from_number(number: f64) -> Option<Self> {
        number.is_finite().then_some(number)
    }
}

impl Value for u32 {
    const IS_COUNT: bool = true;
    const EXPECTED: &'static str = "a whole number, not negative";
    fn from_number(number: f64) -> Option<Self> {
        let is_count = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
        is_count.then_some(number as u32)
    }
}

/// Sets one parameter from a number.
pub(super) fn set<V: Value>(
    kind: &'static str,
    parameter: &'static str,
    slot: &mut V,
    value: f64,
) -> Result<(), ShapeError> {
    let error =
        ShapeError::OutOfRange { shape: kind, quantity: parameter, value, unit: "", expected: V::EXPECTED };
    *slot = V::from_number(value).ok_or(error)?;
    Ok(())
}

/// Error for a parameter that does not exist.
pub(super) fn unknown(kind: &'static str, name: &str, known: &[Parameter]) -> ShapeError {
    let known = known.iter().map(|parameter| parameter.name).chain([self::SCALE]);
    ShapeError::UnknownParameter {
        kind,
        parameter: name.to_owned(),
        known: known.collect::<Vec<_>>().join(", "),
    }
}

/// Checks of the parameters of a kind.
pub(super) struct Checks {
    kind: &'static str,
}

impl Checks {
    pub(super) const fn of<P: Procedural>() -> Self {
        Self { kind: P::KIND }
    }

    /// Requires that the value meets the condition, which must be false for NaN.
    pub(super) fn require(
        &self,
        parameter: &'static str,
        value: f64,
        holds: bool,
        expected: &'static str,
    ) -> Result<(), ShapeError> {
        let (shape, quantity) = (self.kind, parameter);
        let error = ShapeError::OutOfRange { shape, quantity, value, unit: "", expected };
        if holds && value.is_finite() { Ok(()) } else { Err(error) }
    }

    /// Requires positive lengths.
    pub(super) fn positive<const N: usize>(
        &self,
        lengths: [(&'static str, f64); N],
    ) -> Result<(), ShapeError> {
        lengths.into_iter().try_for_each(|(name, value)| self.require(name, value, value > 0.0, "positive"))
    }

    /// Requires a count of at least `min`.
    pub(super) fn at_least(
        &self,
        parameter: &'static str,
        count: u32,
        min: u32,
        expected: &'static str,
    ) -> Result<(), ShapeError> {
        self.require(parameter, f64::from(count), count >= min, expected)
    }

    /// Requires a number of triangles that can be handled; the product of the factors is an upper bound of it.
    pub(super) fn triangles<const N: usize>(&self, factors: [u32; N]) -> Result<(), ShapeError> {
        let triangles = factors.into_iter().fold(1_u64, |product, x| product.saturating_mul(x.into()));
        if triangles > MAX_TRIANGLES {
            let (elements, limit) = ("triangles", MAX_TRIANGLES);
            return Err(ShapeError::TooLarge { elements, count: triangles, limit });
        }
        Ok(())
    }

    /// Requires a tube that does not intersect itself: its radius must be below the clearance.
    pub(super) fn no_self_intersection(&self, radius: f64, clearance: f64) -> Result<(), ShapeError> {
        if radius < clearance {
            return Ok(());
        }
        Err(ShapeError::SelfIntersecting { kind: self.kind, radius, clearance })
    }
}

/// Declares the parameters of a kind: the documentation of struct and fields is also the help text of the command line.
macro_rules! procedural {
    (
        $kind:literal
        $(#[doc = $about:literal])+
        pub struct $name:ident {
            $( $(#[doc = $help:literal])+ $field:ident: $type:ty = $default:expr, )+
        }
        mesh = $mesh:path
    ) => {
        $(#[doc = $about])+
        #[allow(rustdoc::broken_intra_doc_links, reason = "units are not escaped: help texts print these lines")]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            $( $(#[doc = $help])+ pub $field: $type, )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )+ }
            }
        }

        impl $crate::geometry::procedural::Procedural for $name {
            const KIND: &'static str = $kind;
            const ABOUT: &'static [&'static str] = &[$($about),+];
            const PARAMETERS: &'static [$crate::geometry::procedural::Parameter] = &[$(
                $crate::geometry::procedural::Parameter {
                    name: stringify!($field),
                    default: $default as f64,
                    is_count: <$type as $crate::geometry::procedural::parameters::Value>::IS_COUNT,
                    about: &[$($help),+],
                },
            )+];

            fn from_parameters(
                parameters: &std::collections::BTreeMap<String, f64>,
            ) -> Result<Self, $crate::geometry::shape_error::ShapeError> {
                use $crate::geometry::procedural::parameters::{set, unknown};
                let mut shape = Self::default();
                for (name, &value) in parameters {
                    match name.as_str() {
                        $( stringify!($field) => set($kind, stringify!($field), &mut shape.$field, value)?, )+
                        _ => return Err(unknown($kind, name, Self::PARAMETERS)),
                    }
                }
                Ok(shape)
            }

            fn mesh(
                &self,
            ) -> Result<$crate::geometry::TriangleMesh, $crate::geometry::shape_error::ShapeError> {
                $mesh(self)
            }
        }
    };
}

/// Name of the parameter that every kind has in addition to its own: a factor on all lengths.
pub const SCALE: &str = "scale";
