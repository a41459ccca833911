//! Pairs the blocks of a gap: those that were only cut at other places, and those that are similar.

use super::block::{Block, Kind};
use super::blocks::{MAX_BLOCKS, Parsed};
use super::event::{Event, Loose, Span, What};
use super::normal::{MAX_SKETCHED, Sketch, combined, hash, normal, resolved, squeezed};
use super::sequence::{Budget, align, ascending};
use super::summary::hunks;
use super::tables::Pairs;
use std::collections::HashMap;

/// Most pairs of blocks of a gap that are all measured.
const MAX_PAIRS: usize = 2_500;
/// Most such pairs of a comparison.
const MAX_ALL_PAIRS: usize = 400_000;
/// Most blocks of a side of a gap whose rare words are indexed.
pub(crate) const MAX_INDEXED: usize = 20_000;
/// Most blocks that a word may be in to be rare.
const MAX_RARE: usize = 8;
/// Blocks that share fewer words are different blocks.
const SIMILAR: f64 = 0.5;
/// Rows with different keys that share fewer words are different rows.
const SIMILAR_ROWS: f64 = 0.75;
/// Blocks of at most so many words are one changed block if they stand alone between equal ones.
const FEW_WORDS: usize = 4;
/// Longest block that is joined with its neighbours, in bytes.
const MAX_JOINED: usize = 100_000;
/// Lines of a paragraph above which its lines are compared.
const MANY_LINES: usize = 40;

/// Pairs the blocks of all gaps.
pub(crate) struct Matcher<'a> {
    pub(crate) old: &'a mut Parsed,
    pub(crate) new: &'a mut Parsed,
    pub(crate) tables: &'a Pairs,
    pub(crate) budget: &'a mut Budget,
    pairs_left: usize,
    pub(crate) events: Vec<Event>,
    pub(crate) loose_old: Vec<Loose>,
    pub(crate) loose_new: Vec<Loose>,
    /// `true` if a gap was too large to measure all pairs.
    pub(crate) is_coarse: bool,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(
        old: &'a mut Parsed,
        new: &'a mut Parsed,
        tables: &'a Pairs,
        budget: &'a mut Budget,
    ) -> Self {
        Matcher {
            old,
            new,
            tables,
            budget,
            pairs_left: MAX_ALL_PAIRS,
            events: Vec::new(),
            loose_old: Vec::new(),
            loose_new: Vec::new(),
            is_coarse: false,
        }
    }

    fn old_block(&self, index: u32) -> &Block {
        &self.old.blocks[index as usize]
    }

    fn new_block(&self, index: u32) -> &Block {
        &self.new.blocks[index as usize]
    }

    /// Pairs the blocks of a gap. `end` is the character of the new document behind it.
    pub(crate) fn gap(&mut self, old: Vec<u32>, new: Vec<u32>, end: u32) {
        let (old, new) = self.without_joined(old, new);
        let has_long = |parsed: &Parsed, side: &[u32]| {
            side.iter().any(|it| is_long(parsed, &parsed.blocks[*it as usize]))
        };
        if !old.is_empty()
            && !new.is_empty()
            && (has_long(self.old, &old) || has_long(self.new, &new))
        {
            self.by_lines(&old, &new, end);
        } else {
            self.pair(&old, &new, end);
        }
    }

    /// Pairs similar blocks and reports them as changed. The others stay loose.
    fn pair(&mut self, old: &[u32], new: &[u32], end: u32) {
        let pairs = self.similar(old, new);
        let (mut at, mut to) = (0, 0);
        for &(i, j) in pairs.iter().chain([&(old.len(), new.len())]) {
            // What is gone is listed before what came instead.
            let order = new.get(to).map_or(end, |it| self.new_block(*it).at);
            let deleted = old[at..i].iter().map(|&index| Loose { index, order });
            self.loose_old.extend(deleted);
            for &index in &new[to..j] {
                let order = self.new_block(index).at;
                self.loose_new.push(Loose { index, order });
            }
            if let (Some(&a), Some(&b)) = (old.get(i), new.get(j))
                && !self.is_same(a, b)
            {
                let order = self.new_block(b).at;
                let (old, new) = (Some(Span::one(a)), Some(Span::one(b)));
                self.events.push(Event { what: What::Changed, old, new, order });
            }
            (at, to) = (i + 1, j + 1);
        }
    }

    /// Returns `true` if two blocks differ only in what does not count.
    fn is_same(&self, old: u32, new: u32) -> bool {
        let (a, b) = (self.old_block(old), self.new_block(new));
        if a.hash == b.hash {
            return true;
        }
        if a.kind == Kind::Row && b.kind == Kind::Row {
            return self.tables.changed_cells(self.old, a, self.new, b).is_empty();
        }
        let (a, b) = resolved(&self.old.content(a), &self.new.content(b));
        a == b
    }

    /// Leaves out paragraphs that are cut into blocks at other places and are the same when they are joined.
    fn without_joined(&self, old: Vec<u32>, new: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
        if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > MAX_PAIRS {
            return (old, new);
        }
        let text = |parsed: &Parsed, index: u32| {
            let block = &parsed.blocks[index as usize];
            let is_short = block.range.len() <= MAX_JOINED && block.kind != Kind::Row;
            is_short.then(|| squeezed(&parsed.content(block)))
        };
        let a: Vec<Option<String>> = old.iter().map(|it| text(self.old, *it)).collect();
        let b: Vec<Option<String>> = new.iter().map(|it| text(self.new, *it)).collect();
        let (mut is_old, mut is_new) = (vec![true; a.len()], vec![true; b.len()]);
        let mut from = 0;
        for at in 0..a.len() {
            if !is_old[at] {
                continue;
            }
            for to in from..b.len() {
                if let Some((i, j)) = joined(&a[at..], &b[to..]) {
                    is_old[at..at + i].fill(false);
                    is_new[to..to + j].fill(false);
                    from = to + j;
                    break;
                }
            }
        }
        let kept = |side: Vec<u32>, is_kept: &[bool]| {
            side.into_iter().zip(is_kept).filter(|it| *it.1).map(|it| it.0).collect()
        };
        (kept(old, &is_old), kept(new, &is_new))
    }

    /// Compares the blocks of a gap by the lines of its paragraphs.
    fn by_lines(&mut self, old: &[u32], new: &[u32], end: u32) {
        let mut is_coarse = false;
        let mut lines = |parsed: &mut Parsed, side: &[u32]| {
            let mut out = Vec::new();
            for &index in side {
                let block = &parsed.blocks[index as usize];
                if block.kind == Kind::Row || block.link.is_some() {
                    out.push(index);
                    continue;
                }
                let lines = parsed.lines(block);
                if lines.len() < 2 || parsed.blocks.len() + lines.len() > 2 * MAX_BLOCKS {
                    is_coarse |= lines.len() > 1;
                    out.push(index);
                    continue;
                }
                let first = parsed.blocks.len() as u32;
                out.extend((0..lines.len() as u32).map(|it| first + it));
                parsed.blocks.extend(lines);
            }
            out
        };
        let (old, new) = (lines(self.old, old), lines(self.new, new));
        self.is_coarse |= is_coarse;
        let hashes = |parsed: &Parsed, side: &[u32]| -> Vec<u64> {
            side.iter().map(|it| parsed.blocks[*it as usize].hash).collect()
        };
        let found = align(&hashes(self.old, &old), &hashes(self.new, &new), self.budget);
        self.is_coarse |= found.is_coarse;
        for gap in found.gaps(old.len(), new.len()) {
            let end = new.get(gap.new.end).map_or(end, |it| self.new_block(*it).at);
            let (a, b) = (&old[gap.old], &new[gap.new]);
            if !self.is_prose(a, b) {
                let (a, b) = self.without_joined(a.to_vec(), b.to_vec());
                self.pair(&a, &b, end);
            }
        }
    }

    /// Returns `true` if lines are one text that is wrapped otherwise: without a change, or with one change, which is then
    /// reported.
    fn is_prose(&mut self, old: &[u32], new: &[u32]) -> bool {
        let (Some(a), Some(b)) = (span(&self.old.blocks, old), span(&self.new.blocks, new)) else {
            return false;
        };
        let (old_text, new_text) = (joined_text(self.old, a), joined_text(self.new, b));
        if old_text.len().max(new_text.len()) > MAX_JOINED {
            return false;
        }
        let (old_text, new_text) = resolved(&old_text, &new_text);
        if old_text == new_text {
            return true;
        }
        if Sketch::new(&old_text).similarity(&Sketch::new(&new_text)) < SIMILAR {
            return false;
        }
        // Lines that changed each for itself are better shown each for itself.
        let n_hunks = hunks(&old_text, &new_text, self.budget).len();
        if n_hunks > 1 && n_hunks * 2 > old.len().max(new.len()) {
            return false;
        }
        let order = self.new_block(b.start).at;
        self.events.push(Event { what: What::Changed, old: Some(a), new: Some(b), order });
        true
    }

    /// Returns pairs of similar blocks, as indices of both slices, in order.
    fn similar(&mut self, old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
        if old.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let keys = Keys::new(self, old, new);
        let product = old.len().saturating_mul(new.len());
        if product <= MAX_PAIRS && product <= self.pairs_left {
            self.pairs_left -= product;
            let sketches = self.sketches(old, new);
            let is_alone = old.len() == 1 && new.len() == 1;
            let weight = |i: usize, j: usize| {
                let (a, b) = (self.old_block(old[i]), self.new_block(new[j]));
                self.weight(
                    a,
                    b,
                    keys.partner(i) == Some(j),
                    keys.has_partner(i, j),
                    &sketches.0[i],
                    &sketches.1[j],
                    is_alone,
                )
            };
            return best_chain(old.len(), new.len(), weight);
        }
        let mut pairs: Vec<(usize, usize)> = keys.pairs().collect();
        if old.len() <= MAX_INDEXED && new.len() <= MAX_INDEXED {
            let sketches = self.sketches(old, new);
            let index = Index::new(sketches.0.iter());
            for (j, sketch) in sketches.1.iter().enumerate() {
                if keys.is_new_paired(j) {
                    continue;
                }
                let Some(i) = index.best(sketch) else { continue };
                let (a, b) = (self.old_block(old[i]), self.new_block(new[j]));
                if self.weight(a, b, false, keys.has_partner(i, j), &sketches.0[i], sketch, false)
                    > 0.0
                {
                    pairs.push((i, j));
                }
            }
        }
        // Rows with keys are paired completely.
        self.is_coarse |= pairs.len() < old.len().min(new.len()) / 2;
        pairs.sort_unstable_by_key(|it| (it.1, it.0));
        ascending(&pairs)
    }

    /// Returns the words of blocks; none for those that the budget does not reach to.
    pub(crate) fn sketches(&mut self, old: &[u32], new: &[u32]) -> (Vec<Sketch>, Vec<Sketch>) {
        let (budget, is_coarse) = (&mut *self.budget, &mut self.is_coarse);
        let mut sketches = |parsed: &Parsed, side: &[u32]| -> Vec<Sketch> {
            let sketch = |index: &u32| {
                let block = &parsed.blocks[*index as usize];
                let is_in_reach = budget.may_cut(block.range.len().min(MAX_SKETCHED));
                *is_coarse |= !is_in_reach;
                if is_in_reach { Sketch::new(&parsed.beginning(block)) } else { Sketch::new("") }
            };
            side.iter().map(sketch).collect()
        };
        (sketches(self.old, old), sketches(self.new, new))
    }

    /// Returns how well two blocks fit; 0 if they are different blocks.
    #[allow(clippy::too_many_arguments, reason = "what is known of a pair")]
    fn weight(
        &self,
        old: &Block,
        new: &Block,
        has_key: bool,
        has_other: bool,
        a: &Sketch,
        b: &Sketch,
        is_alone: bool,
    ) -> f64 {
        let similarity = a.similarity(b);
        match (old.kind == Kind::Row, new.kind == Kind::Row) {
            (true, true) if has_key => 2.0 + similarity,
            (true, true) if has_other || self.tables.of_old(old) != self.tables.of_new(new) => 0.0,
            (true, true) if similarity >= SIMILAR_ROWS => similarity,
            (false, false) if similarity >= SIMILAR => similarity,
            (false, false) if is_alone && old.kind == new.kind => {
                let has_few = |it: &Sketch| (1..=FEW_WORDS).contains(&it.words().len());
                if has_few(a) && has_few(b) { 0.1 } else { 0.0 }
            }
            _ => 0.0,
        }
    }
}

impl Parsed {
    /// Returns the key of a row: its first cell that is not empty.
    pub(crate) fn row_key(&self, row: &Block) -> Option<String> {
        self.cells(row).into_iter().find(|it| !it.is_empty())
    }
}

fn is_long(parsed: &Parsed, block: &Block) -> bool {
    let may_be =
        matches!(block.kind, Kind::Paragraph | Kind::Item) && block.range.len() > MANY_LINES;
    may_be && parsed.raw(block).lines().nth(MANY_LINES).is_some()
}

/// Returns lines that stand one after the other as a span.
fn span(blocks: &[Block], lines: &[u32]) -> Option<Span> {
    let first = *lines.first()?;
    let is_line = |(at, index): (usize, &u32)| {
        *index as usize == first as usize + at && blocks[*index as usize].kind == Kind::Line
    };
    lines.iter().enumerate().all(is_line).then_some(Span { start: first, len: lines.len() as u32 })
}

/// Returns the text of lines as one paragraph.
pub(crate) fn joined_text(parsed: &Parsed, span: Span) -> String {
    let blocks = &parsed.blocks[span.start as usize..(span.start + span.len) as usize];
    let lines: Vec<&str> = blocks.iter().map(|it| parsed.raw(it).trim_end()).collect();
    normal(&lines.join("\n"), parsed.markup())
}

/// Returns how many texts from the beginning of two lists are the same when they are joined.
fn joined(old: &[Option<String>], new: &[Option<String>]) -> Option<(usize, usize)> {
    let (mut a, mut b) = (old.first()?.as_ref()?.clone(), new.first()?.as_ref()?.clone());
    let (mut i, mut j) = (1, 1);
    while a != b && a.len().max(b.len()) <= MAX_JOINED {
        if a.len() < b.len() && !a.is_empty() && b.starts_with(&a) {
            a.push_str(old.get(i)?.as_ref()?);
            i += 1;
        } else if b.len() < a.len() && !b.is_empty() && a.starts_with(&b) {
            b.push_str(new.get(j)?.as_ref()?);
            j += 1;
        } else {
            return None;
        }
    }
    // Single blocks differ in white space within words, which counts.
    (a == b && i + j > 2).then_some((i, j))
}

/// Returns the pairs of highest weight that do not cross.
fn best_chain(
    n_old: usize,
    n_new: usize,
    weight: impl Fn(usize, usize) -> f64,
) -> Vec<(usize, usize)> {
    let mut best = vec![vec![0.0_f64; n_new + 1]; n_old + 1];
    let mut weights = vec![vec![0.0_f64; n_new]; n_old];
    for i in (0..n_old).rev() {
        for j in (0..n_new).rev() {
            weights[i][j] = weight(i, j);
            let with = if weights[i][j] > 0.0 { weights[i][j] + best[i + 1][j + 1] } else { 0.0 };
            best[i][j] = with.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < n_old && j < n_new {
        if weights[i][j] > 0.0 && best[i][j] == weights[i][j] + best[i + 1][j + 1] {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i][j] == best[i + 1][j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// Rows of a gap whose key is there once on each side.
struct Keys {
    of_old: Vec<Option<usize>>,
    of_new: Vec<Option<usize>>,
}

impl Keys {
    fn new(matcher: &Matcher<'_>, old: &[u32], new: &[u32]) -> Keys {
        let mut keys = Keys { of_old: vec![None; old.len()], of_new: vec![None; new.len()] };
        // Number of rows with a key on each side, and the last of them.
        let mut seen: HashMap<u64, [(u32, usize); 2]> = HashMap::new();
        let tables = matcher.tables;
        for (i, &index) in old.iter().enumerate() {
            let block = matcher.old_block(index);
            if let Some(key) = row_key_hash(matcher.old, block, tables.of_old(block)) {
                let entry = &mut seen.entry(key).or_default()[0];
                *entry = (entry.0 + 1, i);
            }
        }
        let mut of_new: Vec<Option<u64>> = Vec::with_capacity(new.len());
        for (j, &index) in new.iter().enumerate() {
            let block = matcher.new_block(index);
            let key = row_key_hash(matcher.new, block, tables.of_new(block));
            if let Some(key) = key {
                let entry = &mut seen.entry(key).or_default()[1];
                *entry = (entry.0 + 1, j);
            }
            of_new.push(key);
        }
        for (j, key) in of_new.into_iter().enumerate() {
            if let Some([(1, i), (1, _)]) = key.and_then(|it| seen.get(&it)) {
                keys.of_old[*i] = Some(j);
                keys.of_new[j] = Some(*i);
            }
        }
        keys
    }

    fn partner(&self, old: usize) -> Option<usize> {
        self.of_old[old]
    }

    fn is_new_paired(&self, new: usize) -> bool {
        self.of_new[new].is_some()
    }

    /// Returns `true` if one of two rows belongs to another row by its key.
    fn has_partner(&self, old: usize, new: usize) -> bool {
        self.of_old[old].is_some() || self.of_new[new].is_some()
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.of_old.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?)))
    }
}

/// Returns a hash of the key of a row and its pair of tables; `None` for other blocks.
pub(crate) fn row_key_hash(parsed: &Parsed, block: &Block, pair: Option<usize>) -> Option<u64> {
    if block.kind != Kind::Row {
        return None;
    }
    let pair = pair.map_or(0, |it| it as u64 + 1);
    // The header is a row of its own kind.
    if block.number == 0 {
        return Some(combined(pair, 0));
    }
    Some(combined(pair, hash(&parsed.row_key(block)?)))
}

/// Rare words of texts.
pub(crate) struct Index {
    /// The first texts with a word. A word in more is not rare.
    by_word: HashMap<u32, Vec<u32>>,
}

impl Index {
    pub(crate) fn new<'s>(sketches: impl Iterator<Item = &'s Sketch>) -> Index {
        let mut by_word: HashMap<u32, Vec<u32>> = HashMap::new();
        for (at, sketch) in sketches.enumerate() {
            for word in sketch.words() {
                let texts = by_word.entry(*word).or_default();
                if texts.len() <= MAX_RARE {
                    texts.push(at as u32);
                }
            }
        }
        Index { by_word }
    }

    /// Returns the text that shares the most rare words.
    pub(crate) fn best(&self, sketch: &Sketch) -> Option<usize> {
        let texts = sketch
            .words()
            .iter()
            .filter_map(|it| self.by_word.get(it))
            .filter(|it| it.len() <= MAX_RARE);
        let mut votes: Vec<u32> = texts.flatten().copied().collect();
        votes.sort_unstable();
        let mut best: Option<(usize, u32)> = None;
        for group in votes.chunk_by(|a, b| a == b) {
            if best.is_none_or(|it| group.len() > it.0) {
                best = Some((group.len(), group[0]));
            }
        }
        best.map(|it| it.1 as usize)
    }
}
