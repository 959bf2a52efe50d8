use std::path::{Path, PathBuf};

use extricate_test_support::ScratchFolder;

use crate::kinematics::urdf::{Robot, RobotFileError, UrdfOptions, parse_urdf, read_urdf};

const SPACE: &str = "xmlns:xacro=\"http://www.ros.org/wiki/xacro\"";

struct World(ScratchFolder);

impl World {
    fn new() -> Self {
        Self(ScratchFolder::new())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.folder().join(name);
        std::fs::create_dir_all(path.parent().expect("a path in the folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    fn robot(&self, body: &str, arguments: &[(&str, &str)]) -> Result<Robot, RobotFileError> {
        let path =
            self.write("arm/urdf/a.urdf.xacro", &format!("<robot name=\"r\" {SPACE}>\n{body}</robot>"));
        let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        read_urdf(path, &UrdfOptions { arguments: arguments.collect(), ..UrdfOptions::default() })
    }

    fn error(&self, body: &str) -> String {
        let error = self.robot(body, &[]).expect_err("cannot be expanded").to_string();
        let path = self.0.folder().join("arm/urdf/a.urdf.xacro");
        let cause = error.strip_prefix(&format!("{}: cannot expand this xacro: ", path.display()));
        let cause = cause.unwrap_or_else(|| panic!("{error}"));
        let remedy = format!("; expand first: xacro {} > ROBOT.urdf", path.display());
        cause.strip_suffix(&*remedy).unwrap_or_else(|| panic!("{error}")).to_owned()
    }
}

#[test]
fn macros_arguments_and_files_of_the_package_are_expanded() {
    let world = World::new();
    world.write("arm/package.xml", "<package><name>arm_description</name></package>");
    world.write("arm/config/lengths.yaml", "arm: {length: 2.5, bend: !degrees 90}\nnames: [its, b]\n");
    world.write(
        "arm/urdf/link.xacro",
        &format!(
            "<robot {SPACE}><xacro:macro name=\"leg\" params=\"name length:=1 *shape\"><link name=\"${{name}}\">\
             <collision><xacro:insert_block name=\"shape\"/></collision></link>\
             <joint name=\"to_${{name}}\" type=\"fixed\"><parent link=\"base\"/><child link=\"${{name}}\"/>\
             <origin xyz=\"${{length * 2}} 0 0\" rpy=\"0 0 ${{bend}}\"/></joint></xacro:macro></robot>"
        ),
    );
    let body = "<xacro:arg name=\"file\" default=\"link\"/><xacro:arg name=\"side\" default=\"left\"/>\
        <xacro:include filename=\"$(find arm_description)/urdf/$(arg file).xacro\"/>\
        <xacro:property name=\"lengths\" value=\"${xacro.load_yaml('$(find arm_description)/config/lengths.yaml')}\"/>\
        <xacro:property name=\"bend\" value=\"${lengths['arm']['bend']}\"/><link name=\"base\"/>\
        <xacro:leg name=\"$(arg side)\" length=\"${lengths['arm']['length']}\"><geometry><box size=\"1 1 1\"/></geometry></xacro:leg>\
        <xacro:if value=\"${False}\"><xacro:include filename=\"$(find none)/a.xacro\"/></xacro:if>";
    let robot = world.robot(body, &[("side", "right")]).unwrap();
    assert_eq!(robot.articulation.links(), ["base", "right"]);
    assert!(robot.meshes[1].is_some());
    let joint = &robot.articulation.joints()[0];
    assert_eq!((&*joint.name, joint.origin.translation.vector.x), ("to_right", 5.0));
    assert!((joint.origin.rotation.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
}

#[test]
fn files_out_of_scope_are_not_included_however_they_are_named() {
    let world = World::new();
    world.write("out/a.xacro", "<robot><link name=\"stolen\"/></robot>");
    world.write("out/a.yaml", "a: 1");
    let out = world.0.folder().join("out");
    for name in ["../../out/a.xacro".to_owned(), format!("{}/a.xacro", out.display())] {
        let cause = world.error(&format!("<xacro:include filename=\"{name}\"/><link name=\"a\"/>"));
        assert!(cause.contains("a.urdf.xacro:2: ") && cause.contains("lies outside of"), "{cause}");
    }
    let yaml = |name: &str| {
        world.error(&format!(
            "<xacro:property name=\"p\" value=\"${{load_yaml({name})}}\"/><link name=\"${{p}}\"/>"
        ))
    };
    assert!(yaml("'../../out/a.yaml'").contains("lies outside of"), "{}", yaml("'../../out/a.yaml'"));
    world.write("arm/urdf/quoted.yaml", "a: it's");
    assert!(
        yaml("'quoted.yaml'")
            .ends_with("quoted.yaml: the text \"it's\" has quotes, which expressions cannot hold")
    );
    let cause = world.error("<link name=\"${load_yaml('../../out/a.yaml')['a']}\"/>");
    assert_eq!(cause, "load_yaml is read only as the whole value of a property");
}

#[test]
fn what_cannot_be_expanded_is_refused_with_its_cause() {
    let world = World::new();
    let include = |name: &str| world.error(&format!("<xacro:include filename=\"{name}\"/>"));
    assert!(include("none.xacro").contains("none.xacro cannot be read: "), "{}", include("none.xacro"));
    assert!(
        include("$(find none)/a.xacro").contains("package \"none\" not found: no folder and no package.xml")
    );
    assert!(include("*.xacro").contains("\"*.xacro\" is a pattern of names"));
    assert!(include("${1 + 1}").contains("the name of the file \"${1 + 1}\" is not constant"));
    assert!(include("a.urdf.xacro").contains("includes itself"), "{}", include("a.urdf.xacro"));
    world.write("arm/urdf/bad.xacro", "<robot>\n<link></robot>");
    assert!(include("bad.xacro").contains("bad.xacro:2: invalid XML"), "{}", include("bad.xacro"));
    world.write("arm/urdf/bomb.xacro", "<!DOCTYPE a [<!ENTITY b 'c'>]><robot>&b;</robot>");
    assert!(include("bomb.xacro").contains("document type declarations"), "{}", include("bomb.xacro"));
    let endless =
        "<xacro:macro name=\"m\" params=\"n\"><xacro:m n=\"${n}\"/></xacro:macro><xacro:m n=\"1\"/>";
    assert!(world.error(endless).contains("recursion limit"), "{}", world.error(endless));
    assert!(world.error("<link name=\"${nothing}\"/><xacro:arm/>").contains("nothing"));
    assert!(world.error("<xacro:property name=\"f\" value=\"${(lambda x: x(x))(1)}\"/>").contains("lambda"));
    assert!(world.error("<link name=\"$(arg side)\"/><xacro:arm/>").contains("side"));
    let deep = format!("{}{}", "<a>".repeat(100), "</a>".repeat(100));
    assert!(world.error(&format!("<xacro:arm/>{deep}")).contains("nested more than 64 deep"));
}

#[test]
fn leftovers_of_an_expansion_are_refused_and_its_namespace_is_not() {
    let read = |link: &str| {
        let text = format!("<robot name=\"r\" {SPACE}>\n<link name=\"a\">{link}</link></robot>");
        parse_urdf(&text, Path::new("r.urdf"), &UrdfOptions::default()).map_err(|error| error.to_string())
    };
    assert!(read("<!-- <xacro:arm/> -->").is_ok());
    assert_eq!(
        read("<visual><origin xyz=\"$(optenv XYZ 0 0 0)\"/></visual>").unwrap_err(),
        "r.urdf:2: this is xacro, a template of a robot, and not fully expanded: `xyz` is \"$(optenv XYZ 0 0 0)\"; \
         expand first: xacro FILE > FILE.urdf"
    );
}
