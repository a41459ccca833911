//! Finds moved blocks among those without a partner, and rows of tables that stand elsewhere.

use super::block::{Block, Kind};
use super::event::{Event, Loose, Span, What};
use super::pairs::{Index, MAX_INDEXED, Matcher, row_key_hash};
use crate::search::is_wide;
use std::collections::HashMap;

/// Least width of the text of a moved block. Shorter ones are repeated too often.
const MIN_WIDTH: usize = 16;
/// Least share of words, and fewest words, of a block that was moved and changed.
const SIMILAR: f64 = 0.8;
const MIN_WORDS: usize = 6;

/// The state of a loose block.
#[derive(Clone, Copy, Default)]
struct Partner {
    is_loose: bool,
    order: u32,
    /// Index of the other block, if it has one.
    of: Option<u32>,
}

/// Pairs loose blocks and turns all of them into events.
pub(crate) fn find(matcher: &mut Matcher<'_>) {
    let (loose_old, loose_new) =
        (std::mem::take(&mut matcher.loose_old), std::mem::take(&mut matcher.loose_new));
    let mut moves = Moves {
        old: partners(matcher.old.blocks.len(), &loose_old),
        new: partners(matcher.new.blocks.len(), &loose_new),
        matcher,
    };
    moves.rows(&loose_old, &loose_new);
    moves.equal(&loose_old, &loose_new);
    moves.similar(&loose_old, &loose_new);
    moves.report(&loose_old, &loose_new);
}

fn partners(len: usize, loose: &[Loose]) -> Vec<Partner> {
    let mut out = vec![Partner::default(); len];
    for it in loose {
        out[it.index as usize] = Partner { is_loose: true, order: it.order, of: None };
    }
    out
}

struct Moves<'m, 'a> {
    old: Vec<Partner>,
    new: Vec<Partner>,
    matcher: &'m mut Matcher<'a>,
}

impl Moves<'_, '_> {
    fn is_free(side: &[Partner], index: u32) -> bool {
        side.get(index as usize).is_some_and(|it| it.is_loose && it.of.is_none())
    }

    fn set(&mut self, old: u32, new: u32) {
        self.old[old as usize].of = Some(new);
        self.new[new as usize].of = Some(old);
    }

    /// Pairs rows by their key, if it is there once on each side.
    fn rows(&mut self, loose_old: &[Loose], loose_new: &[Loose]) {
        let mut seen: HashMap<u64, [(u32, u32); 2]> = HashMap::new();
        let tables = self.matcher.tables;
        for it in loose_old {
            let block = &self.matcher.old.blocks[it.index as usize];
            if let Some(pair) = tables.of_old(block)
                && let Some(key) = row_key_hash(self.matcher.old, block, Some(pair))
            {
                let entry = &mut seen.entry(key).or_default()[0];
                *entry = (entry.0 + 1, it.index);
            }
        }
        let mut keys = Vec::new();
        for it in loose_new {
            let block = &self.matcher.new.blocks[it.index as usize];
            if let Some(pair) = tables.of_new(block)
                && let Some(key) = row_key_hash(self.matcher.new, block, Some(pair))
            {
                let entry = &mut seen.entry(key).or_default()[1];
                *entry = (entry.0 + 1, it.index);
                keys.push(key);
            }
        }
        for key in keys {
            if let Some(&[(1, old), (1, new)]) = seen.get(&key) {
                self.set(old, new);
            }
        }
    }

    /// Pairs blocks with the same text, the first with the first, and then their neighbours.
    fn equal(&mut self, loose_old: &[Loose], loose_new: &[Loose]) {
        let mut by_hash: HashMap<u64, Vec<u32>> = HashMap::new();
        for it in loose_old.iter().rev().filter(|it| Self::is_free(&self.old, it.index)) {
            by_hash
                .entry(self.matcher.old.blocks[it.index as usize].hash)
                .or_default()
                .push(it.index);
        }
        for it in loose_new {
            if !Self::is_free(&self.new, it.index) || !self.is_wide_enough(it.index) {
                continue;
            }
            let hash = self.matcher.new.blocks[it.index as usize].hash;
            while let Some(old) = by_hash.get_mut(&hash).and_then(Vec::pop) {
                if Self::is_free(&self.old, old) {
                    self.set(old, it.index);
                    self.neighbours(old, it.index);
                    break;
                }
            }
        }
    }

    /// Pairs equal blocks in front of and behind a moved one, however short they are.
    fn neighbours(&mut self, old: u32, new: u32) {
        for step in [1_i64, -1] {
            let (mut a, mut b) = (i64::from(old) + step, i64::from(new) + step);
            while let (Ok(i), Ok(j)) = (u32::try_from(a), u32::try_from(b)) {
                let is_free = Self::is_free(&self.old, i) && Self::is_free(&self.new, j);
                let is_equal = is_free
                    && self.matcher.old.blocks[i as usize].hash
                        == self.matcher.new.blocks[j as usize].hash;
                if !is_equal {
                    break;
                }
                self.set(i, j);
                (a, b) = (a + step, b + step);
            }
        }
    }

    fn is_wide_enough(&self, new: u32) -> bool {
        let block = &self.matcher.new.blocks[new as usize];
        let text = self.matcher.new.content(block);
        let width = text.chars().map(|it| if is_wide(it) { 2 } else { 1 });
        width.take(MIN_WIDTH).sum::<usize>() >= MIN_WIDTH
    }

    /// Pairs blocks with nearly the same text.
    fn similar(&mut self, loose_old: &[Loose], loose_new: &[Loose]) {
        let free = |side: &[Partner], loose: &[Loose], blocks: &[Block]| -> Vec<u32> {
            let free = loose.iter().map(|it| it.index).filter(|it| Self::is_free(side, *it));
            // A row has its place in its table.
            free.filter(|it| blocks[*it as usize].kind != Kind::Row).collect()
        };
        let old = free(&self.old, loose_old, &self.matcher.old.blocks);
        let new = free(&self.new, loose_new, &self.matcher.new.blocks);
        if old.is_empty() || new.is_empty() {
            return;
        }
        if old.len() > MAX_INDEXED || new.len() > MAX_INDEXED {
            self.matcher.is_coarse = true;
            return;
        }
        let (old_sketches, new_sketches) = self.matcher.sketches(&old, &new);
        let index = Index::new(old_sketches.iter());
        for (to, sketch) in new.iter().zip(&new_sketches) {
            if sketch.words().len() < MIN_WORDS {
                continue;
            }
            if let Some(at) = index.best(sketch)
                && old_sketches[at].similarity(sketch) >= SIMILAR
                && Self::is_free(&self.old, old[at])
            {
                self.set(old[at], *to);
            }
        }
    }

    fn report(self, loose_old: &[Loose], loose_new: &[Loose]) {
        let Moves { old, new, matcher } = self;
        let mut events = std::mem::take(&mut matcher.events);
        for it in loose_new {
            let from = new[it.index as usize].of;
            let block = &matcher.new.blocks[it.index as usize];
            let is_equal =
                from.is_some_and(|it| matcher.old.blocks[it as usize].hash == block.hash);
            let what = match from {
                None => What::Inserted,
                Some(_) if block.kind == Kind::Row && !is_equal => What::Changed,
                Some(_) => What::Moved,
            };
            // A whole table, or neighbours that were moved together, are one difference.
            if let Some(last) = events.last_mut()
                && last.what == what
                && let Some(span) = &mut last.new
                && span.start + span.len == it.index
            {
                let is_next = match (&mut last.old, from) {
                    (Some(old), Some(from)) => {
                        let is_next = is_equal
                            && old.start + old.len == from
                            && matcher.old.blocks[old.start as usize].hash
                                == matcher.new.blocks[span.start as usize].hash;
                        old.len += u32::from(is_next);
                        is_next
                    }
                    (None, None) => {
                        let first = &matcher.new.blocks[span.start as usize];
                        block.kind == Kind::Row
                            && first.kind == Kind::Row
                            && first.link == block.link
                            && first.number == 0
                            && matcher.tables.of_new(block).is_none()
                    }
                    _ => false,
                };
                if is_next {
                    span.len += 1;
                    continue;
                }
            }
            events.push(Event {
                what,
                old: from.map(Span::one),
                new: Some(Span::one(it.index)),
                order: it.order,
            });
        }
        for it in loose_old {
            if old[it.index as usize].of.is_some() {
                continue;
            }
            let block = &matcher.old.blocks[it.index as usize];
            if let Some(last) = events.last_mut()
                && last.what == What::Deleted
                && let Some(span) = &mut last.old
                && span.start + span.len == it.index
            {
                let first = &matcher.old.blocks[span.start as usize];
                let is_table =
                    block.kind == Kind::Row && first.kind == Kind::Row && first.link == block.link;
                if is_table && first.number == 0 && matcher.tables.of_old(block).is_none() {
                    span.len += 1;
                    continue;
                }
            }
            let order = old[it.index as usize].order;
            events.push(Event {
                what: What::Deleted,
                old: Some(Span::one(it.index)),
                new: None,
                order,
            });
        }
        matcher.events = events;
    }
}
