//! Files of tetrahedra: numbering, comments, orientation, and errors that name file and line.

use extricate_test_support::ScratchFolder;

use super::*;
use crate::geometry::ShapeError;
use crate::geometry::tet_mesh::procedural::block;
use crate::geometry::tet_mesh::write::write_tets;
use nalgebra::Point3;

struct Folder(ScratchFolder);

impl Folder {
    fn new() -> Self {
        Self(ScratchFolder::new())
    }

    fn write(&self, name: &str, text: &str) -> String {
        self.0.write(name, text)
    }

    fn pair(&self, node: &str, ele: &str) -> Result<TetFile, FileError> {
        self.write("a.node", node);
        read_tets(self.write("a.ele", ele))
    }
}

const NODES: &str = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
const MSH: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n$EndEntities\n$Nodes\n2 4 1 40\n\
    2 1 0 3\n40\n2\n3\n0 0 0\n1 0 0\n0 1 0\n3 1 0 1\n1\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 40 2 3\n\
    3 1 4 1\n2 40 2 3 1\n$EndElements\n";

#[test]
fn tetgen_files_count_from_zero_or_one_and_may_have_comments_and_attributes() {
    let folder = Folder::new();
    let plain = folder.pair(NODES, "1 4 0\n0 0 1 2 3\n").unwrap();
    assert!(!plain.reoriented && plain.unused_nodes == 0 && (plain.mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    let nodes = "# made by hand\n5 3 1 1 # counts\n1 0 0 0 7 1\n2 1 0 0 7 1\n3 9 9 9 0 0\n\n4 0 1 0 7 1\n5 0 0 1 7 1\n# end";
    let other = folder.pair(nodes, "1 4 1\r\n1 1 2 4 5 3.5\r\n").unwrap();
    assert_eq!((&other.mesh, other.unused_nodes), (&plain.mesh, 1));
    assert_eq!(read_tets(folder.0.path("a.node")).unwrap(), other);
}

#[test]
fn gmsh_files_may_number_their_nodes_in_any_order() {
    let folder = Folder::new();
    let file = read_tets(folder.write("a.msh", MSH)).unwrap();
    assert_eq!(file.mesh, folder.pair(NODES, "1 4 0\n0 0 1 2 3\n").unwrap().mesh);
}

#[test]
fn files_that_are_inside_out_as_a_whole_are_reoriented_and_others_are_refused() {
    let folder = Folder::new();
    let five = NODES.replace("4 3 0 0\n", "5 3 0 0\n") + "4 1 1 1\n";
    let reoriented = folder.pair(&five, "2 4 0\n0 1 0 2 3\n1 1 3 2 4\n").unwrap();
    assert!(reoriented.reoriented && reoriented.mesh.volume() > 0.0);
    let error = folder.pair(&five, "2 4 0\n0 0 1 2 3\n1 1 3 2 4\n").unwrap_err().to_string();
    assert!(error.contains("a.ele: tetrahedron 1 is inverted"), "{error}");
    let error = folder.pair(NODES, "1 4 0\n0 0 1 2 2\n").unwrap_err().to_string();
    assert!(error.contains("a.ele: tetrahedron 0 is flat"), "{error}");
}

#[test]
fn errors_name_the_file_the_line_and_the_cause() {
    let folder = Folder::new();
    for (node, ele, wanted) in [
        ("", "1 4 0\n", "a.node: the file is empty"),
        ("4 2 0 0\n", "", "a.node:1: the nodes have 2 dimensions"),
        ("4 3\n2 0 0 0\n", "", "a.node:2: the first node has number \"2\""),
        ("2 3\n0 0 0 0\n2 0 0 0\n", "", "a.node:3: expected node 1, found node 2"),
        ("2 3\n0 0 0 0\n1 0 x 0\n", "", "a.node:3: \"x\" is not a number"),
        ("2 3\n0 0 0 0\n", "", "a.node: the file ends early: 1 of the 2 nodes"),
        ("1 3\n0 0 0 0\n1 0 0 0\n", "", "a.node:3: a node beyond the 1"),
        ("99999999999 3\n0 0 0 0\n", "", "ends early: 1 of the 99999999999 nodes"),
        (NODES, "1 10 0\n", "a.ele:1: the tetrahedra have 10 nodes"),
        (
            NODES,
            "# x\n1 4 0\n0 0 1 2 4\n",
            "a.ele:3: tetrahedron 0 references node 4; there are nodes 0 to 3",
        ),
        (NODES, "1 4 0\n0 0 1 2\n", "a.ele:2: the tetrahedron has 3 of its 4 nodes"),
        (NODES, "0 4 0\n", "a.ele: the mesh has no tetrahedra"),
    ] {
        let error = folder.pair(node, ele).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error} / {wanted}");
    }
    for (from, to, wanted) in [
        ("4.1 0 8", "2.2 0 8", "a.msh:2: the format is version \"2.2\"; only 4.1 is supported"),
        ("4.1 0 8", "4.1 1 8", "a.msh:2: the file is binary"),
        ("\n40\n2\n", "\n3\n2\n", "a.msh:12: there are two nodes with tag 3"),
        ("3 1 4 1\n", "3 1 5 1\n", "a.msh:24: elements of type 5"),
        ("2 40 2 3 1\n", "2 40 2 3 9\n", "a.msh:25: tetrahedron 2 references node 9, which is missing"),
        ("$EndElements", "$EndElement", "a.msh:26: expected $EndElements, found \"$EndElement\""),
        ("$EndEntities", "$End", "a.msh:4: the section \"$Entities\" has no end"),
    ] {
        assert!(MSH.contains(from), "{from:?}");
        let error = read_tets(folder.write("a.msh", &MSH.replace(from, to))).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error} / {wanted}");
    }
    assert!(read_tets("a.vtu").unwrap_err().to_string().contains("supported are node, ele, msh"));
    assert!(matches!(read_tets("/nowhere/a.msh"), Err(FileError::Io { .. })));
}

#[test]
fn what_is_written_reads_back_bit_for_bit() {
    let folder = Folder::new();
    let mesh = block([3, 2, 2], nalgebra::Vector3::new(0.1, 1e-9 / 3.0, 7e9), Point3::new(0.3, -1.0, 0.0));
    let flat_box = mesh.unwrap_err();
    assert!(matches!(flat_box, ShapeError::Flat { .. }));
    let mesh =
        block([3, 2, 2], nalgebra::Vector3::new(0.1, 0.7 / 3.0, 7.1), Point3::new(0.3, -1.0, 0.0)).unwrap();
    for name in ["b.node", "c.ele", "d.msh"] {
        write_tets(&mesh, folder.0.path(name)).unwrap();
        assert_eq!(read_tets(folder.0.path(name)).unwrap().mesh, mesh, "{name}");
    }
    let bytes = std::fs::read(folder.0.path("d.msh")).unwrap();
    let other = mshio::parse_msh_bytes(&bytes).expect("mshio reads what we write");
    assert_eq!(
        (other.total_node_count(), other.total_element_count()),
        (mesh.nodes().len(), mesh.tets().len())
    );
}
