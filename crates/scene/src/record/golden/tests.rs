use std::fmt::Write as _;

use super::*;
use crate::record::compare::Quantity;

/// A golden file of version 1 with one of everything.
const FIRST: &str = r#"# why the positions may be off
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
tolerance rotation 0.1
tolerance linear_velocity any
body "box" position 1 2 2.95 rotation 0.6 0.8 0 0 linear_velocity 0 0 -1 angular_velocity 0.5 0 0
energy 1 1.5 0.5
contacts 4
max_penetration 0.0001
"#;

/// The same in version 2.
const SECOND: &str = concat!(
    r#"{"format":"extricate golden file, version 2","comments":["why the positions may be off"],"scene":"scenes/a b.ron","#,
    r#""input":"0123456789abcdef","text":"00000000000000ff","#,
    r#""files":[{"name":"parts/ring.obj","hash":"0000000000000001"}],"#,
    r#""made_by":{"program":"0.1.0","libraries":{"rapier3d-f64":"0.36.0"},"target":"x86_64-unknown-linux-gnu"},"#,
    r#""options":{"time_step":0.0025,"steps":20,"every":10,"seed":7},"#,
    r#""scales":{"length":2.0,"body":0.5,"speed":6.25,"energy":10.0,"sliding":["arm/rail"]},"#,
    r#""tolerances":{"position":0.001,"rotation":1e-6,"linear_velocity":0.00001,"angular_velocity":0.00001,"joint":1e-6,"#,
    r#""nodes":1e-6,"volume":1e-6,"inverted":0.0,"penetration":1e-6,"energy":1e-6,"contacts":"any"},"#,
    r#""bounds":{"worst_penetration":0.001,"energy_gain":0.0},"trail":{"10":"00000000000000aa"},"rounding":0.01}"#,
    "\n",
    r#"{"step":0,"time":0.0,"bodies":{"ball \"1\"":{"position":[0.0,0.0,1.25],"rotation":[1.0,0.0,0.0,0.0],"#,
    r#""linear_velocity":[0.0,0.0,0.0],"angular_velocity":[0.0,0.0,0.0]},"#,
    r#""box":{"position":[1.0,2.0,3.0],"rotation":[0.6,0.8,0.0,0.0],"linear_velocity":[0.0,0.0,-1.0],"#,
    r#""angular_velocity":[0.5,0.0,0.0]}},"#,
    r#""robots":{"arm":{"joints":{"rail":0.1},"base":{"translation":[0.0,0.0,0.0],"rotation":[1.0,0.0,0.0,0.0]}}},"#,
    r#""soft":{"jelly":{"centroid":[0.0,0.0,0.5],"velocity":[0.0,0.0,0.0],"max_penetration":0.0,"volume":0.125,"inverted":0}},"#,
    r#""energy":{"kinetic":1.0,"potential":2.0,"elastic":0.5},"contacts":0,"max_penetration":0.0,"hash":"00000000000000a0"}"#,
    "\n",
    r#"{"step":20,"time":0.05,"bodies":{"box":{"position":[1.0,2.0,2.95],"rotation":[0.6,0.8,0.0,0.0],"#,
    r#""linear_velocity":[0.0,0.0,-1.0],"angular_velocity":[0.5,0.0,0.0]}},"#,
    r#""energy":{"kinetic":1.0,"potential":1.5,"elastic":0.5},"contacts":4,"max_penetration":0.0001,"hash":"00000000000000a1","#,
    r#""tolerances":{"rotation":0.1,"linear_velocity":"any"}}"#,
    "\n",
);

#[test]
fn a_file_that_is_read_and_written_is_the_same_file() {
    let golden = Golden::parse(SECOND).unwrap();
    assert_eq!(golden.to_string(), SECOND);
    assert_eq!(golden.comments, ["why the positions may be off"]);
    assert_eq!(golden.tolerances.of(Quantity::Position).to_bits(), 1e-3_f64.to_bits());
    assert!(golden.tolerances.of(Quantity::Contacts).is_infinite());
    assert_eq!(golden.states[0].state.robots[0].joints["rail"].to_bits(), 0.1_f64.to_bits());
    assert!(golden.states[0].tolerances.is_empty());
    let later = &golden.states[1].tolerances;
    assert_eq!((later.len(), later[&Quantity::LinearVelocity]), (2, f64::INFINITY));
    assert_eq!(
        golden.states[1].state.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(),
        ["box"],
        "the ball stayed"
    );
}

#[test]
fn a_file_of_version_1_is_the_same_file_in_version_2() {
    let first = Golden::parse(FIRST).unwrap();
    assert_eq!((first.format, first.to_string().as_str()), (FormatVersion::V1, SECOND));
    assert_eq!(Golden { format: FormatVersion::V2, ..first }, Golden::parse(SECOND).unwrap());
}

#[test]
fn a_rounded_state_holds_its_changes_only() {
    let golden = Golden::parse(SECOND).unwrap();
    let mut whole = WorldState::default();
    let mut long = golden.clone();
    for state in &mut long.states {
        state.change(&mut whole);
        state.state = whole.clone();
        state.state.bodies[1].position.x += 1e-6;
        state.state.robots[0].joints.insert("rail".to_owned(), 0.1 - 1e-10);
        state.state.soft[0].state.volume_change = Some(0.5);
    }
    assert_eq!(long.rounded(), golden);
}

/// Found by the fuzz target `golden`.
#[test]
fn a_rotation_that_may_be_anything_stays_a_rotation_when_it_is_written() {
    for tolerance in ["1e6", "2", "any"] {
        let text = FIRST.replace("tolerance rotation 1e-6", &format!("tolerance rotation {tolerance}"));
        let text = text.replace("tolerance rotation 0.1\n", "").replace("0.6 0.8 0 0", "0.5 0.5 -0.5 0.5");
        let golden = Golden { format: FormatVersion::V2, ..Golden::parse(&text).unwrap() };
        assert_eq!(Golden::parse(&golden.to_string()).unwrap(), golden, "{tolerance}");
        assert_eq!(golden.clone().rounded().states[0].state.bodies, golden.states[0].state.bodies);
    }
}

#[test]
fn every_fault_is_reported_with_its_line() {
    let wrong = |from: &str, to: &str| {
        assert!(SECOND.contains(from), "{from}");
        Golden::parse(&SECOND.replacen(from, to, 1)).unwrap_err().to_string()
    };
    for (from, to, line, cause) in [
        ("version 2", "version 3", 1, "unknown variant `extricate golden file, version 3`"),
        (r#""input":"0123456789abcdef""#, r#""input":"0123""#, 1, "sixteen hexadecimal digits"),
        (r#""steps":20"#, r#""steps":-20"#, 1, "invalid value: integer `-20`"),
        (r#""steps":20"#, r#""steps":20,"steps":20"#, 1, "duplicate field `steps`"),
        (r#""steps":20"#, r#""step":20"#, 1, "unknown field `step`"),
        (r#""length":2.0"#, r#""length":0.0"#, 1, "length: 0 is not above zero"),
        (r#""position":0.001"#, r#""position":"much""#, 1, "invalid tolerance `much`"),
        (r#""position":0.001"#, r#""color":1"#, 1, "unknown quantity `color`"),
        (r#""position":0.001"#, r#""rotation":0.001"#, 1, "duplicate key \"rotation\""),
        (r#""energy_gain":0.0"#, r#""energy_gain":1e999"#, 1, "number out of range"),
        (r#""energy_gain":0.0"#, r#""luck":0.0"#, 1, "unknown variant `luck`"),
        (r#""time_step":0.0025,"#, "", 1, "missing field `time_step`"),
        (r#""rounding":0.01"#, r#""rounding":2"#, 1, "not between 0 and 1"),
        (r#""step":20"#, r#""step":0"#, 3, "does not come after"),
        ("[0.0,0.0,1.25]", "[0.0,0.0]", 2, "invalid length 2"),
        (r#""position":[0.0,0.0,1.25],"#, "", 2, "missing field `position`"),
        ("[0.6,0.8,0.0,0.0]", "[0.6,1.8,0.0,0.0]", 2, "the rotation of `box` is not a unit quaternion"),
        ("\"box\"", r#""ball \"1\"""#, 2, "duplicate key"),
        (
            r#""tolerances":{"rotation":0.1"#,
            r#""tolerance":{"rotation":0.1"#,
            3,
            "a state has no `tolerance`",
        ),
        (r#""energy":{"kinetic":1.0,"potential":1.5,"elastic":0.5},"#, "", 3, "missing field `energy`"),
    ] {
        let found = wrong(from, to);
        assert!(found.starts_with(&format!("{line}: ")) && found.contains(cause), "{to}: {found}");
    }
}

#[test]
fn every_fault_of_version_1_is_reported_with_its_line() {
    let wrong = |from: &str, to: &str| Golden::parse(&FIRST.replacen(from, to, 1)).unwrap_err().to_string();
    for (from, to, line, cause) in [
        ("extricate golden file, version 1", "extricate golden file, version 2", 2, "is expected"),
        ("input 0123456789abcdef", "input 0123", 4, "not a hash"),
        ("steps 20", "steps -20", 11, "not a non-negative integer"),
        ("steps 20", "steps 20\nsteps 20", 12, "duplicate steps"),
        ("scale length 2", "scale length 0", 14, "not above zero"),
        ("scale length 2", "scale width 2", 14, "unknown scale"),
        ("tolerance position 0.001", "tolerance position much", 19, "invalid tolerance `much`"),
        ("tolerance position 0.001", "tolerance color 1", 19, "unknown quantity `color`"),
        ("bound energy_gain 0", "bound energy_gain inf", 31, "`inf` is not a number"),
        ("bound energy_gain 0", "bound luck 0", 31, "unknown bound `luck`"),
        ("state 20", "state 0", 44, "does not come after"),
        ("position 0 0 1.25", "position 0 0", 35, "position is missing"),
        ("position 0 0 1.25", "position 0 0 1 0", 35, "unknown field `0` of a body"),
        ("rotation 0.6 0.8 0 0", "rotation 0.6 1.8 0 0", 36, "not a unit quaternion"),
        ("body \"box\" position 1 2 3 ", "body box position 1 2 3 ", 36, "in quotation marks"),
        ("body \"box\" position 1 2 3 ", "body \"ball \\\"1\\\"\" position 1 2 3 ", 36, "duplicate body"),
        ("\nstate 20", "energy 1 2\nstate 20", 43, "an energy is missing"),
        ("contacts 4", "contacts 4 5", 49, "unexpected `5` at the end of the line"),
        ("contacts 4", "contact 4", 49, "unexpected keyword `contact`"),
        ("energy 1 1.5 0.5\n", "", 49, "the energy of the state of step 20 is missing"),
        ("time_step 0.0025\n", "", 49, "`time_step` is missing"),
    ] {
        let found = wrong(from, to);
        assert!(found.starts_with(&format!("{line}: ")) && found.contains(cause), "{to}: {found}");
    }
}

#[test]
fn no_text_is_too_broken_to_be_read() {
    for text in [FIRST, SECOND] {
        for end in 0..text.len() {
            if let Ok(golden) = Golden::parse(&text[..end]) {
                assert!(!golden.states.is_empty());
            }
        }
    }
    let words = ["", "\"", "\\", "1e999", "NaN", "-1", "18446744073709551616", "é", "\u{0}", "state", "#"];
    for (of, border) in [(FIRST, ' '), (SECOND, ':'), (SECOND, ',')] {
        for word in words {
            for (at, _) in of.match_indices(border) {
                let mut text = of.to_owned();
                text.replace_range(at..=at, &format!("{border}{word}{border}"));
                let _ = Golden::parse(&text).map(|golden| golden.to_string());
            }
        }
    }
    assert!(Golden::parse("").is_err());
}

#[test]
fn a_file_of_many_empty_states_takes_no_more_memory_than_its_text() {
    let mut text = FIRST.to_owned();
    for step in 21..20_000 {
        let _ = write!(text, "state {step} time {step} hash 0000000000000000\nenergy 0 0 0\n");
    }
    let golden = Golden { format: FormatVersion::V2, ..Golden::parse(&text).unwrap() };
    assert_eq!(Golden::parse(&golden.to_string()).unwrap(), golden);
    assert_eq!(golden.states.len(), 2 + 20_000 - 21);
    assert!(golden.states[2..].iter().all(|state| state.state.bodies.is_empty()));
}
