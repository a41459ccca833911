//! Fills a part: marks in paragraphs, even if Word has split them into runs; parts between two marks and rows of tables,
//! once for each item.

use std::collections::BTreeMap;

use super::copies::Copies;
use super::filler::{CONTENT, Filler};
use super::insertion::{self, INSERTED, Insertion};
use super::marks::{self, Extent, Mark, marks};
use super::scope::Scope;
use super::tree::{Element, Node};
use super::{evaluate, paragraph};
use mitt_base::{Result, text};

/// Elements with which a cell may end. The second one is replaced later.
const ENDS: [&str; 3] = ["w:p", INSERTED, "w:sdt"];

impl Filler<'_, '_> {
    /// Fills an element and its content.
    pub(super) fn element(&mut self, element: &mut Element, is_body: bool) -> Result<()> {
        match element.name.as_str() {
            "w:p" => paragraph::fill(self, element)?,
            "w:drawing" => self.frame(element)?,
            "w:tbl" => self.columns(element)?,
            _ => {}
        }
        if element.is("w:tc") {
            let before = std::mem::replace(&mut self.room, cell_width(element));
            let filled = self.content_of(element, is_body);
            self.room = before;
            return filled;
        }
        self.content_of(element, is_body)
    }

    /// Fills the content of an element.
    fn content_of(&mut self, element: &mut Element, is_body: bool) -> Result<()> {
        let holds_blocks =
            element.elements().any(|it| it.is("w:p") || it.is("w:tr") || it.is("w:tbl"));
        if holds_blocks {
            let children = std::mem::take(&mut element.children);
            let had_rows = element.is("w:tbl");
            element.children = self.blocks(children, is_body)?;
            if had_rows && !element.elements().any(|it| it.is("w:tr") || it.is("w:sdt")) {
                // A table without rows is emptied here, and its parent removes it.
                element.children.clear();
            }
            add_required_paragraph(element);
            return Ok(());
        }
        let is_body = is_body || element.is("w:body") || element.is("w:document");
        for child in element.elements_mut() {
            self.element(child, is_body)?;
        }
        Ok(())
    }

    /// Fills a sequence of blocks.
    fn blocks(&mut self, blocks: Vec<Node>, is_body: bool) -> Result<Vec<Node>> {
        let texts: Vec<Option<NodeText>> = blocks.iter().map(NodeText::of).collect();
        let extents = extents(&texts);
        let mut filled = Vec::with_capacity(blocks.len());
        let mut waiting = blocks.into_iter();
        let mut index = 0;
        while let Some(node) = waiting.next() {
            let at = index;
            index += 1;
            let Node::Element(mut element) = node else {
                filled.push(node);
                continue;
            };
            let Some(Some(node_text)) = texts.get(at) else {
                let is_control = element.is("w:sdt");
                self.element(&mut element, is_body && is_control)?;
                let is_gone = element.is("w:tbl") && element.children.is_empty();
                if !is_gone {
                    filled.push(Node::Element(element));
                }
                continue;
            };
            match marks::alone(&node_text.text) {
                Some(Mark::Value(CONTENT)) if self.has_content && element.is("w:p") => {
                    self.place_content(element, is_body, &mut filled);
                }
                Some(mark @ (Mark::Begin(name) | Mark::Unless(name))) => {
                    let Some(end) = extents.get(&at).map(|it| it.end) else {
                        self.has_no_end(&format!("#{name}"), name, node_text.is_row);
                        continue;
                    };
                    let inner = waiting.by_ref().take(end - index).collect();
                    waiting.next();
                    index = end + 1;
                    self.repeat(
                        name,
                        matches!(mark, Mark::Unless(_)),
                        inner,
                        is_body,
                        &mut filled,
                    )?;
                }
                Some(Mark::If(condition)) => {
                    let Some(extent) = extents.get(&at) else {
                        self.has_no_end(&format!("#if {condition}"), marks::IF, node_text.is_row);
                        continue;
                    };
                    let inner: Vec<Node> = waiting.by_ref().take(extent.end - index).collect();
                    waiting.next();
                    let branches = branches(at, extent, &texts);
                    index = extent.end + 1;
                    let chosen =
                        self.scope.branch(branches.iter().map(|it| it.condition), self.part);
                    if let Some(branch) = chosen.and_then(|chosen| branches.get(chosen)) {
                        let kept = inner.into_iter().skip(branch.start).take(branch.length);
                        let mut kept: Vec<Node> = kept.collect();
                        self.nested(marks::IF, &mut |filler| {
                            filled.extend(filler.blocks(std::mem::take(&mut kept), is_body)?);
                            Ok(())
                        })?;
                    }
                }
                Some(Mark::Else(_)) => {
                    let problem = format!(
                        "`{{{{#else}}}}` ({}) stands outside of `{{{{#if …}}}}` and `{{{{/if}}}}`: put all three into paragraphs of their own, or into one paragraph",
                        self.part
                    );
                    self.scope.problem(problem);
                }
                Some(Mark::Value(mark)) if element.is("w:p") && is_block(mark) => {
                    self.insert_block(mark, &element, &mut filled)?;
                    keep_section(element, &mut filled);
                }
                Some(Mark::End(name)) => {
                    let name = text::one_line(name);
                    let problem =
                        format!("`{{{{/{name}}}}}` ({}) ends a part that did not begin", self.part);
                    self.scope.problem(problem);
                }
                _ if node_text.is_row => self.row(element, &node_text.text, &mut filled)?,
                _ => {
                    self.element(&mut element, false)?;
                    filled.push(Node::Element(element));
                }
            }
        }
        Ok(filled)
    }

    /// Inserts the text here, once.
    fn place_content(&mut self, paragraph: Element, is_body: bool, filled: &mut Vec<Node>) {
        if !is_body || self.part != "text" {
            self.scope.problem(format!(
                "`{{{{{CONTENT}}}}}` ({}) stands in a table, a text box, a header or a footer: put it into a paragraph of its own in the text",
                self.part
            ));
            return;
        }
        match self.content.take() {
            Some(content) => filled.extend(content),
            None => self.scope.problem(format!(
                "`{{{{{CONTENT}}}}}` stands twice, and the text goes to one place"
            )),
        }
        keep_section(paragraph, filled);
    }

    fn has_no_end(&mut self, mark: &str, name: &str, is_row: bool) {
        let what = if is_row { "row" } else { "paragraph" };
        let (mark, name) = (text::one_line(mark), text::one_line(name));
        let mut problem = format!(
            "`{{{{{mark}}}}}` ({}) has no end: put `{{{{/{name}}}}}` into a {what} of its own below it, beside the same text",
            self.part
        );
        if self.scope.is_list(&name) {
            // In poi-tl, the same sign makes a table.
            problem.push_str(&format!("; a table from a value is `{{{{{name}|table}}}}`"));
        }
        self.scope.problem(problem);
    }

    /// Writes `inner` for each item of `name`, or, with `is_unless`, once if there are none.
    fn repeat(
        &mut self,
        name: &str,
        is_unless: bool,
        inner: Vec<Node>,
        is_body: bool,
        filled: &mut Vec<Node>,
    ) -> Result<()> {
        let mut copies = Copies::of(inner);
        let mut is_first = true;
        self.for_each(name, is_unless, &mut |filler| {
            filler.take(copies.inner.iter().map(Node::count).sum())?;
            let mut copy = copies.next();
            if !std::mem::take(&mut is_first) {
                filler.restart_lists(&mut copy)?;
            }
            filled.extend(filler.blocks(copy, is_body)?);
            Ok(())
        })
    }

    /// Fills a row of a table, once for each item if its cells name a list.
    fn row(&mut self, mut row: Element, full_text: &str, filled: &mut Vec<Node>) -> Result<()> {
        let found = marks(full_text);
        let is_section = |name: &str| {
            // `{{#items}}` in the first cell and `{{/items}}` in the last one.
            found.last().is_some_and(|it| it.mark == Mark::End(name))
                && is_around(&found, full_text)
        };
        if let Some(condition) = condition_around(&found, full_text) {
            return self.row_if(condition, row, filled);
        }
        if let Some(Mark::Begin(name)) = found.first().map(|it| &it.mark)
            && is_section(name)
        {
            let name = (*name).to_owned();
            paragraph::strip(&mut row, &name);
            return self.rows(&name, row, filled);
        }
        let mut lists: Vec<String> = Vec::new();
        let (mut inside, mut ifs) = (0_usize, 0_usize);
        for found in &found {
            match found.mark {
                Mark::If(_) => ifs += 1,
                Mark::End(marks::IF) if ifs > 0 => ifs -= 1,
                Mark::Begin(_) | Mark::Unless(_) => inside += 1,
                Mark::End(_) => inside = inside.saturating_sub(1),
                Mark::Value(_) | Mark::Else(_) => {}
            }
            let list = if inside == 0 { self.list_of(&found.mark) } else { None };
            if let Some(list) = list.filter(|list| !lists.contains(list)) {
                lists.push(list);
            }
        }
        match &lists[..] {
            [] => {
                self.element(&mut row, false)?;
                filled.push(Node::Element(row));
                Ok(())
            }
            [list] => {
                let list = list.clone();
                self.rows(&list, row, filled)
            }
            [first, second, ..] => {
                let (first, second) = (text::one_line(first), text::one_line(second));
                self.scope.problem(format!(
                    "a row of a table ({}) names the items of two lists, `{first}` and `{second}`: give each a row",
                    self.part
                ));
                Ok(())
            }
        }
    }

    /// Fills a row that begins with a condition and ends with its end, for each item of the list that the condition names.
    fn row_if(&mut self, condition: &str, mut row: Element, filled: &mut Vec<Node>) -> Result<()> {
        let list = self.list_of(&Mark::If(condition));
        paragraph::strip(&mut row, marks::IF);
        let (size, text) = (row.count(), paragraph::text_of(&row));
        let mut copies = Copies::of(vec![Node::Element(row)]);
        let mut each = |filler: &mut Self| {
            if filler.scope.branch(std::iter::once(Some(condition)), filler.part).is_none() {
                return Ok(());
            }
            filler.take(size)?;
            for node in copies.next() {
                if let Node::Element(row) = node {
                    filler.row(row, &text, filled)?;
                }
            }
            Ok(())
        };
        match list {
            Some(list) => self.for_each(&list, false, &mut each),
            None => self.nested(marks::IF, &mut each),
        }
    }

    /// Returns the list for whose items a row with this mark is repeated.
    pub(super) fn list_of(&mut self, mark: &Mark<'_>) -> Option<String> {
        let (names, takes_whole) = match mark {
            // `{{items}}` is an item, `{{items|table}}` and `{{#if items}}` are the list itself.
            Mark::Value(value) => (self.scope.names_of(value), insertion::of(value).is_none()),
            Mark::If(condition) | Mark::Else(Some(condition)) => {
                (Scope::names_of_condition(condition), false)
            }
            _ => return None,
        };
        names.iter().find_map(|name| {
            let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
            let list = ends
                .map(|end| &name[..end])
                .find(|it| self.scope.is_list(it) && !evaluate::is_numbered(&name[it.len()..]));
            list.filter(|list| takes_whole || list.len() < name.len()).map(str::to_owned)
        })
    }

    fn rows(&mut self, name: &str, row: Element, filled: &mut Vec<Node>) -> Result<()> {
        let size = row.count();
        let mut copies = Copies::of(vec![Node::Element(row)]);
        self.for_each(name, false, &mut |filler| {
            filler.take(size)?;
            for mut node in copies.next() {
                if let Some(row) = node.element_mut() {
                    filler.element(row, false)?;
                }
                filled.push(node);
            }
            Ok(())
        })
    }
}

/// Text of a paragraph or row.
struct NodeText {
    text: String,
    is_row: bool,
}

impl NodeText {
    fn of(node: &Node) -> Option<NodeText> {
        let element = node.element().filter(|it| it.is("w:p") || it.is("w:tr"))?;
        Some(NodeText { text: paragraph::text_of(element), is_row: element.is("w:tr") })
    }
}

/// Returns the extent of each part, whose beginning and end have the same name and kind.
fn extents(texts: &[Option<NodeText>]) -> BTreeMap<usize, Extent> {
    let found = texts.iter().enumerate().filter_map(|(index, node_text)| {
        let node_text = node_text.as_ref()?;
        Some((index, marks::alone(&node_text.text)?, node_text.is_row))
    });
    marks::extents(found)
}

/// What is written under a condition, as a range of the nodes behind its beginning.
struct Branch<'t> {
    condition: Option<&'t str>,
    start: usize,
    length: usize,
}

/// Returns the branches of the part that begins at this index.
fn branches<'t>(at: usize, extent: &Extent, texts: &'t [Option<NodeText>]) -> Vec<Branch<'t>> {
    let starts: Vec<usize> = std::iter::once(at).chain(extent.elses.iter().copied()).collect();
    let ends = starts.iter().skip(1).copied().chain([extent.end]);
    let mark = |at: usize| marks::alone(&texts.get(at)?.as_ref()?.text);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| Branch {
            condition: match mark(*start) {
                Some(Mark::If(condition)) => Some(condition),
                Some(Mark::Else(condition)) => condition,
                _ => None,
            },
            start: start - at,
            length: end - start - 1,
        })
        .collect()
}

/// Returns the condition of a row that begins in its first cell and ends in its last one, without `{{#else}}`.
fn condition_around<'t>(found: &[marks::MarkSpan<'t>], full_text: &str) -> Option<&'t str> {
    let Mark::If(condition) = found.first()?.mark else { return None };
    let named = found.iter().enumerate().map(|(index, it)| (index, it.mark.clone(), ()));
    let extents = marks::extents(named);
    let extent = extents.get(&0).filter(|it| it.end + 1 == found.len() && it.elses.is_empty())?;
    let inner = full_text.get(found.first()?.end..found.get(extent.end)?.start)?;
    (inner.contains('\n') && is_around(found, full_text)).then_some(condition)
}

/// Returns `true` if nothing is before the first mark and behind the last one.
fn is_around(found: &[marks::MarkSpan<'_>], full_text: &str) -> bool {
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return false };
    let before = full_text.get(..first.start).unwrap_or_default();
    let behind = full_text.get(last.end..).unwrap_or_default();
    before.trim().is_empty() && behind.trim().is_empty()
}

/// Returns `true` if a mark inserts blocks.
fn is_block(mark: &str) -> bool {
    insertion::of(mark).is_some_and(|(_, it)| !matches!(it, Ok(Insertion::Picture(..))))
}

/// Keeps the end of a section at the place of a paragraph that is replaced.
fn keep_section(paragraph: Element, filled: &mut Vec<Node>) {
    if paragraph.find("w:pPr").is_some_and(|it| it.find("w:sectPr").is_some()) {
        let mut end = paragraph;
        end.children.retain(|node| node.element().is_none_or(|it| it.is("w:pPr")));
        filled.push(Node::Element(end));
    }
}

/// Returns the width of a cell in twentieths of a point, without its usual padding.
fn cell_width(cell: &Element) -> Option<u32> {
    let width = cell.find("w:tcPr")?.find("w:tcW")?;
    let is_length = width.get("w:type").is_none_or(|it| it == "dxa");
    let width: u32 = width.get("w:w").filter(|_| is_length)?.parse().ok()?;
    Some(width.saturating_sub(216)).filter(|width| (200..=40_000).contains(width))
}

/// Adds a paragraph to an element that must contain one, or must end with one, as a cell must.
pub(super) fn add_required_paragraph(element: &mut Element) {
    let needs_one = matches!(
        element.name.as_str(),
        "w:tc" | "w:txbxContent" | "w:hdr" | "w:ftr" | "w:footnote" | "w:endnote" | "w:comment"
    );
    let last = element.elements().next_back();
    if needs_one && last.is_none_or(|last| !ENDS.contains(&last.name.as_str())) {
        element.children.push(Node::Element(Element::new("w:p", "")));
    }
}
