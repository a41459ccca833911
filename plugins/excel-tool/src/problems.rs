//! Everything that is wrong with a call, collected, so that one answer is enough to put it right.

/// More lines than this cost a model more than they tell it.
const MAX_SHOWN: usize = 20;
/// Characters of a value that a message repeats.
const MAX_QUOTED: usize = 40;

/// Problems in the order in which they were found.
#[derive(Default)]
pub(crate) struct Problems {
    shown: Vec<String>,
    count: usize,
}

impl Problems {
    /// `place` is the path of the argument as the caller wrote it; `what` says what was wanted, then what was found.
    pub(crate) fn add(&mut self, place: impl AsRef<str>, what: impl AsRef<str>) {
        self.count += 1;
        if self.shown.len() < MAX_SHOWN {
            self.shown.push(format!("{}: {}", place.as_ref(), what.as_ref()));
        }
    }

    /// How many there are so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// All problems, one per line, if there are any.
    pub(crate) fn into_result(mut self) -> Result<(), String> {
        if self.count == 0 {
            return Ok(());
        }
        if self.count > self.shown.len() {
            self.shown.push(format!("and {} more problems", self.count - self.shown.len()));
        }
        Err(self.shown.join("\n"))
    }
}

/// A value in a message: in backticks, cut when it is long.
pub(crate) fn quoted(value: &str) -> String {
    match value.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("`{}…`", &value[..end]),
        None => format!("`{value}`"),
    }
}

/// What to say about a column name that does not exist.
pub(crate) fn unknown_column(name: &str, columns: &[String]) -> String {
    let there =
        columns.iter().take(MAX_SHOWN).map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
    let rest = match columns.len().saturating_sub(MAX_SHOWN) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let meant = match mitt_guest::nearest(name, columns.iter().map(String::as_str)) {
        Some(nearest) => format!(", did you mean {}", quoted(nearest)),
        None => String::new(),
    };
    format!("expected a column of the data ({there}{rest}), got {}{meant}", quoted(name))
}
