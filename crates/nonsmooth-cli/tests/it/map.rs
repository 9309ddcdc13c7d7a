//! `map` on an oscillator beside a stop, ẍ + 2ζẋ + x = F cos ωt, x ≤ σ: sections, bifurcations and basins against closed forms; the same
//! tables for any number of threads and after a kill.
//!
//! ```text
//! ζ = 0, one impact in n periods τ = 2πn/ω, V the velocity before it, t = 0 at it, φ the phase of the force there, γ = F/(1 − ω²):
//! x = a cos t + b sin t + γ cos(ωt + φ)          x(0) = x(τ) = σ,  ẋ(0) = −eV,  ẋ(τ) = V
//!   b = −½(1+e)V,  a = b cot(τ/2),  γω sin φ = −½(1−e)V,  γ cos φ = σ − a
//! multipliers of the map: det = e²,  trace = −2e cos τ + (1+e) sin τ (F cos φ − σ)/V
//! doubling at trace = −(1 + e²)
//! ```
//!
//! [ShawHolmes83] has the same orbit with the stop at x = σ.

use crate::{Folder, command, nonsmooth};
use std::f64::consts::TAU;
use std::time::Duration;

pub(crate) const SCENE: &str = r#"
title = "Impact oscillator"
[parameters]
w = 2.6
F = 1.0
z = 0.0
e = 0.8
x0 = -0.1
v0 = 0.0
stop = 0.0
[[system.linear]]
name = "m"
coordinates = ["x"]
mass = 1
stiffness = 1
damping = "2*z"
force = "F*cos(w*t)"
q = "x0"
v = "v0"
[[constraint]]
name = "stop"
gap = "stop - x"
law = "rebound"
[law.rebound]
type = "newton-impact"
restitution = "e"
[run]
end = 1
step_size = 0.2
[integrator]
type = "high-order"
adaptive = "yes"
tolerance = 1e-9
"#;

/// The period as a formula of the scene.
const PERIOD: &str = "2*pi/w";

/// The orbit with one impact in n periods and the stop at 0.
pub(crate) struct Orbit {
    w: f64,
    a: f64,
    b: f64,
    gamma: f64,
    phi: f64,
    pub(crate) trace: f64,
    tau: f64,
}

impl Orbit {
    pub(crate) fn new(n: f64, w: f64, e: f64) -> Self {
        let (gamma, tau) = (1.0 / (1.0 - w * w), TAU * n / w);
        let cot = 1.0 / (0.5 * tau).tan();
        let velocity = gamma.abs() / (0.5 * (1.0 + e) * cot).hypot(0.5 * (1.0 - e) / w);
        let b = -0.5 * (1.0 + e) * velocity;
        let a = b * cot;
        let phi = (-0.5 * (1.0 - e) * velocity / (gamma * w)).atan2(-a / gamma);
        let trace = -2.0 * e * tau.cos() + (1.0 + e) * tau.sin() * phi.cos() / velocity;
        Self { w, a, b, gamma, phi, trace, tau }
    }

    /// x and ẋ, a time t after the impact.
    pub(crate) fn at(&self, t: f64) -> [f64; 2] {
        let t = t.rem_euclid(self.tau);
        let ((s, c), (sin, cos)) = (t.sin_cos(), (self.w * t + self.phi).sin_cos());
        let (a, b, g) = (self.a, self.b, self.gamma);
        [a * c + b * s + g * cos, b * c - a * s - g * self.w * sin]
    }

    /// x and ẋ where the force is at phase 0, in period k: the impact is at ωt = φ.
    pub(crate) fn section(&self, k: usize) -> [f64; 2] {
        self.at((TAU * k as f64 - self.phi) / self.w)
    }
}

/// ω at which the orbit with an impact in each period doubles, by halving.
pub(crate) fn doubling(e: f64) -> f64 {
    let excess = |w: f64| Orbit::new(1.0, w, e).trace + 1.0 + e * e;
    let (mut low, mut high) = (2.3, 2.9);
    assert!(excess(low) * excess(high) < 0.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(low) * excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

fn arguments<'a>(folder: &Folder, kind: &'a str, more: &[&'a str]) -> Vec<String> {
    let scene = folder.path("impact.toml");
    if !scene.exists() {
        folder.write("impact.toml", SCENE);
    }
    let (scene, out) = (folder.text("impact.toml"), folder.text("out"));
    let fixed = ["map", kind, &scene, "--out", &out, "--overwrite"];
    let period: &[&str] = if more.contains(&"--period") { &[] } else { &["--period", PERIOD] };
    fixed.iter().chain(period).chain(more).map(|text| (*text).to_owned()).collect()
}

fn map(folder: &Folder, kind: &str, more: &[&str]) -> crate::Ended {
    let all = arguments(folder, kind, more);
    nonsmooth(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

fn file(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(&format!("out/{name}"))).expect("written")
}

/// Numbers by row, without the header and the failure; an empty cell is not a number.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
    text.lines().skip(1).map(row).collect()
}

#[test]
fn the_orbit_with_one_impact_in_a_period_is_the_closed_form_and_doubles_where_it_says() {
    let folder = Folder::new("map-doubling");
    let e = 0.8;
    let critical = doubling(e);
    // The value for this restitution, from the formulas alone: it must not move with the code.
    assert!((critical - 2.653_348).abs() < 1e-6, "{critical}");
    let vary = format!("w={},{},{}", 2.5, critical * 0.997, critical * 1.003);
    let of = "m.x,m.v_x,impacts";
    let more = ["--vary", &vary, "--skip", "3000", "--keep", "4", "--of", of];
    map(&folder, "bifurcation", &more).expect(0, &["3 of 3 points, 0 failed", "m.x.png"]);
    let found = rows(&file(&folder, "map.csv"));
    assert_eq!(found.len(), 12);
    for row in &found[..8] {
        let [x, v] = Orbit::new(1.0, row[1], e).section(0);
        // Inner steps of 1e-9 over a period, and a multiplier that keeps errors for many: 1e-6.
        assert!((row[3] - x).abs() < 1e-6 && (row[4] - v).abs() < 1e-6, "{row:?}, not {x}, {v}");
        assert_eq!(row[5], 1.0, "{row:?}");
    }
    let beyond: Vec<f64> = found[8..].iter().map(|row| row[3]).collect();
    assert!((beyond[0] - beyond[1]).abs() > 1e-2, "no doubling: {beyond:?}");
    assert!((beyond[0] - beyond[2]).abs() < 1e-6 && (beyond[1] - beyond[3]).abs() < 1e-6, "{beyond:?}");
}

#[test]
fn the_first_impact_comes_where_the_free_oscillation_grazes_the_stop() {
    let folder = Folder::new("map-grazing");
    let (w, z, stop) = (1.5f64, 0.1, 0.6);
    // x = Re F e^{iωt}/d, d = 1 − ω² + 2iζω: amplitude F/|d|, which is the stop at the critical F.
    let d = [1.0 - w * w, 2.0 * z * w];
    let critical = stop * d[0].hypot(d[1]);
    // It begins on that motion, since an impacting one is beside it for some forces below.
    let start = critical * 0.9999 / (d[0] * d[0] + d[1] * d[1]);
    let (x0, v0) = (format!("x0={}", start * d[0]), format!("v0={}", start * d[1] * w));
    let vary = format!("F={},{}", critical * 0.9999, critical * 1.0001);
    let more = [
        "--vary",
        &vary,
        "--set",
        "w=1.5",
        "--set",
        "z=0.1",
        "--set",
        "stop=0.6",
        "--set",
        &x0,
        "--set",
        &v0,
        "--skip",
        "200",
        "--keep",
        "40",
        "--of",
        "impacts,max:m.x",
    ];
    map(&folder, "bifurcation", &more).expect(0, &["2 of 2 points, 0 failed"]);
    let found = rows(&file(&folder, "map.csv"));
    let impacts = |rows: &[Vec<f64>]| rows.iter().map(|row| row[3]).sum::<f64>();
    assert_eq!(impacts(&found[..40]), 0.0, "impacts below grazing");
    assert!(impacts(&found[40..]) > 0.0, "no impacts above grazing");
}

#[test]
fn basins_lead_to_the_two_orbits_that_closed_forms_have_there() {
    let folder = Folder::new("map-basins");
    let more = [
        "--vary",
        "x0=-1.2:-0.05:7",
        "--vary",
        "v0=-1:1:7",
        "--set",
        "w=4.3",
        "--set",
        "e=0.8",
        "--skip",
        "400",
        "--json",
    ];
    let ended = map(&folder, "basins", &more);
    let told: serde_json::Value =
        serde_json::from_str(ended.expect(0, &[]).stdout.trim()).expect("one object");
    let attractors = told["attractors"].as_array().expect("a list");
    assert_eq!(told["points"], 49);
    let orbit = Orbit::new(2.0, 4.3, 0.8);
    let double = attractors.iter().find(|a| a["period"] == 2).expect("the orbit of two periods");
    for state in double["states"].as_array().expect("states") {
        let found = [0, 1].map(|k| state[k].as_f64().expect("a number"));
        let near = |k: usize| {
            let exact = orbit.section(k);
            (found[0] - exact[0]).abs() < 1e-5 && (found[1] - exact[1]).abs() < 1e-5
        };
        assert!(near(0) || near(1), "{found:?}, not {:?} or {:?}", orbit.section(0), orbit.section(1));
    }
    let counted: u64 = attractors.iter().filter_map(|a| a["points"].as_u64()).sum();
    let none = rows(&file(&folder, "map.csv")).iter().filter(|row| row[3] == 0.0).count() as u64;
    assert_eq!(counted + none, 49);
}

#[test]
fn a_section_of_a_free_motion_without_loss_is_an_ellipse() {
    let folder = Folder::new("map-section");
    // Without force and stop x² + ẋ² stays; taken at a period that has no rational part in 2π.
    let more = [
        "--set",
        "F=0",
        "--set",
        "stop=9",
        "--vary",
        "v0=1,2",
        "--set",
        "x0=0",
        "--period",
        "1",
        "--skip",
        "0",
        "--keep",
        "300",
        "--of",
        "m.x,m.v_x",
    ];
    map(&folder, "section", &more).expect(0, &["section.png", "2 of 2 points"]);
    let found = rows(&file(&folder, "map.csv"));
    assert_eq!(found.len(), 600);
    for row in found {
        let (radius, t) = (row[1], row[2] + 1.0);
        assert!((row[3] - radius * t.sin()).abs() < 1e-5, "{row:?}");
        assert!((row[4] - radius * t.cos()).abs() < 1e-5, "{row:?}");
    }
}

#[test]
fn the_table_is_the_same_for_any_threads_and_after_a_cut_or_a_kill() {
    let folder = Folder::new("map-same");
    let more = ["--vary", "w=2.3:3:60", "--skip", "10", "--keep", "5", "--of", "m.x,impacts"];
    map(&folder, "bifurcation", &[&more[..], &["--threads", "1"]].concat()).expect(0, &["60 of 60"]);
    let (whole, picture) = (file(&folder, "map.csv"), file(&folder, "m.x.svg"));
    map(&folder, "bifurcation", &[&more[..], &["--threads", "3"]].concat()).expect(0, &["60 of 60"]);
    assert!(file(&folder, "map.csv") == whole, "three threads make another table than one");
    assert!(file(&folder, "m.x.svg") == picture, "three threads draw another picture than one");

    // 102 rows: 20 points and two periods of another.
    let keep = [("points".to_owned(), 102)];
    let cut = nonsmooth_scene::store::Writer::resume(folder.path("out/map.h5"), &keep);
    cut.and_then(|writer| writer.finish()).expect("it can be cut");
    let mut resume = arguments(&folder, "bifurcation", &more);
    resume.retain(|text| text != "--overwrite");
    resume.push("--resume".to_owned());
    let resume: Vec<&str> = resume.iter().map(String::as_str).collect();
    nonsmooth(&resume).expect(0, &["60 of 60"]);
    assert!(file(&folder, "map.csv") == whole, "the table that was cut off and resumed differs");

    let all = arguments(&folder, "bifurcation", &more);
    let mut child =
        command(&all.iter().map(String::as_str).collect::<Vec<_>>()).spawn().expect("it starts");
    let rows_there = || match nonsmooth_scene::store::Reader::open(folder.path("out/map.h5")) {
        Ok(reader) => reader.table("points").map_or(0, |info| info.rows),
        Err(_) => 0,
    };
    while rows_there() == 0 && child.try_wait().expect("known").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    nonsmooth(&resume).expect(0, &["60 of 60"]);
    assert!(file(&folder, "map.csv") == whole, "the table that was killed and resumed differs");
}

#[test]
fn mistakes_are_told() {
    let folder = Folder::new("map-mistakes");
    let vary = ["--vary", "w=2:3:3"];
    let cases: [(&str, &[&str], &[&str]); 8] = [
        ("bifurcation", &["--period", "2*pi/u"], &["--period 2*pi/u", "`u`"]),
        ("bifurcation", &["--period", "-1"], &["--period -1", "must be > 0"]),
        ("bifurcation", &["--period", "t"], &["--period t"]),
        ("bifurcation", &["--keep", "0"], &["--keep 0", "from 1"]),
        ("section", &["--of", "m.x"], &["two outputs"]),
        ("bifurcation", &["--of", "m.y"], &["--of m.y", "did you mean"]),
        ("basins", &[], &["two parameters"]),
        ("basins", &["--vary", "x0=0:1:3", "--tolerance", "0"], &["--tolerance 0", "must be > 0"]),
    ];
    for (kind, more, words) in cases {
        map(&folder, kind, &[&vary[..], more].concat()).expect(2, words);
        assert!(!folder.path("out/map.h5").exists(), "{more:?} left a table");
    }
}
