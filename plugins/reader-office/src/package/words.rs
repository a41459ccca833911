//! Rewrites the XML of a Word text for the library. What the library would flatten or leave out is put in as text.
//!
//! Equations become LaTeX, ruby text follows its base, formula fields become their result, and automatic numbers become
//! a mark at the start of their paragraph. Everything else stays byte for byte.

use crate::marks;
use crate::math;
use crate::notes::Notes;
use crate::numbering::{Counters, Numbering};
use crate::splice::Splice;
use crate::xml::{self, Node};
use quick_xml::events::{BytesStart, Event};

/// Shared state of the texts of one document.
pub(super) struct Words<'a> {
    pub(super) numbering: Option<&'a Numbering>,
    pub(super) notes: &'a mut Notes,
    pub(super) chunk: &'a mut Chunk<'a>,
}

/// Returns the paragraphs for an inserted document by its relationship id. The second argument is `false` inside a
/// table.
type Chunk<'a> = dyn FnMut(&str, bool, &mut Notes) -> Option<Vec<String>> + 'a;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Body,
    Paragraph,
    /// The content before it again, for older programs.
    Fallback,
    Object,
    Other,
}

/// A field that has begun.
#[derive(Default)]
struct Field {
    instruction: String,
    is_in_result: bool,
    has_result: bool,
}

struct Rewriter<'w, 'a, 'text> {
    words: &'w mut Words<'a>,
    counters: Counters,
    out: Splice<'text>,
    /// Prefix of the main namespace, usually `w:`.
    prefix: String,
    scopes: Vec<Scope>,
    fields: Vec<Field>,
    has_old_equation: bool,
}

/// Returns the rewritten text; `None` if it is not XML. The library then reports that.
pub(super) fn rewrite(text: &str, words: &mut Words<'_>) -> Option<String> {
    let mut reader = xml::reader(text);
    let mut rewriter = Rewriter {
        words,
        counters: Counters::default(),
        out: Splice::new(text),
        prefix: String::new(),
        scopes: Vec::new(),
        fields: Vec::new(),
        has_old_equation: false,
    };
    loop {
        let from = reader.buffer_position() as usize;
        match reader.read_event().ok()? {
            Event::Start(start) => {
                if rewriter.takes_tree(&start) {
                    let node = xml::tree(&mut reader, &start)?;
                    rewriter.tree(&start, &node, from..reader.buffer_position() as usize);
                } else {
                    rewriter.open(&start, reader.buffer_position() as usize);
                }
            }
            Event::Empty(empty) => {
                if rewriter.takes_tree(&empty) {
                    let node = Node::leaf(&empty);
                    rewriter.tree(&empty, &node, from..reader.buffer_position() as usize);
                } else if empty.local_name().as_ref() == "OLEObject" {
                    rewriter.old_equation(&empty);
                }
            }
            Event::End(_) => rewriter.close(reader.buffer_position() as usize),
            Event::Eof => break,
            _ => {}
        }
    }
    Some(rewriter.out.finish())
}

impl Rewriter<'_, '_, '_> {
    /// Returns whether an element is read as a tree.
    fn takes_tree(&self, start: &BytesStart<'_>) -> bool {
        match start.local_name().as_ref() {
            "oMath" | "oMathPara" | "ruby" | "instrText" | "fldChar" | "altChunk" => true,
            "pPr" => {
                self.scopes.last() == Some(&Scope::Paragraph)
                    && start.name().as_ref().strip_suffix("pPr") == Some(&self.prefix)
            }
            _ => false,
        }
    }

    fn open(&mut self, start: &BytesStart<'_>, behind: usize) {
        let name = start.name();
        let place = match name.local_name().as_ref() {
            "body" => Scope::Body,
            "p" => Scope::Paragraph,
            "Fallback" => Scope::Fallback,
            "object" => Scope::Object,
            "t" => {
                if let Some(field) = self.fields.last_mut().filter(|field| field.is_in_result) {
                    field.has_result = true;
                }
                Scope::Other
            }
            "OLEObject" => {
                self.old_equation(start);
                Scope::Other
            }
            "fldSimple" => {
                let instruction =
                    Node::leaf(start).attribute("instr").unwrap_or_default().to_owned();
                if let Some(text) = self.field_text(&instruction) {
                    let run = self.run(&text);
                    self.out.insert(behind, &run);
                }
                Scope::Other
            }
            _ => Scope::Other,
        };
        if self.scopes.is_empty() {
            let local = name.local_name();
            self.prefix = name.as_ref().strip_suffix(local.as_ref()).unwrap_or_default().to_owned();
        }
        self.scopes.push(place);
    }

    fn close(&mut self, behind: usize) {
        if self.scopes.pop() == Some(Scope::Object) && std::mem::take(&mut self.has_old_equation) {
            let text = self.text("[equation that was not read]");
            self.out.insert(behind, &text);
        }
    }

    fn old_equation(&mut self, start: &BytesStart<'_>) {
        let is_equation = Node::leaf(start)
            .attribute("ProgID")
            .is_some_and(|program| program.to_ascii_lowercase().starts_with("equation"));
        if is_equation && !self.is_fallback() {
            self.words.notes.old_equations += 1;
            self.has_old_equation = self.scopes.contains(&Scope::Object);
        }
    }

    fn is_fallback(&self) -> bool {
        self.scopes.contains(&Scope::Fallback)
    }

    fn tree(&mut self, start: &BytesStart<'_>, node: &Node, range: std::ops::Range<usize>) {
        match start.local_name().as_ref() {
            "oMath" => {
                let latex = math::latex(node, self.words.notes);
                let run = self.equation(&latex, false);
                self.out.replace(range, &run);
            }
            "oMathPara" => {
                let mut runs = Vec::new();
                for equation in node.nodes().filter(|inner| inner.name == "oMath") {
                    let latex = math::latex(equation, self.words.notes);
                    runs.push(self.equation(&latex, true));
                }
                runs.retain(|run| !run.is_empty());
                let pause = format!("<{0}r><{0}br/></{0}r>", self.prefix);
                self.out.replace(range, &runs.join(&pause));
            }
            "ruby" => {
                let part = |name| node.child(name).map(Node::text).unwrap_or_default();
                let (base, reading) = (part("rubyBase"), part("rt"));
                let text = if reading.trim().is_empty() {
                    base
                } else {
                    format!("{base}({})", reading.trim())
                };
                // Word puts it into a run. The examples of the standard put it beside one.
                let text = if self.is_in_run() { self.text(&text) } else { self.run(&text) };
                self.out.replace(range, &text);
            }
            "instrText" => {
                if let Some(field) = self.fields.last_mut().filter(|field| !field.is_in_result) {
                    field.instruction.push_str(&node.text());
                }
            }
            "fldChar" => self.field(node, range.end),
            "pPr" => {
                if !self.is_fallback()
                    && let Some(numbering) = self.words.numbering
                    && let Some(label) = numbering.label(node, &mut self.counters, self.words.notes)
                {
                    let run = self.run(&marks::label(&label));
                    self.out.insert(range.end, &run);
                }
            }
            "altChunk" => {
                let Some(id) = node.attribute("id") else { return };
                let is_in_body = self.scopes.last() == Some(&Scope::Body);
                if let Some(lines) = (self.words.chunk)(id, is_in_body, self.words.notes) {
                    let paragraphs: String = lines
                        .iter()
                        .map(|line| format!("<{0}p>{1}</{0}p>", self.prefix, self.run(line)))
                        .collect();
                    self.out.replace(range, &paragraphs);
                }
            }
            _ => {}
        }
    }

    /// Handles the beginning, middle or end of a field.
    fn field(&mut self, node: &Node, behind: usize) {
        match node.attribute("fldCharType") {
            Some("separate") => {
                if let Some(field) = self.fields.last_mut() {
                    field.is_in_result = true;
                }
            }
            Some("end") => {
                let Some(field) = self.fields.pop() else { return };
                if !field.has_result
                    && let Some(text) = self.field_text(&field.instruction)
                {
                    let text = self.text(&text);
                    self.out.insert(behind, &text);
                }
            }
            _ => self.fields.push(Field::default()),
        }
    }

    /// Returns the result of a formula field; `None` for other fields.
    fn field_text(&mut self, instruction: &str) -> Option<String> {
        let is_formula = instruction.trim_start().get(..3).is_some_and(|start| {
            start.eq_ignore_ascii_case("eq ") || start.eq_ignore_ascii_case("eq\\")
        });
        if !is_formula {
            return None;
        }
        Some(match math::from_field(instruction) {
            Some(text) if text.starts_with('$') => marks::raw(&text),
            Some(text) => text,
            None => {
                self.words.notes.unread_fields += 1;
                format!("[{}]", instruction.trim())
            }
        })
    }

    fn is_in_run(&self) -> bool {
        // `scopes` has no entry of its own for a run. Only paragraphs hold runs, so anything but a paragraph counts as
        // one.
        self.scopes.last() != Some(&Scope::Paragraph)
    }

    fn equation(&self, latex: &str, is_display: bool) -> String {
        match math::delimited(latex, is_display).as_str() {
            "" => String::new(),
            text => self.run(&marks::raw(text)),
        }
    }

    fn run(&self, text: &str) -> String {
        format!("<{0}r>{1}</{0}r>", self.prefix, self.text(text))
    }

    fn text(&self, text: &str) -> String {
        format!("<{0}t xml:space=\"preserve\">{1}</{0}t>", self.prefix, xml::escape(text))
    }
}
