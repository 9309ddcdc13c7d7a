//! Filled-in graphs: the set of all (t, x) with x between the left and the right limit at t.
//!
//! ```text
//! gr*(f) = { (t, x) : 0 ≤ t ≤ T, x ∈ [f(t⁻), f(t⁺)] }
//! ```
//!
//! [Acary10, eq. (32)]. Here f is linear between its nodes, so the graph is a polyline in (t, x) that never
//! runs back in time; at a jump it has a segment at constant t. x is a number or a vector.

use thiserror::Error;

/// The filled-in graph of a piecewise linear function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// (t, x₁ … x_n) of every vertex, one after another; at least two vertices.
    vertices: Vec<f64>,
    /// 1 + n.
    stride: usize,
}

/// Why nodes are no graph.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum GraphError {
    /// There is no node, or x is not the same number of values for each.
    #[error("{values} values do not belong to {nodes} nodes: give the same number ≥ 1 for each node")]
    Size {
        /// Number of times.
        nodes: usize,
        /// Number of values.
        values: usize,
    },
    /// Time runs backwards, or is not a number.
    #[error("time {t} of node {node} does not follow {previous}")]
    Time {
        /// Which node.
        node: usize,
        /// Its time [s].
        t: f64,
        /// The time of the node before it [s].
        previous: f64,
    },
    /// A value is not finite.
    #[error("value {value} of node {node} is not finite")]
    NotFinite {
        /// Which node.
        node: usize,
        /// The value found.
        value: f64,
    },
}

impl Graph {
    /// A function with the limits `left` and `right` at the nodes `t` [s], linear in between.
    ///
    /// The values of a node follow each other: a vector has `left.len() / t.len()` components.
    pub fn from_nodes(t: &[f64], left: &[f64], right: &[f64]) -> Result<Self, GraphError> {
        let width = width(t, left)?;
        if right.len() != left.len() {
            return Err(GraphError::Size { nodes: t.len(), values: right.len() });
        }
        check_values(right, width)?;
        let mut graph = Self { vertices: Vec::new(), stride: 1 + width };
        for (i, &time) in t.iter().enumerate() {
            let node = i * width..(i + 1) * width;
            graph.push(time, &left[node.clone()]);
            if left[node.clone()] != right[node.clone()] {
                graph.push(time, &right[node]);
            }
        }
        Ok(graph.closed())
    }

    /// A continuous function, linear between the nodes.
    pub fn interpolated(t: &[f64], x: &[f64]) -> Result<Self, GraphError> {
        Self::from_nodes(t, x, x)
    }

    /// A function that keeps the value of a node until the next, continuous from the right.
    pub fn steps(t: &[f64], x: &[f64]) -> Result<Self, GraphError> {
        let width = width(t, x)?;
        let mut left = x.to_vec();
        left[width..].copy_from_slice(&x[..x.len() - width]);
        Self::from_nodes(t, &left, x)
    }

    /// Number of components of x.
    pub fn width(&self) -> usize {
        self.stride - 1
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.vertices.len() / self.stride
    }

    /// (t, x) of a vertex.
    pub fn vertex(&self, i: usize) -> &[f64] {
        &self.vertices[i * self.stride..(i + 1) * self.stride]
    }

    /// Number of segments; segment i joins the vertices i and i + 1.
    pub(super) fn n_segments(&self) -> usize {
        self.n_vertices() - 1
    }

    /// The two ends of a segment, one after the other.
    pub(super) fn segment(&self, i: usize) -> (&[f64], &[f64]) {
        self.vertices[i * self.stride..(i + 2) * self.stride].split_at(self.stride)
    }

    /// Largest |t| or |x| of all vertices.
    pub(super) fn size(&self) -> f64 {
        self.vertices.iter().fold(0.0, |size, x| size.max(x.abs()))
    }

    fn push(&mut self, t: f64, x: &[f64]) {
        self.vertices.push(t);
        self.vertices.extend_from_slice(x);
    }

    /// A single point is a segment of no length.
    fn closed(mut self) -> Self {
        if self.vertices.len() == self.stride {
            self.vertices.extend_from_within(..);
        }
        self
    }
}

/// Number of components of x at each node, all of it finite and in order.
fn width(t: &[f64], x: &[f64]) -> Result<usize, GraphError> {
    let (nodes, values) = (t.len(), x.len());
    if nodes == 0 || values == 0 || values % nodes != 0 {
        return Err(GraphError::Size { nodes, values });
    }
    let mut previous = f64::MIN;
    for (node, &t) in t.iter().enumerate() {
        if !(t >= previous && t.is_finite()) {
            return Err(GraphError::Time { node, t, previous });
        }
        previous = t;
    }
    let width = values / nodes;
    check_values(x, width)?;
    Ok(width)
}

fn check_values(x: &[f64], width: usize) -> Result<(), GraphError> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(GraphError::NotFinite { node: i / width, value: x[i] }),
        None => Ok(()),
    }
}
