//! Every paper passes, and a wrong scheme makes it fail.

use super::paper::{Line, Proof, Section};
use super::schemes::Schemes;
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

#[test]
fn a_proof_tells_what_fells_a_line_and_what_is_arithmetic() {
    fn make(schemes: &Schemes) -> anyhow::Result<Section> {
        let mut section = Section::new("", "");
        let ball = exact::find("ball").expect("listed").build(&Options::default());
        let ball = ball.map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
        let run = schemes.run(("moreau-jean", &Options::default()), ball.model()?, 0.01, 10)?;
        let fallen = run.q[run.q.len() - 1][0];
        section.close("fall", "height", fallen, ball.motion(0.1, Side::Left).q[0], 1e-12);
        section.at_most("fall", "height is finite", fallen, 1e3);
        section.close("sum", "1 + 1", 1.0 + 1.0, 2.0, 0.0);
        Ok(section)
    }
    let proved = proof::prove(make).expect("it can be made");
    let proofs: Vec<&Proof> = proved.lines.iter().filter_map(|line| line.proof.as_ref()).collect();
    let felled = ["velocity", "position", "excess", "offset", "sink", "still"];
    let felled = felled.map(|mistake| format!("moreau-jean: {mistake}")).to_vec();
    assert_eq!(proofs, [&Proof::FelledBy(felled), &Proof::NeverFell, &Proof::Arithmetic]);
}
