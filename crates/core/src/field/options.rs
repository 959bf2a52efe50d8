//! Options of distance fields.

/// Order of the upwind differences of the march.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Mean error of first order in the spacing.
    First,
    /// Second order where two upwind neighbours are known and their distances increase towards the node, else first.
    #[default]
    Second,
}

/// Side of the surface on which a field is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// Inside the solid.
    Inside,
    /// Outside of it.
    Outside,
    /// Everywhere.
    #[default]
    Both,
}

impl Side {
    pub(super) fn includes(self, side: Self) -> bool {
        self == Self::Both || self == side
    }
}

/// Options of computing a distance field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldOptions {
    /// Nodes along the longest edge of the mesh's box with its padding.
    pub resolution: usize,
    /// Size of the cells \[m\]; overrides `resolution` when given.
    pub spacing: Option<f64>,
    /// Margin between the mesh's box and the border of the grid, as a fraction of the longest edge of the mesh's box.
    pub padding: f64,
    /// Order of the differences.
    pub order: Order,
    /// Side on which distances are computed. Nodes on the other side have them as well when they are next to the surface,
    /// else they are infinite.
    pub side: Side,
    /// Distance \[m\] up to which values are computed: farther nodes are infinite. Everywhere when it is `None`.
    pub band: Option<f64>,
    /// Distance from the surface in cells, at least one, up to which values are exact instead of marched. By default
    /// two on grids of fewer than 24 nodes along their longest edge, where a wider band costs little and errors
    /// weigh most, and else one.
    pub exact: Option<f64>,
}

impl Default for FieldOptions {
    fn default() -> Self {
        Self {
            resolution: 64,
            spacing: None,
            padding: 0.05,
            order: Order::Second,
            side: Side::Both,
            band: None,
            exact: None,
        }
    }
}
