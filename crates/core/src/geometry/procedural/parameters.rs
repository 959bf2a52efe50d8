//! Parameters of procedural meshes: one declaration gives the struct, its defaults and its access by name.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::geometry::triangle_mesh::{MeshError, TriangleMesh};

/// Number of triangles beyond which a mesh is not made: about a gigabyte.
const MOST_TRIANGLES: u64 = 10_000_000;

/// Why a procedural mesh was not made.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ProceduralError {
    /// There is no kind of that name.
    #[error("there is no procedural mesh \"{kind}\"; there are {known}")]
    UnknownKind {
        /// The name that was asked for.
        kind: String,
        /// The names that there are.
        known: String,
    },
    /// The kind has no parameter of that name.
    #[error("a {kind} has no parameter \"{parameter}\"; it has {known}")]
    UnknownParameter {
        /// The kind.
        kind: &'static str,
        /// The name that was given.
        parameter: String,
        /// The names that there are.
        known: String,
    },
    /// A parameter lies outside its range.
    #[error("the {parameter} of a {kind} must be {expected}, not {value}")]
    OutOfRange {
        /// The kind.
        kind: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value that was given.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// The surface would meet itself.
    #[error(
        "the {kind} would meet itself: its tube of radius {radius} m passes {clearance} m from its own centre line"
    )]
    SelfIntersecting {
        /// The kind.
        kind: &'static str,
        /// Radius of the tube [m].
        radius: f64,
        /// Half the distance between strands, or the radius of curvature, whichever is less [m].
        clearance: f64,
    },
    /// The mesh would have too many triangles.
    #[error("the {kind} would have {triangles} triangles, more than {MOST_TRIANGLES}")]
    TooFine {
        /// The kind.
        kind: &'static str,
        /// Number of triangles.
        triangles: u64,
    },
    /// The parameters lead to something that is not a mesh: lengths overflow, or vanish beside others.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// A kind of procedural mesh: its parameters, and the mesh they make.
pub trait Procedural: Default {
    /// Name, in snake case.
    const KIND: &'static str;
    /// What it is, one paragraph.
    const ABOUT: &'static [&'static str];
    /// Its parameters, in order of declaration.
    const PARAMETERS: &'static [Parameter];

    /// The parameters by name; what is not named has its default.
    ///
    /// # Errors
    /// [`ProceduralError::UnknownParameter`], or [`ProceduralError::OutOfRange`] for a count that is not whole.
    fn from_parameters(parameters: &BTreeMap<String, f64>) -> Result<Self, ProceduralError>;

    /// The mesh.
    ///
    /// # Errors
    /// [`ProceduralError`] when a parameter is out of its range.
    fn mesh(&self) -> Result<TriangleMesh, ProceduralError>;
}

/// A parameter of a kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Name, in snake case.
    pub name: &'static str,
    /// Default value.
    pub default: f64,
    /// Whether it is a count, which must be whole.
    pub is_count: bool,
    /// Meaning and unit, lines of one paragraph.
    pub about: &'static [&'static str],
}

/// A kind of procedural mesh, as data.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Name, in snake case.
    pub name: &'static str,
    /// What it is, lines of one paragraph.
    pub about: &'static [&'static str],
    /// Its parameters.
    pub parameters: &'static [Parameter],
    build: fn(&BTreeMap<String, f64>) -> Result<TriangleMesh, ProceduralError>,
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

    /// The mesh from parameters by name.
    pub(super) fn build(&self, parameters: &BTreeMap<String, f64>) -> Result<TriangleMesh, ProceduralError> {
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
) -> Result<(), ProceduralError> {
    *slot = V::from_number(value).ok_or(ProceduralError::OutOfRange {
        kind,
        parameter,
        value,
        expected: V::EXPECTED,
    })?;
    Ok(())
}

/// The error for a parameter that the kind has not.
pub(super) fn unknown(kind: &'static str, name: &str, known: &[Parameter]) -> ProceduralError {
    let known = known.iter().map(|parameter| parameter.name).chain([self::SCALE]);
    ProceduralError::UnknownParameter {
        kind,
        parameter: name.to_owned(),
        known: known.collect::<Vec<_>>().join(", "),
    }
}

/// Checks of parameters, in the order in which a kind makes them.
pub(super) struct Checks {
    kind: &'static str,
}

impl Checks {
    pub(super) const fn of<P: Procedural>() -> Self {
        Self { kind: P::KIND }
    }

    /// The value must meet the condition, which is false for NaN.
    pub(super) fn require(
        &self,
        parameter: &'static str,
        value: f64,
        holds: bool,
        expected: &'static str,
    ) -> Result<(), ProceduralError> {
        let error = ProceduralError::OutOfRange { kind: self.kind, parameter, value, expected };
        if holds && value.is_finite() { Ok(()) } else { Err(error) }
    }

    /// The lengths must be positive.
    pub(super) fn positive<const N: usize>(
        &self,
        lengths: [(&'static str, f64); N],
    ) -> Result<(), ProceduralError> {
        lengths.into_iter().try_for_each(|(name, value)| self.require(name, value, value > 0.0, "positive"))
    }

    /// The count must be at least `least`.
    pub(super) fn at_least(
        &self,
        parameter: &'static str,
        count: u32,
        least: u32,
        expected: &'static str,
    ) -> Result<(), ProceduralError> {
        self.require(parameter, f64::from(count), count >= least, expected)
    }

    /// The mesh must have no more triangles than can be handled; the product of the factors bounds them.
    pub(super) fn triangles<const N: usize>(&self, factors: [u32; N]) -> Result<(), ProceduralError> {
        let triangles = factors.into_iter().fold(1_u64, |product, x| product.saturating_mul(x.into()));
        if triangles > MOST_TRIANGLES {
            return Err(ProceduralError::TooFine { kind: self.kind, triangles });
        }
        Ok(())
    }

    /// The error of a tube that meets itself, unless its radius is below the clearance.
    pub(super) fn free_of_itself(&self, radius: f64, clearance: f64) -> Result<(), ProceduralError> {
        if radius < clearance {
            return Ok(());
        }
        Err(ProceduralError::SelfIntersecting { kind: self.kind, radius, clearance })
    }
}

/// Declares the parameters of a kind: the documentation of struct and fields is also the help of the command line.
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
            ) -> Result<Self, $crate::geometry::procedural::ProceduralError> {
                use $crate::geometry::procedural::parameters::{set, unknown};
                let mut made = Self::default();
                for (name, &value) in parameters {
                    match name.as_str() {
                        $( stringify!($field) => set($kind, stringify!($field), &mut made.$field, value)?, )+
                        _ => return Err(unknown($kind, name, Self::PARAMETERS)),
                    }
                }
                Ok(made)
            }

            fn mesh(
                &self,
            ) -> Result<$crate::geometry::TriangleMesh, $crate::geometry::procedural::ProceduralError> {
                $mesh(self)
            }
        }
    };
}

/// Name of the parameter that every kind has besides its own: a factor on all lengths.
pub const SCALE: &str = "scale";
