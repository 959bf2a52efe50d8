// The panel: depths, joints, the state of a run, the selection.

import { length } from "./marks.js";

const find = (selector) => document.querySelector(selector);

/** An element with its content: texts and elements. */
export function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in made && name !== "style") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...content);
  return made;
}

const number = (x, digits = 4) => String(Number(x.toPrecision(digits)));
const vector = (v) => v.map((x) => (Math.abs(x) < 5e-7 ? "0" : number(x, 4))).join(", ");
const rows = (pairs) => element("table", {}, ...pairs.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))));

/** Time [µs] for people. */
function duration(us) {
  return us < 1000 ? `${us.toFixed(0)} µs` : `${(us / 1000).toPrecision(3)} ms`;
}

/** Shows the answers of measurements, deepest first. */
export function showMeasure({ pairs, rest }) {
  const section = find("#measure");
  section.hidden = false;
  const [first, ...others] = pairs;
  if (!first) {
    section.replaceChildren(element("h2", {}, "Overlap"), element("div", { className: "depth free" }, "free"));
    return;
  }
  const parts = [element("h2", {}, "Penetration depth"), element("div", { className: "pair" }, `${first.a} in ${first.b}`)];
  if (first.status === "penetrating") {
    const [value, unit] = length(first.depth).split(" ");
    parts.push(element("div", { className: "depth deep" }, `${value} `, element("small", {}, unit)));
    const bar = element("div", { className: "bounds", title: "proved lower bound, and the depth found" });
    bar.append(element("i", { style: "left:0;width:100%" }), element("i", { className: "proved", style: `left:0;width:${(100 * first.lower_bound) / first.depth}%` }));
    parts.push(bar);
    parts.push(rows([
      ["at least (proved)", first.lower_bound > 0 ? length(first.lower_bound) : "no bound"],
      ["direction", vector(first.direction)],
      ["translation", `${vector(first.translation)} m`],
      ["regions", String(first.local.length)],
      ["separated pose", first.verified_free ? "verified free" : "not verified"],
      ["time", duration(first.time_us)],
    ]));
    if (first.local.length > 1) {
      parts.push(element("ul", {}, ...first.local.slice(0, 5).map((region, index) => element("li", {}, element("span", {}, `region ${index + 1}`), element("span", {}, length(region.depth))))));
    }
  } else if (first.status === "separate") {
    parts[0].textContent = "Distance";
    parts[1].textContent = `${first.a} and ${first.b}`;
    parts.push(element("div", { className: "depth free" }, first.distance ? "apart " : "touching ", element("small", {}, first.distance ? `by ${length(first.distance)}` : "")));
    parts.push(rows([["time", duration(first.time_us)]]));
  } else {
    parts.push(element("p", {}, first.text));
  }
  const more = others.filter((pair) => pair.status === "penetrating");
  if (more.length + rest.length > 0) {
    parts.push(element("ul", {},
      ...more.map((pair) => element("li", {}, element("span", {}, `${pair.a} in ${pair.b}`), element("span", {}, length(pair.depth)))),
      ...rest.slice(0, 20).map(([a, b]) => element("li", {}, element("span", {}, `${a} in ${b}`), element("span", {}, "…")))));
  }
  section.replaceChildren(...parts);
}

/** Builds the sliders of all joints; `set(robot, joint, value)` is called when one is moved. */
export function buildJoints(robots, set) {
  const section = find("#joints");
  const moved = robots.filter((robot) => robot.joints.length > 0);
  section.hidden = moved.length === 0;
  const outputs = robots.map((robot) => robot.joints.map((joint) => {
    const [low, high] = joint.limits.map((limit, side) => limit ?? (side ? 1 : -1) * (joint.angle ? Math.PI : 1));
    const slider = element("input", { type: "range", min: low, max: high, step: "any", value: joint.value });
    const output = element("output", {});
    const label = element("label", { className: "joint" }, element("span", {}, joint.name), output, slider);
    slider.addEventListener("input", () => set(robot.name, joint.name, Number(slider.value)));
    return { joint, slider, output, label };
  }));
  const parts = robots.flatMap((robot, index) => (robot.joints.length ? [element("h2", {}, `Joints of ${robot.name}`), ...outputs[index].map(({ label }) => label)] : []));
  section.replaceChildren(...parts);
  return (values) => values.forEach((of, robot) => of.forEach((value, at) => {
    const { joint, slider, output } = outputs[robot][at];
    if (document.activeElement !== slider || !slider.matches(":active")) slider.value = value;
    output.textContent = joint.angle ? `${((value * 180) / Math.PI).toFixed(1)}°` : `${number(value)} m`;
  }));
}

/** Shows the result of a repair. */
export function showRepaired(result) {
  const text = find("#repaired");
  if (!result) {
    text.textContent = text.className = "";
    return;
  }
  const { status, response, time_ms: time } = result;
  const moved = response.depth ?? Math.hypot(...Object.values(response.moved ?? {}).flatMap((by) => by.translation ?? by));
  const words = { repaired: "Repaired", "already-free": "Nothing overlaps", "not-found": "No free pose found" };
  const details = status === "repaired" ? `: moved ${length(moved)} (root mean square)${response.clearance ? `, clearance ${length(response.clearance)}` : ""}` : "";
  const free = response.verified_free ? "; verified free" : "";
  text.textContent = `${words[status] ?? status}${details}${status === "repaired" ? free : ""}, ${time.toFixed(0)} ms`;
  text.className = status === "not-found" ? "bad" : "good";
}

/** Shows the selected body. */
export function showSelection(item, colliding) {
  const section = find("#selection");
  section.hidden = !item;
  if (!item) return;
  const { position: p, quaternion: q, userData: body } = item;
  section.replaceChildren(element("h2", {}, body.name), rows([
    ["position", `${vector(p.toArray())} m`],
    ["rotation w, x, y, z", vector([q.w, q.x, q.y, q.z])],
    ["overlaps", colliding.filter((pair) => pair.includes(body.name)).map((pair) => pair.find((name) => name !== body.name)).join(", ") || "nothing"],
  ]));
}

/** Past values of a run, drawn as lines. */
export class Plots {
  constructor() {
    this.reset();
  }

  reset() {
    this.points = [];
  }

  add(frame) {
    const last = this.points.at(-1);
    if (last && frame.time <= last.time) this.points = this.points.filter((point) => point.time < frame.time);
    const [kinetic, potential, elastic] = frame.energy;
    this.points.push({ time: frame.time, kinetic, total: kinetic + potential + elastic, depth: frame.max_penetration });
    if (this.points.length > 2000) this.points = this.points.filter((_, index) => index % 2 === 0);
  }

  draw(canvas, name) {
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = Math.min(devicePixelRatio, 2);
    [canvas.width, canvas.height] = [width * ratio, height * ratio];
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const values = this.points.map((point) => point[name]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const [from, until] = [this.points[0]?.time ?? 0, this.points.at(-1)?.time ?? 1];
    context.strokeStyle = "#0067a5";
    context.lineWidth = 1.5;
    context.beginPath();
    this.points.forEach((point, index) => {
      const x = 2 + ((width - 4) * (point.time - from)) / (until - from || 1);
      const y = height - 3 - ((height - 6) * (point[name] - low)) / (high - low || 1);
      if (index) context.lineTo(x, y);
      else context.moveTo(x, y);
    });
    context.stroke();
  }
}

/** Shows the state of a run or record. */
export function showRun(frame, plots, rate) {
  const section = find("#run");
  section.hidden = false;
  if (!section.querySelector("table")) {
    const plot = (name, title) => [element("h2", {}, title), element("canvas", { className: "plot", role: "img", ariaLabel: title, id: `plot-${name}` })];
    section.replaceChildren(element("h2", {}, "Run"), rows([]), ...plot("total", "Energy"), ...plot("depth", "Maximum penetration"));
  }
  const [kinetic, potential, elastic] = frame.energy ?? [0, 0, 0];
  const table = rows([
    ["step", String(frame.step ?? 0)],
    ["energy", `${number(kinetic + potential + elastic)} J`],
    ["contacts", String(frame.contact_count ?? 0)],
    ["max. penetration", length(frame.max_penetration ?? 0)],
    ...(frame.step_ms ? [["time of the step", `${number(frame.step_ms, 3)} ms`]] : []),
    ["updates", `${rate.toFixed(0)} / s`],
  ]);
  section.querySelector("table").replaceWith(table);
  for (const name of ["total", "depth"]) plots.draw(find(`#plot-${name}`), name);
}
