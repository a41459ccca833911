//! Errors of SQL with the place, the line, and the names that were probably meant.

use crate::bindings::mitt::host::types::Error as HostError;
use mitt_guest::nearest;
use rusqlite::Error;
use rusqlite::ErrorCode;

/// Functions of other databases, and their equivalents here.
const ELSEWHERE: [(&str, &str); 24] = [
    ("now", "there is no clock; give the date as text"),
    ("getdate", "there is no clock; give the date as text"),
    ("curdate", "there is no clock; give the date as text"),
    ("year", "CAST(strftime('%Y', d) AS INTEGER)"),
    ("month", "CAST(strftime('%m', d) AS INTEGER)"),
    ("day", "CAST(strftime('%d', d) AS INTEGER)"),
    ("quarter", "(CAST(strftime('%m', d) AS INTEGER) + 2) / 3"),
    ("date_trunc", "strftime('%Y-%m-01', d) for the month, strftime('%Y-01-01', d) for the year"),
    ("extract", "strftime('%Y', d), strftime('%m', d)"),
    ("to_char", "strftime(format, d) or printf(format, x)"),
    ("date_format", "strftime(format, d)"),
    ("to_date", "date(text)"),
    ("datediff", "julianday(a) - julianday(b)"),
    ("dateadd", "date(d, '+1 month')"),
    ("date_add", "date(d, '+1 month')"),
    ("left", "substr(text, 1, n)"),
    ("right", "substr(text, -n)"),
    ("nvl", "coalesce(a, b)"),
    ("isnull", "coalesce(a, b)"),
    ("string_to_array", "json_each"),
    ("listagg", "group_concat(x, ', ')"),
    ("array_agg", "json_group_array(x)"),
    ("greatest", "max(a, b)"),
    ("least", "min(a, b)"),
];

/// The names of tables and columns.
#[derive(Default)]
pub(crate) struct Known {
    /// The names of tables, each with the names of its columns.
    pub(crate) tables: Vec<(String, Vec<String>)>,
    pub(crate) functions: Vec<String>,
}

/// Returns the text of an error of the host.
pub(crate) fn text_of(error: &HostError) -> &str {
    match error {
        HostError::InvalidArgument(text)
        | HostError::NotFound(text)
        | HostError::AlreadyExists(text)
        | HostError::Unsupported(text)
        | HostError::Malformed(text)
        | HostError::Quota(text)
        | HostError::Other(text) => text,
    }
}

/// Returns the error of a statement of `sql`. `denied` is the reason of the authorizer.
pub(crate) fn describe(
    error: &Error,
    sql: &str,
    denied: Option<String>,
    known: &Known,
) -> HostError {
    let (message, place) = match error {
        Error::SqlInputError { msg, sql: rest, offset, .. } => {
            let start = sql.len().saturating_sub(rest.len());
            (msg.clone(), usize::try_from(*offset).ok().map(|offset| start + offset))
        }
        Error::SqliteFailure(failure, message) => {
            let message = message.clone().unwrap_or_else(|| failure.to_string());
            match failure.code {
                ErrorCode::OutOfMemory => return HostError::Quota(
                    "the query needs more memory than there is: choose fewer columns, filter before joining, or group earlier".into(),
                ),
                ErrorCode::TooBig => return HostError::Quota(format!("sql: {message}")),
                _ => (message, None),
            }
        }
        other => (other.to_string(), None),
    };
    if let Some(reason) = denied {
        return HostError::Unsupported(format!("sql: {reason}"));
    }
    let hint = hint(&message, known);
    let mut text = format!("sql: {message}");
    if let Some(place) = place {
        text.push_str(&shown(sql, place));
    }
    if let Some(hint) = &hint {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    if message.starts_with("no such") {
        HostError::NotFound(text)
    } else if message.contains("may not be modified") {
        HostError::Unsupported(text)
    } else {
        HostError::InvalidArgument(text)
    }
}

/// Returns ` (line 2, column 5)`, and below it the line with a mark.
fn shown(sql: &str, place: usize) -> String {
    let place = (0..=place.min(sql.len())).rev().find(|&at| sql.is_char_boundary(at)).unwrap_or(0);
    let before = &sql[..place];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = sql[line_start..].lines().next().unwrap_or_default();
    let column = sql[line_start..place].chars().count();
    let number = before.matches('\n').count() + 1;
    // A generated line may be very long, so only the part around the place is shown.
    let first = column.saturating_sub(60);
    let part: String = line.chars().skip(first).take(120).collect();
    let wide = |c: char| if ('\u{1100}'..='\u{ffef}').contains(&c) { "  " } else { " " };
    let indent: String = line.chars().skip(first).take(column - first).map(wide).collect();
    format!(" (line {number}, column {})\n  {part}\n  {indent}^", column + 1)
}

fn hint(message: &str, known: &Known) -> Option<String> {
    let after = |prefix: &str| message.strip_prefix(prefix).map(str::trim);
    if let Some(name) = after("no such table: ") {
        let name = name.strip_prefix("main.").or(name.strip_prefix("temp.")).unwrap_or(name);
        let names = known.tables.iter().map(|(name, _)| name.as_str());
        let list = listed(names.clone());
        return Some(match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`? there are: {list}"),
            None => format!("there are: {list}; SELECT * FROM tables tells more"),
        });
    }
    if let Some(name) = after("no such column: ") {
        let bare = name.rsplit('.').next().unwrap_or(name).trim_matches('"');
        let all =
            || known.tables.iter().flat_map(|(_, columns)| columns.iter().map(String::as_str));
        let near = nearest(bare, all());
        let text = match near {
            Some(near) => format!("did you mean `{near}`? "),
            None => String::new(),
        };
        let tables = known
            .tables
            .iter()
            .filter(|(_, columns)| near.is_none_or(|near| columns.iter().any(|name| name == near)))
            .take(5)
            .map(|(table, columns)| {
                format!("{table}({})", listed(columns.iter().map(String::as_str)))
            });
        let tables: Vec<_> = tables.collect();
        return Some(format!(
            "{text}columns: {}; texts stand in 'single quotes'",
            tables.join(", ")
        ));
    }
    if let Some(name) = after("no such function: ") {
        let lower = name.to_lowercase();
        if let Some((_, instead)) = ELSEWHERE.iter().find(|(known, _)| *known == lower) {
            return Some(format!("use {instead}"));
        }
        let near = nearest(name, known.functions.iter().map(String::as_str))?;
        return Some(format!("did you mean `{near}`?"));
    }
    if message.contains("may not be modified") {
        return Some("the session's tables cannot be changed; CREATE TEMP TABLE t AS SELECT … makes a copy that can".into());
    }
    (message.starts_with("near ") || message.starts_with("unrecognized token")).then(|| {
        "this is SQLite's dialect; names with spaces or that are words of SQL stand in \"double quotes\"".into()
    })
}

/// Lists at most 40 names.
fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let count = names.clone().count();
    let mut list: Vec<_> = names.take(40).map(str::to_owned).collect();
    if count > 40 {
        list.push(format!("and {} more", count - 40));
    }
    if list.is_empty() { "none".into() } else { list.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn shows_the_place() {
        assert_eq!(shown("SELECT 1,\n  x FROM t", 12), " (line 2, column 3)\n    x FROM t\n    ^");
        assert_eq!(
            shown("SELECT 金额x", 13),
            " (line 1, column 10)\n  SELECT 金额x\n             ^"
        );
        assert_eq!(shown("x", 9), " (line 1, column 2)\n  x\n   ^");
    }
}
