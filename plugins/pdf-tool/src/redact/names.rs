//! Names and comments that say what was to be removed: names of colours, marks and their properties, kinds of the structure,
//! and comments in content.

use crate::content::{Operation, Operations};
use crate::error::Result;
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};
use crate::redact::find::Terms;
use crate::write::{put_plain, reachable};
use mitt_guest::FoldMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Names that the format gives. They say nothing about the document, and another name would have another meaning.
const OF_FORMAT: [&str; 72] = [
    "All",
    "None",
    "Cyan",
    "Magenta",
    "Yellow",
    "Black",
    "Red",
    "Green",
    "Blue",
    "Gray",
    "Artifact",
    "Span",
    "OC",
    "Tx",
    "ReversedChars",
    "Clip",
    "P",
    "H",
    "H1",
    "H2",
    "H3",
    "H4",
    "H5",
    "H6",
    "L",
    "LI",
    "Lbl",
    "LBody",
    "Table",
    "TR",
    "TH",
    "TD",
    "THead",
    "TBody",
    "TFoot",
    "Figure",
    "Formula",
    "Form",
    "Link",
    "Annot",
    "Note",
    "Reference",
    "Document",
    "Part",
    "Art",
    "Sect",
    "Div",
    "BlockQuote",
    "Caption",
    "TOC",
    "TOCI",
    "Index",
    "NonStruct",
    "Private",
    "Quote",
    "BibEntry",
    "Code",
    "Ruby",
    "RB",
    "RT",
    "RP",
    "Warichu",
    "WT",
    "WP",
    "Title",
    "FENote",
    "Sub",
    "Em",
    "Strong",
    "Aside",
    "DocumentFragment",
    "Hyperlink",
];

/// Longest word whose hits are remembered, and most such words. Texts that stand for content are long and many.
const MAX_KNOWN_BYTES: usize = 64;
const MAX_KNOWN: usize = 100_000;

/// Names and texts in the marks of content, each once.
#[derive(Default)]
pub(crate) struct Marks {
    words: BTreeSet<Vec<u8>>,
    /// What stands behind percent signs.
    percents: Vec<String>,
    /// The content has comments.
    pub(crate) has_comments: bool,
}

impl Marks {
    /// Adds those of a mark.
    pub(crate) fn add(&mut self, operation: &Operation<'_>) {
        operation.operands.iter().for_each(|it| self.value(it));
    }

    /// Adds what may be read as a comment of content, even if it stands in a string here.
    pub(crate) fn add_percents(&mut self, content: &[u8]) {
        if content.contains(&b'%') {
            self.percents.extend(comments(content));
        }
    }

    fn value(&mut self, value: &Object) {
        match value {
            Object::Name(_) | Object::Str(_) => self.word(value.as_bytes().unwrap_or_default()),
            Object::Array(values) => values.iter().for_each(|it| self.value(it)),
            Object::Dict(dict) => dict.iter().for_each(|(key, value)| {
                self.word(key);
                self.value(value);
            }),
            _ => {}
        }
    }

    fn word(&mut self, word: &[u8]) {
        if !self.words.contains(word) {
            self.words.insert(word.to_vec());
        }
    }
}

/// Removes names and comments with hits.
pub(super) struct Names<'a> {
    terms: &'a Terms,
    new: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Names that were searched, with `true` if they have a hit.
    known: RefCell<FoldMap<Vec<u8>, bool>>,
    /// Pages whose content has no hits in marks and no comments.
    clear: BTreeSet<u32>,
    /// Places of what was found, one each.
    pub(super) places: Vec<String>,
}

impl<'a> Names<'a> {
    pub(super) fn new(terms: &'a Terms) -> Self {
        Self {
            terms,
            new: BTreeMap::new(),
            known: RefCell::default(),
            clear: BTreeSet::new(),
            places: Vec::new(),
        }
    }

    /// Notes what stands in the marks of a page, so that content without hits need not be read again.
    pub(super) fn note(&mut self, page: u32, marks: &Marks) {
        let has_hit = |it: &Vec<u8>| self.is_word_hit(it);
        if !self.terms.is_listing()
            && !marks.has_comments
            && !marks.words.iter().any(has_hit)
            && !marks.percents.iter().any(|it| self.terms.hit(it))
        {
            self.clear.insert(page);
        }
    }

    /// Renames names with hits, and removes comments with hits. Content of `rewritten` pages and of forms from the number `known`
    /// on was written anew, so it loses all comments.
    ///
    /// # Errors
    ///
    /// `malformed` - content cannot be unpacked.
    pub(super) fn clean(
        &mut self,
        pdf: &mut Pdf,
        rewritten: &BTreeSet<u32>,
        known: u32,
    ) -> Result<()> {
        let mut linked = Linked::default();
        let mut objects = std::mem::take(&mut pdf.objects);
        for (number, value) in objects.iter_mut() {
            self.value(value, &mut linked, number);
        }
        for (number, kind) in linked.0 {
            match (kind, objects.get_mut(&number)) {
                (Kind::Keys, Some(Object::Dict(dict))) => self.keys(dict, "a name", number),
                (Kind::Items, Some(value)) => self.items(value, number),
                _ => {}
            }
        }
        pdf.objects = objects;
        for (at, page) in pdf.pages.clone().into_iter().enumerate() {
            if self.clear.contains(&page) {
                continue;
            }
            let content = pdf.content(page)?;
            let place = format!("the content of page {}", at + 1);
            if let Some(new) = self.content(&content, rewritten.contains(&page), &place) {
                let stream = pdf.add(Stream::deflated(Dict::new(), &new));
                if let Some(dict) = pdf.object_mut(page) {
                    dict.set("Contents", Object::Ref(stream));
                }
            }
        }
        for number in drawn(pdf) {
            let Some(stream) = pdf.objects.get(&number).and_then(Object::as_stream) else {
                continue;
            };
            let content = pdf.decode(stream)?.bytes;
            let place = format!("the content of object {number}");
            if let Some(new) = self.content(&content, number >= known, &place) {
                let dict = stream.dict.clone();
                pdf.objects.insert(number, Stream::deflated(dict, &new).into());
            }
        }
        Ok(())
    }

    fn is_hit(&self, name: &[u8]) -> bool {
        !OF_FORMAT.iter().any(|it| it.as_bytes() == name) && self.is_word_hit(name)
    }

    fn is_word_hit(&self, word: &[u8]) -> bool {
        if let Some(known) = self.known.borrow().get(word) {
            return *known;
        }
        let is_hit = self.terms.hit(&crate::text::decode(word));
        let mut known = self.known.borrow_mut();
        if word.len() <= MAX_KNOWN_BYTES && known.len() < MAX_KNOWN {
            known.insert(word.to_vec(), is_hit);
        }
        is_hit
    }

    /// Returns the new name for one with a hit; `None` if it has none.
    fn renamed(&mut self, name: &[u8], what: &str) -> Option<Vec<u8>> {
        if !self.is_hit(name) {
            return None;
        }
        self.places.push(what.to_owned());
        let free = format!("removed{}", self.new.len() + 1).into_bytes();
        Some(self.new.entry(name.to_vec()).or_insert(free).clone())
    }

    fn name(&mut self, value: &mut Object, what: &str) {
        let new = value.as_name().and_then(|name| self.renamed(name, what));
        if let Some(new) = new {
            *value = Object::Name(new.as_slice().into());
        }
    }

    fn keys(&mut self, dict: &mut Dict, what: &str, number: u32) {
        let what = format!("{what} in object {number}");
        let hit: Vec<Vec<u8>> =
            dict.iter().map(|it| it.0).filter(|it| self.is_hit(it)).map(<[u8]>::to_vec).collect();
        for old in hit {
            let (new, value) = (self.renamed(&old, &what), dict.remove(&old));
            if let (Some(new), Some(value)) = (new, value) {
                dict.set(&new, value);
            }
        }
    }

    fn items(&mut self, value: &mut Object, number: u32) {
        let what = format!("the name of a colour in object {number}");
        match value {
            Object::Array(values) => values.iter_mut().for_each(|it| self.name(it, &what)),
            other => self.name(other, &what),
        }
    }

    /// Renames names in a value: those that stand in places where a document has names of its own.
    fn value(&mut self, value: &mut Object, linked: &mut Linked, number: u32) {
        match value {
            Object::Array(values) => {
                let is_colour = values
                    .first()
                    .is_some_and(|it| it.is_name("Separation") || it.is_name("DeviceN"));
                if let (true, Some(names)) = (is_colour, values.get_mut(1)) {
                    match names.as_ref() {
                        Some(at) => linked.0.push((at, Kind::Items)),
                        None => self.items(names, number),
                    }
                }
                values.iter_mut().for_each(|it| self.value(it, linked, number));
            }
            Object::Dict(dict) => self.dict(dict, linked, number),
            Object::Stream(stream) => self.dict(&mut stream.dict, linked, number),
            _ => {}
        }
    }

    fn dict(&mut self, dict: &mut Dict, linked: &mut Linked, number: u32) {
        let is_element = dict.get("Type").is_name("StructElem") || (dict.has("P") && dict.has("K"));
        for (key, value) in dict.iter_mut() {
            match key {
                b"Properties" | b"Colorants" | b"Solidities" | b"RoleMap" => match &mut *value {
                    Object::Ref(at) => linked.0.push((*at, Kind::Keys)),
                    Object::Dict(names) => self.keys(names, "a name", number),
                    _ => {}
                },
                b"PrintingOrder" | b"Components" | b"DeviceColorant" => match &mut *value {
                    Object::Ref(at) => linked.0.push((*at, Kind::Items)),
                    other => self.items(other, number),
                },
                b"S" if is_element => self.name(value, &format!("a tag in object {number}")),
                _ => {}
            }
            self.value(value, linked, number);
        }
    }

    /// Returns content without names and comments with hits; `None` if it has none. `is_rewritten` content loses all comments.
    fn content(&mut self, content: &[u8], is_rewritten: bool, place: &str) -> Option<Vec<u8>> {
        // Most content has neither, and is not read again.
        let has_marks = |it: &[u8]| matches!(it, b"MC" | b"DC" | b"MP" | b"DP");
        if !content.contains(&b'%') && !content.windows(2).any(has_marks) {
            return None;
        }
        let has_comments = content.contains(&b'%')
            && (is_rewritten || comments(content).any(|it| self.terms.hit(&it)));
        let mut edits: Vec<(std::ops::Range<usize>, Vec<u8>)> = Vec::new();
        let mut at = 0;
        for operation in Operations::new(content) {
            let gap = at..operation.span.start.max(at);
            at = operation.span.end.max(at);
            if has_comments && content[gap.clone()].contains(&b'%') {
                edits.push((gap, b"\n".to_vec()));
            }
            let is_marked = matches!(operation.operator, b"BMC" | b"BDC" | b"MP" | b"DP");
            let has_comment = has_comments
                && operation.operator != b"BI"
                && content[operation.span.clone()].contains(&b'%');
            let mark = if is_marked { self.mark(&operation, place) } else { None };
            if has_comment || mark.is_some() {
                let operands = mark.unwrap_or_else(|| operation.operands.clone());
                let mut new = Vec::new();
                for operand in &operands {
                    put_plain(&mut new, operand);
                    new.push(b' ');
                }
                new.extend_from_slice(operation.operator);
                edits.push((operation.span.clone(), new));
            }
        }
        if has_comments && content[at..].contains(&b'%') {
            edits.push((at..content.len(), b"\n".to_vec()));
        }
        if edits.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(content.len());
        let mut at = 0;
        for (span, new) in edits {
            out.extend_from_slice(&content[at..span.start]);
            out.extend_from_slice(&new);
            at = span.end;
        }
        out.extend_from_slice(&content[at..]);
        if has_comments && comments(content).any(|it| self.terms.hit(&it)) {
            self.places.push(format!("a comment in {place}"));
        }
        Some(out)
    }

    /// Returns the operands of a mark without hits; `None` if it has none.
    fn mark(&mut self, operation: &Operation<'_>, place: &str) -> Option<Vec<Object>> {
        let before = self.places.len();
        let mut operands = operation.operands.clone();
        let what = format!("the name of a mark in {place}");
        for operand in &mut operands {
            match operand {
                Object::Name(_) => self.name(operand, &what),
                Object::Dict(dict) => {
                    let length = dict.len();
                    dict.retain(|key, value| !self.is_hit(key) && !self.says(value));
                    if dict.len() < length {
                        self.places.push(format!("a property of a mark in {place}"));
                    }
                }
                _ => {}
            }
        }
        (self.places.len() > before).then_some(operands)
    }

    fn says(&self, value: &Object) -> bool {
        match value {
            Object::Name(name) => self.is_hit(name),
            Object::Str(text) => self.terms.hit(&crate::text::decode(text)),
            Object::Array(values) => values.iter().any(|it| self.says(it)),
            Object::Dict(dict) => dict.iter().any(|it| self.is_hit(it.0) || self.says(it.1)),
            _ => false,
        }
    }
}

/// Names that stand in an object of their own.
#[derive(Default)]
struct Linked(Vec<(u32, Kind)>);

enum Kind {
    Keys,
    Items,
}

/// Returns what stands behind each percent sign, to the end of its line. Some of it may stand in a string.
fn comments(content: &[u8]) -> impl Iterator<Item = String> {
    content.split(|it| matches!(it, b'\n' | b'\r')).filter_map(|line| {
        let at = line.iter().position(|it| *it == b'%')?;
        Some(crate::text::decode(&line[at + 1..]))
    })
}

/// Returns the numbers of streams with content other than that of pages: forms, patterns, glyphs.
fn drawn(pdf: &Pdf) -> BTreeSet<u32> {
    let numbers = reachable(pdf).sorted();
    let mut drawn = BTreeSet::new();
    for number in numbers {
        match pdf.objects.get(&number) {
            Some(Object::Stream(stream)) => {
                let is_form = pdf.value(&stream.dict, "Subtype").is_name("Form");
                if is_form || pdf.value(&stream.dict, "PatternType").as_int() == Some(1) {
                    drawn.insert(number);
                }
            }
            Some(Object::Dict(dict)) if pdf.value(dict, "Subtype").is_name("Type3") => {
                let glyphs = pdf.dict(dict, "CharProcs").into_iter().flat_map(Dict::iter);
                drawn.extend(glyphs.filter_map(|it| it.1.as_ref()));
            }
            _ => {}
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_short_words_are_remembered() {
        let terms = Terms::new(&["secret".to_owned()], &[], true).unwrap();
        let names = Names::new(&terms);
        let long = [&[b'x'; MAX_KNOWN_BYTES][..], b"secret"].concat();
        assert!(names.is_word_hit(&long) && names.known.borrow().is_empty());
        for at in 0..MAX_KNOWN + 10 {
            assert!(!names.is_word_hit(at.to_string().as_bytes()));
        }
        assert_eq!(names.known.borrow().len(), MAX_KNOWN);
        assert!(names.is_word_hit(b"a secret"), "what is not remembered is still searched");
    }
}
