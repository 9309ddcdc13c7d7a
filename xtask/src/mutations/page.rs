//! The page of mutations: a heading, a region for each part between two marks. A run of one part leaves the others alone.

const HEAD: &str = "# One wrong sign at a time\n\n\
    Written by `cargo xtask mutations`. What the tests compare with is made wrong in one place, and what compares must notice it. Mistakes in\n\
    the code itself are on [mutants.md](mutants.md).\n";

/// The page with a new text in the region of one part. `all` are the parts in order, by name and title.
pub(super) fn with_region(
    old: &str,
    all: &[(&str, &str)],
    (name, _): (&str, &str),
    text: &str,
) -> String {
    let mut page = HEAD.to_owned();
    for (part, title) in all {
        let body = if *part == name { text.trim_end().to_owned() } else { region(old, part) };
        page += &format!("\n## {title}\n\n{}\n\n{body}\n\n{}\n", begin(part), end(part));
    }
    page
}

fn begin(part: &str) -> String {
    format!("<!-- mutations {part}: begin -->")
}

fn end(part: &str) -> String {
    format!("<!-- mutations {part}: end -->")
}

/// The text of a part on a page.
fn region(page: &str, part: &str) -> String {
    let inner = page.split_once(&begin(part)).and_then(|(_, rest)| rest.split_once(&end(part)));
    inner.map_or("Not run yet.".to_owned(), |(text, _)| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced_and_the_others_stay() {
        let all = [("a", "First"), ("b", "Second")];
        let page = with_region("", &all, all[0], "one\n");
        assert!(page.contains("one") && page.contains("Not run yet."), "{page}");
        let page = with_region(&page, &all, all[1], "two\n");
        let page = with_region(&page, &all, all[0], "three\n");
        assert!(page.contains("three") && page.contains("two") && !page.contains("one\n"), "{page}");
        assert_eq!(with_region(&page, &all, all[0], "three\n"), page);
    }
}
