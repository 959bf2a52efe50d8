use super::*;

fn orders(text: &str) -> Vec<Order> {
    let lines = parse(Path::new("s.txt"), text).unwrap_or_else(|error| panic!("{error}"));
    lines.into_iter().map(|line| line.order).collect()
}

fn error(text: &str) -> String {
    parse(Path::new("s.txt"), text).expect_err("it makes no sense").to_string()
}

#[test]
fn all_orders_are_read() {
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
repair
save out/posed.ron
save \"q 1.json\"
picture a.PNG
quit";
    let pixel = Vector2::new;
    assert_eq!(
        orders(text),
        [
            Order::Wait(0.5),
            Order::Key("space".into()),
            Order::Key("→".into()),
            Order::Click(pixel(10.0, 20.0)),
            Order::Drag { ends: [pixel(1.0, 2.0), pixel(3.5, -4.0)], seconds: 0.25 },
            Order::Select("a b".into()),
            Order::Camera { eye: Point3::new(1.0, 2.0, 3.0), target: Point3::new(0.0, 0.0, 0.5) },
            Order::Speed(4.0),
            Order::Joint { name: "arm/elbow".into(), value: -1.2 },
            Order::Move { name: "ball".into(), to: Point3::new(1.0, 2.0, -0.3) },
            Order::Repair,
            Order::Save("out/posed.ron".into()),
            Order::Save("q 1.json".into()),
            Order::Picture("a.PNG".into()),
            Order::Quit,
        ]
    );
}

#[test]
fn lines_are_counted_from_one_with_those_that_say_nothing() {
    let lines = parse(Path::new("s.txt"), "\n# nothing\nquit\n").expect("a script");
    assert_eq!(lines, [Line { number: 3, order: Order::Quit }]);
}

#[test]
fn what_makes_no_sense_is_told_with_file_line_and_form() {
    assert!(
        error("quit\nfly 3").starts_with("s.txt:2: there is no `fly`; a line begins with one of wait, key,")
    );
    assert_eq!(error("click 1"), "s.txt:1: the form is: click X Y");
    assert_eq!(error("drag 1 2 to 3 4"), "s.txt:1: the form is: drag X Y to X Y in SECONDS");
    assert_eq!(error("wait -1"), "s.txt:1: -1 is less than zero");
    assert_eq!(error("wait NaN"), "s.txt:1: `NaN` is not a finite number");
    assert_eq!(error("\nclick 1 inf"), "s.txt:2: `inf` is not a finite number");
    assert_eq!(error("select \"a b"), "s.txt:1: a quote is not closed");
    assert_eq!(error("picture a.jpg"), "s.txt:1: the form is: picture FILE.png");
    assert_eq!(error("joint elbow 1"), "s.txt:1: the form is: joint ROBOT/JOINT VALUE");
}

#[test]
fn the_scripts_of_the_repository_make_sense_and_the_page_shows_one() {
    let bars = include_str!("../../../../../assets/scripts/bars.txt");
    let rings = include_str!("../../../../../assets/scripts/rings.txt");
    assert!(orders(bars).contains(&Order::Repair) && orders(rings).contains(&Order::Repair));
    let page = include_str!("../../../../../docs/viewer.md");
    assert!(page.contains(bars), "docs/viewer.md should hold assets/scripts/bars.txt");
    for (name, form) in FORMS {
        let first = form.split(" or ").next().unwrap_or(form);
        assert!(page.contains(&format!("| `{first}")) || page.contains(&format!("| `{name} ")), "{form}");
    }
}
