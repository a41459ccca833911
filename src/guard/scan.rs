//! The pass over a text: folded letters go through the automaton, and its matches are judged against the original.
//!
//! Reads one character at a time; the result does not depend on how the text is cut. A find waits until no other that begins
//! before it can still appear. By then every allowed phrase that could cover it is known, and finds leave in the order of
//! their starts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Arc;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};

use crate::compiled::{Compiled, PatternEntry, Words};
use crate::digits::{Digits, Number};
use crate::email::Email;
use crate::expression::Reader;
use crate::fold::{Class, Table, Unit, is_dense};
use crate::hit::{Action, Hit, Spelling};
use crate::iban::Ibans;
use crate::personal::Data;
use crate::rules::{Doubtful, RuleKind};
use crate::visible_text::PositionedChar;

/// Most separators between two letters of a word. A longer gap ends the word.
const MAX_GAP: usize = 16;

/// Invisible characters in a row that any text may need. Those behind them are redacted. Also the most of them, together
/// with separators, in a gap.
const MAX_HIDDEN: usize = 128;

/// Most invisible characters in one hit.
const MAX_HIDDEN_RUN: usize = 1024;

/// Start and end, in bytes.
type ByteRange = (usize, usize);

/// A find ends in the last of the `letters`, is `undecided` until the next character, and `waiting` until nothing unfinished
/// begins before it.
pub(crate) struct Scan {
    guard: Arc<Compiled>,
    at: usize,
    state: StateID,
    /// Ring of the last letters. Its length is a power of two, so that the low bits of a letter's number are its index.
    letters: Vec<ReadLetter>,
    letter_count: usize,
    gap: Gap,
    /// `true` if the letter before the gap is of a script with word boundaries.
    before_has_borders: bool,
    /// `true` if nothing was read, or no word can go on from what was.
    is_begin: bool,
    hidden: Hidden,
    /// Finds that end in the last letter. The next character decides on them.
    undecided: Vec<(Find, Edge)>,
    waiting: BinaryHeap<Reverse<Find>>,
    find_count: usize,
    /// For each action: end of the last find with that action or a stronger one.
    covered_until: [usize; 3],
    allowed: Vec<Allowed>,
    digits: Option<Digits>,
    numbers: Vec<Number>,
    email: Option<Email>,
    ibans: Option<Ibans>,
    expressions: Option<Reader>,
}

/// A letter that was read.
#[derive(Clone, Copy, Default)]
struct ReadLetter {
    range: ByteRange,
    /// Class of the separator before it; `None` without one.
    gap: Option<Class>,
    is_alike: bool,
    /// Sums over all letters up to this one.
    sums: PrefixSums,
    /// `true` directly behind a letter.
    touches: bool,
    /// `true` directly behind a letter of a script with word boundaries.
    is_joined: bool,
}

/// Numbers of letters with a property, from the beginning of the text. For a word it is the difference of two sums.
#[derive(Clone, Copy, Default)]
struct PrefixSums {
    gaps: usize,
    weak_gaps: usize,
    hard_gaps: usize,
    lookalikes: usize,
}

/// Characters since the last letter.
#[derive(Clone, Copy, Default)]
struct Gap {
    separators: usize,
    hidden: usize,
    /// The class that most speaks against a word across the gap.
    class: Option<Class>,
}

/// A run of invisible characters.
#[derive(Clone, Copy, Default)]
struct Hidden {
    length: usize,
    /// The part of it that exceeds the limit, with its length.
    excess: Option<(ByteRange, usize)>,
}

/// A find. Finds are ordered as they are reported: by their starts, the longest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Find {
    start: usize,
    end: Reverse<usize>,
    number: usize,
    verdict: usize,
    /// `None` if the rule belongs to no set.
    set: Option<usize>,
    spelling: Spelling,
}

/// Conditions that the next character decides for a find.
#[derive(Clone, Copy)]
struct Edge {
    /// `true` if a letter directly behind makes it part of a longer word.
    needs_border: bool,
    /// Spelling if no letter stands beside it.
    alone: Spelling,
}

struct Allowed {
    range: ByteRange,
    set: usize,
}

impl Scan {
    pub(crate) fn new(guard: Arc<Compiled>) -> Scan {
        let root = guard.words.as_ref().map_or(StateID::ZERO, |words| words.root);
        let wants = |data: Data| guard.personal.get(data as usize).is_some_and(Option::is_some);
        let numbers =
            [Data::Phone, Data::IdCard, Data::BankCard, Data::UsSsn].into_iter().any(wants);
        Scan {
            at: 0,
            state: root,
            letters: vec![ReadLetter::default(); guard.longest.next_power_of_two()],
            letter_count: 0,
            gap: Gap::default(),
            before_has_borders: false,
            is_begin: true,
            hidden: Hidden::default(),
            undecided: Vec::new(),
            waiting: BinaryHeap::new(),
            find_count: 0,
            covered_until: [0; 3],
            allowed: Vec::new(),
            digits: numbers.then(|| Digits::new(guard.countries.clone())),
            numbers: Vec::new(),
            email: wants(Data::Email).then(Email::default),
            ibans: wants(Data::Iban).then(Ibans::default),
            expressions: Some(guard.expressions.len()).filter(|count| *count > 0).map(Reader::new),
            guard,
        }
    }

    /// Reads `text` and adds the finds that are final to `hits`.
    pub(crate) fn feed(&mut self, text: &str, hits: &mut Vec<Hit>) {
        let table = Table::get();
        let guard = self.guard.clone();
        for c in text.chars() {
            let range = (self.at, self.at + c.len_utf8());
            table.fold(c, |unit| self.unit(&guard, unit, range));
            self.at = range.1;
            if !self.waiting.is_empty() || !self.allowed.is_empty() {
                self.release(self.passable_words(), hits);
            }
        }
        self.search(&guard, false, hits);
    }

    /// Reads characters, which come with their positions in order, and adds the finds that are final to `hits`. Returns
    /// `true` if there were characters.
    pub(crate) fn feed_placed(
        &mut self,
        shown: impl Iterator<Item = PositionedChar>,
        hits: &mut Vec<Hit>,
    ) -> bool {
        let table = Table::get();
        let guard = self.guard.clone();
        let before = self.at;
        for (c, range) in shown {
            table.fold(c, |unit| self.unit(&guard, unit, range));
            self.at = range.1;
            if !self.waiting.is_empty() || !self.allowed.is_empty() {
                self.release(self.passable_words(), hits);
            }
        }
        self.search(&guard, false, hits);
        self.at > before
    }

    /// Ends the text.
    pub(crate) fn finish(&mut self, hits: &mut Vec<Hit>) {
        self.resolve(false, false);
        self.end_hidden();
        if let Some(digits) = &mut self.digits {
            digits.end(false, &mut self.numbers);
        }
        self.add_numbers();
        self.end_words();
        let guard = self.guard.clone();
        self.search(&guard, true, hits);
        self.release(usize::MAX, hits);
    }

    /// Returns the position before which no further find begins.
    pub(crate) fn passable(&self) -> usize {
        let first = self.waiting.peek().map(|Reverse(found)| found.start);
        first.into_iter().fold(self.passable_words(), usize::min)
    }

    /// Returns the position before which nothing begins but the finds that wait.
    fn passable_words(&self) -> usize {
        self.undecided.iter().map(|(found, _)| found.start).fold(self.open(), usize::min)
    }

    /// Returns the earliest position where an unfinished find may begin.
    fn open(&self) -> usize {
        let depth =
            self.guard.words.as_ref().and_then(|words| words.depths.get(&self.state.as_u32()));
        let word = depth.map(|depth| self.seen(self.letter_count - usize::from(*depth)).range.0);
        let number = self.digits.as_ref().and_then(Digits::open);
        let address = self.email.as_ref().and_then(Email::open);
        let account = self.ibans.as_ref().and_then(Ibans::open);
        let expression = self.expressions.as_ref().and_then(Reader::open);
        let hidden = self.hidden.excess.map(|(range, _)| range.0);
        [word, number, address, account, expression, hidden]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(self.at)
    }

    fn seen(&self, number: usize) -> ReadLetter {
        self.letters.get(number & (self.letters.len() - 1)).copied().unwrap_or_default()
    }

    fn unit(&mut self, guard: &Compiled, unit: Unit, range: ByteRange) {
        if unit.class == Class::Hidden {
            return self.hide(guard, range);
        }
        if self.hidden.length > 0 {
            self.end_hidden();
        }
        if let Some(digits) = &mut self.digits {
            digits.unit(unit, range, &mut self.numbers);
            if !self.numbers.is_empty() {
                self.add_numbers();
            }
        }
        if let Some(found) = self.email.as_mut().and_then(|email| email.unit(unit, range)) {
            self.add_data(Data::Email, found);
        }
        if let Some(found) = self.ibans.as_mut().and_then(|ibans| ibans.unit(unit, range)) {
            self.add_data(Data::Iban, found);
        }
        if let Some(expressions) = &mut self.expressions {
            expressions.unit(unit, range);
            if expressions.is_full() {
                self.search_expressions(guard, false);
            }
        }
        match (unit.class, &guard.words) {
            (Class::Letter | Class::Alike, Some(words)) => self.letter(guard, words, unit, range),
            _ => self.separate(unit.class),
        }
    }

    fn hide(&mut self, guard: &Compiled, range: ByteRange) {
        self.hidden.length += 1;
        self.gap.hidden += 1;
        if self.gap.hidden > MAX_HIDDEN {
            self.interrupt();
        }
        if self.hidden.length <= MAX_HIDDEN {
            return;
        }
        match &mut self.hidden.excess {
            None => {
                self.hidden.excess = Some((range, 1));
                // Numbers and addresses do not go across a redacted part either.
                if let Some(digits) = &mut self.digits {
                    digits.end(false, &mut self.numbers);
                    self.add_numbers();
                }
                self.end_words();
            }
            Some((excess, length)) => {
                excess.1 = range.1;
                *length += 1;
                if *length >= MAX_HIDDEN_RUN {
                    let excess = *excess;
                    self.add_hidden(guard.hidden, excess);
                    // What follows exceeds the limit from the start.
                    self.hidden = Hidden { length: MAX_HIDDEN, excess: None };
                }
            }
        }
    }

    fn end_hidden(&mut self) {
        if let Some((excess, _)) = self.hidden.excess {
            self.add_hidden(self.guard.hidden, excess);
        }
        self.hidden = Hidden::default();
    }

    fn add_hidden(&mut self, verdict: Option<usize>, range: ByteRange) {
        if let Some(verdict) = verdict {
            let found = self.new_find(range, verdict, None, Spelling::Plain);
            self.waiting.push(Reverse(found));
        }
    }

    /// Ends all words here.
    fn interrupt(&mut self) {
        self.resolve(false, false);
        self.state = self.guard.words.as_ref().map_or(StateID::ZERO, |words| words.root);
        self.is_begin = true;
    }

    fn separate(&mut self, class: Class) {
        self.resolve(false, false);
        self.gap.separators += 1;
        self.gap.class = Some(self.gap.class.map_or(class, |before| worse(before, class)));
        if class == Class::Break || self.gap.separators > MAX_GAP {
            self.interrupt();
        }
    }

    fn letter(&mut self, guard: &Compiled, words: &Words, unit: Unit, range: ByteRange) {
        let has_borders = unit.has_borders();
        let touches = self.gap.separators == 0 && !self.is_begin;
        if touches {
            self.resolve(true, has_borders);
        }
        let (gap, is_alike) = (self.gap.class, unit.class == Class::Alike);
        let before = self.seen(self.letter_count.wrapping_sub(1)).sums;
        let seen = ReadLetter {
            range,
            gap,
            is_alike,
            sums: PrefixSums {
                gaps: before.gaps + usize::from(gap.is_some()),
                weak_gaps: before.weak_gaps + usize::from(gap == Some(Class::Weak)),
                hard_gaps: before.hard_gaps
                    + usize::from(matches!(gap, Some(Class::Hard | Class::Break))),
                lookalikes: before.lookalikes + usize::from(is_alike),
            },
            touches,
            is_joined: touches && self.before_has_borders,
        };
        let mask = self.letters.len() - 1;
        if let Some(slot) = self.letters.get_mut(self.letter_count & mask) {
            *slot = seen;
        }
        self.letter_count += 1;
        self.gap = Gap::default();
        self.is_begin = false;
        self.before_has_borders = has_borders;
        let mut bytes = [0; 4];
        for byte in unit.letter.encode_utf8(&mut bytes).bytes() {
            self.state = words.nfa.next_state(Anchored::No, self.state, byte);
        }
        if words.nfa.is_match(self.state) {
            for index in 0..words.nfa.match_len(self.state) {
                let pattern = words.nfa.match_pattern(self.state, index);
                if let Some(entry) = guard.entries.get(pattern.as_usize()) {
                    self.record_match(guard, entry);
                }
            }
        }
    }

    /// Records that the last letters are those of `entry`, if they stand where the word counts.
    fn record_match(&mut self, guard: &Compiled, entry: &PatternEntry) {
        let letters = entry.pattern.letters();
        let (Some(first), Some(last)) = (letters.first(), letters.last()) else { return };
        let begin = self.seen(self.letter_count - letters.len());
        let range = (begin.range.0, self.seen(self.letter_count - 1).range.1);
        let (spelling, alone) = self.spelling(entry, begin);
        let Some((kind, verdict)) = entry.rule else {
            if spelling == Spelling::Plain {
                self.allowed.push(Allowed { range, set: entry.set });
            }
            return;
        };
        let is_word = kind == RuleKind::Word;
        if is_word && begin.is_joined && !is_dense(first.letter) {
            return;
        }
        if spelling == Spelling::Doubtful
            && alone == Spelling::Doubtful
            && guard.doubtful.get(entry.set) == Some(&Doubtful::Ignore)
        {
            return;
        }
        let edge = Edge { needs_border: is_word && !is_dense(last.letter), alone };
        let found = self.new_find(range, verdict, Some(entry.set), spelling);
        self.undecided.push((found, edge));
    }

    fn new_find(
        &mut self,
        (start, end): ByteRange,
        verdict: usize,
        set: Option<usize>,
        spelling: Spelling,
    ) -> Find {
        self.find_count += 1;
        Find { start, end: Reverse(end), number: self.find_count, verdict, set, spelling }
    }

    /// Returns how the last letters spell `entry`, with and without a letter directly beside them.
    fn spelling(&self, entry: &PatternEntry, begin: ReadLetter) -> (Spelling, Spelling) {
        let letters = entry.pattern.letters();
        let last = self.seen(self.letter_count - 1).sums;
        let (mut gaps, mut unasked, mut others) = (last.gaps - begin.sums.gaps, 0, 0);
        let mut worst: Option<Class> = None;
        if entry.pattern.is_simple {
            unasked = gaps;
            others = last.lookalikes - begin.sums.lookalikes + usize::from(begin.is_alike);
            worst = match (
                last.hard_gaps - begin.sums.hard_gaps,
                last.weak_gaps - begin.sums.weak_gaps,
            ) {
                (0, 0) if gaps == 0 => None,
                (0, 0) => Some(Class::Mark),
                (0, _) => Some(Class::Weak),
                _ => Some(Class::Hard),
            };
        } else {
            gaps = 0;
            for (index, letter) in letters.iter().enumerate() {
                let seen = self.seen(self.letter_count - letters.len() + index);
                others += usize::from(seen.is_alike != letter.is_alike);
                if let Some(class) = seen.gap.filter(|_| index > 0) {
                    gaps += 1;
                    if !letter.is_apart {
                        unasked += 1;
                    }
                    if !letter.is_apart || class == Class::Hard {
                        worst = Some(worst.map_or(class, |before| worse(before, class)));
                    }
                }
            }
        }
        let count = letters.len();
        let spelling = if worst == Some(Class::Hard) || others == count {
            Spelling::Doubtful
        } else if unasked == 0 {
            Spelling::Plain
        } else if count >= 3
            && (gaps == count - 1
                || worst == Some(Class::Mark)
                || (entry.pattern.is_dense && count >= 4))
        {
            Spelling::Spread
        } else if gaps == count - 1 {
            // Two letters may belong to two neighbouring words, unless they stand alone.
            return (
                Spelling::Doubtful,
                if begin.touches { Spelling::Doubtful } else { Spelling::Spread },
            );
        } else {
            Spelling::Doubtful
        };
        (spelling, spelling)
    }

    /// Decides on fresh finds: `touches` says that a letter follows directly, `is_joined` that its script has word
    /// boundaries.
    fn resolve(&mut self, touches: bool, is_joined: bool) {
        for (mut found, edge) in self.undecided.drain(..) {
            if !touches {
                found.spelling = edge.alone;
            }
            if !(edge.needs_border && is_joined) {
                self.waiting.push(Reverse(found));
            }
        }
    }

    /// Searches for expressions in the text read so far.
    fn search(&mut self, guard: &Compiled, is_end: bool, hits: &mut Vec<Hit>) {
        if self.expressions.is_some() {
            self.search_expressions(guard, is_end);
            self.release(self.passable_words(), hits);
        }
    }

    fn search_expressions(&mut self, guard: &Compiled, is_end: bool) {
        let Some(mut expressions) = self.expressions.take() else { return };
        let all = guard.expressions.iter().map(|(expression, ..)| &**expression);
        expressions.search(all, is_end, |number, range| {
            if let Some((_, verdict, set)) = guard.expressions.get(number) {
                let found = self.new_find(range, *verdict, Some(*set), Spelling::Plain);
                self.waiting.push(Reverse(found));
            }
        });
        self.expressions = Some(expressions);
    }

    /// Ends addresses and account numbers here.
    fn end_words(&mut self) {
        if let Some(range) = self.email.as_mut().and_then(Email::end) {
            self.add_data(Data::Email, range);
        }
        if let Some(range) = self.ibans.as_mut().and_then(Ibans::end) {
            self.add_data(Data::Iban, range);
        }
    }

    fn add_numbers(&mut self) {
        for (data, start, end) in std::mem::take(&mut self.numbers) {
            self.add_data(data, (start, end));
        }
    }

    fn add_data(&mut self, data: Data, range: ByteRange) {
        if let Some((verdict, set)) = self.guard.personal.get(data as usize).copied().flatten() {
            let found = self.new_find(range, verdict, Some(set), Spelling::Plain);
            self.waiting.push(Reverse(found));
        }
    }

    /// Releases the finds that begin before `open`.
    fn release(&mut self, open: usize, hits: &mut Vec<Hit>) {
        while let Some(Reverse(found)) = self.waiting.peek()
            && found.start < open
        {
            let is_allowed = self.allowed.iter().any(|allowed| allowed.covers(found));
            if !is_allowed && let Some(hit) = self.guard.hit(found) {
                let end = self.covered_until.get_mut(hit.action as usize);
                // A find within one that was reported, with no stronger action, adds nothing.
                if end.as_ref().is_none_or(|end| **end < hit.range.end) {
                    for end in self.covered_until.iter_mut().take(hit.action as usize + 1) {
                        *end = hit.range.end.max(*end);
                    }
                    hits.push(hit);
                }
            }
            self.waiting.pop();
        }
        let first = self.waiting.peek().map_or(open, |Reverse(found)| found.start.min(open));
        self.allowed.retain(|allowed| allowed.range.1 > first);
    }
}

impl Allowed {
    fn covers(&self, found: &Find) -> bool {
        Some(self.set) == found.set && self.range.0 <= found.start && self.range.1 >= found.end.0
    }
}

/// Returns the one of two classes that speaks more against a word across it.
fn worse(one: Class, other: Class) -> Class {
    let rank = |class: Class| match class {
        Class::Hard | Class::Break => 2,
        Class::Weak => 1,
        _ => 0,
    };
    if rank(one) >= rank(other) { one } else { other }
}

impl Compiled {
    fn hit(&self, found: &Find) -> Option<Hit> {
        let verdict = self.verdicts.get(found.verdict)?;
        let is_doubtful = found.spelling == Spelling::Doubtful;
        let doubtful =
            found.set.and_then(|set| self.doubtful.get(set)).copied().unwrap_or_default();
        let action = match (is_doubtful, doubtful) {
            (false, _) | (true, Doubtful::Same) => verdict.action,
            (true, Doubtful::Flag) => Action::Flag,
            (true, Doubtful::Ignore) => return None,
        };
        Some(Hit {
            rule: verdict.id.clone(),
            action,
            severity: if is_doubtful { verdict.severity.lower() } else { verdict.severity },
            spelling: found.spelling,
            range: found.start..found.end.0,
            context: String::new(),
        })
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").field("at", &self.at).finish_non_exhaustive()
    }
}
