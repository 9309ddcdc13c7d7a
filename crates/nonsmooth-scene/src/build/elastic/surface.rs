//! A node against the surface of another elastic body, which it may slide along.
//!
//! ```text
//! y = n·(x + u − Σ N_b (x_b + u_b)),     u_T = t·(v − Σ N_b v_b)          n, t, N_b: of the side that is nearest now
//! ```
//!
//! Beside the surface the nearest node stands for it, so that who slides off its edge is free. The slope of y is n and −N_b n: the point is the
//! nearest one, so that its motion along the side changes nothing.

use super::contacts::tangents;
use glam::DVec3;
use nonsmooth::model::{Gap, UserError};
use nonsmooth_elements::cells::Cell;
use nonsmooth_elements::mesh::{Element, Mesh};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A side: its cell, and its nodes by their place in the surface.
struct Side {
    kind: &'static Cell,
    nodes: Vec<usize>,
}

/// Sides of an elastic body, and where their nodes are without displacement.
pub(super) struct Surface {
    /// Numbers of the nodes in the mesh, ascending.
    pub(super) nodes: Vec<u32>,
    places: Vec<DVec3>,
    sides: Vec<Side>,
}

impl Surface {
    pub(super) fn new(mesh: &Mesh, sides: &[Element]) -> Self {
        let mut nodes: Vec<u32> = sides.iter().flat_map(|side| side.nodes.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let place: BTreeMap<u32, usize> = nodes.iter().enumerate().map(|(k, &a)| (a, k)).collect();
        let local = |side: &Element| Side {
            kind: side.kind(),
            nodes: side.nodes.iter().map(|a| place[a]).collect(),
        };
        let places = nodes.iter().map(|&a| mesh.nodes[a as usize]).collect();
        Self { places, sides: sides.iter().map(local).collect(), nodes }
    }
}

/// The gap between a node and a surface. Its coordinates are the displacements of the node, then those of the nodes of the surface.
pub(super) struct SurfaceGap {
    /// Where the node is without displacement [m].
    pub(super) place: DVec3,
    /// Number of displacements of a node.
    pub(super) dim: usize,
    pub(super) surface: Arc<Surface>,
    pub(super) n_tangents: usize,
}

/// What is nearest to the node.
struct Near {
    /// Nodes of the surface with their weights.
    weights: Vec<(usize, f64)>,
    normal: DVec3,
    distance: f64,
}

impl SurfaceGap {
    fn displaced(&self, place: DVec3, u: &[f64]) -> DVec3 {
        let mut x = place;
        (0..self.dim).for_each(|i| x[i] += u[i]);
        x
    }

    fn near(&self, q: &[f64]) -> Result<Near, UserError> {
        let (own, others) = q.split_at(self.dim);
        let x = self.displaced(self.place, own);
        let places = self.surface.places.iter().zip(others.chunks_exact(self.dim));
        let places: Vec<DVec3> = places.map(|(place, u)| self.displaced(*place, u)).collect();
        let mut best: Option<Near> = None;
        for side in &self.surface.sides {
            let nodes: Vec<DVec3> = side.nodes.iter().map(|&k| places[k]).collect();
            let middle = nodes.iter().sum::<DVec3>() / nodes.len() as f64;
            let radius = nodes.iter().map(|node| node.distance(middle)).fold(0.0, f64::max);
            let least = x.distance(middle) - 2.0 * radius;
            if best.as_ref().is_some_and(|best| least > best.distance.abs()) {
                continue;
            }
            let Some((shape, normal, distance)) = side.kind.nearest(x, &nodes) else { continue };
            if best.as_ref().is_none_or(|best| distance.abs() < best.distance.abs()) {
                let weights = side.nodes.iter().copied().zip(shape.value).collect();
                best = Some(Near { weights, normal, distance });
            }
        }
        if let Some(best) = best {
            return Ok(best);
        }
        // Beside the surface: its nearest node.
        let nearest = places.iter().enumerate().min_by(|a, b| {
            let [a, b] = [a, b].map(|(_, place)| x.distance_squared(**place));
            a.total_cmp(&b)
        });
        let (k, place) = nearest.ok_or("the surface has no nodes")?;
        let way = x - *place;
        if !way.is_finite() {
            return Err("the node or the surface is not at a finite place".into());
        }
        let up = if self.dim == 2 { DVec3::Y } else { DVec3::Z };
        Ok(Near { weights: vec![(k, 1.0)], normal: way.normalize_or(up), distance: way.length() })
    }

    /// A row along an axis.
    fn row(&self, near: &Near, axis: DVec3, out: &mut [f64]) {
        out.fill(0.0);
        (0..self.dim).for_each(|i| out[i] = axis[i]);
        for &(k, weight) in &near.weights {
            (0..self.dim).for_each(|i| out[(1 + k) * self.dim + i] -= weight * axis[i]);
        }
    }
}

impl Gap for SurfaceGap {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.near(q)?.distance)
    }

    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let near = self.near(q)?;
        self.row(&near, near.normal, out);
        Ok(())
    }

    fn n_tangents(&self) -> usize {
        self.n_tangents
    }

    fn tangents(
        &self,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), UserError> {
        let near = self.near(q)?;
        let axes = tangents(near.normal, self.n_tangents);
        for (out, axis) in jacobian.chunks_exact_mut(q.len()).zip(axes) {
            self.row(&near, axis, out);
        }
        rate.fill(0.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nonsmooth_elements::mesh::generate::{self, Blocks};

    /// Slopes are derivatives by differences, on sides and beside them, for straight and curved sides.
    #[test]
    fn slopes_are_derivatives() {
        for (dim, blocks) in
            [(2, Blocks::Whole), (2, Blocks::WholeQuadratic), (3, Blocks::Whole), (3, Blocks::Split)]
        {
            let corner = DVec3::ZERO;
            let mesh = if dim == 2 {
                generate::rectangle(corner, [2.0, 1.0], [3, 2], blocks)
            } else {
                generate::block(corner, [2.0, 1.0, 1.0], [3, 2, 1], blocks)
            };
            let sides = mesh.sides_of("top").expect("it is there");
            let surface = Arc::new(Surface::new(&mesh, &sides));
            let n = dim * (1 + surface.nodes.len());
            let up = if dim == 2 { DVec3::Y } else { DVec3::Z };
            for (place, is_beside) in [
                (DVec3::new(0.31, 0.27, 0.0), false),
                (DVec3::new(1.1, 0.6, 0.0), false),
                (DVec3::new(2.7, 0.4, 0.0), true),
            ] {
                let place = if dim == 2 {
                    DVec3::new(place.x, 1.1, 0.0)
                } else {
                    DVec3::new(place.x, place.y, 1.1)
                };
                let gap = SurfaceGap { place, dim, surface: surface.clone(), n_tangents: 0 };
                let q: Vec<f64> = (0..n).map(|k| 0.02 * (1.7 * k as f64 + 0.3).sin()).collect();
                let mut slope = vec![0.0; n];
                gap.jacobian(0.0, &q, &mut slope).expect("finite");
                let near = gap.near(&q).expect("finite");
                assert_eq!(near.weights.len() == 1, is_beside);
                assert!(is_beside || near.normal.dot(up) > 0.9);
                for (k, slope) in slope.iter().enumerate() {
                    let at = |d: f64| {
                        let mut q = q.clone();
                        q[k] += d;
                        gap.gap(0.0, &q).expect("finite")
                    };
                    let exact = (at(1e-6) - at(-1e-6)) / 2e-6;
                    // Of a side that is bent in space the normal is that of the foot, which is not the nearest point to all digits.
                    let share = if dim == 3 { 2e-3 } else { 1e-6 };
                    assert!((slope - exact).abs() < share, "{dim} {k}: {slope} {exact}");
                }
            }
        }
    }
}
