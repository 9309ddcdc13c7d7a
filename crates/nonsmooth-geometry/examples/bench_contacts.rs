//! Time per pair of shapes [ns]: `cargo run --release -p nonsmooth-geometry --example bench_contacts`.
//!
//! Each pair is tried in resting contact (a gap of a micrometre, turned about the normal), apart by
//! less than the prediction, and overlapping. The last two columns are for one frozen contact: its freezing and its gap.
//! The least of several runs is printed.

use nonsmooth_geometry::spatial::{Contact, Pose, Shape, contacts, freeze};
use std::time::Instant;

fn main() {
    let ball = Shape::ball(0.5).expect("radius > 0");
    let cuboid = Shape::cuboid([0.5; 3]).expect("lengths > 0");
    let capsule = Shape::capsule(0.5, 0.5).expect("lengths > 0");
    let cylinder = Shape::cylinder(0.5, 0.5).expect("lengths > 0");
    let cone = Shape::cone(0.5, 0.5).expect("lengths > 0");
    let hull = Shape::hull(&rock()).expect("points in space");
    let plane = Shape::half_space([0.0, 0.0, 1.0]).expect("a direction");
    let field = Shape::height_field(vec![0.0; 81], 9, 9, [0.5; 2]).expect("a grid");
    let mesh = Shape::mesh(&grid().0, &grid().1).expect("a surface");
    let shapes = [
        ("ball", &ball, 0.5),
        ("box", &cuboid, 0.5),
        ("capsule", &capsule, 1.0),
        ("cylinder", &cylinder, 0.5),
        ("cone", &cone, 0.5),
        ("hull", &hull, 0.5),
    ];
    println!(
        "{:<22}{:>10}{:>10}{:>10}{:>10}{:>10}   ns per pair, points",
        "pair", "resting", "apart", "overlap", "freeze", "gap"
    );
    for (name, ground) in [("half-space", &plane), ("height field", &field), ("mesh", &mesh)] {
        for (other, shape, up) in &shapes {
            row(&format!("{name}–{other}"), ground, 0.0, shape, *up);
        }
    }
    for (k, (name, a, up_a)) in shapes.iter().enumerate() {
        for (other, b, up_b) in &shapes[k..] {
            row(&format!("{name}–{other}"), a, *up_a, b, *up_b);
        }
    }
}

/// Times one pair, the second standing on the first.
fn row(name: &str, a: &Shape, up_a: f64, b: &Shape, up_b: f64) {
    print!("{name:<22}");
    let mut points = 0;
    for gap in [1e-6, 0.02, -0.02] {
        let poses: Vec<(Pose, Pose)> = (0..64)
            .map(|k| {
                let angle = 0.1 * f64::from(k);
                let place = [0.1 * angle.sin(), 0.1 * angle.cos(), up_a + up_b + gap];
                (Pose::IDENTITY, Pose::turned(place, [0.0, 0.0, 1.0], angle))
            })
            .collect();
        let mut out: Vec<Contact> = Vec::new();
        let mut least = f64::INFINITY;
        for _ in 0..20 {
            let start = Instant::now();
            for _ in 0..20 {
                for (pose_a, pose_b) in &poses {
                    out.clear();
                    contacts(a, pose_a, b, pose_b, 0.05, &mut out);
                    points = points.max(out.len());
                }
            }
            least = least.min(start.elapsed().as_secs_f64() * 1e9 / (20.0 * poses.len() as f64));
        }
        print!("{least:>10.0}");
    }
    let [freezing, gap] = frozen(a, up_a, b, up_b);
    println!("{freezing:>10.0}{gap:>10.1}   {points}");
}

/// Times the freezing of a resting contact and its gap at other poses.
fn frozen(a: &Shape, up_a: f64, b: &Shape, up_b: f64) -> [f64; 2] {
    let pose = |angle: f64| Pose::turned([0.0, 0.0, up_a + up_b + 1e-6], [0.3, 0.0, 1.0], angle);
    let mut out = Vec::new();
    contacts(a, &Pose::IDENTITY, b, &pose(0.0), 0.05, &mut out);
    let Some(contact) = out.first() else { return [f64::NAN; 2] };
    let contact = freeze(a, &Pose::IDENTITY, b, &pose(0.0), contact);
    let poses: Vec<Pose> = (0..64).map(|k| pose(1e-3 * f64::from(k))).collect();
    let (mut least, mut sum) = ([f64::INFINITY; 2], 0.0);
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..64 {
            let frozen = freeze(a, &Pose::IDENTITY, b, &poses[0], &out[0]);
            sum += frozen.gap(&Pose::IDENTITY, &poses[0]);
        }
        least[0] = least[0].min(start.elapsed().as_secs_f64() * 1e9 / 64.0);
        let start = Instant::now();
        for _ in 0..20 {
            sum += poses.iter().map(|pose| contact.gap(&Pose::IDENTITY, pose)).sum::<f64>();
        }
        least[1] = least[1].min(start.elapsed().as_secs_f64() * 1e9 / (20.0 * poses.len() as f64));
    }
    assert!(sum.is_finite());
    least
}

/// A rock of 40 points with a flat base.
fn rock() -> Vec<[f64; 3]> {
    let spiral = (0..36).map(|k| {
        let z = -0.5 + (f64::from(k) + 0.5) / 36.0;
        let (sine, cosine) = (2.4 * f64::from(k)).sin_cos();
        let r = (0.36 - z * z).sqrt();
        [r * cosine, r * sine, z.max(-0.45)]
    });
    spiral.chain([[0.3, 0.3, -0.5], [-0.3, 0.3, -0.5], [-0.3, -0.3, -0.5], [0.3, -0.3, -0.5]]).collect()
}

/// A flat square of 8 × 8 cells, two triangles each.
fn grid() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let points =
        (0..81).map(|v| [0.5 * f64::from(v % 9) - 2.0, 0.5 * f64::from(v / 9) - 2.0, 0.0]).collect();
    let cells = (0..64).map(|c| c % 8 + 9 * (c / 8));
    (points, cells.flat_map(|v| [[v, v + 1, v + 10], [v, v + 10, v + 9]]).collect())
}
