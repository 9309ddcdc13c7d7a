//! The joints of one body as one joint of a scene.
//!
//! A scene's bodies all have mass, so a body that hangs on its parent by several joints needs one type with all their freedoms: two hinges
//! that cross at a right angle are a universal joint, three through one point a spherical one, a hinge and a slide along one line a
//! cylindrical one, two slides with a hinge across both a planar one.

use crate::robot::{Freedom, Joint};
use glam::DVec3;

/// Directions and places that differ by less than this count as the same [–, m].
const SAME: f64 = 1e-8;
/// Smallest volume of three axes of length 1 that still turn about every direction.
const SPREAD: f64 = 1e-3;

/// A joint in the world at the start.
#[derive(Clone, Debug)]
pub(crate) struct Posed {
    pub joint: Joint,
    pub axis: DVec3,
    pub at: DVec3,
}

/// A free axis of a joint of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// What acts on it; nothing if there is none.
    pub joint: Option<Joint>,
    /// −1 where the scene counts the other way.
    pub sign: f64,
    /// How formulas call it.
    pub word: &'static str,
}

/// One joint of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Combined {
    pub kind: &'static str,
    pub at: DVec3,
    pub axis: Option<DVec3>,
    pub second_axis: Option<DVec3>,
    pub axes: Vec<Axis>,
    /// Joints whose stops, springs, dampers and drives the type cannot have.
    pub bare: Vec<Joint>,
}

impl Joint {
    /// Whether anything acts on it.
    pub fn is_bare(&self) -> bool {
        self.range.is_none()
            && self.actuators.is_empty()
            && [self.stiffness, self.damping, self.friction] == [0.0; 3]
    }
}

fn axis(joint: &Joint, sign: f64, word: &'static str) -> Axis {
    Axis { joint: Some(joint.clone()), sign, word }
}

fn is_parallel(a: DVec3, b: DVec3) -> bool {
    a.cross(b).length() <= SAME
}

fn is_across(a: DVec3, b: DVec3) -> bool {
    a.dot(b).abs() <= SAME
}

/// Where two lines meet.
fn crossing(a: &Posed, b: &Posed) -> Option<DVec3> {
    let n = a.axis.cross(b.axis);
    let apart = b.at - a.at;
    let n2 = n.length_squared();
    if n2 <= SAME * SAME || (apart.dot(n) / n2.sqrt()).abs() > SAME * (1.0 + apart.length()) {
        return None;
    }
    // The point of the second line: whole numbers of the file stay whole where its anchor is the point.
    let s = apart.cross(a.axis).dot(n) / n2;
    Some(if s.abs() <= SAME { b.at } else { b.at + s * b.axis })
}

/// One joint of a scene for all joints of a body; or why there is none.
pub(crate) fn combine(list: &[Posed]) -> Result<Combined, &'static str> {
    let turns: Vec<&Posed> = list.iter().filter(|p| p.joint.freedom == Freedom::Turn).collect();
    let slides: Vec<&Posed> = list.iter().filter(|p| p.joint.freedom == Freedom::Slide).collect();
    match (&turns[..], &slides[..], list.len()) {
        ([], [], 1) => {
            let ball = &list[0];
            let bare = vec![ball.joint.clone()];
            Ok(Combined {
                kind: "spherical",
                at: ball.at,
                axis: None,
                second_axis: None,
                axes: Vec::new(),
                bare,
            })
        }
        ([turn], [], 1) => Ok(single("revolute", turn, "angle")),
        ([], [slide], 1) => Ok(single("prismatic", slide, "travel")),
        ([first, second], [], 2) => universal(first, second),
        ([first, second, third], [], 3) => spherical([first, second, third]),
        ([turn], [slide], 2) if is_parallel(turn.axis, slide.axis) => Ok(cylindrical(turn, slide)),
        ([turn], [first, second], 3) => planar(list, turn, [first, second]),
        ([_], [_], 2) => Err("a slide and a hinge that are not along one line are no joint of a scene"),
        ([], [_, ..], _) => Err("several slides without a hinge across them are no joint of a scene"),
        _ => Err("these joints together are no joint of a scene"),
    }
}

fn single(kind: &'static str, posed: &Posed, word: &'static str) -> Combined {
    let axes = vec![axis(&posed.joint, 1.0, word)];
    Combined { kind, at: posed.at, axis: Some(posed.axis), second_axis: None, axes, bare: Vec::new() }
}

fn universal(first: &Posed, second: &Posed) -> Result<Combined, &'static str> {
    let at =
        crossing(first, second).ok_or("two hinges whose axes do not cross are no joint of a scene")?;
    if !is_across(first.axis, second.axis) {
        return Err("two hinges that do not cross at a right angle are no joint of a scene");
    }
    let across = (second.axis - second.axis.dot(first.axis) * first.axis).normalize();
    Ok(Combined {
        kind: "universal",
        at,
        axis: Some(first.axis),
        second_axis: Some(across),
        axes: vec![axis(&first.joint, 1.0, "angle_1"), axis(&second.joint, 1.0, "angle_2")],
        bare: Vec::new(),
    })
}

fn spherical(turns: [&Posed; 3]) -> Result<Combined, &'static str> {
    let [a, b, c] = turns;
    let at = crossing(a, b).ok_or("three hinges whose axes do not cross are no joint of a scene")?;
    if (at - c.at).cross(c.axis).length() > SAME * (1.0 + at.length()) {
        return Err("three hinges whose axes do not meet in one point are no joint of a scene");
    }
    if a.axis.cross(b.axis).dot(c.axis).abs() < SPREAD {
        return Err("three hinges in one plane turn about two directions only: no joint of a scene");
    }
    let bare = turns.map(|turn| turn.joint.clone()).to_vec();
    Ok(Combined { kind: "spherical", at, axis: None, second_axis: None, axes: Vec::new(), bare })
}

fn cylindrical(turn: &Posed, slide: &Posed) -> Combined {
    let sign = slide.axis.dot(turn.axis).signum();
    Combined {
        kind: "cylindrical",
        at: turn.at,
        axis: Some(turn.axis),
        second_axis: None,
        axes: vec![axis(&slide.joint, sign, "travel"), axis(&turn.joint, 1.0, "angle")],
        bare: Vec::new(),
    }
}

fn planar(list: &[Posed], turn: &Posed, slides: [&Posed; 2]) -> Result<Combined, &'static str> {
    if !slides.iter().all(|slide| is_across(slide.axis, turn.axis)) {
        return Err("two slides and a hinge that is not across both are no joint of a scene");
    }
    if is_parallel(slides[0].axis, slides[1].axis) {
        return Err("two slides along one line are no joint of a scene");
    }
    // The travels of the scene's joint are along axes of the first side: those of slides before the hinge.
    let (x, y) = turn.axis.any_orthonormal_pair();
    let mut axes = vec![
        Axis { joint: None, sign: 1.0, word: "travel_1" },
        Axis { joint: None, sign: 1.0, word: "travel_2" },
        axis(&turn.joint, 1.0, "angle"),
    ];
    let mut bare = Vec::new();
    let turns_at = list.iter().position(|p| p.joint.freedom == Freedom::Turn);
    let square = is_across(slides[0].axis, slides[1].axis);
    for slide in slides {
        let before = list.iter().position(|p| p.joint.name == slide.joint.name) < turns_at;
        match [x, y].iter().position(|e| is_parallel(*e, slide.axis)) {
            Some(k) if before && square => {
                axes[k].sign = slide.axis.dot([x, y][k]).signum();
                axes[k].joint = Some(slide.joint.clone());
            }
            _ => bare.push(slide.joint.clone()),
        }
    }
    Ok(Combined { kind: "planar", at: turn.at, axis: Some(turn.axis), second_axis: None, axes, bare })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    fn posed(name: &str, freedom: Freedom, axis: [f64; 3], at: [f64; 3]) -> Posed {
        let axis = DVec3::from_array(axis).normalize();
        Posed {
            joint: Joint::plain(name, &Place::default(), freedom, axis),
            axis,
            at: DVec3::from_array(at),
        }
    }

    fn kind(list: &[Posed]) -> &'static str {
        combine(list).map_or("none", |combined| combined.kind)
    }

    #[test]
    fn each_set_of_freedoms_has_its_type() {
        use Freedom::{Slide, Turn};
        let x = posed("x", Turn, [1.0, 0.0, 0.0], [0.0; 3]);
        let y = posed("y", Turn, [0.0, 1.0, 0.0], [0.0; 3]);
        let z = posed("z", Turn, [0.0, 0.0, 1.0], [0.0, 0.0, 3.0]);
        let far = posed("far", Turn, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let skew = posed("skew", Turn, [1.0, 1.0, 0.0], [0.0; 3]);
        let sx = posed("sx", Slide, [1.0, 0.0, 0.0], [5.0; 3]);
        let sz = posed("sz", Slide, [0.0, 0.0, -1.0], [0.0; 3]);
        assert_eq!(kind(std::slice::from_ref(&x)), "revolute");
        assert_eq!(kind(&[x.clone(), y.clone()]), "universal");
        assert_eq!(kind(&[x.clone(), y.clone(), z.clone()]), "spherical");
        assert_eq!(kind(&[x.clone(), sx.clone()]), "cylindrical");
        assert_eq!(kind(&[sx.clone(), sz.clone(), y.clone()]), "planar");
        // What looks like these and is not.
        assert_eq!(kind(&[x.clone(), far]), "none");
        assert_eq!(kind(&[x.clone(), skew.clone()]), "none");
        assert_eq!(kind(&[x.clone(), y.clone(), skew]), "none");
        assert_eq!(kind(&[y, sx.clone()]), "none");
        assert_eq!(kind(&[sx.clone(), sz.clone()]), "none");
        assert_eq!(kind(&[sx, sz, x]), "none");
    }

    #[test]
    fn a_slide_that_counts_the_other_way_has_its_sign() {
        let y = posed("y", Freedom::Turn, [0.0, 1.0, 0.0], [0.0; 3]);
        let sx = posed("sx", Freedom::Slide, [-1.0, 0.0, 0.0], [0.0; 3]);
        let sz = posed("sz", Freedom::Slide, [0.0, 0.0, -1.0], [0.0; 3]);
        let combined = combine(&[sz.clone(), sx.clone(), y.clone()]).expect("planar");
        let (e1, e2) = DVec3::Y.any_orthonormal_pair();
        for (axis, e) in combined.axes.iter().zip([e1, e2]) {
            let slide = if axis.joint.as_ref().is_some_and(|j| j.name == "sx") { &sx } else { &sz };
            assert_eq!(axis.sign * e, slide.axis);
        }
        // After the hinge the slides turn with the body: the scene's travels are others.
        assert_eq!(combine(&[y, sz, sx]).expect("planar").bare.len(), 2);
    }
}
