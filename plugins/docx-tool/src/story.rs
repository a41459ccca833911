//! The paragraphs and tables of a document with their anchors: `p12-3fa9` is the thirteenth paragraph of the body, whose
//! accepted text has this hash.

use crate::error::{Error, Result};
use crate::package::Package;
use crate::text::{Line, View, field_codes};
use crate::xml::{Id, Ns, Tree};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most runs of a paragraph. Each edit of it reads all of them; a page has a few hundred.
const MAX_RUNS: usize = 250_000;
/// Most paragraphs of a document. A page has about 20, so this is 25 000 pages.
const MAX_PARAGRAPHS: usize = 500_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Story {
    Body,
    Header,
    Footer,
    Footnote,
    Endnote,
}

impl Story {
    /// Returns the letter of its anchors.
    fn letter(self) -> char {
        match self {
            Self::Body => 'p',
            Self::Header => 'h',
            Self::Footer => 'f',
            Self::Footnote => 'n',
            Self::Endnote => 'e',
        }
    }
}

/// A part with text.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) story: Story,
    /// Runs of instructions of fields.
    pub(crate) codes: HashSet<Id>,
}

/// A cell of a table, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Index of the table.
    pub(crate) table: usize,
    pub(crate) row: usize,
    pub(crate) column: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Paragraph {
    /// Index of its part.
    pub(crate) part: usize,
    pub(crate) node: Id,
    pub(crate) letter: char,
    pub(crate) index: usize,
    pub(crate) cell: Option<Cell>,
    /// Id of the footnote or endnote.
    pub(crate) note: Option<String>,
    pub(crate) is_in_box: bool,
    /// Copy of the paragraph in the text box that older programs show.
    pub(crate) twin: Option<Id>,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) part: usize,
    pub(crate) node: Id,
    pub(crate) index: usize,
    /// The cell that it stands in.
    pub(crate) cell: Option<Cell>,
}

/// A document that was read.
#[derive(Debug)]
pub struct Document {
    pub(crate) package: Package,
    pub(crate) parts: Vec<Part>,
    pub(crate) paragraphs: Vec<Paragraph>,
    pub(crate) tables: Vec<Table>,
    /// Indices of the paragraphs of each letter in their order.
    by_letter: BTreeMap<char, Vec<u32>>,
}

impl Document {
    /// Reads a Word document.
    ///
    /// # Errors
    /// [`Error::Malformed`] - it is damaged or beyond a limit; [`Error::Unsupported`] - it is another kind of file.
    pub fn open(bytes: Vec<u8>) -> Result<Self> {
        let mut package = Package::open(bytes)?;
        let mut parts: Vec<Part> = Vec::new();
        let main = package.main.clone();
        let mut names = vec![(main, Story::Body)];
        for (kind, story) in [
            ("header", Story::Header),
            ("footer", Story::Footer),
            ("footnotes", Story::Footnote),
            ("endnotes", Story::Endnote),
        ] {
            names.extend(package.related(kind)?.into_iter().map(|name| (name, story)));
        }
        for (name, story) in names {
            if parts.iter().any(|part| part.name == name) {
                continue;
            }
            let Some(tree) = package.tree(&name)? else { continue };
            let codes = field_codes(tree);
            parts.push(Part { name, story, codes });
        }
        let mut document = Self {
            package,
            parts,
            paragraphs: Vec::new(),
            tables: Vec::new(),
            by_letter: BTreeMap::new(),
        };
        document.index()?;
        Ok(document)
    }

    /// Finds the paragraphs and tables of all parts.
    pub(crate) fn index(&mut self) -> Result<()> {
        let mut walker = Walker {
            paragraphs: Vec::new(),
            tables: Vec::new(),
            counts: BTreeMap::new(),
            too_long: None,
        };
        for (index, part) in self.parts.iter().enumerate() {
            let Some(tree) = self.package.get(&part.name) else { continue };
            let Some(root) = tree.root() else { continue };
            let letter = part.story.letter();
            let mut place = Place { part: index, letter, cell: None, note: None, is_in_box: false };
            match part.story {
                Story::Body => {
                    if let Some(body) = tree.child(root, "body") {
                        walker.blocks(tree, body, &place);
                    }
                }
                Story::Header | Story::Footer => walker.blocks(tree, root, &place),
                Story::Footnote | Story::Endnote => {
                    for note in tree.elements(root).filter(|&it| is_note(tree, it)) {
                        place.note = tree.attr(note, "id").map(|it| it.into_owned());
                        walker.blocks(tree, note, &place);
                    }
                }
            }
            if walker.paragraphs.len() > MAX_PARAGRAPHS {
                return Err(Error::Malformed(format!(
                    "the document has more than {MAX_PARAGRAPHS} paragraphs"
                )));
            }
        }
        if let Some(long) = walker.too_long {
            return Err(Error::Malformed(format!(
                "the paragraph {long} has more than {MAX_RUNS} runs"
            )));
        }
        self.paragraphs = walker.paragraphs;
        self.tables = walker.tables;
        self.by_letter.clear();
        for (at, it) in self.paragraphs.iter().enumerate() {
            // Paragraphs of a letter are found in the order of their numbers.
            self.by_letter.entry(it.letter).or_default().push(at as u32);
        }
        Ok(())
    }

    pub(crate) fn tree(&self, part: usize) -> &Tree {
        self.package.get(&self.parts[part].name).expect("parts of text are parsed")
    }

    pub(crate) fn line(&self, paragraph: &Paragraph) -> Line {
        Line::read(self.tree(paragraph.part), paragraph.node, &self.parts[paragraph.part].codes)
    }

    pub(crate) fn anchor(&self, paragraph: &Paragraph) -> String {
        let text = self.line(paragraph).text;
        format!("{}{}-{}", paragraph.letter, paragraph.index, hash(&text))
    }

    pub(crate) fn table_anchor(&self, table: &Table) -> String {
        format!("t{}-{}", table.index, hash(&self.table_text(table)))
    }

    /// Returns the accepted texts of the cells with separators.
    fn table_text(&self, table: &Table) -> String {
        let tree = self.tree(table.part);
        let codes = &self.parts[table.part].codes;
        let mut out = String::new();
        for row in rows(tree, table.node) {
            for cell in cells(tree, row) {
                out.push_str(&container_text(tree, cell, codes, View::Accepted));
                out.push('\u{1f}');
            }
            out.push('\u{1e}');
        }
        out
    }

    /// Returns the index of the paragraph that an anchor names.
    ///
    /// # Errors
    /// One sentence: no such paragraph, or another text stands there now.
    pub(crate) fn find(&self, anchor: &str) -> Result<usize, String> {
        let (letter, index, wanted) = parse_anchor(anchor)
            .ok_or_else(|| format!("expected an anchor such as `p12-3fa9`, got `{anchor}`"))?;
        let moved = || {
            let same: Vec<String> = self
                .paragraphs
                .iter()
                .filter(|it| it.letter == letter && hash(&self.line(it).text) == wanted)
                .take(2)
                .map(|it| self.anchor(it))
                .collect();
            match same.as_slice() {
                [one] => format!("; its text stands at `{one}` now"),
                _ => String::new(),
            }
        };
        let found = self.by_letter.get(&letter).and_then(|it| it.get(index));
        let Some(at) = found.map(|&at| at as usize) else {
            return Err(format!("there is no paragraph `{anchor}`{}", moved()));
        };
        let paragraph = &self.paragraphs[at];
        let text = self.line(paragraph).text;
        if hash(&text) != wanted {
            return Err(format!(
                "`{anchor}` has another text now: `{}` has \"{}\"{}",
                self.anchor(paragraph),
                shorten(&text, 80),
                moved()
            ));
        }
        Ok(at)
    }

    /// Returns the index of the table that an anchor names.
    ///
    /// # Errors
    /// Those of [`Document::find`].
    pub(crate) fn find_table(&self, anchor: &str) -> Result<usize, String> {
        let parsed = parse_anchor(anchor).filter(|(letter, ..)| *letter == 't');
        let (_, index, wanted) = parsed.ok_or_else(|| {
            format!("expected an anchor of a table such as `t0-3fa9`, got `{anchor}`")
        })?;
        let table =
            self.tables.get(index).ok_or_else(|| format!("there is no table `{anchor}`"))?;
        let found = hash(&self.table_text(table));
        if found != wanted {
            return Err(format!("`{anchor}` has other texts now; it is `t{index}-{found}`"));
        }
        Ok(index)
    }

    /// Names the place of a paragraph for people.
    pub(crate) fn place(&self, paragraph: &Paragraph) -> String {
        let mut place = match (self.parts[paragraph.part].story, &paragraph.note) {
            (Story::Footnote, Some(id)) => format!("footnote {id}"),
            (Story::Endnote, Some(id)) => format!("endnote {id}"),
            (Story::Header, _) => "header".to_owned(),
            (Story::Footer, _) => "footer".to_owned(),
            _ => "body".to_owned(),
        };
        if let Some(cell) = paragraph.cell {
            let text = format!("t{} r{} c{}", cell.table, cell.row, cell.column);
            match place.as_str() {
                "body" => place = text,
                _ => place = format!("{place} {text}"),
            }
        }
        if paragraph.is_in_box {
            place.push_str(" text box");
        }
        place
    }

    /// Returns `true` if every part that was read would be written as it was.
    #[doc(hidden)]
    pub fn is_lossless(&self) -> bool {
        self.package.is_lossless()
    }

    /// Writes the document.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the archive cannot be written.
    pub fn save(&self) -> Result<Vec<u8>> {
        self.package.save()
    }
}

/// Anchors of paragraphs by their nodes. Each is computed once, because a paragraph may have many changes.
pub(crate) struct Anchors<'a> {
    document: &'a Document,
    by_node: HashMap<(usize, Id), usize>,
    known: HashMap<usize, String>,
}

impl<'a> Anchors<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        let all = document.paragraphs.iter().enumerate();
        let by_node = all.map(|(at, it)| ((it.part, it.node), at)).collect();
        Self { document, by_node, known: HashMap::new() }
    }

    /// Returns the anchor of the innermost paragraph around a node.
    pub(crate) fn around(&mut self, part: usize, node: Id) -> Option<String> {
        let tree = self.document.tree(part);
        let paragraph = tree.ancestors(node).find(|&it| tree.is(it, "p"))?;
        self.of(part, paragraph)
    }

    pub(crate) fn of(&mut self, part: usize, paragraph: Id) -> Option<String> {
        let at = *self.by_node.get(&(part, paragraph))?;
        let document = self.document;
        let known = self.known.entry(at);
        Some(known.or_insert_with(|| document.anchor(&document.paragraphs[at])).clone())
    }
}

/// Splits `p12-3fa9` into its letter, its number and its hash.
fn parse_anchor(anchor: &str) -> Option<(char, usize, String)> {
    let anchor = anchor.trim().trim_matches(['`', '[', ']']);
    let (head, hash) = anchor.split_once('-')?;
    let letter = head.chars().next()?;
    let is_hash = hash.len() == 4 && hash.bytes().all(|it| it.is_ascii_hexdigit());
    let index = head.get(letter.len_utf8()..)?.parse().ok()?;
    is_hash.then(|| (letter, index, hash.to_ascii_lowercase()))
}

/// Returns four hexadecimal digits for a text: FNV-1a of 64 bits, folded to 16.
pub(crate) fn hash(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let folded = hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48;
    format!("{:04x}", folded & 0xffff)
}

/// Returns the beginning of a text on one line.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let line: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Returns `true` for a note with text, not one of the lines above the notes.
fn is_note(tree: &Tree, note: Id) -> bool {
    (tree.is(note, "footnote") || tree.is(note, "endnote"))
        && tree.attr(note, "type").is_none_or(|it| &*it == "normal")
}

struct Walker {
    paragraphs: Vec<Paragraph>,
    tables: Vec<Table>,
    counts: BTreeMap<char, usize>,
    /// A paragraph with too many runs.
    too_long: Option<String>,
}

#[derive(Clone)]
struct Place {
    part: usize,
    letter: char,
    cell: Option<Cell>,
    note: Option<String>,
    is_in_box: bool,
}

impl Walker {
    fn blocks(&mut self, tree: &Tree, container: Id, place: &Place) {
        let mut found = Vec::new();
        blocks(tree, container, &mut found);
        for block in found {
            match tree.name(block) {
                "p" => self.paragraph(tree, block, place),
                _ => self.table(tree, block, place),
            }
        }
    }

    fn paragraph(&mut self, tree: &Tree, node: Id, place: &Place) {
        let count = self.counts.entry(place.letter).or_default();
        let index = *count;
        *count += 1;
        let mut below = tree.descendants(node).filter(|&it| tree.is(it, "r"));
        if below.nth(MAX_RUNS).is_some() {
            self.too_long = Some(format!("{}{index}", place.letter));
        }
        self.paragraphs.push(Paragraph {
            part: place.part,
            node,
            letter: place.letter,
            index,
            cell: place.cell,
            note: place.note.clone(),
            is_in_box: place.is_in_box,
            twin: None,
        });
        for (content, twin) in boxes(tree, node) {
            let inner = Place { letter: 'b', cell: None, is_in_box: true, ..place.clone() };
            let first = self.paragraphs.len();
            self.blocks(tree, content, &inner);
            let Some(twin) = twin else { continue };
            let others: Vec<Id> = tree.descendants(twin).filter(|&it| tree.is(it, "p")).collect();
            let own: Vec<usize> = (first..self.paragraphs.len()).collect();
            if own.len() == others.len() {
                for (at, other) in own.into_iter().zip(others) {
                    self.paragraphs[at].twin = Some(other);
                }
            }
        }
    }

    fn table(&mut self, tree: &Tree, node: Id, place: &Place) {
        let table = self.tables.len();
        self.tables.push(Table { part: place.part, node, index: table, cell: place.cell });
        for (row, tr) in rows(tree, node).into_iter().enumerate() {
            for (column, tc) in cells(tree, tr).into_iter().enumerate() {
                let cell = Some(Cell { table, row: row + 1, column: column + 1 });
                self.blocks(tree, tc, &Place { cell, ..place.clone() });
            }
        }
    }
}

/// Collects the paragraphs and tables of a container, also those in content controls.
pub(crate) fn blocks(tree: &Tree, container: Id, out: &mut Vec<Id>) {
    for child in tree.elements(container) {
        match tree.name(child) {
            "p" | "tbl" => out.push(child),
            "sdt" => {
                if let Some(content) = tree.child(child, "sdtContent") {
                    blocks(tree, content, out);
                }
            }
            "customXml" | "smartTag" | "ins" | "del" | "moveFrom" | "moveTo" => {
                blocks(tree, child, out);
            }
            _ if tree.ns(child) == Ns::Mc && tree.local(child) == "AlternateContent" => {
                if let Some(choice) = tree.any_child(child, "Choice") {
                    blocks(tree, choice, out);
                }
            }
            _ => {}
        }
    }
}

/// Returns the rows of a table, also those in content controls.
pub(crate) fn rows(tree: &Tree, table: Id) -> Vec<Id> {
    let mut out = Vec::new();
    members(tree, table, "tr", &mut out);
    out
}

/// Returns the cells of a row, also those in content controls.
pub(crate) fn cells(tree: &Tree, row: Id) -> Vec<Id> {
    let mut out = Vec::new();
    members(tree, row, "tc", &mut out);
    out
}

fn members(tree: &Tree, container: Id, wanted: &str, out: &mut Vec<Id>) {
    for child in tree.elements(container) {
        match tree.name(child) {
            name if name == wanted => out.push(child),
            "sdt" | "sdtContent" | "customXml" | "ins" | "del" | "moveFrom" | "moveTo" => {
                members(tree, child, wanted, out);
            }
            _ => {}
        }
    }
}

/// Returns the text boxes of a paragraph, each with its form for old programs.
pub(crate) fn boxes(tree: &Tree, paragraph: Id) -> Vec<(Id, Option<Id>)> {
    let mut out = Vec::new();
    let mut below = tree.descendants(paragraph);
    while let Some(node) = below.next() {
        if tree.is(node, "txbxContent") {
            out.push((node, None));
            below.skip_children();
        } else if tree.ns(node) == Ns::Mc && tree.local(node) == "AlternateContent" {
            let contents =
                |branch: Option<Id>| branch.map_or(Vec::new(), |branch| top_boxes(tree, branch));
            let chosen = contents(tree.any_child(node, "Choice"));
            let others = contents(tree.any_child(node, "Fallback"));
            if chosen.is_empty() {
                out.extend(others.into_iter().map(|it| (it, None)));
            } else {
                let paired = chosen.len() == others.len();
                out.extend(
                    chosen
                        .into_iter()
                        .enumerate()
                        .map(|(at, it)| (it, if paired { others.get(at).copied() } else { None })),
                );
            }
            below.skip_children();
        }
    }
    out
}

fn top_boxes(tree: &Tree, branch: Id) -> Vec<Id> {
    let mut out = Vec::new();
    let mut below = tree.descendants(branch);
    while let Some(node) = below.next() {
        if tree.is(node, "txbxContent") {
            out.push(node);
            below.skip_children();
        }
    }
    out
}

/// Returns the texts of the paragraphs of a cell or another container, one each line.
pub(crate) fn container_text(
    tree: &Tree,
    container: Id,
    codes: &HashSet<Id>,
    view: View,
) -> String {
    let mut found = Vec::new();
    blocks(tree, container, &mut found);
    let mut lines = Vec::new();
    for block in found {
        if tree.is(block, "p") {
            lines.push(Line::read(tree, block, codes).view(view));
        } else {
            for row in rows(tree, block) {
                for cell in cells(tree, row) {
                    lines.push(container_text(tree, cell, codes, view));
                }
            }
        }
    }
    lines.join("\n")
}
