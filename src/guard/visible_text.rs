//! A text as its reader sees it: without the markup of Markdown and HTML, with the characters that escapes and entities
//! stand for.
//!
//! This is no parser of either language: everything that looks like markup of one of them is skipped wherever it stands. The
//! text as it is written is checked as well, so skipping too much loses nothing. One character at a time, each with its
//! position in the source; linear time, no memory.

use std::borrow::Cow;

/// Iterates over the shown characters of a text.
#[derive(Clone, Debug)]
pub(crate) struct VisibleText<'a> {
    text: &'a str,
    at: usize,
    /// `true` at the beginning of a line.
    is_line_start: bool,
    brackets: NextOccurrence,
    parens: NextOccurrence,
    angles: NextOccurrence,
    comments: NextOccurrence,
    /// Position up to which no end of an address with parentheses, or of a tag with quotes, was found.
    unclosed: usize,
}

/// Next occurrence of something. It is searched for again only behind the last one, so that all searches together are one
/// pass.
#[derive(Clone, Copy, Debug, Default)]
struct NextOccurrence {
    found: Option<usize>,
    /// `true` if there is no further occurrence.
    is_last: bool,
}

impl NextOccurrence {
    fn from(&mut self, text: &str, at: usize, what: &str) -> Option<usize> {
        if self.found.is_none_or(|found| found < at) && !self.is_last {
            self.found = text.get(at..).and_then(|rest| rest.find(what)).map(|found| at + found);
            self.is_last = self.found.is_none();
        }
        self.found.filter(|found| *found >= at)
    }
}

/// A character and its range in the source.
pub(crate) type PositionedChar = (char, (usize, usize));

/// Most bytes of the name of an entity or a note.
const MAX_NAME: usize = 64;

/// Returns `true` if `text` has characters that may begin markup.
pub(crate) fn has_markup(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'[' | b'<' | b'*' | b'`' | b'~' | b'&' | b'\\' | b'>'))
}

/// Returns a text as its reader sees it: without the markup of Markdown and HTML, with the characters that entities and escapes
/// (`\u673a`) stand for. Borrowed if it has no markup.
pub fn visible_text(text: &str) -> Cow<'_, str> {
    if has_markup(text) {
        Cow::Owned(VisibleText::new(text).map(|(character, _)| character).collect())
    } else {
        Cow::Borrowed(text)
    }
}

impl<'a> VisibleText<'a> {
    pub(crate) fn new(text: &'a str) -> VisibleText<'a> {
        VisibleText {
            text,
            at: 0,
            is_line_start: true,
            brackets: NextOccurrence::default(),
            parens: NextOccurrence::default(),
            angles: NextOccurrence::default(),
            comments: NextOccurrence::default(),
            unclosed: 0,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns what to skip at this position, or the one character that it stands for. `None` if it is plain text.
    fn markup(&mut self, first: char) -> Option<Step> {
        let rest = self.rest();
        match first {
            '\\' => escape(rest.get(1..)?).map(|(c, length)| Step::Char(c, length + 1)),
            '&' => entity(rest.get(1..)?).map(|(c, length)| Step::Char(c, length + 1)),
            '<' => self.tag(rest),
            '*' | '`' => Some(Step::Skip(1)),
            '~' if rest.starts_with("~~") => Some(Step::Skip(2)),
            '!' if rest.starts_with("![") && self.is_link(self.at + 1) => Some(Step::Skip(2)),
            '[' if rest.starts_with("[^") => {
                let near = rest.as_bytes().get(..rest.len().min(MAX_NAME))?;
                near.iter().position(|byte| *byte == b']').map(|end| Step::Skip(end + 1))
            }
            '[' if self.is_link(self.at) => Some(Step::Skip(1)),
            ']' if rest.starts_with("](") => self.address(),
            ']' if rest.starts_with("][") => {
                let end = self.brackets.from(self.text, self.at + 1, "]")?;
                Some(Step::Skip(end + 1 - self.at))
            }
            '>' if self.is_line_start => Some(Step::Skip(1)),
            _ => None,
        }
    }

    /// Returns `true` if the bracket at `at` begins the text of a link.
    fn is_link(&mut self, at: usize) -> bool {
        let end = self.brackets.from(self.text, at, "]");
        end.and_then(|end| self.text.as_bytes().get(end + 1))
            .is_some_and(|next| matches!(next, b'(' | b'['))
    }

    /// Skips the address of a link behind its text, including parentheses in it.
    fn address(&mut self) -> Option<Step> {
        let begin = self.at + 2;
        if begin >= self.unclosed {
            let (mut depth, mut before) = (1_usize, b' ');
            self.unclosed = self.text.len();
            for (index, byte) in self.text.bytes().enumerate().skip(begin) {
                match byte {
                    b'(' => depth += 1,
                    b')' => depth -= 1,
                    // No link goes across an empty line.
                    b'\n' if before == b'\n' => {
                        self.unclosed = index;
                        break;
                    }
                    _ => {}
                }
                if depth == 0 {
                    self.unclosed = 0;
                    return Some(Step::Skip(index + 1 - self.at));
                }
                before = byte;
            }
        }
        let end = self.parens.from(self.text, begin, ")")?;
        Some(Step::Skip(end + 1 - self.at))
    }

    /// Skips a tag or a comment. Tags of paragraphs and cells separate texts, all others stand within them.
    fn tag(&mut self, rest: &str) -> Option<Step> {
        if rest.starts_with("<!--") {
            let end = self.comments.from(self.text, self.at + 4, "-->")?;
            return Some(Step::Skip(end + 3 - self.at));
        }
        let name = rest.get(1..)?.trim_start_matches('/');
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '!' | '?')) {
            return None;
        }
        let length = name.bytes().take(16).take_while(u8::is_ascii_alphanumeric).count();
        let name = name.get(..length)?.to_ascii_lowercase();
        let end = self.tag_end()? + 1 - self.at;
        Some(match &*name {
            "br" => Step::Char('\n', end),
            name if is_block(name) => Step::Char('\t', end),
            _ => Step::Skip(end),
        })
    }

    /// Returns the end of the tag that begins here. A `>` in quotes does not end it.
    fn tag_end(&mut self) -> Option<usize> {
        let first = self.angles.from(self.text, self.at, ">")?;
        if self.at < self.unclosed {
            return Some(first);
        }
        let mut quote = None;
        for (index, byte) in self.text.bytes().enumerate().skip(self.at) {
            match (quote, byte) {
                (None, b'>') => return Some(index),
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), byte) if open == byte => quote = None,
                _ => {}
            }
        }
        self.unclosed = self.text.len();
        Some(first)
    }
}

enum Step {
    /// Skips this many bytes.
    Skip(usize),
    /// This many bytes stand for this character.
    Char(char, usize),
}

impl Iterator for VisibleText<'_> {
    type Item = PositionedChar;

    fn next(&mut self) -> Option<PositionedChar> {
        loop {
            let c = self.rest().chars().next()?;
            let start = self.at;
            let shown = match self.markup(c) {
                Some(Step::Skip(length)) => {
                    self.at = self.text.ceil_char_boundary(start + length.max(1));
                    continue;
                }
                Some(Step::Char(c, length)) => {
                    self.at = start + length;
                    c
                }
                None => {
                    self.at = start + c.len_utf8();
                    c
                }
            };
            self.is_line_start = shown == '\n' || self.is_line_start && shown == ' ';
            return Some((shown, (start, self.at)));
        }
    }
}

/// Returns `true` for elements that begin and end a text of their own.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "td"
            | "th"
            | "tr"
            | "table"
            | "thead"
            | "tbody"
            | "tfoot"
            | "caption"
            | "li"
            | "ul"
            | "ol"
            | "dl"
            | "dt"
            | "dd"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "hr"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "nav"
            | "aside"
            | "main"
            | "pre"
            | "blockquote"
            | "figure"
            | "figcaption"
            | "form"
            | "option"
            | "title"
            | "head"
            | "body"
            | "html"
            | "script"
            | "style"
            | "details"
            | "summary"
            | "address"
            | "text"
            | "desc"
    )
}

/// Returns the character that follows a backslash means, and the number of its bytes.
fn escape(rest: &str) -> Option<(char, usize)> {
    let hex = |from: usize, to: usize| {
        let digits = rest.get(from..to).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = rest.chars().next()?;
    match first {
        'u' if rest.starts_with("u{") => {
            let end = rest.bytes().take(10).position(|byte| byte == b'}')?;
            Some((char::from_u32(hex(2, end)?)?, end + 1))
        }
        'u' => {
            let high = hex(1, 5)?;
            if let Some(c) = char::from_u32(high) {
                return Some((c, 5));
            }
            // Two halves of a surrogate pair.
            let low = hex(7, 11).filter(|low| (0xdc00..0xe000).contains(low))?;
            let is_pair = (0xd800..0xdc00).contains(&high) && rest.get(5..7) == Some("\\u");
            let code = 0x1_0000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
            char::from_u32(code).filter(|_| is_pair).map(|c| (c, 11))
        }
        'U' => Some((char::from_u32(hex(1, 9)?)?, 9)),
        'x' => Some((char::from_u32(hex(1, 3)?)?, 3)),
        'n' | 'r' => Some(('\n', 1)),
        't' => Some((' ', 1)),
        c if c.is_ascii_punctuation() => Some((c, 1)),
        _ => None,
    }
}

/// Returns the character that the entity behind an `&` means, and the number of its bytes.
fn entity(rest: &str) -> Option<(char, usize)> {
    if let Some(number) = rest.strip_prefix('#') {
        let is_hex = number.starts_with(['x', 'X']);
        let digits = if is_hex { number.get(1..)? } else { number };
        let radix = if is_hex { 16 } else { 10 };
        let near = digits.bytes().take(MAX_NAME);
        let length = near.take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let code = u32::from_str_radix(digits.get(..length)?.trim_start_matches('0'), radix);
        let end = 1 + usize::from(is_hex) + length;
        // Browsers accept numbers without a final semicolon as well.
        let ends = usize::from(rest.as_bytes().get(end) == Some(&b';'));
        return Some((char::from_u32(code.ok()?)?, end + ends));
    }
    let end = rest.bytes().take(MAX_NAME).position(|byte| byte == b';')?;
    named(rest.get(..end)?).map(|c| (c, end + 1))
}

/// Returns the character of a named entity that folds to a letter, separates letters or is invisible.
fn named(name: &str) -> Option<char> {
    const ENDINGS: [&str; 18] = [
        "acute", "grave", "circ", "uml", "tilde", "ring", "cedil", "caron", "breve", "macr",
        "ogon", "dot", "slash", "strok", "dblac", "fr", "scr", "opf",
    ];
    Some(match name {
        "shy" => '\u{ad}',
        "zwj" | "zwnj" | "lrm" | "rlm" | "NoBreak" | "ZeroWidthSpace" | "NegativeThinSpace" => {
            '\u{200b}'
        }
        "nbsp" | "NonBreakingSpace" | "ensp" | "emsp" | "thinsp" | "hairsp" | "numsp"
        | "puncsp" | "emsp13" | "emsp14" | "MediumSpace" | "ThinSpace" => ' ',
        "Tab" => '\t',
        "NewLine" => '\n',
        "amp" | "AMP" => '&',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "lowbar" => '_',
        "sol" => '/',
        "period" => '.',
        "hyphen" | "dash" | "ndash" | "mdash" | "horbar" => '-',
        "middot" | "centerdot" | "CenterDot" | "bull" => '·',
        "szlig" => 'ß',
        "aelig" => 'æ',
        "oelig" => 'œ',
        "filig" => 'ﬁ',
        "fllig" => 'ﬂ',
        "fflig" => 'ﬀ',
        "ffilig" => 'ﬃ',
        "ffllig" => 'ﬄ',
        "imath" | "inodot" | "ii" => 'i',
        "jmath" => 'j',
        "ee" | "ExponentialE" => 'e',
        "dd" | "DD" => 'd',
        "commat" => '@',
        _ => {
            let mut chars = name.chars();
            let letter = chars.next().filter(char::is_ascii_alphabetic)?;
            return ENDINGS.contains(&chars.as_str()).then_some(letter);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        VisibleText::new(text).map(|(c, _)| c).collect()
    }

    #[test]
    fn what_is_shown_is_the_text_without_its_markup() {
        for (text, seen) in [
            ("[secret](http://a.b)word", "secretword"),
            ("机[](x)密文件", "机密文件"),
            ("sec**ret**word `a` ~~b~~ ~c", "secretword a b ~c"),
            ("se![c](x \"t\")ret", "secret"),
            ("[a](http://w/x_(y))b", "ab"),
            ("[sec][1]ret", "secret"),
            ("sec[^1]ret", "secret"),
            ("sec<b title=\">\">ret</b><!-- > -->word", "secretword"),
            ("<td>机</td><td>密</td>", "\t机\t\t密\t"),
            ("机<br/>密", "机\n密"),
            (
                "&#x673a;&#23494;&shy;&eacute;&sscr;&zwnj;&amp;&unknown;",
                "机密\u{ad}es\u{200b}&&unknown;",
            ),
            (r"\u673a\uD83D\uDE00\x41\U0001F600 \u{41}\* C:\users", "机😀A😀 A* C:\\users"),
            ("机\n> 密", "机\n 密"),
            ("a [1] b] ]( x < y > z <", "a [1] b] ]( x < y > z <"),
            ("<b", "<b"),
            ("<!-- open", "<!-- open"),
            ("\\", "\\"),
        ] {
            assert_eq!(shown(text), seen, "{text}");
        }
    }

    #[test]
    fn places_are_those_of_the_source_and_time_is_linear() {
        let begin = std::time::Instant::now();
        for piece in
            ["](", "[", "<a ", "<a \"", "<!--", "&", "\\u", "[^", "](a\n\n", "![", "](a)", "](("]
        {
            let text = piece.repeat(100_000);
            let mut before = 0;
            for (_, (start, end)) in VisibleText::new(&text) {
                assert!(start >= before && end > start && text.is_char_boundary(end), "{piece}");
                before = end;
            }
        }
        assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    }
}
