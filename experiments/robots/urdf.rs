//! URDF files, link by link.

use std::fmt::Write;

/// The shape of a link, in its frame.
pub(crate) enum Shape {
    /// A box: its size and middle.
    Box([f64; 3], [f64; 3]),
    /// A bar with blunt ends along z: radius, length and middle.
    Limb(f64, f64, [f64; 3]),
    /// A ball: radius and middle.
    Ball(f64, [f64; 3]),
}

/// A joint with an axis.
#[derive(Clone, Copy)]
pub(crate) struct Joint<'a> {
    pub(crate) name: &'a str,
    pub(crate) parent: &'a str,
    pub(crate) child: &'a str,
    /// Place in the frame of the parent.
    pub(crate) at: [f64; 3],
    pub(crate) axis: [f64; 3],
    pub(crate) limits: [f64; 2],
}

pub(crate) const X: [f64; 3] = [1.0, 0.0, 0.0];
pub(crate) const Y: [f64; 3] = [0.0, 1.0, 0.0];
pub(crate) const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// A file that is being written.
pub(crate) struct Urdf {
    text: String,
}

impl Urdf {
    pub(crate) fn new(name: &str, about: &str) -> Self {
        let text = format!(
            "<?xml version=\"1.0\"?>\n<!-- {about} Lengths in metres. Written by the command in assets/SOURCES.md. -->\n<robot name=\"{name}\">\n"
        );
        Self { text }
    }

    /// A link with shapes.
    pub(crate) fn link(&mut self, name: &str, shapes: &[Shape]) {
        if shapes.is_empty() {
            let _ = writeln!(self.text, "  <link name=\"{name}\"/>");
            return;
        }
        let _ = writeln!(self.text, "  <link name=\"{name}\">");
        for shape in shapes {
            let (middle, geometry) = match shape {
                Shape::Box([x, y, z], middle) => (middle, format!("<box size=\"{x} {y} {z}\"/>")),
                Shape::Limb(radius, length, middle) => (middle, mesh("limb", [*radius, *radius, *length])),
                Shape::Ball(radius, middle) => (middle, mesh("ball", [*radius; 3])),
            };
            let [x, y, z] = middle;
            let _ = writeln!(
                self.text,
                "    <collision><origin xyz=\"{x} {y} {z}\"/><geometry>{geometry}</geometry></collision>"
            );
        }
        let _ = writeln!(self.text, "  </link>");
    }

    fn joint(&mut self, kind: &str, joint: &Joint<'_>) {
        let Joint { name, parent, child, at: [x, y, z], axis, limits } = joint;
        let _ = writeln!(
            self.text,
            "  <joint name=\"{name}\" type=\"{kind}\">\n    <parent link=\"{parent}\"/><child link=\"{child}\"/><origin xyz=\"{x} {y} {z}\"/><axis xyz=\"{} {} {}\"/>\n    <limit lower=\"{}\" upper=\"{}\" effort=\"1000\" velocity=\"10\"/>\n  </joint>",
            axis[0], axis[1], axis[2], limits[0], limits[1]
        );
    }

    pub(crate) fn revolute(&mut self, joint: &Joint<'_>) {
        self.joint("revolute", joint);
    }

    pub(crate) fn slide(&mut self, joint: &Joint<'_>) {
        self.joint("prismatic", joint);
    }

    /// A fixed joint.
    pub(crate) fn fix(&mut self, name: &str, parent: &str, child: &str, [x, y, z]: [f64; 3]) {
        let _ = writeln!(
            self.text,
            "  <joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/><origin xyz=\"{x} {y} {z}\"/></joint>"
        );
    }

    /// Several revolute joints at one place, in sequence, with links without a shape in between: joints `NAME/1` and so on,
    /// the last one `NAME`.
    pub(crate) fn revolutes(
        &mut self,
        name: &str,
        ends: [&str; 2],
        at: [f64; 3],
        axes: &[([f64; 3], [f64; 2])],
    ) {
        let [mut parent, child] = ends.map(str::to_owned);
        let mut place = at;
        for (index, &(axis, limits)) in axes.iter().enumerate() {
            let is_last = index + 1 == axes.len();
            let (joint, to) = if is_last {
                (name.to_owned(), child.clone())
            } else {
                let made = format!("{name}/{}", index + 1);
                self.link(&made, &[]);
                (made.clone(), made)
            };
            self.revolute(&Joint { name: &joint, parent: &parent, child: &to, at: place, axis, limits });
            (parent, place) = (to, [0.0; 3]);
        }
    }

    /// Six joints from the world to the root: x, y, z, then rotations about z, y and x.
    pub(crate) fn root(&mut self, root: &str, height: f64) {
        for link in ["world", "root_x", "root_y", "root_z"] {
            self.link(link, &[]);
        }
        let reach = [-4.0, 4.0];
        let slides =
            [("root_x", "world", X, height), ("root_y", "root_x", Y, 0.0), ("root_z", "root_y", Z, 0.0)];
        for (name, parent, axis, height) in slides {
            let at = [0.0, 0.0, height];
            self.slide(&Joint { name, parent, child: name, at, axis, limits: reach });
        }
        let limits = [-3.1, 3.1];
        self.revolutes("root_turn", ["root_z", root], [0.0; 3], &[(Z, limits), (Y, limits), (X, limits)]);
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</robot>\n");
        self.text
    }
}

fn mesh(name: &str, [x, y, z]: [f64; 3]) -> String {
    format!("<mesh filename=\"../meshes/{name}.obj\" scale=\"{x} {y} {z}\"/>")
}
