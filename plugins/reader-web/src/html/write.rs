//! Writes the blocks of a tree as Markdown. Inline content is in `inline`, tables are in `table`.

use super::address::Base;
use super::inline::Line;
use super::main_text::MainText;
use super::notes::Notes;
use super::table;
use super::tree::{Id, Tree};
use mitt_reader_kit::{MAX_CELLS, NamedTable, clean, escape, single_line};
use std::collections::HashSet;

/// Elements that begin a line of their own.
const BLOCKS: [&str; 47] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "optgroup",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// State that all pages of a file share.
#[derive(Debug)]
pub(crate) struct Room {
    /// Number of table cells that may still be kept.
    pub(crate) cells: usize,
    /// Number of tables that were too large.
    pub(crate) too_large: usize,
    /// Number of pictures without alternative text.
    pub(crate) pictures: usize,
    pub(crate) tables: Vec<NamedTable>,
    /// Number of the last footnote.
    pub(crate) notes: usize,
}

impl Default for Room {
    fn default() -> Room {
        Room { cells: MAX_CELLS, too_large: 0, pictures: 0, tables: Vec::new(), notes: 0 }
    }
}

/// Returns the Markdown of the main text, in order.
pub(crate) fn write(tree: &Tree, found: &MainText, base: Option<&Base>, room: &mut Room) -> String {
    let MainText { roots, is_left_out, captions, .. } = found;
    let mut has_block = vec![false; tree.len()];
    for id in (0..tree.len()).rev() {
        let is_seen = |child: &Id| is_left_out.get(*child) != Some(&true);
        let has = tree.element(id).is_some_and(|it| it.is(&BLOCKS))
            || tree
                .children(id)
                .iter()
                .filter(|it| is_seen(it))
                .any(|it| has_block.get(*it) == Some(&true));
        if let Some(place) = has_block.get_mut(id) {
            *place = has;
        }
    }
    let notes = Notes::find(tree, &mut room.notes);
    let mut writer = Writer {
        tree,
        is_left_out,
        captions,
        base,
        has_block,
        notes,
        heading: String::new(),
        link: None,
        bold: 0,
        italic: 0,
        room,
    };
    let mut out = Out::default();
    for root in roots {
        writer.node(*root, &mut out);
    }
    writer.flush(&mut out);
    out.join()
}

pub(super) struct Writer<'a> {
    pub(super) tree: &'a Tree,
    is_left_out: &'a [bool],
    captions: &'a HashSet<Id>,
    pub(super) base: Option<&'a Base>,
    has_block: Vec<bool>,
    pub(super) notes: Notes,
    /// The last heading, which names a table.
    heading: String,
    /// Address of a link around whole blocks.
    link: Option<String>,
    /// Number of bold elements around.
    pub(super) bold: usize,
    /// Number of italic elements around.
    pub(super) italic: usize,
    pub(super) room: &'a mut Room,
}

/// Blocks so far, and the line that is not a block yet.
#[derive(Default)]
pub(super) struct Out {
    blocks: Vec<Block>,
    line: Line,
}

struct Block {
    text: String,
    is_list: bool,
}

impl Out {
    fn push(&mut self, text: String, is_list: bool) {
        if !text.trim().is_empty() {
            self.blocks.push(Block { text, is_list });
        }
    }

    /// Returns all blocks, with an empty line between them.
    pub(super) fn join(self) -> String {
        self.joined("\n\n")
    }

    /// Joins the blocks. `before_list` separates a block and a list below it.
    fn joined(self, before_list: &str) -> String {
        let mut out = String::new();
        let mut was_list = false;
        for Block { text, is_list } in self.blocks {
            if !out.is_empty() {
                out.push_str(if is_list && !was_list { before_list } else { "\n\n" });
            }
            out.push_str(&text);
            was_list = is_list;
        }
        out
    }
}

impl Writer<'_> {
    pub(super) fn is_left_out(&self, id: Id) -> bool {
        self.is_left_out.get(id) == Some(&true) || self.notes.is_backlink(id)
    }

    /// Returns the blocks below a node separately.
    pub(super) fn apart(&mut self, id: Id) -> Out {
        let mut out = Out::default();
        self.children(id, &mut out);
        self.flush(&mut out);
        out
    }

    pub(super) fn children(&mut self, id: Id, out: &mut Out) {
        let tree = self.tree;
        for child in tree.children(id) {
            self.node(*child, out);
        }
    }

    fn node(&mut self, id: Id, out: &mut Out) {
        if self.is_left_out(id) {
            return;
        }
        if self.captions.contains(&id) {
            self.caption(id, out);
        } else if let Some(label) = self.notes.label(id) {
            self.flush(out);
            let text = single_line(&self.apart(id).join());
            out.push(format!("[^{label}]: {text}"), false);
        } else if self.has_block.get(id) == Some(&true) {
            self.flush(out);
            self.block(id, out);
            self.flush(out);
        } else {
            self.inline(id, &mut out.line);
        }
    }

    /// Writes a caption in the form of a picture with alternative text.
    fn caption(&mut self, id: Id, out: &mut Out) {
        let text = single_line(&clean(&self.tree.text_of(id)));
        if text.is_empty() {
            return;
        }
        let text = format!("[picture: {}]", escape(&text));
        if self.has_block.get(id) == Some(&true) {
            self.flush(out);
            out.push(text, false);
        } else {
            out.line.push(&text);
        }
    }

    fn block(&mut self, id: Id, out: &mut Out) {
        let tree = self.tree;
        let Some(element) = tree.element(id) else { return };
        match element.name.as_str() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(id, out),
            "ul" | "ol" | "menu" | "dir" => {
                let list = self.list(id);
                out.push(list, true);
            }
            "li" => {
                let item = self.item(id, "- ");
                out.push(item, true);
            }
            "dl" => {
                let list = self.definitions(id);
                out.push(list, false);
            }
            "blockquote" => {
                let text = self.apart(id).join();
                out.push(prefixed(&text, "> ", "> "), false);
            }
            "pre" => out.push(self.code(id), false),
            "hr" => out.push("---".into(), false),
            "table" => table::write(self, id, out),
            "summary" => {
                let text = single_line(&self.apart(id).join());
                if !text.is_empty() {
                    out.push(format!("**{text}**"), false);
                }
            }
            "a" => {
                self.link = element.attribute("href").and_then(|it| self.address(it));
                self.children(id, out);
                self.flush(out);
                self.link = None;
            }
            _ => self.children(id, out),
        }
    }

    /// Makes a paragraph of the line.
    pub(super) fn flush(&mut self, out: &mut Out) {
        let text = std::mem::take(&mut out.line).finish();
        if !text.is_empty() {
            let text = match self.link.take() {
                Some(link) if !text.contains("](") => format!("[{text}]({link})"),
                _ => plain_start(text),
            };
            out.push(text, false);
        }
    }

    pub(super) fn paragraph(&mut self, text: String, out: &mut Out) {
        out.push(text, false);
    }

    fn heading(&mut self, id: Id, out: &mut Out) {
        let level =
            self.tree.element(id).and_then(|it| it.name.get(1..)?.parse().ok()).unwrap_or(1);
        let mut line = Line::default();
        // Bold has no meaning in a heading.
        self.bold += 1;
        self.inline_children(id, &mut line);
        self.bold -= 1;
        let text = single_line(&line.finish().replace("\\\n", " "));
        if text.is_empty() {
            return;
        }
        self.heading = single_line(&clean(&self.tree.text_of(id)));
        let text = match self.link.take() {
            Some(link) if !text.contains("](") => format!("[{text}]({link})"),
            _ => text,
        };
        out.push(format!("{} {text}", "#".repeat(level)), false);
    }

    fn list(&mut self, id: Id) -> String {
        let tree = self.tree;
        let is_ordered = tree.is(id, &["ol"]);
        let start = tree.element(id).and_then(|it| it.attribute("start")?.trim().parse().ok());
        let mut number: i64 = start.unwrap_or(1);
        let mut items: Vec<String> = Vec::new();
        for child in tree.children(id) {
            if self.is_left_out(*child) {
                continue;
            }
            if let Some(label) = self.notes.label(*child) {
                let text = single_line(&self.apart(*child).join());
                items.push(format!("[^{label}]: {text}"));
                number = number.saturating_add(1);
                continue;
            }
            if !tree.is(*child, &["li"]) {
                // A nested list or text without a list item.
                let mut out = Out::default();
                self.node(*child, &mut out);
                self.flush(&mut out);
                let text = out.join();
                if !text.is_empty() {
                    items.push(prefixed(&text, "  ", "  "));
                }
                continue;
            }
            let value =
                tree.element(*child).and_then(|it| it.attribute("value")?.trim().parse().ok());
            number = value.unwrap_or(number);
            let mark = if is_ordered { format!("{number}. ") } else { "- ".to_owned() };
            number = number.saturating_add(1);
            let item = self.item(*child, &mark);
            if !item.is_empty() {
                items.push(item);
            }
        }
        items.join("\n")
    }

    fn item(&mut self, id: Id, mark: &str) -> String {
        let text = self.apart(id).joined("\n");
        if text.trim().is_empty() {
            return String::new();
        }
        prefixed(&text, mark, &" ".repeat(mark.len()))
    }

    fn definitions(&mut self, id: Id) -> String {
        let tree = self.tree;
        let mut out = String::new();
        let mut entries = Vec::new();
        for child in tree.children(id) {
            // Terms may be grouped.
            if tree.is(*child, &["div"]) {
                entries.extend(tree.children(*child).iter().copied());
            } else {
                entries.push(*child);
            }
        }
        for entry in entries {
            if self.is_left_out(entry) {
                continue;
            }
            let mut apart = Out::default();
            match self.notes.label(entry) {
                Some(_) => self.node(entry, &mut apart),
                None if tree.element(entry).is_some() => apart = self.apart(entry),
                None => self.node(entry, &mut apart),
            }
            self.flush(&mut apart);
            let text = apart.join();
            if text.is_empty() {
                continue;
            }
            if tree.is(entry, &["dd"]) && self.notes.label(entry).is_none() {
                out.push_str(&prefixed(&text, ": ", "  "));
            } else {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&text);
            }
            out.push('\n');
        }
        out.trim_end().to_owned()
    }

    fn code(&self, id: Id) -> String {
        let text = clean(&self.tree.text_of(id));
        let text = text.trim_matches('\n');
        if text.trim().is_empty() {
            return String::new();
        }
        let mut language = String::new();
        self.tree.walk(id, |id| {
            let class = self.tree.element(id).and_then(|it| it.attribute("class"));
            for word in class.unwrap_or_default().split_ascii_whitespace() {
                let found = ["language-", "lang-", "highlight-source-"]
                    .iter()
                    .find_map(|it| word.strip_prefix(it));
                if let Some(found) = found.filter(|_| language.is_empty()) {
                    language = found
                        .chars()
                        .filter(|it| it.is_alphanumeric() || "+#-_.".contains(*it))
                        .collect();
                }
            }
            self.tree.is(id, &["pre"])
        });
        fenced(text, &language)
    }

    /// Returns the name of a table: its caption, or the heading above it.
    pub(super) fn name(&self, caption: &str) -> String {
        let name = if caption.is_empty() { &self.heading } else { caption };
        name.chars().take(200).collect()
    }
}

/// Returns a text unchanged, between fences that are longer than any in it.
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Prefixes lines: the first one with `first`, and the rest with `others`.
fn prefixed(text: &str, first: &str, others: &str) -> String {
    let mut out = String::with_capacity(text.len() + first.len());
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let prefix = if index == 0 { first } else { others };
        out.push_str(if line.is_empty() { prefix.trim_end() } else { prefix });
        out.push_str(line);
    }
    out
}

/// Escapes a paragraph that would be a heading, a list or a quotation.
fn plain_start(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..).unwrap_or_default();
    if (1..=9).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") ")) {
        let (number, rest) = text.split_at(digits);
        return format!("{number}\\{rest}");
    }
    let hashes = text.bytes().take_while(|it| *it == b'#').count();
    let is_heading =
        (1..=6).contains(&hashes) && text.get(hashes..).is_some_and(|it| it.starts_with(' '));
    let is_mark = ["- ", "+ ", ">", "---", "==="].iter().any(|it| text.starts_with(it));
    if is_heading || is_mark { format!("\\{text}") } else { text }
}
