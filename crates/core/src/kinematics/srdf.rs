//! Semantic robot descriptions (SRDF, of MoveIt): pairs of links whose collisions are not checked.
//!
//! Read are `disable_collisions`, `disable_default_collisions` with `enable_collisions`, and `group_state`, whose states are
//! named configurations. Groups and virtual joints have no meaning here; they are named in [`Srdf::unused`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use roxmltree::Node;

use super::articulation::Articulation;
use super::named::NamedConfiguration;
use super::urdf::limits::FILE_BYTES;
use super::urdf::options::RobotFileError;
use crate::geometry::read::correction::Correction;
use crate::geometry::read::file::text_of;
use crate::geometry::read::xml::{self, Lines, elements};

/// Maximum number of names that a warning lists.
const NAMES: usize = 5;

/// A pair of links whose collisions are not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisabledPair {
    /// Names of the links.
    pub links: [String; 2],
    /// Reason as written, such as `Adjacent`, `Default`, `Always`, `Never` or `User`; may be empty.
    pub reason: String,
    line: usize,
}

/// A semantic description of a robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Srdf {
    /// Name of the robot.
    pub name: String,
    /// Pairs of links whose collisions are not checked, in the order of the file.
    pub disabled: Vec<DisabledPair>,
    /// Elements that are not used, if there are any.
    pub unused: Option<Correction>,
    path: PathBuf,
    states: Vec<GroupState>,
    /// Links whose collisions are not checked with any link, and pairs that are nevertheless.
    disabled_links: Vec<(String, usize)>,
    enabled: Vec<[String; 2]>,
}

/// Joint values of a group, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupState {
    name: String,
    group: String,
    /// Each value as written: joints of several degrees of freedom have several numbers.
    joints: Vec<(String, String)>,
    line: usize,
}

/// Reads an SRDF file.
///
/// # Errors
/// [`RobotFileError`] when the file cannot be read or is not SRDF.
pub fn read_srdf(path: impl AsRef<Path>) -> Result<Srdf, RobotFileError> {
    let path = path.as_ref();
    let text =
        text_of(path, FILE_BYTES).map_err(|source| RobotFileError::Io { path: path.to_owned(), source })?;
    parse_srdf(&text, path)
}

/// The description in the content of a file; errors name its path.
///
/// ```
/// use std::path::Path;
/// use extricate_core::kinematics::srdf::parse_srdf;
///
/// let text = r#"<robot name="arm"><disable_collisions link1="a" link2="c" reason="Never"/></robot>"#;
/// let srdf = parse_srdf(text, Path::new("arm.srdf"))?;
/// let (allowed, unknown) = srdf.allowed(&["a".into(), "b".into(), "c".into()]);
/// assert!(allowed == [["a".to_owned(), "c".to_owned()]] && unknown.is_none());
/// # Ok::<(), extricate_core::kinematics::urdf::RobotFileError>(())
/// ```
///
/// # Errors
/// As [`read_srdf`].
pub fn parse_srdf(text: &str, path: &Path) -> Result<Srdf, RobotFileError> {
    let refused = |(line, cause)| RobotFileError::Content { path: path.to_owned(), line, cause };
    let text = xml::prepared(text).map_err(refused)?;
    let document = xml::parsed(&text).map_err(refused)?;
    let (root, lines) = (document.root_element(), Lines::of(&text));
    let wrong = |node: Node<'_, '_>, cause: String| refused((Some(lines.line(node)), cause));
    let found = root.tag_name().name();
    if found != "robot" {
        return Err(wrong(
            root,
            format!("not an SRDF file: found the root element <{found}>, expected <robot>"),
        ));
    }
    if let Some(link) = elements(root, "link").next() {
        let cause = "this is URDF, which describes links and joints; expected an SRDF file";
        return Err(wrong(link, cause.to_owned()));
    }
    let link = |node: Node<'_, '_>, name: &str| {
        let missing = || wrong(node, format!("<{}> lacks `{name}`", node.tag_name().name()));
        node.attribute(name).map(|link| link.trim().to_owned()).ok_or_else(missing)
    };
    let mut srdf = Srdf {
        name: root.attribute("name").unwrap_or_default().to_owned(),
        disabled: Vec::new(),
        unused: None,
        path: path.to_owned(),
        states: Vec::new(),
        disabled_links: Vec::new(),
        enabled: Vec::new(),
    };
    let mut unused = BTreeMap::<&str, usize>::new();
    let mut first_unused = None;
    for node in root.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "disable_collisions" => srdf.disabled.push(DisabledPair {
                links: [link(node, "link1")?, link(node, "link2")?],
                reason: node.attribute("reason").unwrap_or_default().trim().to_owned(),
                line: lines.line(node),
            }),
            "disable_default_collisions" => srdf.disabled_links.push((link(node, "link")?, lines.line(node))),
            "group_state" => srdf.states.push(GroupState::read(node, lines.line(node), &link)?),
            "enable_collisions" => srdf.enabled.push([link(node, "link1")?, link(node, "link2")?]),
            other => {
                *unused.entry(other).or_default() += 1;
                first_unused.get_or_insert(lines.line(node));
            }
        }
    }
    srdf.unused = first_unused.map(|line| {
        let counts: Vec<_> = unused.iter().map(|(name, count)| format!("{count} <{name}>")).collect();
        srdf.correction(
            line,
            counts.join(", "),
            "only pairs of links and group states are read".to_owned(),
            "ignored",
        )
    });
    Ok(srdf)
}

impl GroupState {
    /// Reads an element; `attribute` returns one that it must have.
    fn read<'a, 'i>(
        node: Node<'a, 'i>,
        line: usize,
        attribute: &dyn Fn(Node<'a, 'i>, &str) -> Result<String, RobotFileError>,
    ) -> Result<Self, RobotFileError> {
        let joints =
            elements(node, "joint").map(|joint| Ok((attribute(joint, "name")?, attribute(joint, "value")?)));
        Ok(Self {
            name: attribute(node, "name")?,
            group: node.attribute("group").unwrap_or_default().trim().to_owned(),
            joints: joints.collect::<Result<_, _>>()?,
            line,
        })
    }
}

impl Srdf {
    /// Pairs of these links whose collisions are not checked, and a warning about pairs that name other links.
    #[must_use]
    pub fn allowed(&self, links: &[String]) -> (Vec<[String; 2]>, Option<Correction>) {
        let is_known = |name: &String| links.contains(name);
        let (known, unknown): (Vec<_>, Vec<_>) =
            self.disabled.iter().partition(|pair| pair.links.iter().all(is_known));
        let mut allowed: Vec<_> = known.into_iter().map(|pair| pair.links.clone()).collect();
        let is_enabled =
            |a: &String, b: &String| self.enabled.iter().any(|[c, d]| [c, d] == [a, b] || [d, c] == [a, b]);
        for (link, _) in self.disabled_links.iter().filter(|(link, _)| is_known(link)) {
            let others = links.iter().filter(|&other| other != link && !is_enabled(link, other));
            allowed.extend(others.map(|other| [link.clone(), other.clone()]));
        }
        let of_pairs =
            unknown.iter().flat_map(|pair| pair.links.iter().map(move |link| (link.clone(), pair.line)));
        let missing = of_pairs.chain(self.disabled_links.iter().cloned());
        let missing: Vec<_> = missing.filter(|(link, _)| !is_known(link)).collect();
        let warning = missing.iter().map(|&(_, line)| line).min().map(|line| {
            let mut names: Vec<_> = missing.into_iter().map(|(link, _)| format!("\"{link}\"")).collect();
            names.sort();
            names.dedup();
            let found = format!("the robot has no link {}", listed(names));
            self.correction(line, "disabled collisions".to_owned(), found, "their pairs are ignored")
        });
        (allowed, warning)
    }

    /// The group states as configurations of a robot, and a warning about joints in them that cannot be set. States of one name
    /// in several groups are joined; each is also known as `GROUP/NAME`.
    #[must_use]
    pub fn configurations(
        &self,
        articulation: &Articulation,
    ) -> (Vec<NamedConfiguration>, Option<Correction>) {
        let coordinates =
            articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.as_str());
        let coordinates: BTreeSet<&str> = coordinates.collect();
        let (mut missing, mut line) = (BTreeSet::new(), None);
        let mut found = BTreeMap::<String, BTreeMap<String, f64>>::new();
        for state in &self.states {
            let mut joints = BTreeMap::new();
            for (joint, value) in &state.joints {
                let number = value.parse().ok().filter(|value: &f64| value.is_finite());
                match number.filter(|_| coordinates.contains(joint.as_str())) {
                    Some(value) => _ = joints.insert(joint.clone(), value),
                    None => {
                        missing.insert(format!("\"{joint}\""));
                        line.get_or_insert(state.line);
                    }
                }
            }
            if self.states.iter().filter(|other| other.name == state.name).count() > 1 {
                found.entry(format!("{}/{}", state.group, state.name)).or_default().extend(joints.clone());
            }
            found.entry(state.name.clone()).or_default().extend(joints);
        }
        let warning = line.map(|line| {
            let found = format!("no value for {} of the robot", listed(missing.into_iter().collect()));
            self.correction(line, "group states".to_owned(), found, "they stay at rest")
        });
        let named = |(name, joints)| NamedConfiguration { name, joints };
        (found.into_iter().map(named).collect(), warning)
    }

    /// The reason that the file gives for a pair of links, if it has the pair.
    #[must_use]
    pub fn reason(&self, [a, b]: [&str; 2]) -> Option<&str> {
        let is_pair = |pair: &&DisabledPair| {
            let [first, second] = pair.links.each_ref().map(String::as_str);
            [first, second] == [a, b] || [first, second] == [b, a]
        };
        self.disabled.iter().find(is_pair).map(|pair| &*pair.reason).filter(|reason| !reason.is_empty())
    }

    fn correction(&self, line: usize, part: String, found: String, became: &str) -> Correction {
        Correction { path: self.path.clone(), line, part, found, became: became.to_owned() }
    }
}

/// Names as text, at most [`NAMES`] of them.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let mut text = names.join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// Text of an SRDF file with these pairs of links and the reason of each.
#[must_use]
pub fn srdf_text<'a>(robot: &str, pairs: impl IntoIterator<Item = ([&'a str; 2], &'a str)>) -> String {
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(robot));
    for ([a, b], reason) in pairs {
        let [a, b, reason] = [a, b, reason].map(escaped);
        let _ = writeln!(text, "  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>");
    }
    text + "</robot>\n"
}

pub(super) fn escaped(text: &str) -> String {
    // The ampersand comes first: the others insert one. Line breaks and tabs would be read as spaces.
    let escapes = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")];
    let breaks = [("\n", "&#10;"), ("\r", "&#13;"), ("\t", "&#9;")];
    escapes
        .into_iter()
        .chain(breaks)
        .fold(text.to_owned(), |text, (letter, escape)| text.replace(letter, escape))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse_srdf(text, Path::new("a.srdf")).unwrap_err().to_string()
    }

    #[test]
    fn written_pairs_are_read_as_the_same() {
        let pairs = [(["a", "b<\"&\n\t>"], "Adjacent"), (["c", "a"], "Never")];
        let srdf = parse_srdf(&srdf_text("r & s", pairs), Path::new("a.srdf")).unwrap();
        assert_eq!(srdf.name, "r & s");
        let read =
            srdf.disabled.iter().map(|pair| (pair.links.each_ref().map(|link| &**link), &*pair.reason));
        assert_eq!(read.collect::<Vec<_>>(), pairs);
        assert_eq!((srdf.reason(["a", "c"]), srdf.reason(["b", "c"])), (Some("Never"), None));
    }

    #[test]
    fn unknown_links_and_other_elements_are_one_warning_each() {
        let text = "<robot name='r'>\n<group name='g'/><group_state name='home' group='g'/>\n<group name='h'/>\n\
                    <disable_collisions link1='a' link2='x'/><disable_collisions link1='y' link2='x' reason='Never'/>\
                    <disable_default_collisions link='c'/><enable_collisions link1='b' link2='c'/></robot>";
        let srdf = parse_srdf(text, Path::new("a.srdf")).unwrap();
        assert_eq!(
            srdf.unused.as_ref().unwrap().to_string(),
            "a.srdf:2: 2 <group>: only pairs of links and group states are read; ignored"
        );
        let (allowed, warning) = srdf.allowed(&["a", "b", "c"].map(String::from));
        assert_eq!(allowed, [["c".to_owned(), "a".to_owned()]]);
        assert_eq!(
            warning.unwrap().to_string(),
            "a.srdf:4: disabled collisions: the robot has no link \"x\", \"y\"; their pairs are ignored"
        );
    }

    #[test]
    fn files_that_are_not_srdf_are_refused_with_line_and_cause() {
        assert_eq!(error("<a/>"), "a.srdf:1: not an SRDF file: found the root element <a>, expected <robot>");
        assert_eq!(
            error("<robot>\n<link name='a'/></robot>"),
            "a.srdf:2: this is URDF, which describes links and joints; expected an SRDF file"
        );
        assert_eq!(
            error("<robot>\n<disable_collisions link1='a'/></robot>"),
            "a.srdf:2: <disable_collisions> lacks `link2`"
        );
        assert!(error("<robot>").starts_with("a.srdf:1: invalid XML"), "{}", error("<robot>"));
        assert!(error("<!DOCTYPE a [<!ENTITY b 'c'>]><robot/>").starts_with("a.srdf:1: document type"));
        assert!(read_srdf("nowhere.srdf").unwrap_err().to_string().contains("nowhere.srdf: cannot be read"));
    }
}
