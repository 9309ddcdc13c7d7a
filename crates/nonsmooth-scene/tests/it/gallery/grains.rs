//! Many grains: a heap, a column that slumps, a hopper.

use super::{Played, play, position};

const G: f64 = 9.81;

/// Slope of the heap [°]: the straight line through the highest sphere in each of six rings of the table.
fn slope(played: &Played) -> f64 {
    let (d, rings) = (0.05, 6);
    let mut tops = vec![f64::NEG_INFINITY; rings];
    for i in 0..played.bodies().n {
        let at = played.position(i);
        let ring = (at.x.hypot(at.y) / d) as usize;
        if played.bodies().is_present(&played.simulation.state, i) && at.z > 0.0 && ring < rings {
            tops[ring] = tops[ring].max(at.z);
        }
    }
    let points: Vec<[f64; 2]> = (0..rings).map(|k| [(k as f64 + 0.5) * d, tops[k]]).collect();
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / rings as f64;
    let (r, z) = (mean(0), mean(1));
    let fall: f64 = points.iter().map(|p| (p[0] - r) * (z - p[1])).sum();
    let spread: f64 = points.iter().map(|p| (p[0] - r).powi(2)).sum();
    (fall / spread).atan().to_degrees()
}

#[test]
fn a_heap_of_spheres_has_an_angle_of_repose() {
    let played = play("sphere-pile.toml", &[], |_| ());
    let state = &played.simulation.state;
    let stay = (0..played.bodies().n).filter(|&i| played.bodies().is_present(state, i)).count();
    let angle = slope(&played);
    eprintln!("{angle}°, {stay} spheres stay");
    // Equal spheres with friction: 23.4° by geometry [Albert97]; a heap of six diameters is known to some degrees.
    assert!((15.0..30.0).contains(&angle), "{angle}°");
    assert!(stay < played.bodies().n, "the table is full");
    // Without friction there is no heap: the rim holds a layer or two.
    let smooth = slope(&play("sphere-pile.toml", &[("mu", "0")], |_| ()));
    assert!(smooth < 0.5 * angle, "{smooth}° without friction");
}

/// Where the layer ends [m]: the grain that lies farthest.
fn front(played: &Played) -> f64 {
    (0..played.bodies().n).fold(0.0, |m, i| m.max(played.position(i).x))
}

#[test]
fn a_column_of_grains_runs_out_as_experiments_say() {
    for rows in ["8", "14"] {
        let mut height = 0.0f64;
        let played = play("column-collapse.toml", &[("rows", rows)], |frame| {
            // As the gate opens.
            if (frame.after.t - 0.25).abs() < 1e-9 {
                height = (0..frame.model.bodies.n).fold(0.0, |m, i| m.max(position(frame, i).y));
            }
        });
        let width = 0.25;
        let (aspect, run_out) = (height / width, front(&played) / width - 1.0);
        eprintln!("aspect {aspect}, run-out {run_out} widths: {} of the aspect", run_out / aspect);
        // 1.2 a in channels of sand [Lube05], up to 2.5 a for disks [Staron05]; a < 2.
        assert!(run_out > 0.9 * aspect && run_out < 2.7 * aspect, "{run_out} at {aspect}");
        assert!(played.gain() < 0.0);
    }
}

#[test]
fn what_goes_into_a_hopper_comes_out() {
    let (mut inside, mut most) = (Vec::new(), 0);
    let played = play("hopper.toml", &[], |frame| {
        let bodies = &frame.model.bodies;
        let count = (0..bodies.n).filter(|&i| bodies.is_present(frame.after, i)).count();
        most = most.max(count);
        inside.push(count);
    });
    eprintln!("at most {most} grains at once, {} at the end", inside[inside.len() - 1]);
    assert_eq!(inside[inside.len() - 1], 0, "some stay inside");
    // All energy came with the grains and left with them or in contacts.
    let work = played.ledger.total;
    assert!(work.exchange > 0.0 && work.contact + work.friction < 0.0);
    let books = work.exchange + work.contact + work.friction + work.scheme;
    assert!((books - played.gain()).abs() < 1e-10 * played.ledger.scale * G);
}
