//! What is searched, and where it stands in a row of glyphs.

use crate::error::{Result, invalid};
use crate::redact::walk::Glyph;
use regex::{Regex, RegexBuilder};

/// Most words and patterns of a call.
const MAX_TERMS: usize = 500;
const MAX_LENGTH: usize = 1_000;
/// Memory of one compiled pattern.
const MAX_PROGRAM: usize = 4 << 20;

/// Words and patterns, ready to be searched.
pub(crate) struct Terms(Vec<Regex>);

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
        other => out.push(other),
    }
}

pub(crate) fn folded(text: &str) -> String {
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
            // A word may be cut at the end of a line, with a hyphen or without; blanks may be any white space.
            let mut pattern = String::new();
            for (at, c) in word.chars().enumerate() {
                if c.is_whitespace() {
                    pattern.push_str(r"\s*");
                    continue;
                }
                if at > 0 {
                    pattern.push_str(r"(?:-?\n\s*)?");
                }
                pattern.push_str(&regex::escape(&c.to_string()));
            }
            terms.push(compile(&pattern, ignores_case)?);
        }
        for pattern in patterns {
            if pattern.is_empty() || pattern.len() > MAX_LENGTH {
                return invalid(format!("expected patterns of 1 to {MAX_LENGTH} bytes"));
            }
            let term = compile(pattern, ignores_case)?;
            if term.is_match("") {
                return invalid(format!(
                    "the pattern `{pattern}` matches nothing at all, so it would match everywhere"
                ));
            }
            terms.push(term);
        }
        Ok(Self(terms))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if a text has a hit.
    pub(crate) fn hit(&self, text: &str) -> bool {
        let text = folded(text);
        self.0.iter().any(|it| it.find_iter(&text).any(|it| !it.is_empty()))
    }

    /// Returns a text with its hits blackened.
    pub(crate) fn blacken(&self, text: &str) -> String {
        let mut text = folded(text);
        for term in &self.0 {
            text = term
                .replace_all(&text, |it: &regex::Captures<'_>| {
                    "█".repeat(it[0].chars().count().min(100))
                })
                .into_owned();
        }
        text
    }

    /// Marks the glyphs of hits. The glyphs are read in the order of the content and in the order in which they are seen.
    pub(crate) fn mark(&self, glyphs: &[Glyph], hits: &mut [bool]) {
        let in_content: Vec<usize> = (0..glyphs.len()).collect();
        self.mark_row(glyphs, &in_content, hits);
        self.mark_row(glyphs, &as_seen(glyphs), hits);
    }

    fn mark_row(&self, glyphs: &[Glyph], order: &[usize], hits: &mut [bool]) {
        let mut text = String::new();
        let mut owners: Vec<(usize, usize)> = Vec::new();
        let mut previous: Option<&Glyph> = None;
        for at in order {
            let glyph = &glyphs[*at];
            if let Some(before) = previous {
                text.push_str(gap(before, glyph));
            }
            let start = text.len();
            match glyph.text.as_deref() {
                Some(it) => it.chars().for_each(|it| fold(it, &mut text)),
                None => text.push('\u{fffd}'),
            }
            owners.push((start, *at));
            previous = Some(glyph);
        }
        for term in &self.0 {
            for found in term.find_iter(&text).filter(|it| !it.is_empty()) {
                let first = owners.partition_point(|it| it.0 <= found.start()).saturating_sub(1);
                for (start, at) in &owners[first..] {
                    if *start >= found.end() {
                        break;
                    }
                    hits[*at] = true;
                }
            }
        }
    }
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
