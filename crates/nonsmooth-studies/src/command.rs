//! What commands share: lines on the terminal, arguments of the form `NAME=VALUE`, why a command ended early.

use std::io::Write as _;

/// Why a command ended early: decides the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The input was wrong.
    Input(anyhow::Error),
    /// The run failed.
    Run(anyhow::Error),
}

impl std::fmt::Display for Failure {
    /// The error and its causes, each once: a message often has that of its cause in it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Failure::Input(error) | Failure::Run(error)) = self;
        let mut told = String::new();
        for cause in error.chain().map(ToString::to_string) {
            if !told.contains(&cause) {
                let colon = if told.is_empty() { "" } else { ": " };
                told = format!("{told}{colon}{cause}");
            }
        }
        f.write_str(&told)
    }
}

/// Writes a line on the terminal; a closed pipe is no error of ours.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Splits `NAME=VALUE`.
pub fn parse_set(text: &str) -> Result<(String, String), String> {
    pair(text).ok_or_else(|| "write NAME=VALUE, as in --set e=0.5".into())
}

/// A name and what follows its `=`.
pub fn pair(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    (!name.is_empty() && !value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

/// A time without the digits that are rounding.
pub fn short(t: f64) -> String {
    let text = format!("{t:.12}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("step 3: {source}")]
    struct Step {
        source: std::num::ParseFloatError,
    }

    #[test]
    fn each_cause_is_told_once() {
        let source = "x".parse::<f64>().expect_err("no number");
        let error = anyhow::Error::new(Step { source }).context("acary-2006");
        assert_eq!(Failure::Run(error).to_string(), "acary-2006: step 3: invalid float literal");
    }
}
