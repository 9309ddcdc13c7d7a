//! The page: `README.md` and `index.html` in one folder, with the figures as PNG beside them.

use super::mistake::Mistake;
use super::paper::{Line, Paper, Section};
use super::proof::OTHERS;
use anyhow::Context as _;
use nonsmooth_draw::plot::draw;
use std::fmt::Write as _;
use std::path::Path;

/// What was made of the papers.
type Made = (&'static Paper, Vec<Section>);

const TITLE: &str = "The papers, made again";
const LEAD: &str = "Written by `nonsmooth reproduce`. What the papers behind this project show is computed again and judged line by line: each line \
    compares a number measured here with what the paper says or implies, within a bound whose reason stands beside it.";

/// Writes page and figures into `folder`.
pub(super) fn write(folder: &Path, made: &[Made]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, figure, _) in made.iter().flat_map(|(_, s)| s).flat_map(|section| &section.figures) {
        let drawing = draw(figure).with_context(|| format!("figure {name}"))?;
        save(&folder.join(format!("{name}.png")), &drawing.png)?;
    }
    save(&folder.join("README.md"), markdown(made).as_bytes())?;
    save(&folder.join("index.html"), html(made).as_bytes())
}

fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn verdict(line: &Line) -> &'static str {
    if line.passed { "pass" } else { "FAIL" }
}

/// What was found about a line's ability to fail; what its author says where that was not tried.
fn proof(line: &Line) -> String {
    match &line.proof {
        Some(proof) => format!("; {}", proof.told()),
        None if line.is_arithmetic => "; arithmetic, not counted".to_owned(),
        None => String::new(),
    }
}

/// What `--prove` adds to the page; nothing where no line was tried.
fn proof_text(made: &[Made]) -> String {
    let lines = || made.iter().flat_map(|(_, sections)| sections).flat_map(|section| &section.lines);
    if lines().all(|line| line.proof.is_none()) {
        return String::new();
    }
    let (all, arithmetic) = (lines().count(), lines().filter(|line| line.is_arithmetic).count());
    let weak = lines().filter(|line| line.proof.as_ref().is_some_and(|proof| !proof.is_good())).count();
    let mistakes = Mistake::ALL.map(|mistake| format!("`{}` ({})", mistake.name(), mistake.what()));
    format!(
        "Whether each line can fail was tried: `nonsmooth reproduce --prove` makes every scheme of a section wrong in turn, {}, or puts \
         another scheme in its place (`{}`). The last column says with which of these a line fails, for every scheme that changes its \
         number. Of {all} lines {arithmetic} use no scheme: they are marked as arithmetic and not counted. {} of the others fall \
         by their number with every scheme they depend on, {weak} do not.",
        mistakes.join(", "),
        OTHERS.join("`, `"),
        all - arithmetic - weak,
    )
}

/// Passed and all lines.
fn score(sections: &[Section]) -> (usize, usize) {
    let lines = || sections.iter().flat_map(|section| &section.lines).filter(|line| !line.is_arithmetic);
    (lines().filter(|line| line.passed).count(), lines().count())
}

fn markdown(made: &[Made]) -> String {
    let mut text = format!("# {TITLE}\n\n{LEAD}\n\n");
    let proved = proof_text(made);
    if !proved.is_empty() {
        let _ = write!(text, "{proved}\n\n");
    }
    text.push_str("| paper | lines that pass |\n|---|---|\n");
    for (paper, sections) in made {
        let (passed, all) = score(sections);
        let _ =
            writeln!(text, "| [{}](#{}) {} | {passed} of {all} |", paper.key, paper.key, paper.title);
    }
    for (paper, sections) in made {
        let _ = write!(text, "\n## {}\n\n{}. {}\n", paper.key, paper.title, paper.about);
        sections.iter().for_each(|section| markdown_section(section, &mut text));
    }
    text
}

fn markdown_section(section: &Section, text: &mut String) {
    let _ = write!(text, "\n### {}\n\n{}\n", section.title, section.text);
    let cell = |x: &str| x.replace('|', "\\|");
    if let [head, rows @ ..] = &section.table[..] {
        let line = |row: &[String]| {
            let cells: Vec<String> = row.iter().map(|x| cell(x)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let _ = write!(text, "\n{}|{}\n", line(head), "---|".repeat(head.len()));
        rows.iter().for_each(|row| text.push_str(&line(row)));
    }
    for (name, _, caption) in &section.figures {
        let _ = write!(text, "\n![{caption}]({name}.png)\n\n*{caption}*\n");
    }
    if !section.lines.is_empty() {
        text.push_str("\n| place | statement | measured | expected | why this bound | |\n|---|---|---|---|---|---|\n");
    }
    for line in &section.lines {
        let Line { place, what, measured, expected, tolerance, reason, .. } = line;
        let (what, reason) = (cell(what), cell(reason));
        let _ = writeln!(
            text,
            "| {place} | {what} | {measured} | {expected}{tolerance} | {reason} | {}{} |",
            verdict(line),
            proof(line)
        );
    }
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
    h1,h2,h3{line-height:1.2}h2{border-top:1px solid #ccc;padding-top:1.5rem;margin-top:3rem}img{max-width:100%}\
    figure{margin:1.5rem 0}figcaption{color:#555;font-size:.9rem}table{border-collapse:collapse;margin:1rem 0;font-size:.9rem}\
    td,th{border:1px solid #ddd;padding:.3rem .6rem;text-align:left;vertical-align:top}th{background:#f5f5f5}\
    .pass{color:#17692b;font-weight:600}.FAIL{color:#b00020;font-weight:700}code{background:#f3f3f3;padding:0 .2em}";

fn html(made: &[Made]) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{TITLE}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\n\
         <h1>{TITLE}</h1>\n<p>{}</p>\n<p>{}</p>\n<table><tr><th>paper</th><th>lines that pass</th></tr>\n",
        inline(LEAD),
        inline(&proof_text(made))
    );
    for (paper, sections) in made {
        let ((passed, all), title) = (score(sections), inline(paper.title));
        let _ = writeln!(
            text,
            "<tr><td><a href=\"#{0}\">{0}</a> {title}</td><td>{passed} of {all}</td></tr>",
            paper.key
        );
    }
    text.push_str("</table>\n");
    for (paper, sections) in made {
        let (title, about) = (inline(paper.title), inline(paper.about));
        let _ = writeln!(text, "<h2 id=\"{0}\">{0}</h2>\n<p>{title}. {about}</p>", paper.key);
        sections.iter().for_each(|section| html_section(section, &mut text));
    }
    text.push_str("</body></html>\n");
    text
}

fn html_section(section: &Section, text: &mut String) {
    let _ = writeln!(text, "<h3>{}</h3>\n<p>{}</p>", inline(&section.title), inline(&section.text));
    html_table(&section.table, text);
    for (name, _, caption) in &section.figures {
        let caption = inline(caption);
        let _ = writeln!(
            text,
            "<figure><img src=\"{name}.png\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>"
        );
    }
    if section.lines.is_empty() {
        return;
    }
    text.push_str(
        "<table><tr><th>place</th><th>statement</th><th>measured</th><th>expected</th>\
         <th>why this bound</th><th></th></tr>\n",
    );
    for line in &section.lines {
        let Line { place, what, measured, expected, tolerance, reason, .. } = line;
        let verdict = verdict(line);
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td>{}</td><td>{measured}</td><td>{}{}</td><td>{}</td><td class=\"{verdict}\">{verdict}{}</td></tr>",
            inline(place),
            inline(what),
            inline(expected),
            inline(tolerance),
            inline(reason),
            inline(&proof(line))
        );
    }
    text.push_str("</table>\n");
}

fn html_table(table: &[Vec<String>], text: &mut String) {
    if table.is_empty() {
        return;
    }
    text.push_str("<table>\n");
    for (k, row) in table.iter().enumerate() {
        let tag = if k == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|x| format!("<{tag}>{}</{tag}>", inline(x))).collect();
        let _ = writeln!(text, "<tr>{cells}</tr>");
    }
    text.push_str("</table>\n");
}

/// Text with `code` and characters of HTML made safe.
fn inline(text: &str) -> String {
    let safe =
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let parts: Vec<&str> = safe.split('`').collect();
    let mut out = String::new();
    for (k, part) in parts.iter().enumerate() {
        if k % 2 == 1 && k + 1 < parts.len() {
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(if k % 2 == 1 { "`" } else { "" });
            out.push_str(part);
        }
    }
    out
}
