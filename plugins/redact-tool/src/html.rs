//! Pages of mails: texts as people see them, values of attributes, comments, scripts.

use crate::decoded::{self, Escapes};
use crate::marks::Marks;
use crate::matcher::Matcher;
use crate::view::View;

/// Bytes of a view after which the next block begins another one, and those after which anything does.
const MAX_VIEW: usize = 1 << 20;
const MAX_PARAGRAPH: usize = 4 << 20;

/// Elements inside of a line of text.
const INLINE: [&str; 37] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "label", "mark", "nobr", "o:p", "q", "rp", "rt", "ruby", "s", "samp",
    "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Names of elements and attributes that are part of the format. A hit in one of them stays; it says nothing.
const KNOWN: &str = " abbr accept accept-charset accesskey acronym action address align alink alt applet area article aside async \
    audio autocomplete axis background base basefont bdi bdo bgcolor big blockquote body border bordercolor br button canvas caption \
    cellpadding cellspacing center char charset checked cite class classid clear code col colgroup color cols colspan compact content \
    controls coords data datetime del details dfn dialog dir disabled div dl dt dd em embed enctype face fieldset figcaption figure \
    font footer for form frame frameborder frameset headers height hidden hr href hreflang hspace html head header http-equiv id \
    iframe image img input ins ismap item kbd label lang language legend li link longdesc main map marginheight marginwidth mark \
    max maxlength media menu meta method min multiple name nav nobr noframes nohref noscript noshade nowrap object ol optgroup \
    option output param picture pre profile progress prompt readonly rel rev role rows rowspan rules samp scheme scope script \
    section select selected shape size sizes small source span src srcset start strike strong style sub summary sup svg tabindex \
    table target tbody td template text textarea tfoot th thead time title tr track type ul usemap valign value valuetype var \
    version video vlink vspace wbr width xmlns ";

const ENTITIES: Escapes = Escapes { entities: true, percent: false, json: false, quotes: false };
const ADDRESS: Escapes = Escapes { entities: true, percent: true, json: false, quotes: false };
const CODE: Escapes = Escapes { entities: true, percent: false, json: true, quotes: false };

/// Adds the hits of a page. Unless `keeps_data`, data in addresses, such as pictures, are left out.
pub(crate) fn mark(page: &str, matcher: &Matcher, keeps_data: bool, marks: &mut Marks) {
    let mut work = Work { page, matcher, keeps_data, marks, view: View::default() };
    let mut at = 0;
    while at < page.len() {
        at = work.step(at);
    }
    work.flush();
}

struct Work<'a> {
    page: &'a str,
    matcher: &'a Matcher,
    keeps_data: bool,
    marks: &'a mut Marks,
    /// The text so far.
    view: View,
}

impl Work<'_> {
    /// Reads a text or a tag. Returns where the next one begins.
    fn step(&mut self, at: usize) -> usize {
        let page = self.page;
        let rest = &page[at..];
        let Some(tag) = rest.strip_prefix('<') else {
            let end = at + rest.find('<').unwrap_or(rest.len());
            self.text(at, end);
            return end;
        };
        if tag.starts_with("!--") {
            let end = tag.find("-->").map_or(page.len(), |it| at + 1 + it + 3);
            self.code(at + 1, end);
            return end;
        }
        if tag.starts_with(['!', '?']) {
            let end = tag.find('>').map_or(page.len(), |it| at + 2 + it);
            self.code(at + 1, end);
            return end;
        }
        let name = tag.strip_prefix('/').unwrap_or(tag);
        if !name.starts_with(|it: char| it.is_ascii_alphabetic()) {
            self.text(at, at + 1);
            return at + 1;
        }
        let start = page.len() - name.len();
        let length = name.find([' ', '\t', '\n', '\r', '\u{c}', '/', '>']).unwrap_or(name.len());
        let element = name[..length].to_ascii_lowercase();
        self.name(start, start + length);
        let end = self.attributes(start + length);
        if !INLINE.contains(&element.as_str()) {
            self.view.push('\n', at..at);
            if self.view.text.len() > MAX_VIEW {
                self.flush();
            }
        }
        if matches!(element.as_str(), "script" | "style") && !tag.starts_with('/') {
            let close = format!("</{element}");
            let body = &page.as_bytes()[end..];
            let found =
                body.windows(close.len()).position(|it| it.eq_ignore_ascii_case(close.as_bytes()));
            let stop = found.map_or(page.len(), |it| end + it);
            self.code(end, stop);
            return stop;
        }
        end
    }

    fn text(&mut self, start: usize, end: usize) {
        decoded::push(&mut self.view, &self.page[start..end], start, ENTITIES);
        // Addresses in texts.
        decoded::mark_part(self.page, start..end, ADDRESS, self.matcher, self.marks);
        if self.view.text.len() > MAX_PARAGRAPH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let view = std::mem::take(&mut self.view);
        self.marks.add_view(&view, self.matcher);
    }

    /// Marks the hits of a comment, a declaration or a script.
    fn code(&mut self, start: usize, end: usize) {
        self.marks.add_source(&self.page[start..end], start, self.matcher);
        for escapes in [CODE, ADDRESS] {
            decoded::mark_part(self.page, start..end, escapes, self.matcher, self.marks);
        }
    }

    fn name(&mut self, start: usize, end: usize) {
        let name = &self.page[start..end];
        let is_known = KNOWN.contains(&format!(" {} ", name.to_ascii_lowercase()))
            || INLINE.contains(&name.to_ascii_lowercase().as_str());
        if !is_known {
            self.marks.add_source(name, start, self.matcher);
        }
    }

    /// Reads attributes up to the end of the tag. Returns where that is.
    fn attributes(&mut self, mut at: usize) -> usize {
        let page = self.page;
        let is_space = |it: char| it.is_ascii_whitespace();
        loop {
            at = page.len()
                - page[at..].trim_start_matches(|it: char| is_space(it) || it == '/').len();
            match page[at..].chars().next() {
                None => return at,
                Some('>') => return at + 1,
                Some(_) => {}
            }
            let rest = &page[at..];
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let length = rest[first..]
                .find(|it: char| is_space(it) || matches!(it, '/' | '>' | '='))
                .map_or(rest.len(), |it| it + first);
            self.name(at, at + length);
            at += length;
            let behind = page[at..].trim_start_matches(is_space);
            let Some(value) = behind.strip_prefix('=') else { continue };
            let value = value.trim_start_matches(is_space);
            let start = page.len() - value.len();
            let (start, end, next) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let end = value[1..].find(quote).map_or(page.len(), |it| start + 1 + it);
                    (start + 1, end, (end + 1).min(page.len()))
                }
                _ => {
                    let length =
                        value.find(|it: char| is_space(it) || it == '>').unwrap_or(value.len());
                    (start, start + length, start + length)
                }
            };
            self.value(start, end);
            at = next;
        }
    }

    fn value(&mut self, start: usize, end: usize) {
        let value = self.page[start..end].trim_start();
        let is_data = value.get(..5).is_some_and(|it| it.eq_ignore_ascii_case("data:"));
        if is_data && !self.keeps_data {
            self.marks.cut(start..end);
            return;
        }
        self.code(start, end);
    }
}

#[cfg(test)]
mod tests {
    use crate::kind::TextKind;
    use crate::matcher::Matcher;
    use crate::text::Editor;

    fn edited(page: &str, keeps_data: bool) -> String {
        let words = ["Li Wei".to_owned(), "secret".to_owned(), "table".to_owned()];
        let matcher = Matcher::new(&words, &[]).unwrap();
        let editor = Editor { matcher: &matcher, keeps_data };
        let edited =
            editor.edit(page.as_bytes(), encoding_rs::UTF_8, TextKind::Html, true).unwrap();
        edited.map_or(page.to_owned(), |it| String::from_utf8(it.bytes).unwrap())
    }

    #[test]
    fn hits_are_found_wherever_a_page_can_have_them() {
        for (page, expected) in [
            ("<p>Li <b>Wei</b></p>", "<p>***<b>***</b></p>"),
            ("<p>Li&nbsp;W&#101;i!</p>", "<p>****************!</p>"),
            ("se<span x='1'>cr</span>et", "**<span x='1'>**</span>**"),
            ("se<p>cret", "se<p>cret"),
            ("<!-- a secret -->b", "<!-- a ****** -->b"),
            (
                "<img alt=\"the secret\" title=secret src='x'>",
                "<img alt=\"the ******\" title=****** src='x'>",
            ),
            (
                "<a href=\"https://a.test/Li%20Wei?q=Li+Wei\">x</a>",
                "<a href=\"https://a.test/********?q=******\">x</a>",
            ),
            ("<a title='s&#x65;cret>' b>c", "<a title='***********>' b>c"),
            ("<table data-secret=1><td>table", "<table data-******=1><td>*****"),
            (
                "<script>var a=\"s\\u0065cret\"</script >secret",
                "<script>var a=\"***********\"</script >******",
            ),
            ("<style>.secret{}</style>", "<style>.******{}</style>"),
            ("a < secret <3", "a < ****** <3"),
            ("<p title=\"secret", "<p title=\"******"),
            ("<img src=\"data:image/png;base64,AAAA\">", "<img src=\"\">"),
            ("<secret-tag>", "<******-tag>"),
            ("<!DOCTYPE html><p>x", "<!DOCTYPE html><p>x"),
            ("https://a.test/Li%20Wei", "https://a.test/********"),
        ] {
            assert_eq!(edited(page, false), expected, "{page}");
        }
        let data = "<img src=\"data:image/png;base64,AAAA\">";
        assert_eq!(edited(data, true), data);
    }
}
