//! Forces on the links of a tree in a step that neither its joints nor contacts exert.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use extricate_core::multibody::SpatialVector;

/// Mean forces of a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct OutsideForces {
    /// On the links, at their centres of mass: moment, then force [N·m, N, world]. Empty where there are none.
    loads: Vec<[f64; 6]>,
    /// Of the loops on their second links: force, then moment at the closed point [N, N·m, world].
    loops: Vec<[f64; 6]>,
}

impl OutsideForces {
    pub(crate) fn new(loads: &[SpatialVector], loops: Vec<[f64; 6]>) -> Self {
        let components = |load: &SpatialVector| {
            let ([a, b, c], [d, e, f]): ([f64; 3], [f64; 3]) = (load.angular.into(), load.linear.into());
            [a, b, c, d, e, f]
        };
        let all: Vec<[f64; 6]> = loads.iter().map(components).collect();
        let any = all.iter().flatten().any(|component| component.abs() > 0.0);
        Self { loads: if any { all } else { Vec::new() }, loops }
    }

    /// Force and moment at the centre of mass of a link.
    pub(super) fn load(&self, link: usize) -> [Vector3<f64>; 2] {
        let [moment, force] = halves(self.loads.get(link));
        [force, moment]
    }

    /// Force and moment of a loop on its second link.
    pub(super) fn closing(&self, index: usize) -> [Vector3<f64>; 2] {
        halves(self.loops.get(index))
    }
}

fn halves(of: Option<&[f64; 6]>) -> [Vector3<f64>; 2] {
    let [a, b, c, d, e, f] = of.copied().unwrap_or_default();
    [Vector3::new(a, b, c), Vector3::new(d, e, f)]
}
