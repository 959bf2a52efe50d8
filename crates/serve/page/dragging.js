// Dragging bodies and links with the mouse: a point of the body follows the pointer, in a plane or along an axis.

import { Plane, Vector3 } from "./three.min.js";

const AXES = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
/** Motion of the pointer [pixels] from which a press is a drag. */
const STILL = 4;

/** Point of a line that is nearest to a ray; none where they are parallel. */
function nearest(from, axis, ray) {
  const between = from.clone().sub(ray.origin);
  const cosine = axis.dot(ray.direction);
  const sine = 1 - cosine * cosine;
  if (sine < 1e-6) return null;
  return from.clone().addScaledVector(axis, (cosine * between.dot(ray.direction) - between.dot(axis)) / sine);
}

export class Dragging {
  /**
   * `hooks`: `canDrag(item)`, `select(name)`, and `drag(drag)`, `drop(drag)` with `drag` = {name, anchor, target, rotate, whole}.
   */
  constructor(drawing, hooks) {
    [this.drawing, this.hooks] = [drawing, hooks];
    this.axis = null;
    this.now = null;
    const { canvas } = drawing;
    // Before the controls of the camera, which would orbit.
    canvas.addEventListener("pointerdown", (event) => this.press(event), true);
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.release(event));
    addEventListener("keydown", (event) => {
      const axis = AXES[event.key.toLowerCase()];
      if (axis && !event.ctrlKey && !event.metaKey) this.axis = axis;
    });
    addEventListener("keyup", (event) => {
      if (AXES[event.key.toLowerCase()]) this.axis = null;
    });
  }

  press(event) {
    if (event.button !== 0) return;
    const { hit, anchor } = this.drawing.pick(event);
    this.pressed = { x: event.clientX, y: event.clientY, item: hit?.object };
    if (!hit || !this.hooks.canDrag(hit.object)) return;
    this.drawing.controls.enabled = false;
    this.drawing.canvas.setPointerCapture(event.pointerId);
    const view = this.drawing.camera.getWorldDirection(new Vector3());
    this.now = {
      name: hit.object.userData.name, anchor: anchor.toArray(), from: hit.point.clone(), began: false,
      plane: new Plane().setFromNormalAndCoplanarPoint(view, hit.point),
    };
  }

  move(event) {
    const { now } = this;
    if (!now) return;
    const isStill = Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) < STILL;
    if (!now.began && isStill) return;
    now.began = true;
    const { ray } = this.drawing.pick(event);
    const target = this.axis ? nearest(now.from, this.axis, ray) : ray.intersectPlane(now.plane, new Vector3());
    if (!target) return;
    now.target = target.toArray();
    this.hooks.drag({ name: now.name, anchor: now.anchor, target: now.target, rotate: event.ctrlKey || event.metaKey, whole: event.shiftKey });
  }

  release(event) {
    const { now, pressed } = this;
    this.now = null;
    this.drawing.controls.enabled = true;
    if (now?.began) {
      this.hooks.drop(now);
    } else if (pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < STILL) {
      this.hooks.select(pressed.item?.userData.name ?? null);
    }
    this.pressed = null;
  }
}
