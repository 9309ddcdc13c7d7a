//! Files made by hand: storages, equations, and everything that is refused, with its words.

use super::*;
use crate::problems::fclib_write::to_hdf5;
use hdf5_pure::{FileBuilder, GroupBuilder};

/// A matrix group, changed by the caller before it is added.
#[derive(Clone)]
struct MatrixParts {
    sizes: [i32; 4],
    p: Vec<i32>,
    i: Vec<i32>,
    x: Vec<f64>,
}

impl MatrixParts {
    /// m, n, nzmax, nz; p; i; x.
    fn new(sizes: [i32; 4], p: &[i32], i: &[i32], x: &[f64]) -> Self {
        Self { sizes, p: p.to_vec(), i: i.to_vec(), x: x.to_vec() }
    }

    fn add(&self, group: &mut GroupBuilder, name: &str) {
        let mut part = group.create_group(name);
        for (name, value) in ["m", "n", "nzmax", "nz"].into_iter().zip(self.sizes) {
            part.create_dataset(name).with_i32_data(&[value]);
        }
        part.create_dataset("p").with_i32_data(&self.p);
        part.create_dataset("i").with_i32_data(&self.i);
        part.create_dataset("x").with_f64_data(&self.x);
        group.add_group(part.finish());
    }
}

/// What a test may change of a local problem in the plane, W = [2 0.5; 0.25 3].
struct Local {
    spacedim: i32,
    matrix: MatrixParts,
    q: Vec<f64>,
    mu: Vec<f64>,
    more: fn(&mut GroupBuilder),
    solution: Option<(Vec<f64>, Vec<f64>)>,
}

fn rows() -> MatrixParts {
    MatrixParts::new([2, 2, 4, -2], &[0, 2, 4], &[0, 1, 0, 1], &[2.0, 0.5, 0.25, 3.0])
}

impl Default for Local {
    fn default() -> Self {
        let (q, mu) = (vec![-1.0, 0.5], vec![0.3]);
        Self { spacedim: 2, matrix: rows(), q, mu, more: |_| {}, solution: None }
    }
}

impl Local {
    fn bytes(&self) -> Vec<u8> {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("fclib_local");
        group.create_dataset("spacedim").with_i32_data(&[self.spacedim]);
        self.matrix.add(&mut group, "W");
        let mut vectors = group.create_group("vectors");
        vectors.create_dataset("q").with_f64_data(&self.q);
        vectors.create_dataset("mu").with_f64_data(&self.mu);
        group.add_group(vectors.finish());
        (self.more)(&mut group);
        file.add_group(group.finish());
        if let Some((r, u)) = &self.solution {
            let mut group = file.create_group("solution");
            group.create_dataset("r").with_f64_data(r);
            group.create_dataset("u").with_f64_data(u);
            file.add_group(group.finish());
        }
        // Initial guesses are not used and do no harm.
        let mut guesses = file.create_group("guesses");
        guesses.create_dataset("number_of_guesses").with_i32_data(&[1]);
        file.add_group(guesses.finish());
        file.finish().unwrap()
    }

    fn read(&self) -> Result<StoredProblem, String> {
        from_hdf5("test", self.bytes()).map_err(|fault| fault.to_string())
    }

    fn refusal(&self) -> String {
        self.read().map(|_| ()).expect_err("must be refused")
    }
}

#[test]
fn rows_columns_and_triplets_give_the_same_problem() {
    let by_rows = Local::default().read().unwrap();
    assert_eq!(by_rows.problem.sets, [Set::Coulomb2 { mu: 0.3 }]);
    assert_eq!(by_rows.problem.assembled().get(0, 1), 0.5);
    assert_eq!(by_rows.problem.assembled().get(1, 0), 0.25);
    let columns = MatrixParts::new([2, 2, 4, -1], &[0, 2, 4], &[0, 1, 0, 1], &[2.0, 0.25, 0.5, 3.0]);
    // Row in i, column in p; one entry in two parts, in no order, and room to spare.
    let triplets = MatrixParts::new(
        [2, 2, 7, 5],
        &[1, 0, 1, 0, 1, 9, 9],
        &[0, 0, 1, 1, 1, 9, 9],
        &[0.5, 2.0, 1.0, 0.25, 2.0, 9.0, 9.0],
    );
    for matrix in [columns, triplets] {
        let other = Local { matrix, ..Local::default() }.read().unwrap();
        assert_eq!(other.problem.assembled(), by_rows.problem.assembled());
    }
}

#[test]
fn equations_become_free_rows_and_are_written_again() {
    let more = |group: &mut GroupBuilder| {
        MatrixParts::new([2, 1, 2, -2], &[0, 1, 2], &[0, 0], &[0.1, -0.2]).add(group, "V");
        MatrixParts::new([1, 1, 1, -2], &[0, 1], &[0], &[4.0]).add(group, "R");
        let mut vectors = group.create_group("vectors");
        for (name, values) in [("q", &[-1.0, 0.5][..]), ("mu", &[0.3]), ("s", &[0.7])] {
            vectors.create_dataset(name).with_f64_data(values);
        }
        group.add_group(vectors.finish());
    };
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[2]);
    rows().add(&mut group, "W");
    more(&mut group);
    file.add_group(group.finish());
    let stored = from_hdf5("equations", file.finish().unwrap()).unwrap();
    let w = stored.problem.assembled();
    assert_eq!(stored.problem.sets, [Set::Coulomb2 { mu: 0.3 }, Set::Free]);
    assert_eq!(stored.problem.u_free, [-1.0, 0.5, 0.7]);
    assert_eq!((w.get(0, 2), w.get(2, 1), w.get(2, 2)), (0.1, -0.2, 4.0));
    assert_eq!(stored.n_contacts(), Some(1));
    let again = from_hdf5("equations", to_hdf5(&stored).unwrap()).unwrap();
    assert_eq!(again.problem.assembled(), w);
    assert_eq!(again.problem.sets, stored.problem.sets);
}

/// M v = H r + G λ + f with M = diag(2, 4, 1), checked against W and u_free by hand.
#[test]
fn global_problems_are_reduced_and_give_back_the_velocity() {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_global");
    group.create_dataset("spacedim").with_i32_data(&[2]);
    MatrixParts::new([3, 3, 3, -2], &[0, 1, 2, 3], &[0, 1, 2], &[2.0, 4.0, 1.0]).add(&mut group, "M");
    // H = [1 0; 0 1; 1 0], by columns; G = [0; 0; 1].
    MatrixParts::new([3, 2, 3, -1], &[0, 2, 3], &[0, 2, 1], &[1.0; 3]).add(&mut group, "H");
    MatrixParts::new([3, 1, 1, -2], &[0, 0, 0, 1], &[0], &[1.0]).add(&mut group, "G");
    let mut vectors = group.create_group("vectors");
    for (name, values) in
        [("f", &[2.0, 4.0, 3.0][..]), ("w", &[0.5, 0.25]), ("b", &[-1.0]), ("mu", &[0.3])]
    {
        vectors.create_dataset(name).with_f64_data(values);
    }
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    let mut stored = from_hdf5("global", file.finish().unwrap()).unwrap();
    assert_eq!(stored.kind, Kind::GlobalPlanar);
    assert_eq!(stored.problem.sets, [Set::Coulomb2 { mu: 0.3 }, Set::Free]);
    // M⁻¹ f = (1, 1, 3): u_free = (1 + 3 + ½, 1 + ¼, 3 − 1).
    assert_eq!(stored.problem.u_free, [4.5, 1.25, 2.0]);
    let w = stored.problem.assembled();
    assert_eq!((w.get(0, 0), w.get(1, 1), w.get(0, 2), w.get(2, 2)), (1.5, 0.25, 1.0, 1.0));
    let p = [2.0, 4.0, -1.0];
    let v = stored.velocity(&p).unwrap().unwrap();
    assert_eq!(v, [2.0, 2.0, 4.0]);
    let relative_velocity = vec![0.0, 0.0, 0.0];
    stored.solution =
        Some(Solution { impulse: p.to_vec(), relative_velocity, velocity: Some(v.clone()) });
    let again = from_hdf5("global", to_hdf5(&stored).unwrap()).unwrap();
    assert_eq!(again.problem.u_free, stored.problem.u_free);
    assert_eq!((again.global, again.solution), (stored.global, stored.solution));
}

#[test]
fn equations_between_contacts_are_written_after_them() {
    let sets = vec![Set::Free, Set::Rolling3 { mu: 0.5, mu_r: 0.1 }];
    let mut w = vec![vec![0.0; 6]; 6];
    for (i, row) in w.iter_mut().enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = if i == j { 10.0 } else { 1.0 / (i + j) as f64 };
        }
    }
    let u_free: Vec<f64> = (0..6).map(f64::from).collect();
    let problem = Problem::new(Sparse::from_rows(&w), u_free, sets).unwrap();
    let stored = StoredProblem::new("mixed", problem);
    let again = from_hdf5("mixed", to_hdf5(&stored).unwrap()).unwrap();
    assert_eq!(again.problem.sets, [Set::Rolling3 { mu: 0.5, mu_r: 0.1 }, Set::Free]);
    assert_eq!(again.problem.u_free, [1.0, 2.0, 3.0, 4.0, 5.0, 0.0]);
    assert_eq!(again.problem.assembled().get(5, 2), w[0][3]);
}

#[test]
fn the_sets_decide_on_the_kind_of_file() {
    let kind = |sets: Vec<Set>, coupling: f64| {
        let n = sets.iter().map(|set| set.dim()).sum();
        let mut w = vec![vec![0.0; n]; n];
        (0..n).for_each(|i| w[i][i] = 1.0);
        w[0][n - 1] += coupling;
        let problem = Problem::new(Sparse::from_rows(&w), vec![0.0; n], sets).unwrap();
        StoredProblem::new("x", problem).kind
    };
    let cone = Set::Coulomb3 { mu: 0.1 };
    assert_eq!(kind(vec![cone, Set::Free], 0.0), Kind::Spatial);
    // FCLIB has no room for two couplings.
    assert_eq!(kind(vec![cone, Set::Free], 0.5), Kind::Mixed);
    assert_eq!(kind(vec![cone], 0.5), Kind::Spatial);
    assert_eq!(kind(vec![cone, Set::Nonnegative], 0.0), Kind::Mixed);
    assert_eq!(kind(vec![cone, Set::Coulomb2 { mu: 0.1 }], 0.0), Kind::Mixed);
    assert_eq!(kind(vec![Set::Pyramid { mu: 0.1, sides: 4 }], 0.0), Kind::Mixed);
    let lcp = Problem::complementarity(Sparse::diagonal(&[1.0]), vec![-1.0]).unwrap();
    let error = write(Path::new("x.hdf5"), &StoredProblem::new("x", lcp)).unwrap_err().to_string();
    assert_eq!(error, "x.hdf5: a problem of kind lcp is written as .json");
}

/// Changes one part of a good file and looks for words in the refusal.
#[test]
fn wrong_sizes_and_numbers_are_refused_with_their_place() {
    let with = |change: fn(&mut Local)| {
        let mut local = Local::default();
        change(&mut local);
        local.refusal()
    };
    type Case = (fn(&mut Local), &'static [&'static str]);
    let cases: [Case; 20] = [
        (|f| f.spacedim = 4, &["`fclib_local/spacedim`", "found 4", "2 or 3"]),
        (|f| f.spacedim = 3, &["2 rows", "a multiple of 3"]),
        (|f| f.q.push(1.0), &["vectors/q", "3 entries", "expected 2"]),
        (|f| f.mu.clear(), &["vectors/mu", "0 entries", "expected 1 (one per contact)"]),
        (|f| f.mu[0] = -0.1, &["vectors/mu[0]", "-0.1", "≥ 0"]),
        (|f| f.mu[0] = f64::NAN, &["vectors/mu[0]", "NaN", "a finite number"]),
        (|f| f.q[1] = f64::INFINITY, &["vectors/q[1]", "found inf"]),
        (|f| f.matrix.x[3] = f64::NAN, &["W/x[3]", "NaN"]),
        (|f| f.matrix.sizes[0] = 3, &["`fclib_local/W`", "3 × 2", "square"]),
        (|f| f.matrix.sizes[0] = -1, &["W/m", "found -1", "a count"]),
        (|f| f.matrix.sizes[..2].fill(i32::MAX), &["vectors/q", "expected 2147483647"]),
        (|f| f.matrix.sizes[3] = -3, &["W/nz", "found -3", "-1 (compressed columns)"]),
        (|f| f.matrix.sizes[3] = 5, &["W/i", "4 entries", "5 entries in use"]),
        (|f| f.matrix.sizes[3] = i32::MAX, &["W/i", "4 entries", "2147483647"]),
        (|f| f.matrix.p[1] = 5, &["W/p[2]", "found 4", "do not decrease"]),
        (|f| f.matrix.p[0] = 1, &["W/p[0]", "found 1"]),
        (|f| f.matrix.p[2] = 1000, &["W/i", "4 entries", "at least the 1000"]),
        (|f| f.matrix.p.truncate(2), &["W/p", "2 entries", "expected 3 (rows + 1)"]),
        (|f| f.matrix.i[2] = 2, &["W/i[2]", "found 2", "below 2"]),
        (|f| f.matrix.i[2] = -1, &["W/i[2]", "found -1"]),
    ];
    for (k, (change, words)) in cases.into_iter().enumerate() {
        let text = with(change);
        assert!(words.iter().all(|word| text.contains(word)), "case {k}: {text}");
    }
    let solution = Some((vec![1.0, 2.0], vec![1.0]));
    let text = Local { solution, ..Local::default() }.refusal();
    assert!(text.contains("`solution/u`: found 1 entries, expected 2"), "{text}");
}

#[test]
fn wrong_types_and_missing_parts_are_refused() {
    let text = Local {
        more: |g| {
            g.create_dataset("V").with_i32_data(&[1]);
        },
        ..Local::default()
    };
    assert!(text.refusal().contains("fclib_local/V/m"), "{}", text.refusal());
    let file = |fill: fn(&mut GroupBuilder)| {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("fclib_local");
        fill(&mut group);
        file.add_group(group.finish());
        from_hdf5("x", file.finish().unwrap()).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(file(|_| {}), "`fclib_local/spacedim` is missing; expected 2 or 3");
    let text = file(|g| {
        g.create_dataset("spacedim").with_f64_data(&[3.0]);
    });
    assert!(text.contains("found f64, expected whole numbers"), "{text}");
    let text = file(|g| {
        g.create_dataset("spacedim").with_i32_data(&[3, 3]);
    });
    assert!(text.contains("found 2 entries, expected 1"), "{text}");
    let text = file(|g| {
        g.create_dataset("spacedim").with_i32_data(&[3]);
    });
    assert!(text.contains("`fclib_local/W` is missing"), "{text}");
    let mut other = FileBuilder::new();
    other.create_dataset("frames").with_f64_data(&[1.0]);
    let text = from_hdf5("x", other.finish().unwrap()).map(|_| ()).unwrap_err().to_string();
    assert!(text.ends_with("found: frames") && text.contains("fclib_global_rolling"), "{text}");
    for bytes in [&b""[..], b"no HDF5", b"\x89HDF\r\n\x1a\n"] {
        let text = from_hdf5("x", bytes.to_vec()).map(|_| ()).unwrap_err().to_string();
        assert!(text.contains("truncated or damaged, or no HDF5 file"), "{text}");
    }
}

#[test]
fn a_truncated_file_is_refused_at_every_length() {
    let bytes = Local::default().bytes();
    for n in (0..bytes.len()).step_by(7) {
        // The tail may be padding; nothing else may be missing.
        if let Ok(stored) = from_hdf5("x", bytes[..n].to_vec()) {
            assert!(n > bytes.len() / 2 && stored.problem.size() == 2, "{n} of {}", bytes.len());
        }
    }
}

#[test]
fn a_singular_mass_is_refused() {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_global");
    group.create_dataset("spacedim").with_i32_data(&[2]);
    MatrixParts::new([2, 2, 1, -2], &[0, 1, 1], &[0], &[1.0]).add(&mut group, "M");
    MatrixParts::new([2, 2, 1, -2], &[0, 1, 1], &[0], &[1.0]).add(&mut group, "H");
    let mut vectors = group.create_group("vectors");
    for (name, values) in [("f", &[0.0, 0.0][..]), ("w", &[0.0, 0.0]), ("mu", &[0.3])] {
        vectors.create_dataset(name).with_f64_data(values);
    }
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    let text = from_hdf5("x", file.finish().unwrap()).map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("`fclib_global/M`") && text.contains("invertible M"), "{text}");
}

const RELAY: &str = r#"{"format": "nonsmooth-lcp/1", "kind": "relay", "name": "r", "M": "r.M.mtx", "n": 2,
 "q": [-0.5, 0.5], "lb": ["-inf", -1], "ub": [1.0, "inf"], "solution": {"z": [0.5, -0.5], "w": [0, 0]}}"#;
const MATRIX: &str = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n";

fn json(text: &str, matrix: &str) -> Result<StoredProblem, String> {
    from_json("r", text, &|_| Ok(matrix.to_owned())).map_err(|fault| fault.to_string())
}

#[test]
fn every_kind_in_json_is_read_back_to_the_same_bits() {
    let relay = json(RELAY, MATRIX).unwrap();
    let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
    let sets = [Set::Interval { lower, upper: 1.0 }, Set::Interval { lower: -1.0, upper }];
    assert_eq!(relay.problem.sets, sets);
    let w = Sparse::from_rows(&[vec![1.0 / 3.0, 1.0, 0.0], vec![0.0, 2.0, 1e-300], vec![0.1, 0.0, 5.0]]);
    let u_free = vec![-0.1, 1.0 / 7.0, 2e-308];
    let problem = |sets: Vec<Set>| Problem::new(w.clone(), u_free.clone(), sets).unwrap();
    let lcp = StoredProblem::new("l", problem(vec![Set::Nonnegative; 3]));
    // Equations are written first.
    let mut mlcp = StoredProblem::new("m", problem(vec![Set::Nonnegative, Set::Free, Set::Nonnegative]));
    let (impulse, relative_velocity) = (vec![1.0, 2.0, 3.0], vec![4.0, 0.0, 6.0]);
    mlcp.solution = Some(Solution { impulse, relative_velocity, velocity: None });
    for stored in [relay, lcp, mlcp] {
        let (text, matrix) = complementarity::to_json(&stored, "x.M.mtx").unwrap();
        let again = json(&text, &matrix_market::write(&matrix)).unwrap();
        assert_eq!(again.kind, stored.kind);
        if stored.kind == Kind::Mlcp {
            assert_eq!(again.problem.sets, [Set::Free, Set::Nonnegative, Set::Nonnegative]);
            assert_eq!(again.problem.u_free, [1.0 / 7.0, -0.1, 2e-308]);
            assert_eq!(again.problem.assembled().get(1, 1), 1.0 / 3.0);
            assert_eq!(again.solution.unwrap().impulse, [2.0, 1.0, 3.0]);
            continue;
        }
        assert_eq!(again.problem.sets, stored.problem.sets);
        assert_eq!(again.problem.u_free, stored.problem.u_free);
        assert_eq!(again.problem.assembled(), stored.problem.assembled());
        assert_eq!(again.solution, stored.solution);
    }
}

#[test]
fn wrong_json_is_refused_with_its_key() {
    let cases = [
        ("\"format\": \"nonsmooth-lcp/1\",", "", "`format` is missing"),
        ("nonsmooth-lcp/1", "nonsmooth-lcp/9", "`format`: found \"nonsmooth-lcp/9\", expected"),
        ("\"relay\"", "\"delay\"", "`kind`: found \"delay\""),
        ("\"n\": 2", "\"n\": 2000000000", "`q`: found 2 entries, expected 2000000000 (n)"),
        ("\"n\": 2", "\"n\": -2", "`n`: found -2, expected a whole number"),
        ("\"n\": 2", "\"n\": 2.5", "`n`: found 2.5"),
        ("[-0.5, 0.5]", "[-0.5, \"inf\"]", "`q[1]`: found the text \"inf\", expected a finite number"),
        ("[-0.5, 0.5]", "[-0.5, null]", "`q[1]`: found null"),
        ("[-0.5, 0.5]", "\"x\"", "`q`: found the text \"x\", expected a list of numbers"),
        ("[-0.5, 0.5]", "[-0.5, 1e999]", "line 2"),
        ("[1.0, \"inf\"]", "[1.0]", "`ub`: found 1 entries"),
        ("[1.0, \"inf\"]", "[1.0, \"nan\"]", "`ub[1]`"),
        ("[1.0, \"inf\"]", "[1.0, -2]", "constraint 1: the interval [-1, -2] is empty"),
        ("\"r.M.mtx\"", "\"../r.M.mtx\"", "`M`: found \"../r.M.mtx\", expected the name of a file"),
        ("\"r.M.mtx\"", "7", "`M`: found 7, expected a text"),
        ("{\"z\": [0.5, -0.5], \"w\": [0, 0]}", "{\"z\": [0.5]}", "`solution.z`: found 1 entries"),
        ("{\"z\": [0.5, -0.5], \"w\": [0, 0]}", "[1]", "`solution`: found a list of 1"),
        ("}}", "", "EOF"),
    ];
    for (from, to, words) in cases {
        let text = RELAY.replacen(from, to, 1);
        assert_ne!(text, RELAY, "{from}");
        let found = json(&text, MATRIX).map(|_| ()).unwrap_err();
        assert!(found.contains(words), "{from} -> {to}: {found}");
    }
    for (from, to, words) in [
        ("2 2 2", "2000000000 2000000000 2", "r.M.mtx: must be 2 × 2, is 2000000000 × 2000000000"),
        ("2 2 2", "2 2 99999999999", "99999999999 entries are declared, 2 are there"),
        ("1 1 1", "1 1 nan", "entry (0, 0) is NaN"),
        ("1 1 1", "3 1 1", "outside"),
    ] {
        let found = json(RELAY, &MATRIX.replacen(from, to, 1)).map(|_| ()).unwrap_err();
        assert!(found.contains(words), "{from} -> {to}: {found}");
    }
    let error = read(Path::new("nowhere.json")).unwrap_err().to_string();
    assert!(error.starts_with("nowhere.json: No such file"), "{error}");
    let error = read(Path::new("Cargo.toml")).unwrap_err().to_string();
    assert!(error.contains("`.toml` is not the extension of a problem"), "{error}");
}
