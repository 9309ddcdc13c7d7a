//! What each solver is good for: problems that it solves alone, with its defaults and without fallback.

use super::judge::judge;
use super::{load, run};
use crate::PART;
use nonsmooth_solvers::{Options, SOLVERS, Status, find};

const TOLERANCE: f64 = 1e-8;

/// A solver, and problems that show what it is good for.
const STRENGTHS: &[(&str, &[&str])] = &[
    // Rows with and without equations, W a P-matrix or semi-definite; `deltasigma` is the largest, in three exchanges.
    (
        "active-set",
        &["lcp_cps_1", "lcp_exp_murty", "lcp_ortiz", "lcp_trivial", "m2n1", "rcd", "pd", "deltasigma"],
    ),
    // Matrices of no special kind, equations that alone are singular, relays.
    (
        "lemke",
        &[
            "lcp_cps_4bis",
            "lcp_tobenna",
            "lcp_pang_isolated_sol",
            "relay2",
            "buck2",
            "buckfirststep",
            "diodebridge40",
            "deltasigma",
            "relay_4x4",
            "step_4x4",
        ],
    ),
    // Friction in the plane, exactly; stacks in space that stick.
    (
        "lemke-faceted",
        &[
            "fc2d_slidercranklagrangian00000",
            "gen_disks048_t0200",
            "frictioncontactproblem00071",
            "gen_disks300_t0200",
            "fc2d_granularflowonwall_00667_00000",
            "gfc2d_granularflowonwall_00069_00350",
            "gen_boxstack05_t0010",
            "gen_arch09_t0020",
        ],
    ),
    // Loose piles, few contacts, rolling.
    (
        "nsgs",
        &[
            "frictioncontactproblem00727",
            "spheres_i099_356_679",
            "gen_chute150_t0200",
            "gen_capsules045_t0400",
            "box_stacks_i0122_82_5",
            "confeti_ex03_fc3d_sbm",
            "rover1041",
            "chute_ndof_768_nc_4_3",
            "rfc3d_sphere_from_grfc3d",
        ],
    ),
    (
        "pgs",
        &[
            "nespheres_10_1",
            "gen_boxdrop_t0150",
            "box_stacks_i0122_82_5",
            "fc2d_granularflowonwall_00667_00000",
            "confeti_ex03_fc3d_sbm",
            "relay_4x4",
            "lcp_exp_murty",
        ],
    ),
    // The same in fewer sweeps.
    (
        "psor",
        &[
            "nespheres_10_1",
            "gen_capsules045_t0400",
            "box_stacks_i0122_82_5",
            "frictioncontactproblem00071",
            "rfc3d_cube_1",
            "rover9770",
        ],
    ),
    // Stacks, pyramids and towers, where Gauss–Seidel takes thousands of sweeps.
    (
        "newton",
        &[
            "oneobject_i100000_316",
            "gen_boxstack25_t0050",
            "gen_pyramid09_t0020",
            "kaplastower_i1061_4",
            "gen_spheres512_t0250",
            "gen_g_wall06x05_t0005",
            "gen_r_spheres027_t0100",
            "rockfall_14_25792",
            "diodebridge40",
        ],
    ),
    // Walls, towers and stacks, where one factor serves tens of iterations.
    (
        "admm",
        &[
            "gen_arch09_t0020",
            "lmgc_100_pr_periobox_i00361_60_03000",
            "gen_boxstack05_t0010",
            "gen_pyramid04_t0050",
            "gen_tower06_t0010",
            "gen_wall06x05_t0050",
            "gen_kapla04x08_t0005",
            "gen_pyramid09_t0020",
            "kaplastower_i1061_4",
            "gen_g_wall06x05_t0005",
            "relay_4x4",
        ],
    ),
    // Loose piles by products with W alone.
    (
        "apgd",
        &[
            "frictioncontactproblem00071",
            "nespheres_10_1",
            "confeti_ex03_fc3d_sbm",
            "gen_boxdrop_t0150",
            "box_stacks_i0122_82_5",
            "gen_chute150_t0200",
            "gen_capsules045_t0400",
            "gen_g_chute100_t0250",
            "gen_boxstack05_t0010",
            "gen_pyramid04_t0050",
            "cubeh8",
            "gfc2d_granularflowonwall_00069_00350",
        ],
    ),
    // Walls, towers, rolling; where many contacts are about to slide.
    (
        "interior-point",
        &[
            "gen_disks048_t1000",
            "oneobject_i100000_316",
            "gen_boxdrop_t0600",
            "gen_soup100_t0400",
            "gen_wall06x05_t0050",
            "gen_kapla04x08_t0005",
            "kaplastower_i1061_4",
            "gen_gr_spheres064_t0100",
            "deltasigma",
        ],
    ),
    // Whatever is small, W of any kind.
    (
        "enumerate",
        &[
            "fc2d_slidercranklagrangian00000",
            "rover11035",
            "gfc3d_onecontact",
            "lcp_cps_4bis",
            "lcp_pang_isolated_sol",
            "diodebridge",
            "relay_4x4",
        ],
    ),
];

#[test]
fn each_solver_alone_solves_what_it_is_good_for() {
    let problems = (PART.problems)();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for &(name, good_for) in STRENGTHS {
        assert!(good_for.len() >= 5, "{name}");
        // One not yet listed may have its problems here.
        let Some(entry) = find(name) else { continue };
        let of_part = |name: &&str| problems.lines.iter().find(|line| line["name"] == **name);
        for line in good_for.iter().filter_map(of_part) {
            tried += 1;
            let problem = load(&problems, line).problem;
            let mut solver = entry.build(&Options::default()).expect("the defaults are allowed");
            let solved = run(&mut *solver, &problem, TOLERANCE);
            let report = solved.report;
            let good = report.status == Status::Converged
                && judge(&problem, &solved.p).meets(TOLERANCE)
                && report.method.starts_with(name);
            if !good {
                wrong.push(format!("{name} on {}: {report:?}", line["name"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(tried, PART.strengths, "problems that solvers are good for");
}

#[test]
fn every_solver_has_problems_that_show_what_it_is_good_for() {
    for entry in SOLVERS.iter().filter(|entry| entry.name != "auto") {
        let listed = STRENGTHS.iter().any(|(name, _)| *name == entry.name);
        assert!(listed, "list at least five problems that `{}` solves alone, in STRENGTHS", entry.name);
    }
}
