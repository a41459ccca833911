//! Collects the problems of a call to report all at once. Knows no tables.

use mitt_guest::tables::Error;

/// Most problems in a message; the rest is counted.
const MAX_SHOWN: usize = 20;

/// Most names in a message.
const MAX_NAMES: usize = 50;

/// Most characters of a quoted text in a message.
const MAX_SHOWN_TEXT: usize = 100;

/// The kind of a problem, as in the contract's `error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Argument,
    NotFound,
    AlreadyExists,
    Quota,
    Other,
}

/// The error of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    /// One line for each problem, and hints.
    pub(crate) message: String,
}

impl From<Error> for Failure {
    /// Converts an error of the host.
    fn from(error: Error) -> Failure {
        let (kind, message) = match error {
            Error::InvalidArgument(message) => (Kind::Argument, message),
            Error::NotFound(message) => (Kind::NotFound, message),
            Error::AlreadyExists(message) => (Kind::AlreadyExists, message),
            Error::Quota(message) => (Kind::Quota, message),
            Error::Unsupported(message) | Error::Malformed(message) | Error::Other(message) => {
                (Kind::Other, message)
            }
        };
        Failure { kind, message }
    }
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    shown: Vec<(Kind, String)>,
    n_hidden: usize,
    notes: Vec<String>,
}

impl Problems {
    /// Adds a problem. `text` is called only if it will be shown.
    pub(crate) fn add(&mut self, kind: Kind, text: impl FnOnce() -> String) {
        if self.shown.len() < MAX_SHOWN {
            self.shown.push((kind, text()));
        } else {
            self.n_hidden += 1;
        }
    }

    /// Adds a wrong argument.
    pub(crate) fn argument(&mut self, text: impl FnOnce() -> String) {
        self.add(Kind::Argument, text);
    }

    /// Adds a hint for several problems once, at the end.
    pub(crate) fn note(&mut self, note: impl FnOnce() -> String) {
        // After so many problems, every hint has been added.
        if self.n_hidden == 0 {
            let note = note();
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Does what [`Problems::note`] does if there is a problem.
    pub(crate) fn note_if_any(&mut self, note: impl FnOnce() -> String) {
        if !self.shown.is_empty() {
            self.note(note);
        }
    }

    /// Fails if there is a problem. The error has their kind only if all have the same.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        let Some(&(first, _)) = self.shown.first() else { return Ok(()) };
        let uniform = self.shown.iter().all(|(kind, _)| *kind == first);
        let kind = if uniform && self.n_hidden == 0 { first } else { Kind::Argument };
        let mut lines: Vec<String> = self.shown.drain(..).map(|(_, text)| text).collect();
        if self.n_hidden > 0 {
            lines.push(format!("and {} more problems", self.n_hidden));
        }
        lines.append(&mut self.notes);
        Err(Failure { kind, message: lines.join("\n") })
    }
}

/// Quotes a text for a message, on one line and shortened.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", shorten(text))
}

/// Returns the first characters of a text, with control characters escaped.
pub(crate) fn shorten(text: &str) -> String {
    let mut short = String::new();
    for (n_chars, char) in text.chars().enumerate() {
        if n_chars == MAX_SHOWN_TEXT {
            short.push('…');
            break;
        }
        if char.is_control() { short.extend(char.escape_default()) } else { short.push(char) }
    }
    short
}

/// Lists names for a message.
pub(crate) fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| quote(name)).collect();
    if names.len() > MAX_NAMES {
        shown.push(format!("and {} more", names.len() - MAX_NAMES));
    }
    shown.join(", ")
}

/// Returns the name with the smallest edit distance, if that is small enough.
pub(crate) fn nearest<'a>(wanted: &str, names: &'a [String]) -> Option<&'a str> {
    // Bounds the work for a hint, because names may have any length.
    const MAX_CHARS: usize = 64;
    const MAX_NAMES: usize = 2_000;
    let fold =
        |text: &str| text.trim().to_lowercase().chars().take(MAX_CHARS).collect::<Vec<char>>();
    let wanted = fold(wanted);
    let (distance, name) = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| {
            let name_chars = fold(name);
            let contained = !wanted.is_empty()
                && !name_chars.is_empty()
                && (contains(&name_chars, &wanted) || contains(&wanted, &name_chars));
            let distance = if wanted == name_chars {
                0
            } else if contained {
                1
            } else {
                edit_distance(&wanted, &name_chars)
            };
            (distance, name)
        })
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= wanted.len() / 2).then_some(name)
}

fn contains(long: &[char], short: &[char]) -> bool {
    long.windows(short.len()).any(|window| window == short)
}

fn edit_distance(one: &[char], two: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, char_one) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, char_two) in two.iter().enumerate() {
            let replaced = diagonal + usize::from(char_one != char_two);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["地区", "收入", "营业收入(万元)", "Revenue", "cost"].map(str::to_owned);
        for (wanted, found) in [
            ("收人", Some("收入")),
            ("revenue", Some("Revenue")),
            ("Revenu", Some("Revenue")),
            ("营业收入", Some("收入")),
            ("营业收入（万元）", Some("收入")),
            (" cost ", Some("cost")),
            ("日期", None),
            ("", None),
            ("zzzzzz", None),
        ] {
            assert_eq!(nearest(wanted, &names), found, "{wanted}");
        }
        assert_eq!(nearest("x", &[]), None);
    }

    #[test]
    fn problems_are_counted_and_classified() {
        let mut problems = Problems::default();
        assert_eq!(problems.check(), Ok(()));
        for i in 0..25 {
            problems.argument(|| format!("p{i}"));
            problems.note(|| "hint: do it right".into());
        }
        problems.note(|| "unseen".into());
        let failure = problems.check().unwrap_err();
        assert_eq!(failure.message.lines().count(), 22);
        assert!(failure.message.ends_with("p19\nand 5 more problems\nhint: do it right"));
        let mut problems = Problems::default();
        problems.add(Kind::NotFound, || "a".into());
        problems.add(Kind::NotFound, || "b".into());
        assert_eq!(problems.check(), Err(Failure { kind: Kind::NotFound, message: "a\nb".into() }));
        problems.add(Kind::NotFound, || "a".into());
        problems.add(Kind::AlreadyExists, || "b".into());
        assert_eq!(problems.check().unwrap_err().kind, Kind::Argument);
    }

    #[test]
    fn foreign_text_stays_on_one_line() {
        assert_eq!(quote("a\nb\u{1b}"), "`a\\nb\\u{1b}`");
        assert_eq!(shorten(&"甲".repeat(200)).chars().count(), 101);
    }
}
