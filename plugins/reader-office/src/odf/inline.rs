//! Reads text in paragraphs.

use super::blocks::Reading;
use super::styles::TextProperties;
use crate::xml::{Child, Node};
use office_oxide::ir::{
    Element, FootnoteRef, Image, InlineContent, Note, Paragraph, TextBox, TextSpan, VerticalAlign,
};

/// Most blanks that one element stands for.
const MAX_BLANKS: usize = 200;

/// State while a paragraph is read: its text, and the blocks that follow it.
#[derive(Default)]
pub(crate) struct Line {
    pub(crate) content: Vec<InlineContent>,
    /// Notes, comments, text boxes, pictures. They follow the paragraph.
    pub(crate) behind: Vec<Element>,
    /// `true` if the text is empty or ends with a blank. Further blanks are then dropped.
    is_blank: bool,
}

#[derive(Clone, Default)]
struct Format {
    look: TextProperties,
    link: Option<String>,
}

impl Reading<'_> {
    /// Returns the text of a paragraph or a heading.
    pub(crate) fn line(&mut self, node: &Node) -> Line {
        let style = node.attribute("style-name");
        let mut look = self.styles.look("paragraph", style).over(&self.around.look);
        look = look.over(&self.styles.default_look("paragraph"));
        // A whole paragraph in bold is a matter of its style, not emphasis.
        (look.bold, look.italic) = (None, None);
        let mut line = Line { is_blank: true, ..Line::default() };
        let around = self.paragraph_around(style);
        self.within(
            |it| *it = around,
            |reading| reading.inline(node, &Format { look, link: None }, &mut line),
        );
        line
    }

    fn inline(&mut self, node: &Node, format: &Format, line: &mut Line) {
        for child in &node.children {
            match child {
                Child::Text(_) if self.deleting.is_some() => {}
                Child::Text(text) => self.push(line, format, text, false),
                Child::Node(node) => self.inline_node(node, format, line),
            }
        }
    }

    fn inline_node(&mut self, node: &Node, format: &Format, line: &mut Line) {
        match node.name.as_str() {
            "span" => {
                let own = self.styles.look("text", node.attribute("style-name"));
                let look = own.over(&format.look);
                self.inline(node, &Format { look, ..format.clone() }, line);
            }
            "a" => {
                let link = node.attribute("href").map(str::to_owned);
                self.inline(node, &Format { link, ..format.clone() }, line);
            }
            "s" => {
                let count = node.attribute("c").and_then(|count| count.parse().ok()).unwrap_or(1);
                self.push(line, format, &" ".repeat(MAX_BLANKS.min(count)), true);
            }
            "tab" => self.push(line, format, "\t", true),
            "line-break" => {
                line.content.push(InlineContent::LineBreak);
                line.is_blank = true;
            }
            "change-start" | "change-end" => self.change(node),
            "note" => self.note(node, line),
            "annotation" => line.behind.push(self.comment(node)),
            "ruby" => {
                let text = |name: &str| node.child(name).map(Node::text).unwrap_or_default();
                let (base, above) = (text("ruby-base"), text("ruby-text"));
                let text = if above.is_empty() { base } else { format!("{base}({above})") };
                self.push(line, format, &text, true);
            }
            "frame" | "g" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "polygon"
            | "path" | "connector" => self.drawn(node, line),
            "hidden-text" | "hidden-paragraph" => {
                let text =
                    node.attribute("string-value").map_or_else(|| node.text(), str::to_owned);
                self.is_unseen(&TextProperties::hidden(), &text);
            }
            // Deleted content, and bookmarks.
            "tracked-changes" | "annotation-end" | "bookmark" | "bookmark-start"
            | "bookmark-end" | "soft-page-break" | "change" | "event-listeners" | "forms" => {}
            _ => self.inline(node, format, line),
        }
    }

    fn note(&mut self, node: &Node, line: &mut Line) {
        let is_end = node.attribute("note-class") == Some("endnote");
        let id = self.next_note(is_end);
        let reference = FootnoteRef { note_id: id, marker: None };
        let content = node.child("note-body").map(|body| self.blocks(body)).unwrap_or_default();
        let note = Note { id, content, ..Note::default() };
        if is_end {
            line.content.push(InlineContent::EndnoteRef(reference));
            line.behind.push(Element::Endnote(note));
        } else {
            line.content.push(InlineContent::FootnoteRef(reference));
            line.behind.push(Element::Footnote(note));
        }
        line.is_blank = false;
    }

    pub(crate) fn comment(&mut self, node: &Node) -> Element {
        let author = node.child("creator").map(Node::text).filter(|name| !name.trim().is_empty());
        let marker = match &author {
            Some(author) => format!("Comment by {author}"),
            None => "Comment".to_owned(),
        };
        let content = self.blocks(node);
        Element::Footnote(Note { id: 0, content, marker: Some(marker), author })
    }

    /// Reads a drawing in the text. Its own text follows the paragraph.
    fn drawn(&mut self, node: &Node, line: &mut Line) {
        if let Some(object) = node.child("object")
            && let Some(formula) = self.formula(object.attribute("href").unwrap_or_default())
        {
            return self.push(line, &Format::default(), &formula, true);
        }
        let content = self.shape(node);
        line.behind.extend(content);
    }

    /// Returns the content of a frame or a shape as blocks.
    pub(crate) fn shape(&mut self, node: &Node) -> Vec<Element> {
        let around = self.shape_around(node);
        self.within(|it| *it = around, |reading| reading.drawn_content(node))
    }

    fn drawn_content(&mut self, node: &Node) -> Vec<Element> {
        let mut out = Vec::new();
        let described =
            |name: &str| node.child(name).map(Node::text).filter(|text| !text.trim().is_empty());
        if let Some(table) = node.child("table") {
            out.extend(self.table(table));
            return out;
        }
        if let Some(object) = node.child("object")
            && let Some(formula) = self.formula(object.attribute("href").unwrap_or_default())
        {
            let content = vec![InlineContent::Text(TextSpan::plain(formula))];
            out.push(Element::Paragraph(Paragraph { content, ..Paragraph::default() }));
            return out;
        }
        let alt_text = described("title").into_iter().chain(described("desc"));
        let alt_text = alt_text.collect::<Vec<_>>().join(": ");
        let alt_text = (!alt_text.is_empty()).then_some(alt_text);
        let boxed = node.child("text-box");
        if boxed.is_none() && (node.child("image").is_some() || node.child("object").is_some()) {
            out.push(Element::Image(Image { alt_text, ..Image::default() }));
            return out;
        }
        let content = self.blocks(boxed.unwrap_or(node));
        if !content.is_empty() {
            out.push(Element::TextBox(TextBox { content, ..TextBox::default() }));
        } else if alt_text.is_some() {
            out.push(Element::Image(Image { alt_text, ..Image::default() }));
        }
        out
    }
}

impl Reading<'_> {
    /// Appends text that people see. Several blanks become one, unless they are `kept`.
    fn push(&mut self, line: &mut Line, format: &Format, text: &str, kept: bool) {
        if !self.is_unseen(&format.look, text) {
            append(line, format, text, kept);
        }
    }
}

fn append(line: &mut Line, format: &Format, text: &str, kept: bool) {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let is_blank = matches!(character, ' ' | '\t' | '\n' | '\r');
        if kept || !is_blank {
            out.push(character);
        } else if !line.is_blank {
            out.push(' ');
        }
        line.is_blank = is_blank && !kept;
    }
    if out.is_empty() {
        return;
    }
    line.content.push(InlineContent::Text(TextSpan {
        text: out,
        bold: format.look.bold == Some(true),
        italic: format.look.italic == Some(true),
        strikethrough: format.look.strikethrough == Some(true),
        hyperlink: format.link.clone(),
        vertical_align: format
            .look
            .position
            .clone()
            .filter(|position| *position != VerticalAlign::Baseline),
        ..TextSpan::default()
    }));
}
