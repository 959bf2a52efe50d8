//! The commonest mistakes of a newcomer: each answer names place, finding and what is accepted, and where there is one the
//! command that helps. `docs/messages.md` shows these answers; `EXTRICATE_WRITE_MESSAGES=1` rewrites it.

mod cli_program;

use std::fmt::Write;
use std::path::Path;

use cli_program::{Ended, ScratchFolder, program};

/// A mistake: files, a command, and its answer.
struct Mistake {
    title: &'static str,
    /// Names and contents.
    files: &'static [(&'static str, &'static str)],
    /// Arguments of the program, separated by spaces.
    command: &'static str,
    exit: i32,
    /// Parts of the answer without which it does not help.
    parts: &'static [&'static str],
    advice: &'static str,
}

const SCENE: &str = "(title: \"t\", duration: 0.02,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\")])";
const OPEN: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
const CLOSED: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const LARGE: &str = "v 0 0 0\nv 250 0 0\nv 0 250 0\nv 0 0 250\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const ARM: &str = "<robot name=\"arm\">
  <link name=\"base\"/>
  <link name=\"hand\"><collision><geometry><box size=\"0.1 0.1 0.1\"/></geometry></collision></link>
  <joint name=\"elbow\" type=\"revolute\">
    <parent link=\"base\"/><child link=\"hand\"/><axis xyz=\"0 1 0\"/><limit lower=\"-2\" upper=\"2\"/>
  </joint>
</robot>";

/// The mistakes, by section of the page.
const MISTAKES: [(&str, &[Mistake]); 6] = [
    (
        "Files",
        &[
            Mistake {
                title: "A misspelt path",
                files: &[("scenes/falling.ron", SCENE)],
                command: "run scenes/fallng.ron",
                exit: 3,
                parts: &[
                    "cannot read the scene scenes/fallng.ron",
                    "no such file",
                    "did you mean `scenes/falling.ron`?",
                ],
                advice: "Without a similar name in the folder the message ends with the missing file, or with the first folder of the path that does not exist.",
            },
            Mistake {
                title: "A folder instead of a scene",
                files: &[("scenes/falling.ron", SCENE)],
                command: "run scenes",
                exit: 3,
                parts: &["cannot read the scene scenes", "is a folder", "extricate verify scenes"],
                advice: "`run` takes one scene, `verify` all scenes of a folder.",
            },
            Mistake {
                title: "A robot instead of a scene",
                files: &[("arm.urdf", ARM)],
                command: "check arm.urdf",
                exit: 3,
                parts: &[
                    "arm.urdf:1",
                    "not a scene but a robot (URDF)",
                    "robots: [(",
                    "extricate query self-collision",
                ],
                advice: "A scene names the robot; queries and repairs also take the URDF file itself.",
            },
            Mistake {
                title: "A mesh instead of a scene",
                files: &[("cup.obj", CLOSED)],
                command: "run cup.obj",
                exit: 3,
                parts: &[
                    "cup.obj:1",
                    "not a scene but a mesh",
                    "mesh(file: ",
                    "extricate convert",
                    "extricate query",
                ],
                advice: "[First scene](tutorials/first-scene.md) shows a scene with meshes.",
            },
            Mistake {
                title: "JSON instead of RON",
                files: &[("scene.json", "{\"title\": \"t\", \"duration\": 1}")],
                command: "run scene.json",
                exit: 3,
                parts: &["scene.json:1", "not a scene but JSON", "(title: "],
                advice: "[Scenes](scenes.md) are RON: parentheses around structures, field names without quotes.",
            },
            Mistake {
                title: "Results that cannot be written",
                files: &[("scene.ron", SCENE), ("out", "")],
                command: "run scene.ron -o out/ball",
                exit: 2,
                parts: &["cannot write", "out/ball"],
                advice: "Here `out` is a file. A folder of an earlier run may exist: its results are replaced.",
            },
            Mistake {
                title: "A misspelt command",
                files: &[],
                command: "chek scene.ron",
                exit: 2,
                parts: &["unrecognized subcommand 'chek'", "'check'"],
                advice: "`extricate --help` lists the commands, `extricate COMMAND --help` the options with examples.",
            },
            Mistake {
                title: "A misspelt option",
                files: &[("scene.ron", SCENE)],
                command: "run scene.ron --on-overlp repair",
                exit: 2,
                parts: &["unexpected argument '--on-overlp'", "'--on-overlap'"],
                advice: "",
            },
        ],
    ),
    (
        "Scenes",
        &[
            Mistake {
                title: "A misspelt field",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\",\n  frction: 0.3)])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &[
                    "scene.ron:4:3",
                    "unknown field `frction` of `Body`; did you mean `friction`?",
                    "accepted: name, shape",
                ],
                advice: "",
            },
            Mistake {
                title: "The word of another program",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1,\nshapes: {\"s\": sphere(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\")])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &[
                    "scene.ron:2:15",
                    "unknown value `sphere` of `Shape`; did you mean `ball`?",
                    "accepted: mesh",
                ],
                advice: "Synonyms of common libraries are recognized: `box`, `cube`, `plane`, `hinge`, `slider`, `static`, `pos`, `quat` and others.",
            },
            Mistake {
                title: "A shape of the command line",
                files: &[],
                command: "query collide cuboid:1,1,1 sphere:1",
                exit: 2,
                parts: &["`cuboid:1,1,1`", "unknown shape `cuboid`", "box:X,Y,Z", "did you mean `box`?"],
                advice: "",
            },
            Mistake {
                title: "A decimal comma",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1, gravity: (0, 0, -9,81),\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\")])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &["scene.ron:1:", "`9,81` are two numbers", "decimal point: `9.81`"],
                advice: "",
            },
            Mistake {
                title: "A name that nothing has",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"door\", shape: \"s\"), (name: \"frame\", shape: \"s\", kind: fixed)],\njoints: [(name: \"hinge\", bodies: (\"fram\", \"door\"), kind: fixed)])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &[
                    "scene.ron:4:35",
                    "unknown body `fram`; did you mean `frame`?",
                    "known names: door, frame",
                ],
                advice: "",
            },
            Mistake {
                title: "A duplicate name",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\"),\n  (name: \"a\", shape: \"s\")])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &["scene.ron:4:10", "duplicate name `a`", "must be unique", "first here"],
                advice: "Many equal bodies are one body with `copies`.",
            },
            Mistake {
                title: "A scene without bodies",
                files: &[("scene.ron", "(title: \"t\", duration: 1,\nshapes: {\"s\": ball(radius: 0.5)})")],
                command: "run scene.ron",
                exit: 3,
                parts: &["scene.ron:1:1", "no bodies, robots or soft bodies", "bodies: [(name: "],
                advice: "A shape is only a form; a body has it.",
            },
            Mistake {
                title: "A quaternion of another length",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\",\n  rotation: quaternion(1, 1, 0, 0))])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &[
                    "scene.ron:4:13",
                    "(w, x, y, z) has length 1.414",
                    "must be a unit vector",
                    "divide it by 1.414",
                ],
                advice: "The order is w, x, y, z in every file and option.",
            },
            Mistake {
                title: "Bodies that overlap at the start",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 0.02,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\"),\n  (name: \"b\", shape: \"s\", position: (0.6, 0, 0))])",
                )],
                command: "run scene.ron",
                exit: 0,
                parts: &[
                    "warning: scene.ron: bodies overlap at the start",
                    "a and b",
                    "0.4 m deep",
                    "--on-overlap repair",
                    "extricate check scene.ron",
                ],
                advice: "`extricate repair scene.ron -o repaired.ron` writes the scene with the bodies moved apart; `on_overlap: ignore` in the scene states that the overlap is meant.",
            },
            Mistake {
                title: "No golden file",
                files: &[("scene.ron", SCENE)],
                command: "verify scene.ron --golden golden",
                exit: 1,
                parts: &["golden/scene.golden", "not found", "--update writes it"],
                advice: "`extricate record` writes the golden file of a single scene.",
            },
        ],
    ),
    (
        "Units and values",
        &[
            Mistake {
                title: "A negative size",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1,\nshapes: {\"s\": cuboid(size: (1, -1, 1))},\nbodies: [(name: \"a\", shape: \"s\")])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &["scene.ron:2:32", "the edge length [m] is -1, but must be above zero"],
                advice: "Sizes of a `cuboid` are whole edges, not halves.",
            },
            Mistake {
                title: "A mass of zero",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 1,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\", mass: 0)])",
                )],
                command: "check scene.ron",
                exit: 3,
                parts: &["scene.ron:3:40", "the mass [kg] is 0, but must be above zero", "kind: fixed"],
                advice: "Without `mass` and `density` a body has the density of water.",
            },
            Mistake {
                title: "A density in g/cm³",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 0.02,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\", density: 2.7)])",
                )],
                command: "check scene.ron",
                exit: 0,
                parts: &["warning: scene.ron:3:43", "the density of `a` is 2.7 kg/m³", "g/cm³", "1000"],
                advice: "",
            },
            Mistake {
                title: "A mesh in millimetres",
                files: &[
                    (
                        "scene.ron",
                        "(title: \"t\", duration: 0.02,\nshapes: {\"s\": mesh(file: \"part.obj\")},\nbodies: [(name: \"a\", shape: \"s\")])",
                    ),
                    ("part.obj", LARGE),
                ],
                command: "check scene.ron",
                exit: 0,
                parts: &[
                    "warning: scene.ron:2:26",
                    "shape `s` is 250 m large",
                    "millimetres",
                    "scale: 0.001",
                ],
                advice: "`extricate convert part.obj scaled.obj --scale 0.001` scales the file itself.",
            },
            Mistake {
                title: "A time step of zero",
                files: &[("scene.ron", SCENE)],
                command: "run scene.ron --dt 0",
                exit: 2,
                parts: &["'0'", "--dt", "in seconds above zero"],
                advice: "Without `--dt` and `time_step` the step is that of the `accuracy`.",
            },
            Mistake {
                title: "A time step of a second",
                files: &[(
                    "scene.ron",
                    "(title: \"t\", duration: 2, time_step: 1,\nshapes: {\"s\": ball(radius: 0.5)},\nbodies: [(name: \"a\", shape: \"s\")])",
                )],
                command: "check scene.ron",
                exit: 0,
                parts: &["warning: scene.ron:1:38", "the time step of 1 s is long", "0.01 s"],
                advice: "`every` of a run, not the time step, sets how many states are recorded.",
            },
        ],
    ),
    (
        "Meshes",
        &[
            Mistake {
                title: "A mesh that is not found",
                files: &[
                    (
                        "scenes/scene.ron",
                        "(title: \"t\", duration: 1,\nshapes: {\"s\": mesh(file: \"cub.obj\")},\nbodies: [(name: \"a\", shape: \"s\")])",
                    ),
                    ("scenes/cup.obj", CLOSED),
                ],
                command: "check scenes/scene.ron",
                exit: 3,
                parts: &[
                    "scenes/scene.ron:2:26",
                    "scenes/cub.obj",
                    "no such file; did you mean `scenes/cup.obj`?",
                    "relative to the folder of the scene",
                ],
                advice: "",
            },
            Mistake {
                title: "A format that is not read",
                files: &[("part.step", "ISO-10303-21;")],
                command: "query penetration part.step box:1,1,1",
                exit: 3,
                parts: &["part.step", "unsupported mesh format \"step\"", "obj, stl, ply, off"],
                advice: "CAD programs export STEP, IGES and FBX as STL, OBJ or glTF.",
            },
            Mistake {
                title: "A Git LFS pointer",
                files: &[(
                    "cup.obj",
                    "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 132\n",
                )],
                command: "query penetration cup.obj box:1,1,1",
                exit: 3,
                parts: &["cup.obj", "Git LFS pointer", "git lfs pull"],
                advice: "",
            },
            Mistake {
                title: "A mesh without triangles",
                files: &[("cloud.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n")],
                command: "query distance cloud.obj box:1,1,1",
                exit: 3,
                parts: &["cloud.obj", "no triangles (3 vertices)"],
                advice: "The convex hull of a point cloud needs a mesh as well: triangulate it first.",
            },
            Mistake {
                title: "An open mesh as a moving body",
                files: &[
                    (
                        "scene.ron",
                        "(title: \"t\", duration: 1,\nshapes: {\"s\": mesh(file: \"open.obj\")},\nbodies: [(name: \"a\", shape: \"s\")])",
                    ),
                    ("open.obj", OPEN),
                ],
                command: "check scene.ron",
                exit: 3,
                parts: &[
                    "scene.ron:3:29",
                    "is a surface (3 open edges) without volume",
                    "give the body a `mass`",
                    "hull(of: ",
                    "extricate convert",
                ],
                advice: "Close the mesh, give the body a `mass`, or take the convex hull.",
            },
            Mistake {
                title: "An open mesh where a solid is needed",
                files: &[("open.obj", OPEN)],
                command: "query penetration open.obj box:1,1,1 --solid",
                exit: 3,
                parts: &["open.obj is not a solid", "it is open (3 of 6 edges)", "extricate convert"],
                advice: "",
            },
            Mistake {
                title: "An open mesh that was meant as a solid",
                files: &[("open.obj", OPEN)],
                command: "query penetration open.obj box:1,1,1",
                exit: 0,
                parts: &[
                    "warning: open.obj has no inside",
                    "open (3 of 6 edges)",
                    "extricate convert",
                    "0: 0.5 m deep",
                ],
                advice: "`--surface` states that it is meant, and `--solid` refuses such a mesh.",
            },
        ],
    ),
    (
        "Robots",
        &[
            Mistake {
                title: "A joint without a unit",
                files: &[
                    (
                        "scene.ron",
                        "(title: \"t\", duration: 0.02,\nrobots: [(name: \"arm\", file: \"arm.urdf\", joints: {\"elbow\": 0.5})])",
                    ),
                    ("arm.urdf", ARM),
                ],
                command: "check scene.ron",
                exit: 3,
                parts: &[
                    "scene.ron:2:60",
                    "number without a name or unit: `0.5`",
                    "degrees(30)",
                    "metres(0.1)",
                ],
                advice: "",
            },
            Mistake {
                title: "Degrees as radians",
                files: &[
                    (
                        "scene.ron",
                        "(title: \"t\", duration: 0.02,\nrobots: [(name: \"arm\", file: \"arm.urdf\", joints: {\"elbow\": radians(90)})])",
                    ),
                    ("arm.urdf", ARM),
                ],
                command: "check scene.ron",
                exit: 3,
                parts: &[
                    "scene.ron:2:60",
                    "joint `elbow` starts at 90, outside its limits -2 to 2 [rad]",
                    "degrees(90)",
                ],
                advice: "",
            },
            Mistake {
                title: "Joints instead of a file of joints",
                files: &[("arm.urdf", ARM)],
                command: "repair --robot arm.urdf --joints elbow=1",
                exit: 3,
                parts: &[
                    "cannot read the configurations elbow=1",
                    "{\"joints\": {\"elbow\": 1}}",
                    "rad or m",
                ],
                advice: "",
            },
            Mistake {
                title: "A misspelt joint",
                files: &[("arm.urdf", ARM), ("q.json", "{\"joints\": {\"elbov\": 1}}")],
                command: "repair --robot arm.urdf --joints q.json",
                exit: 3,
                parts: &["q.json:1", "unknown joint \"elbov\"", "(elbow)", "did you mean `elbow`?"],
                advice: "",
            },
            Mistake {
                title: "Degrees in a file of joints",
                files: &[("arm.urdf", ARM), ("q.json", "{\"joints\": {\"elbow\": 90}}")],
                command: "repair --robot arm.urdf --joints q.json",
                exit: 0,
                parts: &[
                    "warning: q.json:1: joint `elbow` is at 90 rad, outside its limits -2 to 2",
                    "in degrees?",
                ],
                advice: "Values in JSON are in rad and m; the answer moves the joint into its limits.",
            },
            Mistake {
                title: "A misspelt link",
                files: &[("arm.urdf", ARM)],
                command: "query self-collision arm.urdf --allow base,hnad",
                exit: 2,
                parts: &["arm.urdf has no link `hnad`", "base, hand", "did you mean `hand`?"],
                advice: "",
            },
            Mistake {
                title: "A pose with too few numbers",
                files: &[("arm.urdf", ARM)],
                command: "repair --robot arm.urdf --obstacle box:1,1,1@1,2",
                exit: 2,
                parts: &["`box:1,1,1@1,2`", "3 numbers (x,y,z) or 7", "not 2"],
                advice: "The quaternion after the position is w, qx, qy, qz.",
            },
            Mistake {
                title: "A package that is not found",
                files: &[(
                    "arm.urdf",
                    "<robot name=\"arm\">\n  <link name=\"hand\"><collision><geometry>\n    <mesh filename=\"package://arm_description/hand.stl\"/>\n  </geometry></collision></link>\n</robot>",
                )],
                command: "query self-collision arm.urdf",
                exit: 3,
                parts: &[
                    "arm.urdf:",
                    "link \"hand\"",
                    "package://arm_description/hand.stl",
                    "not found",
                    "package \"arm_description\"",
                    "--package DIR",
                    "packages: [\"DIR\"]",
                ],
                advice: "DIR is the folder of the package, or one that holds packages.",
            },
            Mistake {
                title: "A robot whose meshes are missing",
                files: &[(
                    "arm.urdf",
                    "<robot name=\"arm\">\n  <link name=\"hand\"><collision><geometry>\n    <mesh filename=\"meshes/hand.stl\"/>\n  </geometry></collision></link>\n</robot>",
                )],
                command: "query self-collision arm.urdf",
                exit: 3,
                parts: &[
                    "arm.urdf:",
                    "link \"hand\"",
                    "mesh \"meshes/hand.stl\" not found",
                    "the folder meshes does not exist",
                ],
                advice: "Robots are often published without their meshes, or with meshes in Git LFS.",
            },
            Mistake {
                title: "A robot without collision shapes",
                files: &[(
                    "arm.urdf",
                    "<robot name=\"arm\">\n  <link name=\"hand\"><visual><geometry><sphere radius=\"0.1\"/></geometry></visual></link>\n</robot>",
                )],
                command: "query self-collision arm.urdf",
                exit: 0,
                parts: &["warning: arm.urdf", "no link has a <collision> shape", "--visual"],
                advice: "",
            },
            Mistake {
                title: "A joint of a link that does not exist",
                files: &[(
                    "arm.urdf",
                    "<robot name=\"arm\">\n  <link name=\"base\"/>\n  <link name=\"hand\"/>\n  <joint name=\"elbow\" type=\"fixed\">\n    <parent link=\"bse\"/><child link=\"hand\"/>\n  </joint>\n</robot>",
                )],
                command: "query self-collision arm.urdf",
                exit: 3,
                parts: &["arm.urdf:4", "joint \"elbow\" names the link \"bse\"", "did you mean `base`?"],
                advice: "",
            },
            Mistake {
                title: "Broken XML",
                files: &[("arm.urdf", "<robot name=\"arm\">\n  <link name=\"base\">\n</robot>")],
                command: "query self-collision arm.urdf",
                exit: 3,
                parts: &["arm.urdf:3", "invalid XML", "expected 'link' tag"],
                advice: "",
            },
            Mistake {
                title: "A link without mass",
                files: &[
                    (
                        "scene.ron",
                        "(title: \"t\", duration: 0.02,\nrobots: [(name: \"arm\", file: \"arm.urdf\")])",
                    ),
                    (
                        "arm.urdf",
                        "<robot name=\"arm\">\n  <link name=\"base\"/>\n  <link name=\"hand\"/>\n  <joint name=\"elbow\" type=\"continuous\">\n    <parent link=\"base\"/><child link=\"hand\"/>\n  </joint>\n</robot>",
                    ),
                ],
                command: "check scene.ron",
                exit: 0,
                parts: &[
                    "arm.urdf:3",
                    "link \"hand\"",
                    "it moves and has no mass",
                    "<inertial>",
                    "its mass is",
                ],
                advice: "",
            },
        ],
    ),
    (
        "Queries",
        &[
            Mistake {
                title: "The depth of two shapes that are apart",
                files: &[("poses.jsonl", "{\"a\": {\"translation\": [1.5, 0, 0]}}")],
                command: "query penetration box:1,1,1 sphere:0.5 --poses poses.jsonl",
                exit: 0,
                parts: &["0: separate: 0.5 m apart"],
                advice: "`query distance` gives the closest points as well, and with `--signed` one number for both cases.",
            },
            Mistake {
                title: "The depth of two solids that only touch",
                files: &[("poses.jsonl", "{\"a\": {\"translation\": [-1, 0, 0]}}"), ("wedge.obj", CLOSED)],
                command: "query penetration wedge.obj wedge.obj --poses poses.jsonl",
                exit: 0,
                parts: &["0: they touch, 0 m deep", "frees it"],
                advice: "Touching is a collision; a gap of 1e-10 of the size is free.",
            },
            Mistake {
                title: "A pose behind a shape with too few numbers",
                files: &[],
                command: "query collide box:1,1,1@2,0 box:1,1,1",
                exit: 2,
                parts: &["`box:1,1,1@2,0`", "3 numbers (x,y,z)"],
                advice: "",
            },
            Mistake {
                title: "A quaternion of zero in a file of poses",
                files: &[("poses.jsonl", "{}\n{\"a\": {\"rotation\": [0, 0, 0, 0]}}")],
                command: "query collide box:1,1,1 box:1,1,1 --poses poses.jsonl",
                exit: 3,
                parts: &["poses.jsonl:2", "pose of a", "length 0", "must have length 1"],
                advice: "",
            },
            Mistake {
                title: "A mesh path with a typing error",
                files: &[("cup.obj", CLOSED)],
                command: "query collide cpu.obj box:1,1,1",
                exit: 3,
                parts: &["cpu.obj", "no such file; did you mean `cup.obj`?"],
                advice: "",
            },
        ],
    ),
];

/// The program in the folder of the files.
fn answer(mistake: &Mistake) -> Ended {
    // Among the temporary files of the system: no folder above marks a root.
    let folder = ScratchFolder::new();
    for (name, content) in mistake.files {
        let parent = Path::new(name).parent().expect("a file has a folder");
        std::fs::create_dir_all(folder.folder().join(parent)).expect("a folder");
        folder.write(name, content);
    }
    let run = program().args(mistake.command.split(' ')).current_dir(folder.folder()).output();
    let mut ended = Ended::from(run.expect("the program starts"));
    for text in [&mut ended.stdout, &mut ended.stderr] {
        *text = text.replace(&*folder.folder().to_string_lossy(), "/home/me");
    }
    ended
}

/// The answer as the page shows it: of a run that succeeds the warnings only, since its times differ.
fn shown(mistake: &Mistake, ended: &Ended) -> String {
    let runs = mistake.command.starts_with("run") || mistake.command.starts_with("repair");
    let stdout = if runs { "" } else { ended.stdout.as_str() };
    let hash = stdout.split_once("(hash ").and_then(|(_, rest)| rest.split(')').next());
    let stdout = hash.map_or_else(|| stdout.to_owned(), |hash| stdout.replace(hash, "…"));
    let lines = ended.stderr.lines().chain(stdout.lines()).map(str::trim_end);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_mistake_is_answered_with_place_finding_and_what_is_accepted() {
    let mut page = String::new();
    let mut wrong = String::new();
    for (section, mistakes) in MISTAKES {
        writeln!(page, "\n## {section}").unwrap();
        for mistake in mistakes {
            let ended = answer(mistake);
            let text = shown(mistake, &ended);
            let missing: Vec<_> = mistake.parts.iter().filter(|part| !text.contains(**part)).collect();
            if ended.exit != mistake.exit || !missing.is_empty() || text.contains("panicked") {
                let Mistake { title, exit, .. } = mistake;
                writeln!(wrong, "{title}: exit {} of {exit}, lacks {missing:?}:\n{text}\n", ended.exit)
                    .unwrap();
            }
            let Mistake { title, command, advice, .. } = mistake;
            writeln!(page, "\n### {title}\n\n```text\n$ extricate {command}\n{text}\n```").unwrap();
            if !advice.is_empty() {
                writeln!(page, "\n{advice}").unwrap();
            }
        }
    }
    let (path, begin) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/messages.md"), "<!-- messages -->\n");
    let written = std::fs::read_to_string(&path).unwrap();
    let (above, below) = written.split_once(begin).unwrap();
    if std::env::var_os("EXTRICATE_WRITE_MESSAGES").is_some() {
        std::fs::write(&path, format!("{above}{begin}{page}")).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
    if std::env::var_os("EXTRICATE_WRITE_MESSAGES").is_none() {
        assert!(
            below == page,
            "docs/messages.md is not up to date: `just messages` rewrites it; now:\n{page}"
        );
    }
}
