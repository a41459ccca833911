//! Texts of a document, character by character: symbols for emoji, break opportunities, characters without a glyph.

use serde_json::{Value, json};

use super::Converter;
use crate::doc::MAX_ELEMENTS;
use crate::glyphs::breaks::breakable;
use crate::glyphs::{Walk, missing};
use crate::nowrap::{nowrap_parts, nowrap_parts_of_head};

impl Converter<'_> {
    /// Adds text of a paragraph, divided at coloured symbols.
    pub(super) fn text(&mut self, text: &str, out: &mut Vec<Value>) {
        let (limit, is_keeping, is_folding) = (self.max_word, self.is_keeping, self.is_folding);
        let mut signs = 0;
        let mut run = String::new();
        let flush = |run: &mut String, out: &mut Vec<Value>| {
            if run.is_empty() {
                return;
            }
            let mut at = 0;
            let parts = match (is_keeping, is_folding) {
                (true, true) => nowrap_parts_of_head(run),
                (true, false) => nowrap_parts(run),
                (false, _) => Vec::new(),
            };
            for part in parts {
                for (kind, text) in [("text", at..part.start), ("kept", part.clone())] {
                    let text = run.get(text).unwrap_or_default();
                    let is_unit = kind == "kept" && text.starts_with(['（', '(', '［', '[']);
                    if is_folding && is_unit && !out.is_empty() {
                        out.push(json!({ "type": "break" }));
                    }
                    if !text.is_empty() {
                        out.push(json!({ "type": kind, "text": breakable(text, limit) }));
                    }
                }
                at = part.end;
            }
            let rest = run.get(at..).unwrap_or_default();
            if !rest.is_empty() {
                out.push(json!({ "type": "text", "text": breakable(rest, limit) }));
            }
            run.clear();
        };
        self.walk(
            text,
            &mut |piece, color| match color {
                None => run.push_str(piece),
                Some(color) => {
                    flush(&mut run, out);
                    // A word without glyphs is one piece.
                    if piece == missing::BOX && extend_boxes(out) {
                        return;
                    }
                    signs += 1;
                    if signs <= MAX_ELEMENTS {
                        out.push(json!({ "type": "sign", "text": piece, "color": color }));
                    }
                }
            },
            true,
        );
        flush(&mut run, out);
        // A symbol, and the text behind it.
        self.pieces += 2 * signs;
    }

    /// Returns text without colours, in which spaces count: code, titles, descriptions.
    pub(in crate::pdf) fn plain(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.walk(text, &mut |piece, _| out.push_str(piece), false);
        out
    }

    /// Calls `emit` with what is shown for each character of `text`, and its colour.
    fn walk(
        &mut self,
        text: &str,
        emit: &mut dyn FnMut(&str, Option<&'static str>),
        fold_spaces: bool,
    ) {
        let faces = self.faces;
        let mut walk = Walk {
            covers: &|c| faces.covers(c),
            last: &mut self.last,
            dropped: &mut self.dropped,
            missing: &mut self.missing,
        };
        walk.text(text, fold_spaces, emit);
    }
}

/// Lengthens a row of boxes at the end of `out`, which may break anywhere. Returns `false` if there is none.
fn extend_boxes(out: &mut [Value]) -> bool {
    let Some(last) = out.last_mut().filter(|last| last["type"] == "sign") else { return false };
    match &mut last["text"] {
        Value::String(boxes) if boxes.ends_with(missing::BOX) => {
            boxes.push('\u{200B}');
            boxes.push_str(missing::BOX);
            true
        }
        _ => false,
    }
}
