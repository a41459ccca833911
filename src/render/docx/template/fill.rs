//! Fills a part: marks in paragraphs, even if Word has split them into runs; parts between two marks and rows of tables,
//! once for each item.

use std::collections::BTreeMap;

use super::filler::{CONTENT, Filler};
use super::marks::{self, Mark, marks};
use super::paragraph;
use super::tree::{Element, Node};
use mitt_base::{Result, text};

impl Filler<'_, '_> {
    /// Fills an element and its content.
    pub(super) fn element(&mut self, element: &mut Element, is_body: bool) -> Result<()> {
        if element.is("w:p") {
            paragraph::fill(self, element)?;
        }
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
        let ends = ends(&texts);
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
                    let Some(end) = ends.get(&at) else {
                        self.has_no_end(name, node_text.is_row);
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
        // The end of a section keeps its place.
        if paragraph.find("w:pPr").is_some_and(|it| it.find("w:sectPr").is_some()) {
            let mut end = paragraph;
            end.children.retain(|node| node.element().is_none_or(|it| it.is("w:pPr")));
            filled.push(Node::Element(end));
        }
    }

    fn has_no_end(&mut self, name: &str, is_row: bool) {
        let what = if is_row { "row" } else { "paragraph" };
        let name = text::one_line(name);
        self.scope.problem(format!(
            "`{{{{#{name}}}}}` ({}) has no end: put `{{{{/{name}}}}}` into a {what} of its own below it, beside the same text",
            self.part
        ));
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
        let mut copies = Copies { inner, is_first: true };
        self.for_each(name, is_unless, &mut |filler| {
            filler.take(copies.inner.iter().map(Node::count).sum())?;
            let copy = copies.next();
            filled.extend(filler.blocks(copy, is_body)?);
            Ok(())
        })
    }

    /// Fills a row of a table, once for each item if its cells name a list.
    fn row(&mut self, mut row: Element, full_text: &str, filled: &mut Vec<Node>) -> Result<()> {
        let found = marks(full_text);
        let is_section = |name: &str| {
            // `{{#items}}` in the first cell and `{{/items}}` in the last one.
            let first = found.first().filter(|it| it.mark == Mark::Begin(name));
            let last = found.last().filter(|it| it.mark == Mark::End(name));
            let is_around = |start: usize, end: usize| {
                full_text[..start].trim().is_empty() && full_text[end..].trim().is_empty()
            };
            matches!((first, last), (Some(first), Some(last)) if is_around(first.start, last.end))
        };
        if let Some(Mark::Begin(name)) = found.first().map(|it| &it.mark)
            && is_section(name)
        {
            let name = (*name).to_owned();
            paragraph::strip(&mut row, &name);
            return self.rows(&name, row, filled);
        }
        let mut lists: Vec<String> = Vec::new();
        let mut inside = 0_usize;
        for found in &found {
            match found.mark {
                Mark::Begin(_) | Mark::Unless(_) => inside += 1,
                Mark::End(_) => inside = inside.saturating_sub(1),
                Mark::Value(name) if inside == 0 => {
                    let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
                    let list = ends.map(|end| &name[..end]).find(|it| self.scope.is_list(it));
                    if let Some(list) = list.filter(|list| !lists.iter().any(|it| it == list)) {
                        lists.push(list.to_owned());
                    }
                }
                Mark::Value(_) => {}
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

    fn rows(&mut self, name: &str, row: Element, filled: &mut Vec<Node>) -> Result<()> {
        let size = row.count();
        let mut copies = Copies { inner: vec![Node::Element(row)], is_first: true };
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

/// Returns for each beginning of a part the index of its end, which has the same name and kind.
fn ends(texts: &[Option<NodeText>]) -> BTreeMap<usize, usize> {
    let mut open: BTreeMap<(&str, bool), Vec<usize>> = BTreeMap::new();
    let mut ends = BTreeMap::new();
    for (index, node_text) in texts.iter().enumerate() {
        let Some(node_text) = node_text else { continue };
        match marks::alone(&node_text.text) {
            Some(Mark::Begin(name) | Mark::Unless(name)) => {
                open.entry((name, node_text.is_row)).or_default().push(index);
            }
            Some(Mark::End(name)) => {
                let begin = open.get_mut(&(name, node_text.is_row)).and_then(Vec::pop);
                ends.extend(begin.map(|begin| (begin, index)));
            }
            _ => {}
        }
    }
    ends
}

/// Copies of a part. Identifiers and bookmarks, which must be unique in a file, stay in the first one.
struct Copies {
    inner: Vec<Node>,
    is_first: bool,
}

impl Copies {
    fn next(&mut self) -> Vec<Node> {
        let copy = self.inner.clone();
        if std::mem::take(&mut self.is_first) {
            for node in self.inner.iter_mut().filter_map(Node::element_mut) {
                node.visit_mut(&mut |element| {
                    for key in ["w14:paraId", "w14:textId"] {
                        if element.get(key).is_some() {
                            element.set(key, None);
                        }
                    }
                    element.children.retain(|node| {
                        node.element().is_none_or(|it| {
                            !it.is("w:bookmarkStart")
                                && !it.is("w:bookmarkEnd")
                                && !it.name.starts_with("w:comment")
                        })
                    });
                });
            }
            self.inner.retain(|node| {
                node.element().is_none_or(|it| !it.is("w:bookmarkStart") && !it.is("w:bookmarkEnd"))
            });
        }
        copy
    }
}

/// Adds a paragraph to an element that must contain one, or must end with one, as a cell must.
fn add_required_paragraph(element: &mut Element) {
    let needs_one = matches!(
        element.name.as_str(),
        "w:tc" | "w:txbxContent" | "w:hdr" | "w:ftr" | "w:footnote" | "w:endnote" | "w:comment"
    );
    let last = element.elements().next_back();
    if needs_one && last.is_none_or(|last| !last.is("w:p") && !last.is("w:sdt")) {
        element.children.push(Node::Element(Element::new("w:p", "")));
    }
}
