//! Markdown: writes tables, recognizes their captions, and escapes text.

use crate::{Table, cell_as_str};

/// Appends a table in GitHub Flavored Markdown. Appends nothing for a table without columns.
///
/// A line feed in a cell becomes a space, because a row is one line. The cell of the [`Table`] keeps it.
pub fn push_table(out: &mut String, table: &Table) {
    if table.columns.is_empty() {
        return;
    }
    push_head(out, &table.columns);
    for row in &table.rows {
        push_row(out, row.iter().map(cell_as_str));
    }
}

/// Appends the header row and the delimiter row.
pub fn push_head(out: &mut String, columns: &[String]) {
    push_row(out, columns);
    push_row(out, columns.iter().map(|_| "---"));
}

/// Appends a row.
pub fn push_row(out: &mut String, cells: impl IntoIterator<Item = impl AsRef<str>>) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        push_cell(out, cell.as_ref());
        out.push_str(" |");
    }
    out.push('\n');
}

fn push_cell(out: &mut String, text: &str) {
    for (index, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        if index > 0 {
            out.push(' ');
        }
        for character in line.chars() {
            if character == '|' {
                out.push('\\');
            }
            out.push(character);
        }
    }
}

/// Escapes characters that would be markup within a line. Escapes no others, because a model reads `snake_case` better
/// without backslashes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let is_markup = match character {
            '\\' => next.is_ascii_punctuation(),
            '`' => true,
            '*' => !(previous.is_whitespace() && next.is_whitespace()),
            '_' => {
                !(previous.is_alphanumeric() && next.is_alphanumeric())
                    && previous != '_'
                    && next != '_'
            }
            '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
            '[' => next != ']',
            '~' => next == '~',
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(character);
        previous = character;
    }
    out
}

/// Returns `true` if a paragraph is the caption of a table: short, and begins with `Table 1` in some language.
pub fn is_caption(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "table",
        "tab.",
        "表格",
        "附表",
        "表",
        "tabelle",
        "tableau",
        "tabla",
        "tabella",
        "таблица",
    ];
    let lower = text.to_lowercase();
    text.chars().count() <= 120
        && WORDS.iter().any(|word| {
            lower
                .strip_prefix(word)
                .and_then(|rest| rest.trim_start().chars().next())
                .is_some_and(|next| next.is_ascii_digit() || "一二三四五六七八九十".contains(next))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    #[test]
    fn a_table_is_one_line_per_row() {
        let table = Table {
            columns: vec!["a|b".into(), "n".into()],
            rows: vec![
                vec![Cell::Text("first\n\nsecond".into()), Cell::Number("1.50".into())],
                vec![Cell::Null, Cell::Boolean(true)],
            ],
        };
        let mut out = String::new();
        push_table(&mut out, &table);
        assert_eq!(out, "| a\\|b | n |\n| --- | --- |\n| first second | 1.50 |\n|  | true |\n");
    }
}
