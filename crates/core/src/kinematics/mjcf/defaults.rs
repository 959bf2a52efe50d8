//! Default classes, and elements whose missing attributes they fill in.

use std::collections::HashMap;

use super::element::Element;
use crate::kinematics::urdf::RobotFileError;

/// Index of the class that holds for all elements without another one.
pub(super) const MAIN: usize = 0;

/// Names of the actuators that are shorthands of `general`; all share their defaults.
pub(super) const ACTUATORS: [&str; 10] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "plugin",
];

/// Maximum number of parameters of a joint or an actuator in one attribute, as for MuJoCo.
pub(super) const PARAMETERS: usize = 10;

/// Maximum number of letters of a wrong value in a message.
const QUOTED: usize = 40;

/// The default classes of a model.
pub(super) struct Defaults<'a> {
    names: HashMap<&'a str, usize>,
    classes: Vec<Class<'a>>,
}

#[derive(Default)]
struct Class<'a> {
    parent: Option<usize>,
    /// Attributes by the names of element and attribute.
    values: HashMap<(&'a str, &'a str), &'a str>,
}

/// Elements of a name share the defaults of another one.
fn shared(element: &str) -> &str {
    if ACTUATORS.contains(&element) { "general" } else { element }
}

impl<'a> Defaults<'a> {
    pub(super) fn of(root: &'a Element) -> Result<Self, RobotFileError> {
        let mut defaults = Self { names: HashMap::new(), classes: vec![Class::default()] };
        defaults.names.insert("main", MAIN);
        for section in root.each("default") {
            // A name of the outermost class is another one of the main class.
            defaults.names.insert(section.get("class").unwrap_or("main"), MAIN);
            defaults.add(section, MAIN)?;
        }
        Ok(defaults)
    }

    fn add(&mut self, section: &'a Element, class: usize) -> Result<(), RobotFileError> {
        for child in &section.children {
            if child.name == "default" {
                let name = child.get("class").ok_or_else(|| child.refused("it has no `class`"))?;
                self.classes.push(Class { parent: Some(class), ..Class::default() });
                let own = self.classes.len() - 1;
                if self.names.insert(name, own).is_some() {
                    return Err(child.refused(format!("duplicate class \"{name}\"")));
                }
                self.add(child, own)?;
                continue;
            }
            for (name, value) in &child.attributes {
                self.classes[class].values.insert((shared(&child.name), name), value);
            }
        }
        Ok(())
    }

    /// An element with its defaults: of its own class, or of `class` where it names none.
    pub(super) fn fill<'d>(
        &'d self,
        element: &'a Element,
        class: usize,
    ) -> Result<Filled<'d>, RobotFileError> {
        Ok(Filled { element, class: self.class(element, "class", class)?, defaults: self })
    }

    /// The class that an attribute names.
    pub(super) fn class(
        &self,
        element: &Element,
        attribute: &str,
        otherwise: usize,
    ) -> Result<usize, RobotFileError> {
        let Some(name) = element.get(attribute) else { return Ok(otherwise) };
        let unknown = || element.refused(format!("unknown default class \"{name}\""));
        self.names.get(name).copied().ok_or_else(unknown)
    }
}

/// An element whose missing attributes are those of its class.
#[derive(Clone, Copy)]
pub(super) struct Filled<'a> {
    pub(super) element: &'a Element,
    class: usize,
    defaults: &'a Defaults<'a>,
}

impl<'a> Filled<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let classes = &self.defaults.classes;
        let above = std::iter::successors(Some(self.class), |&class| classes[class].parent);
        let key = (shared(&self.element.name), name);
        let default = || above.into_iter().find_map(|class| classes[class].values.get(&key).copied());
        self.element.get(name).or_else(default)
    }

    /// All numbers of an attribute, at most `max`; none where it is missing.
    pub(super) fn list(&self, name: &str, max: usize) -> Result<Option<Vec<f64>>, RobotFileError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let mut numbers = Vec::new();
        for word in text.split_whitespace() {
            // Checked before the next number is read: an attribute of a class is read for all its elements.
            if numbers.len() == max {
                return Err(self.refused(format!("`{name}` has more than {max} numbers")));
            }
            let number = word.parse().ok().filter(|number: &f64| number.is_finite());
            numbers.push(number.ok_or_else(|| {
                let start: String = word.chars().take(QUOTED).collect();
                self.refused(format!("`{name}` contains \"{start}\", but must be finite numbers"))
            })?);
        }
        Ok(Some(numbers))
    }

    /// Exactly `N` numbers.
    pub(super) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, RobotFileError> {
        let Some(numbers) = self.list(name, N)? else { return Ok(None) };
        let wrong = |numbers: Vec<f64>| {
            self.element.refused(format!("`{name}` has {} numbers, but must have {N}", numbers.len()))
        };
        numbers.try_into().map(Some).map_err(wrong)
    }

    pub(super) fn number(&self, name: &str, otherwise: f64) -> Result<f64, RobotFileError> {
        Ok(self.numbers::<1>(name)?.map_or(otherwise, |[number]| number))
    }

    /// A whole number, such as a mask of bits.
    pub(super) fn integer(&self, name: &str, otherwise: i64) -> Result<i64, RobotFileError> {
        let Some(text) = self.get(name) else { return Ok(otherwise) };
        let wrong = || self.element.refused(format!("`{name}` is \"{text}\", but must be a whole number"));
        text.trim().parse().map_err(|_| wrong())
    }

    /// `true` or `false`; none of another value, which is `auto`, and of a missing one.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(|text| text.trim().parse().ok())
    }

    pub(super) fn refused(&self, cause: impl Into<String>) -> RobotFileError {
        self.element.refused(cause)
    }
}
