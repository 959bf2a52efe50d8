// Marks on the picture: depths with their directions, the separated pose, contacts, and labels.

import { Color, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, SRGBColorSpace, SphereGeometry, Vector3 } from "./three.min.js";

const UP = new Vector3(0, 1, 0);
const colored = (r, g, b) => new Color().setRGB(r, g, b, SRGBColorSpace);
export const GREEN = colored(0.0, 0.55, 0.38);
export const RED = colored(0.72, 0.2, 0.05);
const DARK = colored(0.13, 0.18, 0.24);
const BLUE = colored(0.0, 0.36, 0.62);

const SHAFT = new CylinderGeometry(1, 1, 1, 12);
const TIP = new ConeGeometry(1, 1, 20);
const BALL = new SphereGeometry(1, 20, 12);

/** A part that is seen through the bodies. */
function part(geometry, color, [x, y, z], scale) {
  const material = new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95, toneMapped: false });
  const mesh = new Mesh(geometry, material);
  mesh.position.set(x, y, z);
  mesh.scale.set(...scale);
  mesh.renderOrder = 5;
  return mesh;
}

/** An arrow of a length from a point. */
function arrow(from, direction, length, thick, color) {
  const group = new Group();
  const tip = Math.min(4.5 * thick, 0.6 * length);
  group.add(part(SHAFT, color, [0, (length - tip) / 2, 0], [thick, length - tip, thick]));
  group.add(part(TIP, color, [0, length - tip / 2, 0], [2.6 * thick, tip, 2.6 * thick]));
  group.position.copy(from);
  group.quaternion.setFromUnitVectors(UP, direction);
  return group;
}

/** A length [m] for people. */
export function length(metres) {
  const size = Math.abs(metres);
  if (size === 0) return "0 m";
  const [factor, unit] = size < 1e-3 ? [1e6, "µm"] : size < 1 ? [1e3, "mm"] : [1, "m"];
  return `${Number((metres * factor).toPrecision(4))} ${unit}`;
}

export class Marks {
  constructor(drawing, labels) {
    [this.drawing, this.labels] = [drawing, labels];
    this.shown = { ghost: true, regions: true, contacts: true };
    this.measured = [];
    this.before = null;
    this.texts = [];
  }

  /** Shows answers of measurements. */
  setMeasured(pairs) {
    this.measured = pairs;
    this.update();
  }

  /** Shows where the bodies were before a repair; none to hide it. */
  setBefore(poses) {
    this.before = poses;
    this.update();
  }

  update() {
    const { drawing, shown } = this;
    const group = drawing.marks;
    for (const object of [...group.children]) group.remove(object);
    this.texts = [];
    const item = (name) => drawing.items.find((body) => body.userData.name === name);
    this.measured.forEach((pair, rank) => {
      if (pair.status === "penetrating") this.depth(group, pair, item(pair.a), rank);
    });
    if (this.before && shown.ghost) this.past(group);
    if (shown.contacts) this.contacts(group);
    this.place();
    drawing.touch();
  }

  /** Depth of a pair: an arrow at each region, and the ghost of A. */
  depth(group, pair, a, rank) {
    const { drawing, shown } = this;
    const thick = 0.008 * drawing.radius;
    const translation = new Vector3(...pair.translation);
    if (shown.ghost && a && rank === 0) {
      const ghost = drawing.ghost(a, a.position.clone().add(translation), a.quaternion, GREEN);
      if (ghost) group.add(ghost);
    }
    const direction = new Vector3(...pair.direction);
    const [on] = pair.witnesses.map((point) => new Vector3(...point));
    const size = Math.max(pair.depth, 0.12 * drawing.radius);
    group.add(arrow(on, direction, size, thick, RED));
    this.texts.push({ at: on.clone().addScaledVector(direction, size), text: length(pair.depth), isDeep: true });
    if (!shown.regions) return;
    for (const region of pair.local.slice(0, 40)) {
      const point = new Vector3(...region.point);
      group.add(part(BALL, BLUE, point.toArray(), [1.3 * thick, 1.3 * thick, 1.3 * thick]));
      if (pair.local.length < 2) continue;
      group.add(arrow(point, new Vector3(...region.normal), Math.max(region.depth, 0.06 * drawing.radius), 0.6 * thick, BLUE));
    }
    if (pair.local.length > 1) {
      for (const region of pair.local.slice(0, 6)) this.texts.push({ at: new Vector3(...region.point), text: length(region.depth) });
    }
  }

  /** Bodies before a repair, those that moved. */
  past(group) {
    this.drawing.items.forEach((item, index) => {
      const { position, quaternion } = this.before[index] ?? {};
      if (!position || (position.distanceTo(item.position) < 1e-9 && Math.abs(quaternion.dot(item.quaternion)) > 1 - 1e-12)) return;
      const ghost = this.drawing.ghost(item, position, quaternion, RED);
      if (ghost) group.add(ghost);
    });
  }

  /** Contacts of a frame: a point and the direction of the force on the first body. */
  contacts(group) {
    const { contacts, radius } = this.drawing;
    if (!contacts) return;
    let most = 0;
    for (let at = 0; at < contacts.length; at += 8) most = Math.max(most, contacts[at + 7]);
    for (let at = 0; at < Math.min(contacts.length, 8 * 300); at += 8) {
      const [x, y, z, i, j, k, , force] = contacts.subarray(at, at + 8);
      const thick = 0.004 * radius;
      if (!(force > 1e-3 * most)) continue;
      group.add(arrow(new Vector3(x, y, z), new Vector3(i, j, k), radius * (0.03 + 0.22 * Math.sqrt(force / most)), thick, DARK));
    }
  }

  /** Places the labels where their points are in the picture. */
  place() {
    const { labels, texts } = this;
    while (labels.children.length > texts.length) labels.lastChild.remove();
    while (labels.children.length < texts.length) labels.append(document.createElement("span"));
    texts.forEach(({ at, text, isDeep }, index) => {
      const label = labels.children[index];
      const place = this.drawing.project(at);
      label.hidden = !place;
      label.textContent = text;
      label.className = isDeep ? "deep" : "";
      if (place) [label.style.left, label.style.top] = place.map((x) => `${x.toFixed(1)}px`);
    });
  }
}
