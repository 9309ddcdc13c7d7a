//! What a page is made of: papers, sections, judged lines, figures.

use super::proof::Proof;
use super::schemes::Schemes;
use nonsmooth_draw::plot::Figure;

/// Makes one section with the given schemes.
pub(super) type Make = fn(&Schemes) -> anyhow::Result<Section>;

/// A paper and how its results are made again.
pub(super) struct Paper {
    /// Name on the command line.
    pub(super) key: &'static str,
    /// Authors and title.
    pub(super) title: &'static str,
    /// What it is about and how it is read here, for the page.
    pub(super) about: &'static str,
    /// One function per section.
    pub(super) sections: &'static [Make],
}

/// A figure or table of a paper, with what is judged about it.
#[derive(Default)]
pub(super) struct Section {
    /// Heading.
    pub(super) title: String,
    /// What is shown, in a few sentences of Markdown.
    pub(super) text: String,
    /// What is judged.
    pub(super) lines: Vec<Line>,
    /// Name of the file, figure, caption.
    pub(super) figures: Vec<(String, Figure, String)>,
    /// A table as rows of cells, the first row is the head; empty if there is none.
    pub(super) table: Vec<Vec<String>>,
}

/// One judged statement.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Where in the paper.
    pub(super) place: &'static str,
    /// What was measured.
    pub(super) what: String,
    /// The number found here.
    pub(super) measured: String,
    /// What the paper says or implies.
    pub(super) expected: String,
    /// How far they may be apart; empty where `expected` is a bound.
    pub(super) tolerance: String,
    /// Why the tolerance or the bound has this size.
    pub(super) reason: &'static str,
    /// The verdict.
    pub(super) passed: bool,
    /// Whether its author says that it uses no scheme: it is not counted.
    pub(super) is_arithmetic: bool,
    /// Whether it can fail, where that was tried.
    pub(super) proof: Option<Proof>,
}

/// A tolerance or a bound, with the reason of its size.
pub(super) type Reasoned = (f64, &'static str);

impl Line {
    /// Marks a line that uses no scheme; a proof finds out if it does.
    pub(super) fn arithmetic(&mut self) {
        self.is_arithmetic = true;
    }
}

impl Section {
    /// A section without lines.
    pub(super) fn new(title: &str, text: &str) -> Self {
        Self { title: title.to_owned(), text: text.to_owned(), ..Self::default() }
    }

    /// Judges |measured − expected| ≤ tolerance.
    pub(super) fn close(
        &mut self,
        place: &'static str,
        what: &str,
        measured: f64,
        expected: f64,
        tolerance: Reasoned,
    ) -> &mut Line {
        self.all_close(place, what, &[measured], &[expected], tolerance)
    }

    /// Judges |measured − expected| ≤ tolerance for a list of numbers; with tolerance 0 to the last bit. In a list of several
    /// numbers what is smaller than the tolerance is shown as 0.
    pub(super) fn all_close(
        &mut self,
        place: &'static str,
        what: &str,
        measured: &[f64],
        expected: &[f64],
        (tolerance, reason): Reasoned,
    ) -> &mut Line {
        let is_list = expected.len() > 1;
        let show = |x: &f64| if is_list && x.abs() <= tolerance { number(0.0) } else { number(*x) };
        let list = |x: &[f64]| x.iter().map(show).collect::<Vec<_>>().join(", ");
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance;
        let within =
            if tolerance == 0.0 { " exactly".to_owned() } else { format!(" ± {}", number(tolerance)) };
        let passed = measured.len() == expected.len() && measured.iter().zip(expected).all(near);
        self.push(place, what, [list(measured), list(expected), within], (reason, passed))
    }

    /// Judges measured ≤ bound.
    pub(super) fn at_most(
        &mut self,
        place: &'static str,
        what: &str,
        measured: f64,
        (bound, reason): Reasoned,
    ) -> &mut Line {
        let numbers = [number(measured), format!("≤ {}", number(bound)), String::new()];
        self.push(place, what, numbers, (reason, measured <= bound))
    }

    /// Judges measured ≥ bound.
    pub(super) fn at_least(
        &mut self,
        place: &'static str,
        what: &str,
        measured: f64,
        (bound, reason): Reasoned,
    ) -> &mut Line {
        let numbers = [number(measured), format!("≥ {}", number(bound)), String::new()];
        self.push(place, what, numbers, (reason, measured >= bound))
    }

    fn push(
        &mut self,
        place: &'static str,
        what: &str,
        [measured, expected, tolerance]: [String; 3],
        (reason, passed): (&'static str, bool),
    ) -> &mut Line {
        let (what, is_arithmetic, proof) = (what.to_owned(), false, None);
        let line =
            Line { place, what, measured, expected, tolerance, reason, passed, is_arithmetic, proof };
        self.lines.push(line);
        self.lines.last_mut().expect("one was pushed")
    }

    /// Adds a figure.
    pub(super) fn figure(&mut self, name: &str, figure: Figure, caption: &str) {
        self.figures.push((name.to_owned(), figure, caption.to_owned()));
    }
}

/// A number in at most six digits.
pub(super) fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".to_owned() } else { x.to_string() };
    }
    let size = x.abs();
    if (1e-3..1e5).contains(&size) {
        let digits = if size >= 1.0 { 5 - (size.log10() as usize).min(5) } else { 6 };
        let text = format!("{x:.digits$}");
        return if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
    }
    let text = format!("{x:.3e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}
