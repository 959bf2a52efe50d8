// The page: what is shown, and what is asked of the server.

import { Dragging } from "./dragging.js";
import { Drawing } from "./drawing.js";
import { chosen, dropped, save } from "./files.js";
import { Link } from "./link.js";
import { Marks } from "./marks.js";
import { Plots, buildJoints, showMeasure, showRepaired, showRun, showSelection } from "./panel.js";

const find = (selector) => document.querySelector(selector);

/** Time without a change [ms] after which depths are measured with best effort. */
const CALM = 250;
/** Depth below which bodies touch, relative to the radius of the scene: rounding. */
const TOUCH = 1e-9;

const drawing = new Drawing(find("#view"));
const marks = new Marks(drawing, find("#labels"));
const plots = new Plots();
const link = new Link(connected);

/** State of the page; tests read it. */
const state = {
  stage: null, mode: "nothing", playing: false, index: null, count: 0, frame: null, colliding: [], selected: null, subject: null,
  measured: null, repaired: null, isEditing: false, updates: 0, rate: 0, depthTimes: [], isReady: false,
};
globalThis.extricate = { state, drawing, link };

/** Shows a message; nothing to hide it. */
function notice(text) {
  find("#notice").hidden = !text;
  find("#notice span").textContent = text ?? "";
}

/** Asks the server; a failure is shown. */
async function ask(what, fields) {
  try {
    const reply = await link.send(what, fields);
    if (state.stage && reply.generation !== state.stage.generation && what !== "stage") loadStage();
    return reply;
  } catch (error) {
    notice(error.message);
    return null;
  }
}

function connected(isOpen) {
  find(".dot").classList.toggle("on", isOpen);
  find("#status span:last-child").textContent = isOpen ? "connected" : "no connection; trying again";
  if (isOpen) loadStage();
}

let isLoading = false;
async function loadStage() {
  if (isLoading) return;
  isLoading = true;
  const stage = await ask("stage");
  isLoading = false;
  if (!stage) return;
  state.stage = stage;
  Object.assign(state, { selected: null, subject: null, measured: null, colliding: [], index: null, playing: false, frame: null });
  notice(null);
  drawing.hasView = false;
  drawing.setStage(stage);
  marks.setMeasured([]);
  marks.setBefore(null);
  showRepaired(null);
  plots.reset();
  document.title = stage.title ? `${stage.title} – Extricate` : "Extricate";
  find("#title").textContent = stage.title || "Extricate";
  find("#description").textContent = stage.description;
  find("#empty").hidden = stage.mode !== "nothing";
  find("#modes").hidden = !stage.can_run;
  find("#repair").hidden = find("[data-do=save]").hidden = !stage.handles;
  find("#measure").hidden = true;
  state.setJoints = buildJoints(stage.handles?.robots ?? [], (robot, joint, value) => edit("joint", { robot, joint, value }));
  if (stage.not_posed) notice(`This scene cannot be posed: ${stage.not_posed}`);
  setMode({ scene: "pose", record: "record" }[stage.mode] ?? "nothing");
}

function setMode(mode) {
  state.mode = mode;
  for (const tab of document.querySelectorAll("[data-mode]")) tab.setAttribute("aria-selected", String(tab.dataset.mode === mode));
  const isPosed = mode === "pose" && Boolean(state.stage.handles);
  find("#timeline").hidden = mode !== "run" && mode !== "record";
  for (const id of ["#repair", "#joints", "#measure"]) find(id).classList.toggle("off", !isPosed);
  find("#repair").hidden = !isPosed;
  find("#joints").hidden = !isPosed || !find("#joints").children.length;
  find("#run").hidden = true;
  marks.setMeasured([]);
  if (mode === "pose") {
    if (state.stage.can_run) ask("stop", { keep: true });
    setPlaying(false);
    edit("pose", {});
  } else {
    find("#measure").hidden = true;
    state.colliding = [];
    drawing.contacts = null;
    refresh();
    if (mode === "run") control("play");
    if (mode === "record") seek(0);
  }
}

// Poses: one edit at a time, the newest of those that wait.

let waiting = null;
async function edit(what, fields) {
  if (state.isEditing) {
    waiting = [what, fields];
    return;
  }
  state.isEditing = true;
  const since = performance.now();
  const reply = await ask(what, fields);
  if (reply?.kind === "frame" && state.mode === "pose") {
    showPose(reply);
    if (reply.handles !== undefined || state.stage.handles) measure("fast", since);
  }
  state.isEditing = false;
  if (waiting) {
    const [next, of] = waiting;
    waiting = null;
    edit(next, of);
  }
}

function showPose(frame) {
  state.frame = frame;
  state.colliding = frame.colliding ?? [];
  drawing.setFrame(frame);
  drawing.contacts = null;
  state.setJoints?.(frame.joints ?? []);
  find("[data-do=undo]").disabled = !frame.undo;
  find("[data-do=redo]").disabled = !frame.redo;
  const at = frame.dragged?.at_limit ?? [];
  find("#hint").hidden = at.length === 0;
  find("#hint").textContent = at.length ? `at a limit: ${at.join(", ")}` : "";
  refresh();
}

function refresh() {
  drawing.highlight(new Set(state.colliding.flat()), state.selected);
  showSelection(drawing.items.find((item) => item.userData.name === state.selected), state.colliding);
  marks.update();
}

// Depths: fast ones while something is dragged, the best once it rests.

let measuring = false;
let again = null;
let calm = 0;
async function measure(effort, since) {
  clearTimeout(calm);
  if (measuring) {
    again = [effort, since];
    return;
  }
  measuring = true;
  // Of robots and meshes, the first is asked about until another one is chosen, as in a query.
  const subject = state.subject ?? (state.stage.can_run ? null : drawing.items[0]?.userData.name);
  const reply = await ask("measure", { subject, request: { effort } });
  measuring = false;
  if (reply && state.mode === "pose" && state.stage.generation === reply.generation) {
    state.measured = { ...reply, effort };
    const deep = reply.pairs.filter(({ status, depth }) => status === "penetrating" && depth > TOUCH * drawing.radius);
    reply.pairs = [...deep, ...reply.pairs.filter(({ status }) => status !== "penetrating")];
    const known = new Set(reply.pairs.map(({ a, b }) => [a, b].sort().join()));
    state.colliding = [...state.colliding.filter((pair) => !known.has([...pair].sort().join())), ...deep.map(({ a, b }) => [a, b])];
    showMeasure(reply);
    marks.setMeasured(reply.pairs);
    refresh();
    if (since) state.depthTimes.push(performance.now() - since);
  }
  if (again) {
    const next = again;
    again = null;
    measure(...next);
  } else if (effort === "fast") {
    calm = setTimeout(() => measure("best"), CALM);
  }
}

const dragging = new Dragging(drawing, {
  canDrag({ userData: body }) {
    if (state.mode === "run") return !body.fixed;
    if (state.mode !== "pose" || !state.stage.handles || state.stage.handles.tied.includes(body.name)) return false;
    // The ground of a scene is dragged only once it is selected.
    return !body.fixed || body.robot || !state.stage.can_run || state.selected === body.name;
  },
  select(name) {
    state.selected = name;
    if (name) state.subject = name;
    refresh();
    if (state.mode === "pose" && state.stage.handles) measure("best");
  },
  drag(drag) {
    if (state.mode === "run") {
      ask("pull", { name: drag.name, anchor: drag.anchor, target: drag.target });
      return;
    }
    if (state.subject !== drag.name || marks.before) {
      state.subject = drag.name;
      marks.setBefore(null);
      showRepaired(null);
    }
    state.selected = drag.name;
    edit("drag", drag);
  },
  drop() {
    ask(state.mode === "run" ? "release" : "drop");
  },
});

async function repair() {
  if (state.mode !== "pose" || state.isRepairing) return;
  state.isRepairing = true;
  const button = find("[data-do=repair]");
  button.disabled = true;
  button.textContent = "Repairing…";
  const before = drawing.poses();
  const begun = await ask("repair", { rotate: true });
  let result = begun && { running: true };
  while (result?.running) {
    await new Promise((done) => setTimeout(done, 30));
    result = await ask("repaired");
  }
  button.disabled = false;
  button.textContent = "Repair";
  state.isRepairing = false;
  state.repaired = result;
  showRepaired(result);
  if (result?.accepted) marks.setBefore(before);
  else if (result?.status === "repaired") notice("Something was moved meanwhile: the repair was not applied.");
  await edit("pose", {});
}

// Runs and records: frames are asked for one after another, with one more on its way.

let asked = 0;
let from = { wall: 0, time: 0 };
async function update() {
  if (asked >= 2 || !link.isOpen) return;
  asked += 1;
  const index = state.mode === "record" ? recordIndex() : state.index;
  const frame = await ask("state", { index });
  asked -= 1;
  if (frame?.kind !== "frame" || (state.mode !== "run" && state.mode !== "record")) return;
  if (frame.failure) notice(frame.failure);
  if (frame.poses === 0) return;
  const isNew = frame.step !== state.frame?.step;
  state.frame = frame;
  state.count = frame.count;
  if (isNew) {
    state.updates += 1;
    drawing.setFrame(frame);
    plots.add(frame);
    marks.update();
  }
  if (state.mode === "run") setPlaying(frame.playing);
  if (state.mode === "record" && state.playing && frame.index === frame.count - 1 && frame.complete) setPlaying(false);
  find("#position").max = Math.max(frame.count - 1, 0);
  if (!find("#position").matches(":active")) find("#position").value = frame.index;
  find("#time").textContent = `${frame.time.toFixed(3)} s`;
  showRun(frame, plots, state.rate);
}

/** The state of a record that is due. */
function recordIndex() {
  const { frame, count } = state;
  if (!state.playing || !frame || count < 2) return state.index ?? 0;
  const time = from.time + (speed() * (performance.now() - from.wall)) / 1000;
  const index = Math.min(Math.round((time / frame.end) * (count - 1)), count - 1);
  state.index = index;
  return index;
}

const speed = () => Number(find("#speed").value);

function seek(index) {
  state.index = index;
  if (state.mode === "record") setPlaying(false);
  state.frame = null;
}

function setPlaying(playing) {
  if (state.playing === playing) return;
  state.playing = playing;
  const button = find("[data-do=play]");
  button.classList.toggle("playing", playing);
  button.setAttribute("aria-label", playing ? "Pause" : "Play");
}

function control(what) {
  if (state.mode === "record") {
    const last = state.count - 1;
    if (what === "play") {
      if (!state.playing && state.frame && state.frame.index >= last) state.frame.time = 0;
      from = { wall: performance.now(), time: state.frame?.time ?? 0 };
      setPlaying(!state.playing);
    } else if (what === "step") {
      seek(Math.min((state.index ?? 0) + 1, last));
    } else {
      seek(0);
    }
    return;
  }
  if (state.mode !== "run") return;
  state.index = null;
  if (what === "play") {
    ask(state.playing ? "pause" : "play", { speed: speed() });
  } else if (what === "step") {
    ask("step");
  } else {
    plots.reset();
    ask("stop").then(() => ask("step"));
  }
}

async function take(files) {
  if (files.length === 0) return;
  notice(null);
  find("#status span:last-child").textContent = `loading ${files.length} files…`;
  try {
    await link.sendFiles(files);
    await loadStage();
  } catch (error) {
    notice(error.message);
  }
  find("#status span:last-child").textContent = "connected";
}

const actions = {
  repair,
  undo: () => ask("undo").then(() => edit("pose", {})),
  redo: () => ask("redo").then(() => edit("pose", {})),
  restore: () => ask("restore").then(() => edit("pose", {})),
  open: () => find("#chosen").click(),
  clear: () => ask("clear").then(loadStage),
  picture() {
    drawing.touch();
    drawing.draw();
    drawing.canvas.toBlob((blob) => save("extricate.png", blob));
  },
  async save() {
    const reply = await ask("text");
    if (reply) save(`${state.stage.title || "scene"}.ron`, reply.text, "text/plain");
  },
  play: () => control("play"),
  step: () => control("step"),
  stop: () => control("stop"),
  frame: () => drawing.frameItems(drawing.items.filter((item) => item.userData.name === state.selected)),
};

document.addEventListener("click", (event) => {
  const { do: action, mode } = event.target.dataset ?? {};
  if (action) actions[action]?.();
  if (mode && mode !== state.mode) setMode(mode);
});
find("#notice button").addEventListener("click", () => notice(null));
find("#chosen").addEventListener("change", async (event) => {
  await take(await chosen(event.target.files));
  event.target.value = "";
});
find("#position").addEventListener("input", (event) => {
  if (state.mode === "run") ask("pause");
  seek(Number(event.target.value));
});
find("#speed").addEventListener("change", () => {
  from = { wall: performance.now(), time: state.frame?.time ?? 0 };
  if (state.mode === "run" && state.playing) ask("play", { speed: speed() });
});
for (const box of document.querySelectorAll("[data-show]")) {
  box.addEventListener("change", () => {
    const isOn = (name) => find(`[data-show=${name}]`).checked;
    for (const name of ["ghost", "regions", "contacts"]) marks.shown[name] = isOn(name);
    drawing.show(isOn("grid"), isOn("edges"));
    marks.update();
  });
}

const keys = { Enter: "repair", z: "undo", y: "redo", " ": "play", ".": "step", r: "stop", f: "frame" };
addEventListener("keydown", (event) => {
  if (["INPUT", "SELECT", "BUTTON", "SUMMARY"].includes(event.target.tagName) && event.key !== "Escape") return;
  if (event.key === "Escape") {
    state.selected = null;
    notice(null);
    refresh();
  }
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  // Z is also held for the axis while something is dragged.
  if (!action || dragging.now) return;
  event.preventDefault();
  actions[action]();
});

addEventListener("dragover", (event) => {
  event.preventDefault();
  find("#over").hidden = false;
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) find("#over").hidden = true;
});
addEventListener("drop", async (event) => {
  event.preventDefault();
  find("#over").hidden = true;
  await take(await dropped(event.dataTransfer));
});

let counted = { wall: performance.now(), updates: 0 };
function tick(now) {
  if (state.mode === "run" || state.mode === "record") update();
  if (now - counted.wall > 1000) {
    state.rate = (1000 * (state.updates - counted.updates)) / (now - counted.wall);
    counted = { wall: now, updates: state.updates };
  }
  const isStale = drawing.isStale;
  drawing.draw();
  if (isStale || drawing.isStale) marks.place();
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);
state.isReady = true;
