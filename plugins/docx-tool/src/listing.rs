//! The fields and content controls of a document with their anchors.

use crate::controls::{self, Control};
use crate::fields;
use crate::story::{Anchors, Document, shorten};
use crate::xml::Ns;

/// A field or a content control.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldInfo {
    /// `PAGE`, `REF`, `FORMTEXT`; of a content control `text`, `drop-down`, `check box`.
    pub kind: String,
    /// Anchor of the paragraph where it begins.
    pub at: Option<String>,
    /// Title of a content control, or name of a form field.
    pub title: Option<String>,
    /// Tag of a content control.
    pub tag: Option<String>,
    /// Instruction of a field.
    pub instruction: Option<String>,
    /// What it shows; `true` or `false` for a check box.
    pub value: String,
    /// What a list offers.
    pub choices: Vec<String>,
    pub is_locked: bool,
}

impl Document {
    /// Lists the fields and content controls of all parts in document order: of each part first its controls.
    pub fn fields(&self) -> Vec<FieldInfo> {
        let mut anchors = Anchors::new(self);
        let mut out = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let tree = self.tree(index);
            for control in controls::find(tree) {
                let is_twin = tree
                    .ancestors(control.node)
                    .any(|it| tree.ns(it) == Ns::Mc && tree.local(it) == "Fallback");
                if is_twin {
                    continue;
                }
                let inner = controls::paragraphs(tree, control.node).first().copied();
                let at = match inner {
                    Some(paragraph) => anchors.of(index, paragraph),
                    None => anchors.around(index, control.node),
                };
                let value = shorten(&controls::value(tree, &control, &part.codes), 300);
                let choices = controls::choices(tree, control.node);
                let Control { kind, title, tag, is_locked, .. } = control;
                out.push(FieldInfo {
                    kind: kind.name().to_owned(),
                    at,
                    title,
                    tag,
                    instruction: None,
                    value,
                    choices: choices.into_iter().map(|it| it.0).collect(),
                    is_locked,
                });
            }
            for field in fields::find(tree) {
                out.push(FieldInfo {
                    at: anchors.around(index, field.node),
                    kind: field.kind,
                    title: field.name,
                    instruction: Some(field.instruction),
                    value: field.result,
                    choices: field.choices,
                    ..FieldInfo::default()
                });
            }
        }
        out
    }
}
