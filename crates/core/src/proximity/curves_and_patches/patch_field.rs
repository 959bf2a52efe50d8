//! Approximate distances from a patch and from its border, on a grid.
//!
//! They choose curves; bounds are computed from exact distances.

use nalgebra::Vector3;

/// Nodes of a grid along its longest axis. More resolve smaller distances, and cost time for each patch of a model.
const RESOLUTION: usize = 14;
/// Points per packet of the search for the nearest one: a vector of eight floats.
const LANES: usize = 8;

/// Distances from a patch and from its border [m], at the nodes of a cubic grid over the box of the model.
#[derive(Debug, Clone)]
pub(crate) struct PatchField {
    min: [f32; 3],
    /// Reciprocal of the edge of a cell [1/m].
    scale: f32,
    counts: [usize; 3],
    /// Distance from the border and from the patch at each node [m].
    distances: Vec<[f32; 2]>,
}

/// Points in packets.
struct Points(Vec<[[f32; LANES]; 3]>);

impl Points {
    fn new(points: &[Vector3<f64>]) -> Self {
        let packet = |chunk: &[Vector3<f64>]| {
            let mut packet = [[0.0; LANES]; 3];
            for lane in 0..LANES {
                // The last packet is filled with repetitions.
                let point = chunk[lane.min(chunk.len() - 1)];
                for axis in 0..3 {
                    packet[axis][lane] = point[axis] as f32;
                }
            }
            packet
        };
        Self(points.chunks(LANES).map(packet).collect())
    }

    /// Distance of the nearest point; far beyond every model if there is none, but finite, so that it can be
    /// interpolated.
    #[inline(always)]
    fn distance(&self, from: &[f32; 3]) -> f32 {
        const FAR: f32 = 1e18;
        let mut min = [f32::INFINITY; LANES];
        for packet in &self.0 {
            for lane in 0..LANES {
                let [x, y, z] = [0, 1, 2].map(|axis| packet[axis][lane] - from[axis]);
                let squared = x * x + y * y + z * z;
                min[lane] = if squared < min[lane] { squared } else { min[lane] };
            }
        }
        min.into_iter().fold(f32::INFINITY, f32::min).sqrt().min(FAR)
    }
}

impl PatchField {
    /// The field over the box from `min` to `max` of points on the border and on the patch.
    pub(super) fn new(
        [min, max]: [Vector3<f64>; 2],
        border: &[Vector3<f64>],
        patch: &[Vector3<f64>],
    ) -> Self {
        let extent = max - min;
        let spacing = extent.max() / (RESOLUTION - 1) as f64;
        let counts = [0, 1, 2].map(|axis| ((extent[axis] / spacing).ceil() as usize + 1).max(2));
        let min: [f64; 3] = min.into();
        let mut field =
            Self { min: min.map(|x| x as f32), scale: (1.0 / spacing) as f32, counts, distances: Vec::new() };
        field.fill([Points::new(border), Points::new(patch)], spacing as f32);
        field
    }

    /// Evaluates the nodes, on the widest instruction set of the machine.
    fn fill(&mut self, points: [Points; 2], spacing: f32) {
        #[cfg(target_arch = "x86_64")]
        if crate::bvh::lanes::has_avx2() {
            #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
            // SAFETY: AVX2 is available.
            unsafe {
                self.fill_avx2(&points, spacing);
            }
            return;
        }
        self.fill_portable(&points, spacing);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&mut self, points: &[Points; 2], spacing: f32) {
        self.fill_portable(points, spacing);
    }

    /// The loop over the nodes, compiled for each instruction set with the same bits.
    #[inline(always)]
    fn fill_portable(&mut self, points: &[Points; 2], spacing: f32) {
        let [x, y, z] = self.counts;
        self.distances.reserve_exact(x * y * z);
        for index in 0..x * y * z {
            let place = [index % x, index / x % y, index / (x * y)];
            let node = [0, 1, 2].map(|axis| self.min[axis] + spacing * place[axis] as f32);
            self.distances.push([points[0].distance(&node), points[1].distance(&node)]);
        }
    }

    /// Distances of a point [m, frame of the tree] from the border and from the patch, interpolated.
    #[inline]
    pub(crate) fn at(&self, point: &[f32; 3]) -> [f32; 2] {
        let (mut place, mut fraction, mut beyond) = ([0; 3], [0.0; 3], 0.0);
        for axis in 0..3 {
            let scaled = (point[axis] - self.min[axis]) * self.scale;
            let last = (self.counts[axis] - 1) as f32;
            let inside = scaled.max(0.0).min(last);
            place[axis] = (inside as usize).min(self.counts[axis] - 2);
            fraction[axis] = inside - place[axis] as f32;
            beyond += (scaled - inside) * (scaled - inside);
        }
        let [x, y, _] = self.counts;
        let corner = (place[2] * y + place[1]) * x + place[0];
        let mut at = [0.0; 2];
        for kind in 0..2 {
            let value = |offset: usize| self.distances[corner + offset][kind];
            let along = |offset: usize| value(offset) + fraction[0] * (value(offset + 1) - value(offset));
            let across = |offset: usize| along(offset) + fraction[1] * (along(offset + x) - along(offset));
            let inside = across(0) + fraction[2] * (across(x * y) - across(0));
            at[kind] = if beyond > 0.0 {
                (inside * inside + beyond / (self.scale * self.scale)).sqrt()
            } else {
                inside
            };
        }
        at
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.distances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests::Noise;

    #[test]
    fn distances_are_interpolated_inside_the_box_and_never_much_too_large_outside() {
        let mut noise = Noise(4);
        let [border, patch] = [20, 50].map(|count| (0..count).map(|_| noise.vector()).collect::<Vec<_>>());
        let field = PatchField::new([Vector3::repeat(-1.0), Vector3::repeat(1.0)], &border, &patch);
        // A distance changes by no more than the way: at most by half the diagonal of a cell to the mean of its corners.
        let error = 0.5 * 3.0_f64.sqrt() * 2.0 / (RESOLUTION - 1) as f64 + 1e-6;
        let mut outside = 0;
        for _ in 0..500 {
            let point = 1.5 * noise.vector();
            let nearest = point.map(|x| x.clamp(-1.0, 1.0));
            let beyond = (point - nearest).norm();
            outside += u32::from(beyond > 0.0);
            let at = field.at(&<[f64; 3]>::from(point).map(|x| x as f32));
            for (found, points) in at.into_iter().zip([&border, &patch]) {
                let exact = |from: &Vector3<f64>| {
                    points.iter().map(|other| (other - from).norm()).fold(f64::INFINITY, f64::min)
                };
                let found = f64::from(found);
                assert!((found - exact(&nearest).hypot(beyond)).abs() < error, "{found} at {point}");
                assert!(found < exact(&point) + error, "{found} {}", exact(&point));
            }
        }
        assert!(outside > 100 && outside < 500, "{outside}");
    }
}
