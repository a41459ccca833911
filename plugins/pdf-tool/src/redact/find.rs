//! What is searched, and where it stands in a row of glyphs.

use crate::error::{Result, invalid};
use crate::redact::glyph::Glyph;
use mitt_listing::Listing;
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Most words and patterns of a call.
const MAX_TERMS: usize = 500;
const MAX_LENGTH: usize = 1_000;
/// Memory of one compiled pattern.
const MAX_PROGRAM: usize = 4 << 20;

/// A word of fewer letters is found over blanks only where words begin and end on both sides.
const LONG: usize = 4;
/// Most characters of a hit that is shown to the user.
const MAX_SHOWN: usize = 60;

/// A word or a pattern.
struct Term {
    regex: Regex,
    /// The letters of a word without its blanks; `None` for a pattern, which says itself where blanks are.
    letters: Option<Letters>,
}

struct Letters {
    regex: Regex,
    is_long: bool,
}

/// Words and patterns, ready to be searched.
pub(crate) struct Terms {
    terms: Vec<Term>,
    /// Keeps each text instead of searching it.
    listing: Option<RefCell<Listing>>,
}

/// Makes characters that look alike the same, so that a ligature or a wide letter does not hide a word.
pub(crate) fn fold(c: char, out: &mut String) {
    match c {
        'ﬀ' => out.push_str("ff"),
        'ﬁ' => out.push_str("fi"),
        'ﬂ' => out.push_str("fl"),
        'ﬃ' => out.push_str("ffi"),
        'ﬄ' => out.push_str("ffl"),
        'ﬅ' | 'ﬆ' => out.push_str("st"),
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}' => {}
        '‘' | '’' | '‛' => out.push('\''),
        '“' | '”' => out.push('"'),
        '‐' | '‑' | '‒' | '–' | '−' => out.push('-'),
        '\u{ff01}'..='\u{ff5e}' => out.extend(char::from_u32(u32::from(c) - 0xfee0)),
        other if other.is_whitespace() => out.push(' '),
        // Some fonts put a radical in place of the character that looks the same.
        other => out.push(mitt_radicals::fold(other)),
    }
}

pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.chars().map(|it| if it.is_whitespace() { ' ' } else { it }).collect();
    }
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|it| fold(it, &mut out));
    out
}

impl Terms {
    /// Compiles words and patterns.
    ///
    /// # Errors
    ///
    /// `invalid-argument` - one is empty, too long, or no pattern.
    pub(crate) fn new(words: &[String], patterns: &[String], ignores_case: bool) -> Result<Self> {
        if words.len() + patterns.len() > MAX_TERMS {
            return invalid(format!("expected at most {MAX_TERMS} words and patterns"));
        }
        let mut terms = Vec::new();
        for word in words {
            let word = folded(word.trim());
            if word.is_empty() || word.len() > MAX_LENGTH {
                return invalid(format!("expected words of 1 to {MAX_LENGTH} bytes"));
            }
            terms.push(word_term(&word, ignores_case)?);
        }
        for pattern in patterns {
            if pattern.is_empty() || pattern.len() > MAX_LENGTH {
                return invalid(format!("expected patterns of 1 to {MAX_LENGTH} bytes"));
            }
            let regex = compile(pattern, ignores_case)?;
            if regex.is_match("") {
                return invalid(format!(
                    "the pattern `{pattern}` matches nothing at all, so it would match everywhere"
                ));
            }
            terms.push(Term { regex, letters: None });
        }
        Ok(Self { terms, listing: None })
    }

    /// Returns terms that find nothing, and that keep every text in which they are searched.
    pub(crate) fn listing() -> Self {
        Self { terms: Vec::new(), listing: Some(RefCell::default()) }
    }

    /// Returns the texts that were kept.
    pub(crate) fn into_listing(self) -> Listing {
        self.listing.map(RefCell::into_inner).unwrap_or_default()
    }

    /// Returns `true` if there is nothing to search for.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.listing.is_none()
    }

    /// Returns `true` if a text has a hit.
    pub(crate) fn hit(&self, text: &str) -> bool {
        if let Some(listing) = &self.listing {
            listing.borrow_mut().add(text);
            return false;
        }
        let text = folded(text);
        let tight: String = text.chars().filter(|it| !it.is_whitespace()).collect();
        // Most texts have no hit, which is seen without the places of their letters.
        let may_hit = |it: &Term| {
            let letters = it.letters.as_ref();
            it.regex.is_match(&text) || letters.is_some_and(|it| it.regex.is_match(&tight))
        };
        self.terms.iter().any(may_hit) && !self.found(&text).is_empty()
    }

    /// Returns `true` if texts are kept instead of being searched.
    pub(crate) fn is_listing(&self) -> bool {
        self.listing.is_some()
    }

    /// Returns `true` if letters that follow each other without any blank or end of a line have a word.
    ///
    /// This asks no place of a glyph, so that it also proves what [`Terms::mark`] did. Short words are left to that.
    pub(crate) fn hit_in_letters(&self, letters: &str) -> bool {
        let letters: String = folded(letters).chars().filter(|it| !it.is_whitespace()).collect();
        let long = self.terms.iter().filter_map(|it| it.letters.as_ref()).filter(|it| it.is_long);
        long.into_iter().any(|it| it.regex.is_match(&letters))
    }

    /// Returns the hits of a folded text.
    fn found(&self, text: &str) -> Vec<Range<usize>> {
        let mut tight = Tight::default();
        for (at, c) in text.char_indices() {
            if c.is_whitespace() {
                tight.blank();
            } else {
                tight.letter(at, c);
            }
        }
        let mut found = Vec::new();
        for term in &self.terms {
            found.extend(
                term.regex.find_iter(text).map(|it| it.range()).filter(|it| !it.is_empty()),
            );
            for hit in term.letters.iter().flat_map(|it| tight.find(it)) {
                let last = hit.last;
                let end = last + text[last..].chars().next().map_or(0, char::len_utf8);
                found.push(hit.first..end);
            }
        }
        found
    }

    /// Returns a text with its hits blackened.
    pub(crate) fn blacken(&self, text: &str) -> String {
        let text = folded(text);
        let found = self.found(&text);
        let mut hits = vec![false; text.len()];
        found.into_iter().for_each(|it| hits[it].fill(true));
        text.char_indices().map(|(at, c)| if hits[at] { '█' } else { c }).collect()
    }

    /// Marks the glyphs of hits. The glyphs are read in the order of the content and in the order in which they are seen.
    ///
    /// Returns hits that go over blanks which the word does not have, as they are seen.
    pub(crate) fn mark(&self, glyphs: &[Glyph], hits: &mut [bool]) -> BTreeSet<String> {
        let in_content: Vec<usize> = (0..glyphs.len()).collect();
        let mut over_blanks = self.mark_row(glyphs, &in_content, hits);
        let as_seen = as_seen(glyphs);
        if as_seen != in_content {
            over_blanks.extend(self.mark_row(glyphs, &as_seen, hits));
        }
        over_blanks
    }

    fn mark_row(&self, glyphs: &[Glyph], order: &[usize], hits: &mut [bool]) -> BTreeSet<String> {
        let mut text = String::new();
        let mut owners: Vec<usize> = Vec::with_capacity(order.len());
        let mut tight = Tight::default();
        let mut previous: Option<&Glyph> = None;
        let mut visible: Option<&Glyph> = None;
        for (place, at) in order.iter().enumerate() {
            let glyph = &glyphs[*at];
            if let Some(before) = previous {
                text.push_str(gap(before, glyph));
            }
            let start = text.len();
            match glyph.text.as_deref() {
                Some(it) => it.chars().for_each(|it| fold(it, &mut text)),
                None => text.push('\u{fffd}'),
            }
            owners.push(start);
            previous = Some(glyph);
            // A blank glyph counts by the gap that is seen, so that one between two letters that touch hides nothing.
            if text[start..].trim().is_empty() {
                continue;
            }
            match visible.map_or("\n", |it| gap(it, glyph)) {
                "\n" => tight.line_end(),
                " " => tight.blank(),
                _ => {}
            }
            for c in text[start..].chars() {
                if c.is_whitespace() {
                    tight.blank();
                } else {
                    tight.letter(place, c);
                }
            }
            visible = Some(glyph);
        }
        if let Some(listing) = &self.listing {
            listing.borrow_mut().add(&text);
            return BTreeSet::new();
        }
        for term in &self.terms {
            for found in term.regex.find_iter(&text).filter(|it| !it.is_empty()) {
                let first = owners.partition_point(|it| *it <= found.start()).saturating_sub(1);
                let last = owners.partition_point(|it| *it < found.end());
                order[first..last].iter().for_each(|at| hits[*at] = true);
            }
        }
        let mut over_blanks = BTreeSet::new();
        for hit in
            self.terms.iter().filter_map(|it| it.letters.as_ref()).flat_map(|it| tight.find(it))
        {
            let places = &order[hit.first..=hit.last];
            if hit.is_over_blanks && places.iter().any(|at| !hits[*at]) {
                let end = owners.get(hit.last + 1).copied().unwrap_or(text.len());
                let shown = text[owners[hit.first]..end].trim();
                over_blanks.insert(crate::text::line(shown, MAX_SHOWN));
            }
            places.iter().for_each(|at| hits[*at] = true);
        }
        over_blanks
    }
}

/// Letters without the blanks between them.
#[derive(Default)]
struct Tight {
    /// Ends of lines stay.
    text: String,
    letters: Vec<Letter>,
    /// A blank or the end of a line was met after the last letter.
    is_apart: bool,
}

struct Letter {
    /// Its byte in the text.
    start: usize,
    /// Who has it.
    owner: usize,
    /// It begins a word, because a blank, the end of a line or a sign stands before it.
    begins: bool,
    /// A blank stands before it.
    is_after_blank: bool,
    /// It is a letter or a digit.
    is_letter: bool,
}

/// The owners of the first and the last letter of a hit.
struct Hit {
    first: usize,
    last: usize,
    is_over_blanks: bool,
}

impl Tight {
    fn blank(&mut self) {
        self.is_apart = true;
    }

    fn line_end(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn letter(&mut self, owner: usize, c: char) {
        let is_letter = c.is_alphanumeric();
        let is_first = self.text.is_empty() || self.text.ends_with('\n');
        let is_after_sign = self.letters.last().is_none_or(|it| !it.is_letter);
        self.letters.push(Letter {
            start: self.text.len(),
            owner,
            begins: self.is_apart || is_first || is_after_sign || !is_letter,
            is_after_blank: self.is_apart && !is_first,
            is_letter,
        });
        self.text.push(c);
        self.is_apart = false;
    }

    /// Returns the hits of a word.
    fn find(&self, word: &Letters) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut from = 0;
        while let Some(found) = word.regex.find_at(&self.text, from) {
            let first = self.letters.partition_point(|it| it.start < found.start());
            let end = self.letters.partition_point(|it| it.start < found.end());
            let Some([one, more @ ..]) = self.letters.get(first..end) else { break };
            let is_over_blanks = more.iter().any(|it| it.is_after_blank);
            let is_whole = one.begins && self.letters.get(end).is_none_or(|it| it.begins);
            if !is_over_blanks || word.is_long || is_whole {
                let last = more.last().unwrap_or(one);
                hits.push(Hit { first: one.owner, last: last.owner, is_over_blanks });
                from = found.end();
            } else {
                from = self.letters.get(first + 1).map_or(self.text.len(), |it| it.start);
            }
        }
        hits
    }
}

/// Returns `true` for letters of writing systems that set no blanks between words.
fn needs_no_blank(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Compiles a word. It may be cut at the end of a line, with a hyphen or without; blanks may be any white space.
///
/// Documents have blanks inside of words, and letters that are set apart. So the letters are also searched without blanks.
/// That may hit the end of one word and the beginning of the next: too much is better than too little. Short words would hit
/// everywhere, so they have to be whole there.
fn word_term(word: &str, ignores_case: bool) -> Result<Term> {
    let mut pattern = String::new();
    let mut letters = String::new();
    for (at, c) in word.chars().enumerate() {
        if c.is_whitespace() {
            pattern.push_str(r"\s*");
            continue;
        }
        if at > 0 {
            pattern.push_str(r"(?:-?\n\s*)?");
            letters.push_str(r"(?:-?\n)?");
        }
        let c = regex::escape(&c.to_string());
        pattern.push_str(&c);
        letters.push_str(&c);
    }
    let count = word.chars().filter(|it| !it.is_whitespace()).count();
    let is_long = count >= LONG || (count > 1 && word.chars().any(needs_no_blank));
    let letters = Letters { regex: compile(&letters, ignores_case)?, is_long };
    Ok(Term { regex: compile(&pattern, ignores_case)?, letters: Some(letters) })
}

fn compile(pattern: &str, ignores_case: bool) -> Result<Regex> {
    let built =
        RegexBuilder::new(pattern).case_insensitive(ignores_case).size_limit(MAX_PROGRAM).build();
    built.or_else(|error| {
        let error = error.to_string();
        invalid(format!("`{pattern}` is no pattern: {}", error.lines().last().unwrap_or_default()))
    })
}

/// Returns what stands between two glyphs: nothing, a blank, or the end of a line.
pub(crate) fn gap(before: &Glyph, after: &Glyph) -> &'static str {
    let size = before.size.max(1e-3);
    let (dx, dy) = (after.origin.0 - before.end.0, after.origin.1 - before.end.1);
    let (cos, sin) = before.direction;
    let along = dx * cos + dy * sin;
    let across = (dy * cos - dx * sin).abs();
    // Far behind on the same line, another column begins.
    if across > 0.6 * size || !(-1.5 * size..=2.5 * size).contains(&along) {
        "\n"
    } else if along > 0.18 * size {
        " "
    } else {
        ""
    }
}

/// Returns the order in which glyphs are seen: lines by their base line, in them from their beginning.
pub(crate) fn as_seen(glyphs: &[Glyph]) -> Vec<usize> {
    let key = |glyph: &Glyph| {
        let (cos, sin) = glyph.direction;
        let turn = sin.atan2(cos).to_degrees().round();
        let across = glyph.origin.1 * cos - glyph.origin.0 * sin;
        let along = glyph.origin.0 * cos + glyph.origin.1 * sin;
        (turn, across, along)
    };
    let keys: Vec<(f64, f64, f64)> = glyphs.iter().map(key).collect();
    let mut order: Vec<usize> = (0..glyphs.len()).collect();
    order.sort_by(|a, b| keys[*a].0.total_cmp(&keys[*b].0).then(keys[*b].1.total_cmp(&keys[*a].1)));
    // Glyphs whose base lines differ by little are of one line.
    let mut lines: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let same = lines.last().and_then(|it| it.first()).is_some_and(|first| {
            keys[*first].0 == keys[at].0
                && (keys[*first].1 - keys[at].1).abs() < 0.4 * glyphs[*first].size.max(1e-3)
        });
        match lines.last_mut().filter(|_| same) {
            Some(line) => line.push(at),
            None => lines.push(vec![at]),
        }
    }
    for line in &mut lines {
        line.sort_by(|a, b| keys[*a].2.total_cmp(&keys[*b].2));
    }
    lines.concat()
}
