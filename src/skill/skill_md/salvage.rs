//! Line-by-line reading of front matter that is not valid YAML but that other hosts accept, such as `description: Use it:
//! always`.
//!
//! Only keys at the margin and one level below are understood. Every value becomes a text.

use std::collections::HashSet;

use super::front::{self, Field, Value};

/// Returns the fields of a front matter, read line by line if it is not YAML.
pub(super) fn parsed(front: &str) -> Vec<Field> {
    front::parse(front).map_or_else(|_| fields(front), |read| read.fields)
}

/// Returns the fields of `front`, which begins in line 2 of its file. The first of two equal keys wins.
pub fn fields(front: &str) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for (index, line) in front.lines().enumerate() {
        let at_margin = !line.starts_with([' ', '\t', '-', '#']);
        // A tab before a key of the standard is a mistake: no nested key has such a name.
        let slipped = |key: &str| line.starts_with('\t') && super::KEYS.contains(&key.trim());
        match line.split_once(':').filter(|(key, _)| at_margin || slipped(key)) {
            Some((key, rest)) if is_key(key) => {
                finish(&mut fields, &block);
                block = vec![rest.trim()];
                fields.push(Field {
                    key: unquoted(key.trim()).to_owned(),
                    line: index as u64 + 2,
                    value: Value::Empty,
                    style: None,
                });
            }
            _ => block.push(line),
        }
    }
    finish(&mut fields, &block);
    let mut seen = HashSet::new();
    fields.retain(|field| seen.insert(field.key.clone()));
    fields
}

fn is_key(key: &str) -> bool {
    let key = unquoted(key.trim());
    !key.is_empty()
        && key.len() <= 64
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Sets the value of the last key to the text after and below it.
fn finish(fields: &mut [Field], block: &[&str]) {
    let (Some(field), Some((first, below))) = (fields.last_mut(), block.split_first()) else {
        return;
    };
    let indented: Vec<&str> = below
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let folded = first.starts_with(['>', '|']) && first.len() <= 3;
    field.value = if first.is_empty()
        && !indented.is_empty()
        && indented.iter().all(|line| line.starts_with("- "))
    {
        let item =
            |line: &&str| Value::Text(unquoted(line.trim_start_matches("- ").trim()).to_owned());
        Value::List(indented.iter().map(item).collect())
    } else if first.is_empty() && field.key == "metadata" {
        Value::Map(indented.iter().filter_map(|line| pair(line, field.line)).collect())
    } else {
        let words: Vec<&str> = if folded { indented } else { [&[*first], &indented[..]].concat() };
        let text = words.join(" ");
        match unquoted(text.trim()) {
            "" => Value::Empty,
            text => Value::Text(text.to_owned()),
        }
    };
}

fn pair(line: &str, line_number: u64) -> Option<Field> {
    let (key, value) = line.split_once(':')?;
    let value = Value::Text(unquoted(value.trim()).to_owned());
    Some(Field { key: unquoted(key.trim()).to_owned(), line: line_number, value, style: None })
}

fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_accept_is_read() {
        let front = "name: pdf\ndescription: Use it: always,\n\teven here\nname: other\nallowed-tools:\n  - Read\n  - \"Bash\"\n\
                     metadata:\n  author: a: b\nlicense: >-\n  MIT\n  or so\n";
        let read: Vec<_> =
            fields(front).into_iter().map(|field| (field.key, field.line, field.value)).collect();
        let text = |text: &str| Value::Text(text.into());
        let author = Field { key: "author".into(), line: 9, value: text("a: b"), style: None };
        assert_eq!(
            read,
            [
                ("name".to_owned(), 2, text("pdf")),
                ("description".to_owned(), 3, text("Use it: always, even here")),
                ("allowed-tools".to_owned(), 6, Value::List(vec![text("Read"), text("Bash")])),
                ("metadata".to_owned(), 9, Value::Map(vec![author])),
                ("license".to_owned(), 11, text("MIT or so")),
            ]
        );
    }

    #[test]
    fn noise_gives_nothing() {
        assert!(fields("{{{\n: :\n---- x\n\0").is_empty());
        assert!(fields("").is_empty());
    }
}
