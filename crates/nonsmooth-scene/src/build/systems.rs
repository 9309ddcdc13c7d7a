//! Systems of a scene: matrices, forces and initial states, from numbers, formulas and files.

use super::Build;
use super::copies::At;
use super::instant::InstantFormulas;
use super::names::{Constants, OfSystem, OfTime, Uses};
use crate::formula::{Expr, Op, Program, Scope};
use crate::formulas::{FormulaSystem, Terms};
use crate::matrix_market::{self, MatrixError};
use crate::scene::{self, Coordinates, Jacobians, Matrix, Quantity, Vector};
use crate::source::Path;
use nonsmooth::model::{FiniteDifferences, Force, Linear, SystemId, UserError};
use nonsmooth::{Instant, Model, StepResult};
use nonsmooth_solvers::Sparse;
use std::collections::BTreeMap;

/// Coordinates of one system beyond which a number is taken for a mistake.
const MOST_COORDINATES: usize = 10_000_000;

/// A force on a system that depends on more than t.
pub(super) struct StateForce<'a> {
    path: Path,
    vector: &'a Vector,
    /// Number of the system and of its coordinates.
    system: usize,
    n: usize,
    copy: Option<usize>,
}

/// A force on the coordinates of a system, by formulas of the state.
struct CoordinateForce {
    /// Place of the first.
    first: usize,
    formulas: InstantFormulas,
}

impl Force for CoordinateForce {
    fn add(&self, _model: &Model, at: &Instant<'_>, out: &mut [f64]) -> StepResult {
        self.formulas.each(at, |k, x| out[self.first + k] += x);
        Ok(())
    }
}

impl<'a> Build<'a> {
    /// Forces of systems that depend on the state, once everything that they may name is known.
    pub(super) fn forces_of_state(&mut self) {
        for StateForce { path, vector, system, n, copy } in std::mem::take(&mut self.state_forces) {
            let list: Vec<(Path, &Quantity)> = match vector {
                Vector::All(quantity) => vec![(path, quantity); n],
                Vector::Each(list) => {
                    list.iter().enumerate().map(|(k, quantity)| (path.index(k), quantity)).collect()
                }
            };
            if let Some(formulas) = self.instant_formulas(&list, copy) {
                let first = self.directory.place((system, 0));
                self.builder.force(CoordinateForce { first, formulas });
            }
        }
    }

    pub(super) fn systems(&mut self) {
        let scene = self.scene;
        let scene::Systems { linear, elastic, lagrangian, first_order } = &scene.system;
        let counts =
            [linear.len(), elastic.len(), lagrangian.len(), first_order.len(), scene.body.len()];
        if counts == [0; 5] {
            self.mistake(
                &Path::of("system"),
                "a scene needs at least one [[system.linear]], [[system.elastic]], [[system.lagrangian]], [[system.first_order]] or [[body]]".into(),
            );
        }
        for (k, spec) in scene.system.linear.iter().enumerate() {
            let path = Path::of("system.linear").index(k);
            self.each_copy(&path, spec.repeat.as_ref(), |build, copy| build.linear(&path, spec, copy));
        }
        self.elastic_systems();
        for (k, spec) in scene.system.lagrangian.iter().enumerate() {
            let path = Path::of("system.lagrangian").index(k);
            self.each_copy(&path, spec.repeat.as_ref(), |build, copy| {
                build.lagrangian(&path, spec, copy)
            });
        }
    }

    /// Registers names; returns the system's full name and its coordinates.
    pub(super) fn register(
        &mut self,
        path: &Path,
        name: &str,
        coordinates: &Coordinates,
        copy: Option<usize>,
    ) -> (String, Vec<String>) {
        let owner = copy.map_or(name.to_owned(), |i| format!("{name}[{i}]"));
        if !is_name(name) {
            self.mistake(
                &path.key("name"),
                format!("`{name}` is not a name: letters, digits and _, not first a digit"),
            );
        }
        if copy.is_none_or(|i| i == 0) && self.system_names.contains(&owner) {
            self.mistake(&path.key("name"), format!("there are two systems called `{owner}`"));
        }
        let names = match coordinates {
            Coordinates::Names(names) => names.clone(),
            Coordinates::Count(n) => {
                (0..(*n as usize).min(MOST_COORDINATES + 1)).map(|i| format!("q{i}")).collect()
            }
        };
        let place = path.key("coordinates");
        if names.len() > MOST_COORDINATES {
            self.mistake(&place, format!("at most {MOST_COORDINATES} coordinates per system"));
        }
        if names.is_empty() {
            self.mistake(&place, "a system needs at least one coordinate".into());
        }
        let mut seen = std::collections::BTreeSet::new();
        for (i, coordinate) in names.iter().enumerate() {
            let taken =
                matches!(coordinate.as_str(), "t" | "pi" | "i") || Op::named(coordinate).is_some();
            let wrong = if !is_name(coordinate) {
                Some(format!("`{coordinate}` is not a name: letters, digits and _, not first a digit"))
            } else if taken {
                Some(format!("`{coordinate}` has a meaning of its own in formulas; choose another name"))
            } else if self.parameters.contains_key(coordinate) {
                Some(format!("`{coordinate}` is a parameter; choose another name"))
            } else if !seen.insert(coordinate) {
                Some(format!("there are two coordinates called `{coordinate}`"))
            } else {
                None
            };
            match wrong {
                Some(message) => self.mistake(&place.index(i), message),
                None => self.directory.add(&owner, coordinate, self.system_names.len(), i),
            }
        }
        self.directory.add_system(names.len());
        self.system_names.push(owner.clone());
        self.system_paths.push(path.clone());
        (owner, names)
    }

    fn linear(&mut self, path: &Path, spec: &'a scene::Linear, copy: Option<usize>) {
        let (owner, coordinates) = self.register(path, &spec.name, &spec.coordinates, copy);
        let n = coordinates.len();
        let mass = self.matrix(&path.key("mass"), &spec.mass, n, copy);
        let damping = spec.damping.as_ref().map(|m| self.matrix(&path.key("damping"), m, n, copy));
        let stiffness = spec.stiffness.as_ref().map(|m| self.matrix(&path.key("stiffness"), m, n, copy));
        let load = spec.load.as_ref().and_then(|v| self.vector(&path.key("load"), v, n, copy));
        let force = spec.force.as_ref().and_then(|v| self.force(&path.key("force"), v, n, copy));
        let q = self.vector(&path.key("q"), &spec.q, n, copy);
        let v = spec.v.as_ref().and_then(|v| self.vector(&path.key("v"), v, n, copy));
        let (Some(mass), Some(q)) = (mass, q) else { return };
        let mut system = Linear::new(&owner, mass);
        system.coordinates = coordinates;
        system.damping = damping.flatten();
        system.stiffness = stiffness.flatten();
        system.load = load.unwrap_or_else(|| vec![0.0; n]);
        system.q = q;
        system.v = v.unwrap_or_else(|| vec![0.0; n]);
        if let Some(force) = force {
            let programs: Vec<Program> = force.iter().map(Program::compile).collect();
            system = system.force(move |t, out| {
                programs.iter().zip(out).for_each(|(program, out)| *out = program.eval(&[t]));
                Ok(())
            });
        }
        self.builder.linear(system);
        self.prescribed(path, &spec.prescribed, copy);
    }

    fn lagrangian(&mut self, path: &Path, spec: &'a scene::Lagrangian, copy: Option<usize>) {
        let (owner, coordinates) = self.register(path, &spec.name, &spec.coordinates, copy);
        let n = coordinates.len();
        let parameters = self.parameters.clone();
        let constants = Constants { parameters: &parameters, index: copy };
        let position =
            OfSystem { constants, owner: &owner, coordinates: &coordinates, uses: Uses::Position };
        let all = OfSystem { uses: Uses::All, ..position };
        let zero = || vec![Expr::number(0.0); n];
        let mass = self.matrix_of(&path.key("mass"), &spec.mass, n, &position);
        let list = |build: &mut Self, key: &str, vector: &Option<Vector>, scope: &dyn Scope| {
            vector.as_ref().map(|vector| build.expressions(&path.key(key), vector, n, scope))
        };
        let inertial = list(self, "inertial_force", &spec.inertial_force, &all);
        let internal = list(self, "internal_force", &spec.internal_force, &all);
        let external = spec.force.as_ref().map(|force| self.force(&path.key("force"), force, n, copy));
        let potential =
            spec.potential.as_ref().map(|v| self.expression(&path.key("potential"), v, &position));
        let q = self.vector(&path.key("q"), &spec.q, n, copy);
        let v = spec.v.as_ref().map(|v| self.vector(&path.key("v"), v, n, copy));
        let (Some(mass), Some(q)) = (mass, q) else { return };
        let terms = Terms {
            mass,
            inertial: match inertial {
                Some(None) => return,
                Some(given) => given,
                None => None,
            },
            internal: internal.unwrap_or_else(|| Some(zero())).unwrap_or_else(zero),
            potential: potential.flatten().unwrap_or_else(|| Expr::number(0.0)),
            external: external.unwrap_or_else(|| Some(zero())).unwrap_or_else(zero),
        };
        let v = v.flatten().unwrap_or_else(|| vec![0.0; n]);
        let names: Vec<&str> = coordinates.iter().map(String::as_str).collect();
        let system = FormulaSystem::new(&terms);
        match spec.jacobians {
            Jacobians::Symbolic => self.builder.lagrangian(&owner, &names, system, &q, &v),
            Jacobians::FiniteDifferences => {
                self.builder.lagrangian(&owner, &names, FiniteDifferences(system), &q, &v)
            }
        };
        self.prescribed(path, &spec.prescribed, copy);
    }

    fn prescribed(&mut self, path: &Path, list: &BTreeMap<String, Quantity>, copy: Option<usize>) {
        let system = self.system_names.len() - 1;
        for (name, quantity) in list {
            let place = path.key("prescribed").key(name);
            let Some(k) =
                self.directory.find(&format!("{}.{name}", self.system_names[system])).map(|p| p.1)
            else {
                self.mistake(
                    &place,
                    format!("system `{}` has no coordinate `{name}`", self.system_names[system]),
                );
                continue;
            };
            let scope = OfTime(self.constants(copy));
            match self.formula(&place, quantity, &scope) {
                Err(mut mistakes) => self.mistakes.append(&mut mistakes),
                Ok(expression) => {
                    let program = Program::compile(&expression);
                    let velocity = move |t: f64| Ok::<f64, UserError>(program.eval(&[t]));
                    self.builder.prescribe(SystemId(system), k, velocity);
                    self.prescribed_paths.push(place);
                }
            }
        }
    }

    /// One number per coordinate.
    pub(super) fn vector(
        &mut self,
        path: &Path,
        vector: &Vector,
        n: usize,
        copy: Option<usize>,
    ) -> Option<Vec<f64>> {
        let parameters = self.parameters.clone();
        let scope = Constants { parameters: &parameters, index: copy };
        let expressions = self.expressions(path, vector, n, &scope)?;
        self.constants_of(path, &expressions)
    }

    /// One formula of t per coordinate of the system at hand; `None` after a mistake, and where they depend on the state and so are
    /// read later.
    fn force(
        &mut self,
        path: &Path,
        vector: &'a Vector,
        n: usize,
        copy: Option<usize>,
    ) -> Option<Vec<Expr>> {
        let parameters = self.parameters.clone();
        let scope = OfTime(Constants { parameters: &parameters, index: copy });
        let before = self.mistakes.len();
        let expressions = self.expressions(path, vector, n, &scope);
        let fits = !matches!(vector, Vector::Each(list) if list.len() != n);
        if expressions.is_none() && fits {
            self.mistakes.truncate(before);
            let system = self.system_names.len() - 1;
            self.state_forces.push(StateForce { path: path.clone(), vector, system, n, copy });
        }
        expressions
    }

    fn constants_of(&mut self, path: &Path, expressions: &[Expr]) -> Option<Vec<f64>> {
        let values: Vec<f64> = expressions.iter().map(|e| e.constant().unwrap_or(f64::NAN)).collect();
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            let value = values[i];
            self.mistake(path, format!("entry {i} must be a finite number, but it is {value}"));
            return None;
        }
        Some(values)
    }

    fn expression(&mut self, path: &Path, quantity: &Quantity, scope: &dyn Scope) -> Option<Expr> {
        match self.formula(path, quantity, scope) {
            Ok(expression) => Some(expression),
            Err(mut mistakes) => {
                self.mistakes.append(&mut mistakes);
                None
            }
        }
    }

    pub(super) fn expressions(
        &mut self,
        path: &Path,
        vector: &Vector,
        n: usize,
        scope: &dyn Scope,
    ) -> Option<Vec<Expr>> {
        match vector {
            Vector::All(quantity) => Some(vec![self.expression(path, quantity, scope)?; n]),
            Vector::Each(list) if list.len() != n => {
                let got = list.len();
                self.mistake(path, format!("must have one entry per coordinate ({n}), has {got}"));
                None
            }
            Vector::Each(list) => {
                let found: Vec<Option<Expr>> = list
                    .iter()
                    .enumerate()
                    .map(|(i, quantity)| self.expression(&path.index(i), quantity, scope))
                    .collect();
                found.into_iter().collect()
            }
        }
    }

    /// A constant matrix.
    pub(super) fn matrix(
        &mut self,
        path: &Path,
        matrix: &Matrix,
        n: usize,
        copy: Option<usize>,
    ) -> Option<Sparse> {
        if let Matrix::File(file) = matrix {
            return self.matrix_file(path, file, n, copy);
        }
        let parameters = self.parameters.clone();
        let scope = Constants { parameters: &parameters, index: copy };
        if !matches!(matrix, Matrix::Rows(_)) {
            let diagonal = self.diagonal(path, matrix, n, &scope)?;
            return Some(Sparse::diagonal(&self.constants_of(path, &diagonal)?));
        }
        let entries = self.matrix_of(path, matrix, n, &scope)?;
        let values = self.constants_of(path, &entries)?;
        Some(Sparse::from_rows(&values.chunks(n).map(<[f64]>::to_vec).collect::<Vec<_>>()))
    }

    fn diagonal(
        &mut self,
        path: &Path,
        matrix: &Matrix,
        n: usize,
        scope: &dyn Scope,
    ) -> Option<Vec<Expr>> {
        match matrix {
            Matrix::Diagonal(list) => self.expressions(path, &Vector::Each(list.clone()), n, scope),
            Matrix::Scalar(quantity) => self.expressions(path, &Vector::All(quantity.clone()), n, scope),
            Matrix::Rows(_) | Matrix::File(_) => None,
        }
    }

    /// All n² entries of a matrix of formulas.
    fn matrix_of(
        &mut self,
        path: &Path,
        matrix: &Matrix,
        n: usize,
        scope: &dyn Scope,
    ) -> Option<Vec<Expr>> {
        match matrix {
            Matrix::File(_) => {
                self.mistake(
                    path,
                    "the mass of a Lagrangian system is given by formulas, not by a file".into(),
                );
                None
            }
            Matrix::Rows(rows) if rows.len() != n => {
                let got = rows.len();
                self.mistake(path, format!("must have one row per coordinate ({n}), has {got}"));
                None
            }
            Matrix::Rows(rows) => {
                let found: Vec<Option<Vec<Expr>>> = rows
                    .iter()
                    .enumerate()
                    .map(|(i, row)| {
                        self.expressions(&path.index(i), &Vector::Each(row.clone()), n, scope)
                    })
                    .collect();
                Some(found.into_iter().collect::<Option<Vec<_>>>()?.concat())
            }
            Matrix::Diagonal(_) | Matrix::Scalar(_) => {
                let diagonal = self.diagonal(path, matrix, n, scope)?;
                let mut entries = vec![Expr::number(0.0); n * n];
                for (i, entry) in diagonal.into_iter().enumerate() {
                    entries[i * n + i] = entry;
                }
                Some(entries)
            }
        }
    }

    fn matrix_file(
        &mut self,
        path: &Path,
        file: &scene::MatrixFile,
        n: usize,
        copy: Option<usize>,
    ) -> Option<Sparse> {
        let place = path.key("file");
        let scale = match &file.scale {
            Some(scale) => self.number(&path.key("scale"), scale, copy)?,
            None => 1.0,
        };
        let bytes = self.file(&At::Path(&place), &file.file)?;
        let Ok(text) = String::from_utf8(bytes) else {
            self.mistake(&place, format!("cannot read `{}`: it is not a text", file.file));
            return None;
        };
        match matrix_market::read(&text, n) {
            Err(MatrixError::Size { rows, columns, .. }) => {
                self.mistake(&place, format!("must be {n} × {n}, is {rows} × {columns}"));
                None
            }
            Err(error) => {
                self.mistake(&place, format!("`{}`: {error}", file.file));
                None
            }
            Ok(mut matrix) => {
                matrix.value.iter_mut().for_each(|x| *x *= scale);
                Some(matrix)
            }
        }
    }
}

pub(super) fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
