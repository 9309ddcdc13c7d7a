//! LCP, MLCP and relay problems: vectors and sizes in JSON, the matrix in a Matrix Market file beside it.
//!
//! ```text
//! lcp     w = M z + q,  0 ≤ w ⟂ z ≥ 0
//! mlcp    M = [A C; D B], q = [a; b]:  A u + C v + a = 0,  w = D u + B v + b,  0 ≤ w ⟂ v ≥ 0
//! relay   lb ≤ z ≤ ub,  −(M z + q) in the normal cone of the box at z
//! ```
//!
//! Bounds may be the texts "inf" and "-inf", which JSON has no numbers for.

use super::error::{Fault, length};
use super::{Info, Kind, Solution, StoredProblem};
use crate::matrix_market;
use nonsmooth_solvers::{Problem, Set, Sparse};
use serde_json::{Map, Value, json};

const FORMAT: &str = "nonsmooth-lcp/1";

/// Reads the text of a JSON file; `matrix` gives the text of the Matrix Market file that it names.
pub fn from_json(
    name: &str,
    text: &str,
    matrix: &dyn Fn(&str) -> std::io::Result<String>,
) -> Result<StoredProblem, Fault> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        // The place is told once.
        let message = error.to_string().replace(&format!(" at line {line} column {column}"), "");
        Fault::Json { line, column, message }
    })?;
    let Value::Object(map) = &value else {
        return Err(Fault::wrong("", kind_of(&value), "an object"));
    };
    let file = Object { map, path: "" };
    let format = file.text("format")?;
    if format != FORMAT {
        return Err(Fault::wrong("format", format!("\"{format}\""), format!("\"{FORMAT}\"")));
    }
    let u_free = file.numbers("q", false)?;
    let (kind, sets) = file.sets(u_free.len())?;
    let delassus = file.matrix(u_free.len(), matrix)?;
    let solution = file.solution(kind, &sets)?;
    let problem = Problem::new(delassus, u_free, sets).map_err(Box::new)?;
    let source = file.optional_text("source")?;
    let title = file.optional_text("name")?;
    let info = Info { title, math_info: String::new(), description: source.clone() };
    Ok(StoredProblem { name: name.to_owned(), kind, problem, global: None, info, source, solution })
}

/// A JSON object and where it is.
struct Object<'a> {
    map: &'a Map<String, Value>,
    path: &'static str,
}

impl Object<'_> {
    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }

    fn get(&self, key: &str, expected: &str) -> Result<&Value, Fault> {
        let missing = || Fault::Missing { key: self.key(key), expected: expected.to_owned() };
        self.map.get(key).ok_or_else(missing)
    }

    fn text(&self, key: &str) -> Result<&str, Fault> {
        let value = self.get(key, "a text")?;
        value.as_str().ok_or_else(|| Fault::wrong(self.key(key), kind_of(value), "a text"))
    }

    fn optional_text(&self, key: &str) -> Result<String, Fault> {
        if self.map.contains_key(key) { Ok(self.text(key)?.to_owned()) } else { Ok(String::new()) }
    }

    fn count(&self, key: &str) -> Result<usize, Fault> {
        let value = self.get(key, "a count")?;
        let count = value.as_u64().and_then(|n| usize::try_from(n).ok());
        count.ok_or_else(|| Fault::wrong(self.key(key), value, "a whole number ≥ 0"))
    }

    fn numbers(&self, key: &str, infinite: bool) -> Result<Vec<f64>, Fault> {
        let expected = if infinite { "a number, \"inf\" or \"-inf\"" } else { "a finite number" };
        let value = self.get(key, "a list of numbers")?;
        let wrong = || Fault::wrong(self.key(key), kind_of(value), "a list of numbers");
        let list = value.as_array().ok_or_else(wrong)?;
        let number = |(i, x): (usize, &Value)| {
            let found = match x {
                Value::Number(x) => x.as_f64().filter(|x| x.is_finite()),
                Value::String(text) if infinite && text == "inf" => Some(f64::INFINITY),
                Value::String(text) if infinite && text == "-inf" => Some(f64::NEG_INFINITY),
                _ => None,
            };
            found.ok_or_else(|| Fault::wrong(self.key(&format!("{key}[{i}]")), kind_of(x), expected))
        };
        list.iter().enumerate().map(number).collect()
    }

    /// One set per row of a problem with `rows` rows.
    fn sets(&self, rows: usize) -> Result<(Kind, Vec<Set>), Fault> {
        let n = self.count("n")?;
        match self.text("kind")? {
            "lcp" => {
                length("q", rows, n, "n")?;
                Ok((Kind::Lcp, vec![Set::Nonnegative; rows]))
            }
            "mlcp" => {
                let m = self.count("m")?;
                length("q", rows, n.saturating_add(m), "n + m")?;
                let mut sets = vec![Set::Free; n];
                sets.resize(rows, Set::Nonnegative);
                Ok((Kind::Mlcp, sets))
            }
            "relay" => {
                length("q", rows, n, "n")?;
                let (lower, upper) = (self.numbers("lb", true)?, self.numbers("ub", true)?);
                length("lb", lower.len(), n, "n")?;
                length("ub", upper.len(), n, "n")?;
                let interval = |(lower, upper)| Set::Interval { lower, upper };
                Ok((Kind::Relay, lower.into_iter().zip(upper).map(interval).collect()))
            }
            other => Err(Fault::wrong("kind", format!("\"{other}\""), "\"lcp\", \"mlcp\" or \"relay\"")),
        }
    }

    fn matrix(
        &self,
        rows: usize,
        text_of: &dyn Fn(&str) -> std::io::Result<String>,
    ) -> Result<Sparse, Fault> {
        let file = self.text("M")?;
        // A problem file must not make us read elsewhere.
        if file.is_empty() || file == ".." || file.contains(['/', '\\', '\0']) {
            return Err(Fault::wrong("M", format!("{file:?}"), "the name of a file in the same folder"));
        }
        let text = text_of(file).map_err(|error| {
            Fault::wrong("M", format!("{file}: {error}"), "a Matrix Market file in the same folder")
        })?;
        let read = matrix_market::read(&text, rows);
        read.map_err(|source| Fault::Matrix { file: file.to_owned(), source })
    }

    fn solution(&self, kind: Kind, sets: &[Set]) -> Result<Option<Solution>, Fault> {
        let map = match self.map.get("solution") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Object(map)) => map,
            Some(other) => return Err(Fault::wrong("solution", kind_of(other), "an object")),
        };
        let object = Object { map, path: "solution." };
        let list = |key: &str, n: usize| {
            let values = object.numbers(key, false)?;
            length(&object.key(key), values.len(), n, "the rows of the problem")?;
            Ok::<_, Fault>(values)
        };
        let n_free =
            if kind == Kind::Mlcp { sets.iter().filter(|s| **s == Set::Free).count() } else { 0 };
        let (mut impulse, mut relative_velocity) = (Vec::new(), vec![0.0; n_free]);
        if kind == Kind::Mlcp {
            impulse = list("u", n_free)?;
        }
        impulse.extend(list(if kind == Kind::Mlcp { "v" } else { "z" }, sets.len() - n_free)?);
        relative_velocity.extend(list("w", sets.len() - n_free)?);
        Ok(Some(Solution { impulse, relative_velocity, velocity: None }))
    }
}

/// What a value is, for messages: numbers and short texts as they are.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("the text {:?}", text.chars().take(40).collect::<String>()),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".into(),
    }
}

/// The JSON text that names its matrix `file`, and that matrix.
pub(super) fn to_json(stored: &StoredProblem, file: &str) -> Result<(String, Sparse), Fault> {
    let order = order(stored);
    let problem = &stored.problem;
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&i| values[i]).collect() };
    let n_free = if stored.kind == Kind::Mlcp { free(&problem.sets) } else { 0 };
    let mut object = json!({
        "format": FORMAT,
        "kind": stored.kind.name(),
        "name": if stored.info.title.is_empty() { &stored.name } else { &stored.info.title },
        "source": stored.source,
        "M": file,
        "q": pick(&problem.u_free),
        "n": if stored.kind == Kind::Mlcp { n_free } else { problem.size() },
        "statement": statement(stored.kind),
    });
    if stored.kind == Kind::Mlcp {
        object["m"] = json!(problem.size() - n_free);
    }
    if stored.kind == Kind::Relay {
        let bounds = problem.sets.iter().map(|set| set.bounds());
        let (lower, upper): (Vec<Value>, Vec<Value>) = bounds.map(|(a, b)| (bound(a), bound(b))).unzip();
        object["lb"] = json!(lower);
        object["ub"] = json!(upper);
    }
    if let Some(solution) = &stored.solution {
        let (p, w) = (pick(&solution.impulse), pick(&solution.relative_velocity));
        object["solution"] = match stored.kind {
            Kind::Mlcp => json!({"u": p[..n_free], "v": p[n_free..], "w": w[n_free..]}),
            _ => json!({"z": p, "w": w}),
        };
    }
    let text = serde_json::to_string_pretty(&object).map_err(std::io::Error::from)?;
    Ok((text + "\n", permute(problem.assembled(), &order)?))
}

/// Rows in the order of the file: the equations of an MLCP come first.
fn order(stored: &StoredProblem) -> Vec<usize> {
    let mut order: Vec<usize> = (0..stored.problem.size()).collect();
    if stored.kind == Kind::Mlcp {
        order.sort_by_key(|&i| stored.problem.sets[i] != Set::Free);
    }
    order
}

fn free(sets: &[Set]) -> usize {
    sets.iter().filter(|set| **set == Set::Free).count()
}

fn bound(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { json!(if x > 0.0 { "inf" } else { "-inf" }) }
}

/// The matrix with its rows and columns in another order.
pub(super) fn permute(matrix: &Sparse, order: &[usize]) -> Result<Sparse, Fault> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    let mut triplets = Vec::with_capacity(matrix.n_entries());
    for i in 0..matrix.n_rows() {
        let (columns, values) = matrix.row(i);
        triplets.extend(columns.iter().zip(values).map(|(&j, &x)| (place[i], place[j as usize], x)));
    }
    let permuted = Sparse::from_triplets(order.len(), order.len(), &triplets);
    permuted.map_err(|error| Fault::wrong("W", error, "finite entries"))
}

fn statement(kind: Kind) -> &'static str {
    match kind {
        Kind::Lcp => "find z>=0 with w=M z+q>=0 and z.w=0",
        Kind::Mlcp => {
            "M=[A C; D B], q=[a;b]: A u+C v+a=0, w=D u+B v+b>=0, v>=0, w.v=0 (first n rows/columns are the equality part)"
        }
        _ => "find lb<=z<=ub with -(M z+q) in the normal cone of [lb,ub] at z",
    }
}
