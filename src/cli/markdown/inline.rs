//! The text within a line of Markdown: emphasis, code, links; as far as an incomplete line can be understood.
//!
//! Knows no terminal.

use mitt_base::text;

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) struck: bool,
    pub(super) code: bool,
    pub(super) underlined: bool,
    pub(super) dim: bool,
}

/// A piece of text of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
}

/// Most bytes between a mark and its end. A longer text is shown with its marks. It bounds the time, because each mark looks for its end.
const LONGEST: usize = 2_000;

/// Returns the spans at the beginning of `text`, and how many bytes they take. A line without its end is read up to the first mark
/// whose other half may still come. `is_whole` means that nothing follows, and `before` is the character in front of `text`.
pub(super) fn spans(text: &str, before: Option<char>, is_whole: bool) -> (Vec<Span>, usize) {
    let mut parser = InlineParser { spans: Vec::new(), before, is_whole };
    let read = parser.read(text, Style::default());
    (parser.spans, read)
}

struct InlineParser {
    spans: Vec<Span>,
    before: Option<char>,
    is_whole: bool,
}

impl InlineParser {
    fn push(&mut self, text: &str, style: Style) {
        match self.spans.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.spans.push(Span { text: text.to_owned(), style }),
        }
    }

    /// Reads the text between two marks, which is complete.
    fn read_within(&mut self, text: &str, style: Style) {
        let spans = std::mem::take(&mut self.spans);
        let mut inner = InlineParser { spans, before: None, is_whole: true };
        inner.read(text, style);
        self.spans = inner.spans;
    }

    fn read(&mut self, text: &str, style: Style) -> usize {
        let mut at = 0;
        while let Some(next) = text[at..].find(['\\', '`', '*', '_', '~', '[', '!', '<']) {
            self.push(&text[at..at + next], style);
            at += next;
            let before = text[..at].chars().next_back().or(self.before);
            let rest = text::cut_bytes(&text[at..], LONGEST);
            let may_wait = !self.is_whole && text.len() - at <= LONGEST;
            match mark(rest, before, may_wait) {
                Mark::Waits => return at,
                Mark::Literal(length) => {
                    self.push(&rest[..length], style);
                    at += length;
                }
                Mark::Escaped(length) => {
                    self.push(&rest[1..length], style);
                    at += length;
                }
                Mark::Break(length) => {
                    self.push(" ", style);
                    at += length;
                }
                Mark::Code { inner: (start, end), length } => {
                    let code = &rest[start..end];
                    // Spaces separate the text from a backtick of the mark.
                    let trimmed = code.strip_prefix(' ').and_then(|it| it.strip_suffix(' '));
                    let code = trimmed.filter(|it| !it.trim().is_empty()).unwrap_or(code);
                    self.push(code, Style { code: true, ..style });
                    at += length;
                }
                Mark::Emphasis { inner: (start, end), length, sign, count } => {
                    let style = match (sign, count) {
                        ('~', _) => Style { struck: true, ..style },
                        (_, 1) => Style { italic: true, ..style },
                        (_, 2) => Style { bold: true, ..style },
                        _ => Style { bold: true, italic: true, ..style },
                    };
                    self.read_within(&rest[start..end], style);
                    at += length;
                }
                Mark::Link { text: (start, end), address: (from, to), length } => {
                    let (said, address) = (&rest[start..end], rest[from..to].trim());
                    self.read_within(said, Style { underlined: true, ..style });
                    // The address is shown, so that the user sees it before opening it.
                    if said != address {
                        self.push(&format!(" ({address})"), Style { dim: true, ..style });
                    }
                    at += length;
                }
            }
        }
        self.push(&text[at..], style);
        text.len()
    }
}

/// The meaning of a sign.
enum Mark {
    /// It depends on the next characters.
    Waits,
    Literal(usize),
    Escaped(usize),
    Break(usize),
    Code {
        inner: (usize, usize),
        length: usize,
    },
    Emphasis {
        inner: (usize, usize),
        length: usize,
        sign: char,
        count: usize,
    },
    Link {
        text: (usize, usize),
        address: (usize, usize),
        length: usize,
    },
}

/// Returns the mark at the beginning of `rest`; `before` is the character in front of it.
fn mark(rest: &str, before: Option<char>, may_wait: bool) -> Mark {
    let waits = |otherwise: Mark| if may_wait { Mark::Waits } else { otherwise };
    let sign = rest.chars().next().unwrap_or_default();
    let run = rest.chars().take_while(|it| *it == sign).count();
    match sign {
        '\\' => match rest[1..].chars().next() {
            None => waits(Mark::Literal(1)),
            Some(next) if next.is_ascii_punctuation() => Mark::Escaped(2),
            Some(_) => Mark::Literal(1),
        },
        '`' => {
            if run == rest.len() {
                return waits(Mark::Literal(run));
            }
            let mut at = run;
            while let Some(found) = rest[at..].find('`') {
                let length = rest[at + found..].chars().take_while(|it| *it == '`').count();
                if length == run && at + found + length == rest.len() && may_wait {
                    return Mark::Waits;
                }
                at += found + length;
                if length == run {
                    return Mark::Code { inner: (run, at - run), length: at };
                }
            }
            waits(Mark::Literal(run))
        }
        '*' | '_' | '~' => emphasis(rest, before, sign, run, may_wait),
        '[' => link(rest, 0, &waits),
        '!' => match rest[1..].chars().next() {
            None => waits(Mark::Literal(1)),
            Some('[') => link(rest, 1, &waits),
            Some(_) => Mark::Literal(1),
        },
        '<' => {
            let breaks = ["<br>", "<br/>", "<br />"];
            let lower = |length: usize| rest.get(..length).map(str::to_ascii_lowercase);
            match breaks.iter().find(|it| lower(it.len()).as_deref() == Some(**it)) {
                Some(found) => Mark::Break(found.len()),
                None if breaks.iter().any(|it| it.starts_with(&rest.to_ascii_lowercase())) => {
                    waits(Mark::Literal(1))
                }
                None => Mark::Literal(1),
            }
        }
        _ => Mark::Literal(sign.len_utf8()),
    }
}

fn emphasis(rest: &str, before: Option<char>, sign: char, run: usize, may_wait: bool) -> Mark {
    let waits = |otherwise: Mark| if may_wait { Mark::Waits } else { otherwise };
    let Some(after) = rest[run..].chars().next() else { return waits(Mark::Literal(run)) };
    let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    // A name such as `a_b`, and a number such as `2*3`, has no emphasis.
    let is_within = match sign {
        '_' => is_word(before),
        '*' => before.is_some_and(|it| it.is_ascii_digit()) && after.is_ascii_digit(),
        _ => run != 2,
    };
    if after.is_whitespace() || is_within || run > 3 {
        return Mark::Literal(run);
    }
    let mut at = run;
    while let Some(found) = rest[at..].find(sign) {
        let start = at + found;
        let length = rest[start..].chars().take_while(|it| *it == sign).count();
        let end = start + length;
        let previous = rest[..start].chars().next_back();
        let next = rest[end..].chars().next();
        // The next character may lengthen the run, or make the sign a part of a word.
        if next.is_none() && may_wait && (length < run || sign == '_') {
            return Mark::Waits;
        }
        let closes = length >= run
            && previous.is_some_and(|it| !it.is_whitespace() && it != '\\')
            && (sign != '_' || !is_word(next));
        if closes {
            // The last signs of a longer run are the closing ones.
            let inner = (run, end - run);
            return Mark::Emphasis { inner, length: end, sign, count: run };
        }
        at = end;
    }
    waits(Mark::Literal(run))
}

/// Returns the link `[text](address)` that begins after `skip` bytes.
fn link(rest: &str, skip: usize, waits: &dyn Fn(Mark) -> Mark) -> Mark {
    let literal = Mark::Literal(skip + 1);
    let (mut depth, mut end) = (0_usize, None);
    for (at, character) in rest[skip..].char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            end = Some(skip + at);
            break;
        }
    }
    let Some(end) = end else { return waits(literal) };
    match rest[end + 1..].chars().next() {
        None => return waits(literal),
        Some('(') => {}
        Some(_) => return literal,
    }
    let (from, mut depth) = (end + 2, 1_usize);
    for (at, character) in rest[from..].char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let address = (from, from + at);
            return Mark::Link { text: (skip + 1, end), address, length: from + at + 1 };
        }
    }
    waits(literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the spans as text, each style as a letter before its text.
    fn shown(text: &str, is_whole: bool) -> (String, usize) {
        let (spans, read) = spans(text, None, is_whole);
        let one = |span: &Span| {
            let Style { bold, italic, struck, code, underlined, dim } = span.style;
            let letters = [
                (bold, 'b'),
                (italic, 'i'),
                (struck, 's'),
                (code, 'c'),
                (underlined, 'u'),
                (dim, 'd'),
            ];
            let letters: String = letters.iter().filter(|(is, _)| *is).map(|(_, it)| it).collect();
            match letters.as_str() {
                "" => span.text.clone(),
                letters => format!("{letters}<{}>", span.text),
            }
        };
        (spans.iter().map(one).collect(), read)
    }

    #[test]
    fn marks_become_styles_and_all_else_stays() {
        for (text, expected) in [
            ("**bold**, *it* and ***both***", "b<bold>, i<it> and bi<both>"),
            ("__b__ _i_ ~~gone~~", "b<b> i<i> s<gone>"),
            ("**a `b` c**", "b<a >bc<b>b< c>"),
            ("a_b_c, 2*3*4, 2 * 3, SELECT * FROM t", "a_b_c, 2*3*4, 2 * 3, SELECT * FROM t"),
            ("all *.xlsx files", "all *.xlsx files"),
            ("**收入**增长", "b<收入>增长"),
            ("``a ` b`` and ` `` `", "c<a ` b> and c<``>"),
            (r"\*not\* \a", r"*not* \a"),
            ("[docs](https://a.b/c_d_e) end", "u<docs>d< (https://a.b/c_d_e)> end"),
            ("![chart](a.png) [1] [x] y", "u<chart>d< (a.png)> [1] [x] y"),
            ("[a](b(c)d)", "u<a>d< (b(c)d)>"),
            ("a<br>b <b>c</b> 1 < 2", "a b <b>c</b> 1 < 2"),
            ("**open and `open", "**open and `open"),
            ("~one~ ****", "~one~ ****"),
            ("`a``", "`a``"),
        ] {
            assert_eq!(shown(text, true), (expected.to_owned(), text.len()), "{text}");
        }
    }

    /// A line gives the same spans in any pieces, and no text twice.
    #[test]
    fn a_line_in_pieces_is_the_same_line() {
        let line = r"Say **bold `co*de` x** and [a *b*](http://c.d) \* 2*3 a_b ~~s~~ `q` <br>**收入**：*it*!";
        let (whole, _) = shown(line, true);
        for cut in line.char_indices().map(|(at, _)| at) {
            let (first, read) = spans(&line[..cut], None, false);
            assert!(read <= cut);
            let before = line[..read].chars().next_back();
            let (second, _) = spans(&line[read..], before, true);
            let plain =
                |spans: &[Span]| spans.iter().map(|it| it.text.as_str()).collect::<String>();
            let (all, _) = spans(line, None, true);
            assert_eq!(plain(&first) + &plain(&second), plain(&all), "cut at {cut}: {whole}");
        }
        // A sign that cannot open emphasis does not keep the line waiting.
        assert_eq!(shown("2 * 3 and", false), ("2 * 3 and".to_owned(), 9));
        assert_eq!(shown("so **bo", false), ("so ".to_owned(), 3));
        let long = format!("**{}", "a".repeat(LONGEST));
        assert_eq!(shown(&long, false).1, long.len());
        // Many marks without an end take linear time; a search for the end of each one would take minutes here.
        for mark in ["*a ", "`a ``", "[a ", "**a *b "] {
            let many = mark.repeat(20_000);
            assert_eq!(shown(&many, true).1, many.len());
        }
    }
}
