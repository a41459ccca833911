//! Text of shapes, notes and cells as lines: one for each paragraph, with a tab in front for each level of a list.
//!
//! A break inside of a paragraph is U+000B, as in python-pptx.

use crate::xml::{Id, Ns, Xml};

/// A line break inside of a paragraph.
pub(crate) const BREAK: char = '\u{b}';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    Text,
    Break,
    /// Text that PowerPoint writes: a date, a slide number.
    Field,
    /// A formula, and anything else that is not edited.
    Opaque,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) node: Id,
    pub(crate) kind: RunKind,
    /// Where its text stands in the text of the paragraph, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paragraph {
    pub(crate) node: Id,
    /// Level of a list from 0.
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) runs: Vec<Run>,
}

impl Paragraph {
    /// Returns its text with a tab in front for each level.
    pub(crate) fn line(&self) -> String {
        format!("{}{}", "\t".repeat(self.level.into()), self.text)
    }

    pub(crate) fn has_opaque(&self) -> bool {
        self.runs.iter().any(|it| it.kind == RunKind::Opaque)
    }
}

/// Returns the paragraphs of a text body.
pub(crate) fn paragraphs(xml: &Xml, body: Id) -> Vec<Paragraph> {
    xml.named(body, Ns::A, "p").map(|node| paragraph(xml, node)).collect()
}

pub(crate) fn paragraph(xml: &Xml, node: Id) -> Paragraph {
    let level = xml.child(node, Ns::A, "pPr").and_then(|it| xml.number(it, "lvl")).unwrap_or(0_u8);
    let mut out = Paragraph { node, level: level.min(8), text: String::new(), runs: Vec::new() };
    for child in xml.children(node) {
        let start = out.text.len();
        let kind = match (xml.ns(child), xml.local(child)) {
            (Ns::A, "pPr" | "endParaRPr") => continue,
            (Ns::A, "r") => RunKind::Text,
            (Ns::A, "br") => RunKind::Break,
            (Ns::A, "fld") => RunKind::Field,
            _ => RunKind::Opaque,
        };
        match kind {
            RunKind::Break => out.text.push(BREAK),
            RunKind::Opaque => {
                let choice = xml.child(child, Ns::Mc, "Choice").unwrap_or(child);
                let texts = xml.below(choice).filter(|&it| xml.is(it, Ns::M, "t"));
                texts.for_each(|it| out.text.push_str(&xml.content(it)));
            }
            RunKind::Text | RunKind::Field => {
                if let Some(text) = xml.child(child, Ns::A, "t") {
                    // Line ends of the file's own layout are spaces.
                    out.text.push_str(&xml.content(text).replace(['\n', '\r'], " "));
                }
            }
        }
        out.runs.push(Run { node: child, kind, start, end: out.text.len() });
    }
    out
}

/// Returns the text of a body: its lines, joined.
pub(crate) fn body_text(xml: &Xml, body: Id) -> String {
    let lines: Vec<String> = paragraphs(xml, body).iter().map(Paragraph::line).collect();
    lines.join("\n")
}

/// Returns four hexadecimal digits that stand for a text.
pub(crate) fn hash(text: &str) -> String {
    let mut state = 0x811c_9dc5_u32;
    for byte in text.bytes() {
        state = (state ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    format!("{:04x}", (state >> 16) ^ (state & 0xffff))
}

/// Returns the beginning of a text for a message.
pub(crate) fn shorten(text: &str) -> String {
    let text = text.replace(['\n', BREAK], " / ").replace('\t', "");
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
