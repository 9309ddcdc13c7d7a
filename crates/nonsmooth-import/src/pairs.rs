//! Who meets whom, as the groups of a scene.
//!
//! In MJCF two colliders meet if one's type has a bit of the other's affinity; in a scene two meet if each is a member of a group that the
//! other meets. Colliders with the same partners are one group here, so the relation of the file is kept exactly, up to the 32 groups that
//! a scene has.

use crate::bodies::World;
use crate::log::Log;
use crate::robot::{Collider, Form, Frame, OF_THE_WORLD, Rubbing};
use nonsmooth_geometry::spatial::{Shape, distance};

/// Groups of a scene.
const MOST_GROUPS: usize = 32;
/// Overlap that may be rounding, of the size of the smaller collider.
const ROUNDING: f64 = 1e-9;
/// Pairs named in a note.
const NAMED: usize = 8;

/// Groups and materials of all colliders that meet something.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// Of each collider of the bodies, in their order, then of the ground: its group and whom that meets.
    pub groups: Vec<(usize, Vec<usize>)>,
    /// Materials by number of collider.
    pub materials: Vec<usize>,
    pub kinds: Vec<Rubbing>,
    /// Pairs of materials with their friction.
    pub frictions: Vec<([usize; 2], f64)>,
    /// Whether something that meets overlaps at the start.
    pub overlaps: bool,
}

/// A collider in the world.
struct Posed<'a> {
    body: Option<usize>,
    collider: &'a Collider,
    frame: Frame,
}

impl Meetings {
    /// The meetings of the world, from which colliders that meet nothing are taken out.
    pub fn of(world: &mut World, log: &mut Log) -> Self {
        let posed = posed(world);
        let mut meets = relation(world, &posed);
        let mut meetings = Meetings { overlaps: set_apart(&posed, &mut meets, log), ..Self::default() };
        let useless: Vec<bool> = meets.iter().map(|row| !row.contains(&true)).collect();
        if !posed.is_empty() && useless.contains(&true) {
            let names = posed.iter().zip(&useless).filter(|(_, useless)| **useless);
            let names: Vec<&str> = names.map(|(p, _)| p.collider.name.as_str()).collect();
            log.note(format!("colliders that meet nothing are left out: {}", some(&names)));
        }
        let rubbings: Vec<Rubbing> = posed.iter().map(|p| p.collider.rubbing).collect();
        let moving: Vec<bool> = posed.iter().map(|p| p.body.is_some()).collect();
        drop(posed);
        let mut kept = useless.iter().map(|useless| !useless);
        for body in &mut world.bodies {
            body.colliders.retain(|_| kept.next().unwrap_or(true));
        }
        world.ground.retain(|_| kept.next().unwrap_or(true));
        let left: Vec<usize> = (0..useless.len()).filter(|&i| !useless[i]).collect();
        let mut meets: Vec<Vec<bool>> =
            left.iter().map(|&i| left.iter().map(|&j| meets[i][j]).collect()).collect();
        if groups(&meets).is_none() {
            log.note("the bodies of the model do not meet each other, as that would take more than 32 groups; they meet the ground");
            for (i, row) in left.iter().zip(&mut meets) {
                row.iter_mut().zip(&left).for_each(|(m, j)| *m &= !(moving[*i] && moving[*j]));
            }
        }
        meetings.groups = groups(&meets).unwrap_or_else(|| vec![(0, vec![0]); left.len()]);
        meetings.rub(&left.iter().map(|&i| rubbings[i]).collect::<Vec<_>>());
        meetings
    }

    /// Materials, and the friction of every two.
    fn rub(&mut self, rubbings: &[Rubbing]) {
        for rubbing in rubbings {
            let known = self.kinds.iter().position(|kind| kind == rubbing);
            self.materials.push(known.unwrap_or(self.kinds.len()));
            if known.is_none() {
                self.kinds.push(*rubbing);
            }
        }
        // A scene wants a law for materials whose bodies meet or not.
        for b in 0..self.kinds.len() {
            let with = |a: usize| ([a, b], friction(self.kinds[a], self.kinds[b]));
            self.frictions.extend((0..=b).map(with));
        }
    }
}

/// μ between two: the larger one, or that of the higher priority; none where all that counts is smooth.
fn friction(a: Rubbing, b: Rubbing) -> f64 {
    let counts: Vec<Rubbing> =
        [a, b].into_iter().filter(|x| x.priority == a.priority.max(b.priority)).collect();
    if counts.iter().all(|x| x.is_smooth) {
        return 0.0;
    }
    counts.iter().map(|x| x.friction).fold(0.0, f64::max)
}

fn posed(world: &World) -> Vec<Posed<'_>> {
    let mut all = Vec::new();
    for (b, body) in world.bodies.iter().enumerate() {
        let on = |collider| Posed { body: Some(b), collider, frame: body.frame.after(&collider.frame) };
        all.extend(body.colliders.iter().map(on));
    }
    all.extend(world.ground.iter().map(|collider| Posed {
        body: None,
        collider,
        frame: collider.frame,
    }));
    all
}

/// Who meets whom by the file.
fn relation(world: &World, all: &[Posed<'_>]) -> Vec<Vec<bool>> {
    let owner = |p: &Posed<'_>| p.body.map(|_| p.collider.owner);
    let apart = |a: &Posed<'_>, b: &Posed<'_>| {
        let pair = [owner(a), owner(b)];
        world.apart.iter().any(|p| *p == pair || *p == [pair[1], pair[0]])
    };
    let joined = |a: Option<usize>, b: Option<usize>| {
        let up = |x: Option<usize>, y: Option<usize>| {
            x.is_some_and(|x| y.is_some() && world.bodies[x].parent == y)
        };
        !world.meets_parent && (up(a, b) || up(b, a))
    };
    let meets = |a: &Posed<'_>, b: &Posed<'_>| {
        if a.body == b.body {
            return false;
        }
        let names = [&a.collider.name, &b.collider.name];
        if world.meeting.iter().any(|[x, y]| [x, y] == names || [y, x] == names) {
            return true;
        }
        let [[type_a, with_a], [type_b, with_b]] = [a.collider.bits, b.collider.bits];
        let bits = type_a & with_b != 0 || type_b & with_a != 0;
        bits && !joined(a.body, b.body) && !apart(a, b)
    };
    all.iter().map(|a| all.iter().map(|b| meets(a, b)).collect()).collect()
}

/// Sets apart what overlaps at the start, where both move; whether something of the ground is overlapped.
fn set_apart(all: &[Posed<'_>], meets: &mut [Vec<bool>], log: &mut Log) -> bool {
    let shapes: Vec<Option<(Shape, f64)>> = all
        .iter()
        .map(|p| {
            let shape = p.collider.form.shape().ok()?;
            let radius = shape.bounding_radius([0.0; 3]);
            Some((shape, radius))
        })
        .collect();
    let (mut apart, mut into) = (Vec::new(), Vec::new());
    for i in 0..all.len() {
        for j in 0..i {
            let (true, Some((a, ra)), Some((b, rb))) = (meets[i][j], &shapes[i], &shapes[j]) else {
                continue;
            };
            let far = (all[i].frame.position - all[j].frame.position).length() > ra + rb;
            if far && ra.is_finite() && rb.is_finite() {
                continue;
            }
            let gap = distance(a, &all[i].frame.pose(), b, &all[j].frame.pose());
            if !(gap < -ROUNDING * ra.min(*rb)) {
                continue;
            }
            let text =
                format!("{} and {} by {:.1e} m", all[j].collider.name, all[i].collider.name, -gap);
            // What is fixed is as much a part of the robot as what moves, but for a floor.
            let is_floor =
                |p: &Posed<'_>| p.collider.owner == OF_THE_WORLD && p.collider.form == Form::HalfSpace;
            if !is_floor(&all[i]) && !is_floor(&all[j]) {
                (meets[i][j], meets[j][i]) = (false, false);
                apart.push(text);
            } else {
                into.push(text);
            }
        }
    }
    if !apart.is_empty() {
        log.note(format!("pairs that overlap at the start do not meet: {}", some(&apart)));
    }
    if !into.is_empty() {
        log.note(format!("colliders overlap a floor at the start: {}; `run.allow_initial_violation` is set, and they are pushed out", some(&into)));
    }
    !into.is_empty()
}

/// A list, cut where it is long.
fn some<T: AsRef<str>>(names: &[T]) -> String {
    let first: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}

/// Groups of colliders with the same partners; nothing if they are too many.
fn groups(meets: &[Vec<bool>]) -> Option<Vec<(usize, Vec<usize>)>> {
    let mut rows: Vec<&Vec<bool>> = Vec::new();
    let mut group = Vec::new();
    for row in meets {
        let known = rows.iter().position(|other| *other == row);
        group.push(known.unwrap_or(rows.len()));
        if known.is_none() {
            rows.push(row);
        }
    }
    let partners = |row: &Vec<bool>| {
        let mut list: Vec<usize> =
            row.iter().zip(&group).filter(|(meets, _)| **meets).map(|(_, g)| *g).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let made = group.iter().map(|&g| (g, partners(rows[g]))).collect();
    (rows.len() <= MOST_GROUPS).then_some(made)
}
