//! The first instant at which two shapes on given paths touch.
//!
//! Conservative advancement: two shapes d apart do not touch before
//!
//! ```text
//! σ + d / (v + ω_a R_a + ω_b R_b),
//! ```
//!
//! v, ω bounds of speeds on the whole path, R radii about the centres of mass [Mirtich96]. Steps are
//! longer along the separating normal n. Every point of a body has an acceleration of at most
//! K = a + Σ (ω² + ω̇) R. With s(σ) the separation of two convex shapes along the fixed n,
//!
//! ```text
//! s(σ + τΔ) ≥ (1 − τ) s(σ) + τ s(σ + Δ) − ½ K Δ² τ (1 − τ)        0 ≤ τ ≤ 1,
//! ```
//!
//! because it holds for every point and the least of sums is no less than the sum of the least. So
//! Δ is safe where the right-hand side stays positive. Against meshes, height fields, chains and
//! compounds, which are not convex, and after 50 calls, d takes the place of s, and no step is longer than a
//! quarter of the least width of what moves there: what passes a surface in such a step is found
//! inside it, and the step is cut.
//!
//! Closer than 10⁻⁶ of the size, secants on d lead to a change of sign, and bracketing to the instant of
//! contact within round-off. There only a dip shallower than 10⁻⁶ of the size can be missed.

/// Bounds for the relative motion of two centres of mass that hold on the whole path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Approach {
    /// Relative speed [m/s].
    pub speed: f64,
    /// Relative acceleration [m/s²].
    pub acceleration: f64,
}

/// Bounds for the turning of one shape that hold on the whole path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turning {
    /// Angular speed [rad/s].
    pub spin: f64,
    /// Rate of change of the angular velocity [rad/s²]; spin² holds for every body that turns freely.
    pub spin_rate: f64,
    /// Radius of a ball about the centre of mass that holds the shape [m].
    pub radius: f64,
}

/// Whether two shapes touch on their paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impact<C> {
    /// They stay apart.
    Never,
    /// They overlap at the start.
    Overlapping(C),
    /// They touch.
    At {
        /// From the start of the path [s].
        time: f64,
        /// The deepest contact there: apart by round-off.
        contact: C,
    },
}

/// A shape of the plane or of space, as a sweep sees it.
pub trait Swept {
    /// Where a shape is.
    type Pose;
    /// A contact of two shapes.
    type Contact: Copy;
    /// A direction in the world.
    type Direction: Copy + std::ops::Neg<Output = Self::Direction>;

    /// Distance of the origins of two shapes along a direction, from the first to the second [m].
    fn along(from: &Self::Pose, to: &Self::Pose, n: Self::Direction) -> f64;
    /// Distance of the origins of two shapes [m].
    fn apart(a: &Self::Pose, b: &Self::Pose) -> f64;
    /// Appends the contacts of two shapes no farther apart than `within` [m].
    fn contacts(
        a: (&Self, &Self::Pose),
        b: (&Self, &Self::Pose),
        within: f64,
        out: &mut Vec<Self::Contact>,
    );
    /// Signed distance [m] and normal of a contact.
    fn gap(contact: &Self::Contact) -> (f64, Self::Direction);
    /// Least width of the shape [m]; 0 if it has none.
    fn width(&self) -> f64;
    /// The only normal of a half-plane or a half-space.
    fn only_normal(&self, pose: &Self::Pose) -> Option<Self::Direction>;
    /// How far a convex shape reaches along n from its origin [m]; a half-space along its normal not at all.
    fn extent_along(&self, pose: &Self::Pose, n: Self::Direction) -> Option<f64>;
}

/// A shape on its path, with bounds for its turning.
pub struct Moving<'a, S: Swept> {
    /// The shape.
    pub shape: &'a S,
    /// Its pose at a time from the start of the path [s].
    pub pose: &'a dyn Fn(f64) -> S::Pose,
    /// Bounds that hold on the whole path.
    pub turning: Turning,
}

/// The first instant within `duration` [s] at which two shapes on their paths touch.
pub fn time_of_impact<S: Swept>(
    a: &Moving<'_, S>,
    b: &Moving<'_, S>,
    approach: Approach,
    duration: f64,
) -> Impact<S::Contact> {
    let apart = S::apart(&(a.pose)(0.0), &(b.pose)(0.0));
    let mut limits = Limits::new(approach, [a.turning, b.turning], duration, apart);
    let widths = [a, b].map(|moving| moving.shape.width()).into_iter().filter(|width| *width > 0.0);
    limits.width = widths.fold(f64::INFINITY, f64::min).min(limits.size);
    first_contact(Paths { a, b, found: Vec::new() }, limits)
}

/// Two shapes on their paths.
struct Paths<'p, 'a, S: Swept> {
    a: &'p Moving<'a, S>,
    b: &'p Moving<'a, S>,
    found: Vec<S::Contact>,
}

impl<S: Swept> Paths<'_, '_, S> {
    /// The deepest contact no farther apart than `within`.
    fn contact(&mut self, time: f64, within: f64) -> Option<S::Contact> {
        let Self { a, b, found } = self;
        found.clear();
        S::contacts((a.shape, &(a.pose)(time)), (b.shape, &(b.pose)(time)), within, found);
        found.iter().copied().min_by(|p, q| S::gap(p).0.total_cmp(&S::gap(q).0))
    }

    /// The separation of two convex shapes along the normal of a contact.
    fn separation(&self, time: f64, contact: &S::Contact) -> Option<f64> {
        let (a, b) = (self.a.shape, self.b.shape);
        let (pose_a, pose_b) = ((self.a.pose)(time), (self.b.pose)(time));
        // A half-space has no normal but its own.
        let own = a.only_normal(&pose_a).or_else(|| b.only_normal(&pose_b).map(|n| -n));
        let n = own.unwrap_or(S::gap(contact).1);
        Some(S::along(&pose_a, &pose_b, n) - a.extent_along(&pose_a, n)? - b.extent_along(&pose_b, -n)?)
    }
}

/// What the search knows of the paths.
#[derive(Clone, Copy, Debug)]
struct Limits {
    duration: f64,
    /// Of all points relative to each other [m/s].
    speed: f64,
    /// K [m/s²].
    bend: f64,
    /// Size of the smaller shape [m].
    size: f64,
    /// Least width of the two, of those that have one [m].
    width: f64,
    /// Lengths to which distances are rounded [m].
    lengths: f64,
}

impl Limits {
    /// Limits of two shapes whose centres are this far apart at the start.
    fn new(approach: Approach, turnings: [Turning; 2], duration: f64, apart: f64) -> Self {
        let [a, b] = turnings.map(|turning| turning.radius);
        // A half-space that turns moves as fast as its farthest point that the other may reach.
        let farthest = apart + a.min(b) + approach.speed * duration;
        let radius = |turning: &Turning| turning.radius.min(farthest);
        let spin = |t: &Turning| if t.spin > 0.0 { t.spin * radius(t) } else { 0.0 };
        let bend = |t: &Turning| {
            let rate = t.spin * t.spin + t.spin_rate;
            if rate > 0.0 { rate * radius(t) } else { 0.0 }
        };
        Self {
            duration,
            speed: approach.speed + turnings.iter().map(spin).sum::<f64>(),
            bend: approach.acceleration + turnings.iter().map(bend).sum::<f64>(),
            size: a.min(b),
            width: f64::INFINITY,
            lengths: apart + a.min(farthest) + b.min(farthest),
        }
    }

    /// Distance at which shapes touch [m].
    fn tolerance(&self) -> f64 {
        5e-14 * self.size + 2.0 * f64::EPSILON * self.lengths
    }
}

/// Part of the separation that a step aims to leave.
const LEFT: f64 = 0.1;
/// Steps tried are at least this many times the conservative one.
const FIRST: f64 = 4.0;
/// Attempts to find a step longer than the conservative one.
const ATTEMPTS: usize = 12;
/// Part of the size at which secants take over.
const NEAR: f64 = 1e-6;
/// Distance calls after which the distance itself is followed: turning rods that lie along each other let the
/// separation along any fixed normal fall fast.
const PATIENCE: usize = 50;
/// Distance calls after which shapes that keep close count as touching.
const MOST_CALLS: usize = 20_000;

/// The first contact on two paths.
fn first_contact<S: Swept>(paths: Paths<'_, '_, S>, limits: Limits) -> Impact<S::Contact> {
    let mut search = Search { paths, limits, rate: limits.speed, is_patient: true };
    let mut time = 0.0;
    for call in 0..MOST_CALLS {
        search.is_patient = call < PATIENCE;
        let reach = limits.speed * (limits.duration - time) + limits.tolerance();
        let Some(contact) = search.paths.contact(time, reach) else { return Impact::Never };
        let (distance, _) = S::gap(&contact);
        if call == 0 && distance < -limits.tolerance() {
            return Impact::Overlapping(contact);
        }
        let step = if distance <= NEAR * limits.size {
            match search.near(time, distance) {
                Near::Hit(time) => return search.hit(time, contact),
                Near::Open(step) => step,
            }
        } else {
            search.step(time, &contact)
        };
        if time + step >= limits.duration {
            return Impact::Never;
        }
        time += step;
    }
    match search.paths.contact(time, limits.size) {
        Some(contact) => Impact::At { time, contact },
        None => Impact::Never,
    }
}

struct Search<'p, 'a, S: Swept> {
    paths: Paths<'p, 'a, S>,
    limits: Limits,
    /// At which the separation fell in the last step [m/s].
    rate: f64,
    is_patient: bool,
}

/// What lies ahead of shapes that are near.
enum Near {
    /// They touch at a time [s].
    Hit(f64),
    /// They do not within a step [s].
    Open(f64),
}

impl<S: Swept> Search<'_, '_, S> {
    fn hit(&mut self, time: f64, last: S::Contact) -> Impact<S::Contact> {
        let contact = self.paths.contact(time, self.limits.size).unwrap_or(last);
        Impact::At { time, contact }
    }

    /// The signed distance; `within` if it is more.
    fn distance(&mut self, time: f64, within: f64) -> f64 {
        self.paths.contact(time, within).map_or(within, |contact| S::gap(&contact).0)
    }

    /// A safe step from here.
    fn step(&mut self, time: f64, contact: &S::Contact) -> f64 {
        let (now, limits) = (S::gap(contact).0, self.limits);
        let rest = limits.duration - time;
        let is_convex = self.is_patient && self.paths.separation(time, contact).is_some();
        let longest = if is_convex { rest } else { rest.min(limits.quarter()) };
        let safe = now / limits.speed;
        if safe >= longest {
            return safe;
        }
        let mut step = ((1.0 - LEFT) * now / self.rate).max(FIRST * safe).min(longest);
        for _ in 0..ATTEMPTS {
            if step <= safe {
                break;
            }
            let along = if is_convex { self.paths.separation(time + step, contact) } else { None };
            let then = match along {
                Some(separation) => separation,
                None => self.distance(time + step, now + 2.0 * limits.speed * step),
            };
            if least(now, then, limits.bend * step * step) > 0.0 {
                self.rate = ((now - then) / step).clamp(1e-3 * limits.speed, limits.speed);
                return step;
            }
            let secant = if then < now { 0.9 * now / (now - then) } else { 0.5 };
            step *= secant.clamp(0.05, 0.7);
        }
        self.rate = limits.speed;
        safe
    }

    /// Secants from shapes that are near.
    fn near(&mut self, time: f64, now: f64) -> Near {
        let limits = self.limits;
        let (near, touching, rest) = (NEAR * limits.size, limits.tolerance(), limits.duration - time);
        let bend = if limits.bend > 0.0 { (8.0 * near / limits.bend).sqrt() } else { f64::INFINITY };
        let longest = rest.min(bend).min(limits.quarter()).max(now / limits.speed);
        let probe = longest.min(now.max(0.01 * near) / limits.speed);
        let next = self.distance(time + probe, now + near);
        if next < -touching {
            return Near::Hit(self.root((time, now), (time + probe, next)));
        }
        let rate = (now - next) / probe;
        let step =
            if rate > 0.0 { (1.5 * now.max(0.01 * near) / rate).clamp(probe, longest) } else { longest };
        let then = self.distance(time + step, now + near + limits.speed * step);
        if then < -touching || (then <= touching && now > touching) {
            return Near::Hit(self.root((time, now), (time + step, then)));
        }
        Near::Open(step)
    }

    /// The change of sign between two times, from the side where the shapes are apart, by regula falsi in Illinois form.
    fn root(&mut self, open: (f64, f64), closed: (f64, f64)) -> f64 {
        let touching = self.limits.tolerance();
        let ((mut t0, mut d0), (mut t1, mut d1)) = (open, closed);
        let (mut w0, mut w1) = (d0, d1);
        for _ in 0..100 {
            if d0 <= touching {
                return t0;
            }
            if d1 >= -touching {
                return t1;
            }
            let middle = t0 + (t1 - t0) * (w0 / (w0 - w1)).clamp(0.001, 0.999);
            if !(middle > t0 && middle < t1) {
                break;
            }
            let d = self.distance(middle, 2.0 * d0);
            if d > 0.0 {
                (t0, d0, w0, w1) = (middle, d, d, 0.5 * w1);
            } else {
                (t1, d1, w1, w0) = (middle, d, d, 0.5 * w0);
            }
        }
        t0
    }
}

impl Limits {
    /// Time in which nothing moves by more than a quarter of the least width [s].
    fn quarter(&self) -> f64 {
        0.25 * self.width / self.speed
    }
}

/// Least of (1 − τ) s₀ + τ s₁ − ½ b τ (1 − τ).
fn least(s0: f64, s1: f64, b: f64) -> f64 {
    let slope = s0 - s1 + 0.5 * b;
    if slope > 0.0 && slope < b { s0 - slope * slope / (2.0 * b) } else { s0.min(s1) }
}
