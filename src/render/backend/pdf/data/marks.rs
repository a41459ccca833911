//! Formulas and references of a text as data for the template.

use serde_json::{Value, json};

use super::super::formula;
use super::Converter;
use crate::shared::glyphs::breaks::breakable;
use crate::shared::losses::LossKind;
use crate::shared::math;
use crate::shared::notes::Reference;

impl Converter<'_> {
    pub(super) fn math(&mut self, text: &str, display: bool) -> Value {
        let formula = match math::formula(text) {
            Ok(formula) => formula,
            Err(what) => {
                self.losses.record(LossKind::Math, &what);
                let text = self.plain(text);
                self.last = text.chars().next_back();
                return json!({ "type": "code", "text": breakable(&text, self.max_word) });
            }
        };
        formula.left_out.iter().for_each(|what| self.losses.record(LossKind::MathLook, what));
        let steps = formula::steps(&formula, &mut |words| self.plain(words));
        let tag = formula.tag.as_ref().map(|tag| self.plain(&format!("({tag})")));
        self.last = Some(')');
        let source = text.split_whitespace().collect::<Vec<_>>().join(" ");
        json!({ "type": "formula", "display": display, "source": source, "tag": tag, "steps": steps })
    }

    /// Returns a reference. Within a footnote it cannot open another one, or Typst would set nested notes without end.
    pub(super) fn footnote(&mut self, index: usize) -> Value {
        match self.notes.reference(index) {
            Reference::First(number) => json!({ "type": "note", "number": number }),
            Reference::Again(number) => json!({ "type": "note-again", "number": number }),
            Reference::Number(number) => json!({ "type": "note-number", "number": number }),
            Reference::Inline(text) => {
                let text = self.plain(&text);
                json!({ "type": "text", "text": breakable(&format!("[{text}]"), self.max_word) })
            }
            Reference::Nothing => json!({ "type": "text", "text": "" }),
        }
    }
}
