//! Excerpts of documents for a model: small documents are shown completely, of large ones the beginning and the end, within a
//! budget of characters and estimated tokens.
//!
//! A text is cut after a paragraph, a heading, a row or at least a sentence, and never within a grapheme. Tables keep their
//! header, their first and their last rows. A mark replaces omitted text and gives the offset from which a model can read on.

mod cut;
mod table;
mod units;

use std::borrow::Borrow;

use crate::document::Document;
use mitt_base::tokens::TextSize;

/// Budget for showing documents.
///
/// Tokens are estimated, as by [`TextSize::of`], since no model's vocabulary is available. The default shows everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextBudget {
    /// Most characters of all documents together. Default: no limit.
    pub characters: u64,
    /// Most estimated tokens of all documents together. Default: no limit.
    pub tokens: u64,
    /// Most characters of each document. Default: no limit.
    pub document_characters: u64,
    /// Most estimated tokens of each document. Default: no limit.
    pub document_tokens: u64,
    /// `true` if marks name the tools of `document-tool`, for models that have them. Default: `true`.
    pub names_tools: bool,
}

impl Default for TextBudget {
    fn default() -> TextBudget {
        TextBudget {
            characters: u64::MAX,
            tokens: u64::MAX,
            document_characters: u64::MAX,
            document_tokens: u64::MAX,
            names_tools: true,
        }
    }
}

/// Excerpt of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// The text with its marks; empty if there is no room for any of it.
    pub text: String,
    /// Estimated number of tokens of the text.
    pub tokens: u64,
    /// Omitted parts, in order; empty if the document is shown completely.
    pub left_out: Vec<LeftOut>,
}

/// Part of a document that an excerpt leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Index of its first character in the document.
    pub offset: u64,
    /// Length in characters.
    pub characters: u64,
    /// Number of table rows in it.
    pub rows: u64,
}

impl Excerpt {
    /// Returns whether nothing is left out.
    pub fn is_whole(&self) -> bool {
        self.left_out.is_empty()
    }

    /// Returns how many characters of the document are left out.
    pub fn missing(&self) -> u64 {
        self.left_out.iter().map(|it| it.characters).sum()
    }
}

impl Document {
    /// Returns an excerpt of the document within a budget.
    pub fn excerpt(&self, budget: &TextBudget) -> Excerpt {
        excerpts(&[self], budget).pop().unwrap_or_default()
    }
}

/// Returns excerpts of several documents within one budget. Short documents are shown completely, the others share the rest
/// equally. If the shares would be smaller than a sentence, the last documents are not shown.
pub fn excerpts<D: Borrow<Document>>(documents: &[D], budget: &TextBudget) -> Vec<Excerpt> {
    let all = TextLimits { characters: budget.characters, tokens: budget.tokens };
    let each =
        TextLimits { characters: budget.document_characters, tokens: budget.document_tokens };
    let sizes: Vec<_> = documents.iter().map(|it| TextSize::of(&it.borrow().text)).collect();
    let fits = |size: &TextSize| each.holds(*size);
    if all.holds(sizes.iter().copied().sum()) && sizes.iter().all(fits) {
        return documents.iter().zip(&sizes).map(|(it, size)| whole(it.borrow(), *size)).collect();
    }
    // Share that a document would take alone.
    let wanted = |size: &TextSize| {
        if each.holds(*size) {
            all.part(*size)
        } else {
            times(all.part(*size), FULL, each.part(*size))
        }
    };
    let wanted: Vec<_> = sizes.iter().map(wanted).collect();
    let mut n_shown = documents.len();
    let mut level = level(&wanted, FULL);
    // Shares smaller than a sentence and its mark are given to fewer documents.
    let least = all.part_of(LEAST).clamp(1, FULL);
    if level < least {
        n_shown = usize::try_from(FULL.div_ceil(least)).unwrap_or(usize::MAX).min(n_shown);
        level = self::level(wanted.get(..n_shown).unwrap_or_default(), FULL);
    }
    let shares = documents.iter().zip(sizes.iter().zip(wanted)).enumerate();
    let excerpt = |(at, (document, (size, wanted))): (usize, (&D, (&TextSize, u64)))| {
        let document = document.borrow();
        if at >= n_shown {
            return nothing(document);
        }
        if each.holds(*size) && wanted <= level {
            whole(document, *size)
        } else {
            let limits = all.share(wanted.min(level)).least(each);
            cut::excerpt(document, *size, limits, budget.names_tools)
        }
    };
    shares.map(excerpt).collect()
}

fn whole(document: &Document, size: TextSize) -> Excerpt {
    Excerpt { text: document.text.clone(), tokens: size.tokens(), left_out: Vec::new() }
}

fn nothing(document: &Document) -> Excerpt {
    let left_out = (document.characters > 0).then(|| LeftOut {
        offset: 0,
        characters: document.characters,
        rows: document.tables.iter().map(|table| table.data.rows() as u64).sum(),
    });
    Excerpt { left_out: left_out.into_iter().collect(), ..Excerpt::default() }
}

/// The whole room, as the denominator of fractions.
const FULL: u64 = 1 << 40;

/// Least room in which a document is shown.
const LEAST: TextLimits = TextLimits { characters: 400, tokens: 100 };

/// Limits on characters and tokens, both of which must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextLimits {
    characters: u64,
    tokens: u64,
}

impl TextLimits {
    fn holds(self, size: TextSize) -> bool {
        size.characters <= self.characters && size.tokens() <= self.tokens
    }

    /// Returns the fraction of the room that a text takes, in units of [`FULL`]: of characters or tokens, whichever is larger.
    /// Several texts together never take more than the sum.
    fn part(self, size: TextSize) -> u64 {
        let characters = share_of(size.characters, self.characters);
        characters.max(share_of(size.thousandths(), self.tokens.saturating_mul(1_000)))
    }

    /// Like [`TextLimits::part`], for a text that fills the other limits.
    fn part_of(self, other: TextLimits) -> u64 {
        share_of(other.characters, self.characters).max(share_of(other.tokens, self.tokens))
    }

    /// Returns a fraction of the room, in units of [`FULL`].
    fn share(self, part: u64) -> TextLimits {
        let share = |all: u64| match all {
            u64::MAX => u64::MAX,
            all => times(all, part.min(FULL), FULL),
        };
        TextLimits { characters: share(self.characters), tokens: share(self.tokens) }
    }

    /// Returns the limits for a fraction of the room, in units of [`FULL`]: characters, and thousandths of tokens.
    fn most(self, part: u64) -> (u64, u64) {
        let TextLimits { characters, tokens } = self;
        let limits = TextLimits { characters, tokens: tokens.saturating_mul(1_000) }.share(part);
        (limits.characters, limits.tokens)
    }

    fn least(self, other: TextLimits) -> TextLimits {
        TextLimits {
            characters: self.characters.min(other.characters),
            tokens: self.tokens.min(other.tokens),
        }
    }
}

/// Returns `some` as a fraction of `all`, in units of [`FULL`], rounded up.
fn share_of(some: u64, all: u64) -> u64 {
    match (some, all) {
        (0, _) => 0,
        (_, 0) => u64::MAX,
        (_, u64::MAX) => 0,
        (some, all) => {
            let part = (u128::from(some) * u128::from(FULL)).div_ceil(u128::from(all));
            u64::try_from(part).unwrap_or(u64::MAX)
        }
    }
}

/// Returns `number` times `by`, divided by `of`.
fn times(number: u64, by: u64, of: u64) -> u64 {
    let product = u128::from(number) * u128::from(by) / u128::from(of.max(1));
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// Returns the level up to which each gets what it wants, so that all together get no more than `full`.
fn level(wanted: &[u64], full: u64) -> u64 {
    let mut sorted = wanted.to_vec();
    sorted.sort_unstable();
    let (mut left, mut others) = (full, sorted.len() as u64);
    for wanted in sorted {
        let equal = left / others.max(1);
        if wanted > equal {
            return equal;
        }
        left -= wanted;
        others -= 1;
    }
    u64::MAX
}

#[cfg(test)]
mod tests;
