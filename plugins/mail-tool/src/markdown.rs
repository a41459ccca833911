//! The Markdown of a body as a flat list of pieces, from which both texts of a mail are written.
//!
//! Whatever mail programs do not show is changed here, with a warning.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, LinkType, Options, Parser, Tag};

use crate::error::{Result, invalid};
use crate::names::is_reordering;

/// Most nested elements, because mail programs lay them out recursively.
const MAX_DEPTH: usize = 40;
/// Most pieces, which are larger than their text.
const MAX_PIECES: usize = 200_000;
/// Most links that warnings name.
const MAX_NAMED: usize = 10;

/// A part of the text, in its order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Open(Element),
    Close,
    Text(String),
    Code(String),
    Break,
    Rule,
    Task(bool),
    Picture { name: String, alt: String },
}

/// What has pieces inside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Element {
    Paragraph,
    Heading(u8),
    Quote,
    CodeBlock,
    /// Its first number if it is ordered.
    List(Option<u64>),
    Item,
    Table(Vec<Alignment>),
    Head,
    Row,
    Cell,
    Emphasis,
    Strong,
    Strike,
    /// `None` if its address is not one that a mail may have.
    Link(Option<String>),
    /// An element without a form of its own.
    Plain,
}

/// A body, and what was changed in it.
pub(crate) struct Body {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) warnings: Vec<String>,
}

impl Body {
    /// Returns the names of its pictures, each once, at most `limit`.
    pub(crate) fn pictures(&self, limit: usize) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in &self.pieces {
            if names.len() == limit {
                break;
            }
            if let Piece::Picture { name, .. } = piece
                && !names.contains(&&**name)
            {
                names.push(&**name);
            }
        }
        names
    }
}

/// Parses Markdown.
///
/// # Errors
///
/// [`crate::Error::Invalid`] - it is nested too deep, has too many pieces, or shows a picture of a server.
pub(crate) fn parse(text: &str) -> Result<Body> {
    let mut reader = Reader::default();
    let text = reader.cleaned(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for event in Parser::new_ext(&text, options) {
        reader.event(event)?;
        if reader.pieces.len() > MAX_PIECES {
            return invalid(format!(
                "body: expected at most {MAX_PIECES} words with a format, cells and lines; attach long texts as a file"
            ));
        }
    }
    Ok(reader.end())
}

#[derive(Default)]
struct Reader {
    pieces: Vec<Piece>,
    warnings: Vec<String>,
    depth: usize,
    /// The picture whose description is being read.
    picture: Option<(String, String)>,
    /// The link that is being read: its address and its text.
    link: Option<(String, String)>,
    tags: usize,
    refused_links: Vec<String>,
    false_links: Vec<String>,
}

impl Reader {
    /// Returns the text without characters that a mail must not have.
    fn cleaned(&mut self, text: &str) -> String {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let is_bad = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{feff}';
        let removed = text.chars().filter(|&c| is_bad(c)).count();
        if removed > 0 {
            self.warnings.push(format!("Control characters that were left out: {removed}."));
        }
        if text.chars().any(is_reordering) {
            self.warnings.push(
                "The text has characters that reverse the order of others: check how it looks."
                    .into(),
            );
        }
        if removed == 0 { text } else { text.replace(is_bad, "") }
    }

    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Start(tag) => return self.open(tag),
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                match end {
                    pulldown_cmark::TagEnd::Image => self.close_picture(),
                    pulldown_cmark::TagEnd::Link => self.close_link(),
                    _ if self.picture.is_none() => self.pieces.push(Piece::Close),
                    _ => {}
                }
            }
            Event::Text(text) => self.text(&text),
            Event::Code(text) => match &mut self.picture {
                Some((_, alt)) => alt.push_str(&text),
                None => {
                    self.note(&text);
                    self.pieces.push(Piece::Code(text.into_string()));
                }
            },
            Event::SoftBreak | Event::HardBreak => match &mut self.picture {
                Some((_, alt)) => alt.push(' '),
                None => self.pieces.push(Piece::Break),
            },
            Event::Rule => self.pieces.push(Piece::Rule),
            Event::TaskListMarker(is_done) => self.pieces.push(Piece::Task(is_done)),
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html),
            // Extensions that are not enabled.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text);
            }
        }
        Ok(())
    }

    fn open(&mut self, tag: Tag<'_>) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return invalid(format!(
                "body: expected at most {MAX_DEPTH} nested quotes, lists and formats"
            ));
        }
        let element = match tag {
            Tag::Image { dest_url, .. } => {
                // A picture in the description of another one is part of that description.
                if self.picture.is_none() {
                    let lower = dest_url.to_ascii_lowercase();
                    if ["http:", "https:", "data:", "cid:", "file:", "//"]
                        .iter()
                        .any(|it| lower.starts_with(it))
                    {
                        let shown: String = dest_url.chars().take(100).collect();
                        return invalid(format!(
                            "body: expected the name of a picture of this session, got `{shown}`; mail programs do not load pictures of servers"
                        ));
                    }
                    let name = dest_url.strip_prefix("./").unwrap_or(&dest_url).to_owned();
                    self.picture = Some((name, String::new()));
                }
                return Ok(());
            }
            // A link in a description of a picture has no place.
            _ if self.picture.is_some() => return Ok(()),
            Tag::Link { link_type, dest_url, .. } => {
                let address = match link_type {
                    LinkType::Email => format!("mailto:{dest_url}"),
                    _ => dest_url.into_string(),
                };
                self.link = Some((address.clone(), String::new()));
                let link = link_address(&address);
                if link.is_none() {
                    self.refused_links.push(address);
                }
                Element::Link(link)
            }
            Tag::Paragraph | Tag::HtmlBlock => Element::Paragraph,
            Tag::Heading { level, .. } => Element::Heading(level as u8),
            Tag::BlockQuote(_) => Element::Quote,
            Tag::CodeBlock(CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) => {
                Element::CodeBlock
            }
            Tag::List(first) => Element::List(first),
            Tag::Item => Element::Item,
            Tag::Table(alignments) => Element::Table(alignments),
            Tag::TableHead => Element::Head,
            Tag::TableRow => Element::Row,
            Tag::TableCell => Element::Cell,
            Tag::Emphasis => Element::Emphasis,
            Tag::Strong => Element::Strong,
            Tag::Strikethrough => Element::Strike,
            _ => Element::Plain,
        };
        self.pieces.push(Piece::Open(element));
        Ok(())
    }

    fn text(&mut self, text: &str) {
        match &mut self.picture {
            Some((_, alt)) => alt.push_str(text),
            None => {
                self.note(text);
                match self.pieces.last_mut() {
                    Some(Piece::Text(last)) => last.push_str(text),
                    _ => self.pieces.push(Piece::Text(text.to_owned())),
                }
            }
        }
    }

    /// Adds to the text of the link that is being read.
    fn note(&mut self, text: &str) {
        if let Some((_, words)) = &mut self.link {
            words.push_str(text);
        }
    }

    fn html(&mut self, html: &str) {
        let lower = html.trim().to_ascii_lowercase();
        if matches!(&*lower, "<br>" | "<br/>" | "<br />") {
            match &mut self.picture {
                Some((_, alt)) => alt.push(' '),
                None => self.pieces.push(Piece::Break),
            }
        } else {
            self.tags += 1;
            self.text(html);
        }
    }

    fn close_picture(&mut self) {
        if let Some((name, alt)) = self.picture.take() {
            self.pieces.push(Piece::Picture { name, alt });
        }
    }

    fn close_link(&mut self) {
        if self.picture.is_some() {
            return;
        }
        if let Some((address, words)) = self.link.take()
            && host(&words).is_some_and(|shown| host(&address) != Some(shown))
        {
            self.false_links.push(format!("{} leads to {address}", words.trim()));
        }
        self.pieces.push(Piece::Close);
    }

    fn end(mut self) -> Body {
        if self.tags > 0 {
            self.warnings.push(format!(
                "HTML in the body is shown as text: {} places. Use Markdown.",
                self.tags
            ));
        }
        let named = |links: &[String]| {
            let mut shown: Vec<String> =
                links.iter().take(MAX_NAMED).map(|link| link.chars().take(100).collect()).collect();
            if links.len() > MAX_NAMED {
                shown.push(format!("{} more", links.len() - MAX_NAMED));
            }
            shown.join(", ")
        };
        if !self.refused_links.is_empty() {
            self.warnings.push(format!(
                "Links are only https, http, mailto and tel; only the words stay of: {}.",
                named(&self.refused_links)
            ));
        }
        if !self.false_links.is_empty() {
            self.warnings.push(format!(
                "The words of a link name another site than its address: {}.",
                named(&self.false_links)
            ));
        }
        Body { pieces: self.pieces, warnings: self.warnings }
    }
}

/// Returns the address of a link if a mail may have it.
fn link_address(address: &str) -> Option<String> {
    let lower = address.to_ascii_lowercase();
    let is_known =
        ["https://", "http://", "mailto:", "tel:"].iter().any(|it| lower.starts_with(it));
    let is_line = !address.chars().any(|c| c.is_control() || is_reordering(c));
    (is_known && is_line).then(|| address.replace(' ', "%20"))
}

/// Returns the host of a web address, which may come without its scheme if it begins with `www.`.
fn host(text: &str) -> Option<String> {
    let lower = text.trim().to_lowercase();
    let rest = match lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")) {
        Some(rest) => rest,
        None => Some(&*lower).filter(|it| it.starts_with("www."))?,
    };
    let end = rest.find(['/', '?', '#', ' ', '\\']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next()?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Piece, parse};

    fn warnings(text: &str) -> String {
        parse(text).unwrap().warnings.join("\n")
    }

    #[test]
    fn plain_text_has_no_warnings() {
        assert_eq!(
            warnings("# A\n\n- b [c](https://d.com) <e@f.com> [g](tel:+49)\n\n|a|\n|-|\n|x<br>y|"),
            ""
        );
    }

    #[test]
    fn dangerous_links_lose_their_address() {
        for bad in [
            "javascript:alert(1)",
            "JaVaScript:x",
            "file:///etc/passwd",
            "data:text/html,x",
            "other.md",
            "#a",
            "vbscript:x",
        ] {
            let body = parse(&format!("[word](<{bad}>)")).unwrap();
            assert!(body.warnings[0].contains(bad), "{bad}: {:?}", body.warnings);
            assert!(!format!("{:?}", body.pieces).contains(bad));
        }
    }

    #[test]
    fn links_that_name_another_site_are_reported() {
        assert!(
            warnings("[https://bank.com](https://evil.com/bank.com)").contains("https://evil.com")
        );
        assert!(warnings("[www.bank.com](https://bank.com@evil.com)").contains("evil.com"));
        assert_eq!(
            warnings("[https://bank.com/a](https://www.bank.com/b) [here](https://x.com)"),
            ""
        );
    }

    #[test]
    fn html_is_text() {
        let body = parse("a <script>x</script>\n\n<div onclick=x>b</div>").unwrap();
        assert!(body.warnings[0].starts_with("HTML in the body"));
        assert!(
            body.pieces
                .iter()
                .any(|it| matches!(it, Piece::Text(text) if text.contains("<div onclick=x>")))
        );
    }

    #[test]
    fn pictures_are_of_the_session() {
        let body = parse("![a *b*](./x.png) ![](<y z.png>) ![again](x.png)").unwrap();
        assert_eq!(body.pictures(9), ["x.png", "y z.png"]);
        assert_eq!(body.pictures(1), ["x.png"]);
        assert!(body.pieces.contains(&Piece::Picture { name: "x.png".into(), alt: "a b".into() }));
        for bad in ["https://t.com/pixel.gif", "//t.com/p.gif", "data:image/png;base64,AA", "cid:1"]
        {
            let error = parse(&format!("![x]({bad})")).err().unwrap();
            assert!(error.to_string().contains(bad));
        }
    }

    #[test]
    fn control_characters_are_reported() {
        assert!(warnings("a\u{7}b\u{0}").contains("left out: 2"));
        assert!(warnings("a\u{202e}b").contains("reverse"));
        assert_eq!(
            parse("a\r\nb\rc").unwrap().pieces.iter().filter(|it| **it == Piece::Break).count(),
            2
        );
    }

    #[test]
    fn deep_nesting_and_masses_are_refused() {
        for bomb in
            ["> ".repeat(50_000), "- ".repeat(50_000), "**a *b ".repeat(100) + &"* b**".repeat(100)]
        {
            let error = parse(&bomb).err().map(|error| error.to_string());
            assert!(error.as_deref().is_none_or(|it| it.contains("nested")), "{error:?}");
        }
        assert!(parse(&format!("{}a", "> ".repeat(39))).is_ok());
        assert!(parse(&format!("{}a", "> ".repeat(40))).is_err());
        assert!(parse(&"a\n".repeat(90_000)).is_ok());
        assert!(parse(&"a\n".repeat(110_000)).err().unwrap().to_string().contains("200000"));
        // A table fills up short rows.
        let table =
            format!("|{}\n|{}\n{}", "a|".repeat(500), "-|".repeat(500), "|a|\n".repeat(500));
        assert!(parse(&table).is_err());
    }
}
