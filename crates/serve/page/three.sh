#!/usr/bin/env bash
# Makes `three.min.js` and `three.LICENSE` of three.js, from the npm registry: the classes that the page uses, as one module.
# Needs Node.js and npm. Equal versions give equal bytes.
set -euo pipefail
cd "$(dirname "$0")"
page=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --ignore-scripts three@0.187.0 esbuild@0.28.2
cat >entry.js <<'JS'
export {
  BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage, Group,
  HemisphereLight, Mesh, MeshBasicMaterial, MeshStandardMaterial, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Plane,
  PlaneGeometry, Quaternion, Raycaster, SRGBColorSpace, Scene, ShaderMaterial, ShadowMaterial, Sphere, SphereGeometry, Vector2,
  Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
export { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
JS
npx --no-install esbuild entry.js --bundle --minify --format=esm --legal-comments=eof --outfile="$page/three.min.js"
cp node_modules/three/LICENSE "$page/three.LICENSE"
