//! Walls of bricks in running bond, by bodies: a brick rests on the halves of two bricks of the course below, each half
//! a joint of four contacts at its corners; the lowest course rests on the ground with four contacts per brick.

use crate::pile::Pile;
use nonsmooth_solvers::{Set, Sparse};

/// Half length, width and height of a brick [m], its mass [kg] and the speed gained in a step [m/s].
const HALF: [f64; 3] = [0.1, 0.05, 0.03];
const MASS: f64 = 2.0;
const SPEED: f64 = 0.01;

/// A contact: brick below (none for the ground), brick above, and the point seen from the two centres [m].
type Contact = (Option<usize>, usize, [f64; 3], [f64; 3]);

/// A wall of about this many contacts, twice as many bricks wide as high.
pub fn new(n_contacts: usize, mu: f64) -> Pile {
    let wall = |height: usize| (2 * height, height);
    let height = (1..).find(|&height| contacts(wall(height)).len() >= n_contacts).expect("walls grow");
    let mut contacts = contacts(wall(height));
    contacts.truncate(n_contacts);
    let n_bricks = 2 * height * height;
    let mut jacobian = Sparse::empty(6 * n_bricks);
    for contact in &contacts {
        push_rows(&mut jacobian, contact);
    }
    let [x, y, z] = HALF.map(|half| half * half);
    let third = MASS / 3.0;
    let diagonal = [MASS, MASS, MASS, third * (y + z), third * (x + z), third * (x + y)];
    let mass = Sparse::diagonal(&(0..6 * n_bricks).map(|i| diagonal[i % 6]).collect::<Vec<f64>>());
    let v: Vec<f64> = (0..6 * n_bricks)
        .map(|i| {
            let noise = ((i + 1) as f64 * 0.618_034).fract() - 0.5;
            0.2 * SPEED * noise - if i % 6 == 2 { SPEED } else { 0.0 }
        })
        .collect();
    let u_free = (0..jacobian.n_rows()).map(|i| jacobian.row_dot(i, &v)).collect();
    Pile { mass, jacobian, u_free, sets: vec![Set::Coulomb3 { mu }; contacts.len()] }
}

fn contacts((width, height): (usize, usize)) -> Vec<Contact> {
    let mut found = Vec::new();
    for k in 0..height {
        for i in 0..width {
            let above = k * width + i;
            if k == 0 {
                joint(None, above, (-HALF[0], HALF[0]), 0.0, &mut found);
                continue;
            }
            // Every second course is shifted by half a brick to the right, so that one end stands over a single brick.
            let below = |j: usize| Some((k - 1) * width + j);
            let (left, right) = if k % 2 == 1 {
                (below(i), (i + 1 < width).then(|| below(i + 1)).flatten())
            } else {
                ((i > 0).then(|| below(i - 1)).flatten(), below(i))
            };
            if left.is_some() {
                joint(left, above, (-HALF[0], 0.0), HALF[0], &mut found);
            }
            if right.is_some() {
                joint(right, above, (0.0, HALF[0]), -HALF[0], &mut found);
            }
        }
    }
    found
}

/// Four contacts at the corners of a joint from x₀ to x₁ as the upper brick sees it; `shift` is the upper centre seen
/// from the lower one [m].
fn joint(
    below: Option<usize>,
    above: usize,
    (x0, x1): (f64, f64),
    shift: f64,
    found: &mut Vec<Contact>,
) {
    for x in [x0, x1] {
        for y in [-HALF[1], HALF[1]] {
            found.push((below, above, [x + shift, y, HALF[2]], [x, y, -HALF[2]]));
        }
    }
}

/// Three rows: u = v_b − v_a at the contact, along the normal z and the tangents x and y.
fn push_rows(jacobian: &mut Sparse, &(below, above, from_below, from_above): &Contact) {
    for axis in [2, 0, 1] {
        let bodies = [below.map(|body| (body, -1.0, from_below)), Some((above, 1.0, from_above))];
        for (body, sign, [x, y, z]) in bodies.into_iter().flatten() {
            // e · (ω × r) = ω · (r × e).
            let turn = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]][axis];
            jacobian.column.push((6 * body + axis) as u32);
            jacobian.value.push(sign);
            for k in (0..3).filter(|&k| turn[k] != 0.0) {
                jacobian.column.push((6 * body + 3 + k) as u32);
                jacobian.value.push(sign * turn[k]);
            }
        }
        jacobian.finish_row();
    }
}
