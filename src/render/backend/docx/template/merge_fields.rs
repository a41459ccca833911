//! Merge fields of Word, `MERGEFIELD amount \# "#,##0.00"`. Fields whose name has a value become marks and are filled like
//! them, also in rows of tables. All others stay as they are, with a warning.

use std::collections::BTreeSet;

use super::tree::{Element, Node};
use mitt_base::text;

/// Most names in a warning.
const MAX_LISTED: usize = 20;

/// Most characters of an instruction that fit into a mark.
const MAX_INSTRUCTION: usize = 300;

/// Names of values, and names of fields without one.
pub(super) struct MergeFields<'v> {
    names: BTreeSet<&'v str>,
    left: BTreeSet<String>,
}

/// A field that consists of several runs.
#[derive(Default)]
struct OpenField {
    /// Its start among the nodes.
    start: usize,
    instruction: String,
    /// Formatting of the run that shows its result, or else of the one that begins it.
    looks: Option<Element>,
    has_result: bool,
    is_result: bool,
    /// `true` if it contains other fields, or elements that do not belong to a field.
    is_mixed: bool,
    depth: usize,
}

impl<'v> MergeFields<'v> {
    pub(super) fn new(names: BTreeSet<&'v str>) -> MergeFields<'v> {
        MergeFields { names, left: BTreeSet::new() }
    }

    /// Turns the fields in an element into marks.
    pub(super) fn replace_with_marks(&mut self, element: &mut Element) {
        element.elements_mut().for_each(|inner| self.replace_with_marks(inner));
        let has_fields = element.elements().any(|inner| {
            inner.is("w:fldSimple") || (inner.is("w:r") && inner.find("w:fldChar").is_some())
        });
        if !has_fields {
            return;
        }
        let mut nodes: Vec<Node> = Vec::with_capacity(element.children.len());
        let mut open: Option<OpenField> = None;
        for node in std::mem::take(&mut element.children) {
            let at = nodes.len();
            let mut ends = false;
            let mut made = None;
            if let Some(inner) = node.element() {
                match (inner.name.as_str(), &mut open) {
                    ("w:fldSimple", None) => {
                        let instruction = inner.get("w:instr").unwrap_or_default();
                        let run = inner.find("w:r").and_then(|run| run.find("w:rPr"));
                        let is_mixed = inner.elements().any(|it| !it.is("w:r") && !is_aside(it));
                        made = self.mark(&instruction, is_mixed, run.cloned());
                    }
                    ("w:r", None) if inner.find("w:fldChar").is_some() => {
                        let mut field = OpenField { start: at, ..OpenField::default() };
                        ends = field.read(inner);
                        open = Some(field);
                    }
                    (_, None) => {}
                    ("w:r", Some(field)) => ends = field.read(inner),
                    (_, Some(field)) => field.is_mixed |= !is_aside(inner),
                }
            }
            nodes.push(match made {
                Some(run) => run,
                None => node,
            });
            if ends
                && let Some(field) = open.take()
                && let Some(run) = self.mark(&field.instruction, field.is_mixed, field.looks)
            {
                nodes.truncate(field.start);
                nodes.push(run);
            }
        }
        // The field continues in another paragraph.
        if let Some(field) = open {
            self.mark(&field.instruction, true, None);
        }
        element.children = nodes;
    }

    /// Returns the run with a mark that replaces a field; `None` if the field stays.
    fn mark(&mut self, instruction: &str, is_mixed: bool, looks: Option<Element>) -> Option<Node> {
        let rest = instruction.trim();
        let kind = rest.split_whitespace().next()?;
        if !kind.eq_ignore_ascii_case("MERGEFIELD") {
            // Another field, such as `IF`, with a merge field in it.
            if instruction.to_ascii_uppercase().contains("MERGEFIELD") {
                self.leave(rest);
            }
            return None;
        }
        let rest = rest[kind.len()..].trim_start();
        let quotes = ['"', '“', '”'];
        let (name, switches) = match rest.strip_prefix(quotes) {
            Some(inner) => inner.split_once(quotes).unwrap_or((inner, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        // Word writes a column name with a space as `Unit_price`.
        let spaced = name.replace('_', " ");
        let known = |name: &str| {
            let first = name.split('.').next().unwrap_or(name);
            self.names.contains(name) || self.names.contains(first)
        };
        let found = [name, &spaced].into_iter().find(|name| known(name));
        let is_plain = !is_mixed
            && !instruction.contains(['{', '}', '\n'])
            && instruction.chars().count() <= MAX_INSTRUCTION;
        let Some(found) = found.filter(|_| is_plain) else {
            self.leave(name);
            return None;
        };
        let switches = switches.trim();
        let space = if switches.is_empty() { "" } else { " " };
        let mark = format!("{{{{{found}{space}{switches}}}}}");
        let mut run = Element::new("w:r", "");
        run.children.extend(looks.map(Node::Element));
        let text_element = Element::with_text("w:t", " xml:space=\"preserve\"", &mark);
        run.children.push(Node::Element(text_element));
        Some(Node::Element(run))
    }

    fn leave(&mut self, name: &str) {
        if self.left.len() < MAX_LISTED {
            self.left.insert(text::one_line(&text::shortened(name, 60)).to_string());
        }
    }

    /// Returns a warning about the fields that stay.
    pub(super) fn warning(&self) -> Option<String> {
        let left: Vec<String> = self.left.iter().map(|name| format!("`{name}`")).collect();
        (!left.is_empty()).then(|| {
            format!(
                "merge fields are left as they are, as no value has their name, or other fields stand in them or around them: {}",
                left.join(", ")
            )
        })
    }
}

/// Returns `true` for spelling marks and bookmarks, which do not affect a field.
fn is_aside(element: &Element) -> bool {
    matches!(
        element.name.as_str(),
        "w:proofErr" | "w:bookmarkStart" | "w:bookmarkEnd" | "w:pPr" | "w:rPr"
    )
}

impl OpenField {
    /// Reads a run of a field. Returns `true` if the field ends in it.
    fn read(&mut self, run: &Element) -> bool {
        let looks = run.find("w:rPr");
        if self.looks.is_none() {
            self.looks = looks.cloned();
        }
        let mut has_ended = false;
        for inner in run.elements() {
            // Content behind the end in the same run would be lost.
            self.is_mixed |= has_ended;
            match inner.name.as_str() {
                "w:rPr" => {}
                "w:fldChar" => match inner.get("w:fldCharType").as_deref() {
                    Some("begin") => {
                        self.depth += 1;
                        self.is_mixed |= self.depth > 1;
                    }
                    Some("separate") if self.depth == 1 => self.is_result = true,
                    Some("end") => {
                        self.depth = self.depth.saturating_sub(1);
                        has_ended = self.depth == 0;
                    }
                    _ => {}
                },
                "w:instrText" => self.instruction.push_str(&inner.text()),
                // Content before the field begins, or within its instruction.
                _ if self.depth == 0 || !self.is_result => self.is_mixed = true,
                _ if !self.has_result => {
                    self.has_result = true;
                    self.looks = looks.cloned().or_else(|| self.looks.take());
                }
                _ => {}
            }
        }
        has_ended
    }
}
