//! Text as it is compared: white space, divided words and the marks of Markdown do not count.
//!
//! Knows no blocks, only texts.

use crate::search::is_wide;

/// Marks a hyphen at the end of a line. The word may be divided there, or be written with a hyphen.
const DIVIDED: char = '\u{ad}';

/// Most words of a text that its sketch keeps.
const MAX_SKETCH: usize = 64;
/// Bytes of a text that its sketch is made of.
pub(crate) const MAX_SKETCHED: usize = 2_000;

/// What is left out of a text before it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Markup {
    /// `true` for plain text, where `*` and `\` are characters as any other.
    pub(crate) is_plain: bool,
}

/// Returns a text with single spaces, without soft hyphens and without marks of emphasis. A hyphen at the end of a line
/// becomes the mark of a divided word, which [`resolved`] and [`hash`] understand.
pub(crate) fn normal(text: &str, markup: Markup) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = None;
    let mut rest = text;
    loop {
        // Most of a text stays as it is.
        let n_bytes = rest.bytes().take_while(|it| is_ordinary(*it)).count();
        if n_bytes > 0 {
            out.push_str(&rest[..n_bytes]);
            previous = rest.as_bytes().get(n_bytes - 1).copied().map(char::from);
            rest = &rest[n_bytes..];
        }
        let mut chars = rest.chars();
        let Some(it) = chars.next() else { break };
        rest = chars.as_str();
        let next = chars.next();
        match it {
            it if it.is_whitespace() => {
                let behind = rest.trim_start();
                let has_break = it == '\n' || rest[..rest.len() - behind.len()].contains('\n');
                rest = behind;
                let next = rest.chars().next();
                // A line break between Chinese characters is nothing; a space is one.
                let is_nothing =
                    has_break && previous.is_some_and(is_wide) && next.is_some_and(is_wide);
                if !out.is_empty() && !is_nothing {
                    out.push(' ');
                }
                previous = Some(' ');
            }
            '\u{ad}' => {
                if next.is_some_and(char::is_whitespace) {
                    rest = rest.trim_start();
                }
            }
            '-' | '\u{2010}' if divides(previous, rest) => {
                rest = rest.trim_start();
                out.push(DIVIDED);
            }
            '\\' if !markup.is_plain && next.is_some_and(|it| it.is_ascii_punctuation()) => {
                out.push_str(&rest[..1]);
                previous = next;
                rest = &rest[1..];
            }
            '*' if !markup.is_plain => {
                let n_more = rest.bytes().take_while(|it| *it == b'*').count();
                let (more, behind) = rest.split_at(n_more);
                rest = behind;
                if !is_emphasis(previous, rest.chars().next()) {
                    out.push('*');
                    out.push_str(more);
                    previous = Some('*');
                }
            }
            other => {
                out.push(other);
                previous = Some(other);
            }
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Returns `true` for visible characters of ASCII that never are markup, hyphens or white space.
fn is_ordinary(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'-' | b'\\' | b'*')
}

/// Returns `true` if a hyphen stands at the end of a line, and a word goes on in the next line.
fn divides(previous: Option<char>, rest: &str) -> bool {
    let behind = rest.trim_start();
    previous.is_some_and(char::is_alphabetic)
        && behind.starts_with(char::is_lowercase)
        && rest[..rest.len() - behind.len()].contains('\n')
}

/// Returns `true` if asterisks between these characters are marks. `5 * 3` and `5*3` have none.
fn is_emphasis(previous: Option<char>, next: Option<char>) -> bool {
    let is_space = |it: Option<char>| it.is_none_or(char::is_whitespace);
    let is_ascii_word = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
    !(is_space(previous) && is_space(next) || is_ascii_word(previous) && is_ascii_word(next))
}

/// Returns a hash of a normal text, where a divided word is a whole one.
pub(crate) fn hash(text: &str) -> u64 {
    if text.contains(DIVIDED) {
        return hash(&text.replace(DIVIDED, ""));
    }
    let step =
        |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29);
    let mut parts = text.as_bytes().chunks_exact(8);
    let hash = parts.by_ref().fold(text.len() as u64, |hash, part| {
        step(hash, part.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    });
    mixed(parts.remainder().iter().fold(hash, |hash, byte| step(hash, u64::from(*byte) + 1)))
}

/// Returns a hash of two hashes in this order.
pub(crate) fn combined(first: u64, second: u64) -> u64 {
    mixed(first.rotate_left(17) ^ second.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Returns two normal texts without marks of divided words. Such a word gets its hyphen where the other text writes it
/// with one.
pub(crate) fn resolved(first: &str, second: &str) -> (String, String) {
    (without_marks(first, second), without_marks(second, first))
}

fn without_marks(text: &str, other: &str) -> String {
    if !text.contains(DIVIDED) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(' ') {
        if word.contains(DIVIDED) {
            let hyphened = word.replace(DIVIDED, "-");
            let is_there = other.contains(hyphened.trim_matches(|it: char| !it.is_alphanumeric()));
            out.push_str(&if is_there { hyphened } else { word.replace(DIVIDED, "") });
        } else {
            out.push_str(word);
        }
    }
    out
}

/// Returns a normal text as people see it.
pub(crate) fn shown(text: &str) -> String {
    text.replace(DIVIDED, "")
}

/// Returns a normal text without white space and marks, for texts that are cut into blocks at other places.
pub(crate) fn squeezed(text: &str) -> String {
    text.chars().filter(|it| !it.is_whitespace() && *it != DIVIDED).collect()
}

/// Cuts a text into words, runs of white space and single other characters. A number is one word, and so is each Chinese
/// character.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices().peekable();
        let (_, first) = chars.next()?;
        let (class, mut last) = (class(first), first);
        let mut end = first.len_utf8();
        while let Some((at, it)) = chars.next() {
            let goes_on = match class {
                Class::Sign => false,
                Class::Space => it.is_whitespace(),
                // The point in a number.
                Class::Word if matches!(it, '.' | ',') => {
                    let next = chars.peek().is_some_and(|(_, it)| it.is_ascii_digit());
                    last.is_ascii_digit() && next
                }
                Class::Word => self::class(it) == Class::Word,
            };
            if !goes_on {
                break;
            }
            (end, last) = (at + it.len_utf8(), it);
        }
        let word;
        (word, rest) = rest.split_at(end);
        Some(word)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Sign,
}

fn class(it: char) -> Class {
    match it {
        it if it.is_ascii_alphanumeric() || it == '_' => Class::Word,
        it if it.is_whitespace() => Class::Space,
        // Marks of letters belong to their words.
        it if it.is_ascii()
            || is_wide(it)
            || matches!(it, '\u{a1}'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{20a0}'..='\u{2bff}') =>
        {
            Class::Sign
        }
        _ => Class::Word,
    }
}

/// The words of a text as hashes, sorted, each once. Of a long text, those with the smallest hashes: two texts that share
/// words share these too. Of a very long text, only its beginning counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sketch(Vec<u32>);

impl Sketch {
    pub(crate) fn new(text: &str) -> Sketch {
        let text = &text[..text.floor_char_boundary(MAX_SKETCHED)];
        let is_word = |it: &&str| it.chars().any(char::is_alphanumeric);
        let words = words(text).filter(is_word);
        let mut hashes: Vec<u32> = words.map(|it| (hash(it) >> 32) as u32).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(MAX_SKETCH);
        hashes.shrink_to_fit();
        Sketch(hashes)
    }

    pub(crate) fn words(&self) -> &[u32] {
        &self.0
    }

    /// Returns how many words two texts share, from 0 to 1.
    pub(crate) fn similarity(&self, other: &Sketch) -> f64 {
        let all = self.0.len() + other.0.len();
        if all == 0 {
            return 0.0;
        }
        let (mut at, mut to, mut common) = (0, 0, 0_usize);
        while at < self.0.len() && to < other.0.len() {
            let (a, b) = (self.0[at], other.0[to]);
            common += usize::from(a == b);
            at += usize::from(a <= b);
            to += usize::from(b <= a);
        }
        let seen = if at == self.0.len() && self.0.len() == MAX_SKETCH
            || to == other.0.len() && other.0.len() == MAX_SKETCH
        {
            // What lies behind the end of a cut sketch is unknown.
            at + to
        } else {
            all
        };
        2.0 * common as f64 / seen as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKDOWN: Markup = Markup { is_plain: false };
    const PLAIN: Markup = Markup { is_plain: true };

    #[test]
    fn white_space_divided_words_and_marks_do_not_count() {
        for (text, other) in [
            ("two  words\n here", "two words here"),
            ("营业\n收入", "营业收入"),
            ("soft\u{ad}ware", "software"),
            ("soft\u{ad}\nware", "software"),
            ("an exam-\nple", "an example"),
            ("**bold** and *it*", "bold and it"),
            ("合同**金额**为", "合同金额为"),
            (r"5 \* 3 \[x]", "5 * 3 [x]"),
        ] {
            let (a, b) = (normal(text, MARKDOWN), normal(other, MARKDOWN));
            assert_eq!(hash(&a), hash(&b), "{text}");
            assert_eq!(shown(&a), shown(&b), "{text}");
        }
    }

    #[test]
    fn what_is_text_counts() {
        for (text, other, markup) in [
            ("1.50", "1.5", MARKDOWN),
            ("5*3", "53", MARKDOWN),
            ("5 * 3", "5 3", MARKDOWN),
            ("营业 收入", "营业收入", MARKDOWN),
            ("re-sign", "resign", MARKDOWN),
            ("1990-\n2000", "19902000", MARKDOWN),
            ("**kwargs", "kwargs", PLAIN),
            (r"\*", "*", PLAIN),
            ("Net", "net", MARKDOWN),
        ] {
            assert_ne!(hash(&normal(text, markup)), hash(&normal(other, markup)), "{text}");
        }
    }

    #[test]
    fn a_hyphen_at_the_end_of_a_line_may_belong_to_the_word() {
        let (a, b) = (normal("a well-\nknown fact.", PLAIN), normal("a well-known fact.", PLAIN));
        let (a, b) = resolved(&a, &b);
        assert_eq!(a, b);
        let (a, b) = resolved(&normal("an exam-\nple", PLAIN), &normal("an example", PLAIN));
        assert_eq!(a, b);
    }

    #[test]
    fn words_and_numbers_are_whole() {
        let cut = |text: &str| words(text).collect::<Vec<_>>().join("|");
        assert_eq!(cut("a1 b-c,  1,000.50. 净利x"), "a1| |b|-|c|,|  |1,000.50|.| |净|利|x");
        assert_eq!(cut("cafe\u{301} naïve €5"), "cafe\u{301}| |naïve| |€|5");
        assert_eq!(cut(""), "");
    }

    #[test]
    fn sketches_measure_shared_words() {
        let sketch = |text: &str| Sketch::new(text);
        assert_eq!(sketch("a b c").similarity(&sketch("c b a")), 1.0);
        assert_eq!(sketch("total 5").similarity(&sketch("total 6")), 0.5);
        assert_eq!(sketch("a").similarity(&sketch("b")), 0.0);
        assert_eq!(sketch("").similarity(&sketch("...")), 0.0);
        let long = |from: u32| (from..from + 1_000).map(|it| format!("w{it} ")).collect::<String>();
        assert!(sketch(&long(0)).similarity(&sketch(&long(20))) > 0.8);
        assert!(sketch(&long(0)).similarity(&sketch(&long(900))) < 0.3);
    }
}
