//! Writes FCLIB: matrices by compressed rows, arrays above 512 entries in shuffled and deflated chunks.
//!
//! Contacts come first and equations last, whatever their order in the problem.

use super::complementarity::permute;
use super::error::Fault;
use super::fclib::{GROUPS, SYMMETRIC};
use super::{Info, Kind, Solution, StoredProblem, mixed};
use hdf5_pure::{FileBuilder, GroupBuilder};
use nonsmooth_solvers::{Set, Sparse};

/// Entries up to which an array is stored in one piece.
const CONTIGUOUS: usize = 512;

/// Entries of a chunk. Chunks of 2¹⁶ to 2²⁴ − 1 entries written by hdf5-pure 0.47.0 cannot be opened by h5py 3.16.
const CHUNK: usize = 65_535;

/// Deflate level; level 6 is that of most published files.
const LEVEL: u32 = 6;

/// The bytes of an FCLIB file.
pub(super) fn to_hdf5(stored: &StoredProblem) -> Result<Vec<u8>, Fault> {
    if stored.kind == Kind::Mixed {
        return mixed::to_hdf5(stored);
    }
    let rows = Rows::of(&stored.problem.sets);
    let mut file = FileBuilder::new();
    let is_global = stored.global.is_some();
    let is_rolling = matches!(stored.kind, Kind::Rolling | Kind::GlobalRolling);
    let name = GROUPS.iter().find(|(_, global, rolling)| (*global, *rolling) == (is_global, is_rolling));
    let (name, ..) = name.expect("all four combinations are in the list");
    let mut group = file.create_group(name);
    let dim = match stored.kind {
        Kind::Planar | Kind::GlobalPlanar => 2,
        Kind::Rolling | Kind::GlobalRolling => 5,
        _ => 3,
    };
    group.create_dataset("spacedim").with_i32_data(&[dim]);
    match (&stored.global, stored.problem.primal()) {
        (Some(global), Some(primal)) => {
            add_matrix(&mut group, "M", &global.mass)?;
            let (contacts, equations) = split_columns(&primal.jacobian, &rows)?;
            add_matrix(&mut group, "H", &contacts)?;
            if rows.n_free() > 0 {
                add_matrix(&mut group, "G", &equations)?;
            }
        }
        _ => add_local(&mut group, stored, &rows)?,
    }
    add_vectors(&mut group, stored, &rows);
    add_info(&mut group, stored)?;
    file.add_group(group.finish());
    if let Some(solution) = &stored.solution {
        let mut group = file.create_group("solution");
        add_solution(&mut group, solution, &rows);
        file.add_group(group.finish());
    }
    file.finish().map_err(|error| Fault::Hdf5 { key: String::new(), message: error.to_string() })
}

/// The rows of a problem in the order of the file.
struct Rows {
    /// Contacts, then equations.
    order: Vec<usize>,
    n_contact_rows: usize,
}

impl Rows {
    fn of(sets: &[Set]) -> Self {
        let (mut contacts, mut equations, mut next) = (Vec::new(), Vec::new(), 0);
        for set in sets {
            let list = if *set == Set::Free { &mut equations } else { &mut contacts };
            list.extend(next..next + set.dim());
            next += set.dim();
        }
        let n_contact_rows = contacts.len();
        Self { order: [contacts, equations].concat(), n_contact_rows }
    }

    fn n_free(&self) -> usize {
        self.order.len() - self.n_contact_rows
    }

    /// The values of the contacts and those of the equations.
    fn split(&self, values: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut picked: Vec<f64> = self.order.iter().map(|&i| values[i]).collect();
        let equations = picked.split_off(self.n_contact_rows);
        (picked, equations)
    }
}

/// H and G from J = [H G]ᵀ.
fn split_columns(jacobian: &Sparse, rows: &Rows) -> Result<(Sparse, Sparse), Fault> {
    let (mut contacts, mut equations) = (Vec::new(), Vec::new());
    for (k, &i) in rows.order.iter().enumerate() {
        let (columns, values) = jacobian.row(i);
        for (&j, &x) in columns.iter().zip(values) {
            match k.checked_sub(rows.n_contact_rows) {
                None => contacts.push((j as usize, k, x)),
                Some(k) => equations.push((j as usize, k, x)),
            }
        }
    }
    let build = |n_columns: usize, triplets: &[(usize, usize, f64)]| {
        let built = Sparse::from_triplets(jacobian.n_columns, n_columns, triplets);
        built.map_err(|error| Fault::wrong("H", error, "finite entries"))
    };
    Ok((build(rows.n_contact_rows, &contacts)?, build(rows.n_free(), &equations)?))
}

/// W, and V and R where there are equations.
fn add_local(group: &mut GroupBuilder, stored: &StoredProblem, rows: &Rows) -> Result<(), Fault> {
    let whole = permute(stored.problem.assembled(), &rows.order)?;
    if rows.n_free() == 0 {
        return add_matrix(group, "W", &whole);
    }
    let m = rows.n_contact_rows;
    let largest = whole.value.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let mut parts: [Vec<(usize, usize, f64)>; 3] = Default::default();
    for i in 0..whole.n_rows() {
        let (columns, values) = whole.row(i);
        for (&j, &x) in columns.iter().zip(values) {
            let j = j as usize;
            let is_coupling = (i < m) != (j < m);
            if is_coupling && (x - whole.get(j, i)).abs() > SYMMETRIC * largest {
                let found = format!("{x} at ({i}, {j}) and {} at ({j}, {i})", whole.get(j, i));
                return Err(Fault::wrong(
                    "W",
                    found,
                    "symmetric coupling, which is all FCLIB has room for",
                ));
            }
            match (i < m, j < m) {
                (true, true) => parts[0].push((i, j, x)),
                (true, false) => parts[1].push((i, j - m, x)),
                (false, false) => parts[2].push((i - m, j - m, x)),
                (false, true) => {}
            }
        }
    }
    let sizes = [(m, m), (m, rows.n_free()), (rows.n_free(), rows.n_free())];
    for ((name, (n_rows, n_columns)), triplets) in ["W", "V", "R"].into_iter().zip(sizes).zip(&parts) {
        let built = Sparse::from_triplets(n_rows, n_columns, triplets);
        add_matrix(group, name, &built.map_err(|error| Fault::wrong(name, error, "finite entries"))?)?;
    }
    Ok(())
}

pub(super) fn add_matrix(group: &mut GroupBuilder, name: &str, matrix: &Sparse) -> Result<(), Fault> {
    let count = |what: &str, n: usize| {
        i32::try_from(n).map_err(|_| Fault::wrong(format!("{name}/{what}"), n, "at most 2147483647"))
    };
    let (m, n) = (count("m", matrix.n_rows())?, count("n", matrix.n_columns)?);
    let nzmax = count("nzmax", matrix.n_entries())?;
    // All are at most nzmax and n, which fit.
    let pointers: Vec<i32> = matrix.start.iter().map(|&p| p as i32).collect();
    let indices: Vec<i32> = matrix.column.iter().map(|&j| j as i32).collect();
    let mut part = group.create_group(name);
    for (name, value) in [("m", m), ("n", n), ("nzmax", nzmax), ("nz", -2)] {
        part.create_dataset(name).with_i32_data(&[value]);
    }
    add_integers(&mut part, "p", &pointers);
    add_integers(&mut part, "i", &indices);
    add_floats(&mut part, "x", &matrix.value);
    group.add_group(part.finish());
    Ok(())
}

pub(super) fn add_integers(group: &mut GroupBuilder, name: &str, values: &[i32]) {
    let dataset = group.create_dataset(name).with_i32_data(values);
    chunk(dataset, values.len());
}

pub(super) fn add_floats(group: &mut GroupBuilder, name: &str, values: &[f64]) {
    let dataset = group.create_dataset(name).with_f64_data(values);
    chunk(dataset, values.len());
}

fn chunk(dataset: &mut hdf5_pure::DatasetBuilder, n: usize) {
    if n > CONTIGUOUS {
        dataset.with_chunks(&[n.min(CHUNK) as u64]).with_shuffle().with_deflate(LEVEL);
    }
}

fn add_vectors(group: &mut GroupBuilder, stored: &StoredProblem, rows: &Rows) {
    let mut part = group.create_group("vectors");
    let (names, free) = match &stored.global {
        Some(global) => {
            add_floats(&mut part, "f", &global.force);
            (["w", "b"], &global.offset)
        }
        None => (["q", "s"], &stored.problem.u_free),
    };
    let (contacts, equations) = rows.split(free);
    add_floats(&mut part, names[0], &contacts);
    if rows.n_free() > 0 {
        add_floats(&mut part, names[1], &equations);
    }
    let (mut mu, mut mu_r) = (Vec::new(), Vec::new());
    for set in &stored.problem.sets {
        match *set {
            Set::Coulomb2 { mu: x } | Set::Coulomb3 { mu: x } => mu.push(x),
            Set::Rolling3 { mu: x, mu_r: y } => {
                mu.push(x);
                mu_r.push(y);
            }
            _ => {}
        }
    }
    add_floats(&mut part, "mu", &mu);
    if matches!(stored.kind, Kind::Rolling | Kind::GlobalRolling) {
        add_floats(&mut part, "mu_r", &mu_r);
    }
    group.add_group(part.finish());
}

/// Texts with a zero byte at the end, as readers in C expect.
pub(super) fn add_info(group: &mut GroupBuilder, stored: &StoredProblem) -> Result<(), Fault> {
    let mut part = group.create_group("info");
    let Info { title, description, math_info } = &stored.info;
    let title = if title.is_empty() { &stored.name } else { title };
    let description = if description.is_empty() { &stored.source } else { description };
    for (name, text) in [("title", title), ("description", description), ("math_info", math_info)] {
        let text = text.replace('\0', " ");
        let width = u32::try_from(text.len() + 1)
            .map_err(|_| Fault::wrong(format!("info/{name}"), text.len(), "a text below 4 GB"))?;
        part.create_dataset(name)
            .with_strings_sized(&[&text], width)
            .map_err(|error| Fault::Hdf5 { key: format!("info/{name}"), message: error.to_string() })?
            .with_shape(&[]);
    }
    group.add_group(part.finish());
    Ok(())
}

fn add_solution(group: &mut GroupBuilder, solution: &Solution, rows: &Rows) {
    let (r, l) = rows.split(&solution.impulse);
    let (u, _) = rows.split(&solution.relative_velocity);
    add_floats(group, "r", &r);
    add_floats(group, "u", &u);
    if rows.n_free() > 0 {
        add_floats(group, "l", &l);
    }
    if let Some(v) = &solution.velocity {
        add_floats(group, "v", v);
    }
}
