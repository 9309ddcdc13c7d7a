//! Reads FCLIB: local problems (W, q) and global ones (M, H, f, w), with friction or with rolling friction.
//!
//! A matrix group holds m, n, nzmax, nz and the arrays p, i, x. nz = −2: compressed rows; −1: compressed columns;
//! nz ≥ 0: triplets, where i is the row and p the column (CSparse, and so all files written by Siconos), although
//! FCLIB's header says the opposite. Entries given twice add up. Equations are an optional part: V, R, s of local
//! problems, G, b of global ones; they become free rows after the contacts.

use super::error::{Fault, length};
use super::hdf5::Tree;
use super::{Global, Info, Kind, Solution, StoredProblem, mixed};
use nonsmooth_solvers::{Delassus, Primal, Problem, Set, Sparse};

/// Relative difference up to which W or M counts as symmetric: what rounding leaves of W = Hᵀ M⁻¹ H.
pub(super) const SYMMETRIC: f64 = 1e-12;

/// Rows of a dense W that is formed for a global problem whose M couples more than bodies: about 3 GB while it is formed.
const DENSE_LIMIT: usize = 10_000;

/// Rows of M up to which `Primal` takes a block for a body and forms no dense W.
const BODY_LIMIT: usize = 12;

/// The groups that hold a problem, whether it is global, whether it has rolling friction.
pub(super) const GROUPS: [(&str, bool, bool); 4] = [
    ("fclib_local", false, false),
    ("fclib_global", true, false),
    ("fclib_local_rolling", false, true),
    ("fclib_global_rolling", true, true),
];

type Triplets = Vec<(usize, usize, f64)>;

/// Reads the bytes of an FCLIB file.
pub fn from_hdf5(name: &str, bytes: Vec<u8>) -> Result<StoredProblem, Fault> {
    let tree = Tree::open(bytes)?;
    let root = tree.names("")?;
    let found = GROUPS.iter().find(|(group, ..)| root.iter().any(|name| name == group));
    let has_solution = root.iter().any(|name| name == "solution");
    let Some(&(group, is_global, is_rolling)) = found else {
        if root.iter().any(|name| name == mixed::GROUP) {
            return mixed::from_tree(name, &tree, has_solution);
        }
        let expected = GROUPS.map(|(group, ..)| group).join(", ");
        let found = if root.is_empty() { "nothing".to_owned() } else { root.join(", ") };
        return Err(Fault::NoGroup { expected, found });
    };
    let reader = Reader::new(&tree, group)?;
    let kind = reader.kind(is_global, is_rolling)?;
    let (problem, global) = if is_global { reader.global(kind)? } else { (reader.local(kind)?, None) };
    let dofs = global.as_ref().map(|global| global.force.len());
    let solution = if has_solution { Some(solution(&tree, &problem, dofs)?) } else { None };
    let info = reader.info()?;
    let source = info.description.clone();
    Ok(StoredProblem { name: name.to_owned(), kind, problem, global, info, source, solution })
}

/// Reads one group.
pub(super) struct Reader<'a> {
    pub(super) tree: &'a Tree,
    group: &'static str,
    names: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tree: &'a Tree, group: &'static str) -> Result<Self, Fault> {
        Ok(Self { tree, group, names: tree.names(group)? })
    }

    pub(super) fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.group)
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }

    fn kind(&self, is_global: bool, is_rolling: bool) -> Result<Kind, Fault> {
        let key = self.key("spacedim");
        let expected = if is_rolling { "5" } else { "2 or 3" };
        if !self.has("spacedim") {
            return Err(Fault::Missing { key, expected: expected.into() });
        }
        match (self.tree.integer(&key)?, is_rolling, is_global) {
            (2, false, false) => Ok(Kind::Planar),
            (3, false, false) => Ok(Kind::Spatial),
            (5, true, false) => Ok(Kind::Rolling),
            (2, false, true) => Ok(Kind::GlobalPlanar),
            (3, false, true) => Ok(Kind::GlobalSpatial),
            (5, true, true) => Ok(Kind::GlobalRolling),
            (found, ..) => Err(Fault::wrong(key, found, expected)),
        }
    }

    pub(super) fn info(&self) -> Result<Info, Fault> {
        if !self.has("info") {
            return Ok(Info::default());
        }
        let text = |name: &str| self.tree.text(&self.key(&format!("info/{name}")));
        let (title, description) = (text("title")?, text("description")?);
        Ok(Info { title, description, math_info: text("math_info")? })
    }

    /// A list of `n` numbers; it may be missing if n is zero.
    pub(super) fn vector(&self, name: &str, n: usize, why: &str) -> Result<Vec<f64>, Fault> {
        let key = self.key(&format!("vectors/{name}"));
        let vectors = if self.has("vectors") { self.tree.names(&self.key("vectors"))? } else { vec![] };
        if !vectors.iter().any(|n| n == name) {
            let expected = format!("{n} numbers ({why})");
            return if n == 0 { Ok(Vec::new()) } else { Err(Fault::Missing { key, expected }) };
        }
        self.tree.floats(&key, Some((n, why)))
    }

    /// One cone per contact.
    fn cones(&self, kind: Kind, n_rows: usize) -> Result<Vec<Set>, Fault> {
        let dim = match kind {
            Kind::Planar | Kind::GlobalPlanar => 2,
            Kind::Rolling | Kind::GlobalRolling => 5,
            _ => 3,
        };
        if !n_rows.is_multiple_of(dim) {
            let expected = format!("a multiple of {dim}, one block per contact");
            return Err(Fault::wrong(self.key("spacedim"), format!("{n_rows} rows"), expected));
        }
        let coefficients = |name: &str| {
            let values = self.vector(name, n_rows / dim, "one per contact")?;
            match values.iter().position(|mu| !(*mu >= 0.0)) {
                None => Ok(values),
                Some(i) => {
                    let key = self.key(&format!("vectors/{name}[{i}]"));
                    Err(Fault::wrong(key, values[i], "a coefficient ≥ 0"))
                }
            }
        };
        let mu = coefficients("mu")?;
        if dim != 5 {
            let cone = |&mu: &f64| if dim == 2 { Set::Coulomb2 { mu } } else { Set::Coulomb3 { mu } };
            return Ok(mu.iter().map(cone).collect());
        }
        let mu_r = coefficients("mu_r")?;
        Ok(mu.iter().zip(mu_r).map(|(&mu, mu_r)| Set::Rolling3 { mu, mu_r }).collect())
    }

    fn local(&self, kind: Kind) -> Result<Problem, Fault> {
        let (rows, columns) = self.size("W")?;
        square(&self.key("W"), rows, columns)?;
        let mut u_free = self.vector("q", rows, "the rows of W")?;
        let mut sets = self.cones(kind, rows)?;
        let mut triplets = self.matrix("W", rows, rows)?;
        // W r + V λ + q = u, Vᵀ r + R λ + s = 0.
        if self.has("V") || self.has("R") {
            let n_free = self.size("V")?.1;
            u_free.extend(self.vector("s", n_free, "the columns of V")?);
            for (i, j, x) in self.matrix("V", rows, n_free)? {
                triplets.extend([(i, rows + j, x), (rows + j, i, x)]);
            }
            if self.has("R") {
                let added = self.matrix("R", n_free, n_free)?;
                triplets.extend(added.into_iter().map(|(i, j, x)| (rows + i, rows + j, x)));
            }
            sets.extend(vec![Set::Free; n_free]);
        }
        self.posed(&triplets, u_free, sets)
    }

    /// The problem of W by entries.
    pub(super) fn posed(
        &self,
        triplets: &[(usize, usize, f64)],
        u_free: Vec<f64>,
        sets: Vec<Set>,
    ) -> Result<Problem, Fault> {
        let delassus = Sparse::from_triplets(u_free.len(), u_free.len(), triplets);
        let delassus = delassus.map_err(|error| Fault::wrong(self.key("W"), error, "finite entries"))?;
        let symmetric = delassus.is_symmetric(SYMMETRIC);
        let mut problem = Problem::new(delassus, u_free, sets).map_err(Box::new)?;
        problem.delassus.symmetric = symmetric;
        Ok(problem)
    }

    fn global(&self, kind: Kind) -> Result<(Problem, Option<Global>), Fault> {
        let ((dofs, _), (_, rows)) = (self.size("M")?, self.size("H")?);
        let force = self.vector("f", dofs, "the rows of M")?;
        let mut offset = self.vector("w", rows, "the columns of H")?;
        let mut sets = self.cones(kind, rows)?;
        let mass = Sparse::from_triplets(dofs, dofs, &self.matrix("M", dofs, dofs)?);
        let mass = mass.map_err(|error| Fault::wrong(self.key("M"), error, "finite entries"))?;
        super::error::finite(&self.key("M"), &mass.value)?;
        let mut triplets: Triplets = self.matrix("H", dofs, rows)?;
        triplets.iter_mut().for_each(|(i, j, _)| std::mem::swap(i, j));
        if self.has("G") {
            let n_free = self.size("G")?.1;
            offset.extend(self.vector("b", n_free, "the columns of G")?);
            let added = self.matrix("G", dofs, n_free)?;
            triplets.extend(added.into_iter().map(|(i, j, x)| (rows + j, i, x)));
            sets.extend(vec![Set::Free; n_free]);
        }
        let jacobian = Sparse::from_triplets(offset.len(), dofs, &triplets);
        let jacobian = jacobian.map_err(|error| Fault::wrong(self.key("H"), error, "finite entries"))?;
        self.check_reduction(&mass, offset.len())?;
        let singular = |error: nonsmooth_solvers::FactorError| Fault::Singular {
            key: self.key("M"),
            message: error.to_string(),
        };
        let primal = Primal::new(mass.clone(), jacobian).map_err(singular)?;
        let u_free = primal.free_velocity(&force, &offset).map_err(singular)?;
        let symmetric = mass.is_symmetric(SYMMETRIC);
        let problem =
            Problem::posed(Delassus::from_primal(primal, symmetric), u_free, sets).map_err(Box::new)?;
        Ok((problem, Some(Global { mass, force, offset })))
    }

    /// Refuses a reduction that would form a dense W out of proportion to the file.
    fn check_reduction(&self, mass: &Sparse, n_rows: usize) -> Result<(), Fault> {
        if n_rows <= DENSE_LIMIT || largest_block(mass) <= BODY_LIMIT {
            return Ok(());
        }
        let found = format!("{n_rows} contact rows on coupled degrees of freedom");
        Err(Fault::wrong(self.key("H"), found, format!("at most {DENSE_LIMIT}: W is dense there")))
    }

    /// Declared rows and columns of a matrix.
    pub(super) fn size(&self, name: &str) -> Result<(usize, usize), Fault> {
        if !self.has(name) {
            let expected = "a matrix group with m, n, nz, p, i, x".to_owned();
            return Err(Fault::Missing { key: self.key(name), expected });
        }
        Ok((self.count(&format!("{name}/m"))?, self.count(&format!("{name}/n"))?))
    }

    fn count(&self, name: &str) -> Result<usize, Fault> {
        let key = self.key(name);
        let value = self.tree.integer(&key)?;
        match i32::try_from(value) {
            Ok(value) if value >= 0 => Ok(value as usize),
            _ => Err(Fault::wrong(key, value, "a count from 0 to 2147483647")),
        }
    }

    /// The entries of a matrix that must have this size.
    pub(super) fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Triplets, Fault> {
        let (m, n) = self.size(name)?;
        if (m, n) != (rows, columns) {
            let expected = format!("{rows} × {columns}, as the other parts");
            return Err(Fault::wrong(self.key(name), format!("{m} × {n}"), expected));
        }
        let nz = self.tree.integer(&self.key(&format!("{name}/nz")))?;
        // In a compressed matrix the length of p is known; that of i and x follows from p.
        let pointers = match nz {
            -2 => Some((m + 1, "rows + 1")),
            -1 => Some((n + 1, "columns + 1")),
            _ => None,
        };
        let arrays = Arrays {
            key: self.key(name),
            p: self.tree.integers(&self.key(&format!("{name}/p")), pointers)?,
            i: self.tree.integers(&self.key(&format!("{name}/i")), None)?,
            x: self.tree.floats(&self.key(&format!("{name}/x")), None)?,
        };
        match nz {
            -2 => arrays.compressed(m, n),
            -1 => {
                let mut triplets = arrays.compressed(n, m)?;
                triplets.iter_mut().for_each(|(i, j, _)| std::mem::swap(i, j));
                Ok(triplets)
            }
            nz if nz >= 0 => arrays.triplets(nz as usize, m, n),
            found => {
                let expected = "-2 (compressed rows), -1 (compressed columns) or the number of triplets";
                Err(Fault::wrong(self.key(&format!("{name}/nz")), found, expected))
            }
        }
    }
}

/// Refuses a matrix that is not square.
pub(super) fn square(key: &str, rows: usize, columns: usize) -> Result<(), Fault> {
    if rows == columns {
        return Ok(());
    }
    Err(Fault::wrong(key, format!("{rows} × {columns}"), "a square matrix"))
}

/// A list of the group `solution` with one number per row.
pub(super) fn vector_in(tree: &Tree, name: &str, rows: usize) -> Result<Vec<f64>, Fault> {
    tree.floats(&format!("solution/{name}"), Some((rows, "the rows of the problem")))
}

/// Rows of the largest block into which a square matrix falls apart.
fn largest_block(matrix: &Sparse) -> usize {
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut parent: Vec<usize> = (0..matrix.n_rows()).collect();
    for i in 0..matrix.n_rows() {
        for &j in matrix.row(i).0 {
            let (a, b) = (root(&mut parent, i), root(&mut parent, j as usize));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut count = vec![0; parent.len()];
    (0..parent.len()).for_each(|i| count[root(&mut parent, i)] += 1);
    count.into_iter().max().unwrap_or(0)
}

/// The three arrays of a matrix.
struct Arrays {
    key: String,
    p: Vec<i64>,
    i: Vec<i64>,
    x: Vec<f64>,
}

impl Arrays {
    /// (line, place, value) of a matrix by compressed lines, rows or columns.
    fn compressed(&self, n_lines: usize, n_places: usize) -> Result<Triplets, Fault> {
        let mut before = 0;
        for (k, &p) in self.p.iter().enumerate() {
            if p < before || (k == 0 && p != 0) {
                let expected = "pointers from 0 on that do not decrease";
                return Err(Fault::wrong(format!("{}/p[{k}]", self.key), p, expected));
            }
            before = p;
        }
        self.check_lengths(before as u64)?;
        let mut triplets = Vec::with_capacity(before as usize);
        for line in 0..n_lines {
            for k in self.p[line] as usize..self.p[line + 1] as usize {
                triplets.push((line, self.index("i", &self.i, k, n_places)?, self.x[k]));
            }
        }
        Ok(triplets)
    }

    fn triplets(&self, nz: usize, rows: usize, columns: usize) -> Result<Triplets, Fault> {
        self.check_lengths(nz as u64)?;
        if self.p.len() < nz {
            return length(&format!("{}/p", self.key), self.p.len(), nz, "nz").map(|()| Vec::new());
        }
        (0..nz)
            .map(|k| {
                let row = self.index("i", &self.i, k, rows)?;
                Ok((row, self.index("p", &self.p, k, columns)?, self.x[k]))
            })
            .collect()
    }

    /// i and x may have room to spare (nzmax), but must hold what is used.
    fn check_lengths(&self, used: u64) -> Result<(), Fault> {
        for (name, n) in [("i", self.i.len()), ("x", self.x.len())] {
            if (n as u64) < used {
                let expected = format!("at least the {used} entries in use");
                return Err(Fault::wrong(
                    format!("{}/{name}", self.key),
                    format!("{n} entries"),
                    expected,
                ));
            }
        }
        Ok(())
    }

    fn index(&self, name: &str, list: &[i64], k: usize, end: usize) -> Result<usize, Fault> {
        match usize::try_from(list[k]) {
            Ok(index) if index < end => Ok(index),
            _ => {
                let expected = format!("an index from 0 to below {end}");
                Err(Fault::wrong(format!("{}/{name}[{k}]", self.key), list[k], expected))
            }
        }
    }
}

/// r, u, v and the multipliers l of the equations.
fn solution(tree: &Tree, problem: &Problem, dofs: Option<usize>) -> Result<Solution, Fault> {
    let names = tree.names("solution")?;
    let n_free = problem.sets.iter().filter(|set| **set == Set::Free).count();
    let n_rows = problem.size() - n_free;
    let vector = |name: &str, n: usize| {
        let key = format!("solution/{name}");
        if !names.iter().any(|n| n == name) {
            return Ok(None);
        }
        tree.floats(&key, Some((n, "the rows of the problem"))).map(Some)
    };
    let needed = |name: &str, n: usize| match vector(name, n)? {
        Some(values) => Ok(values),
        None if n == 0 => Ok(Vec::new()),
        None => {
            let expected = format!("{n} numbers, or no group `solution`");
            Err(Fault::Missing { key: format!("solution/{name}"), expected })
        }
    };
    let mut impulse = needed("r", n_rows)?;
    let mut relative_velocity = needed("u", n_rows)?;
    impulse.extend(needed("l", n_free)?);
    relative_velocity.resize(problem.size(), 0.0);
    let velocity = match dofs {
        Some(dofs) => vector("v", dofs)?,
        None => None,
    };
    Ok(Solution { impulse, relative_velocity, velocity })
}
