//! Which points a sweep has: a grid, points at random, a Latin hypercube. A point depends on its number alone, so that parts of a sweep and
//! resumed ones have the same points.

/// Most points of a sweep.
const MOST: usize = 100_000_000;

/// The values that a parameter takes.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// These.
    List(Vec<f64>),
    /// Any between the two.
    Range(f64, f64),
}

/// How the values of several parameters go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Design {
    /// Each with each; the last varies fastest.
    Grid,
    /// Independent.
    Random { n: usize, seed: u64 },
    /// One in each of n equal parts of each range.
    Latin { n: usize, seed: u64 },
}

/// The points of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Points {
    names: Vec<String>,
    values: Vec<Values>,
    design: Design,
    /// Of a Latin hypercube: the part that each point has in each range.
    parts: Vec<Vec<u32>>,
}

impl Points {
    /// The points that `vary` and the design ask for, or every mistake in it.
    pub(crate) fn new(vary: &[(String, String)], design: Design) -> Result<Self, String> {
        let (mut names, mut values, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
        for (name, text) in vary {
            if names.contains(name) {
                mistakes.push(format!("--vary {name}: given twice"));
            }
            names.push(name.clone());
            match parse(text, design) {
                Ok(found) => values.push(found),
                Err(mistake) => mistakes.push(format!("--vary {name}={text}: {mistake}")),
            }
        }
        if let Design::Random { n: 0, .. } | Design::Latin { n: 0, .. } = design {
            mistakes.push("--random and --latin take a number of at least 1".into());
        }
        if !mistakes.is_empty() {
            return Err(mistakes.join("\n"));
        }
        let mut points = Self { names, values, design, parts: Vec::new() };
        match points.count() {
            Some(n) if n <= MOST => {}
            _ => return Err(format!("--vary: more than {MOST} points; take fewer values")),
        }
        if let Design::Latin { n, seed } = design {
            points.parts =
                (0..points.names.len()).map(|k| shuffled(n, hash(&[seed, k as u64]))).collect();
        }
        Ok(points)
    }

    /// Names of the parameters.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the values lie along one line, one after the other.
    pub(crate) fn is_a_line(&self) -> bool {
        self.names.len() == 1 && self.design == Design::Grid
    }

    fn count(&self) -> Option<usize> {
        match self.design {
            Design::Random { n, .. } | Design::Latin { n, .. } => Some(n),
            Design::Grid => self.values.iter().try_fold(1usize, |n, values| match values {
                Values::List(list) => n.checked_mul(list.len()),
                Values::Range(..) => None,
            }),
        }
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.count().unwrap_or(0)
    }

    /// The values of the parameters at a point.
    pub(crate) fn at(&self, point: usize) -> Vec<f64> {
        let mut left = point;
        let mut out = vec![0.0; self.values.len()];
        for k in (0..out.len()).rev() {
            let share = match self.design {
                Design::Grid => 0.0,
                Design::Random { seed, .. } => unit(hash(&[seed, k as u64, point as u64])),
                Design::Latin { n, seed } => {
                    let within = unit(hash(&[seed, k as u64, point as u64]));
                    (f64::from(self.parts[k][point]) + within) / n as f64
                }
            };
            out[k] = match &self.values[k] {
                Values::List(list) if self.design == Design::Grid => {
                    let place = left % list.len();
                    left /= list.len();
                    list[place]
                }
                Values::List(list) => list[((share * list.len() as f64) as usize).min(list.len() - 1)],
                Values::Range(a, b) => a + share * (b - a),
            };
        }
        out
    }
}

/// Values as they were written.
fn parse(text: &str, design: Design) -> Result<Values, String> {
    let number = |text: &str| match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("`{}` is no finite number", text.trim())),
    };
    let parts: Vec<&str> = text.split(':').collect();
    let is_grid = design == Design::Grid;
    match parts[..] {
        [list] => Ok(Values::List(list.split(',').map(number).collect::<Result<_, _>>()?)),
        [a, b] if !is_grid => Ok(Values::Range(number(a)?, number(b)?)),
        [_, _] => Err("a grid needs a number of values: write FROM:TO:COUNT".into()),
        [_, _, _] | [_, _, _, _] if !is_grid => Err("with --random or --latin write FROM:TO".into()),
        [a, b, n] => spread(number(a)?, number(b)?, n, false),
        [a, b, n, "log"] => spread(number(a)?, number(b)?, n, true),
        _ => Err("write FROM:TO:COUNT, FROM:TO:COUNT:log or VALUE,VALUE,…".into()),
    }
}

/// `n` values from a to b, in equal differences or ratios; both ends to the bit.
fn spread(a: f64, b: f64, n: &str, is_log: bool) -> Result<Values, String> {
    let n: usize = n.trim().parse().map_err(|_| format!("`{}` is no number of values", n.trim()))?;
    if !(2..=MOST).contains(&n) {
        return Err(format!("the number of values must be from 2 to {MOST}"));
    }
    if is_log && !(a > 0.0 && b > 0.0) {
        return Err("values in equal ratios must be positive".into());
    }
    let last = n - 1;
    let between = |k: usize| {
        let share = k as f64 / last as f64;
        if is_log { a * (b / a).powf(share) } else { a + share * (b - a) }
    };
    let value = |k: usize| {
        if k == 0 {
            a
        } else if k == last {
            b
        } else {
            between(k)
        }
    };
    Ok(Values::List((0..n).map(value).collect()))
}

/// One step of splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A random number that belongs to these words.
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0, |state, word| next(&mut (state ^ word)))
}

/// Between 0 and 1, without 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// 0 … n − 1 in random order (Fisher–Yates).
fn shuffled(n: usize, mut state: u64) -> Vec<u32> {
    let mut out: Vec<u32> = (0..n as u32).collect();
    for k in (1..n).rev() {
        out.swap(k, (next(&mut state) % (k as u64 + 1)) as usize);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(vary: &[&str], design: Design) -> Result<Points, String> {
        let split = |text: &&str| text.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
        Points::new(&vary.iter().filter_map(split).collect::<Vec<_>>(), design)
    }

    #[test]
    fn a_grid_has_each_with_each() {
        let grid = points(&["a=0:1:3", "b=5,7"], Design::Grid).unwrap();
        let all: Vec<Vec<f64>> = (0..grid.len()).map(|k| grid.at(k)).collect();
        let expected =
            [[0.0, 5.0], [0.0, 7.0], [0.5, 5.0], [0.5, 7.0], [1.0, 5.0], [1.0, 7.0]].map(Vec::from);
        assert_eq!(all, expected);
        let ratios = points(&["a=1:100:3:log"], Design::Grid).unwrap();
        assert!((ratios.at(1)[0] - 10.0).abs() < 1e-12 && ratios.at(2)[0] == 100.0);
    }

    #[test]
    fn a_latin_hypercube_has_one_point_in_each_part_of_each_range() {
        let n = 1000;
        let latin = points(&["a=2:4", "b=-1:1"], Design::Latin { n, seed: 3 }).unwrap();
        for (k, (low, high)) in [(2.0, 4.0), (-1.0, 1.0)].into_iter().enumerate() {
            let mut parts: Vec<usize> = (0..n)
                .map(|point| ((latin.at(point)[k] - low) / (high - low) * n as f64) as usize)
                .collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..n).collect::<Vec<_>>());
        }
        // The two ranges are not in one order: the correlation of n independent pairs is 1/√n.
        let mean: f64 = (0..n).map(|p| (latin.at(p)[0] - 3.0) * latin.at(p)[1]).sum::<f64>() / n as f64;
        assert!((3.0 * mean).abs() < 4.0 / (n as f64).sqrt(), "correlation {}", 3.0 * mean);
    }

    #[test]
    fn points_at_random_fill_their_range_and_depend_on_the_seed() {
        let design = |seed| Design::Random { n: 20_000, seed };
        let (one, two) =
            (points(&["a=0:1"], design(1)).unwrap(), points(&["a=0:1"], design(2)).unwrap());
        let mean: f64 = (0..20_000).map(|k| one.at(k)[0]).sum::<f64>() / 20_000.0;
        assert!((mean - 0.5).abs() < 4.0 * (1.0f64 / 12.0 / 20_000.0).sqrt(), "{mean}");
        assert_ne!(one.at(7), two.at(7));
        assert_eq!(one.at(7), points(&["a=0:1"], design(1)).unwrap().at(7));
    }

    #[test]
    fn mistakes_are_told_all_at_once() {
        let wrong = points(&["a=0:1", "a=x", "b=1:2:1", "c=-1:1:3:log"], Design::Grid).unwrap_err();
        for part in
            ["FROM:TO:COUNT", "given twice", "`x` is no finite number", "from 2 to", "must be positive"]
        {
            assert!(wrong.contains(part), "{part} is not in {wrong}");
        }
        assert!(
            points(&["a=0:1:5"], Design::Latin { n: 5, seed: 0 }).unwrap_err().contains("write FROM:TO")
        );
        assert!(
            points(&["a=0:1:99999", "b=0:1:99999"], Design::Grid).unwrap_err().contains("more than")
        );
    }
}
