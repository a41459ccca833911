//! Collects the problems of a file, line by line, into one error. Knows no format.

use std::ops::Range;

use crate::{Error, ErrorKind};

/// Most problems that one error lists for one file.
const MAX_PROBLEMS: usize = 20;

/// A problem in a line of a file, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineProblem {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it; empty if there is no advice.
    pub hint: String,
}

/// Returns all problems of a file as one error of kind [`ErrorKind::Input`]. A single problem is the message itself; several
/// are listed below `summary`, which is given their number: in the order of their lines, at most 20, and each hint only
/// once.
pub fn by_line(
    file: &str,
    mut problems: Vec<LineProblem>,
    summary: impl FnOnce(usize) -> String,
) -> Error {
    problems.sort_by_key(|problem| problem.line);
    let at = |problem: &LineProblem| format!("{file}:{}: {}", problem.line, problem.what);
    let mut error = match &problems[..] {
        [one] => Error::new(ErrorKind::Input, at(one)),
        several => {
            let error = Error::new(ErrorKind::Input, summary(several.len()));
            several.iter().take(MAX_PROBLEMS).fold(error, |error, one| error.detail(at(one)))
        }
    };
    if let Some(more @ 1..) = problems.len().checked_sub(MAX_PROBLEMS) {
        error = error.detail(format!("… and {more} more"));
    }
    let mut seen: Vec<&str> = Vec::new();
    for hint in problems.iter().take(MAX_PROBLEMS).map(|problem| problem.hint.as_str()) {
        if !hint.is_empty() && !seen.contains(&hint) {
            seen.push(hint);
            error = error.hint(hint);
        }
    }
    error
}

/// Returns the number of the line, from 1, in which `part` of `text` begins; 1 if `text` has no such part.
pub fn line_of(text: &str, part: Option<Range<usize>>) -> usize {
    let before = part.and_then(|part| text.get(..part.start)).unwrap_or_default();
    before.bytes().filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: usize, hint: &str) -> LineProblem {
        LineProblem { line, what: format!("wrong {line}"), hint: hint.to_owned() }
    }

    #[test]
    fn one_stands_by_itself_and_several_in_their_order() {
        let summary = |count| format!("{count} problems with a.toml");
        let one = by_line("a.toml", vec![problem(3, "mend it")], summary);
        assert_eq!(one.render(), "a.toml:3: wrong 3\nhint: mend it");
        let two = by_line("a.toml", vec![problem(3, "mend it"), problem(1, "mend it")], summary);
        assert_eq!(
            two.render(),
            "2 problems with a.toml\na.toml:1: wrong 1\na.toml:3: wrong 3\nhint: mend it"
        );
        let many = by_line("a", (1..=30).map(|line| problem(line, "")).collect(), summary);
        assert_eq!(many.details().len(), 21);
        assert_eq!(many.details()[20], "… and 10 more");
    }

    #[test]
    fn lines_are_counted_from_one() {
        for (part, line) in [(None, 1), (Some(0..1), 1), (Some(2..3), 2), (Some(99..100), 1)] {
            assert_eq!(line_of("a\nb\n", part), line);
        }
    }
}
