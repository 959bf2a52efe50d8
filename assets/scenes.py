#!/usr/bin/env python3
"""Writes the shipped scenes whose bodies are placed by a formula, and the meshes of their stones, again:

    assets/scenes.py [FOLDER]

FOLDER holds `scenes` and `assets`; by default it is the root of the repository. Python's standard library suffices.
"""

from math import atan2, cos, degrees, hypot, pi, sin, tau
from pathlib import Path
from sys import argv

ROOT = Path(argv[1] if len(argv) > 1 else Path(__file__).parent.parent)


def number(value):
    """Six decimals, without trailing zeros."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def vector(values):
    return "(" + ", ".join(map(number, values)) + ")"


def body(name, shape, position, angles=(0, 0, 0), more=""):
    rotation = f", rotation: euler_degrees{vector(angles)}" if any(angles) else ""
    return f'        (name: "{name}", shape: "{shape}", position: {vector(position)}{rotation}{more}),'


def write(path, text):
    path = ROOT / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(path.relative_to(ROOT))


# The arch: stones on a half circle of mean radius 1 m.

STONES = 21
DEPTH = 0.4


def voussoir(ratio):
    """Vertices of a stone about its middle: x is radial, z tangential; the joints are planes through the centre of the arch."""
    half = pi / STONES / 2
    corners = []
    for radius in (1 - ratio / 2, 1 + ratio / 2):
        # The joint faces have the full thickness.
        for angle in (-half, half):
            for y in (-DEPTH / 2, DEPTH / 2):
                corners.append((radius * cos(angle) - 1, y, radius * sin(angle)))
    faces = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
    lines = [f"# A stone of a semicircular arch of {STONES} stones, thickness over radius {ratio}."]
    lines += ["v " + " ".join(number(x) for x in corner) for corner in corners]
    for a, b, c, d in faces:
        lines += [f"f {a} {b} {c}", f"f {a} {c} {d}"]
    return "\n".join(lines) + "\n"


def arch(name, ratio, duration, look_at, description, expect):
    write(f"assets/meshes/voussoir_{name}.obj", voussoir(ratio))
    bodies = [body("ground", "ground", (0, 0, 0), more=", kind: fixed, friction: 0.8")]
    for stone in range(STONES):
        angle = pi * (stone + 0.5) / STONES
        bodies.append(
            body(f"stone-{stone:02}", "stone", (cos(angle), 0, sin(angle)), (0, -degrees(angle), 0),
                 ", density: 2000, friction: 0.8")
        )
    write(f"scenes/rigid/arch_{name}.ron", f"""// Look at: {look_at}
(
    title: "A semicircular arch, thickness over radius {ratio}",
    description: "{description}",
    duration: {duration},
    shapes: {{
        "ground": half_space,
        "stone": hull(of: mesh(file: "../../assets/meshes/voussoir_{name}.obj")),
    }},
    // Written by assets/scenes.py.
    bodies: [
{chr(10).join(bodies)}
    ],
    camera: (eye: (0.7, -3.3, 1.2), target: (0, 0, 0.48)),
    expect: (
{expect}
    ),
)
""")


def arches():
    limit = "By Heyman's limit analysis a semicircular arch under its own weight needs a ratio of 0.1075."
    arch("stands", 0.13, 4, "the arch stands; with thinner stones, in arch_falls.ron, it falls.",
         f"{STONES} stones without mortar, friction 0.8. {limit} This one has 0.13.",
         """        max_penetration: 1e-2,
        at_rest_by: 2,
        energy_gain: 1e-3,
        measured: [
            (quantity: travel(body: "stone-10", along: (0, 0, -1)), exact: 0, tolerance: 5e-3),
            (quantity: travel(body: "stone-05", along: (1, 0, 0)), exact: 0, tolerance: 5e-3),
            (quantity: drift(body: "stone-10", from: 2), exact: 0, tolerance: 1e-3),
        ],""")
    arch("falls", 0.09, 3, "the arch opens at five joints and falls; with thicker stones, in arch_stands.ron, it stands.",
         f"{STONES} stones without mortar, friction 0.8. {limit} This one has 0.09.",
         """        energy_gain: 1e-3,
        body_within: [(body: "stone-10", min: (-1, -0.5, 0), max: (1, 0.5, 0.5))],""")


# Dominoes on a spiral.

DOMINOES = 76
DOMINO = (0.0075, 0.024, 0.048)
SPACING = 0.02


def pushed(yaw, spin=5.0):
    """Velocities of a domino that rotates about its lower edge."""
    along = (cos(yaw * pi / 180), sin(yaw * pi / 180))
    speed = spin * DOMINO[2] / 2
    return (f", linear_velocity: {vector((speed * along[0], speed * along[1], 0))}"
            f", angular_velocity: {vector((-spin * along[1], spin * along[0], 0))}")


def dominoes():
    """An Archimedean spiral from the outside to the middle, dominoes at equal lengths along it."""
    radius, pitch, angle = 0.18, 0.06, 0.0
    bodies = [body("table", "table", (0, 0, 0), more=", kind: fixed")]
    for index in range(DOMINOES):
        position = (radius * cos(angle), radius * sin(angle))
        # The tangent of the spiral, whose radius decreases by the pitch in each round.
        inward = -pitch / tau
        tangent = (inward * cos(angle) - radius * sin(angle), inward * sin(angle) + radius * cos(angle))
        yaw = degrees(atan2(tangent[1], tangent[0]))
        more = pushed(yaw) if index == 0 else ""
        bodies.append(body(f"domino-{index:02}", "domino", (*position, DOMINO[2] / 2), (0, 0, yaw), more))
        step = SPACING / hypot(radius, inward)
        angle += step
        radius += inward * step
    write("scenes/rigid/domino_spiral.ron", f"""// Look at: one push, and {DOMINOES} dominoes fall one after the other, along a spiral to its middle.
(
    title: "Dominoes on a spiral",
    description: "Dominoes of 7.5 × 24 × 48 mm every 20 mm along a spiral. The outermost has an angular velocity at the start.",
    duration: 3,
    accuracy: preview,
    shapes: {{
        "domino": cuboid(size: {vector(DOMINO)}),
        "table": half_space,
    }},
    // Written by assets/scenes.py.
    bodies: [
{chr(10).join(bodies)}
    ],
    camera: (eye: (0.2, -0.38, 0.33), target: (0, 0, 0.01)),
    expect: (
        max_penetration: 0.02,
        settle_time: 0,
        energy_gain: 1e-3,
        body_within: [
            (body: "domino-01", min: (-1, -1, 0), max: (1, 1, 0.018)),
            (body: "domino-{DOMINOES // 2}", min: (-1, -1, 0), max: (1, 1, 0.018)),
(body: "domino-{DOMINOES - 1}", min: (-1, -1, 0), max: (1, 1, 0.018)),
        ],
    ),
)
""")


# A house of cards.

CARD = (0.002, 0.06, 0.088)
LEAN = 18 * pi / 180


def card_house(levels=3):
    """Pairs of cards that lean on each other; the pairs of a level stand on a strip over the tops of those below."""
    thickness, width, length = CARD
    half = (length * sin(LEAN) + thickness * cos(LEAN)) / 2
    high = (length * cos(LEAN) + thickness * sin(LEAN)) / 2
    bodies = [body("table", "table", (0, 0, 0), more=", kind: fixed, friction: 0.7")]
    shapes, floor, more = [], 0.0, ", density: 700, friction: 0.7"
    for level in range(levels):
        pairs = levels - level
        for pair in range(pairs):
            middle = 4 * half * (pair - (pairs - 1) / 2)
            for side, name in ((-1, "left"), (1, "right")):
                bodies.append(
                    body(f"card-{level}-{pair}-{name}", "card", (middle + side * half, 0, floor + high),
                         (0, -side * degrees(LEAN), 0), more)
                )
        floor += 2 * high
        if pairs > 1:
            strip = 4 * half * (pairs - 1) + 0.03
            shapes.append(f'        "strip-{level}": cuboid(size: {vector((strip, width, thickness))}),')
            bodies.append(body(f"strip-{level}", f"strip-{level}", (0, 0, floor + thickness / 2), (0, 0, 0), more))
            floor += thickness
    top = f"card-{levels - 1}-0-left"
    write("scenes/rigid/card_house.ron", f"""// Look at: a house of cards of three storeys, held by friction alone, stands.
(
    title: "A house of cards",
    description: "Cards of 60 × 88 mm, 2 mm thick, lean on each other at {round(degrees(LEAN))}° and stand on strips; friction 0.7.",
    duration: 3,
    shapes: {{
        "card": cuboid(size: {vector(CARD)}),
{chr(10).join(shapes)}
        "table": half_space,
    }},
    // Written by assets/scenes.py.
    bodies: [
{chr(10).join(bodies)}
    ],
    camera: (eye: (0.16, -0.52, 0.2), target: (0, 0, 0.125)),
    expect: (
        energy_gain: 1e-3,
        at_rest_by: 2,
        measured: [
            (quantity: travel(body: "{top}", along: (0, 0, -1)), exact: 0, tolerance: 2e-3),
            (quantity: drift(body: "{top}", from: 2), exact: 0, tolerance: 1e-3),
        ],
    ),
)
""")



# A chain of rings, thrown.

RINGS = 9


def thrown_rings():
    """Linked rings in a row, which rotate about the middle of the row while it flies."""
    bodies = [body("floor", "floor", (0, 0, 0), more=", kind: fixed")]
    up, spin = (0.6, 0, 2.5), (0, 2, 5)
    for ring in range(RINGS):
        x = 0.158 * (ring - (RINGS - 1) / 2)
        # v = u + ω × r with r along x.
        velocity = (up[0], up[1] + spin[2] * x, up[2] - spin[1] * x)
        more = f", linear_velocity: {vector(velocity)}, angular_velocity: {vector(spin)}"
        bodies.append(body(f"ring-{ring}", "ring", (x, 0, 1), (90, 0, 0) if ring % 2 else (0, 0, 0), more))
    names = ", ".join(f'"ring-{ring}"' for ring in range(RINGS))
    write("scenes/rigid/thrown_rings.ron", f"""// Look at: nine linked rings are thrown, rotate in the air, and fall on the floor; no ring passes through another.
(
    title: "A chain of nine linked rings is thrown",
    description: "The rings are free bodies, held together by their contacts alone; the linking numbers of neighbours are 1 or −1 at the end.",
    duration: 3,
    shapes: {{
        "ring": procedural(kind: "torus", parameters: {{"major_radius": 0.1, "minor_radius": 0.02, "segments": 64, "sides": 24}}),
        "floor": half_space,
    }},
    // Written by assets/scenes.py.
    bodies: [
{chr(10).join(bodies)}
    ],
    camera: (eye: (1.6, -2.5, 1.5), target: (0.35, 0, 0.65)),
    expect: (
        max_penetration: 2e-2,
        settle_time: 0,
        energy_gain: 1e-3,
        linked: [(bodies: [{names}], core: circle(radius: 0.1))],
    ),
)
""")


arches()
dominoes()
card_house()
thrown_rings()
