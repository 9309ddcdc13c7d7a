//! The fenced blocks of a document.

/// What a block is, by its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A scene, after the text of a file if one is named, and the energy at the end of its run [J].
    Scene { before: Option<String>, ends: Option<String> },
    /// Commands that are run.
    Shell,
    /// Commands that are not run, and why.
    ShellListed(String),
    /// What the commands before it print.
    Output,
    /// A doctest.
    Rust,
    /// A file of a crate.
    RustFile(String),
    /// Shown alone: its language.
    Shown(&'static str),
    /// Nothing that is known.
    Unknown(String),
}

impl Kind {
    fn of(words: &str) -> Self {
        let mut parts = words.split_whitespace();
        if let Some(options) = words.strip_prefix("toml") {
            return Self::scene(options).unwrap_or_else(|| Kind::Unknown(words.to_owned()));
        }
        let kind = match (parts.next(), parts.next()) {
            (Some("sh"), None) => Kind::Shell,
            (Some("sh"), Some(why @ ("network" | "long"))) => Kind::ShellListed(why.to_owned()),
            (Some("rust"), None) => Kind::Rust,
            (Some("rust"), Some(option)) => match option.strip_prefix("file=") {
                Some(path) => Kind::RustFile(path.to_owned()),
                None => return Kind::Unknown(words.to_owned()),
            },
            (Some("json"), None) => Kind::Shown("json"),
            (Some("python"), None) => Kind::Shown("python"),
            (Some("text"), None) => Kind::Shown("text"),
            (Some("text"), Some("output")) => Kind::Output,
            _ => return Kind::Unknown(words.to_owned()),
        };
        if parts.next().is_some() { Kind::Unknown(words.to_owned()) } else { kind }
    }

    /// A scene with these options; `None` if one is not known.
    fn scene(options: &str) -> Option<Self> {
        let (mut before, mut ends) = (None, None);
        for option in options.split_whitespace() {
            match option.split_once('=')? {
                ("completed-by", path) => before = Some(path.to_owned()),
                ("ends", number) => ends = Some(number.to_owned()),
                _ => return None,
            }
        }
        (options.is_empty() || options.starts_with(' ')).then_some(Kind::Scene { before, ends })
    }

    /// The name under which it is counted.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Kind::Scene { before: None, .. } => "toml",
            Kind::Scene { before: Some(_), .. } => "toml completed",
            Kind::Shell => "sh",
            Kind::ShellListed(_) => "sh listed",
            Kind::Output => "text output",
            Kind::Rust => "rust",
            Kind::RustFile(_) => "rust file",
            Kind::Shown(name) => name,
            Kind::Unknown(_) => "unknown",
        }
    }
}

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The document, from the root.
    pub document: String,
    /// Line of the fence, counted from 1.
    pub line: usize,
    pub kind: Kind,
    pub text: String,
}

impl Block {
    /// Where it stands.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.document, self.line)
    }
}

/// Whether a line belongs to a list, which goes on indented.
fn is_item(line: &str) -> bool {
    let inner = line.trim_start();
    let number = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(' ')
        || inner.starts_with(['-', '*'])
        || (number.len() < inner.len() && number.starts_with('.'))
}

/// The blocks of a document; an indented one has no kind and is unknown. `Err` if the last is not closed. A fence of n backticks is closed by one of at least n.
pub(super) fn read(document: &str, text: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, usize, Block)> = None;
    let (mut last, mut is_after_blank) = ("", true);
    for (i, line) in text.lines().enumerate() {
        if open.is_none() && is_after_blank && line.starts_with("    ") && !is_item(last) {
            let kind = Kind::Unknown("(indented)".to_owned());
            blocks.push(Block { document: document.to_owned(), line: i + 1, kind, text: String::new() });
        }
        is_after_blank = line.trim().is_empty();
        last = if is_after_blank { last } else { line };
        let inner = line.trim_start();
        let ticks = inner.len() - inner.trim_start_matches('`').len();
        open = match open.take() {
            Some((least, _, block)) if ticks >= least && inner.trim_end().len() == ticks => {
                blocks.push(block);
                None
            }
            Some((least, indent, mut block)) => {
                block.text += line.get(indent..).unwrap_or(inner);
                block.text.push('\n');
                Some((least, indent, block))
            }
            None if ticks >= 3 => {
                let kind = Kind::of(inner[ticks..].trim());
                let block =
                    Block { document: document.to_owned(), line: i + 1, kind, text: String::new() };
                Some((ticks, line.len() - inner.len(), block))
            }
            None => None,
        };
    }
    match open {
        Some((_, _, block)) => Err(format!("{}: the block is not closed", block.place())),
        None => Ok(blocks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_place_kind_and_text() {
        let text = "a\n```toml\nx = 1\n```\n- b\n  ```sh long\n  run\n  ```\n````text\n```\n````\n";
        let blocks = read("d.md", text).unwrap();
        assert_eq!(blocks.len(), 3);
        assert_eq!((blocks[0].place(), blocks[0].text.as_str()), ("d.md:2".to_owned(), "x = 1\n"));
        assert_eq!(
            (&blocks[1].kind, blocks[1].text.as_str()),
            (&Kind::ShellListed("long".into()), "run\n")
        );
        assert_eq!((&blocks[2].kind, blocks[2].text.as_str()), (&Kind::Shown("text"), "```\n"));
    }

    #[test]
    fn first_lines_are_understood_or_not() {
        let scene = |before: Option<&str>, ends: Option<&str>| Kind::Scene {
            before: before.map(str::to_owned),
            ends: ends.map(str::to_owned),
        };
        assert_eq!(Kind::of("toml completed-by=a.toml"), scene(Some("a.toml"), None));
        assert_eq!(
            Kind::of("toml completed-by=a.toml ends=1.5e0"),
            scene(Some("a.toml"), Some("1.5e0"))
        );
        assert_eq!(Kind::of("text output"), Kind::Output);
        assert_eq!(Kind::of("rust file=crates/a/src/b.rs"), Kind::RustFile("crates/a/src/b.rs".into()));
        for words in
            ["", "bash", "rust,ignore", "rust no_run", "toml fragment", "tomls", "sh slow", "sh long x"]
        {
            assert_eq!(Kind::of(words), Kind::Unknown(words.to_owned()));
        }
    }

    #[test]
    fn indented_blocks_are_unknown() {
        let kinds = |text: &str| read("d.md", text).unwrap().len();
        assert_eq!(read("d.md", "a\n\n    run\n    again\n").unwrap()[0].kind, Kind::of("(indented)"));
        assert_eq!(kinds("a\n\n    run\n    again\n"), 1);
        assert_eq!(kinds("- a\n\n    goes on\n1. b\n\n    goes on\na\n    goes on\n"), 0);
        assert_eq!(kinds("```text\n\n    a\n```\n"), 1);
    }

    #[test]
    fn open_blocks_are_told() {
        assert_eq!(read("d.md", "a\n```sh\n").unwrap_err(), "d.md:2: the block is not closed");
    }
}
