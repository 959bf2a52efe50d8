// The picture: bodies, light, ground and camera. Lengths scale with the scene; z is up.

import {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, DynamicDrawUsage, Group, HemisphereLight, Mesh,
  MeshBasicMaterial, MeshStandardMaterial, NeutralToneMapping, OrbitControls, PCFShadowMap, PerspectiveCamera, PlaneGeometry,
  Quaternion, Raycaster, SRGBColorSpace, Scene, ShaderMaterial, ShadowMaterial, Sphere, Vector2, Vector3, WebGLRenderer, toCreasedNormals,
} from "./three.min.js";

/** Angle [rad] above which an edge is drawn sharp. */
const CREASE = 0.55;
/** Meshes of more triangles are drawn smooth: finding their sharp edges takes too long. */
const MAX_CREASED = 80_000;
const COLLIDING = new Color().setRGB(0.835, 0.369, 0.0, SRGBColorSpace);
/** Fraction of that colour in a body that collides: the rest is its own, by which it is recognized. */
const TINT = 0.72;
const SELECTED = new Color().setRGB(0.16, 0.22, 0.3, SRGBColorSpace);
const NONE = new Color(0, 0, 0);

const GRID_VERTEX = `
  varying vec2 place;
  void main() {
    place = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const GRID_FRAGMENT = `
  varying vec2 place;
  uniform float cell;
  uniform vec2 middle;
  uniform float far;
  float lines(float size, float width) {
    vec2 at = place / size;
    vec2 near = abs(fract(at - 0.5) - 0.5) / fwidth(at);
    return 1.0 - clamp(min(near.x, near.y) / width, 0.0, 1.0);
  }
  void main() {
    float line = max(0.32 * lines(cell, 1.2), 0.6 * lines(5.0 * cell, 1.6));
    float fade = 1.0 - smoothstep(0.25, 1.0, length(place - middle) / far);
    gl_FragColor = vec4(0.33, 0.39, 0.47, line * fade * 0.75);
  }`;

/** A round length: 1, 2 or 5 times a power of ten. */
function round(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  const digit = length / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

export class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.touch());
    this.sky = new HemisphereLight(0xffffff, 0xb4b0aa, 1.6);
    this.sky.position.set(0, 0, 1);
    this.sun = new DirectionalLight(0xfff6e8, 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.fill = new DirectionalLight(0xe6eeff, 0.9);
    this.bodies = new Group();
    this.marks = new Group();
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.bodies, this.marks);
    this.raycaster = new Raycaster();
    this.radius = 1;
    this.middle = new Vector3();
    this.items = [];
    this.soft = [];
    this.showGrid = true;
    this.edges = false;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  /** The picture is drawn again. */
  touch() {
    this.isStale = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  /** Draws, if something has changed. */
  draw() {
    this.controls.update();
    if (!this.isStale) return;
    this.isStale = false;
    const distance = this.camera.position.distanceTo(this.middle);
    this.camera.near = Math.max(0.02 * this.radius, 0.02 * (distance - 2 * this.radius));
    this.camera.far = distance + 60 * this.radius;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
  }

  /** Builds the bodies of a stage. */
  setStage(stage) {
    this.clear(this.bodies);
    const { buffer } = stage;
    let at = stage.offset;
    const vertices = stage.meshes.map(([count]) => {
      const part = new Float32Array(buffer, at, 3 * count);
      at += 12 * count;
      return part;
    });
    const geometries = stage.meshes.map(([, count], index) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(vertices[index], 3));
      geometry.setIndex(new BufferAttribute(new Uint32Array(buffer, at, 3 * count), 1));
      at += 12 * count;
      let drawn = geometry;
      if (count <= MAX_CREASED) drawn = toCreasedNormals(geometry, CREASE);
      else geometry.computeVertexNormals();
      drawn.computeBoundingSphere();
      drawn.computeBoundingBox();
      return drawn;
    });
    this.items = stage.bodies.map((body, index) => this.body(body, index, geometries[body.mesh]));
    this.soft = stage.soft.map((body) => {
      const geometry = new BufferGeometry();
      const position = new BufferAttribute(new Float32Array(3 * body.nodes), 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute("position", position);
      geometry.setIndex(new BufferAttribute(new Uint32Array(buffer, at, 3 * body.triangles), 1));
      at += 12 * body.triangles;
      const mesh = new Mesh(geometry, this.material(body.color));
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.bodies.add(mesh);
      return mesh;
    });
    this.ground = null;
    this.isFramed = false;
    this.stage = stage;
    this.touch();
  }

  material([r, g, b]) {
    const color = new Color().setRGB(r, g, b, SRGBColorSpace);
    return new MeshStandardMaterial({ color, roughness: 0.58, metalness: 0.02, side: DoubleSide, wireframe: this.edges });
  }

  body(body, index, geometry) {
    const object = geometry ? new Mesh(geometry, this.material(body.color)) : new Group();
    object.castShadow = object.receiveShadow = Boolean(geometry);
    object.userData = { index, ...body };
    this.bodies.add(object);
    return object;
  }

  /** A horizontal plane with a grid, on which shadows fall. */
  floor(size, cell, middle) {
    const group = new Group();
    const shadow = new Mesh(new PlaneGeometry(2 * size, 2 * size), new ShadowMaterial({ opacity: 0.3, depthWrite: false }));
    shadow.receiveShadow = true;
    const uniforms = { cell: { value: cell }, far: { value: 0.45 * size }, middle: { value: middle } };
    const grid = new Mesh(shadow.geometry, new ShaderMaterial({
      uniforms, vertexShader: GRID_VERTEX, fragmentShader: GRID_FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
    }));
    grid.renderOrder = -1;
    group.add(shadow, grid);
    group.userData.grid = grid;
    grid.visible = this.showGrid;
    return group;
  }

  /** Sets the poses of all bodies and the nodes of soft ones. */
  setFrame(frame) {
    if (frame.poses !== this.items.length) return;
    const numbers = new Float32Array(frame.buffer, frame.offset);
    this.items.forEach((item, index) => {
      const at = 7 * index;
      item.position.set(numbers[at], numbers[at + 1], numbers[at + 2]);
      item.quaternion.set(numbers[at + 3], numbers[at + 4], numbers[at + 5], numbers[at + 6]);
    });
    let at = 7 * this.items.length;
    if (frame.nodes > 0) {
      for (const mesh of this.soft) {
        const { position } = mesh.geometry.attributes;
        position.array.set(numbers.subarray(at, at + position.array.length));
        at += position.array.length;
        position.needsUpdate = true;
        mesh.geometry.computeVertexNormals();
      }
    }
    this.contacts = numbers.subarray(at, at + 8 * frame.contacts);
    if (!this.isFramed) this.settle();
    this.touch();
  }

  /** Poses of all bodies now. */
  poses() {
    return this.items.map((item) => ({ position: item.position.clone(), quaternion: item.quaternion.clone() }));
  }

  /** Bounding ball of some bodies. */
  ball(items) {
    const whole = new Sphere();
    whole.makeEmpty();
    for (const item of items) {
      if (!item.geometry) continue;
      item.updateMatrixWorld();
      if (!item.geometry.boundingSphere) item.geometry.computeBoundingSphere();
      whole.union(item.geometry.boundingSphere.clone().applyMatrix4(item.matrixWorld));
    }
    return whole;
  }

  /** The bodies that determine the view: not a fixed one that is much larger than all that moves. */
  main() {
    for (const mesh of this.soft) mesh.geometry.computeBoundingSphere();
    const all = [...this.items.filter((item) => item.geometry), ...this.soft];
    const moving = all.filter((item) => !item.userData.fixed);
    const { radius } = this.ball(moving);
    if (!(radius > 0)) return all;
    return all.filter((item) => !item.userData.fixed || this.ball([item]).radius < 4 * radius);
  }

  /** Sets light, ground and camera by the size of the scene. */
  settle() {
    this.isFramed = true;
    const items = this.main();
    const ball = this.ball(items);
    if (ball.radius > 0) {
      this.radius = ball.radius;
      this.middle.copy(ball.center);
    }
    const { radius, middle } = this;
    const whole = Math.min(this.ball([...this.items, ...this.soft]).radius || radius, 4 * radius);
    this.sun.position.copy(middle).addScaledVector(new Vector3(-0.35, -0.85, 1.1).normalize(), 4 * whole);
    this.sun.target.position.copy(middle);
    this.fill.position.copy(middle).addScaledVector(new Vector3(1, -0.3, 0.4), 4 * whole);
    const shadow = this.sun.shadow.camera;
    [shadow.left, shadow.right, shadow.bottom, shadow.top] = [-1.3, 1.3, -1.3, 1.3].map((side) => side * whole);
    [shadow.near, shadow.far] = [0.1 * whole, 9 * whole];
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.012 * whole;
    this.setGround(items);
    const { camera } = this.stage;
    if (camera) {
      this.camera.fov = (camera.angle * 180) / Math.PI;
      this.camera.position.set(...camera.eye);
      this.controls.target.set(...camera.target);
    } else {
      this.frame(middle, radius);
    }
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  setGround(items) {
    const cell = round(this.radius / 4);
    const planes = this.items.filter((item) => item.userData.plane);
    for (const plane of planes) {
      this.clear(plane);
      plane.updateMatrixWorld();
      const local = plane.worldToLocal(this.middle.clone());
      plane.add(this.floor(24 * this.radius, cell, new Vector2(local.x, local.y)));
    }
    if (planes.length === 0 && items.length > 0) {
      let low = Infinity;
      for (const item of items) {
        item.geometry.computeBoundingBox();
        low = Math.min(low, item.geometry.boundingBox.clone().applyMatrix4(item.matrixWorld).min.z);
      }
      this.ground = this.floor(24 * this.radius, cell, new Vector2(this.middle.x, this.middle.y));
      this.ground.position.z = low - 1e-3 * this.radius;
      this.bodies.add(this.ground);
    }
  }

  /** Places the camera so that a ball fills the picture, in the direction of view there is. */
  frame(middle, radius) {
    const half = (Math.min(this.camera.fov, this.camera.fov * this.camera.aspect) * Math.PI) / 360;
    const from = this.hasView ? this.camera.position.clone().sub(this.controls.target).normalize() : new Vector3(0.62, -0.66, 0.43).normalize();
    this.hasView = true;
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(from, (1.12 * radius) / Math.sin(half));
    this.controls.update();
    this.touch();
  }

  /** Frames some bodies, or the whole scene. */
  frameItems(items) {
    const ball = this.ball(items.length ? items : this.main());
    if (ball.radius > 0) this.frame(ball.center, ball.radius);
  }

  /** Colours the bodies that collide and the one that is selected. */
  highlight(colliding, selected) {
    for (const item of this.items) {
      if (!item.material) continue;
      const { name, color, fixed } = item.userData;
      item.material.color.setRGB(...color, SRGBColorSpace).lerp(COLLIDING, colliding.has(name) ? TINT * (fixed ? 0.45 : 1) : 0);
      item.material.emissive.copy(name === selected ? SELECTED : NONE);
    }
    this.touch();
  }

  /** Shows or hides the grid, and draws edges of triangles. */
  show(grid, edges) {
    [this.showGrid, this.edges] = [grid, edges];
    this.scene.traverse((object) => {
      if (object.userData.grid) object.userData.grid.visible = grid;
    });
    for (const item of [...this.items, ...this.soft]) if (item.material) item.material.wireframe = edges;
    this.touch();
  }

  /** The body under a point of the picture: its item, the point in the world and in its frame. */
  pick(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const place = new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    this.raycaster.setFromCamera(place, this.camera);
    const meshes = this.items.filter((item) => item.geometry);
    const [hit] = this.raycaster.intersectObjects(meshes, false);
    return { ray: this.raycaster.ray.clone(), hit, anchor: hit && hit.object.worldToLocal(hit.point.clone()) };
  }

  /** Place of a point in the picture [pixels]; none behind the camera. */
  project(point) {
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return null;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return [((seen.x + 1) * width) / 2, ((1 - seen.y) * height) / 2];
  }

  /** A copy of a body at another pose, translucent. */
  ghost(item, position, quaternion, color) {
    if (!item?.geometry) return null;
    // Behind the surfaces with which it coincides.
    const offset = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4 };
    const material = new MeshBasicMaterial({ color, transparent: true, opacity: 0.26, depthWrite: false, ...offset });
    const ghost = new Mesh(item.geometry, material);
    ghost.position.copy(position);
    ghost.quaternion.copy(quaternion ?? new Quaternion());
    ghost.renderOrder = 2;
    return ghost;
  }

  /** Removes the objects of a group; geometries that bodies have in common stay. */
  clear(group) {
    for (const object of [...group.children]) {
      group.remove(object);
      object.material?.dispose?.();
      if (!object.userData.isCommon && group === this.bodies) object.geometry?.dispose?.();
    }
  }
}
