//! A random robot as URDF, and the scene that it is in.

use std::fmt::Write as _;

use crate::random::Random;

/// Joint types of URDF that a draw picks from, the usual ones more often.
const KINDS: [&str; 10] = [
    "revolute",
    "revolute",
    "revolute",
    "continuous",
    "continuous",
    "prismatic",
    "spherical",
    "fixed",
    "planar",
    "floating",
];

/// A robot and its scene.
pub(crate) struct Draft {
    pub(crate) urdf: String,
    /// The scene, whose robot is the file `robot.urdf`.
    pub(crate) scene: String,
    pub(crate) links: usize,
    /// Joints with motors.
    pub(crate) driven: Vec<String>,
    /// Limits of joints that mimic none, in radians or in sizes of the link that bears them.
    pub(crate) limits: Vec<Limits>,
    /// Joints that mimic others: their names, and the factor.
    pub(crate) mimics: Vec<([String; 2], f64)>,
    /// Names of the sensors at the two points of each loop, and the size of its smaller link.
    pub(crate) loops: Vec<([String; 2], f64)>,
    /// Energy that the fall of the robot and of the bodies frees, about [J].
    pub(crate) energy: f64,
    /// Sizes of the smallest and of the largest link [m].
    pub(crate) smallest: f64,
    pub(crate) largest: f64,
}

/// Limits of a joint.
pub(crate) struct Limits {
    pub(crate) joint: String,
    pub(crate) range: [f64; 2],
    /// That which counts as one [rad or m].
    pub(crate) unit: f64,
}

/// Bounds that joints keep, and joints that others may follow.
#[derive(Default)]
struct Bounds {
    limits: Vec<Limits>,
    mimics: Vec<([String; 2], f64)>,
    /// Joints that others may mimic.
    leaders: Vec<String>,
}

/// A link that was drawn.
struct Link {
    size: f64,
    mass: f64,
}

/// Robot `index` of `seed`, of 1 to 80 links, some of which are `looped`: connected by more than its joints.
pub(crate) fn draw(seed: u64, index: u64, looped: bool) -> Draft {
    let mut random = Random::of(seed, index);
    let count = random.log_within(1.0, 81.0).floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 80")]
    let count = count as usize;
    let (size, heavy) = (random.log_within(0.03, 0.5), random.log_within(1.0, 100.0));
    let (bushy, contacts) = (random.unit_interval(), random.chance(0.8));
    let (mut links, mut urdf) = (Vec::<Link>::new(), String::from("<robot name=\"random\">\n"));
    let (mut bounds, mut motors, mut driven) = (Bounds::default(), Vec::new(), Vec::new());
    let drives = random.chance(0.4);
    for at in 0..count {
        let own = size * random.log_within(0.5, 2.0);
        let mass = 800.0 * own.powi(3) * random.log_within(1.0 / heavy, heavy).sqrt();
        links.push(Link { size: own, mass });
        link(&mut urdf, &mut random, at, (&links[at], contacts));
        if at == 0 {
            continue;
        }
        let parent = if random.chance(bushy) { random.below(at) } else { at - 1 };
        let kind = random.pick(&KINDS);
        let follows = joint(&mut urdf, &mut random, (at, parent, kind), (&links[parent], &mut bounds));
        if drives && !follows && matches!(kind, "revolute" | "continuous" | "prismatic") && random.chance(0.7)
        {
            motors.push(motor(&mut random, at, kind, &links));
            driven.push(format!("j{at}"));
        }
    }
    urdf.push_str("</robot>\n");
    let extent = links.iter().map(|link| 2.0 * link.size).sum::<f64>();
    let height = random.within(0.0, 1.0) + extent.min(3.0);
    let mass: f64 = links.iter().map(|link| link.mass).sum();
    let floating = random.chance(0.6);
    let (shapes, bodies, more) = surroundings(&mut random, size);
    let (base, held) = (if floating { "floating" } else { "fixed" }, motors.join(", "));
    let Looped { text: loops, sensors, loops: closed } =
        if looped { loops(seed, index, &links) } else { Looped::default() };
    let scene = format!(
        "(title: \"A random robot\", duration: 2, shapes: {{\"floor\": half_space{shapes}}},\n \
         bodies: [(name: \"floor\", shape: \"floor\", kind: fixed){bodies}],\n \
         robots: [(name: \"robot\", file: \"robot.urdf\", base: {base}, position: (0, 0, {height:?}), friction: {:?}, \
         self_collision: {}, motors: {{{held}}}, loops: [{loops}], sensors: [{sensors}])])\n",
        random.within(0.0, 1.2),
        random.chance(0.7),
    );
    let Bounds { limits, mimics, .. } = bounds;
    let smallest = links.iter().map(|link| link.size).fold(f64::INFINITY, f64::min);
    let largest = links.iter().map(|link| link.size).fold(0.0, f64::max);
    let energy = (mass + more) * 9.81 * (height + 1.0);
    Draft { urdf, scene, links: count, driven, limits, mimics, loops: closed, energy, smallest, largest }
}

/// Loops of a robot.
#[derive(Default)]
struct Looped {
    text: String,
    /// Sensors at their points.
    sensors: String,
    loops: Vec<([String; 2], f64)>,
}

/// Loops between links that are not far from each other in the tree: points of both that joints may bring together.
fn loops(seed: u64, index: u64, links: &[Link]) -> Looped {
    // Numbers of its own: the robot is the same with and without loops.
    let mut random = Random::of(seed ^ 0x6c6f_6f70, index);
    let (mut loops, mut sensors, mut closed) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 4;
    while at < links.len() {
        let [a, b] = [at - 3 - random.below(at.min(6) - 3), at];
        let [near, far] = [a, b].map(|link| random.direction().map(|x| links[link].size * x));
        loops.push(format!("(links: (\"l{a}\", \"l{b}\"), at: ({near:?}, {far:?}))"));
        let names = ["a", "b"].map(|side| format!("{side}{at}"));
        for ((link, position), name) in [(a, near), (b, far)].into_iter().zip(&names) {
            sensors.push(format!("frame(link: \"l{link}\", name: \"{name}\", position: {position:?})"));
        }
        closed.push((names, links[a].size.min(links[b].size)));
        at += 4 + random.below(6);
    }
    let [text, sensors] = [loops, sensors].map(|list| list.join(", ").replace('[', "(").replace(']', ")"));
    Looped { text, sensors, loops: closed }
}

fn vector(v: [f64; 3]) -> String {
    format!("{:?} {:?} {:?}", v[0], v[1], v[2])
}

fn link(urdf: &mut String, random: &mut Random, at: usize, (own, contacts): (&Link, bool)) {
    let Link { size, mass } = own;
    let center = vector(random.direction().map(|x| 0.5 * size * x));
    let round = mass * size * size * random.log_within(0.02, 0.4);
    let [a, b] = [random.within(0.6, 1.4), random.within(0.6, 1.4)];
    // Principal moments that a body can have.
    let moments = [round, round * a, round * (a - 1.0).abs().max(0.1).max(b.min(1.0 + a - 0.1))];
    let _ = writeln!(
        urdf,
        "<link name=\"l{at}\"><inertial><origin xyz=\"{center}\"/><mass value=\"{mass:?}\"/><inertia ixx=\"{:?}\" iyy=\"{:?}\" \
         izz=\"{:?}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>",
        moments[0], moments[1], moments[2]
    );
    if contacts && random.chance(0.8) {
        let geometry = match random.below(4) {
            0 => format!("<sphere radius=\"{:?}\"/>", 0.4 * size),
            1 => format!("<box size=\"{:?} {:?} {:?}\"/>", 0.5 * size, 0.3 * size, 0.8 * size),
            2 => format!("<cylinder radius=\"{:?}\" length=\"{:?}\"/>", 0.2 * size, 0.7 * size),
            _ => format!("<capsule radius=\"{:?}\" length=\"{:?}\"/>", 0.15 * size, 0.6 * size),
        };
        let _ = writeln!(
            urdf,
            "<collision><origin xyz=\"{center}\" rpy=\"{}\"/><geometry>{geometry}</geometry></collision>",
            vector(random.in_cube())
        );
    }
    urdf.push_str("</link>\n");
}

/// Adds a joint; `true` where it mimics another one.
fn joint(
    urdf: &mut String,
    random: &mut Random,
    (at, parent, kind): (usize, usize, &str),
    (above, bounds): (&Link, &mut Bounds),
) -> bool {
    let mut follows = false;
    let origin = vector(random.direction().map(|x| above.size * x));
    let _ = write!(
        urdf,
        "<joint name=\"j{at}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{at}\"/><origin xyz=\"{origin}\" \
         rpy=\"{}\"/><axis xyz=\"{}\"/>",
        vector(random.in_cube()),
        vector(random.direction())
    );
    let is_single = matches!(kind, "revolute" | "continuous" | "prismatic");
    if is_single {
        let reach = if kind == "prismatic" { above.size } else { 2.5 };
        let [low, high] = [-reach * random.unit_interval(), reach * random.unit_interval()];
        let effort = above.mass * 9.81 * above.size * random.log_within(1.0, 100.0);
        let _ = write!(
            urdf,
            "<limit lower=\"{low:?}\" upper=\"{high:?}\" effort=\"{effort:?}\" velocity=\"20\"/>"
        );
        if random.chance(0.3) {
            let scale = above.mass * above.size * above.size;
            let [damping, friction] = [scale * random.unit_interval(), scale * random.unit_interval()];
            let _ = write!(urdf, "<dynamics damping=\"{damping:?}\" friction=\"{friction:?}\"/>");
        }
        if kind != "prismatic" && random.chance(0.15) && !bounds.leaders.is_empty() {
            let leader = &bounds.leaders[random.below(bounds.leaders.len())];
            let factor = random.within(-1.0, 1.0);
            let _ = write!(urdf, "<mimic joint=\"{leader}\" multiplier=\"{factor:?}\"/>");
            bounds.mimics.push(([format!("j{at}"), leader.clone()], factor));
            follows = true;
        } else if kind == "continuous" {
            bounds.leaders.push(format!("j{at}"));
        } else {
            let unit = if kind == "prismatic" { above.size } else { 1.0 };
            bounds.limits.push(Limits { joint: format!("j{at}"), range: [low, high], unit });
        }
    }
    urdf.push_str("</joint>\n");
    follows
}

fn motor(random: &mut Random, at: usize, kind: &str, links: &[Link]) -> String {
    let moment: f64 = links.iter().map(|link| link.mass * link.size).sum::<f64>() * 9.81;
    let unit = if kind == "prismatic" { "metres" } else { "radians" };
    let stiffness = moment * random.log_within(1.0, 1000.0);
    let damping = stiffness * random.log_within(0.01, 0.2);
    if random.chance(0.8) {
        let target = random.within(-0.5, 0.5) * if kind == "prismatic" { links[at].size } else { 1.0 };
        format!(
            "\"j{at}\": position(target: {unit}({target:?}), stiffness: {stiffness:?}, damping: {damping:?})"
        )
    } else {
        format!("\"j{at}\": velocity(target: {unit}({:?}), damping: {damping:?})", random.within(-3.0, 3.0))
    }
}

/// Shapes and bodies beside the robot, and the mass of the bodies [kg].
fn surroundings(random: &mut Random, size: f64) -> (String, String, f64) {
    let (mut shapes, mut bodies, mut mass) = (String::new(), String::new(), 0.0);
    for at in 0..random.below(6) {
        let own = size * random.log_within(0.5, 3.0);
        let _ = write!(shapes, ", \"box{at}\": cuboid(size: ({own:?}, {own:?}, {:?}))", 0.5 * own);
        let [x, y, _] = random.in_cube().map(|x| 3.0 * size * x);
        #[expect(clippy::cast_precision_loss, reason = "below six")]
        let z = 0.25 * own + 3.0 * size * at as f64;
        let density = random.log_within(50.0, 5000.0);
        let _ = write!(
            bodies,
            ", (name: \"box{at}\", shape: \"box{at}\", position: ({x:?}, {y:?}, {z:?}), density: {density:?})"
        );
        mass += density * 0.5 * own.powi(3);
    }
    (shapes, bodies, mass)
}
