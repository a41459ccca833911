//! Collects all mistakes in values, to report them at once.

use std::collections::BTreeMap;

use mitt_base::{Error, ErrorKind, text};

/// Most names in a list, and most places of each; the others are counted.
const MAX_LISTED: usize = 20;
const MAX_PLACES: usize = 3;

#[derive(Default)]
pub(super) struct Problems {
    /// Names without a value, and their places.
    missing: BTreeMap<String, (Vec<String>, usize)>,
    others: Vec<String>,
    count: usize,
}

impl Problems {
    pub(super) fn missing(&mut self, name: &str, place: String) {
        let (places, count) = self.missing.entry(name.to_owned()).or_default();
        *count += 1;
        if places.len() < MAX_PLACES {
            places.push(place);
        }
    }

    pub(super) fn other(&mut self, problem: String) {
        self.count += 1;
        if self.others.len() < MAX_LISTED && !self.others.contains(&problem) {
            self.others.push(problem);
        }
    }

    /// Returns one error for all of them; `names` are the names with values.
    pub(super) fn into_error(self, names: &[String]) -> Option<Error> {
        if self.missing.is_empty() && self.others.is_empty() {
            return None;
        }
        let mut lines = Vec::new();
        for (name, (places, count)) in self.missing.iter().take(MAX_LISTED) {
            let more = count - places.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let near = text::nearest(name, names.iter().map(String::as_str));
            let near = near.first().map(|it| format!(", did you mean `{it}`?")).unwrap_or_default();
            lines.push(format!("`{name}` at {}{more}: expected a value{near}", places.join(", ")));
        }
        let hidden = self.missing.len().saturating_sub(MAX_LISTED);
        if hidden > 0 {
            lines.push(format!("{hidden} more names have no value"));
        }
        let hidden = self.count.saturating_sub(self.others.len());
        lines.extend(self.others);
        if hidden > 0 {
            lines.push(format!("{hidden} more problems"));
        }
        let missing: Vec<_> = self.missing.keys().take(5).map(|name| format!("`{name}`")).collect();
        let more = self.missing.len().saturating_sub(missing.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let mut error = match (lines.len(), missing.is_empty()) {
            (1, _) => {
                return Some(hinted(
                    Error::new(ErrorKind::Arguments, lines.remove(0)),
                    !missing.is_empty(),
                ));
            }
            (_, true) => Error::new(ErrorKind::Arguments, "the template cannot be filled"),
            (_, false) => {
                let message = format!("values for {}{more} are missing", missing.join(", "));
                Error::new(ErrorKind::Arguments, message)
            }
        };
        for line in lines {
            error = error.detail(line);
        }
        Some(hinted(error, !missing.is_empty()))
    }
}

fn hinted(error: Error, is_missing: bool) -> Error {
    if is_missing {
        error.hint("give every name of the template a value; `null` leaves its place empty")
    } else {
        error
    }
}
