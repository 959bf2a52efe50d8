use super::*;

fn commands(text: &str) -> Vec<ScriptCommand> {
    let lines = parse(Path::new("s.txt"), text).unwrap_or_else(|error| panic!("{error}"));
    lines.into_iter().map(|line| line.command).collect()
}

fn error(text: &str) -> String {
    parse(Path::new("s.txt"), text).expect_err("the line is invalid").to_string()
}

#[test]
fn all_commands_are_read() {
    let text = "
# A script.
wait 0.5   # simulated seconds
key space
key →
click 10 20
drag 1 2 to 3.5 -4 in 0.25
select \"a b\"
camera 1 2 3 to 0 0 0.5
speed 4
joint arm/elbow -1.2
move ball 1 2 -3e-1
set \"a b\" position 1 2 -3e-1
repair
save out/posed.ron
save \"q 1.json\"
picture a.PNG
quit";
    let pixel = Vector2::new;
    assert_eq!(
        commands(text),
        [
            ScriptCommand::Wait(0.5),
            ScriptCommand::Key("space".into()),
            ScriptCommand::Key("→".into()),
            ScriptCommand::Click(pixel(10.0, 20.0)),
            ScriptCommand::Drag { ends: [pixel(1.0, 2.0), pixel(3.5, -4.0)], seconds: 0.25 },
            ScriptCommand::Select("a b".into()),
            ScriptCommand::Camera { eye: Point3::new(1.0, 2.0, 3.0), target: Point3::new(0.0, 0.0, 0.5) },
            ScriptCommand::Speed(4.0),
            ScriptCommand::Joint { name: "arm/elbow".into(), value: -1.2 },
            ScriptCommand::Move { name: "ball".into(), to: Point3::new(1.0, 2.0, -0.3) },
            ScriptCommand::Set { body: "a b".into(), field: BodyField::Position, value: "1 2 -3e-1".into() },
            ScriptCommand::Repair,
            ScriptCommand::Save("out/posed.ron".into()),
            ScriptCommand::Save("q 1.json".into()),
            ScriptCommand::Picture("a.PNG".into()),
            ScriptCommand::Quit,
        ]
    );
}

#[test]
fn empty_lines_and_comments_count_as_lines() {
    let lines = parse(Path::new("s.txt"), "\n# nothing\nquit\n").expect("a script");
    assert_eq!(lines, [Line { number: 3, command: ScriptCommand::Quit }]);
}

#[test]
fn invalid_lines_are_reported_with_file_line_and_syntax() {
    assert!(error("quit\nfly 3").starts_with("s.txt:2: unknown command `fly`; expected one of wait, key,"));
    assert_eq!(error("click 1"), "s.txt:1: invalid arguments of `click`; expected: click X Y");
    assert_eq!(
        error("drag 1 2 to 3 4"),
        "s.txt:1: invalid arguments of `drag`; expected: drag X Y to X Y in SECONDS"
    );
    assert_eq!(error("wait -1"), "s.txt:1: negative value -1; expected zero or more");
    assert_eq!(error("wait NaN"), "s.txt:1: invalid number `NaN`; expected a finite number");
    assert_eq!(error("\nclick 1 inf"), "s.txt:2: invalid number `inf`; expected a finite number");
    assert_eq!(error("select \"a b"), "s.txt:1: unterminated quote");
    assert_eq!(error("picture a.jpg"), "s.txt:1: invalid arguments of `picture`; expected: picture FILE.png");
    assert!(
        error("set ball weight 1").starts_with("s.txt:1: unknown field `weight`; expected one of kind, ")
    );
    assert_eq!(error("set ball mass"), "s.txt:1: invalid arguments of `set`; expected: set BODY FIELD VALUE");
    assert_eq!(
        error("joint elbow 1"),
        "s.txt:1: invalid arguments of `joint`; expected: joint ROBOT/JOINT VALUE"
    );
}

#[test]
fn the_scripts_of_the_repository_are_valid_and_the_documentation_shows_one() {
    let bars = include_str!("../../../../../assets/scripts/bars.txt");
    let rings = include_str!("../../../../../assets/scripts/rings.txt");
    assert!(
        commands(bars).contains(&ScriptCommand::Repair) && commands(rings).contains(&ScriptCommand::Repair)
    );
    let page = include_str!("../../../../../docs/viewer.md");
    assert!(page.contains(bars), "docs/viewer.md should hold assets/scripts/bars.txt");
    for (name, syntax) in SYNTAX {
        let first = syntax.split(" or ").next().unwrap_or(syntax);
        assert!(page.contains(&format!("| `{first}")) || page.contains(&format!("| `{name} ")), "{syntax}");
    }
}
