//! Every paper passes, and a wrong scheme makes it fail.

use super::paper::{Line, Section};
use super::proof::Proof;
use super::schemes::{Schemes, available_threads};
use super::{PAPERS, proof};
use nonsmooth::analysis::exact::{self, Side};
use nonsmooth::solvers::Options;

/// Lines of a paper that fail with these schemes; a section that cannot be made counts as one.
fn failing(key: &str, schemes: &Schemes) -> Vec<String> {
    let paper = PAPERS.iter().find(|paper| paper.key == key).expect("a listed paper");
    let mut failing = Vec::new();
    for make in paper.sections {
        match make(schemes) {
            Err(error) => failing.push(error.to_string()),
            Ok(section) => {
                let told = |line: &Line| format!("{}: {}: {}", line.place, line.what, line.measured);
                failing.extend(section.lines.iter().filter(|line| !line.passed).map(told));
                // Every bound has its reason.
                assert!(section.lines.iter().all(|line| line.reason.len() >= 6), "{}", section.title);
            }
        }
    }
    failing
}

/// A wrong scheme for each paper: what is replaced, by what, with which options.
fn wrong(key: &str) -> (&'static str, &'static str, Options) {
    match key {
        // No look-ahead and full damping: the ball sinks in and the balance is another.
        "acary-2006" => {
            ("moreau-jean", "moreau-jean", Options::default().with("theta", 0.9).with("gamma", 0.0))
        }
        // Contact looked for ahead of q, and e of the wrong velocity.
        "paoli-2008" => ("moreau-paoli", "moreau-jean", Options::default().with("theta", 0.9)),
        // Contact at velocity level: it stops a step late, and beyond the wall.
        "trinkle-2008" => ("stewart-trinkle", "moreau-jean", Options::default()),
        "acary-2010" => {
            ("moreau-jean", "moreau-jean", Options::default().with("theta", 0.9).with("gamma", 0.9))
        }
        // The scheme that is to be modified.
        "yoong-2017" => ("moreau-energy", "moreau-jean", Options::default().with("gamma", 0.0)),
        other => panic!("no wrong scheme for {other}"),
    }
}

#[test]
fn every_line_passes_and_a_wrong_scheme_makes_some_fail() {
    for paper in PAPERS {
        let failures = failing(paper.key, &Schemes::default());
        assert!(failures.is_empty(), "{}: {failures:#?}", paper.key);
        let instead = Schemes { instead: Some(wrong(paper.key)), ..Schemes::default() };
        assert!(!failing(paper.key, &instead).is_empty(), "{}: a wrong scheme passes", paper.key);
    }
}

/// The papers whose proof takes seconds; `nonsmooth reproduce --prove` does it for all.
#[test]
fn every_line_of_the_quick_papers_is_shown_able_to_fail() {
    for key in ["acary-2006", "trinkle-2008"] {
        let paper = PAPERS.iter().find(|paper| paper.key == key).expect("a listed paper");
        let proved =
            proof::prove(paper.sections, available_threads(), &|_, _| ()).expect("it can be made");
        let lines = proved.iter().flat_map(|section| &section.lines);
        let weak = |line: &&Line| line.proof.as_ref().is_none_or(|proof| !proof.is_good());
        let weak: Vec<&Line> = lines.filter(weak).collect();
        assert!(weak.is_empty(), "{key}: {weak:#?}");
    }
}

#[test]
fn a_proof_tells_what_fells_a_line_and_what_is_arithmetic() {
    fn make(schemes: &Schemes) -> anyhow::Result<Section> {
        let mut section = Section::new("", "");
        let ball = exact::find("ball").expect("listed").build(&Options::default());
        let ball = ball.map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
        let run = schemes.run(("moreau-jean", &Options::default()), ball.model()?, 0.01, 10)?;
        let fallen = run.q[run.q.len() - 1][0];
        let height = ball.motion(0.1, Side::Left).q[0];
        section.close("fall", "height", fallen, height, (1e-12, "rounding"));
        section.at_most("fall", "height is finite", fallen, (1e3, "far"));
        section
            .close("fall", "height, said to be arithmetic", fallen, height, (1.0, "far"))
            .arithmetic();
        section.close("sum", "1 + 1", 1.0 + 1.0, 2.0, (0.0, "whole numbers")).arithmetic();
        section.close("sum", "1 + 2", 1.0 + 2.0, 3.0, (0.0, "whole numbers"));
        Ok(section)
    }
    let proved = proof::prove(&[make], 2, &|_, _| ()).expect("it can be made").remove(0);
    let proofs: Vec<Proof> = proved.lines.into_iter().filter_map(|line| line.proof).collect();
    let felled = vec!["velocity", "position", "excess", "offset", "sink", "still"];
    let scheme = || vec!["moreau-jean".to_owned()];
    let expected = [
        Proof::Felled([("moreau-jean".to_owned(), felled)].into()),
        Proof::Survives(scheme()),
        Proof::NotArithmetic(scheme()),
        Proof::Arithmetic,
        Proof::Unmoved,
    ];
    assert_eq!(proofs, expected);
    assert_eq!(expected.map(|proof| proof.is_good()), [true, false, false, true, false]);
}
