//! Limits a page before it is parsed. The parser takes quadratic time for three kinds of input: deeply nested elements,
//! formatting elements without an end tag, which it opens again in each block that follows, and tags with thousands of
//! attributes. It also needs more memory than a reader has for some millions of nodes.
//!
//! The scan never counts less than the parser builds. An end tag that the parser may ignore closes nothing.

use std::borrow::Cow;
use std::collections::HashMap;

/// Deepest nesting of elements that the parser gets. Browsers stop at 512.
const MAX_DEPTH: usize = 500;

/// Most formatting elements (`<b>`, `<font>`) without their end tag. The parser copies all of them into each block that
/// follows.
const MAX_FORMATTING: usize = 100;

/// Most attributes of a tag. The parser compares each new one with all before it.
const MAX_ATTRIBUTES: usize = 200;

/// Most elements and texts that the parser gets. Its tree grows by doubling, and the next step would take more than
/// half of the memory of a reader.
const MAX_NODES: usize = 1_330_000;

/// Void elements, and elements that the next one of their type closes. They do not make the page deeper.
const ENDLESS: [&str; 32] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html",
    "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param", "source", "tbody",
    "tfoot", "thead", "tr", "track", "wbr", "frame", "frameset", "keygen", "bgsound",
];

/// Formatting elements of the HTML standard.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Elements that an end tag inside them cannot leave.
const SCOPES: [&str; 9] =
    ["table", "caption", "select", "template", "object", "applet", "marquee", "svg", "math"];

/// Elements of drawings that may close themselves (`<path/>`), neither HTML elements nor entrances to HTML.
const DRAWN: [&str; 24] = [
    "animate",
    "animatetransform",
    "circle",
    "clippath",
    "defs",
    "ellipse",
    "fegaussianblur",
    "feoffset",
    "g",
    "image",
    "line",
    "lineargradient",
    "mask",
    "mspace",
    "path",
    "pattern",
    "polygon",
    "polyline",
    "radialgradient",
    "rect",
    "stop",
    "symbol",
    "tspan",
    "use",
];

/// A page within the limits.
pub struct Bounded<'a> {
    /// The page that the parser gets.
    pub html: Cow<'a, str>,
    /// Offset from which the page was left out because it has too many elements.
    pub cut: Option<usize>,
    /// Number of tags with more attributes than are read.
    pub long_tags: usize,
}

impl Bounded<'_> {
    /// Returns warnings about what was left out of `text`, the whole page.
    pub fn warnings(&self, text: &str) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.long_tags > 0 {
            warnings.push(format!(
                "tags with more attributes than are read; the others were left out: {}",
                self.long_tags
            ));
        }
        if let Some(cut) = self.cut {
            warnings.push(format!(
                "the page has more elements than are read at once: its end was left out, from character {} of {} on; the rest can be read as a page of its own",
                text.get(..cut).unwrap_or_default().chars().count() + 1,
                text.chars().count()
            ));
        }
        warnings
    }
}

/// Returns the page without the tags that exceed the limits. Their text stays. A page with more than [`MAX_NODES`]
/// nodes is cut.
pub fn bounded(html: &str) -> Bounded<'_> {
    let mut scan = Scan::default();
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    let mut long_tags = 0;
    let mut cut = None;
    while let Some(found) = html.get(at..).and_then(|it| it.find('<')) {
        let begin = at + found;
        if found > 0 {
            scan.text();
        }
        if scan.nodes >= MAX_NODES {
            cut = Some(begin);
            break;
        }
        let rest = html.get(begin..).unwrap_or_default();
        if rest.starts_with("<!--") {
            at = begin + comment_end(rest);
            continue;
        }
        let Some(tag) = Tag::read(rest) else {
            at = begin + 1;
            continue;
        };
        at = begin + tag.end;
        let is_kept = if tag.is_end { scan.close(&tag) } else { scan.open(&tag) };
        if !is_kept {
            out.push_str(html.get(copied..begin).unwrap_or_default());
            copied = at;
        } else if let Some(end) = tag.last_attribute {
            long_tags += 1;
            out.push_str(html.get(copied..begin + end).unwrap_or_default());
            out.push('>');
            copied = at;
        }
        if !tag.is_end && tag.name == "script" && !scan.has_foreign {
            at += script_end(html.get(at..).unwrap_or_default());
        }
    }
    let end = cut.unwrap_or(html.len());
    let html = if copied == 0 {
        Cow::Borrowed(html.get(..end).unwrap_or(html))
    } else {
        out.push_str(html.get(copied..end).unwrap_or_default());
        Cow::Owned(out)
    };
    Bounded { html, cut, long_tags }
}

/// Open elements inside an element that end tags cannot leave.
#[derive(Default)]
struct Scope {
    /// The name of that element. `td` stands for every cell.
    name: String,
    open: HashMap<String, usize>,
    /// Number of open elements.
    depth: usize,
    formatting: usize,
    /// `true` if only elements of drawings are open, which may close themselves.
    is_drawing: bool,
}

/// The open elements, and the number of nodes that the parser makes.
#[derive(Default)]
struct Scan {
    scope: Scope,
    /// The scopes around it.
    outer: Vec<Scope>,
    depth: usize,
    formatting: usize,
    nodes: usize,
    /// `true` if a block was closed. The parser then opens the formatting elements again before the next text.
    is_block_closed: bool,
    /// `true` if the page has drawings or formulas. A script in them is an ordinary element.
    has_foreign: bool,
}

impl Scan {
    fn text(&mut self) {
        self.nodes += 1 + self.reopened();
    }

    /// Returns how many formatting elements the parser opens again now.
    fn reopened(&mut self) -> usize {
        let is_closed = std::mem::take(&mut self.is_block_closed);
        if is_closed { self.scope.formatting } else { 0 }
    }

    /// Counts a start tag. Returns `false` if the parser must not see it.
    fn open(&mut self, tag: &Tag<'_>) -> bool {
        self.nodes += 1;
        let name = &*tag.name;
        if ENDLESS.contains(&name) {
            self.is_block_closed = true;
            if name == "tr" {
                self.leave("td");
            }
            return true;
        }
        if matches!(name, "td" | "th" | "caption") {
            self.leave("td");
            // Outside of a table the parser ignores a cell.
            if self.scope.name != "table" {
                return true;
            }
            return self.enter("td");
        }
        if FORMATTING.contains(&name) {
            return self.open_formatting(name);
        }
        if SCOPES.contains(&name) {
            self.has_foreign |= matches!(name, "svg" | "math");
            if matches!(name, "svg" | "math") && tag.is_self_closing {
                return true;
            }
            return self.enter(name);
        }
        let is_drawn = DRAWN.contains(&name);
        self.scope.is_drawing &= is_drawn;
        if self.scope.is_drawing && tag.is_self_closing {
            return true;
        }
        // The next annotation closes the one before it.
        if matches!(name, "rt" | "rp") && self.scope.open.contains_key("ruby") {
            self.shut(name);
        }
        self.push(name)
    }

    fn open_formatting(&mut self, name: &str) -> bool {
        self.nodes += self.reopened();
        // The parser closes a link before it opens the next.
        if name == "a" {
            self.shut_formatting(name);
        }
        if self.formatting >= MAX_FORMATTING || !self.push(name) {
            return false;
        }
        self.scope.is_drawing = false;
        self.scope.formatting += 1;
        self.formatting += 1;
        true
    }

    /// Counts an end tag. Returns `false` if the parser must not see it.
    fn close(&mut self, tag: &Tag<'_>) -> bool {
        let name = &*tag.name;
        if FORMATTING.contains(&name) {
            self.shut_formatting(name);
            return true;
        }
        self.is_block_closed = true;
        match name {
            "td" | "th" | "caption" | "tr" | "tbody" | "thead" | "tfoot" => self.leave("td"),
            "table" => {
                self.leave("td");
                self.leave("table");
            }
            _ if SCOPES.contains(&name) => self.leave(name),
            _ => {
                self.shut(name);
            }
        }
        true
    }

    fn push(&mut self, name: &str) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        self.scope.depth += 1;
        *self.scope.open.entry(name.to_owned()).or_default() += 1;
        true
    }

    /// Closes one element with this name, if an end tag can reach one.
    fn shut(&mut self, name: &str) -> bool {
        let Some(count) = self.scope.open.get_mut(name) else { return false };
        *count -= 1;
        if *count == 0 {
            self.scope.open.remove(name);
        }
        self.scope.depth -= 1;
        self.depth -= 1;
        true
    }

    fn shut_formatting(&mut self, name: &str) {
        if self.shut(name) {
            self.scope.formatting -= 1;
            self.formatting -= 1;
        }
    }

    fn enter(&mut self, name: &str) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        let is_drawing = matches!(name, "svg" | "math");
        let scope = Scope { name: name.to_owned(), depth: 1, is_drawing, ..Scope::default() };
        self.outer.push(std::mem::replace(&mut self.scope, scope));
        true
    }

    /// Leaves the innermost scope if it is of this name.
    fn leave(&mut self, name: &str) {
        if self.scope.name == name {
            self.depth -= self.scope.depth;
            self.formatting -= self.scope.formatting;
            self.scope = self.outer.pop().unwrap_or_default();
        }
    }
}

/// A start or end tag, read as the tokenizer of the HTML standard reads it.
struct Tag<'a> {
    /// The name in lower case. All levels of headings have one name, because each end tag of a heading closes any of
    /// them.
    name: Cow<'a, str>,
    is_end: bool,
    is_self_closing: bool,
    /// The length of the tag in bytes.
    end: usize,
    /// The end of the last attribute that is read, if there are more.
    last_attribute: Option<usize>,
}

impl<'a> Tag<'a> {
    /// Reads a tag at the start of a text. Returns `None` if the text begins with `<` and no tag.
    fn read(text: &'a str) -> Option<Tag<'a>> {
        let is_end = text.starts_with("</");
        let begin = if is_end { 2 } else { 1 };
        let bytes = text.as_bytes();
        bytes.get(begin).filter(|it| it.is_ascii_alphabetic())?;
        let is_name = |it: &u8| !it.is_ascii_whitespace() && *it != b'/' && *it != b'>';
        let mut at = begin + bytes.iter().skip(begin).take_while(|it| is_name(it)).count();
        let name = text.get(begin..at).unwrap_or_default();
        let name = if name.bytes().any(|it| it.is_ascii_uppercase()) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        };
        let name = match name.as_bytes() {
            [b'h', b'1'..=b'6'] => Cow::Borrowed("h1"),
            _ => name,
        };
        let mut attributes = 0;
        let mut last_attribute = None;
        let mut is_self_closing = false;
        let end = loop {
            match bytes.get(at) {
                None => break bytes.len(),
                Some(b'>') => break at + 1,
                Some(b'/') => {
                    is_self_closing = bytes.get(at + 1) == Some(&b'>');
                    at += 1;
                }
                Some(it) if it.is_ascii_whitespace() => at += 1,
                Some(_) => {
                    if attributes == MAX_ATTRIBUTES {
                        last_attribute = Some(at);
                    }
                    attributes += 1;
                    at = attribute_end(bytes, at);
                }
            }
        };
        Some(Tag { name, is_end, is_self_closing, end, last_attribute })
    }
}

/// Returns the end of the attribute that begins at `at`. A quotation mark only counts right after the equals sign.
fn attribute_end(bytes: &[u8], at: usize) -> usize {
    let skip = |from: usize, is_in: &dyn Fn(u8) -> bool| {
        from + bytes.iter().skip(from).take_while(|it| is_in(**it)).count()
    };
    let is_space = |it: u8| it.is_ascii_whitespace();
    // The first byte belongs to the name, even if it is an equals sign.
    let name_end = skip(at + 1, &|it| !is_space(it) && !matches!(it, b'/' | b'>' | b'='));
    let sign = skip(name_end, &is_space);
    if bytes.get(sign) != Some(&b'=') {
        return name_end;
    }
    let value = skip(sign + 1, &is_space);
    match bytes.get(value) {
        Some(quote @ (b'"' | b'\'')) => {
            let end = skip(value + 1, &|it| it != *quote);
            (end + 1).min(bytes.len())
        }
        _ => skip(value, &|it| !is_space(it) && it != b'>'),
    }
}

/// Returns the end of the comment that begins here. A comment may end at once (`<!-->`).
fn comment_end(comment: &str) -> usize {
    let mut at = 2;
    while let Some(found) = comment.get(at..).and_then(|it| it.find("--")) {
        at += found;
        match comment.as_bytes().get(at + 2..).unwrap_or_default() {
            [b'>', ..] => return at + 3,
            [b'!', b'>', ..] => return at + 4,
            _ => at += 1,
        }
    }
    comment.len()
}

/// Returns the end of the text of a script that begins here, which is before its end tag.
fn script_end(text: &str) -> usize {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|it| it.find("</")) {
        at += found;
        let name = text.as_bytes().get(at + 2..at + 8).unwrap_or_default();
        if name.eq_ignore_ascii_case(b"script") {
            return at;
        }
        at += 2;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of nodes and the depth that the parser makes of a limited page.
    fn parsed(html: &str) -> (usize, usize) {
        let bounded = bounded(html);
        let document = dom_query::Document::from(&*bounded.html);
        let (mut nodes, mut deepest) = (0, 0);
        let mut open = vec![(document.root(), 0)];
        while let Some((node, depth)) = open.pop() {
            nodes += 1;
            deepest = deepest.max(depth);
            open.extend(node.children().into_iter().map(|it| (it, depth + 1)));
        }
        (nodes, deepest)
    }

    #[test]
    fn no_page_makes_the_parser_build_deeper_or_more_than_the_bounds() {
        let many = |piece: &dyn Fn(usize) -> String| (0..4_000).map(piece).collect::<String>();
        let pages = [
            many(&|n| format!("<b a{n}>")),
            many(&|n| format!("<b a{n}></zz>")),
            many(&|n| format!("<i a{n}></i><b a{n}></i>x")),
            format!("<p>{}{}", many(&|n| format!("<b a{n}>")), "<p>x".repeat(4_000)),
            format!(
                "<table>{}</table>{}",
                many(&|n| format!("<b a{n}><td></td>")),
                "<p>x".repeat(4_000)
            ),
            many(&|_| "<div></x>".into()),
            many(&|_| format!("{}<table>{}", "<div>".repeat(9), "</div>".repeat(9))),
            many(&|_| "<div><select></div></select>".into()),
            many(&|_| "<section><button></section>".into()),
            many(&|_| "<rt>".into()),
            many(&|_| "<div x\"><em y\">".into()),
            many(&|_| "<svg><path><title><div/>".into()),
            many(&|_| "<svg><p><circle/>".into()),
            many(&|_| "<!--><div>".into()),
            many(&|_| "<svg><script><div></script>".into()),
            many(&|n| format!("<h{}></h{}>x<h2>", n % 6 + 1, (n + 1) % 6 + 1)),
            many(&|_| "<DIV></SPAN>".into()),
            many(&|_| "<template><tr><td><template><div>".into()),
            many(&|_| "<object><p></object><object>".into()),
            many(&|n| format!("<font a{n}><p></font a{n}><p>x")),
            many(&|_| "<math><mi><div><mtext><mglyph/>".into()),
        ];
        for page in pages {
            let (nodes, depth) = parsed(&page);
            let start: String = page.chars().take(60).collect();
            // The parser adds `<html><body>` and some elements on its own.
            assert!(depth <= 4 * MAX_DEPTH, "{start}: {depth} deep");
            assert!(nodes <= 130 * 4_000, "{start}: {nodes} nodes");
        }
    }

    #[test]
    fn pages_as_people_write_them_stay_as_they_are() {
        let icons = "<svg viewBox='0 0 8 8'><path d='M0 0'/><use href='#a'/></svg>".repeat(2_000);
        let page = format!(
            "<ul>{}</ul><table>{}</table><script>if (a < b) document.write('<div>'.repeat(9))</script>{icons}",
            "<li><a href='/'>x</a><p>y".repeat(2_000),
            "<tr><td><b>x<td><font size=2>y".repeat(2_000),
        );
        let bounded = bounded(&page);
        assert!(matches!(bounded.html, Cow::Borrowed(_)));
        assert_eq!((bounded.cut, bounded.long_tags), (None, 0));
    }

    #[test]
    fn tags_end_where_the_parser_ends_them() {
        let name_and_end = |text| Tag::read(text).map(|it| (it.name.into_owned(), it.end));
        for (text, name, end) in [
            ("<a title='>'>x", "a", 13),
            ("<a x\">y\">", "a", 6),
            ("<a =\">\">", "a", 6),
            ("<a b = \">\">", "a", 11),
            ("<a b=c\">\"", "a", 8),
            ("</P\n>", "p", 5),
            ("<H3>", "h1", 4),
            ("<a b='", "a", 6),
        ] {
            assert_eq!(name_and_end(text), Some((name.to_owned(), end)), "{text}");
        }
        assert!(Tag::read("< a>").is_none() && Tag::read("<1>").is_none());
        assert_eq!(comment_end("<!-->x"), 5);
        assert_eq!(comment_end("<!-- a -- b --!>x"), 16);
        let many: String = (0..1_000).map(|n| format!(" a{n}")).collect();
        let tag = format!("<p{many} title='<b>'>x</p>");
        let bounded = bounded(&tag);
        assert_eq!(bounded.long_tags, 1);
        assert!(bounded.html.ends_with("a199 >x</p>"), "{}", bounded.html);
    }
}
