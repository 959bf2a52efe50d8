//! COLLADA 1.4 and 1.5: the triangles and polygons of the visual scene, transformed by their nodes and scaled to metres.
//!
//! The up axis is not applied: the meshes of robot descriptions are meant with unchanged coordinates, and robot viewers
//! read them so. Vertices that coincide exactly are merged, as in glTF files. Skinned meshes are read in their bind shape.

use std::collections::HashMap;

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};
use roxmltree::Node;

use super::correction::Corrections;
use super::error::{Fault, Place};
use super::polygons::Polygons;
use super::xml::{self, Lines, elements};
use crate::geometry::limits::{COLLADA_NODES, CORNERS_PER_BYTE, INSTANCED_CORNERS, XML_DEPTH};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], place: Place) -> Result<TriangleMesh, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let fault = |(line, cause): xml::Refusal| match line {
        Some(line) => Fault::Line(line, cause),
        None => Fault::Content(cause),
    };
    let text = xml::prepared(&text).map_err(fault)?;
    let document = xml::parsed(&text).map_err(fault)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let cause = format!("expected the root element <COLLADA>, found <{}>", root.tag_name().name());
        return Err(Fault::Content(cause));
    }
    let mut reader = Reader {
        lines: Lines::of(&text),
        by_id: root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect(),
        corners_left: INSTANCED_CORNERS.max(bytes.len().saturating_mul(CORNERS_PER_BYTE)),
        welder: Welder::default(),
        polygons: Polygons::default(),
        corrections: place.corrections,
    };
    reader.scene(root)?;
    let Reader { welder, mut polygons, .. } = reader;
    polygons.vertices = welder.into_points();
    polygons.into_mesh(place.corrections)
}

/// Collects the geometry instances of the scene.
struct Reader<'a, 'i> {
    lines: Lines,
    by_id: HashMap<&'a str, Node<'a, 'i>>,
    /// Remaining budget of corners and vertices of the file.
    corners_left: usize,
    welder: Welder,
    polygons: Polygons,
    corrections: &'a Corrections,
}

impl<'a, 'i> Reader<'a, 'i> {
    /// Reads all instances of the scene, or all geometries untransformed if there is no scene.
    fn scene(&mut self, root: Node<'a, 'i>) -> Result<(), Fault> {
        let to_world = Matrix4::new_scaling(self.metres(root)?);
        let named = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        let named = named.map(|instance| self.target(instance, "url")).transpose()?;
        let first =
            || child(root, "library_visual_scenes").and_then(|library| child(library, "visual_scene"));
        let Some(scene) = named.or_else(first) else {
            let libraries = elements(root, "library_geometries");
            for geometry in libraries.flat_map(|library| elements(library, "geometry").collect::<Vec<_>>()) {
                self.geometry(geometry, &to_world)?;
            }
            return Ok(());
        };
        let mut pending: Vec<_> = elements(scene, "node").map(|node| (node, to_world, 0)).collect();
        pending.reverse();
        let mut instances = 0;
        // An explicit stack: instances may be nested deeply or cyclically, which the two limits end.
        while let Some((node, parent_to_world, depth)) = pending.pop() {
            instances += 1;
            if depth > XML_DEPTH || instances > COLLADA_NODES {
                let cause = format!(
                    "nodes are instanced more than {XML_DEPTH} deep or more than {COLLADA_NODES} times"
                );
                return Err(self.fault(node, cause));
            }
            let to_world = parent_to_world * self.matrix(node)?;
            for instance in elements(node, "instance_geometry") {
                let geometry = self.target(instance, "url")?;
                self.geometry(geometry, &to_world)?;
            }
            for instance in elements(node, "instance_controller") {
                self.controller(instance, &to_world)?;
            }
            let first = pending.len();
            pending.extend(elements(node, "node").map(|child| (child, to_world, depth + 1)));
            for instance in elements(node, "instance_node") {
                pending.push((self.target(instance, "url")?, to_world, depth + 1));
            }
            // The stack is popped from its end: the children are visited in the order of the file.
            pending[first..].reverse();
        }
        Ok(())
    }

    /// Length of the file's unit [m].
    fn metres(&self, root: Node<'a, 'i>) -> Result<f64, Fault> {
        let Some(unit) = child(root, "asset").and_then(|asset| child(asset, "unit")) else { return Ok(1.0) };
        let metres = xml::number_or(unit, "meter", 1.0).map_err(|cause| self.fault(unit, cause))?;
        let is_length = metres > 0.0 && metres.is_finite();
        is_length.then_some(metres).ok_or_else(|| self.fault(unit, format!("the unit is {metres} m")))
    }

    /// Frame of a node → frame of its parent: the product of its transforms, of which the last one is applied first.
    fn matrix(&self, node: Node<'a, 'i>) -> Result<Matrix4<f64>, Fault> {
        let mut matrix = Matrix4::identity();
        for part in node.children().filter(Node::is_element) {
            matrix *= match part.tag_name().name() {
                "matrix" => Matrix4::from_row_slice(&self.numbers::<16>(part)?),
                "translate" => Matrix4::new_translation(&self.numbers::<3>(part)?.into()),
                "scale" => Matrix4::new_nonuniform_scaling(&self.numbers::<3>(part)?.into()),
                "rotate" => {
                    let [x, y, z, degrees] = self.numbers(part)?;
                    let axis = Unit::try_new(Vector3::new(x, y, z), 0.0);
                    axis.map_or_else(Matrix4::identity, |axis| {
                        Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous()
                    })
                }
                other @ ("lookat" | "skew") => {
                    return Err(self.fault(part, format!("<{other}> is not supported")));
                }
                _ => continue,
            };
        }
        Ok(matrix)
    }

    /// Reads a skinned mesh in its bind shape.
    fn controller(&mut self, instance: Node<'a, 'i>, to_world: &Matrix4<f64>) -> Result<(), Fault> {
        let controller = self.target(instance, "url")?;
        let Some(skin) = child(controller, "skin") else { return Ok(()) };
        let bind = child(skin, "bind_shape_matrix").map(|bind| self.numbers::<16>(bind)).transpose()?;
        let bind = bind.map_or_else(Matrix4::identity, |bind| Matrix4::from_row_slice(&bind));
        let geometry = self.target(skin, "source")?;
        self.geometry(geometry, &(to_world * bind))
    }

    fn geometry(&mut self, geometry: Node<'a, 'i>, to_world: &Matrix4<f64>) -> Result<(), Fault> {
        let Some(mesh) = child(geometry, "mesh") else { return Ok(()) };
        // Most primitives of a mesh use the same source of positions, which is welded once.
        let mut welded: HashMap<&str, Vec<u32>> = HashMap::new();
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = primitive.tag_name().name();
            if !["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&kind) {
                continue;
            }
            let Some((source, offset, stride)) = self.input(mesh, primitive)? else { continue };
            if !welded.contains_key(source) {
                let positions = self.positions(mesh, source)?;
                let points =
                    positions.into_iter().map(|point| self.welder.add(to_world.transform_point(&point)));
                let points = points.collect();
                welded.insert(source, points);
            }
            // A mirroring transform reverses the orientation of the polygons; it is restored below.
            let is_mirrored = to_world.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
            for part in elements(primitive, "p") {
                let corners = self.corners(part, &welded[source], offset, stride)?;
                for polygon in self.polygons_of(primitive, &corners)? {
                    self.add(primitive, polygon, is_mirrored);
                }
            }
            if let Some(with_holes) = child(primitive, "ph") {
                return Err(self.fault(with_holes, "polygons with holes are not supported".to_owned()));
            }
        }
        Ok(())
    }

    /// Adds a polygon; those of fewer than three corners are left out.
    fn add(&mut self, primitive: Node<'a, 'i>, mut polygon: Vec<u32>, is_mirrored: bool) {
        if is_mirrored {
            polygon.reverse();
        }
        polygon.into_iter().for_each(|corner| self.polygons.corner(corner));
        self.polygons.close(Some(self.lines.line(primitive)), self.corrections);
    }

    /// Polygons of the corners of a primitive.
    fn polygons_of(&self, primitive: Node<'a, 'i>, corners: &[u32]) -> Result<Vec<Vec<u32>>, Fault> {
        let triples = corners.windows(3);
        Ok(match primitive.tag_name().name() {
            "triangles" => corners.chunks_exact(3).map(<[u32]>::to_vec).collect(),
            "tristrips" => triples
                .enumerate()
                .map(|(at, three)| match *three {
                    // Every second triangle of a strip has the opposite orientation.
                    [a, b, c] if at % 2 == 1 => vec![a, c, b],
                    _ => three.to_vec(),
                })
                .collect(),
            "trifans" => triples.map(|three| vec![corners[0], three[1], three[2]]).collect(),
            "polylist" => {
                let counts = child(primitive, "vcount");
                let counts =
                    counts.ok_or_else(|| self.fault(primitive, "<polylist> has no <vcount>".to_owned()))?;
                let mut rest = corners;
                let mut polygons = Vec::new();
                for word in words(counts) {
                    let count: usize = word.parse().map_err(|_| self.not_a_number(counts, word))?;
                    let short = || {
                        let cause = "<vcount> counts more corners than <p> has";
                        self.fault(counts, cause.to_owned())
                    };
                    let (polygon, others) = rest.split_at_checked(count).ok_or_else(short)?;
                    polygons.push(polygon.to_vec());
                    rest = others;
                }
                polygons
            }
            _ => vec![corners.to_vec()],
        })
    }

    /// Source of a primitive's positions, offset of their indices, and number of indices per corner; `None` for a primitive
    /// without positions.
    fn input(
        &self,
        mesh: Node<'a, 'i>,
        primitive: Node<'a, 'i>,
    ) -> Result<Option<(&'a str, usize, usize)>, Fault> {
        let (mut stride, mut found) = (1, None);
        for input in elements(primitive, "input") {
            let offset = input.attribute("offset").unwrap_or("0");
            let offset: usize = offset.trim().parse().map_err(|_| self.not_a_number(input, offset))?;
            if offset > XML_DEPTH {
                return Err(
                    self.fault(input, format!("the offset is {offset}, at most {XML_DEPTH} are accepted"))
                );
            }
            stride = stride.max(offset + 1);
            let source = input.attribute("source").map(|source| source.trim_start_matches('#'));
            match input.attribute("semantic") {
                Some("VERTEX") => {
                    let vertices =
                        elements(mesh, "vertices").find(|vertices| vertices.attribute("id") == source);
                    let mut inputs = vertices.into_iter().flat_map(|vertices| elements(vertices, "input"));
                    let position = inputs.find(|input| input.attribute("semantic") == Some("POSITION"));
                    let missing = || self.fault(input, "its vertices have no positions".to_owned());
                    let position =
                        position.and_then(|input| input.attribute("source")).ok_or_else(missing)?;
                    found = Some((position.trim_start_matches('#'), offset));
                }
                Some("POSITION") => found = source.map(|source| (source, offset)),
                _ => {}
            }
        }
        Ok(found.map(|(source, offset)| (source, offset, stride)))
    }

    /// Points of a source.
    fn positions(&mut self, mesh: Node<'a, 'i>, id: &str) -> Result<Vec<Point3<f64>>, Fault> {
        let source = elements(mesh, "source").find(|source| source.attribute("id") == Some(id));
        let source = source.ok_or_else(|| self.fault(mesh, format!("there is no source \"{id}\"")))?;
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let own = |name: &str, otherwise: usize| {
            let Some(text) = accessor.and_then(|accessor| accessor.attribute(name)) else {
                return Ok(otherwise);
            };
            text.trim().parse().map_err(|_| self.not_a_number(source, text))
        };
        let (first, stride) = (own("offset", 0)?, own("stride", 3)?);
        let Some(array) = child(source, "float_array").filter(|_| stride >= 3) else {
            return Err(self.fault(source, format!("the source \"{id}\" holds no positions")));
        };
        let number = |word: &str| word.parse::<f64>().map_err(|_| self.not_a_number(array, word));
        let numbers = words(array).map(number).collect::<Result<Vec<_>, _>>()?;
        let count = own("count", usize::MAX)?;
        let points = numbers.get(first..).unwrap_or_default().chunks(stride).take(count);
        let points = points.filter_map(|point| point.first_chunk::<3>()).map(|&point| Point3::from(point));
        let points: Vec<_> = points.collect();
        if let Some(index) = points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
            return Err(self.fault(array, format!("position {index} is not finite: {}", points[index])));
        }
        self.consume(array, points.len())?;
        Ok(points)
    }

    /// Welded vertices of the corners, from the indices of an element.
    fn corners(
        &mut self,
        indices: Node<'a, 'i>,
        welded: &[u32],
        offset: usize,
        stride: usize,
    ) -> Result<Vec<u32>, Fault> {
        let corner = |word: &str| {
            let index: usize = word.parse().map_err(|_| self.not_a_number(indices, word))?;
            welded.get(index).copied().ok_or_else(|| {
                let count = welded.len();
                let cause =
                    format!("an index references vertex {index}, but there are only {count} (0-based)");
                self.fault(indices, cause)
            })
        };
        let corners = words(indices).skip(offset).step_by(stride).map(corner);
        let corners = corners.collect::<Result<Vec<_>, _>>()?;
        self.consume(indices, corners.len())?;
        Ok(corners)
    }

    /// Subtracts vertices or corners from the budget of the file.
    fn consume(&mut self, node: Node<'a, 'i>, count: usize) -> Result<(), Fault> {
        let left = self.corners_left.checked_sub(count).ok_or_else(|| {
            let cause = "the instances of its meshes have more than 6 million corners in total, \
            and more than 2 for each byte of the file";
            self.fault(node, cause.to_owned())
        });
        self.corners_left = left?;
        Ok(())
    }

    /// Element that an attribute references.
    fn target(&self, node: Node<'a, 'i>, attribute: &str) -> Result<Node<'a, 'i>, Fault> {
        let url = node.attribute(attribute).unwrap_or_default();
        let id = url.trim().strip_prefix('#');
        let found = id.and_then(|id| self.by_id.get(id));
        found.copied().ok_or_else(|| self.fault(node, format!("there is no element \"{url}\" in this file")))
    }

    /// Numbers of an element.
    fn numbers<const N: usize>(&self, node: Node<'a, 'i>) -> Result<[f64; N], Fault> {
        let number = |word: &str| word.parse::<f64>().map_err(|_| self.not_a_number(node, word));
        let numbers = words(node).map(number).collect::<Result<Vec<_>, _>>()?;
        let count = numbers.len();
        let wrong =
            |_| self.fault(node, format!("<{}> has {count} numbers, expected {N}", node.tag_name().name()));
        numbers.try_into().map_err(wrong)
    }

    fn not_a_number(&self, node: Node<'a, 'i>, word: &str) -> Fault {
        self.fault(node, format!("expected a number, found {}", super::text::excerpt(word)))
    }

    fn fault(&self, node: Node<'_, '_>, cause: String) -> Fault {
        Fault::Line(self.lines.line(node), cause)
    }
}

/// First child element of a name.
fn child<'a, 'i>(parent: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(parent, name).next()
}

/// Words of an element's text.
fn words<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    node.text().unwrap_or_default().split_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nalgebra::Vector3;

    use crate::geometry::read::parse_mesh;
    use crate::geometry::report::MeshReport;
    use crate::geometry::triangle_mesh::TriangleMesh;

    const CUBE: &str = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1";
    const FACES: &str = "0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7";

    fn file(primitive: &str, nodes: &str, unit: &str) -> String {
        format!(
            "<?xml version='1.0'?>\n<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\
             <asset>{unit}<up_axis>Y_UP</up_axis></asset>\n<library_geometries><geometry id='g'><mesh>\
             <source id='s'><float_array id='a' count='24'>{CUBE}</float_array><technique_common>\
             <accessor source='#a' count='8' stride='3'/></technique_common></source>\
             <vertices id='v'><input semantic='POSITION' source='#s'/></vertices>\n{primitive}</mesh></geometry>\
             </library_geometries><library_visual_scenes><visual_scene id='scene'>{nodes}</visual_scene>\
             </library_visual_scenes><scene><instance_visual_scene url='#scene'/></scene></COLLADA>"
        )
    }

    fn cube(nodes: &str, unit: &str) -> String {
        let faces = format!("<vcount>4 4 4 4 4 4</vcount><p>{FACES}</p>");
        file(
            &format!(
                "<polylist count='6'><input semantic='VERTEX' source='#v' offset='0'/>{faces}</polylist>"
            ),
            nodes,
            unit,
        )
    }

    fn read(text: &str) -> TriangleMesh {
        parse_mesh(text.as_bytes(), Path::new("m.dae")).unwrap()
    }

    fn refused(text: &str) -> String {
        parse_mesh(text.as_bytes(), Path::new("m.dae")).unwrap_err().to_string()
    }

    const PLAIN: &str = "<node><instance_geometry url='#g'/></node>";

    #[test]
    fn a_cube_is_closed_and_has_the_size_of_its_unit_and_nodes() {
        let mesh = read(&cube(PLAIN, ""));
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
        assert!(MeshReport::of(&mesh).solid);
        let mesh = read(&cube(PLAIN, "<unit meter='0.001' name='millimeter'/>"));
        assert!((mesh.aabb().extents() - Vector3::repeat(0.001)).amax() < 1e-18);
        // The inner node rotates x to y, which the outer one scales.
        let nodes = "<node><translate>5 0 0</translate><scale>1 2 1</scale><node><rotate>0 0 1 90</rotate>\
                     <instance_geometry url='#g'/></node></node>";
        let mesh = read(&cube(nodes, ""));
        assert!((mesh.aabb().min - nalgebra::Point3::new(4.0, 0.0, 0.0)).amax() < 1e-15);
        assert!((mesh.aabb().max - nalgebra::Point3::new(5.0, 2.0, 1.0)).amax() < 1e-15);
        let mirrored =
            "<node><matrix>-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url='#g'/></node>";
        assert!(MeshReport::of(&read(&cube(mirrored, ""))).solid);
    }

    #[test]
    fn a_geometry_is_read_once_per_instance() {
        let nodes = "<node id='n'><instance_geometry url='#g'/></node>\
                     <node><translate>3 0 0</translate><instance_node url='#n'/></node>\
                     <node><translate>6 0 0</translate><instance_geometry url='#g'/></node>";
        assert_eq!(read(&cube(nodes, "")).triangles().len(), 36);
        let endless = "<node id='n'><instance_node url='#n'/></node>";
        assert!(refused(&cube(endless, "")).contains("more than 64 deep"), "{}", refused(&cube(endless, "")));
        // Thirty nodes, each of which instances the next one twice.
        let twice = |at: usize| {
            format!(
                "<node id='n{at}'><instance_node url='#n{0}'/><instance_node url='#n{0}'/></node>",
                at + 1
            )
        };
        let many =
            (0..30).map(twice).collect::<String>() + "<node id='n30'><instance_geometry url='#g'/></node>";
        assert!(refused(&cube(&many, "")).contains("6 million corners"), "{}", refused(&cube(&many, "")));
    }

    #[test]
    fn every_kind_of_primitive_is_read() {
        let input = "<input semantic='VERTEX' source='#v' offset='1'/><input semantic='NORMAL' source='#x' offset='0'/>";
        let area = |primitive: &str| {
            let mesh = read(&file(primitive, PLAIN, ""));
            (0..mesh.triangles().len())
                .map(|i| {
                    let [a, b, c] = mesh.triangle(i);
                    0.5 * (b - a).cross(&(c - a)).norm()
                })
                .sum::<f64>()
        };
        let p = |indices: &[usize]| {
            let pairs = indices.iter().map(|index| format!("9 {index} ")).collect::<String>();
            format!("<p>{pairs}</p>")
        };
        for (kind, content, expected) in [
            ("triangles", p(&[0, 1, 2, 0, 2, 3]), 1.0),
            ("polygons", p(&[0, 1, 2, 3]) + &p(&[4, 5, 6, 7]), 2.0),
            ("tristrips", p(&[0, 1, 3, 2]), 1.0),
            ("trifans", p(&[0, 1, 2, 3]), 1.0),
            ("polylist", format!("<vcount>4 2 3</vcount>{}", p(&[0, 1, 2, 3, 0, 1, 4, 5, 6])), 1.5),
        ] {
            let found = area(&format!("<{kind}>{input}{content}</{kind}>"));
            assert!((found - expected).abs() < 1e-15, "{kind}: {found}");
        }
    }

    #[test]
    fn damaged_files_are_refused_with_the_line() {
        let polylist = cube(PLAIN, "");
        for (from, to, message) in [
            ("#g'", "#h'", "m.dae:4: there is no element \"#h\" in this file"),
            ("1 5 4 ", "1 9 4 ", "an index references vertex 9, but there are only 8"),
            ("1 5 4 ", "1 x 4 ", "expected a number, found \"x\""),
            ("0 0 0  1", "nan 0 0  1", "position 0 is not finite"),
            ("4 4 4 4 4 4", "4 4 4 4 4 5", "<vcount> counts more corners than <p> has"),
            ("#s'", "#t'", "there is no source \"t\""),
            ("<COLLADA", "<collada", "invalid XML"),
            ("<asset>", "<asset><unit meter='-1'/>", "the unit is -1 m"),
            ("<instance_geometry", "<skew>1</skew><instance_geometry", "<skew> is not supported"),
        ] {
            assert!(polylist.contains(from));
            let found = refused(&polylist.replace(from, to));
            assert!(found.contains(message), "{from}: {found}");
        }
    }
}
