//! The HTML of a mail. Styles are inline, because mail programs drop style sheets; nothing is loaded.

use pulldown_cmark::Alignment;

use crate::error::{Result, invalid};
use crate::markdown::{Element, Piece};

/// Most bytes of the page.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Widest picture in pixels: the width of a mail in common programs.
const MAX_PICTURE_WIDTH: u32 = 640;

const FONT: &str = "font-family:Segoe UI,Helvetica,Arial,PingFang SC,Microsoft YaHei,sans-serif;font-size:14px;line-height:1.5;color:#222222";
const MONO: &str = "font-family:Consolas,Menlo,monospace;font-size:13px";

/// A picture in the page.
pub(crate) struct PagePicture<'a> {
    pub(crate) name: &'a str,
    pub(crate) content_id: &'a str,
    pub(crate) width: u32,
}

/// Writes the page of a mail. `quote` is what follows the text of a reply.
pub(crate) fn write(pieces: &[Piece], pictures: &[PagePicture<'_>], quote: &str) -> Result<String> {
    let mut page = Page { out: String::new(), open: Vec::new(), cell: 0 };
    page.out.push_str("<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"></head>\n");
    page.out.push_str(&format!("<body style=\"{FONT}\">\n<div style=\"{FONT}\">\n"));
    for piece in pieces {
        page.piece(piece, pictures);
        if page.out.len() > MAX_BYTES {
            return invalid(format!(
                "body: expected at most {} MiB as HTML; attach long texts as a file",
                MAX_BYTES / 1024 / 1024
            ));
        }
    }
    page.out.push_str("</div>\n");
    page.out.push_str(quote);
    page.out.push_str("</body>\n</html>\n");
    Ok(page.out)
}

/// Returns the quoted text of a mail below a reply.
pub(crate) fn quoted(introduction: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escaped).collect();
    format!(
        "<div style=\"{FONT}\">\n<p style=\"margin:12px 0\">{}</p>\n<blockquote style=\"{}\">\n{}\n</blockquote>\n</div>\n",
        escaped(introduction),
        QUOTE,
        lines.join("<br>\n")
    )
}

const QUOTE: &str =
    "margin:0 0 12px 0;padding:0 0 0 12px;border-left:3px solid #cccccc;color:#555555";

/// Returns a text for HTML, also for attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

struct Page<'a> {
    out: String,
    open: Vec<&'a Element>,
    /// Number of the cell in its row.
    cell: usize,
}

impl<'a> Page<'a> {
    fn piece(&mut self, piece: &'a Piece, pictures: &[PagePicture<'_>]) {
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
            Piece::Text(text) => self.out.push_str(&escaped(text)),
            Piece::Code(text) => {
                let text = escaped(text);
                self.out.push_str(&format!(
                    "<code style=\"{MONO};background-color:#f2f2f2;padding:1px 3px\">{text}</code>"
                ));
            }
            Piece::Break => self.out.push_str("<br>\n"),
            Piece::Rule => self
                .out
                .push_str("<hr style=\"border:0;border-top:1px solid #cccccc;margin:16px 0\">\n"),
            // Mail programs remove fields of forms.
            Piece::Task(is_done) => {
                self.out.push_str(if *is_done { "&#9745; " } else { "&#9744; " })
            }
            Piece::Picture { name, alt } => {
                let Some(picture) = pictures.iter().find(|it| it.name == name) else { return };
                self.out.push_str(&format!(
                    "<img src=\"cid:{}\" alt=\"{}\" width=\"{}\" style=\"max-width:100%;height:auto;border:0\">",
                    escaped(picture.content_id),
                    escaped(alt),
                    picture.width.min(MAX_PICTURE_WIDTH)
                ));
            }
        }
    }

    fn start(&mut self, element: &'a Element) {
        match element {
            Element::Paragraph => self.out.push_str("<p style=\"margin:0 0 12px 0\">"),
            Element::Heading(level) => {
                let size = match level {
                    1 => 22,
                    2 => 18,
                    3 => 16,
                    _ => 14,
                };
                self.out.push_str(&format!(
                    "<h{level} style=\"margin:16px 0 8px 0;font-size:{size}px;line-height:1.3\">"
                ));
            }
            Element::Quote => self.out.push_str(&format!("<blockquote style=\"{QUOTE}\">\n")),
            Element::CodeBlock => self.out.push_str(&format!(
                "<pre style=\"{MONO};background-color:#f2f2f2;padding:8px;margin:0 0 12px 0;white-space:pre-wrap\">"
            )),
            Element::List(first) => {
                let margin = if self.is_in_item() { "0" } else { "0 0 12px 0" };
                let style = format!("style=\"margin:{margin};padding:0 0 0 28px\"");
                self.out.push_str(&match first {
                    None => format!("<ul {style}>\n"),
                    Some(1) => format!("<ol {style}>\n"),
                    Some(first) => format!("<ol start=\"{first}\" {style}>\n"),
                });
            }
            Element::Item => self.out.push_str("<li style=\"margin:0 0 4px 0\">"),
            Element::Table(_) => self.out.push_str(&format!(
                "<table cellspacing=\"0\" cellpadding=\"0\" border=\"1\" style=\"{FONT};border-collapse:collapse;border:1px solid #c8c8c8;margin:0 0 12px 0\">\n"
            )),
            Element::Head | Element::Row => {
                self.cell = 0;
                self.out.push_str("<tr>\n");
            }
            Element::Cell => {
                let align = match self.alignment() {
                    Alignment::Right => "right",
                    Alignment::Center => "center",
                    Alignment::Left | Alignment::None => "left",
                };
                let (tag, color) =
                    if self.is_in_head() { ("th", ";background-color:#f2f2f2") } else { ("td", "") };
                self.out.push_str(&format!(
                    "<{tag} align=\"{align}\" style=\"border:1px solid #c8c8c8;padding:4px 8px{color}\">"
                ));
                self.cell += 1;
            }
            Element::Emphasis => self.out.push_str("<em>"),
            Element::Strong => self.out.push_str("<strong>"),
            Element::Strike => self.out.push_str("<s>"),
            Element::Link(Some(address)) => {
                self.out.push_str(&format!("<a href=\"{}\">", escaped(address)));
            }
            Element::Link(None) | Element::Plain => {}
        }
    }

    fn end(&mut self, element: &Element) {
        let end = match element {
            Element::Paragraph => "</p>\n",
            Element::Heading(level) => return self.out.push_str(&format!("</h{level}>\n")),
            Element::Quote => "</blockquote>\n",
            Element::CodeBlock => "</pre>\n",
            Element::List(None) => "</ul>\n",
            Element::List(Some(_)) => "</ol>\n",
            Element::Item => "</li>\n",
            Element::Table(_) => "</table>\n",
            Element::Head | Element::Row => "</tr>\n",
            Element::Cell => {
                if self.is_in_head() {
                    "</th>\n"
                } else {
                    "</td>\n"
                }
            }
            Element::Emphasis => "</em>",
            Element::Strong => "</strong>",
            Element::Strike => "</s>",
            Element::Link(Some(_)) => "</a>",
            Element::Link(None) | Element::Plain => "",
        };
        self.out.push_str(end);
    }

    fn is_in_item(&self) -> bool {
        matches!(self.open.last(), Some(Element::Item))
    }

    fn is_in_head(&self) -> bool {
        matches!(self.open.last(), Some(Element::Head))
    }

    /// Returns the alignment of the cell that begins.
    fn alignment(&self) -> Alignment {
        let table = self.open.iter().rev().find_map(|element| match element {
            Element::Table(alignments) => Some(alignments),
            _ => None,
        });
        table.and_then(|it| it.get(self.cell)).copied().unwrap_or(Alignment::None)
    }
}

#[cfg(test)]
mod tests {
    use super::{PagePicture, quoted, write};
    use crate::markdown::parse;

    fn html(text: &str) -> String {
        let picture = PagePicture { name: "a.png", content_id: "p1@x", width: 1_600 };
        let page = write(&parse(text).unwrap().pieces, &[picture], "").unwrap();
        let (_, body) = page.split_once("<div").unwrap();
        let (_, body) = body.split_once(">\n").unwrap();
        // Without styles, which no test reads.
        let mut out = String::new();
        let mut rest = body.strip_suffix("</div>\n</body>\n</html>\n").unwrap();
        while let Some((before, style)) = rest.split_once(" style=\"") {
            out.push_str(before);
            rest = style.split_once('"').unwrap().1;
        }
        out + rest
    }

    #[test]
    fn elements() {
        for (text, expected) in [
            (
                "# A & <b>\n\nc *d* **e** ~~f~~ `g<`",
                "<h1>A &amp; &lt;b&gt;</h1>\n<p>c <em>d</em> <strong>e</strong> <s>f</s> <code>g&lt;</code></p>\n",
            ),
            ("a\nb", "<p>a<br>\nb</p>\n"),
            (
                "3. a\n4. b\n   - [x] c\n   - [ ] d",
                "<ol start=\"3\">\n<li>a</li>\n<li>b<ul>\n<li>&#9745; c</li>\n<li>&#9744; d</li>\n</ul>\n</li>\n</ol>\n",
            ),
            (
                "> a\n\n---\n```x\n<i>\n```",
                "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n<pre>&lt;i&gt;\n</pre>\n",
            ),
            (
                "|a|b|\n|-|-:|\n|1|2|",
                "<table cellspacing=\"0\" cellpadding=\"0\" border=\"1\">\n<tr>\n<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n</tr>\n<tr>\n<td align=\"left\">1</td>\n<td align=\"right\">2</td>\n</tr>\n</table>\n",
            ),
            (
                "[a](https://b.com/?c=d&e=\"f)",
                "<p><a href=\"https://b.com/?c=d&amp;e=&quot;f\">a</a></p>\n",
            ),
            ("[a](javascript:b)", "<p>a</p>\n"),
            ("<x@y.com>", "<p><a href=\"mailto:x@y.com\">x@y.com</a></p>\n"),
            ("![q\"](a.png)", "<p><img src=\"cid:p1@x\" alt=\"q&quot;\" width=\"640\"></p>\n"),
            ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    #[test]
    fn a_quoted_mail_is_text() {
        let quote = quoted("<A> wrote:", "a\n<img src=x>");
        assert!(quote.contains("&lt;A&gt; wrote:</p>"));
        assert!(quote.contains("\na<br>\n&lt;img src=x&gt;\n</blockquote>"));
    }

    #[test]
    fn a_page_has_a_limit() {
        // Each cell has a style.
        let table =
            format!("|{}\n|{}\n{}", "a|".repeat(60), "-|".repeat(60), "|a|\n".repeat(1_000));
        let body = parse(&table).unwrap();
        assert!(write(&body.pieces, &[], "").is_ok());
        let body = parse(&"&".repeat(3_000_000)).unwrap();
        assert!(write(&body.pieces, &[], "").unwrap_err().to_string().contains("8 MiB"));
    }
}
