//! `solve`: problems from files and folders, tables, profiles, saved solutions, exit codes.

use crate::{Folder, nonsmooth};
use nonsmooth_solvers::SOLVERS;
use nonsmooth_testkit::Problems;

/// Writes an LCP whose matrix is diagonal, and returns its path.
fn lcp(folder: &Folder, name: &str, diagonal: &[f64], q: &[f64]) -> String {
    let n = q.len();
    let mut matrix = format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {n}\n");
    for (i, x) in diagonal.iter().enumerate() {
        matrix += &format!("{} {} {x}\n", i + 1, i + 1);
    }
    folder.write(&format!("{name}.M.mtx"), &matrix);
    let text = format!(
        "{{\"format\": \"nonsmooth-lcp/1\", \"kind\": \"lcp\", \"M\": \"{name}.M.mtx\", \"n\": {n}, \"q\": {q:?}}}"
    );
    folder.write(&format!("{name}.json"), &text)
}

#[test]
fn help_says_what_exit_codes_mean() {
    nonsmooth(&["solve", "--help"])
        .expect(0, &["--solver", "--tol", "--save", "--csv", "Exit codes: 0 every problem"]);
}

#[test]
fn a_problem_is_solved_and_shown_in_a_table() {
    let folder = Folder::new("solve-one");
    let path = lcp(&folder, "two", &[2.0, 4.0], &[-1.0, 1.0]);
    let ended = nonsmooth(&["solve", &path]);
    ended.expect(
        0,
        &["problem", "FCLIB measure", "two", "lcp", "auto", "converged", "auto: solved 1 of 1"],
    );
    assert_eq!(ended.stderr, "");
    nonsmooth(&["solve", &path, "--quiet"]).expect(0, &[]);
    assert_eq!(nonsmooth(&["solve", &path, "--quiet"]).stdout, "");
    nonsmooth(&["solve", &path, "--repeat", "--verbose", "--tol", "1e-12"]).expect(0, &["converged"]);
}

#[test]
fn several_solvers_on_a_folder_draw_a_profile_and_a_table() {
    let folder = Folder::new("solve-folder");
    lcp(&folder, "a", &[2.0, 4.0], &[-1.0, 1.0]);
    std::fs::create_dir(folder.path("inner")).expect("a new folder");
    folder.write("inner/M.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
    let text =
        r#"{"format": "nonsmooth-lcp/1", "kind": "mlcp", "M": "M.mtx", "n": 1, "m": 0, "q": [2]}"#;
    folder.write("inner/b.json", text);
    folder.write("manifest.csv", "name\n");
    let (out, csv) = (folder.text("out"), folder.text("table.csv"));
    let ended = nonsmooth(&[
        "solve",
        &folder.text(""),
        "--solver",
        "lemke,active-set",
        "--out",
        &out,
        "--csv",
        &csv,
    ]);
    ended.expect(0, &["lemke: solved 2 of 2", "active-set: solved 2 of 2", "performance-profile.png"]);
    let svg = std::fs::read_to_string(folder.path("out/performance-profile.svg")).expect("drawn");
    assert!(svg.contains("active-set (2/2)"));
    assert!(folder.path("out/performance-profile.png").exists());
    let table = std::fs::read_to_string(csv).expect("written");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 5, "{table}");
    assert!(lines[0].starts_with("problem,kind,contacts,rows,solver,method,status"));
    assert!(lines[1].starts_with("a,lcp,,2,lemke,lemke,converged,"), "{table}");
    let one = folder.text("one.svg");
    nonsmooth(&["solve", &folder.text("inner"), "--profile", &one]).expect(0, &["one.svg"]);
    assert!(folder.path("one.svg").exists());
}

#[test]
fn all_means_every_solver_and_refusals_are_told_once() {
    let folder = Folder::new("solve-all");
    let n = 30;
    let path = lcp(&folder, "thirty", &vec![2.0; n], &vec![-1.0; n]);
    let ended = nonsmooth(&["solve", &path, "--solver", "all"]);
    let words: Vec<String> = SOLVERS.iter().map(|entry| format!("{}: solved", entry.name)).collect();
    ended.expect(0, &words.iter().map(String::as_str).collect::<Vec<_>>());
    ended.expect(
        0,
        &["unsupported (1): `enumerate` takes at most 20 rows", "enumerate: solved 0 of 1, 1 not taken"],
    );
    // A problem that no chosen solver takes is not solved.
    nonsmooth(&["solve", &path, "--solver", "enumerate"])
        .expect(1, &["1 problems are taken by no chosen solver: thirty"]);
}

#[test]
fn a_problem_without_solution_is_infeasible_and_exits_with_1() {
    let folder = Folder::new("solve-infeasible");
    let path = lcp(&folder, "impossible", &[0.0], &[-1.0]);
    let ended =
        nonsmooth(&["solve", &path, "--solver", "lemke", "--save", "--out", &folder.text("out")]);
    ended.expect(1, &["infeasible", "lemke: solved 0 of 1", "1 of 1 solves missed the tolerance"]);
    assert!(!folder.path("out").exists(), "only solutions are saved");
}

#[test]
fn solutions_are_saved_beside_and_never_over_the_problem() {
    let folder = Folder::new("solve-save");
    let path = lcp(&folder, "two", &[2.0, 4.0], &[-1.0, 1.0]);
    let before = std::fs::read_to_string(&path).expect("readable");
    let out = folder.text("");
    nonsmooth(&["solve", &path, "--save", "--out", &out]).expect(0, &["saved", "two.solved.json"]);
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), before);
    let solved = std::fs::read_to_string(folder.path("two.solved.json")).expect("saved");
    let solved: serde_json::Value = serde_json::from_str(&solved).expect("JSON");
    assert_eq!(solved["solution"]["z"], serde_json::json!([0.5, 0.0]));
    assert_eq!(solved["solution"]["w"], serde_json::json!([0.0, 1.0]));
    // It is a problem like any other, but folders are searched for unsolved ones.
    nonsmooth(&["solve", &folder.text("two.solved.json")]).expect(0, &["converged"]);
    nonsmooth(&["solve", &out]).expect(0, &["auto: solved 1 of 1"]);
    std::fs::create_dir(folder.path("inner")).expect("a new folder");
    std::fs::copy(&path, folder.path("inner/two.json")).expect("copied");
    nonsmooth(&["solve", &out, "--save"]).expect(2, &["two problems are named `two`", "--out"]);
}

#[test]
fn options_reach_the_solvers_that_have_them() {
    let folder = Folder::new("solve-options");
    let path = lcp(&folder, "two", &[2.0, 4.0], &[-1.0, 1.0]);
    let both = ["solve", &path, "--solver", "lemke,active-set", "--option"];
    nonsmooth(&[&both[..], &["max_exchanges=7"]].concat()).expect(0, &["active-set: solved 1"]);
    nonsmooth(&[&both[..], &["active-set.max_exchanges=7"]].concat()).expect(0, &[]);
    nonsmooth(&[&both[..], &["max_exchanges=0"]].concat()).expect(2, &["`max_exchanges` must be"]);
    nonsmooth(&[&both[..], &["lemke.max_exchanges=7"]].concat())
        .expect(2, &["`lemke` has no option `max_exchanges`"]);
    nonsmooth(&[&both[..], &["sweeps=7"]].concat())
        .expect(2, &["no chosen solver has the option `sweeps`", "active-set.max_exchanges"]);
    nonsmooth(&[&both[..], &["sweeps"]].concat()).expect(2, &["NAME=VALUE"]);
}

#[test]
fn wrong_input_exits_with_2_and_says_what_is_wrong() {
    let folder = Folder::new("solve-wrong");
    let good = lcp(&folder, "good", &[2.0], &[-1.0]);
    let text = std::fs::read_to_string(&good).expect("readable");
    let bad = folder.write("bad.json", &text.replace("[-1.0]", "[-1.0, 3.0]"));
    let ended = nonsmooth(&["solve", &bad, &good]);
    ended.expect(
        2,
        &["bad.json: `q`: found 2 entries, expected 1 (n)", "1 of 2 files could not be read"],
    );
    // The others are solved all the same.
    ended.expect(2, &["auto: solved 1 of 1"]);
    let damaged = folder.write("damaged.hdf5", "no HDF5");
    nonsmooth(&["solve", &damaged])
        .expect(2, &["damaged.hdf5: ", "truncated or damaged, or no HDF5 file"]);
    nonsmooth(&["solve", "nowhere.hdf5"]).expect(2, &["nowhere.hdf5: No such file"]);
    nonsmooth(&["solve", &folder.text("good.M.mtx")]).expect(2, &["`.mtx` is not the extension"]);
    nonsmooth(&["solve", &good, "--solver", "lemk"])
        .expect(2, &["no solver `lemk`, did you mean `lemke`?"]);
    nonsmooth(&["solve", &good, "--tol", "0"]).expect(2, &["--tol must be a number > 0"]);
    nonsmooth(&["solve"]).expect(2, &["FILE"]);
    std::fs::create_dir(folder.path("empty")).expect("a new folder");
    nonsmooth(&["solve", &folder.text("empty")]).expect(2, &["no problems in it"]);
}

#[test]
fn the_infeasible_problem_of_the_collection_is_reported_as_such() {
    let path = Problems::committed().named("lcp_pang_isolated_sol_perturbed");
    nonsmooth(&["solve", path.to_str().expect("UTF-8"), "--solver", "auto,lemke,enumerate"])
        .expect(1, &["infeasible", "lemke: solved 0 of 1"]);
}

/// Facets are another problem: its residual is told beside that of the true cone, whatever the verbosity.
#[test]
fn facets_show_the_residual_of_both_problems() {
    let path = Problems::committed().named("box_stacks_i0122_82_5");
    let ended = nonsmooth(&["solve", &path.to_string_lossy(), "--solver", "lemke-faceted"]);
    ended.expect(1, &["faceted problem", "converged, residual", "that of the true cone"]);
}
