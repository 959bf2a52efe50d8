//! Soft bodies: names, meshes, materials, handles, attachments. Checks that need the mesh itself are done when it is built.

use super::super::error::Fault;
use super::super::limits::{DEPTH_NODES, TETRAHEDRA};
use super::super::locate::Step::{self, Field, Index};
use super::super::placement::vector;
use super::super::schema::{
    AttachmentEntry, BoreEntry, DepthsEntry, HandleEntry, MaterialEntry, NodesEntry, Rotation, SectionEntry,
    SoftBodyEntry, TetMeshEntry,
};
use super::{BodyNames, Checker, NOT_NEGATIVE, POSITIVE, POSITIVE_COUNT};

/// Range of a count of cells, layers or rings.
const CELLS: (&str, fn(f64) -> bool) = ("1 or above", |x| x >= 1.0);
const POISSON: (&str, fn(f64) -> bool) = ("above -1 and below 0.5", |x| x > -1.0 && x < 0.5);
const FULL_CIRCLE: (&str, fn(f64) -> bool) = ("above 0 and at most 360", |x| x > 0.0 && x <= 360.0);
const FRACTION: (&str, fn(f64) -> bool) = ("above 0 and below 1", |x| x > 0.0 && x < 1.0);

impl Checker<'_> {
    /// Checks the soft bodies and their stepping options; `bodies` are the rigid ones.
    pub(super) fn soft_bodies(&mut self, bodies: &BodyNames) {
        self.soft_options();
        self.depth_grids();
        if self.file().plan.is_some() && !self.file().soft_bodies.is_empty() {
            let message = "`plan` supports rigid bodies only, but the scene has soft bodies";
            self.contradiction(&[Field("plan")], message);
        }
        for (index, body) in self.file().soft_bodies.iter().enumerate() {
            let path = [Field("soft_bodies"), Index(index)];
            self.soft_body(&path, body);
            for (place, attachment) in body.attachments.iter().enumerate() {
                let path = [path.as_slice(), &[Field("attachments"), Index(place)]].concat();
                self.attachment(&path, attachment, bodies);
            }
        }
    }

    /// Refuses depth grids that would exhaust the memory.
    fn depth_grids(&mut self) {
        let nodes = |depths: &DepthsEntry| match depths {
            DepthsEntry::Exact => 0.0,
            DepthsEntry::Grid { resolution, .. } => f64::from(*resolution).powi(3),
        };
        let total: f64 = self.file().soft_bodies.iter().map(|body| nodes(&body.depths)).sum();
        if total > DEPTH_NODES {
            let message = format!(
                "the depth grids have up to {total} nodes, but at most {DEPTH_NODES} are supported: reduce their `resolution`"
            );
            self.report(&[Field("soft_bodies")], Fault::TooLarge { message });
        }
    }

    fn soft_options(&mut self) {
        let soft = &self.file().soft;
        let newton = |field| [Field("soft"), Field("newton"), Field(field)];
        if let Some(count) = soft.newton.max_iterations {
            let quantity = "the maximum number of iterations";
            self.range(&newton("max_iterations"), quantity, f64::from(count), POSITIVE_COUNT);
        }
        if let Some(tolerance) = soft.newton.tolerance {
            self.range(&newton("tolerance"), "the tolerance", tolerance, FRACTION);
        }
        let contact = &soft.contact;
        for (field, quantity, value, range) in [
            ("stiffness", "the stiffness of contact [Pa/m]", contact.stiffness, POSITIVE),
            ("stiffen_beyond", "the onset of stiffening", contact.stiffen_beyond, POSITIVE),
            ("friction", "the friction coefficient", contact.friction, NOT_NEGATIVE),
            ("creep", "the speed of creep [m/s]", contact.creep, POSITIVE),
            ("recovery", "the speed of recovery [m/s]", contact.recovery, NOT_NEGATIVE),
            ("near", "the distance along the mesh [m]", contact.near, NOT_NEGATIVE),
            ("margin", "the margin [m]", contact.margin, NOT_NEGATIVE),
        ] {
            if let Some(value) = value {
                self.range(&[Field("soft"), Field("contact"), Field(field)], quantity, value, range);
            }
        }
    }

    fn soft_body(&mut self, path: &[Step], body: &SoftBodyEntry) {
        self.tet_mesh(&inside(path, "mesh"), &body.mesh);
        self.material(&inside(path, "material"), &body.material);
        self.rotation(&inside(path, "rotation"), body.rotation);
        if let DepthsEntry::Grid { resolution, update } = body.depths {
            if let Some(error) = update {
                let path = inside(&inside(path, "depths"), "update");
                self.range(&path, "the error of depths", error, POSITIVE);
            }
            let path = inside(&inside(path, "depths"), "resolution");
            self.range(
                &path,
                "the resolution",
                f64::from(resolution),
                ("between 2 and 1000", |x| (2.0..=1000.0).contains(&x)),
            );
        }
        let place = |index| [path, &[Field("handles"), Index(index)]].concat();
        let names = body.handles.iter().enumerate();
        self.names("handles", names.map(|(i, handle)| (handle.name.as_str(), inside(&place(i), "name"))));
        for (index, handle) in body.handles.iter().enumerate() {
            self.handle(&place(index), handle);
        }
    }

    fn tet_mesh(&mut self, path: &[Step], mesh: &TetMeshEntry) {
        let count = match mesh {
            TetMeshEntry::Block { counts: (x, y, z), size } => {
                let counts = self.counts(&inside(path, "counts"), [*x, *y, *z]);
                let (x, y, z) = *size;
                for (axis, edge) in [x, y, z].into_iter().enumerate() {
                    let place = [path, &[Field("size"), Index(axis)]].concat();
                    self.range(&place, "the edge length [m]", edge, POSITIVE);
                }
                6.0 * counts
            }
            TetMeshEntry::Rod { section, length, layers, scales, bore } => {
                self.range(&inside(path, "length"), "the length [m]", *length, POSITIVE);
                self.scales(&inside(path, "scales"), scales);
                if let Some(bore) = bore {
                    self.bore(&inside(path, "bore"), bore, section, *layers);
                }
                self.swept(path, section, *layers)
            }
            TetMeshEntry::Ring { section, radius, angle, layers } => {
                self.range(&inside(path, "radius"), "the radius [m]", *radius, POSITIVE);
                self.range(&inside(path, "angle"), "the angle [°]", *angle, FULL_CIRCLE);
                if *angle >= 360.0 && *layers < 3 {
                    self.contradiction(&inside(path, "layers"), "a closed ring needs at least three layers");
                }
                let reach = reach_inwards(section);
                if reach >= *radius {
                    let message = format!(
                        "the section extends {reach} m towards the axis, which is only {radius} m away"
                    );
                    self.contradiction(&inside(path, "radius"), message);
                }
                self.swept(path, section, *layers)
            }
            TetMeshEntry::File { scale, .. } => {
                self.range(&inside(path, "scale"), "the scale", *scale, POSITIVE);
                0.0
            }
            TetMeshEntry::Tetrahedralized { of, cell } => {
                self.tetrahedralized(&inside(path, "of"), of);
                if let Some(cell) = cell {
                    self.range(&inside(path, "cell"), "the length of a cell [m]", *cell, POSITIVE);
                }
                0.0
            }
        };
        if count > TETRAHEDRA {
            self.contradiction(
                path,
                format!("the mesh has {count} tetrahedra; at most {TETRAHEDRA} are supported"),
            );
        }
    }

    fn scales(&mut self, path: &[Step], scales: &[f64]) {
        if scales.len() == 1 {
            self.contradiction(path, "one scale is too few: give none, or at least one for each end");
        }
        for (index, scale) in scales.iter().enumerate() {
            self.range(&[path, &[Index(index)]].concat(), "the scale", *scale, POSITIVE);
        }
    }

    fn bore(&mut self, path: &[Step], bore: &BoreEntry, section: &SectionEntry, layers: u32) {
        let rings = if let SectionEntry::Disc { rings, .. } = section { *rings } else { 0 };
        if !(bore.rings > 0 && bore.rings < rings) {
            let message = "a bore needs a disc section and must have at least 1 ring and fewer than the disc";
            self.contradiction(&inside(path, "rings"), message);
        }
        if !(bore.layers > 0 && bore.layers < layers) {
            let message = "a bore must have at least 1 layer and fewer than the rod";
            self.contradiction(&inside(path, "layers"), message);
        }
        if bore.radius_ratios.is_empty() {
            self.contradiction(&inside(path, "radius_ratios"), "a bore needs at least one radius ratio");
        }
        for (index, ratio) in bore.radius_ratios.iter().enumerate() {
            let place = [path, &[Field("radius_ratios"), Index(index)]].concat();
            self.range(&place, "the radius ratio", *ratio, FRACTION);
        }
    }

    /// Checks counts and returns their product.
    fn counts<const N: usize>(&mut self, path: &[Step], counts: [u32; N]) -> f64 {
        for (index, count) in counts.into_iter().enumerate() {
            self.range(&[path, &[Index(index)]].concat(), "the count", f64::from(count), CELLS);
        }
        counts.into_iter().map(f64::from).product()
    }

    /// Checks a section and its layers, and returns the number of tetrahedra.
    fn swept(&mut self, path: &[Step], section: &SectionEntry, layers: u32) -> f64 {
        self.range(&inside(path, "layers"), "the number of layers", f64::from(layers), CELLS);
        let path = inside(path, "section");
        let triangles = match *section {
            SectionEntry::Disc { radius, rings } => {
                self.range(&inside(&path, "radius"), "the radius [m]", radius, POSITIVE);
                self.range(&inside(&path, "rings"), "the number of rings", f64::from(rings), CELLS);
                6.0 * f64::from(rings).powi(2)
            }
            SectionEntry::Annulus { radii: (inner, outer), layers, around } => {
                self.range(&inside(&path, "radii"), "the inner radius [m]", inner, POSITIVE);
                if inner >= outer {
                    self.ordered_strictly(&inside(&path, "radii"), inner, outer);
                }
                self.range(&inside(&path, "layers"), "the number of layers", f64::from(layers), CELLS);
                let edges = ("3 or above", (|x| x >= 3.0) as fn(f64) -> bool);
                self.range(&inside(&path, "around"), "the number of edges", f64::from(around), edges);
                2.0 * f64::from(layers) * f64::from(around)
            }
            SectionEntry::Rectangle { size: (a, b), counts: (m, n) } => {
                for (axis, edge) in [a, b].into_iter().enumerate() {
                    let place = [path.as_slice(), &[Field("size"), Index(axis)]].concat();
                    self.range(&place, "the edge length [m]", edge, POSITIVE);
                }
                2.0 * self.counts(&inside(&path, "counts"), [m, n])
            }
        };
        3.0 * f64::from(layers) * triangles
    }

    fn ordered_strictly(&mut self, path: &[Step], inner: f64, outer: f64) {
        let message = format!("the inner radius of {inner} m is not below the outer radius of {outer} m");
        self.contradiction(path, message);
    }

    fn material(&mut self, path: &[Step], material: &MaterialEntry) {
        let MaterialEntry { density, youngs_modulus, poisson_ratio, .. } = *material;
        self.range(&inside(path, "density"), "the density [kg/m³]", density, POSITIVE);
        self.range(&inside(path, "youngs_modulus"), "Young's modulus [Pa]", youngs_modulus, POSITIVE);
        self.range(&inside(path, "poisson_ratio"), "Poisson's ratio", poisson_ratio, POISSON);
        for (field, quantity, damping) in [
            ("mass_damping", "the damping [1/s]", material.mass_damping),
            ("stiffness_damping", "the damping [s]", material.stiffness_damping),
        ] {
            self.range(&inside(path, field), quantity, damping, NOT_NEGATIVE);
        }
    }

    fn handle(&mut self, path: &[Step], handle: &HandleEntry) {
        self.nodes(&inside(path, "nodes"), &handle.nodes);
        let (x, y, z) = handle.axes;
        if !(x || y || z) {
            self.contradiction(&inside(path, "axes"), "a handle must prescribe at least one axis");
        }
        if let Some(until) = handle.until {
            self.range(&inside(path, "until"), "the release time [s]", until, POSITIVE);
        }
        let mut before = None;
        for (index, frame) in handle.keyframes.iter().enumerate() {
            let path = [path, &[Field("keyframes"), Index(index)]].concat();
            self.keyframe_time(&inside(&path, "time"), frame.time, before);
            before = Some(frame.time);
            self.rotation(&inside(&path, "rotation"), frame.rotation);
            let rotates = frame.rotation != Rotation::Identity;
            if rotates && !(x && y && z) {
                let message = "a handle with a rotation must prescribe all three axes";
                self.contradiction(&inside(&path, "rotation"), message);
            }
            if frame.time <= 0.0 && (rotates || vector(frame.displacement).norm() > 0.0) {
                let message =
                    "a keyframe at time 0 must be without displacement and rotation: the handle would jump";
                self.contradiction(&inside(&path, "time"), message);
            }
        }
    }

    fn attachment(&mut self, path: &[Step], attachment: &AttachmentEntry, bodies: &BodyNames) {
        self.known_body(&inside(path, "body"), &attachment.body, bodies);
        self.nodes(&inside(path, "nodes"), &attachment.nodes);
        if let Some(stiffness) = attachment.stiffness {
            self.range(&inside(path, "stiffness"), "the stiffness [N/m]", stiffness, POSITIVE);
        } else if bodies.get(&attachment.body) == Some(&true) {
            let message =
                format!("missing `stiffness`: body `{}` is dynamic and needs springs", attachment.body);
            self.contradiction(&inside(path, "stiffness"), message);
        }
    }

    /// Checks a selection of nodes.
    pub(super) fn nodes(&mut self, path: &[Step], nodes: &NodesEntry) {
        match nodes {
            NodesEntry::All => {}
            NodesEntry::Box { min, max } => self.region(path, *min, *max),
            NodesEntry::HalfSpace { normal, .. } => {
                let length = vector(*normal).norm();
                self.range(&inside(path, "normal"), "the length of the normal", length, POSITIVE);
            }
            NodesEntry::Ball { radius, .. } => {
                self.range(&inside(path, "radius"), "the radius [m]", *radius, POSITIVE);
            }
            NodesEntry::Indices { of } if of.is_empty() => {
                self.contradiction(&inside(path, "of"), "no nodes are listed");
            }
            NodesEntry::Indices { .. } => {}
        }
    }
}

/// Extent of a section towards the axis of its sweep, from its centre [m].
fn reach_inwards(section: &SectionEntry) -> f64 {
    match *section {
        SectionEntry::Disc { radius, .. } => radius,
        SectionEntry::Annulus { radii: (_, outer), .. } => outer,
        SectionEntry::Rectangle { size: (width, _), .. } => width / 2.0,
    }
}

fn inside(path: &[Step], field: &'static str) -> Vec<Step> {
    [path, &[Field(field)]].concat()
}
