//! The plain text of a mail, for programs and people that show no HTML.

use crate::error::{Result, invalid};
use crate::markdown::{Element, Piece};
use crate::table::Grid;

/// Most bytes of the text.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Longest line below a heading.
const MAX_UNDERLINE: usize = 72;

/// Writes the plain text of a mail.
pub(crate) fn write(pieces: &[Piece]) -> Result<String> {
    let mut writer = Writer::default();
    for piece in pieces {
        writer.piece(piece);
        if writer.out.len() + writer.grid_bytes > MAX_BYTES {
            return invalid(format!(
                "body: expected at most {} MiB as text; attach long texts as a file",
                MAX_BYTES / 1024 / 1024
            ));
        }
    }
    writer.flush();
    Ok(writer.out)
}

/// Returns the quoted text of a mail below a reply.
pub(crate) fn quoted(introduction: &str, text: &str) -> String {
    let mut out = format!("\n{introduction}\n\n");
    for line in text.lines() {
        let mark = if line.is_empty() || line.starts_with('>') { ">" } else { "> " };
        out.push_str(mark);
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// What stands before the lines of a quote or an item.
struct Prefix {
    /// Before its first line, until it is written.
    first: Option<String>,
    rest: String,
}

/// A list that is open.
struct List {
    next: Option<u64>,
    /// `true` if there is an empty line between its items.
    is_loose: bool,
}

#[derive(Default)]
struct Writer<'a> {
    out: String,
    /// The block that is being read.
    block: String,
    prefixes: Vec<Prefix>,
    lists: Vec<List>,
    open: Vec<&'a Element>,
    /// Where the words of open links begin in the block.
    links: Vec<usize>,
    grid: Grid,
    grid_bytes: usize,
    has_gap: bool,
}

impl<'a> Writer<'a> {
    fn piece(&mut self, piece: &'a Piece) {
        match piece {
            Piece::Open(element) => {
                self.start(element);
                self.open.push(element);
            }
            Piece::Close => {
                if let Some(element) = self.open.pop() {
                    self.end(element);
                }
            }
            Piece::Text(text) | Piece::Code(text) => self.block.push_str(text),
            Piece::Break => self.block.push('\n'),
            Piece::Rule => {
                self.flush();
                self.block.push_str(&"-".repeat(20));
                self.flush();
                self.has_gap = true;
            }
            Piece::Task(is_done) => self.block.push_str(if *is_done { "[x] " } else { "[ ] " }),
            Piece::Picture { name, alt } => {
                let shown = if alt.trim().is_empty() { name } else { alt };
                self.block.push_str(&format!("[{}]", shown.trim()));
            }
        }
    }

    fn start(&mut self, element: &'a Element) {
        match element {
            Element::Paragraph | Element::Heading(_) | Element::CodeBlock => {
                self.flush();
                if let (Element::Paragraph, Some(Element::Item), Some(list)) =
                    (element, self.open.last(), self.lists.last_mut())
                {
                    list.is_loose = true;
                }
            }
            Element::Quote => {
                self.flush();
                self.prefixes.push(Prefix { first: Some("> ".into()), rest: "> ".into() });
            }
            Element::List(first) => {
                self.flush();
                // A list in an item follows its text at once.
                self.has_gap &=
                    self.lists.is_empty() || self.lists.last().is_some_and(|it| it.is_loose);
                self.lists.push(List { next: *first, is_loose: false });
            }
            Element::Item => {
                let mark = match self.lists.last_mut() {
                    Some(List { next: Some(number), .. }) => {
                        let mark = format!("{number}. ");
                        *number += 1;
                        mark
                    }
                    _ => "- ".to_owned(),
                };
                let rest = " ".repeat(mark.len());
                self.prefixes.push(Prefix { first: Some(mark), rest });
            }
            Element::Table(alignments) => {
                self.flush();
                self.grid = Grid { alignments: alignments.clone(), rows: Vec::new() };
            }
            Element::Head | Element::Row => self.grid.rows.push(Vec::new()),
            Element::Strike => self.block.push_str("~~"),
            Element::Link(_) => self.links.push(self.block.len()),
            Element::Cell | Element::Emphasis | Element::Strong | Element::Plain => {}
        }
    }

    fn end(&mut self, element: &Element) {
        match element {
            Element::Paragraph => {
                self.flush();
                self.has_gap = true;
            }
            Element::Heading(level) => {
                let longest = self.block.lines().map(unicode_width::UnicodeWidthStr::width).max();
                let width = longest.unwrap_or(0).min(MAX_UNDERLINE);
                let mark = match level {
                    1 => "=",
                    2 => "-",
                    _ => "",
                };
                self.block.truncate(self.block.trim_end().len());
                if !mark.is_empty() && width > 0 {
                    self.block.push('\n');
                    self.block.push_str(&mark.repeat(width));
                }
                self.flush();
                self.has_gap = true;
            }
            Element::CodeBlock => {
                let code = std::mem::take(&mut self.block);
                let lines = code.strip_suffix('\n').unwrap_or(&code).split('\n');
                let lines: Vec<String> = lines.map(|line| format!("    {line}")).collect();
                self.write(&lines);
                self.has_gap = true;
            }
            Element::Quote => {
                self.flush();
                self.prefixes.pop();
                self.has_gap = true;
            }
            Element::Item => {
                self.flush();
                if let Some(Prefix { first: Some(mark), .. }) = self.prefixes.last() {
                    // The item is empty.
                    let mark = mark.trim_end().to_owned();
                    self.prefixes.pop();
                    self.write(&[mark]);
                } else {
                    self.prefixes.pop();
                }
                self.has_gap = self.lists.last().is_some_and(|list| list.is_loose);
            }
            Element::List(_) => {
                self.lists.pop();
                self.has_gap = self.lists.last().is_none_or(|list| list.is_loose);
            }
            Element::Table(_) => {
                let grid = std::mem::take(&mut self.grid);
                self.grid_bytes = 0;
                self.write(&grid.lines());
                self.has_gap = true;
            }
            Element::Cell => {
                let cell = std::mem::take(&mut self.block);
                self.grid_bytes += cell.len();
                if let Some(row) = self.grid.rows.last_mut() {
                    row.push(cell.trim().to_owned());
                }
            }
            Element::Strike => self.block.push_str("~~"),
            Element::Link(address) => {
                let from = self.links.pop().unwrap_or(0);
                let words = self.block.get(from..).unwrap_or_default().trim().to_owned();
                let Some(address) = address else { return };
                let short = address.strip_prefix("mailto:").or(address.strip_prefix("tel:"));
                let short = short.unwrap_or(address);
                if words.is_empty() {
                    self.block.push_str(short);
                } else if words != *address && words != short {
                    self.block.push_str(&format!(" ({short})"));
                }
            }
            Element::Head | Element::Row | Element::Emphasis | Element::Strong | Element::Plain => {
            }
        }
    }

    /// Writes the block that was read.
    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        let block = block.trim();
        if !block.is_empty() {
            let lines: Vec<String> = block.split('\n').map(|line| line.trim().to_owned()).collect();
            self.write(&lines);
        }
    }

    /// Writes lines behind the prefixes, after an empty line if there is a gap.
    fn write(&mut self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        if self.has_gap && !self.out.is_empty() {
            // The mark of a new item is not on the line above it.
            let marked = self.prefixes.iter().position(|prefix| prefix.first.is_some());
            let above = &self.prefixes[..marked.unwrap_or(self.prefixes.len())];
            let gap: String = above.iter().map(|prefix| &*prefix.rest).collect();
            self.out.push_str(gap.trim_end());
            self.out.push('\n');
        }
        self.has_gap = false;
        for line in lines {
            // The caller's check comes after these lines.
            if self.out.len() > MAX_BYTES {
                return;
            }
            let start = self.out.len();
            for prefix in &mut self.prefixes {
                let mark = prefix.first.take();
                self.out.push_str(mark.as_deref().unwrap_or(&prefix.rest));
            }
            self.out.push_str(line);
            let length = start + self.out[start..].trim_end().len();
            self.out.truncate(length);
            self.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, write};
    use crate::markdown::parse;

    fn text(markdown: &str) -> String {
        write(&parse(markdown).unwrap().pieces).unwrap()
    }

    #[test]
    fn elements() {
        for (markdown, expected) in [
            ("Hello,\n\nbest\nAnna", "Hello,\n\nbest\nAnna\n"),
            ("# 标题 A\nb\n\n### C\nd", "标题 A\n======\n\nb\n\nC\n\nd\n"),
            ("- a\n- b\n  1. c\n  2. d\n- \n\ne", "- a\n- b\n  1. c\n  2. d\n-\n\ne\n"),
            ("1. a\n\n   b\n2. c", "1. a\n\n   b\n\n2. c\n"),
            ("- [x] a\n- [ ] b", "- [x] a\n- [ ] b\n"),
            ("> a\n>\n> - b\n> > c\n\nd", "> a\n>\n> - b\n>\n> > c\n\nd\n"),
            ("```\nx  \n\n  y\n```\nz", "    x\n\n      y\n\nz\n"),
            ("a *b* **c** ~~d~~ `e`", "a b c ~~d~~ e\n"),
            (
                "[a](https://b.com) <https://c.com> <d@e.com> [x](file:y) [](https://f.com)",
                "a (https://b.com) https://c.com d@e.com x https://f.com\n",
            ),
            ("a\n\n---\n\nb", "a\n\n--------------------\n\nb\n"),
            ("![a chart](x.png)\n\n![](y.png)", "[a chart]\n\n[y.png]\n"),
            ("t:\n\n| a | b |\n|---|--:|\n| x | 10 |\n\nu", "t:\n\na   b\n-  --\nx  10\n\nu\n"),
            ("- a\n\n  | b |\n  |---|\n  | c |", "- a\n\n  b\n  -\n  c\n"),
        ] {
            assert_eq!(text(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn a_quoted_mail_has_marks() {
        assert_eq!(quoted("A wrote:", "b\n\n> c\n"), "\nA wrote:\n\n> b\n>\n>> c\n");
    }

    #[test]
    fn a_text_has_a_limit() {
        let deep = format!("{}{}", "> ".repeat(38), "a\n".repeat(90_000));
        assert!(text(&deep).len() > 7_000_000);
        let wide = format!("{}{}", "999999999. ".repeat(18), "b\n".repeat(90_000));
        let body = parse(&wide).unwrap();
        assert!(write(&body.pieces).unwrap_err().to_string().contains("8 MiB"));
        let cells = format!("|a|\n|-|\n|{}|\n", "b".repeat(9 * 1024 * 1024));
        assert!(write(&parse(&cells).unwrap().pieces).is_err());
    }
}
