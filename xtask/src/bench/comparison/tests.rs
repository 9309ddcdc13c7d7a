//! A collection of four problems, small enough to join by hand.

use super::*;

const OURS: &str = "\
problem,kind,rows,contacts,solver,tolerance,status,cpu_s,iterations,certificate,fclib_residual,method
a,fc3d,30,10,auto,1e-8,solved,1e-3,5,1e-9,1e-9,newton
a,fc3d,30,10,nsgs,1e-8,solved,2e-3,1000,1e-9,1e-9,nsgs
b,fc3d,60,20,auto,1e-8,solved,4e-3,9,1e-9,1e-9,nsgs
b,fc3d,60,20,nsgs,1e-8,iteration limit,9e-3,10000,1e-3,1e-3,nsgs
c,lcp,2,,auto,1e-8,solved,1e-6,1,0,0,lemke
c,lcp,2,,nsgs,1e-8,unsupported,,,,,
d,fc2d,4,2,auto,1e-8,stalled,1e-3,7,1e-5,1e-5,nsgs
e,fc2d,4,2,auto,1e-8,solved,1e-3,7,1e-9,1e-9,nsgs
";

const THEIRS: &str = "\
# asserts live
problem,kind,rows,contacts,solver,tolerance,status,cpu_s,iterations,certificate,fclib_residual,siconos_tolerance
a,fc3d,30,10,FRICTION_3D_NSGS,1e-08,solved,0.02,2000,1e-9,1e-9,1e-8
a,fc3d,30,10,FRICTION_3D_ADMM,1e-08,solved,0.002,50,1e-9,1e-9,1e-8
b,fc3d,60,20,FRICTION_3D_NSGS,1e-08,timeout,,,1e-3,1e-3,1e-8
b,fc3d,60,20,FRICTION_3D_ADMM,1e-08,solved,0.002,50,1e-9,1e-9,1e-8
c,lcp,2,,LCP_LEMKE,1e-08,solved,1e-06,1,0,0,1e-6
d,fc2d,4,2,FRICTION_2D_NSGS,1e-08,solved,0.005,9,1e-9,1e-9,1e-8
";

fn entries() -> Vec<Entry> {
    let all = [
        ("a", "fc3d", "10"),
        ("b", "fc3d", "20"),
        ("c", "lcp", ""),
        ("d", "fc2d", "2"),
        ("e", "fc2d", "2"),
    ];
    let entry = |(name, kind, contacts): (&str, &str, &str)| Entry {
        name: name.into(),
        kind: kind.into(),
        contacts: contacts.into(),
        ..Entry::default()
    };
    all.map(entry).to_vec()
}

fn results() -> (Results, Results) {
    (Results::new(&Csv::parse(OURS).unwrap()), Results::new(&Csv::parse(THEIRS).unwrap()))
}

#[test]
fn ratios_by_hand() {
    let (entries, (ours, theirs)) = (entries(), results());
    let lines = join(&entries, &ours, &theirs, 1);
    // Problem e was not given to the others.
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0].over_gauss_seidel, Some(20.0));
    assert_eq!((lines[0].best, lines[0].over_best), (Some(("FRICTION_3D_ADMM", 0.002)), Some(2.0)));
    // Their Gauss–Seidel ran out of time, their best is twice as fast as we are.
    assert_eq!((lines[1].over_gauss_seidel, lines[1].over_best), (None, Some(0.5)));
    // A microsecond makes no ratio, and neither does a problem that we missed.
    assert_eq!((lines[2].over_best, lines[3].over_best), (None, None));
}

#[test]
fn a_summary_by_hand() {
    let (entries, (ours, theirs)) = (entries(), results());
    let summary = summarize(&join(&entries, &ours, &theirs, 1));
    assert_eq!(summary.n_problems, 4);
    assert_eq!(summary.solved, [3, 2, 4]);
    let (mean, n) = summary.over_gauss_seidel.unwrap();
    assert!((mean - 20.0).abs() < 1e-12 && n == 1, "a mean of one, got {mean}");
    let (mean, n) = summary.over_best.unwrap();
    assert!((mean - 1.0).abs() < 1e-12 && n == 2, "√(2 · ½) = 1, got {mean}");
    assert_eq!(summary.worst, Some((0.5, "b".into())));
    assert_eq!(summary.unsolved, ["d"]);
    assert_eq!(summarize(&join(&entries, &ours, &theirs, 0)).over_best, None);
}

#[test]
fn a_run_to_the_limit_of_iterations_counts_as_solved_but_makes_no_ratio() {
    let entries = entries();
    let endless = THEIRS.replace("solved,0.005,9,", "solved,0.005,10000000,");
    let ours = Results::new(&Csv::parse(&OURS.replace("stalled", "solved")).unwrap());
    for (table, ratio) in [(THEIRS, Some(5.0)), (&endless, None)] {
        let theirs = Results::new(&Csv::parse(table).unwrap());
        let lines = join(&entries, &ours, &theirs, 1);
        assert_eq!((lines[3].over_gauss_seidel, lines[3].over_best), (ratio, ratio));
        assert_eq!(summarize(&lines).solved, [4, 2, 4]);
    }
}

#[test]
fn shares_count_what_was_given() {
    let (entries, (ours, theirs)) = (entries(), results());
    assert_eq!(ours.share(&entries, "nsgs"), (2, [0, 1, 0]));
    assert_eq!(ours.share(&entries, "auto"), (5, [0, 4, 0]));
    assert_eq!(theirs.share(&entries, "FRICTION_3D_NSGS"), (2, [0, 1, 0]));
}

#[test]
fn a_sweep_costs_its_median() {
    let (entries, (ours, theirs)) = (entries(), results());
    // 2 ms / (1000 · 10) and 9 ms / (10000 · 20): the upper one of two.
    let (cost, n) = ours.sweep(&entries, "nsgs").unwrap();
    assert!((cost - 2e-7).abs() < 1e-15 && n == 2);
    let (cost, n) = theirs.sweep(&entries, "FRICTION_3D_NSGS").unwrap();
    assert!((cost - 1e-6).abs() < 1e-15 && n == 1);
    assert_eq!(theirs.sweep(&entries, "FRICTION_3D_ADMM"), None);
}

#[test]
fn names_lose_their_kind() {
    for (whole, name) in [
        ("FRICTION_3D_NSGS/PLI", "NSGS/PLI"),
        ("ROLLING_FRICTION_3D_NSGS", "NSGS"),
        ("GLOBAL_FRICTION_3D_ADMM", "global ADMM"),
        ("MLCP_LCP_LEMKE", "LCP_LEMKE"),
        ("auto", "auto"),
    ] {
        assert_eq!(short(whole), name);
    }
}

#[test]
fn a_profile_has_the_chain_first_and_the_best_of_theirs() {
    let (entries, (ours, theirs)) = (entries(), results());
    let some: Vec<&Entry> = entries.iter().filter(|entry| has_friction(entry)).collect();
    let curves = profile(&some, &ours, &theirs, 1);
    let names: Vec<&str> = curves.iter().map(|curve| curve.0.as_str()).collect();
    let best = "best of Siconos per problem";
    assert_eq!(names, ["auto", "nsgs", best, "Siconos ADMM", "Siconos NSGS"]);
    assert_eq!(curves[0].1, [Some(1e-3), Some(4e-3), None, Some(1e-3)]);
    assert_eq!(curves[2].1, [Some(2e-3), Some(2e-3), Some(5e-3), None]);
}

#[test]
fn tolerances_are_known_however_they_are_written() {
    assert_eq!([1e-4, 1e-8, 1e-12, 1e-6].map(place), [Some(0), Some(1), Some(2), None]);
}
