//! What a model is shown of documents at once: small ones whole, of large ones the beginning and the end, within a budget of
//! characters and estimated tokens.
//!
//! A text ends where a paragraph, a heading, a row or at least a sentence ends, and never within what people see as one
//! character. Tables keep their header, their first and their last rows. What is left out is told where it is missing, with the
//! offset from which a model reads on.

mod cut;
mod table;
mod units;

use std::borrow::Borrow;

use crate::document::Document;
use mitt_base::tokens::TextSize;

/// How much of documents is shown at once.
///
/// Tokens are estimated, as [`TextSize::of`] does: no vocabulary of a model is here. The default shows everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextBudget {
    /// Characters of all documents together. Default no limit.
    pub characters: u64,
    /// Estimated tokens of all documents together. Default no limit.
    pub tokens: u64,
    /// Characters of each document. Default no limit.
    pub document_characters: u64,
    /// Estimated tokens of each document. Default no limit.
    pub document_tokens: u64,
    /// Whether marks name the tools of `document-tool`, for whoever has them. Default yes.
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

/// What is shown of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// The text with its marks; empty where there is no room for anything of it.
    pub text: String,
    /// About how many tokens that is.
    pub tokens: u64,
    /// What is missing, in order; nothing of a document that is shown whole.
    pub left_out: Vec<LeftOut>,
}

/// A part of a document that an excerpt leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Index of its first character in the document.
    pub offset: u64,
    /// Its length in characters.
    pub characters: u64,
    /// How many rows of tables are in it.
    pub rows: u64,
}

impl Excerpt {
    /// Whether nothing is missing.
    pub fn is_whole(&self) -> bool {
        self.left_out.is_empty()
    }

    /// How many characters of the document are missing.
    pub fn missing(&self) -> u64 {
        self.left_out.iter().map(|it| it.characters).sum()
    }
}

impl Document {
    /// What of it is shown within a budget.
    pub fn excerpt(&self, budget: &TextBudget) -> Excerpt {
        excerpts(&[self], budget).pop().unwrap_or_default()
    }
}

/// What is shown of each of these documents within one budget. Those that are short enough are whole, and the others share what
/// is left in equal parts. Where there are so many that no part would hold a sentence, those that come last are not shown.
pub fn excerpts<D: Borrow<Document>>(documents: &[D], budget: &TextBudget) -> Vec<Excerpt> {
    let all = Room { characters: budget.characters, tokens: budget.tokens };
    let each = Room { characters: budget.document_characters, tokens: budget.document_tokens };
    let sizes: Vec<_> = documents.iter().map(|it| TextSize::of(&it.borrow().text)).collect();
    let fits = |size: &TextSize| each.holds(*size);
    if all.holds(sizes.iter().copied().sum()) && sizes.iter().all(fits) {
        return documents.iter().zip(&sizes).map(|(it, size)| whole(it.borrow(), *size)).collect();
    }
    // What a document takes if nobody else wants anything.
    let wanted = |size: &TextSize| match each.holds(*size) {
        true => all.part(*size),
        false => times(all.part(*size), FULL, each.part(*size)),
    };
    let wanted: Vec<_> = sizes.iter().map(wanted).collect();
    let mut n_shown = documents.len();
    let mut level = level(&wanted, FULL);
    // What would be less than a sentence and its mark is better given to fewer.
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
        match each.holds(*size) && wanted <= level {
            true => whole(document, *size),
            false => {
                let room = all.share(wanted.min(level)).least(each);
                cut::excerpt(document, *size, room, budget.names_tools)
            }
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

/// All of a room.
const FULL: u64 = 1 << 40;

/// A document is not shown in less.
const LEAST: Room = Room { characters: 400, tokens: 100 };

/// Characters and tokens, of which neither may be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    characters: u64,
    tokens: u64,
}

impl Room {
    fn holds(self, size: TextSize) -> bool {
        size.characters <= self.characters && size.tokens() <= self.tokens
    }

    /// How much of the room a text takes, of [`FULL`]: that of characters or of tokens, whichever is more. What several take
    /// together is never more than the sum.
    fn part(self, size: TextSize) -> u64 {
        let characters = share_of(size.characters, self.characters);
        characters.max(share_of(size.thousandths(), self.tokens.saturating_mul(1_000)))
    }

    /// As [`Room::part`] of a text that takes all of the other room.
    fn part_of(self, other: Room) -> u64 {
        share_of(other.characters, self.characters).max(share_of(other.tokens, self.tokens))
    }

    /// A part of the room, of [`FULL`].
    fn share(self, part: u64) -> Room {
        let share = |all: u64| match all {
            u64::MAX => u64::MAX,
            all => times(all, part.min(FULL), FULL),
        };
        Room { characters: share(self.characters), tokens: share(self.tokens) }
    }

    /// What takes at most a part of the room, of [`FULL`]: characters, and thousandths of tokens.
    fn most(self, part: u64) -> (u64, u64) {
        let Room { characters, tokens } = self;
        let room = Room { characters, tokens: tokens.saturating_mul(1_000) }.share(part);
        (room.characters, room.tokens)
    }

    fn least(self, other: Room) -> Room {
        Room {
            characters: self.characters.min(other.characters),
            tokens: self.tokens.min(other.tokens),
        }
    }
}

/// `some` as a part of `all`, of [`FULL`], rounded up.
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

/// `number` times `by`, divided by `of`.
fn times(number: u64, by: u64, of: u64) -> u64 {
    let product = u128::from(number) * u128::from(by) / u128::from(of.max(1));
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// The height up to which each gets what it wants, so that all together get no more than `full`.
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
