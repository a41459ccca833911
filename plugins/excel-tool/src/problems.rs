//! Collects all problems of a call, so that the caller can correct them in one step.

/// Most lines of a message, because a model pays for each.
const MAX_SHOWN: usize = 20;
/// Most characters of a value that a message quotes.
const MAX_QUOTED: usize = 40;

/// Problems in the order in which they were found.
#[derive(Default)]
pub(crate) struct Problems {
    shown: Vec<String>,
    count: usize,
}

impl Problems {
    /// Adds a problem. `place` is the path of the argument as the caller wrote it; `what` is the expected value, then the
    /// actual one.
    pub(crate) fn add(&mut self, place: impl AsRef<str>, what: impl AsRef<str>) {
        self.count += 1;
        if self.shown.len() < MAX_SHOWN {
            self.shown.push(format!("{}: {}", place.as_ref(), what.as_ref()));
        }
    }

    /// Returns the number of problems so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns all problems, one per line, as an error; `Ok` if there are none.
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

/// Returns a value for a message: in backticks, shortened if it is long.
pub(crate) fn quoted(value: &str) -> String {
    match value.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("`{}…`", &value[..end]),
        None => format!("`{value}`"),
    }
}

/// Returns the problem of a column name that does not exist.
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
