//! `cargo xtask bench motion`: cases with exact answers, in our two schemes for bodies and in other engines; writes `docs/motion.md`.
//!
//! `benches/motion.py` runs the cases of one engine and prints `case,quantity,setting,value,exact`. Every number and every judgement of the
//! page comes from these tables, which stay in the build folder under `motion/`: error = |value − exact|, and errors below [`ROUNDING`] count as equal.

use super::csv::Csv;
use crate::Workspace;
use crate::command::{cargo, show};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = "benches/motion.py";
/// Errors below this are rounding: none is better than another.
const ROUNDING: f64 = 1e-9;
const OURS: &str = "nonsmooth";
const SCHEME: &str = "kick-drift";

/// Marks of the rows in the README.
const BEGIN: &str = "<!-- bench motion: begin -->";
const END: &str = "<!-- bench motion: end -->";

/// Name, word of the script, package of pip, module.
const PEERS: [(&str, &str, &str, &str); 4] = [
    ("MuJoCo", "mujoco", "mujoco", "mujoco"),
    ("Drake", "drake", "drake", "pydrake"),
    ("DART", "dart", "dartpy", "dartpy"),
    ("Exudyn", "exudyn", "exudyn", "exudyn"),
];

/// Engines that are not on the page, and why.
const LEFT_OUT: [(&str, &str); 2] = [
    ("Newton (Kamino)", "the cases have not been written for it"),
    (
        "Rapier",
        "the cases have not been written for it; [referee.md](referee.md) has it on other problems",
    ),
];

/// A measured number: case, name in the tables, head of its column, whether the README shows it.
struct Quantity {
    case: &'static str,
    name: &'static str,
    head: &'static str,
    is_telling: bool,
}

const fn shown(case: &'static str, name: &'static str, head: &'static str) -> Quantity {
    Quantity { case, name, head, is_telling: true }
}

const fn listed(case: &'static str, name: &'static str, head: &'static str) -> Quantity {
    Quantity { case, name, head, is_telling: false }
}

const QUANTITIES: [Quantity; 15] = [
    shown("chain", "energy", "largest change of energy"),
    listed("chain", "energy_end", "change at the end"),
    listed("chain", "gap", "gap of a joint [m]"),
    shown("top", "tilt", "tilt farthest from the start [rad]"),
    listed("slider", "sideways", "sideways [m]"),
    listed("slider", "velocity", "velocity [m/s]"),
    shown("torque", "momentum", "error of L [N·m·s]"),
    shown("tiles", "way", "way [m]"),
    listed("tiles", "rise", "rise [m]"),
    shown("bullet", "after", "velocity after [m/s]"),
    shown("rebound", "height", "height [m]"),
    listed("rebound", "depth", "depth at rest [m]"),
    listed("rocking", "ratio", "ratio"),
    listed("stack", "creep", "creep [m]"),
    listed("stack", "overlap", "overlap [m]"),
];

/// Case and title.
const TITLES: [(&str, &str); 9] = [
    ("chain", "Chain of ten links"),
    ("top", "Heavy top on its tip"),
    ("slider", "Ball that slides and spins about the vertical"),
    ("torque", "Free body under a constant torque"),
    ("tiles", "Cube over flush tiles"),
    ("bullet", "Bullet against a wall"),
    ("rebound", "Rebound"),
    ("rocking", "Rocking block"),
    ("stack", "Stack of ten at rest"),
];

const INTRODUCTION: &str = "\
# How bodies move, in several engines

`cargo xtask bench motion` runs these cases, each with an exact answer, in our two schemes for bodies and in every engine that can be installed, and
writes this page, its judgements included. All engines are built from the same numbers (`benches/motion/cases.py`), run with the same step, and are measured by
the same functions. Every engine runs with its defaults and with the settings below that its documentation offers for accuracy. Stiffness of contacts was
chosen knowing the answers, for the benefit of the other engines; ours has no settings here but the scheme.
";

/// The tables of one engine.
struct Engine {
    name: String,
    table: Csv,
}

/// An engine that is not on the page, and why.
struct Missing {
    name: String,
    why: String,
}

/// One engine in one setting, in one case.
struct Line<'a> {
    engine: &'a str,
    setting: &'a str,
    table: &'a Csv,
}

/// Runs the bench: all engines, or with the word `ours` ours beside what the others gave last time.
pub(super) fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    let is_ours_alone = match words {
        [] => false,
        ["ours"] => true,
        _ => return Err("bench motion takes no argument but `ours`".into()),
    };
    let mut engines = vec![ours(workspace)?];
    let mut missing = Vec::new();
    for (name, word, package, module) in PEERS {
        let path = workspace.target().join(format!("motion/{word}.csv"));
        if !is_ours_alone {
            let folder = workspace.target().join("venv-motion");
            match super::referee::python(&folder, package, module) {
                Ok(python) => stored(Command::new(python).arg(SCRIPT).arg(word), workspace, &path)?,
                Err(wrong) => {
                    let why = format!("it could not be installed: {wrong}");
                    missing.push(Missing { name: name.into(), why });
                    continue;
                }
            }
        }
        let table = Csv::read(&path)?;
        engines.push(Engine { name: format!("{name} {}", text_of(&table, "", "version")), table });
    }
    let text = page(&engines, &missing);
    println!("{text}");
    let write = |name: &str, text: &str| {
        let path = workspace.root.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("docs/motion.md", &text)?;
    let path = workspace.root.join("README.md");
    let readme =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    write("README.md", &replaced(&readme, &telling(&engines))?)?;
    println!("written: docs/motion.md, README.md");
    Ok(())
}

/// Our table, by the release command.
fn ours(workspace: &Workspace) -> Result<Engine, String> {
    show(&mut cargo(&workspace.root, &["build", "--release", "--package", "nonsmooth-cli"]))?;
    let folder = workspace.target().join("motion");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new("python3");
    command.arg(SCRIPT).arg("ours");
    command
        .env("NONSMOOTH", workspace.target().join("release/nonsmooth"))
        .env("NONSMOOTH_RESULTS", &folder);
    let path = folder.join("ours.csv");
    stored(&mut command, workspace, &path)?;
    Ok(Engine { name: OURS.into(), table: Csv::read(&path)? })
}

/// Runs the script and stores what it prints.
fn stored(command: &mut Command, workspace: &Workspace, path: &Path) -> Result<(), String> {
    let out = command.current_dir(&workspace.root).output().map_err(|error| error.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    std::fs::write(path, out.stdout).map_err(|error| format!("{}: {error}", path.display()))
}

/// The text of a row without a setting.
fn text_of<'a>(table: &'a Csv, case: &str, quantity: &str) -> &'a str {
    let row = table.rows().find(|row| row.text("case") == case && row.text("quantity") == quantity);
    row.map_or("", |row| row.text("value"))
}

impl Line<'_> {
    /// A cell of this line in a case.
    fn cell(&self, case: &str, quantity: &str, column: &str) -> Option<&str> {
        let is_it = |row: &super::csv::Row<'_>| {
            row.text("case") == case
                && row.text("setting") == self.setting
                && row.text("quantity") == quantity
        };
        self.table.rows().find(is_it).map(|row| row.text(column))
    }

    fn number(&self, case: &str, quantity: &str) -> Option<f64> {
        self.cell(case, quantity, "value")?.parse().ok()
    }

    /// |value − exact|; what is no number is infinitely wrong.
    fn error(&self, quantity: &Quantity) -> Option<f64> {
        let exact: f64 = self.cell(quantity.case, quantity.name, "exact")?.parse().ok()?;
        let error = (self.number(quantity.case, quantity.name)? - exact).abs();
        Some(if error.is_nan() { f64::INFINITY } else { error })
    }

    fn is_scheme(&self) -> bool {
        self.engine == OURS && self.setting == SCHEME
    }
}

/// All lines of a case, in the order in which they were measured.
fn lines<'a>(engines: &'a [Engine], case: &str) -> Vec<Line<'a>> {
    let mut found: Vec<Line<'a>> = Vec::new();
    for Engine { name, table } in engines {
        for row in table.rows().filter(|row| row.text("case") == case && !row.text("setting").is_empty())
        {
            let setting = row.text("setting");
            if !found.iter().any(|line| line.engine == name && line.setting == setting) {
                found.push(Line { engine: name, setting, table });
            }
        }
    }
    found
}

fn page(engines: &[Engine], missing: &[Missing]) -> String {
    let mut text = format!("{INTRODUCTION}\n## Settings\n\n");
    for engine in engines {
        let _ = writeln!(text, "- **{}**: {}", engine.name, text_of(&engine.table, "", "settings"));
    }
    let left_out = LEFT_OUT.iter().map(|(name, why)| (*name, *why));
    let missing = missing.iter().map(|one| (one.name.as_str(), one.why.as_str()));
    for (name, why) in left_out.chain(missing) {
        let _ = writeln!(text, "- **{name}** is left out: {why}.");
    }
    text += "\nCPU time per step is that of the engine alone, in one thread, the least of several runs; runs shorter than 2000 steps go on to 2000 for it.\n";
    let _ = write!(text, "\n## Where others are better than `{SCHEME}`\n\n{}", better(engines));
    for (case, title) in TITLES {
        let _ = write!(text, "\n## {title}\n\n{}\n\n", text_of(&engines[0].table, case, "about"));
        text += &table_of(&lines(engines, case), case);
    }
    text
}

/// The table of a case, and under it what stopped and how the scheme stands.
fn table_of(lines: &[Line<'_>], case: &str) -> String {
    let columns: Vec<&Quantity> = QUANTITIES.iter().filter(|quantity| quantity.case == case).collect();
    let heads: Vec<&str> = columns.iter().map(|quantity| quantity.head).collect();
    let mut text = format!("| engine | setting | {} | µs per step |\n", heads.join(" | "));
    let _ = writeln!(text, "| :--- | :--- |{}", " ---: |".repeat(columns.len() + 1));
    let exact = |quantity: &Quantity| {
        let cell = lines.iter().find_map(|line| line.cell(case, quantity.name, "exact"));
        number(cell.and_then(|cell| cell.parse().ok()))
    };
    let _ = writeln!(
        text,
        "| exact | | {} | |",
        columns.iter().map(|quantity| exact(quantity)).collect::<Vec<_>>().join(" | ")
    );
    let mut stopped = String::new();
    for line in lines {
        let _ = write!(text, "| {} | {} |", line.engine, line.setting);
        for quantity in &columns {
            let _ = write!(text, " {} |", number(line.number(case, quantity.name)));
        }
        let micros =
            line.number(case, "cpu").map_or("–".into(), |seconds| format!("{:.1}", 1e6 * seconds));
        let _ = writeln!(text, " {micros} |");
        if let Some(why) = line.cell(case, "failed", "value") {
            let _ = writeln!(stopped, "{}, {}, stopped: {why}.", line.engine, line.setting);
        }
    }
    let judged: Vec<String> = columns.iter().filter_map(|quantity| judged(lines, quantity)).collect();
    format!("{text}\n{stopped}{}\n", judged.join(" "))
}

/// How the scheme stands in one quantity.
fn judged(lines: &[Line<'_>], quantity: &Quantity) -> Option<String> {
    let ours = lines.iter().find(|line| line.is_scheme()).and_then(|line| line.error(quantity));
    let Some(ours) = ours else {
        return Some(format!("*{}*: `{SCHEME}` gave no number.", quantity.head));
    };
    let others = lines.iter().filter(|line| line.engine != OURS);
    let (line, error) = others
        .filter_map(|line| Some((line, line.error(quantity)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (engine, setting) = (line.engine, line.setting);
    Some(match (ours < ROUNDING, error < ROUNDING) {
        (true, true) => {
            format!("*{}*: `{SCHEME}` is exact to rounding, {engine} ({setting}) too.", quantity.head)
        }
        (true, false) => format!(
            "*{}*: `{SCHEME}` is exact to rounding; the best of the others, {engine} ({setting}), is off by {}.",
            quantity.head,
            power(error)
        ),
        _ if error < ours => format!(
            "*{}*: {engine} ({setting}) is closer than `{SCHEME}`: off by {}, not {}.",
            quantity.head,
            power(error),
            power(ours)
        ),
        _ => format!(
            "*{}*: `{SCHEME}` is off by {}, the best of the others, {engine} ({setting}), by {}.",
            quantity.head,
            power(ours),
            power(error)
        ),
    })
}

/// The lines of other engines that beat the scheme, in accuracy beyond rounding or in time, one item per case.
fn better(engines: &[Engine]) -> String {
    let mut text = String::new();
    for (case, title) in TITLES {
        let lines = lines(engines, case);
        let Some(ours) = lines.iter().find(|line| line.is_scheme()) else { continue };
        let mut parts = Vec::new();
        for quantity in QUANTITIES.iter().filter(|quantity| quantity.case == case) {
            let own = ours.error(quantity).unwrap_or(f64::INFINITY);
            let closer = lines.iter().filter(|line| line.engine != OURS);
            let closer: Vec<String> = closer
                .filter(|line| line.error(quantity).is_some_and(|error| error < own && own >= ROUNDING))
                .map(|line| format!("{} ({})", line.engine, line.setting))
                .collect();
            if !closer.is_empty() {
                parts.push(format!("closer in *{}*: {}", quantity.head, closer.join(", ")));
            }
        }
        if let Some(faster) = faster(&lines, ours, case) {
            parts.push(faster);
        }
        if !parts.is_empty() {
            let _ = writeln!(text, "- {title}: {}.", parts.join("; "));
        }
    }
    if text.is_empty() { "Nowhere.\n".into() } else { text }
}

/// How many lines of other engines take less time per step, and the fastest.
fn faster(lines: &[Line<'_>], ours: &Line<'_>, case: &str) -> Option<String> {
    let own = ours.number(case, "cpu")?;
    let times = lines.iter().filter(|line| line.engine != OURS);
    let times: Vec<(&Line<'_>, f64)> =
        times.filter_map(|line| Some((line, line.number(case, "cpu")?))).collect();
    let n = times.iter().filter(|(_, seconds)| *seconds < own).count();
    let (line, seconds) = times.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    (n > 0).then(|| {
        format!(
            "faster {n} of {} settings, the fastest {} ({}) {:.1} times",
            times.len(),
            line.engine,
            line.setting,
            own / seconds
        )
    })
}

/// The rows of the README: exact, our two schemes, of every other engine the setting that comes closest.
fn telling(engines: &[Engine]) -> String {
    let mut text = String::from("| case | exact | `moreau-jean` | `kick-drift` |");
    for engine in &engines[1..] {
        let _ = write!(text, " {}, best |", engine.name);
    }
    let _ = write!(text, "\n| :--- | ---: | ---: | ---: |{}\n", " ---: |".repeat(engines.len() - 1));
    for quantity in QUANTITIES.iter().filter(|quantity| quantity.is_telling) {
        let lines = lines(engines, quantity.case);
        let title =
            TITLES.iter().find(|(case, _)| *case == quantity.case).map_or("", |(_, title)| title);
        let exact =
            lines.iter().find_map(|line| line.cell(quantity.case, quantity.name, "exact")?.parse().ok());
        let _ = write!(text, "| {title}: {} | {} |", quantity.head, number(exact));
        for scheme in ["moreau-jean", SCHEME] {
            let line = lines.iter().find(|line| line.engine == OURS && line.setting == scheme);
            let value = line.and_then(|line| line.number(quantity.case, quantity.name));
            let _ = write!(text, " {} |", number(value));
        }
        for engine in &engines[1..] {
            let own = lines.iter().filter(|line| line.engine == engine.name);
            let best = own
                .filter_map(|line| Some((line, line.error(quantity)?)))
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .and_then(|(line, _)| line.number(quantity.case, quantity.name));
            let _ = write!(text, " {} |", number(best));
        }
        text.push('\n');
    }
    text
}

/// The README with the rows between its two marks replaced.
fn replaced(readme: &str, rows: &str) -> Result<String, String> {
    let wrong = || format!("README.md has no `{BEGIN}` … `{END}`");
    let (before, rest) = readme.split_once(BEGIN).ok_or_else(wrong)?;
    let (_, after) = rest.split_once(END).ok_or_else(wrong)?;
    Ok(format!("{before}{BEGIN}\n\n{rows}\n{END}{after}"))
}

/// A number of a table: four places, or a power of ten where these would be zeros.
fn number(value: Option<f64>) -> String {
    match value {
        None => "–".into(),
        Some(x) if !x.is_finite() => "no number".into(),
        Some(0.0) => "0".into(),
        Some(x) if x.abs() < 0.01 => power(x),
        Some(x) => format!("{x:.4}"),
    }
}

fn power(x: f64) -> String {
    format!("{x:.0e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines() -> Vec<Engine> {
        let ours = "case,quantity,setting,value,exact\n,version,,,\n,settings,,two schemes,\nbullet,about,,A ball.,\n\
                    bullet,after,moreau-jean,50,-25\nbullet,cpu,moreau-jean,1e-6,\nbullet,after,kick-drift,-25,-25\nbullet,cpu,kick-drift,2e-6,\n\
                    chain,energy,kick-drift,4e-4,0\nchain,cpu,kick-drift,4e-6,\n";
        let theirs = "case,quantity,setting,value,exact\n,settings,,as installed,\nbullet,after,default,50,-25\nbullet,after,best,-24,-25\n\
                      bullet,cpu,default,3e-6,\nchain,energy,RK4,2e-6,0\nchain,cpu,RK4,1e-6,\nchain,failed,radius 1,it stopped,\n";
        let engine = |name: &str, text| Engine { name: name.into(), table: Csv::parse(text).unwrap() };
        vec![engine(OURS, ours), engine("X 4", theirs)]
    }

    #[test]
    fn the_page_says_who_is_better() {
        let page = page(&engines(), &[Missing { name: "Y".into(), why: "no wheel".into() }]);
        for part in [
            "| exact | | -25.0000 | |",
            "| nonsmooth | moreau-jean | 50.0000 | 1.0 |",
            "`kick-drift` is exact to rounding; the best of the others, X 4 (best), is off by 1e0.",
            "X 4 (RK4) is closer than `kick-drift`: off by 2e-6, not 4e-4.",
            "- Chain of ten links: closer in *largest change of energy*: X 4 (RK4); faster 1 of 1 settings, the fastest X 4 (RK4) 4.0 times.",
            "X 4, radius 1, stopped: it stopped.",
            "- **Y** is left out: no wheel.",
        ] {
            assert!(page.contains(part), "`{part}` is not in\n{page}");
        }
        assert!(!page.contains("- Bullet against a wall:"), "nobody is better there:\n{page}");
    }

    #[test]
    fn the_readme_shows_the_best_of_each_engine() {
        let rows = telling(&engines());
        let row =
            "| Bullet against a wall: velocity after [m/s] | -25.0000 | 50.0000 | -25.0000 | -24.0000 |";
        assert!(rows.contains(row), "{rows}");
        let readme = "a\n<!-- bench motion: begin -->\nold\n<!-- bench motion: end -->\nb\n";
        let made = replaced(readme, "new\n").unwrap();
        assert_eq!(made, "a\n<!-- bench motion: begin -->\n\nnew\n\n<!-- bench motion: end -->\nb\n");
        assert!(replaced("no marks", "new").is_err());
    }

    #[test]
    fn the_rows_of_the_readme_are_those_of_the_page() {
        let root = Workspace::find().root;
        let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        let (readme, page) = (read("README.md"), read("docs/motion.md"));
        let rows = readme.split_once(BEGIN).unwrap().1.split_once(END).unwrap().0;
        let rows: Vec<&str> = rows.lines().filter(|line| line.starts_with('|')).skip(2).collect();
        assert_eq!(rows.len(), QUANTITIES.iter().filter(|quantity| quantity.is_telling).count());
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let title = cells[0].split_once(": ").unwrap().0;
            let case = page.split_once(&format!("## {title}\n")).unwrap().1;
            let case = case.split_once("\n## ").map_or(case, |(case, _)| case);
            for cell in cells[1..].iter().filter(|cell| **cell != "–") {
                assert!(case.contains(&format!(" {cell} |")), "`{cell}` of `{row}` is not in\n{case}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_infinitely_wrong() {
        let table = Csv::parse("case,quantity,setting,value,exact\ntop,tilt,a,nan,0.4\n").unwrap();
        let line = Line { engine: "X", setting: "a", table: &table };
        let tilt = QUANTITIES.iter().find(|quantity| quantity.name == "tilt").unwrap();
        assert_eq!(line.error(tilt), Some(f64::INFINITY));
        assert_eq!(number(line.number("top", "tilt")), "no number");
    }
}
