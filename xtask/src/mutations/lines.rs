//! Judged lines of the papers: what `nonsmooth reproduce --prove` wrote on the page.

use super::Found;
use crate::Workspace;

/// The page.
const PAGE: &str = "docs/reproduction/README.md";

pub(super) fn run(workspace: &Workspace) -> Result<Found, String> {
    let text = std::fs::read_to_string(workspace.root.join(PAGE))
        .map_err(|error| format!("{PAGE}: {error}"))?;
    let papers = count(&text);
    let mut found = Found {
        text: "Counted on [the page of the papers](reproduction/README.md), which `nonsmooth reproduce --prove --out docs/reproduction` wrote: every \
               scheme behind a line is made wrong in turn, and the page says which mistakes each line notices. Lines that use no scheme are \
               arithmetic and are not counted.\n\n| paper | lines that fall | arithmetic |\n|---|---|---|\n"
            .to_owned(),
        ..Found::default()
    };
    if papers.iter().all(|paper| paper.lines == 0) {
        return Err(format!("{PAGE} has no judged line"));
    }
    for Paper { key, lines, felled, arithmetic } in papers {
        found.text += &format!("| {key} | {felled} of {lines} | {arithmetic} |\n");
        if felled < lines {
            found.unnoticed.push(format!("{key}: {} of {lines} judged lines", lines - felled));
        }
    }
    Ok(found)
}

/// A paper on the page: its lines without arithmetic, those that fall, those of arithmetic.
#[derive(Debug, PartialEq, Eq)]
struct Paper {
    key: String,
    lines: usize,
    felled: usize,
    arithmetic: usize,
}

fn count(page: &str) -> Vec<Paper> {
    let mut papers: Vec<Paper> = Vec::new();
    for line in page.lines() {
        if let Some(key) = line.strip_prefix("## ") {
            papers.push(Paper { key: key.to_owned(), lines: 0, felled: 0, arithmetic: 0 });
        }
        let (Some(paper), true) = (papers.last_mut(), line.starts_with("| ")) else { continue };
        let verdict = line.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        if verdict.starts_with("pass; arithmetic") {
            paper.arithmetic += 1;
        } else if verdict.starts_with("pass") || verdict.starts_with("FAIL") {
            paper.lines += 1;
            paper.felled += usize::from(verdict.starts_with("pass; felled by "));
        }
    }
    papers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_paper() {
        let page = "## a-2000\n\n| p | w | 1 | 1 | r | pass; felled by x: sign |\n| p | w | 1 | 1 | r | pass; SURVIVES |\n\
                    | p | w | 1 | 1 | r | pass; arithmetic, not counted |\n| p | w | 1 | 2 | r | pass |\n";
        let paper = Paper { key: "a-2000".into(), lines: 3, felled: 1, arithmetic: 1 };
        assert_eq!(count(page), [paper]);
    }
}
