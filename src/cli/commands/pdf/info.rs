//! `mitt pdf info`: what a PDF has, as text for a person.

use std::collections::BTreeMap;

use serde_json::Value;

use mitt_base::text;

/// Points of an inch, and millimetres of it.
const POINTS: f64 = 72.0;
const MILLIMETRES: f64 = 25.4;

/// Names of paper by their shorter and longer side in millimetres.
const PAPERS: [(&str, f64, f64); 5] = [
    ("A3", 297.0, 420.0),
    ("A4", 210.0, 297.0),
    ("A5", 148.0, 210.0),
    ("Letter", 215.9, 279.4),
    ("Legal", 215.9, 355.6),
];

/// Longest value that is shown on a line, in characters.
const SHOWN: usize = 200;

/// Returns the result of `read_pdf` as lines.
pub(super) fn lines(path: &str, read: &Value) -> Vec<String> {
    let count = read["page_count"].as_u64().unwrap_or_default();
    let pages = if count == 1 { "page" } else { "pages" };
    let mut lines = vec![format!("{path}: PDF {}, {count} {pages}", string(read, "version"))];
    lines.extend(items(read, "notes").iter().filter_map(Value::as_str).map(str::to_owned));
    section(&mut lines, "Pages", page_lines(items(read, "pages")));
    section(&mut lines, "Metadata", items(read, "metadata").iter().map(entry));
    section(&mut lines, "Fields", items(read, "fields").iter().map(field));
    section(&mut lines, "Bookmarks", items(read, "outline").iter().map(bookmark));
    section(&mut lines, "Attachments", items(read, "attachments").iter().map(attachment));
    section(&mut lines, "Annotations", annotations(items(read, "annotations")));
    section(&mut lines, "Not listed", items(read, "more").iter().map(one_line));
    lines
}

fn section(lines: &mut Vec<String>, title: &str, items: impl IntoIterator<Item = String>) {
    let mut items = items.into_iter().peekable();
    if items.peek().is_some() {
        lines.push(format!("{title}:"));
        lines.extend(items.map(|item| format!("  {item}")));
    }
}

fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn string<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// Returns a text as one short line.
fn one_line(value: &Value) -> String {
    let value = value.as_str().unwrap_or_default();
    text::shortened(&text::single_line(value), SHOWN)
}

/// Returns a line for each run of pages of one size.
fn page_lines(pages: &[Value]) -> Vec<String> {
    let mut runs: Vec<(u64, u64, String)> = Vec::new();
    for page in pages {
        let (number, size) = (page["number"].as_u64().unwrap_or_default(), page_size(page));
        match runs.last_mut() {
            Some((_, last, of_run)) if *of_run == size => *last = number,
            _ => runs.push((number, number, size)),
        }
    }
    let line = |(first, last, size): (u64, u64, String)| {
        if first == last { format!("{first}: {size}") } else { format!("{first}-{last}: {size}") }
    };
    runs.into_iter().map(line).collect()
}

/// Returns the size of a page as a person sees it, and its rotation.
fn page_size(page: &Value) -> String {
    let rect: Vec<f64> = items(page, "rect").iter().filter_map(Value::as_f64).collect();
    let [left, bottom, right, top] = rect[..] else { return "unknown size".to_owned() };
    let rotation = page["rotation"].as_i64().unwrap_or_default();
    let (mut width, mut height) =
        ((right - left) / POINTS * MILLIMETRES, (top - bottom) / POINTS * MILLIMETRES);
    if rotation.rem_euclid(180) == 90 {
        std::mem::swap(&mut width, &mut height);
    }
    let is_near = |a: f64, b: f64| (a - b).abs() < 1.5;
    let paper = PAPERS.iter().find(|(_, short, long)| {
        is_near(width.min(height), *short) && is_near(width.max(height), *long)
    });
    let paper = paper.map(|(name, ..)| format!(" ({name})")).unwrap_or_default();
    let turned =
        if rotation == 0 { String::new() } else { format!(", turned by {rotation} degrees") };
    format!("{width:.0} x {height:.0} mm{paper}{turned}")
}

fn entry(entry: &Value) -> String {
    format!("{}: {}", string(entry, "name"), one_line(&entry["value"]))
}

fn field(field: &Value) -> String {
    let mut line = format!("{} ({}", string(field, "name"), string(field, "kind"));
    if let Some(page) = field["page"].as_u64() {
        line += &format!(", page {page}");
    }
    for (name, shown) in [("required", "required"), ("read_only", "read-only")] {
        if field[name] == true {
            line += &format!(", {shown}");
        }
    }
    if let Some(most) = field["max_length"].as_u64() {
        line += &format!(", at most {most} characters");
    }
    line.push(')');
    let options: Vec<&str> = items(field, "options").iter().filter_map(Value::as_str).collect();
    if !options.is_empty() {
        line += &format!(": one of {}", text::shortened(&options.join(" | "), SHOWN));
    }
    match one_line(&field["value"]) {
        value if value.is_empty() => line,
        value => format!("{line} = {value}"),
    }
}

fn bookmark(bookmark: &Value) -> String {
    let level = bookmark["level"].as_u64().unwrap_or(1).clamp(1, 20);
    let indent = "  ".repeat(usize::try_from(level - 1).unwrap_or(0));
    match bookmark["page"].as_u64() {
        Some(page) => format!("{indent}{}, page {page}", one_line(&bookmark["title"])),
        None => format!("{indent}{}", one_line(&bookmark["title"])),
    }
}

fn attachment(attachment: &Value) -> String {
    let mut line = one_line(&attachment["name"]);
    if let Some(size) = attachment["size"].as_u64() {
        line += &format!(", {}", crate::progress::bytes(size));
    }
    match one_line(&attachment["description"]) {
        about if about.is_empty() => line,
        about => format!("{line}: {about}"),
    }
}

/// Returns the number of annotations of each kind; `--json` has all of them.
fn annotations(annotations: &[Value]) -> Vec<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for annotation in annotations {
        *counts.entry(string(annotation, "kind")).or_default() += 1;
    }
    counts.into_iter().map(|(kind, count)| format!("{kind}: {count}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_has_a_line() {
        let page = |number: u64, width: f64, height: f64, rotation: i64| json!({ "number": number, "rect": [0.0, 0.0, width, height], "rotation": rotation });
        let read = json!({
            "version": "1.7", "page_count": 4, "notes": ["Signed: `s`."],
            "pages": [page(1, 595.28, 841.89, 0), page(2, 595.28, 841.89, 0), page(3, 595.28, 841.89, 90), page(4, 100.0, 100.0, 0)],
            "metadata": [{ "name": "title", "value": "合同\n二" }],
            "fields": [
                { "name": "name", "kind": "text", "value": "Ana", "options": [], "page": 1, "required": true, "read_only": false, "max_length": 12 },
                { "name": "size", "kind": "choice", "value": "", "options": ["S", "L"], "required": false, "read_only": true },
            ],
            "outline": [{ "title": "One", "level": 1, "page": 1 }, { "title": "Two", "level": 2, "page": null }],
            "attachments": [{ "name": "a.xlsx", "size": 2048, "description": "data" }],
            "annotations": [{ "kind": "Link" }, { "kind": "Text" }, { "kind": "Link" }],
            "more": [],
        });
        assert_eq!(
            lines("a.pdf", &read),
            [
                "a.pdf: PDF 1.7, 4 pages",
                "Signed: `s`.",
                "Pages:",
                "  1-2: 210 x 297 mm (A4)",
                "  3: 297 x 210 mm (A4), turned by 90 degrees",
                "  4: 35 x 35 mm",
                "Metadata:",
                "  title: 合同 二",
                "Fields:",
                "  name (text, page 1, required, at most 12 characters) = Ana",
                "  size (choice, read-only): one of S | L",
                "Bookmarks:",
                "  One, page 1",
                "    Two",
                "Attachments:",
                "  a.xlsx, 2.0 KiB: data",
                "Annotations:",
                "  Link: 2",
                "  Text: 1",
            ]
        );
    }
}
