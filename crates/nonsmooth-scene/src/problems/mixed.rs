//! Problems that FCLIB has no place for, in a layout of our own beside it.
//!
//! FCLIB holds one kind of cone and equations. Steps of a model may pose more in one problem: unilateral rows, relays,
//! faceted and spinning friction, cones of the plane beside rows of a joint. The group has a name of its own, so that no reader of
//! FCLIB takes such a file for something that it is not; matrices, texts and the solution are laid out as there.
//!
//! ```text
//! /nonsmooth_mixed/W               a matrix group
//! /nonsmooth_mixed/vectors/q       u_free, rows in the order of the constraints
//! /nonsmooth_mixed/sets/kind       one number per constraint, by `KINDS`
//! /nonsmooth_mixed/sets/parameter  three numbers per constraint, those without meaning zero
//! ```

use super::error::Fault;
use super::fclib::{Reader, square, vector_in};
use super::fclib_write::{add_floats, add_info, add_integers, add_matrix};
use super::hdf5::Tree;
use super::{Kind, Solution, StoredProblem};
use hdf5_pure::{AttrValue, FileBuilder};
use nonsmooth_solvers::Set;

/// The group of such a problem.
pub(super) const GROUP: &str = "nonsmooth_mixed";

/// What the group says of itself to those who find such a file, as its attribute `about`.
const ABOUT: &str =
    "constraints of several kinds, by `sets`; not FCLIB: see docs/problems.md of nonsmooth";

/// What `sets/kind` counts, from 0, with the names of the parameters.
const KINDS: [&str; 9] = [
    "unilateral: p ≥ 0",
    "bilateral: p free",
    "relay: lower, upper",
    "planar friction: mu",
    "spatial friction: mu",
    "faceted friction: mu, sides",
    "planar rolling friction: mu, mu_r",
    "rolling friction: mu, mu_r",
    "rolling and spinning friction: mu, mu_r, mu_s",
];

/// Stands for an infinite bound of a relay: other numbers that are not finite are mistakes.
const NO_BOUND: f64 = f64::MAX;

/// Number in `KINDS` and parameters.
fn code(set: Set) -> (i32, [f64; 3]) {
    match set {
        Set::Nonnegative => (0, [0.0; 3]),
        Set::Free => (1, [0.0; 3]),
        Set::Interval { lower, upper } => (2, [lower.max(-NO_BOUND), upper.min(NO_BOUND), 0.0]),
        Set::Coulomb2 { mu } => (3, [mu, 0.0, 0.0]),
        Set::Coulomb3 { mu } => (4, [mu, 0.0, 0.0]),
        Set::Pyramid { mu, sides } => (5, [mu, f64::from(sides), 0.0]),
        Set::Rolling2 { mu, mu_r } => (6, [mu, mu_r, 0.0]),
        Set::Rolling3 { mu, mu_r } => (7, [mu, mu_r, 0.0]),
        Set::Spinning3 { mu, mu_r, mu_s } => (8, [mu, mu_r, mu_s]),
    }
}

/// The set of a number and parameters; `None` for a number that is none.
fn decode(kind: i64, [a, b, c]: [f64; 3]) -> Option<Set> {
    let bound = |x: f64| if x.abs() == NO_BOUND { x.signum() * f64::INFINITY } else { x };
    Some(match kind {
        0 => Set::Nonnegative,
        1 => Set::Free,
        2 => Set::Interval { lower: bound(a), upper: bound(b) },
        3 => Set::Coulomb2 { mu: a },
        4 => Set::Coulomb3 { mu: a },
        // A cast saturates: what is no number of sides is refused with the problem.
        5 => Set::Pyramid { mu: a, sides: if b.fract() == 0.0 { b as u32 } else { 0 } },
        6 => Set::Rolling2 { mu: a, mu_r: b },
        7 => Set::Rolling3 { mu: a, mu_r: b },
        8 => Set::Spinning3 { mu: a, mu_r: b, mu_s: c },
        _ => return None,
    })
}

/// The bytes of a file.
pub(super) fn to_hdf5(stored: &StoredProblem) -> Result<Vec<u8>, Fault> {
    let (mut file, problem) = (FileBuilder::new(), &stored.problem);
    let mut group = file.create_group(GROUP);
    add_matrix(&mut group, "W", problem.assembled())?;
    let mut vectors = group.create_group("vectors");
    add_floats(&mut vectors, "q", &problem.u_free);
    group.add_group(vectors.finish());
    let (kinds, parameters): (Vec<i32>, Vec<[f64; 3]>) = problem.sets.iter().copied().map(code).unzip();
    let mut sets = group.create_group("sets");
    add_integers(&mut sets, "kind", &kinds);
    add_floats(&mut sets, "parameter", parameters.as_flattened());
    group.add_group(sets.finish());
    add_info(&mut group, stored)?;
    group.set_attr("about", AttrValue::VarLenString(ABOUT.to_owned()));
    file.add_group(group.finish());
    if let Some(Solution { impulse, relative_velocity, .. }) = &stored.solution {
        let mut group = file.create_group("solution");
        add_floats(&mut group, "r", impulse);
        add_floats(&mut group, "u", relative_velocity);
        file.add_group(group.finish());
    }
    file.finish().map_err(|error| Fault::Hdf5 { key: String::new(), message: error.to_string() })
}

/// Reads the group, and the solution beside it.
pub(super) fn from_tree(name: &str, tree: &Tree, has_solution: bool) -> Result<StoredProblem, Fault> {
    let reader = Reader::new(tree, GROUP)?;
    let (rows, columns) = reader.size("W")?;
    square(&reader.key("W"), rows, columns)?;
    let sets = read_sets(&reader)?;
    let u_free = reader.vector("q", rows, "the rows of W")?;
    let problem = reader.posed(&reader.matrix("W", rows, rows)?, u_free, sets)?;
    let vector = |name: &str| vector_in(tree, name, rows);
    let solution = if has_solution {
        Some(Solution { impulse: vector("r")?, relative_velocity: vector("u")?, velocity: None })
    } else {
        None
    };
    let info = reader.info()?;
    let (kind, source) = (Kind::Mixed, info.description.clone());
    Ok(StoredProblem { name: name.to_owned(), kind, problem, global: None, info, source, solution })
}

fn read_sets(reader: &Reader<'_>) -> Result<Vec<Set>, Fault> {
    let kinds = reader.tree.integers(&reader.key("sets/kind"), None)?;
    let expected = Some((3 * kinds.len(), "three per constraint"));
    let parameters = reader.tree.floats(&reader.key("sets/parameter"), expected)?;
    let sets = kinds.iter().zip(parameters.as_chunks::<3>().0).enumerate();
    let read = sets.map(|(i, (&kind, &parameter))| {
        decode(kind, parameter).ok_or_else(|| {
            let list = KINDS.iter().enumerate().map(|(k, text)| format!("{k} ({text})"));
            let expected = list.collect::<Vec<_>>().join(", ");
            Fault::wrong(reader.key(&format!("sets/kind[{i}]")), kind, expected)
        })
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Info, from_hdf5, read, write};
    use super::*;
    use hdf5_pure::File;
    use nonsmooth_solvers::{Problem, Sparse, certify};

    /// Every set there is, in no order that FCLIB knows, coupled by an unsymmetric W.
    fn everything() -> StoredProblem {
        let sets = vec![
            Set::Nonnegative,
            Set::Coulomb3 { mu: 0.5 },
            Set::Free,
            Set::Pyramid { mu: 0.25, sides: 6 },
            Set::Interval { lower: f64::NEG_INFINITY, upper: 1.5 },
            Set::Coulomb2 { mu: 0.0 },
            Set::Rolling2 { mu: 0.3, mu_r: 0.1 },
            Set::Rolling3 { mu: 0.3, mu_r: 0.1 },
            Set::Spinning3 { mu: 0.4, mu_r: 0.2, mu_s: 0.1 },
        ];
        let n: usize = sets.iter().map(|set| set.dim()).sum();
        let entry =
            |i: usize, j: usize| if i == j { 9.0 } else { ((7 * i + 3 * j) as f64 * 0.37).sin() };
        let w: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let u_free = (0..n).map(|i| (1.7 * i as f64).cos()).collect();
        StoredProblem::new("everything", Problem::new(Sparse::from_rows(&w), u_free, sets).unwrap())
    }

    /// The same p has the same certificate, to the bit, before and after.
    #[test]
    fn problems_of_all_sets_come_back_as_they_were() {
        let mut stored = everything();
        assert_eq!((stored.kind, stored.extension()), (Kind::Mixed, "hdf5"));
        let p: Vec<f64> = (0..stored.problem.size()).map(|i| (0.9 * i as f64).sin()).collect();
        stored.solution = Some(Solution { relative_velocity: p.clone(), impulse: p, velocity: None });
        let [title, description, math_info] = ["a step", "of a run", "W is singular"].map(str::to_owned);
        stored.info = Info { title, description, math_info };
        let folder = std::env::temp_dir().join(format!("nonsmooth-mixed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("everything.hdf5");
        write(&path, &stored).unwrap();
        let again = read(&path).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(again.problem.sets, stored.problem.sets);
        assert_eq!(again.problem.u_free, stored.problem.u_free);
        assert_eq!(again.problem.assembled(), stored.problem.assembled());
        assert_eq!((again.kind, again.n_contacts()), (Kind::Mixed, Some(6)));
        assert_eq!(again.solution, stored.solution);
        assert_eq!(again.info, stored.info);
        let residual = |stored: &StoredProblem| {
            let p = &stored.solution.as_ref().unwrap().impulse;
            certify(&stored.problem, p, &mut Vec::new()).residual
        };
        assert_eq!(residual(&again), residual(&stored));
    }

    /// Arrays above 512 entries are in chunks, as docs/problems.md says.
    #[test]
    fn long_arrays_are_in_chunks() {
        let chunked = |n: usize| {
            let sets = vec![Set::Nonnegative; n];
            let problem = Problem::new(Sparse::diagonal(&vec![1.0; n]), vec![0.5; n], sets).unwrap();
            let stored = StoredProblem { kind: Kind::Mixed, ..StoredProblem::new("rows", problem) };
            let file = File::from_bytes(to_hdf5(&stored).unwrap()).unwrap();
            ["W/i", "W/x", "vectors/q", "sets/kind"]
                .map(|name| file.dataset(&format!("{GROUP}/{name}")).unwrap().is_chunked())
        };
        assert_eq!([chunked(512), chunked(513)], [[false; 4], [true; 4]]);
    }

    #[test]
    fn wrong_sets_are_refused_with_their_place() {
        let refusal = |kinds: &[i32], parameters: &[f64]| {
            let mut file = FileBuilder::new();
            let mut group = file.create_group(GROUP);
            add_matrix(&mut group, "W", &Sparse::diagonal(&[1.0; 3])).unwrap();
            let mut vectors = group.create_group("vectors");
            add_floats(&mut vectors, "q", &[0.0; 3]);
            group.add_group(vectors.finish());
            let mut sets = group.create_group("sets");
            sets.create_dataset("kind").with_i32_data(kinds);
            add_floats(&mut sets, "parameter", parameters);
            group.add_group(sets.finish());
            file.add_group(group.finish());
            let read = from_hdf5("x", file.finish().unwrap());
            read.map(|_| ()).map_err(|fault| fault.to_string())
        };
        assert_eq!(refusal(&[4], &[0.5, 0.0, 0.0]), Ok(()));
        for (kinds, parameters, words) in [
            (
                &[9][..],
                &[0.5, 0.0, 0.0][..],
                "`nonsmooth_mixed/sets/kind[0]`: found 9, expected 0 (unilateral",
            ),
            (&[4], &[0.5, 0.0], "expected 3 (three per constraint)"),
            (&[4], &[-0.5, 0.0, 0.0], "mu must be ≥ 0"),
            (&[5], &[0.5, 4.5, 0.0], "a pyramid has 3 to 1000 sides"),
            (&[4, 0], &[0.5, 0.0, 0.0, 0.0, 0.0, 0.0], "the sets have 4 components"),
        ] {
            let text = refusal(kinds, parameters).unwrap_err();
            assert!(text.contains(words), "{text}");
        }
    }
}
