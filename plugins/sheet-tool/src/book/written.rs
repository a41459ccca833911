//! Cells as they are written: rows with edits of their cells.

use super::cell::{cells, head_tag};
use crate::refs::At;
use crate::value::Scalar;
use crate::xml::{
    TagKind, XmlToken, escape, first_tag, set_attribute, without_attributes, xml_tokens,
};

/// New content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Value(Scalar),
    /// A number with its digits.
    Digits(String),
    Formula {
        text: String,
        array: Option<String>,
        cached: Scalar,
    },
}

/// An edit of a cell. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CellEdit {
    pub(crate) content: Option<Content>,
    /// New value of a formula that stays.
    pub(crate) cached: Option<Scalar>,
    pub(crate) style: Option<u32>,
}

/// Returns a row with edits of its cells.
pub(super) fn edited_row(
    row: &str,
    number: u32,
    edits: &[((u32, u32), CellEdit)],
    prefix: &str,
) -> String {
    let tag = head_tag(row);
    let is_empty = tag.ends_with("/>");
    let mut head = if is_empty {
        format!("{}>", tag.trim_end_matches(['>', '/']).trim_end())
    } else {
        tag.to_owned()
    };
    let mut body = String::new();
    let mut copied = tag.len();
    let mut edits = edits.iter().peekable();
    let sources: Vec<_> = if is_empty { Vec::new() } else { cells(row).collect() };
    let implied = sources.iter().any(|cell| !cell.has_address);
    let (mut left, mut right) = (u32::MAX, 0);
    for cell in &sources {
        body.push_str(&row[copied..cell.start]);
        while let Some(((_, column), edit)) = edits.next_if(|it| it.0.1 < cell.column) {
            let new = edited_cell("", At { row: number, column: *column }, edit, prefix);
            if !new.is_empty() {
                (left, right) = (left.min(*column), right.max(*column));
            }
            body.push_str(&new);
        }
        let at = At { row: number, column: cell.column };
        match edits.next_if(|it| it.0.1 == cell.column) {
            Some((_, edit)) => body.push_str(&edited_cell(cell.raw, at, edit, prefix)),
            None if implied => body.push_str(&addressed(cell.raw, at)),
            None => body.push_str(cell.raw),
        }
        copied = cell.start + cell.raw.len();
    }
    for ((_, column), edit) in edits {
        let new = edited_cell("", At { row: number, column: *column }, edit, prefix);
        if !new.is_empty() {
            (left, right) = (left.min(*column), right.max(*column));
        }
        body.push_str(&new);
    }
    let close = format!("</{prefix}row>");
    body.push_str(if is_empty { &close } else { &row[copied..] });
    if right > 0
        && let Some(spans) = first_tag(&head).and_then(|tag| tag.text("spans"))
        && let Some((first, last)) = spans.split_once(':')
        && let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>())
        && (left < first || right > last)
    {
        head = set_attribute(&head, "spans", &format!("{}:{}", first.min(left), last.max(right)));
    }
    if head.as_str() != tag || !is_empty {
        return head + &body;
    }
    row.to_owned()
}

fn addressed(raw: &str, at: At) -> String {
    let end = raw.find('>').map_or(raw.len(), |it| it + 1);
    set_attribute(&raw[..end], "r", &at.to_string()) + &raw[end..]
}

/// Returns a cell with an edit; empty if nothing is left of it.
fn edited_cell(raw: &str, at: At, edit: &CellEdit, prefix: &str) -> String {
    if let Some(new) = recalculated(raw, edit) {
        return new;
    }
    let is_new = raw.is_empty();
    let tag = if is_new {
        format!("<{prefix}c>")
    } else {
        let end = raw.find('>').map_or(raw.len(), |it| it + 1);
        raw[..end].to_owned()
    };
    let mut open = if tag.ends_with("/>") {
        format!("{}>", tag.trim_end_matches(['>', '/']).trim_end())
    } else {
        tag.clone()
    };
    open = set_attribute(&open, "r", &at.to_string());
    if let Some(style) = edit.style {
        open = match style {
            0 if is_new => open,
            style => set_attribute(&open, "s", &style.to_string()),
        };
    }
    let inner = if is_new || tag.ends_with("/>") {
        ""
    } else {
        &raw[tag.len()..raw.rfind("</").unwrap_or(raw.len())]
    };
    let has_style = first_tag(&open).is_some_and(|tag| tag.attribute("s").is_some());
    let (kind, inner) = match (&edit.content, &edit.cached) {
        (Some(content), _) => {
            open = without_attributes(&open, &["t", "cm", "vm"]);
            match content {
                Content::Value(value) => written(value, prefix, false),
                Content::Digits(digits) => (None, format!("<{prefix}v>{digits}</{prefix}v>")),
                Content::Formula { text, array, cached } => {
                    let attributes = match array {
                        Some(area) => format!(" t=\"array\" ref=\"{area}\""),
                        None => String::new(),
                    };
                    let cached = edit.cached.as_ref().unwrap_or(cached);
                    let (kind, value) = written(cached, prefix, true);
                    (
                        kind,
                        format!("<{prefix}f{attributes}>{}</{prefix}f>{value}", escape_text(text)),
                    )
                }
            }
        }
        (None, Some(cached)) => {
            open = without_attributes(&open, &["t"]);
            // Everything but the old value stays.
            let (kind, value) = written(cached, prefix, true);
            (kind, format!("{}{value}", without_value(inner)))
        }
        (None, None) => {
            if inner.is_empty() {
                let open = open.trim_end_matches('>');
                return if is_new && !has_style { String::new() } else { format!("{open}/>") };
            }
            return format!("{open}{inner}</{prefix}c>");
        }
    };
    if let Some(kind) = kind {
        open = set_attribute(&open, "t", kind);
    }
    match (inner.is_empty(), has_style) {
        (true, false) => String::new(),
        (true, true) => format!("{}/>", open.trim_end_matches('>')),
        _ => format!("{open}{inner}</{prefix}c>"),
    }
}

/// Returns a cell with a new number in the place of the old one; `None` if more of it changes. Most calculated cells are so.
fn recalculated(raw: &str, edit: &CellEdit) -> Option<String> {
    let (None, Some(Scalar::Number(number)), None) = (&edit.content, &edit.cached, edit.style)
    else {
        return None;
    };
    let tag = head_tag(raw);
    let has_address = super::cell::address(tag).is_some();
    if !has_address || tag.contains(" t") || tag.contains("\tt") || tag.contains("\nt") {
        return None;
    }
    let end = raw.strip_suffix("</v></c>")?.len();
    let start = raw.get(..end)?.rfind('>')? + 1;
    let is_plain = raw.get(..start)?.ends_with("<v>");
    is_plain.then(|| format!("{}{}{}", &raw[..start], digits(*number), &raw[end..]))
}

/// Returns the content of a cell without its value.
fn without_value(inner: &str) -> String {
    let mut out = String::new();
    let mut skips = false;
    for token in xml_tokens(inner) {
        let raw = match token {
            XmlToken::Tag(tag) => {
                if matches!(tag.name, "v" | "is") {
                    skips = tag.kind == TagKind::Open;
                    continue;
                }
                tag.raw
            }
            XmlToken::Text(raw) | XmlToken::Other(raw) => raw,
        };
        if !skips {
            out.push_str(raw);
        }
    }
    out
}

/// Returns the type of a cell and the element of its value.
fn written(value: &Scalar, prefix: &str, is_formula: bool) -> (Option<&'static str>, String) {
    let v = |text: &str| format!("<{prefix}v>{text}</{prefix}v>");
    match value {
        Scalar::Empty => (None, String::new()),
        Scalar::Number(number) => (None, v(&digits(*number))),
        Scalar::Bool(value) => (Some("b"), v(if *value { "1" } else { "0" })),
        Scalar::Error(code) => (Some("e"), v(code.as_str())),
        Scalar::Text(text) if is_formula => {
            (Some("str"), v(&escape_text(&super::strings::encoded(text))))
        }
        Scalar::Text(text) => {
            let text = super::strings::encoded(text);
            let space = if text.trim() != text || text.contains(['\n', '\t']) {
                " xml:space=\"preserve\""
            } else {
                ""
            };
            let t = format!("<{prefix}t{space}>{}</{prefix}t>", escape_text(&text));
            (Some("inlineStr"), format!("<{prefix}is>{t}</{prefix}is>"))
        }
    }
}

fn escape_text(text: &str) -> String {
    escape(text).replace("&quot;", "\"")
}

/// Returns a number as it is stored: the shortest that reads back the same.
pub(crate) fn digits(number: f64) -> String {
    let number = if number == 0.0 { 0.0 } else { number };
    if (1e-5..1e17).contains(&number.abs()) || number == 0.0 {
        number.to_string()
    } else {
        format!("{number:E}")
    }
}
