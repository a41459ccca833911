//! The texts of one part of an office file. Tags and texts are streamed; only a paragraph or a cell is kept as a whole.

use std::borrow::Cow;

use super::Inspect;
use super::run::{TextSegment, joined, leave_out};
use crate::shared::xml_tokens::{
    Tag, TagKind, XmlToken, escape, set_attribute, unescape, with_attributes, xml_tokens,
};
use mitt_base::{Error, Result};

/// Most tags and texts of a paragraph, including nested ones.
const MAX_KEPT: usize = 2_000_000;

/// Most nested elements.
const MAX_DEPTH: usize = 4_096;

/// Elements whose texts belong together: paragraphs of Word and drawings, texts of cells and of their comments.
const GROUPS: [&str; 5] = ["p", "si", "is", "text", "rPh"];

/// Elements that contain a formula.
const FORMULAS: [&str; 4] = ["definedName", "formula", "formula1", "formula2"];

/// Attributes with text for readers.
const ATTRIBUTES: [&str; 10] = [
    "descr",
    "title",
    "tooltip",
    "display",
    "prompt",
    "promptTitle",
    "error",
    "errorTitle",
    "alt",
    "displayName",
];

pub(super) struct PartInspector<'p, 'a> {
    look: &'p mut dyn Inspect,
    mark: String,
    is_relationships: bool,
    out: String,
    is_changed: bool,
    /// The open elements that determine what a text is.
    open: Vec<&'a str>,
    /// Tags and texts since the outermost group began.
    kept: Vec<Cow<'a, str>>,
    groups: Vec<Vec<Slot>>,
    cell: Option<Cell<'a>>,
}

/// A text of a group.
struct Slot {
    /// Its index in `kept`; `None` for characters that are not text in the file, such as line breaks.
    at: Option<usize>,
    text: String,
}

/// A cell of a sheet.
struct Cell<'a> {
    tag: Tag<'a>,
    raw: String,
    formula: Option<(String, bool)>,
    value: String,
}

impl<'p, 'a> PartInspector<'p, 'a> {
    pub(super) fn new(look: &'p mut dyn Inspect, is_relationships: bool) -> PartInspector<'p, 'a> {
        let mark = look.mark().to_owned();
        PartInspector {
            look,
            mark,
            is_relationships,
            out: String::new(),
            is_changed: false,
            open: Vec::new(),
            kept: Vec::new(),
            groups: Vec::new(),
            cell: None,
        }
    }

    /// Returns the part without what is left out; `None` if nothing is.
    pub(super) fn read(mut self, xml: &'a str) -> Result<Option<String>> {
        let is_sheet = xml_tokens(xml).find_map(|token| match token {
            XmlToken::Tag(tag) => Some(tag.name == "worksheet"),
            _ => None,
        });
        for token in xml_tokens(xml) {
            match token {
                XmlToken::Tag(tag) => self.tag(tag, is_sheet == Some(true))?,
                XmlToken::Text(raw) => self.text(raw, unescape(raw))?,
                XmlToken::Other(raw) => match raw.strip_prefix("<![CDATA[") {
                    Some(text) => {
                        self.text(raw, text.strip_suffix("]]>").unwrap_or(text).to_owned())?
                    }
                    None => self.push(Cow::Borrowed(raw))?,
                },
            }
        }
        while let Some(group) = self.groups.pop() {
            self.group(group)?;
        }
        self.flush();
        Ok(self.is_changed.then_some(self.out))
    }

    fn push(&mut self, raw: Cow<'a, str>) -> Result<()> {
        if let Some(cell) = &mut self.cell {
            cell.raw.push_str(&raw);
        } else if self.groups.is_empty() {
            self.out.push_str(&raw);
        } else if self.kept.len() < MAX_KEPT {
            self.kept.push(raw);
        } else {
            let message = format!("expected a paragraph of at most {MAX_KEPT} tags and texts");
            return Err(Error::input(message).hint("divide the paragraph"));
        }
        Ok(())
    }

    fn flush(&mut self) {
        self.kept.drain(..).for_each(|raw| self.out.push_str(&raw));
    }

    fn tag(&mut self, tag: Tag<'a>, is_sheet: bool) -> Result<()> {
        if self.open.len() > MAX_DEPTH {
            let message = format!("expected at most {MAX_DEPTH} elements within each other");
            return Err(Error::input(message).hint("save the template once more in its program"));
        }
        let raw = self.attributes(&tag)?;
        let is_group =
            GROUPS.contains(&tag.name) && self.cell.as_ref().is_none_or(|_| tag.name == "is");
        match tag.kind {
            TagKind::Open if is_sheet && tag.name == "c" && self.groups.is_empty() => {
                self.open.push(tag.name);
                let raw = raw.into_owned();
                self.cell = Some(Cell { tag, raw, formula: None, value: String::new() });
                return Ok(());
            }
            TagKind::Open => {
                if is_group {
                    if let Some(cell) = self.cell.take() {
                        // The text of a cell with nothing else, and no formula.
                        self.out.push_str(&cell.raw);
                    }
                    self.groups.push(Vec::new());
                }
                if tag.name == "f"
                    && let Some(cell) = &mut self.cell
                {
                    let is_shared = matches!(tag.attribute("t"), Some("shared" | "array"));
                    cell.formula = Some((String::new(), is_shared));
                }
                self.open.push(tag.name);
            }
            TagKind::Empty => {
                let drawn = match tag.name {
                    "br" | "cr" => "\n",
                    "tab" => "\t",
                    "noBreakHyphen" => "-",
                    _ => "",
                };
                if let Some(group) = self.groups.last_mut().filter(|_| !drawn.is_empty()) {
                    group.push(Slot { at: None, text: drawn.to_owned() });
                }
            }
            TagKind::Close => {
                if self.open.last() == Some(&tag.name) {
                    self.open.pop();
                }
                if tag.name == "c"
                    && let Some(cell) = self.cell.take()
                {
                    return self.cell_ends(cell, tag.raw);
                }
                self.push(raw)?;
                if is_group && let Some(group) = self.groups.pop() {
                    self.group(group)?;
                    if self.groups.is_empty() {
                        self.flush();
                    }
                }
                return Ok(());
            }
        }
        self.push(raw)
    }

    fn text(&mut self, raw: &'a str, text: String) -> Result<()> {
        let parent = self.open.last().copied().unwrap_or_default();
        if let Some(cell) = &mut self.cell {
            match (parent, &mut cell.formula) {
                ("f", Some((formula, _))) => formula.push_str(&text),
                ("v", _) => cell.value.push_str(&text),
                _ => {}
            }
            return self.push(Cow::Borrowed(raw));
        }
        if let (Some(group), "t") = (self.groups.last_mut(), parent) {
            group.push(Slot { at: Some(self.kept.len()), text });
            return self.push(Cow::Borrowed(raw));
        }
        let is_blank = text.trim().is_empty();
        let new = if is_blank {
            None
        } else if FORMULAS.contains(&parent) {
            let is_out = self.look.formula(&text)?;
            is_out.then(|| format!("\"{}\"", self.mark))
        } else {
            let is_number = parent == "v" && self.open.contains(&"numCache");
            let new = self.changed(&text)?;
            // Numbers must not contain text.
            if is_number { new.map(|_| "#N/A".to_owned()) } else { new }
        };
        self.is_changed |= new.is_some();
        self.push(new.map_or(Cow::Borrowed(raw), |new| Cow::Owned(escape(&new))))
    }

    /// Returns a single text without what is left out; `None` if nothing is.
    fn changed(&mut self, text: &str) -> Result<Option<String>> {
        let ranges = self.look.text(text)?;
        if ranges.is_empty() {
            return Ok(None);
        }
        let mut text = text.to_owned();
        leave_out(vec![TextSegment::Text(&mut text)], &ranges, &self.mark);
        Ok(Some(text))
    }

    /// Ends a group: inspects its texts together.
    fn group(&mut self, mut group: Vec<Slot>) -> Result<()> {
        if group.is_empty() {
            return Ok(());
        }
        let before: Vec<usize> = group.iter().map(|slot| slot.text.len()).collect();
        let run = |group: &mut Vec<Slot>| -> String {
            joined(
                &group.iter_mut().map(|slot| TextSegment::Text(&mut slot.text)).collect::<Vec<_>>(),
            )
        };
        let text = run(&mut group);
        let ranges = self.look.text(&text)?;
        if ranges.is_empty() {
            return Ok(());
        }
        self.is_changed = true;
        let run = group.iter_mut().map(|slot| match slot.at {
            Some(_) => TextSegment::Text(&mut slot.text),
            None => TextSegment::Fixed(match slot.text.as_str() {
                "\n" => "\n",
                "\t" => "\t",
                _ => "-",
            }),
        });
        leave_out(run.collect(), &ranges, &self.mark);
        for (slot, before) in group.iter().zip(before) {
            let Some(at) = slot.at.filter(|_| slot.text.len() != before || before > 0) else {
                continue;
            };
            if let Some(kept) = self.kept.get_mut(at) {
                *kept = Cow::Owned(escape(&slot.text));
            }
            let is_kept = slot.text.trim() == slot.text;
            if let Some(tag) = at.checked_sub(1).and_then(|at| self.kept.get_mut(at))
                && !is_kept
                && !tag.starts_with("<a:")
            {
                *tag = Cow::Owned(set_attribute(tag, "xml:space", "preserve"));
            }
        }
        Ok(())
    }

    /// Ends a cell without inline text: inspects its formula and its value. If something is left out, the cell becomes text.
    fn cell_ends(&mut self, cell: Cell<'a>, end: &str) -> Result<()> {
        let is_text = cell.tag.attribute("t") == Some("str");
        let is_index = cell.tag.attribute("t") == Some("s");
        let formula = match &cell.formula {
            Some((formula, _)) if !formula.is_empty() => self.look.formula(formula)?,
            _ => false,
        };
        let value =
            if is_index || cell.value.is_empty() { None } else { self.changed(&cell.value)? };
        if !formula && value.is_none() {
            self.out.push_str(&cell.raw);
            self.out.push_str(end);
            return Ok(());
        }
        let place = cell.tag.text("r").unwrap_or_default();
        if cell.formula.is_some_and(|(_, is_shared)| is_shared) {
            let message = format!(
                "cell {place}: rules about content leave something out of a formula that other cells share"
            );
            return Err(Error::input(message).hint("write the formula of each of them by itself"));
        }
        self.is_changed = true;
        let shown = match value {
            Some(value) => value,
            None if is_text && !cell.value.is_empty() => cell.value,
            None => self.mark.clone(),
        };
        let prefix = cell.tag.prefix();
        self.out.push_str(&set_attribute(cell.tag.raw, "t", "inlineStr"));
        let shown = escape(&shown);
        self.out.push_str(&format!(
            "<{prefix}is><{prefix}t xml:space=\"preserve\">{shown}</{prefix}t></{prefix}is>{end}"
        ));
        Ok(())
    }

    /// Returns a tag after inspecting its attributes with text for readers.
    fn attributes(&mut self, tag: &Tag<'a>) -> Result<Cow<'a, str>> {
        if tag.kind == TagKind::Close || !tag.raw.contains('=') {
            return Ok(Cow::Borrowed(tag.raw));
        }
        let is_external = self.is_relationships && tag.attribute("TargetMode").is_some();
        let mut failed = None;
        let changed = with_attributes(tag.raw, |name, value| {
            let is_address = name == "Target" && is_external;
            let is_name =
                name == "name" && matches!(tag.name, "sheet" | "docPr" | "cNvPr" | "tableColumn");
            if failed.is_some() || !(is_address || is_name || ATTRIBUTES.contains(&name)) {
                return None;
            }
            match self.changed(&unescape(value)) {
                Ok(Some(_)) if tag.name == "sheet" => {
                    let message = "rules about content leave something out of the name of a sheet";
                    failed = Some(Error::input(message).hint("give the sheet another name"));
                    None
                }
                // Addresses must not contain brackets.
                Ok(Some(_)) if is_address => Some("about:blank".to_owned()),
                Ok(new) => new,
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        self.is_changed |= changed.is_some();
        Ok(changed.map_or(Cow::Borrowed(tag.raw), Cow::Owned))
    }
}
