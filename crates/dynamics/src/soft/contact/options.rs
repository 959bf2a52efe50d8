//! Options of soft contact.

use crate::error::SoftError;

/// Options of [`super::SoftContact`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactOptions {
    /// Penalty stiffness k [Pa/m]: pressure per depth. Where both surfaces meet, both push, so a given pressure takes half of
    /// the penetration that one alone would have.
    pub stiffness: f64,
    /// Depth beyond which the pressure stiffens, as a fraction of the thickness of the thinnest soft body: up to it
    /// the pressure is k times the depth, beyond it the slope grows with the depth, which stops impacts within about twice this depth: where a
    /// step ends deeper than 1.9 times it, the pressure of the pair grows faster until the bodies have parted.
    /// Thickness is twice the maximum depth of a body at rest. Default: 0.01; infinite: the
    /// pressure is linear at any depth. Pairs of bodies that begin deeper in each other have a linear pressure until they have parted;
    /// pairs that a step without convergence leaves there one that stiffens less, or a linear one. Within one body the pressure of what
    /// was folded into excluded elements before is linear up to its depth there.
    pub stiffen_beyond: f64,
    /// Whether self-contact of soft bodies is detected.
    pub self_contact: bool,
    /// Whether edges whose deepest point is deeper than their ends make contacts.
    pub edges: bool,
    /// Distance along the rest mesh's edges \[m\] within which a body's own elements are excluded from self-contact. Zero, the default:
    /// those that have the node, or an end of the edge, as a corner.
    pub near: f64,
    /// Distance that nodes may move before candidates are rebuilt \[m\]; changes time, not results. `None`: a twentieth of the
    /// longest edge of the bodies, within one of its own.
    pub margin: Option<f64>,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Speed [m/s] whose slip in a step mobilises friction in full. Contacts that stick keep their slip where each step ends with
    /// [`super::SoftContact::end_step`]; else a body at rest on a slope creeps with less than
    /// this speed. `None`: a thousandth of the longest edge of the bodies per second.
    pub creep: Option<f64>,
    /// Speed [m/s] at which initial overlaps are released: the potential acts on the depth beyond their remainder. `None`: the
    /// whole depth pushes at once.
    pub recovery: Option<f64>,
    /// Maximum pressure \[Pa\] that builds up where a point does not follow its release. A tenth of the softest body's Young's modulus
    /// separates overlapping bodies without crushing them, and is the value of a world for `None`; contacts alone then have no bound
    /// but the depth released in a tenth of a second.
    pub recovery_pressure: Option<f64>,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self {
            stiffness: 1e8,
            stiffen_beyond: 0.01,
            self_contact: true,
            edges: true,
            near: 0.0,
            margin: None,
            friction: 0.0,
            creep: None,
            recovery: None,
            recovery_pressure: None,
        }
    }
}

impl ContactOptions {
    /// Whether the pressure stiffens at any depth.
    pub(crate) fn stiffens(&self) -> bool {
        self.stiffen_beyond.is_finite()
    }

    /// Validates the options.
    ///
    /// # Errors
    /// [`SoftError::Option`] when a number is out of range.
    pub(super) fn check(&self) -> Result<(), SoftError> {
        let refuse = |name, value, must| Err(SoftError::Option { name, value, must });
        if !(self.stiffness > 0.0 && self.stiffness.is_finite()) {
            return refuse("stiffness", self.stiffness, "above zero");
        }
        if !(self.stiffen_beyond > 0.0) {
            return refuse("stiffen_beyond", self.stiffen_beyond, "above zero");
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return refuse("friction", self.friction, "at or above zero");
        }
        let lengths = [
            ("near", Some(self.near)),
            ("margin", self.margin),
            ("creep", self.creep),
            ("recovery", self.recovery),
            ("recovery_pressure", self.recovery_pressure),
        ];
        for (name, value) in lengths.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)))
        {
            if !(value >= 0.0 && value.is_finite()) {
                return refuse(name, value, "at or above zero");
            }
        }
        if self.creep == Some(0.0) {
            return refuse("creep", 0.0, "above zero");
        }
        Ok(())
    }
}
