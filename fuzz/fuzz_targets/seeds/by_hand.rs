//! Seeds by hand: the forms that our own writers do not write, and a way into every error.

use std::fs;
use std::path::Path;

use super::scenes;

/// Writes the texts of every reader.
pub fn write(folder: &Path) -> std::io::Result<()> {
    let texts: [(&str, &[&str]); 16] = [
        ("obj", &OBJ),
        ("off", &OFF),
        ("stl", &STL),
        ("ply", &PLY),
        ("tetgen", &TETGEN),
        ("gmsh", &GMSH),
        ("urdf", &URDF),
        ("mjcf", &MJCF),
        ("xacro", &XACRO),
        ("srdf", &SRDF),
        ("scene", &SCENE),
        ("world", &SCENE),
        ("poses", &POSES),
        ("shape_argument", &SHAPES),
        ("golden", &GOLDEN),
        ("manifest", &MANIFEST),
    ];
    for (reader, texts) in texts {
        for (index, text) in texts.iter().enumerate() {
            fs::write(folder.join(format!("{reader}/hand-{index}")), text)?;
        }
    }
    for (index, text) in scenes::FILES.iter().chain(&scenes::WRONG).enumerate() {
        for reader in ["scene", "world"] {
            fs::write(folder.join(format!("{reader}/file-{index}")), text)?;
        }
    }
    for (index, bytes) in gltf().into_iter().enumerate() {
        fs::write(folder.join(format!("gltf/hand-{index}")), bytes)?;
    }
    let header = "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty char x\nproperty ushort y\n\
                  property uint z\nelement face 1\nproperty list uchar ushort vertex_index\nend_header\n";
    let values = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 2];
    fs::write(folder.join("ply/hand-binary"), [header.as_bytes(), &values].concat())?;
    let little =
        header.replace("big", "little").replace("uchar ushort", "int int").replace("ushort y", "short y");
    let values = [
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,
        0, 0, 0,
    ];
    fs::write(folder.join("ply/hand-little"), [little.as_bytes(), &values].concat())?;
    let mut infinite = [b"solid".as_slice(), &[0; 75], &[1, 0, 0, 0], &[0; 50]].concat();
    fs::write(folder.join("stl/hand-flat"), &infinite)?;
    infinite[96..100].copy_from_slice(&f32::INFINITY.to_le_bytes());
    fs::write(folder.join("stl/hand-infinite"), &infinite)
}

const XACRO: [&str; 4] = [
    "<xacro:arg name=\"a\" default=\"1\"/><xacro:property name=\"p\" value=\"${$(arg a) * 2}\"/><xacro:macro name=\"m\" params=\"n:=3 *b\"><link name=\"l${n}\"/><xacro:insert_block name=\"b\"/></xacro:macro><xacro:m n=\"${p}\"><origin/></xacro:m>",
    "<xacro:macro name=\"m\" params=\"n\"><xacro:if value=\"${n > 0}\"><link name=\"a${n}\"/><xacro:m n=\"${n - 1}\"/></xacro:if></xacro:macro><xacro:m n=\"3\"/>",
    "<xacro:include filename=\"$(find none)/a.xacro\"/><xacro:unless value=\"${True}\"><xacro:include filename=\"../a\"/></xacro:unless>",
    "<xacro:property name=\"y\" value=\"${load_yaml('a.yaml')}\"/><link name=\"$(optenv NONE b c)${pi}${radians(90)}\"/>",
];

const SRDF: [&str; 2] = [
    "<robot name=\"r\"><group name=\"g\"/><disable_collisions link1=\"a\" link2=\"b\" reason=\"Never\"/><disable_collisions link1=\"x\" link2=\"b\"/></robot>",
    "<robot name=\"r\"><disable_default_collisions link=\"a\"/><enable_collisions link1=\"a\" link2=\"b\"/></robot>",
];

const OBJ: [&str; 14] = [
    "\u{feff}# t\r\nmtllib none.mtl\no part\nv 0 0 0\nv 1 0 0 # x\nv 0 1e0 0 1.0\nvt 0 0\nvn 0 0 1\nv 0 0 +1 .5 .5 .5\n\
     usemtl red\ns off\nf 1/1 3/1 2/1\ng other\nf 1//1 2//1 \\\n 4//1\nfo 2/1/1 3/1/1 4/1/1\nf -2 -4 -1\nl 1 2\np 1",
    "v 0 0 0\nv 2 0 0\nv .2 .2 0\nv 0 2 0\nf 1 2 3 4\n",
    "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6\n",
    "v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 2 0\nv 1 3 1\nf 1 2 3 4 5 1 2",
    "v 0 0 0\nv 1 0",
    "v 0 -inf 0",
    "v 0 x 0",
    "v 0 0 0\nf 1 1 0",
    "v 0 0 0\nf 1 1 9",
    "v 0 0 0\nf 1 1",
    "f 99999999999999999999 1 1",
    "v 0 0 0\nf 1 1 1 \\",
    "curv 0 1",
    "v 0 0 0\nv 1 0 0\nf 1 2 1\nnothing",
];

const OFF: [&str; 14] = [
    "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n",
    "# f\nCOFF # keyword\n\n# counts\n4 1 6\n0 0 0 255 0 0 1\n1 0 0\n0 1 0\n0 0 1\n4  0 2 1 3  255 0 0\n",
    "STCNOFF 3 1 0\n0 0 0 1 2 3\n1 0 0\n0 1 0\n3 0 1 2",
    "",
    "PLY",
    "4OFF",
    "OFF BINARY",
    "OFF\n",
    "OFF\n4",
    "OFF\n2 0 0\n0 0 0",
    "OFF\n1 18446744073709551615 0\n0 0 0",
    "OFF\n1 1 0\n0 0 0\n3 0 0",
    "OFF\n1 1 0\n0 0 0\n3 0 0 1",
    "OFF\n1 0 0\n0 0 0\n3 0 0 0",
];

const STL: [&str; 8] = [
    "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
    "solid a\nvertex 0 0\n",
    "solid a\nvertex 0 0 0\nendloop",
    "solid a\nvertex 0 0 0\nendfacet",
    "solid a\nfoo",
    "solid a\n",
    "solid a\nendsolid",
    "tiny",
];

const PLY: [&str; 9] = [
    "ply\nformat ascii 1.0\ncomment by hand\nobj_info x\nelement vertex 4\nproperty float x\nproperty float y\n\
     property double z\nproperty int n\nelement edge 1\nproperty int a\nproperty list uchar float w\nelement face 2\n\
     property uchar m\nproperty list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n\
     5 2 0.5 1\n9 3 0 2 1\n9 4 0 1 3 2\n",
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty uchar x\nproperty int8 y\nproperty uint16 z\nelement face 1\n\
     property list uchar char vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty short x\nproperty uint y\nproperty double z\nelement face 1\n\
     property list uchar short vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 nan\n3 0 1 2\n",
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nend_header\n1 1\n",
    "ply\nformat ascii 1.0\nelement vertex 99999999\nproperty float x\nend_header\n1 1\n",
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
     property list uchar float vertex_index\nend_header\n0 0 1e999\n3 0 0 0\n",
    "ply\nformat ascii 1.0\nelement face 1\nproperty int a\nend_header\n3\n",
    "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n",
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
     property list uchar uchar vertex_index\nend_header\n0 0 0\n2 0 0\n",
];

const TETGEN: [&str; 12] = [
    "# by hand\n5 3 1 1 # counts\n1 0 0 0 7 1\n2 1 0 0 7 1\n3 9 9 9 0 0\n\n4 0 1 0 7 1\n5 0 0 1 7 1\n# end\n----\n1 4 1\r\n1 1 2 4 5 3.5\r\n",
    "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n----\n1 4 0\n0 0 1 3 2\n",
    "4 2 0 0\n----\n1 4 0\n",
    "1 3 0 0\n2 0 0 0\n----\n1 4 0\n",
    "1 3\n0 0 0 0\n1 0 0 0\n----\n1 4 0\n",
    "2 3\n0 0 0 0\n5 0 0 0\n----\n1 4 0\n",
    "2 3\n0 0 0 0\n----\n1 4 0\n",
    "1 3\n0 0 0 0\n----\n1 10 0\n",
    "1 3\n0 0 0 0\n----\n1 4 0\n0 0 0 0\n",
    "1 3\n0 0 0 0\n----\n1 4 0\n0 0 0 0 7\n",
    "1 3\n0 0 0 0\n----\n1 4 0\n0 0 0 0 0\n",
    "\n----\n",
];

const GMSH: [&str; 16] = [
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n$EndEntities\n$Nodes\n2 4 1 40\n2 1 0 3\n40\n2\n3\n0 0 0\n\
     1 0 0\n0 1 0\n3 1 0 1\n1\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 40 2 3\n3 1 4 1\n2 40 2 3 1\n$EndElements\n",
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
    "$MeshFormat\n4.1 1 8\n$EndMeshFormat\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Elements\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Other\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\nother\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 1 1\n1\n0 0 0\n$EndNodes\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 1\n3 1 0 2\n1\n1\n0 0 0\n$EndNodes\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0\n$EndNodes\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0\n$Oh\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n3 1 5 1\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 1 1 9\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1\n",
    "$MeshFormat\n4.1 0 8",
];

const MJCF: [&str; 4] = [
    r#"<mujoco model="m"><compiler angle="radian" eulerseq="zYx" boundmass="1" settotalmass="5" inertiafromgeom="auto"/>
<default><geom density="500"/><default class="c"><joint damping="2" range="-1 1"/><geom type="capsule" size=".1"/></default></default>
<worldbody><geom type="plane" size="0 0 1"/><body name="a" childclass="c" euler="1 2 3"><freejoint/><geom fromto="0 0 0 1 1 1"/>
<frame pos="1 0 0" axisangle="0 1 0 1"><body name="b" xyaxes="1 1 0 0 1 0"><joint name="h" axis="0 1 0" pos=".1 0 0" ref=".5"/>
<joint name="s" type="slide"/><geom type="box" size="1 .1 .2" zaxis="1 2 3" mass="1"/><geom type="ellipsoid" size="1 2 3" contype="0"/>
<geom type="cylinder" size="1 2" contype="0" conaffinity="0" group="3"/><body><joint type="ball"/>
<inertial pos="0 0 1" mass="1" fullinertia="1 1 1 0 0 0"/><geom type="mesh" mesh="t"/></body></body></frame></body>
<geom type="hfield" hfield="f"/></worldbody>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="1 2 -3" refpos="1 0 0" refquat="1 1 0 0" inertia="exact"/>
<hfield name="f" nrow="2" ncol="3" size="2 1 .5 .1" elevation="0 1 2 3 4 10"/></asset>
<contact><exclude body1="a" body2="world"/><pair/></contact><equality><joint joint1="s" joint2="h" polycoef="1 2 0 0 0"/></equality>
<actuator><position joint="h" kp="10" kv="1" forcerange="-1 2"/><motor joint="s" gear="2" ctrlrange="-1 1"/>
<general joint="h" biastype="affine" biasprm="0 -1 -2"/></actuator><tendon><fixed/></tendon><keyframe><key/></keyframe></mujoco>"#,
    r#"<mujoco><worldbody><body><joint range="1 -1"/><geom size="1"/></body><include file="a.xml"/></worldbody></mujoco>"#,
    r#"<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 9"/></asset><worldbody><body><geom mesh="m"/></body></worldbody></mujoco>"#,
    r#"<mujoco><default class="x"><default class="x"/></default><worldbody/></mujoco>"#,
];

const URDF: [&str; 16] = [
    r#"<?xml version="1.0"?><!-- c --><robot name="r"><link name="w"/><link name="l"><inertial><origin xyz="0 0 1" rpy="0 1 0"/>
<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial><collision><origin xyz="0 0 0"/>
<geometry><box size="1 .1 2"/></geometry></collision><collision><geometry><sphere radius=".5"/></geometry></collision>
<visual><geometry><cylinder radius="1" length="2"/></geometry></visual></link><joint name="h" type="revolute"><parent link="w"/>
<child link="l"/><axis xyz="0 0 1"/><origin rpy="1 2 3" xyz="1 2 3"/><limit lower="-1" upper="1" effort="3" velocity="2"/>
<dynamics damping=".1" friction=".2"/></joint></robot>"#,
    r#"<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint></robot>"#,
    r#"<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="floating"><parent link="a"/><child link="b"/></joint></robot>"#,
    r#"<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="spherical"><parent link="a"/><child link="b"/></joint></robot>"#,
    r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/><joint name="j" type="prismatic"><parent link="a"/><child link="b"/>
<axis xyz="0 1 0"/><limit effort="1" velocity="1"/></joint><joint name="k" type="continuous"><parent link="b"/><child link="c"/>
<axis xyz="0 1 0"/><mimic joint="j" multiplier="2" offset="1"/></joint></robot>"#,
    r#"<robot name="r"><link name="a"><collision><geometry><capsule radius="1" length="2"/></geometry></collision></link></robot>"#,
    r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="package://p/m.obj" scale="1 1 1"/></geometry></collision></link></robot>"#,
    r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="../m.obj"/></geometry></collision></link></robot>"#,
    r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="m.obj"/></geometry></collision></link></robot>"#,
    r#"<robot name="r"><link name="a"><collision><geometry><box size="0 1 1"/></geometry></collision></link></robot>"#,
    r#"<robot name="r"><link name="a"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"#,
    r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="9" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"#,
    r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="nan" iyz="0" izz="0"/></inertial></link></robot>"#,
    r#"<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/><dynamics damping="-1" friction="0"/></joint></robot>"#,
    r#"<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="b"/><child link="b"/></joint></robot>"#,
    r#"<!DOCTYPE robot><robot name="r" version="1.2"><link name="a"><![CDATA[ ]]></link></robot>"#,
];

const SCENE: [&str; 12] = [
    r#"(title: "t", duration: 1, shapes: {"s": ball(radius: 1)}, bodies: [(name: "a", shape: "s", copies: (count: (2, 1, 2), spacing: (3, 0, 3), moved: {"a-1-0": (0, 1, 0)}, turned: {"a-0-1": euler_degrees(1, 2, 3)}))])"#,
    r##"#![enable(implicit_some)] Scene(title: "braces ) ] } \" ", /* a /* nested */ ( */ duration: 1_000.0, shapes: {"c": mesh(file: r#"../a "b".obj"#), "c": ball(radius: .5)}, bodies: [(name: "é", shape: "c", mass: Some(-1.0)), (name: "b", shape: "d", position: (0, inf, -NaN))], time_step: 1e999)"##,
    r#"(title: "t", duration: 1, shapes: {"h": hull(of: procedural(kind: "torus", parameters: {"segments": 6, "sides": 4})), "r": rounded(core: cuboid(size: (1, 1, 1)), radius: 0.1), "p": half_space, "k": capsule(radius: 1, length: 1), "y": cylinder(radius: 1, height: 1), "o": cone(radius: 1, height: 1)},
 bodies: [(name: "f", shape: "p", kind: fixed), (name: "a", shape: "h", rotation: axis_angle_degrees(axis: (0, 0, 1), angle: 90)), (name: "b", shape: "r", kind: kinematic, linear_velocity: (1, 0, 0)), (name: "c", shape: "k", density: 10), (name: "d", shape: "y", mass: 3), (name: "e", shape: "o", continuous: true)],
 joints: [(name: "j", bodies: ("a", "b"), kind: revolute(anchor: (0, 0, 0), axis: (1, 0, 0), limits_degrees: (-10, 10))), (name: "k", bodies: ("c", "d"), kind: prismatic(axis: (0, 0, 1), limits: (0, 1))), (name: "l", bodies: ("d", "e"), kind: rope(anchors: ((0, 0, 0), (0, 0, 1)), length: 2)), (name: "m", bodies: ("f", "e"), kind: fixed), (name: "n", bodies: ("a", "e"), kind: spherical(anchor: (1, 0, 0)), contacts: true)],
 camera: (eye: (1, 2, 3), target: (0, 0, 0)), solver: (substeps: 4, relax_passes: 1), on_overlap: repair, seed: 3, narrow_phase: rapier, accuracy: preview,
 expect: (max_penetration: 0.1, settle_time: 0.5, at_rest_by: 1, energy_gain: 0.1, max_speed: 10, no_escape: (min: (-9, -9, -9), max: (9, 9, 9)), body_at: [(body: "a", position: (0, 0, 0), tolerance: 1)], body_within: [(body: "a", min: (-1, -1, -1), max: (1, 1, 1))], distance: [(bodies: ["a", "b"], distance: 1, tolerance: 0.1)], linked: [(bodies: ["a", "b"], core: circle(radius: 1))], measured: [(quantity: travel(body: "a", along: (1, 0, 0)), exact: 1, tolerance: 1), (quantity: energy_drift, exact: 0, tolerance: 1), (quantity: rebound(body: "a", from: (0, 0, 0)), exact: 1, tolerance: 1)]))"#,
    r#"(title: "t", duration: 1, shapes: {"t": ball(radius: 1)}, bodies: [(name: "w", shape: "t", kind: fixed)], soft: (scheme: newmark, newton: (limit: 3, tolerance: 0.1), contact: (stiffness: 1e6, friction: 0.1)), soft_bodies: [
 (name: "a", mesh: rod(section: disc(radius: 0.1, rings: 2), length: 1, layers: 3, scales: [1, 0.5], bore: (rings: 1, layers: 1, shares: [0.5])), material: (density: 1, youngs_modulus: 1, poisson_ratio: 0.3), handles: [(name: "h", nodes: box(min: (-1, -1, -1), max: (1, 1, 0)), keyframes: [(time: 1, displacement: (0, 0, 1))])]),
 (name: "b", mesh: ring(section: annulus(radii: (0.1, 0.2), layers: 1, around: 6), radius: 1, angle: 180, layers: 4), material: (density: 1, youngs_modulus: 1, poisson_ratio: 0.3), elements: quadratic, depths: grid(resolution: 8)),
 (name: "c", mesh: tetrahedralized(of: procedural(kind: "cuboid")), material: (density: 1, youngs_modulus: 1, poisson_ratio: 0.3), attachments: [(body: "w", nodes: indices(of: [0, 1]))]),
 (name: "d", mesh: file(file: "a.msh", scale: 1), material: (density: 1, youngs_modulus: 1, poisson_ratio: 0.6))])"#,
    r#"(title: "t", duration: 1, robots: [(name: "r", file: "r.urdf", packages: ["p"], base: floating, joints: {"j": degrees(10)}, joint_velocities: {"j": radians(1)}, motors: {"j": position(target: degrees(1), stiffness: 1, damping: 1)}, damping: {"j": 1}, joint_friction: {"j": 1}, allow: [("a", "b")])], plan: (movable: "r", joints: {"j": metres(1)}, fixed: ["k"], limits: {"j": (degrees(0), degrees(1))}, region: ((0, 0, 0), (1, 1, 1))), expect: (joint_at: [(robot: "r", joint: "j", value: degrees(1), tolerance: degrees(1))]))"#,
    r#"(title: "t", duration: -1, bodies: [])"#,
    r#"(title: "t", duration: 1, bodies: [(name: "", shape: "s"), (name: "a", shape: "s", density: 1, mass: 1), (name: "a", shape: "s", copies: (count: (0, 1, 1), spacing: (0, 0, 0))), (name: "f", shape: "s", kind: fixed, linear_velocity: (1, 0, 0), rotation: quaternion(1, 1, 0, 0), copies: (count: (2, 1, 1), spacing: (1, 0, 0), moved: {"x": (0, 0, 0)}))])"#,
    r#"(title: "t", duration: 1, bodies: [(name: "a", shape: "s", copies: (count: (4000000000, 4000000000, 4000000000), spacing: (0, 0, 0)))])"#,
    r#"(title: "t", durations: 1)"#,
    r#"(title: "t", duration: 1, duration: 1)"#,
    r#"(title: "t", duration: 1, accuracy: best)"#,
    r#"(title: "t" duration: 1)"#,
];

const POSES: [&str; 8] = [
    "{\"a\": {\"rotation\": [0.8, 0, 0, 0.6], \"translation\": [1, 2, 3]}, \"id\": 7}\n\n{\"b\": {\"rotation\": [1,0,0,0,1,0,0,0,1]}}\n",
    "{\"base\": {}, \"base_end\": {\"translation\": [0, 0, 1]}, \"b_end\": {}, \"joints\": {\"j\": 0.5}}\n",
    "{\"joints\": {\"j\": 0.5}, \"base\": {\"translation\": [0, 0, 0]}}\n{\n\"joints\": {}}\n",
    "{\"boxes\": [[0,0,0,1,1,1], null]}\n{\"boxes\": [[1,0,0,0,1,1]]}\n",
    "{\"a\": {\"rotation\": [1, 1, 0, 0]}}",
    "{\"a\": {\"rotation\": [1, 0, 0]}}",
    "{\"a\": {\"rotation\": [1, 0, 0, 0, 1, 0, 0, 0, -1]}, \"joints\": {\"x\": 1}}",
    "\n",
];

const SHAPES: [&str; 27] = [
    "a.obj",
    "sphere:1",
    "box:1,2,3",
    "capsule:1,2",
    "cylinder:1,2",
    "cone:1,2",
    "halfspace",
    "hull:a.obj",
    "rounded:0.1:box:1,1,1",
    "rounded:0.1:rounded:0.1:cone:1,1",
    "box:1,2",
    "sphere:-1",
    "sphere:1@0,0,1",
    "a,b",
    "sphere:x",
    "sphere:nan",
    "halfspace:1",
    "hull:",
    "rounded:0.1",
    "rounded:x:sphere:1",
    "rounded:-1:sphere:1",
    "rounded:inf:sphere:1",
    "rounded:0.1:a.obj",
    "rounded:0.1:hull:a.obj",
    "rounded:1:rounded:1:rounded:1:rounded:1:rounded:1:rounded:1:rounded:1:rounded:1:rounded:1:rounded:1:sphere:1",
    "torus:1",
    "c:a.obj",
];

fn gltf() -> Vec<Vec<u8>> {
    let text = |nodes: &str, mode: u8, kind: u16, uri: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{nodes},
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"mode":{mode}}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}},
{{"bufferView":1,"componentType":{kind},"count":12,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
"buffers":[{{"byteLength":72{uri}}}]}}"#
        )
    };
    let points: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut buffer: Vec<u8> = points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    buffer.extend([0_u16, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3].iter().flat_map(|i| i.to_le_bytes()));
    let glb = |json: &str| {
        let json = format!("{json:<width$}", width = json.len().next_multiple_of(4));
        let mut bytes = b"glTF".to_vec();
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend(((12 + 8 + json.len() + 8 + buffer.len()) as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", json.as_bytes()), (b"BIN\0", &buffer)] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(chunk);
        }
        bytes
    };
    const ONE: &str = r#"[{"mesh":0}]"#;
    let nodes = r#"[{"translation":[1,0,0],"rotation":[0,0,0.70710678,0.70710678],"children":[1,2]},{"mesh":0,"scale":[2,2,2]},
{"mesh":0,"matrix":[-1,0,0,0,0,1,0,0,0,0,1,0,-5,0,0,1]}]"#;
    let embedded = format!(r#","uri":"data:application/octet-stream;base64,{}""#, base64(&buffer));
    let plain = text(ONE, 4, 5123, &embedded);
    let mut seeds = vec![
        glb(&text(ONE, 4, 5123, "")),
        glb(&text(nodes, 4, 5123, "")),
        glb(&text(ONE, 5, 5123, "")),
        glb(&text(ONE, 6, 5123, "")),
        glb(&text(ONE, 0, 5123, "")),
        glb(&text(ONE, 4, 5121, "")),
        glb(&text(ONE, 4, 5125, "")),
        glb(&text(ONE, 4, 5126, "")),
    ];
    let changes = [
        ("\"indices\":1,", ""),
        ("\"scene\":0,\"scenes\":[{\"nodes\":[0]}],", ""),
        ("\"scene\":0,", ""),
        ("\"POSITION\":0", "\"NORMAL\":0"),
        ("\"POSITION\":0", "\"POSITION\":9"),
        ("\"bufferView\":1,", ""),
        (
            "\"bufferView\":1,",
            "\"bufferView\":1,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":0,\"componentType\":5123},\"values\":{\"bufferView\":0}},",
        ),
        ("\"count\":12", "\"count\":13"),
        ("\"byteLength\":24", "\"byteLength\":25"),
        ("\"byteLength\":72", "\"byteLength\":73"),
        ("\"byteLength\":48", "\"byteLength\":48,\"byteStride\":12"),
        ("[{\"mesh\":0}]", "[{\"mesh\":0,\"children\":[0]}]"),
        ("\"VEC3\"", "\"VEC2\""),
        ("base64,", "base64,*"),
        ("data:application/octet-stream;base64,", "http://"),
        ("data:application/octet-stream;base64,", "../"),
        ("data:application/octet-stream;base64,", "%zz"),
    ];
    seeds.extend(changes.map(|(before, after)| plain.replacen(before, after, 1).into_bytes()));
    seeds.push(text(ONE, 4, 5123, ",\"uri\":\"a%20b.bin\"").into_bytes());
    seeds.push(text(ONE, 4, 5123, "").into_bytes());
    seeds.push(b"glTF\x02\0\0\0\xff\0\0\0".to_vec());
    seeds.push(b"glTF".to_vec());
    seeds.push(plain.into_bytes());
    seeds
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = group.iter().chain([&0; 3]).take(3).fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let letter = move |i: u32| LETTERS[(bits >> (18 - 6 * i)) as usize & 63] as char;
        let count = group.len() as u32 + 1;
        (0..4).map(move |i| if i < count { letter(i) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

const GOLDEN: [&str; 2] = [
    r#"# why the positions may be off
extricate golden file, version 1
scene "scenes/a b.ron"
input 0123456789abcdef
text 00000000000000ff
file "parts/ring.obj" 0000000000000001
program "0.1.0"
library "rapier3d-f64" "0.36.0"
target "x86_64-unknown-linux-gnu"
time_step 0.0025
steps 20
every 10
seed 7
scale length 2
scale body 0.5
scale speed 6.25
scale energy 10
sliding "arm/rail"
tolerance position 0.001
tolerance rotation 1e-6
tolerance linear_velocity 1e-5
tolerance angular_velocity 1e-5
tolerance joint 1e-6
tolerance nodes 1e-6
tolerance volume 1e-6
tolerance inverted 0
tolerance penetration 1e-6
tolerance energy 1e-6
tolerance contacts any
bound worst_penetration 0.001
bound energy_gain 0
trail 10 00000000000000aa

state 0 time 0 hash 00000000000000a0
body "ball \"1\"" position 0 0 1.25
body "box" position 1 2 3 rotation 0.6 0.8 0 0 linear_velocity 0 0 -1 angular_velocity 0.5 0 0
robot "arm" position 0 0 0
joint "arm" "rail" 0.1
soft "jelly" centroid 0 0 0.5 volume 0.125 max_penetration 0 inverted 0
energy 1 2 0.5
contacts 0
max_penetration 0

state 20 time 0.05 hash 00000000000000a1
body "box" position 1 2 2.95 rotation 0.6 0.8 0 0 linear_velocity 0 0 -1 angular_velocity 0.5 0 0
energy 1 1.5 0.5
contacts 4
max_penetration 0.0001
"#,
    r#"{"format":"extricate golden file, version 2","scene":"a.ron","input":"0123456789abcdef","text":"00000000000000ff","files":[],"made_by":{"program":"0.1.0"},"options":{"time_step":0.0025,"steps":20,"every":10,"seed":7},"scales":{"length":2,"body":0.5,"speed":6.25,"energy":10},"tolerances":{"position":0.001,"contacts":"any"},"bounds":{"energy_gain":0},"trail":{"10":"00000000000000aa"},"rounding":0.01}
{"step":0,"time":0,"bodies":{"box":{"position":[1,2,3],"rotation":[0.6,0.8,0,0],"linear_velocity":[0,0,-1],"angular_velocity":[0.5,0,0]}},"robots":{"arm":{"joints":{"rail":0.1},"base":{"translation":[0,0,0],"rotation":[1,0,0,0]}}},"soft":{"jelly":{"centroid":[0,0,0.5],"velocity":[0,0,0],"max_penetration":0,"volume":0.125,"inverted":0}},"energy":{"kinetic":1,"potential":2,"elastic":0.5},"contacts":0,"max_penetration":0,"hash":"00000000000000a0"}
{"step":20,"time":0.05,"bodies":{},"energy":{"kinetic":1,"potential":1.5,"elastic":0.5},"contacts":4,"max_penetration":0.0001,"hash":"00000000000000a1","tolerances":{"position":"any"}}
"#,
];

const MANIFEST: [&str; 1] = [
    r#"{"kind": "penetration", "id": "first", "a": "cup.obj", "b": "box:1,1,1", "poses": {"a": {"translation": [0, 0, 1]}}, "start": "normals", "lower_bound": "cover:100", "effort": "fast"}
{"kind": "collide", "a": "m.obj", "b": "sphere:1", "all": true, "segments": true, "surface": true}
{"kind": "distance", "a": "m.obj", "b": "hull:m.obj", "tolerance": "1%", "closer_than": 1, "signed": true}
{"kind": "generalized", "a": "cup.obj", "b": "halfspace", "effort": "fast", "clearance": 0.01, "seed": 5}
{"kind": "repair", "scene": "a.ron", "turn": true, "clearance": 0.1, "fix": ["a"]}
{"kind": "repair", "robot": "r.urdf", "joints": {"a": 1}, "base": {}, "obstacle": ["box:1,1,1@0,0,1"], "fix": ["a"], "weight": {"a": 2}, "allow": [["a", "b"]], "forbid": [["a", "b"]], "floating": true, "package": ["p"]}
{"kind": "run", "scene": "a.ron", "steps": 10, "every": 2, "dt": 0.001}
{"kind": "other"}
{"kind": "run", "id": "../x"}
{"kind": "run", "nothing": 1}
[]
{
"#,
];
