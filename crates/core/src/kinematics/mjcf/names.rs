//! Names of bodies and joints, which are unique.

use std::collections::{HashMap, HashSet};

use super::element::Element;
use crate::kinematics::urdf::RobotFileError;

/// The names in use.
#[derive(Default)]
pub(super) struct Names {
    used: HashSet<String>,
    /// Number of requests for each name, so that a model without names takes linear time.
    asked: HashMap<String, usize>,
}

impl Names {
    /// The names of all elements of a kind in the world.
    ///
    /// # Errors
    /// For a duplicate name.
    pub(super) fn of(root: &Element, kind: &str) -> Result<Self, RobotFileError> {
        let mut names = Self::default();
        for world in root.each("worldbody") {
            names.add(world, kind)?;
        }
        Ok(names)
    }

    fn add(&mut self, within: &Element, kind: &str) -> Result<(), RobotFileError> {
        for child in &within.children {
            let is_named = child.name == kind || kind == "joint" && child.name == "freejoint";
            if let Some(name) = child.get("name").filter(|_| is_named)
                && !self.used.insert(name.to_owned())
            {
                return Err(child.refused(format!("duplicate name \"{name}\"")));
            }
            self.add(child, kind)?;
        }
        Ok(())
    }

    /// A name that is not in use: the given one, or with a number behind it.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let asked = self.asked.entry(name.to_owned()).or_default();
        loop {
            *asked += 1;
            let fresh = if *asked == 1 { name.to_owned() } else { format!("{name}{asked}") };
            if self.used.insert(fresh.clone()) {
                return fresh;
            }
        }
    }
}
