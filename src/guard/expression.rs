//! Regular expressions of rules, and the search for them in a text that arrives in pieces.
//!
//! An expression is compared with folded text, as words are, so its own letters are folded as well. The length of its
//! matches is bounded: only text that may still become a match is held back. A lazy automaton reads from each position where
//! a match may begin, so time is linear in the text for every expression. Knows neither sets nor files.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

use crate::fold::{Class as Folded, Table, Unit};

/// Most bytes of an expression.
pub(crate) const MAX_EXPRESSION_BYTES: usize = 512;

/// Most bytes of a match in folded text. As many may be held back of a stream, and are read again from each position.
const MAX_MATCH_BYTES: usize = 256;

/// Most memory of a compiled expression, in bytes.
const MAX_COMPILED_BYTES: usize = 512 * 1024;

/// Most memory of the states that are built while a text is read, in bytes. A full cache is cleared.
const MAX_CACHE_BYTES: usize = 2 * 1024 * 1024;

/// Members of a class that are folded one by one. For a larger class, such as `\w`, only letter case is folded.
const MAX_FOLDED_MEMBERS: usize = 1_024;

/// Most bytes of a match before the expression is folded, which makes letters shorter and takes time.
const MAX_UNFOLDED_BYTES: usize = 4 * MAX_MATCH_BYTES;

/// Most groups within each other.
const MAX_NESTING: u32 = 32;

/// Bytes that are collected before they are searched.
const SEARCH_BATCH_BYTES: usize = 4 * 1024;

/// Characters that have another case.
static CASED: LazyLock<ClassUnicode> = LazyLock::new(|| {
    let is_cased = |c: &char| {
        c.is_lowercase()
            || c.is_uppercase()
            || c.to_lowercase().ne([*c])
            || c.to_uppercase().ne([*c])
    };
    let cased = (char::MIN..=char::MAX).filter(is_cased);
    ClassUnicode::new(cased.map(|c| ClassUnicodeRange::new(c, c)))
});

type MakeCache = Box<dyn Fn() -> Cache + Send + Sync>;

/// A compiled expression.
pub(crate) struct Expression {
    dfa: DFA,
    /// Bytes with which a match can begin.
    first: [bool; 256],
    caches: Pool<Cache, MakeCache>,
    /// Memory of the automaton without its caches.
    compiled_bytes: usize,
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Expression")
    }
}

impl Expression {
    /// Compiles an expression, or returns the reason why it cannot be used.
    pub(crate) fn new(written: &str) -> Result<Expression, String> {
        if written.len() > MAX_EXPRESSION_BYTES {
            return Err(format!(
                "expected at most {MAX_EXPRESSION_BYTES} bytes, got {}",
                written.len()
            ));
        }
        let parsed = ParserBuilder::new()
            .case_insensitive(true)
            .nest_limit(MAX_NESTING)
            .build()
            .parse(written)
            .map_err(|error| reason(&error))?;
        check_length(&parsed, MAX_UNFOLDED_BYTES)?;
        let folded = folded(parsed);
        check_length(&folded, MAX_MATCH_BYTES)?;
        let too_large = "it is too large once it is compiled: repeat less, or use a smaller class such as `[a-z0-9]`";
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .nfa_size_limit(Some(MAX_COMPILED_BYTES))
                    .which_captures(WhichCaptures::None),
            )
            .build_from_hir(&folded)
            .map_err(|_| too_large.to_owned())?;
        let compiled_bytes = nfa.memory_usage();
        let dfa = DFA::builder()
            .configure(
                DFA::config().match_kind(MatchKind::LeftmostFirst).cache_capacity(MAX_CACHE_BYTES),
            )
            .build_from_nfa(nfa)
            .map_err(|_| too_large.to_owned())?;
        let maker = dfa.clone();
        let caches = Pool::new(Box::new(move || maker.create_cache()) as MakeCache);
        let first = first_bytes(&dfa);
        Ok(Expression { dfa, first, caches, compiled_bytes })
    }

    /// Returns the memory of the automaton, in bytes, without what is built while a text is read.
    pub(crate) fn compiled_bytes(&self) -> usize {
        self.compiled_bytes
    }

    /// Returns `true` if it matches somewhere in `text`.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let mut reader = Reader::new(1);
        let mut is_found = false;
        let expression = std::slice::from_ref(self);
        for c in text.chars() {
            Table::get().fold(c, |unit| reader.unit(unit, (0, 0)));
        }
        reader.search(expression.iter(), true, |_, _| is_found = true);
        is_found
    }

    /// Returns the end of the match that begins at `at`: `Some(None)` if there is none, `None` if more text decides.
    fn at(&self, cache: &mut Cache, text: &[u8], at: usize, is_end: bool) -> Option<Option<usize>> {
        let before = at.checked_sub(1).and_then(|before| text.get(before)).copied();
        let config = start::Config::new().anchored(Anchored::Yes).look_behind(before);
        // Neither this nor a step can fail: the automaton has no quit bytes, and its cache may be cleared any number of
        // times.
        let Ok(mut state) = self.dfa.start_state(cache, &config) else { return Some(None) };
        let mut found = None;
        for (index, byte) in text.iter().enumerate().skip(at) {
            let Ok(next) = self.dfa.next_state(cache, state, *byte) else { return Some(found) };
            state = next;
            // The automaton reports a match one byte late.
            if state.is_match() {
                found = Some(index);
            } else if state.is_dead() || state.is_quit() {
                return Some(found);
            }
        }
        if !is_end {
            return None;
        }
        let is_match = self.dfa.next_eoi_state(cache, state).is_ok_and(|state| state.is_match());
        Some(if is_match { Some(text.len()) } else { found })
    }
}

/// Checks that an expression has matches, and that each match has 1 to `most` bytes.
fn check_length(expression: &Hir, most: usize) -> Result<(), String> {
    let properties = expression.properties();
    match (properties.minimum_len(), properties.maximum_len()) {
        (None, _) => Err("nothing can match it".to_owned()),
        (Some(0), _) => Err("it matches nothing at all, which is everywhere".to_owned()),
        (_, None) => {
            Err("it has no end: write `{1,20}` in place of `+`, `{0,20}` in place of `*`"
                .to_owned())
        }
        (_, Some(longest)) if longest > most => Err(format!(
            "it may match {longest} bytes, expected at most {MAX_MATCH_BYTES}; a character of `\\w` or of Chinese has up to 4"
        )),
        _ => Ok(()),
    }
}

/// Returns the bytes with which a match can begin, whatever precedes it.
fn first_bytes(dfa: &DFA) -> [bool; 256] {
    let mut first = [true; 256];
    let mut cache = dfa.create_cache();
    for byte in 0..=u8::MAX {
        let leads = |before: Option<u8>, cache: &mut Cache| {
            let config = start::Config::new().anchored(Anchored::Yes).look_behind(before);
            let state = dfa.start_state(cache, &config).ok();
            let next = state.and_then(|state| dfa.next_state(cache, state, byte).ok());
            next.is_none_or(|next| !next.is_dead())
        };
        let kinds = [None, Some(b'a'), Some(b' '), Some(b'\n'), Some(b'\r')];
        if let Some(slot) = first.get_mut(usize::from(byte)) {
            *slot = kinds.into_iter().any(|before| leads(before, &mut cache));
        }
    }
    first
}

/// Returns why an expression is invalid, in one line and without quoting it.
fn reason(error: &regex_syntax::Error) -> String {
    let (what, at) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), error.span().start.offset)
        }
        _ => return "it is no regular expression".to_owned(),
    };
    let what = what.split('\n').next().unwrap_or_default();
    let is_looking = what.starts_with("look-around");
    let more = if is_looking { "; use `\\b`, or two rules" } else { "" };
    format!("it is no regular expression: {what} at character {}{more}", at + 1)
}

/// Returns the expression that matches folded text.
fn folded(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Hir::literal(folded_text(text).into_bytes()),
            Err(_) => Hir::literal(literal.0),
        },
        HirKind::Class(Class::Unicode(class)) => folded_class(class),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(plain(look)),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            let sub = Box::new(folded(*sub));
            Hir::repetition(Repetition { min, max, greedy, sub })
        }
        HirKind::Capture(Capture { sub, .. }) => folded(*sub),
        HirKind::Concat(subs) => Hir::concat(subs.into_iter().map(folded).collect()),
        HirKind::Alternation(subs) => Hir::alternation(subs.into_iter().map(folded).collect()),
    }
}

fn folded_text(text: &str) -> String {
    let mut folded = String::new();
    for c in text.chars() {
        Table::get().fold(c, |unit| {
            if unit.class != Folded::Hidden {
                folded.push(unit.letter);
            }
        });
    }
    folded
}

/// Returns the foldings of a class's members, each of which may be several letters.
fn folded_class(mut class: ClassUnicode) -> Hir {
    let count = |range: &ClassUnicodeRange| range.end() as usize - range.start() as usize + 1;
    if class.iter().map(count).sum::<usize>() > MAX_FOLDED_MEMBERS {
        // Folded text is lower case, even where `(?-i)` asks for exact case. A class may have a million members, most of
        // which have no case.
        let mut cased = class.clone();
        cased.intersect(&CASED);
        let _ = cased.try_case_fold_simple();
        class.union(&cased);
        return Hir::class(Class::Unicode(class));
    }
    let (mut single, mut several) = (ClassUnicode::empty(), Vec::new());
    for member in class.iter().flat_map(|range| range.start()..=range.end()) {
        let letters = folded_text(member.encode_utf8(&mut [0; 4]));
        let mut chars = letters.chars();
        match (chars.next(), chars.next()) {
            (Some(one), None) => single.push(ClassUnicodeRange::new(one, one)),
            (Some(_), Some(_)) => several.push(Hir::literal(letters.into_bytes())),
            (None, _) => {}
        }
    }
    if !single.ranges().is_empty() || several.is_empty() {
        several.insert(0, Hir::class(Class::Unicode(single)));
    }
    Hir::alternation(several)
}

/// Replaces Unicode word boundaries by ASCII ones, since folded text has ASCII letters and Chinese ones do not join a word.
fn plain(look: Look) -> Look {
    match look {
        Look::WordUnicode => Look::WordAscii,
        Look::WordUnicodeNegate => Look::WordAsciiNegate,
        Look::WordStartUnicode => Look::WordStartAscii,
        Look::WordEndUnicode => Look::WordEndAscii,
        Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
        Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
        look => look,
    }
}

/// Start and end in the original text, in bytes.
type ByteRange = (usize, usize);

/// Folded text that is not searched yet, with the position of each character.
#[derive(Debug)]
pub(crate) struct Reader {
    text: String,
    /// First byte in `text` and original position, for each character.
    positions: Vec<(usize, ByteRange)>,
    /// Byte from which the search goes on, for each expression.
    from: Vec<usize>,
}

impl Reader {
    /// Returns an empty reader for `count` expressions.
    pub(crate) fn new(count: usize) -> Reader {
        Reader { text: String::new(), positions: Vec::new(), from: vec![0; count] }
    }

    /// Reads the next character, which stands at `range`.
    pub(crate) fn unit(&mut self, unit: Unit, range: ByteRange) {
        if unit.class != Folded::Hidden {
            self.positions.push((self.text.len(), range));
            self.text.push(unit.letter);
        }
    }

    /// Returns `true` if enough text is collected for a search.
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() - self.done() >= SEARCH_BATCH_BYTES
    }

    /// Returns where the first unfinished match may begin.
    pub(crate) fn open(&self) -> Option<usize> {
        let done = self.done();
        let at = self.positions.partition_point(|(byte, _)| *byte < done);
        self.positions.get(at).map(|(_, range)| range.0)
    }

    fn done(&self) -> usize {
        self.from.iter().copied().min().unwrap_or(self.text.len())
    }

    /// Searches for `expressions` as far as the result cannot change. Calls `found` with the number of an expression and a
    /// position.
    pub(crate) fn search<'e>(
        &mut self,
        expressions: impl Iterator<Item = &'e Expression>,
        is_end: bool,
        mut found: impl FnMut(usize, ByteRange),
    ) {
        let text = self.text.as_bytes();
        for (number, expression) in expressions.enumerate() {
            let Some(from) = self.from.get_mut(number) else { return };
            let mut cache = None;
            while let Some(ahead) = text.get(*from..) {
                let first = |byte: &u8| expression.first.get(usize::from(*byte)) == Some(&true);
                let Some(skipped) = ahead.iter().position(first) else {
                    *from = text.len();
                    break;
                };
                *from += skipped;
                let cache = cache.get_or_insert_with(|| expression.caches.get());
                match expression.at(cache, text, *from, is_end) {
                    None => break,
                    Some(Some(end)) => {
                        if let Some(range) = original_range(&self.positions, *from..end) {
                            found(number, range);
                        }
                        *from = end;
                    }
                    Some(None) => *from = self.text.ceil_char_boundary(*from + 1),
                }
            }
        }
        self.let_go();
    }

    /// Drops text that is searched, except for the last character, which decides on word boundaries.
    fn let_go(&mut self) {
        let done = self.done();
        let at = self.positions.partition_point(|(byte, _)| *byte < done).saturating_sub(1);
        let Some((gone, _)) = self.positions.get(at).copied().filter(|_| at > 0) else { return };
        self.text.drain(..gone);
        self.positions.drain(..at);
        self.positions.iter_mut().for_each(|(byte, _)| *byte -= gone);
        self.from.iter_mut().for_each(|from| *from -= gone);
    }
}

/// Returns the original position of a range of folded text.
fn original_range(positions: &[(usize, ByteRange)], bytes: Range<usize>) -> Option<ByteRange> {
    let first = positions.partition_point(|(byte, _)| *byte < bytes.start);
    let behind = positions.partition_point(|(byte, _)| *byte < bytes.end);
    let (_, (start, _)) = positions.get(first)?;
    let (_, (_, end)) = positions.get(behind.checked_sub(1)?)?;
    Some((*start, *end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that pieces of each size give the same matches, and returns them.
    fn found(written: &str, text: &str) -> Vec<String> {
        let expression = Expression::new(written).unwrap();
        let of = |size: usize| {
            let (mut reader, mut found) = (Reader::new(1), Vec::new());
            let expression = std::slice::from_ref(&expression);
            for (number, (at, c)) in text.char_indices().enumerate() {
                let range = (at, at + c.len_utf8());
                Table::get().fold(c, |unit| reader.unit(unit, range));
                if number % size == size - 1 {
                    reader.search(expression.iter(), false, |_, range| found.push(range));
                    // Text that is not held back cannot be part of a later match.
                    let open = reader.open().unwrap_or(range.1);
                    assert!(found.iter().all(|(start, _)| *start < open || found.is_empty()));
                }
            }
            reader.search(expression.iter(), true, |_, range| found.push(range));
            assert_eq!(reader.open(), None);
            found
        };
        let whole = of(usize::MAX);
        for size in [1, 2, 3, 7] {
            assert_eq!(of(size), whole, "{written} in pieces of {size}");
        }
        whole.into_iter().map(|(start, end)| text[start..end].to_owned()).collect()
    }

    #[test]
    fn matches_are_those_of_the_folded_text() {
        for (written, text, wanted) in [
            (
                r"PRJ-\d{4}",
                "prj-1234, ＰＲＪ-５６７８, P\u{200b}RJ-90123",
                &["prj-1234", "ＰＲＪ-５６７８", "P\u{200b}RJ-9012"][..],
            ),
            (r"\bPRJ-\d{4}\b", "PRJ-12345 xPRJ-1234 项目PRJ-1234号", &["PRJ-1234"]),
            (r"café|Straße", "CAFE Café strasse STRASSE", &["CAFE", "Café", "strasse", "STRASSE"]),
            (r"機密\d{2}", "机密12 機密34", &["机密12", "機密34"]),
            (r"договор №\d{1,3}", "Договор №12 и дoгoвop №7", &["Договор №12", "дoгoвop №7"]),
            ("a{2,3}", "aaaaa a", &["aaa", "aa"]),
            ("(ab|abcd)c?", "abcd abc", &["abc", "abc"]),
            ("^x", "x\nx x", &["x"]),
            ("(?m)^x$", "x\nx x\nx", &["x", "x"]),
            ("x$", "x x", &["x"]),
            ("[^a-z ]{2}", "ab 12 é7", &["12"]),
            (r"\p{Han}{2}", "中文 a 文", &["中文"]),
            (r"(?-i)AB\p{Lu}", "abc", &["abc"]),
        ] {
            assert_eq!(found(written, text), wanted, "{written}");
        }
        // A dropped letter still decides whether the next one is at a word boundary.
        assert_eq!(found(r"\bb{2}", &"ab bb ".repeat(3_000)).len(), 3_000);
    }

    #[test]
    fn what_cannot_be_looked_for_says_why() {
        let long = "a".repeat(MAX_EXPRESSION_BYTES + 1);
        for (written, wanted) in [
            ("a+", "it has no end"),
            ("a*b", "it has no end"),
            ("a{0,3}", "it matches nothing at all"),
            (r"\b", "it matches nothing at all"),
            ("", "it matches nothing at all"),
            ("[a&&b]", "nothing can match it"),
            ("a{300}", "it may match 300 bytes, expected at most 256"),
            ("(", "unclosed group at character 1"),
            (
                r"a(?=b)",
                "look-around, including look-ahead and look-behind, is not supported at character 2; use",
            ),
            (r"(a)\1", "backreferences are not supported"),
            (&long, "expected at most 512 bytes, got 513"),
        ] {
            let why = Expression::new(written).unwrap_err();
            assert!(why.contains(wanted) && !why.contains('\n'), "{written}: {why}");
        }
        let deep = format!("{}a{}", "(".repeat(100), ")".repeat(100));
        assert!(Expression::new(&deep).is_err());
        // Each character of the class is a hundred states.
        let large = r"(\w{9}|\W{9}|\p{L}{9}|\p{Lu}{9}|\p{Ll}{9}|\p{Cyrillic}{9}){6}";
        assert!(Expression::new(large).unwrap_err().contains("too large"));
    }

    #[test]
    fn expressions_of_large_classes_are_compiled_fast() {
        // Such a class has all characters but a few.
        let begun = std::time::Instant::now();
        for _ in 0..100 {
            assert!(Expression::new("(.*a.*b.*c){20}x").unwrap_err().contains("it has no end"));
            assert!(Expression::new(&".".repeat(500)).unwrap_err().contains("2000 bytes"));
        }
        let long = Expression::new("(?-i:.[^x].[^y].[^z]){2}").unwrap();
        assert!(long.compiled_bytes() > 1_000);
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }

    #[test]
    fn large_classes_are_folded_like_their_letters() {
        let class = |written: &str| {
            let parsed = ParserBuilder::new().build().parse(written).unwrap();
            match parsed.into_kind() {
                HirKind::Class(Class::Unicode(class)) => class,
                other => panic!("{other:?}"),
            }
        };
        for written in [r"\p{Lu}", r"\w", r"\p{L}", "[^a]"] {
            let mut expected = class(written);
            expected.try_case_fold_simple().unwrap();
            let HirKind::Class(Class::Unicode(folded)) = folded_class(class(written)).into_kind()
            else {
                panic!("{written}");
            };
            assert_eq!(folded, expected, "{written}");
        }
    }

    #[test]
    fn hard_expressions_take_linear_time() {
        let text = "a".repeat(200_000);
        let begun = std::time::Instant::now();
        for written in
            ["(a|aa){1,100}b", "(a?){100}a{100}", "([a-z]{0,15}){0,16}x", "[a-z]{1,255}!"]
        {
            let expression = Expression::new(written).unwrap();
            let (mut reader, mut count) = (Reader::new(1), 0);
            for (at, c) in text.char_indices() {
                Table::get().fold(c, |unit| reader.unit(unit, (at, at + 1)));
                if reader.is_full() {
                    reader.search(std::iter::once(&expression), false, |_, _| count += 1);
                    assert!(reader.text.len() <= MAX_MATCH_BYTES + 8, "{}", reader.text.len());
                }
            }
            reader.search(std::iter::once(&expression), true, |_, _| count += 1);
            assert!(count <= 2_000);
        }
        assert!(begun.elapsed().as_secs() < 60);
    }
}
