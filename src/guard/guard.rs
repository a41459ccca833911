//! The guard: checks a text with all sets of rules in one pass, and redacts or blocks it.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use mitt_base::Result;

use crate::compiled::{Compiled, Words};
use crate::hit::{Action, Blocked, Checked, Hit, MAX_HITS, Severity};
use crate::personal::KINDS;
use crate::redact::{REDACTED, Redactor};
use crate::rules::Verdict;
use crate::scan::Scan;
use crate::set::RuleSet;
use crate::stream::Stream;
use crate::visible_text::{VisibleText, has_markup};

/// Characters of context on each side of a hit.
const CONTEXT_CHARACTERS: usize = 24;

/// Most bytes of these characters.
const MAX_CONTEXT_BYTES: usize = CONTEXT_CHARACTERS * 4;

/// Bytes that are read before their finds are collected.
const PASS_BYTES: usize = 16 * 1024;

/// Id of the rule that every guard has: a long run of invisible characters.
const HIDDEN: &str = "hidden-text";

/// Compiled sets of rules. A clone shares them.
#[derive(Clone)]
pub struct Guard {
    compiled: Arc<Compiled>,
}

const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Guard>();
};

impl Guard {
    /// Creates a guard from all of `sets`. A guard without sets finds nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - more words than an automaton can hold.
    pub fn new(sets: impl IntoIterator<Item = RuleSet>) -> Result<Guard> {
        let mut compiled = Compiled {
            words: None,
            entries: Vec::new(),
            expressions: Vec::new(),
            verdicts: Vec::new(),
            doubtful: Vec::new(),
            personal: [None; KINDS],
            countries: Vec::new(),
            hidden: None,
            longest: 1,
            sets: Vec::new(),
        };
        for set in sets {
            compiled.add(&set);
        }
        if !compiled.verdicts.is_empty() {
            let hidden =
                Verdict { id: HIDDEN.into(), action: Action::Redact, severity: Severity::Medium };
            compiled.hidden = Some(compiled.verdict(hidden));
        }
        if !compiled.entries.is_empty() {
            compiled.words = Some(Words::new(&compiled.entries)?);
        }
        Ok(Guard { compiled: Arc::new(compiled) })
    }

    /// Returns a guard with the rules of this one and those of `sets`. No set weakens another one.
    ///
    /// # Errors
    ///
    /// Those of [`Guard::new`].
    pub fn with(&self, sets: impl IntoIterator<Item = RuleSet>) -> Result<Guard> {
        Guard::new(self.compiled.sets.iter().cloned().chain(sets))
    }

    /// Returns `true` if `other` is this guard or a clone of it.
    pub fn is_same(&self, other: &Guard) -> bool {
        Arc::ptr_eq(&self.compiled, &other.compiled)
    }

    /// Returns `true` if it has no rules.
    pub fn is_empty(&self) -> bool {
        self.compiled.verdicts.is_empty()
    }

    /// Returns the number of its words, its patterns, and the kinds of personal data that it looks for.
    pub fn rules(&self) -> usize {
        let hidden = usize::from(self.compiled.hidden.is_some());
        self.compiled.verdicts.len().saturating_sub(hidden)
    }

    /// Returns what is found in `text`, in the order of the text, at most 1 000.
    ///
    /// # Example: a hit and its context
    ///
    /// ```
    /// # use mitt_guard::{Guard, RuleSet, Spelling};
    /// let guard = Guard::new([RuleSet::lines("words", "heron\n机密")?])?;
    ///
    /// let hits = guard.check("A blue HERON. 他有机。密码");
    /// assert_eq!((hits[0].range.clone(), hits[0].context.as_str()), (7..12, "A blue [███]. 他有[███]码"));
    /// assert_eq!(hits[1].spelling, Spelling::Doubtful);
    /// # Ok::<(), mitt_base::Error>(())
    /// ```
    pub fn check(&self, text: &str) -> Vec<Hit> {
        let mut collector = HitCollector::new(text, None);
        self.read(text, |hits, until| {
            collector.add(hits, until);
            true
        });
        collector.hits
    }

    /// Returns `text` with everything redacted that a rule says to redact.
    ///
    /// # Errors
    ///
    /// [`Blocked`] - a rule that blocks found something.
    pub fn apply<'a>(&self, text: &'a str) -> Result<Checked<'a>, Box<Blocked>> {
        let mut collector = HitCollector::new(text, Some(Action::Block));
        let mut redactor = Redactor::default();
        let mut copied = String::new();
        let mut left_out = Vec::new();
        self.read(text, |hits, until| {
            redactor.leave_out_all((text, 0), &hits, &mut copied);
            add_ranges(&mut left_out, &hits);
            collector.add(hits, until);
            // After a hit that blocks, only the text around its end matters, for the context.
            collector.last.as_ref().is_none_or(|last| until < last.end + MAX_CONTEXT_BYTES)
        });
        let (mut hits, more) = (collector.hits, collector.more);
        if collector.last.is_some()
            && let Some(hit) = hits.pop()
        {
            return Err(Box::new(Blocked { hit, before: hits }));
        }
        let text = if redactor.done() == 0 {
            Cow::Borrowed(text)
        } else {
            redactor.plain((text, 0), text.len(), &mut copied);
            Cow::Owned(copied)
        };
        Ok(Checked { text, hits, more, left_out })
    }

    /// Does what [`Guard::apply`] does, then looks at the result once more as its reader sees it: without the markup of
    /// Markdown and HTML, with the characters that entities and escapes (`\u673a`) stand for. If a match goes across markup,
    /// the markup stays.
    ///
    /// Hits of the second look have no context, and their ranges are those of the text that the first look returned.
    ///
    /// # Errors
    ///
    /// [`Blocked`] - as for [`Guard::apply`].
    ///
    /// # Example: a link within a word
    ///
    /// ```
    /// # use mitt_guard::{Guard, RuleSet};
    /// let guard = Guard::new([RuleSet::yaml("t", "rules: [{word: heron, action: redact}]")?])?;
    ///
    /// let checked = guard.apply_read("A blue [her](http://a.b)on.").unwrap();
    /// assert_eq!(checked.text, "A blue [[███]](http://a.b).");
    /// # Ok::<(), mitt_base::Error>(())
    /// ```
    pub fn apply_read<'a>(&self, text: &'a str) -> Result<Checked<'a>, Box<Blocked>> {
        let mut checked = self.apply(text)?;
        if self.is_empty() || !has_markup(&checked.text) {
            return Ok(checked);
        }
        let mut scan = Scan::new(self.compiled.clone());
        let mut shown = VisibleText::new(&checked.text);
        let mut leaver = Leaver::new(&checked.text);
        let mut further = ExtraHits::new(&checked.hits);
        loop {
            let mut hits = Vec::new();
            let is_end = !scan.feed_placed(shown.by_ref().take(PASS_BYTES), &mut hits);
            if is_end {
                scan.finish(&mut hits);
            }
            for hit in hits {
                match hit.action {
                    Action::Block => {
                        return Err(Box::new(Blocked { hit, before: checked.hits }));
                    }
                    Action::Redact => leaver.leave_out(&hit.range),
                    Action::Flag => {}
                }
                further.add(hit);
            }
            if is_end {
                break;
            }
        }
        let left_out = std::mem::take(&mut leaver.left_out);
        if let Some(redacted) = leaver.finish() {
            checked.text = Cow::Owned(redacted);
            checked.left_out.extend(left_out);
        }
        let room = MAX_HITS.saturating_sub(checked.hits.len());
        checked.more += further.hits.len().saturating_sub(room) + further.more;
        checked.hits.extend(further.hits.into_iter().take(room));
        Ok(checked)
    }

    /// Calls `each` with every hit of `text`, in the order of the text. Unlike [`Guard::check`], it has no limit on their number, and
    /// hits have no context. For a caller that removes them from a file itself.
    ///
    /// # Example: what stands in a text
    ///
    /// ```
    /// # use mitt_guard::{Guard, RuleSet, visible_text};
    /// let guard = Guard::new([RuleSet::yaml("t", "personal-data: { phone: redact }")?])?;
    ///
    /// let text = visible_text("Call **138**00138000, or +44 20 7946 0958.");
    /// let mut found = Vec::new();
    /// guard.each_hit(&text, |hit| found.push(&text[hit.range.clone()]));
    /// assert_eq!(found, ["13800138000", "+44 20 7946 0958"]);
    /// # Ok::<(), mitt_base::Error>(())
    /// ```
    pub fn each_hit(&self, text: &str, mut each: impl FnMut(&Hit)) {
        self.read(text, |hits, _| {
            hits.iter().for_each(&mut each);
            true
        });
    }

    /// Returns a guard over one text that arrives in pieces.
    pub fn stream(&self) -> Stream {
        Stream::new(&self.compiled)
    }

    /// Reads `text` in parts, so that little of it is kept. Calls `sink` with the finds of each part and the position before
    /// which there are no others; `sink` returns `false` to stop.
    fn read(&self, text: &str, mut sink: impl FnMut(Vec<Hit>, usize) -> bool) {
        if self.is_empty() {
            return;
        }
        let mut scan = Scan::new(self.compiled.clone());
        let mut rest = text;
        while !rest.is_empty() {
            let (part, behind) = rest.split_at(rest.ceil_char_boundary(PASS_BYTES));
            rest = behind;
            let mut hits = Vec::new();
            scan.feed(part, &mut hits);
            if !sink(hits, scan.passable()) {
                return;
            }
        }
        let mut hits = Vec::new();
        scan.finish(&mut hits);
        sink(hits, usize::MAX);
    }
}

/// Adds what is redacted to `ranges`, joining neighbours.
fn add_ranges(ranges: &mut Vec<Range<usize>>, hits: &[Hit]) {
    for hit in hits.iter().filter(|hit| hit.action == Action::Redact) {
        match ranges.last_mut() {
            Some(last) if hit.range.start <= last.end => last.end = last.end.max(hit.range.end),
            _ => ranges.push(hit.range.clone()),
        }
    }
}

/// Hits that the second look found beyond those of the first: both find those whose text stays.
struct ExtraHits {
    /// Hits of the first look whose text stays, counted by rule.
    known: HashMap<Arc<str>, usize>,
    hits: Vec<Hit>,
    more: usize,
}

impl ExtraHits {
    fn new(first: &[Hit]) -> ExtraHits {
        let mut known = HashMap::new();
        for hit in first.iter().filter(|hit| hit.action == Action::Flag) {
            *known.entry(hit.rule.clone()).or_default() += 1;
        }
        ExtraHits { known, hits: Vec::new(), more: 0 }
    }

    fn add(&mut self, hit: Hit) {
        match self.known.get_mut(&hit.rule) {
            Some(left) if *left > 0 && hit.action == Action::Flag => *left -= 1,
            _ if self.hits.len() < MAX_HITS => self.hits.push(hit),
            _ => self.more += 1,
        }
    }
}

/// Copies a text and leaves out the shown characters of given ranges.
struct Leaver<'a> {
    text: &'a str,
    shown: std::iter::Peekable<VisibleText<'a>>,
    copied: String,
    /// Position up to which the text is copied or left out.
    done: usize,
    left_out: Vec<Range<usize>>,
}

impl<'a> Leaver<'a> {
    fn new(text: &'a str) -> Leaver<'a> {
        let shown = VisibleText::new(text).peekable();
        Leaver { text, shown, copied: String::new(), done: 0, left_out: Vec::new() }
    }

    /// Leaves out what is shown within `range`. Ranges must come in the order of their starts.
    fn leave_out(&mut self, range: &Range<usize>) {
        let mut is_marked = false;
        while let Some((_, (start, end))) = self.shown.next_if(|(_, (at, _))| *at < range.end) {
            if start < range.start {
                continue;
            }
            self.copied.push_str(self.text.get(self.done..start).unwrap_or_default());
            if !is_marked {
                self.copied.push_str(REDACTED);
                self.left_out.push(range.clone());
                is_marked = true;
            }
            self.done = end;
        }
    }

    /// Returns the text; `None` if nothing was left out.
    fn finish(mut self) -> Option<String> {
        if self.done == 0 {
            return None;
        }
        self.copied.push_str(self.text.get(self.done..).unwrap_or_default());
        Some(self.copied)
    }
}

/// Collects the hits that are reported of a text, with their contexts.
struct HitCollector<'a> {
    text: &'a str,
    hits: Vec<Hit>,
    more: usize,
    /// Action after whose first hit nothing more is reported; `last` is the range of that hit.
    until: Option<Action>,
    last: Option<Range<usize>>,
    /// Number of `hits` that have their context.
    ready: usize,
    /// Ranges of finds near the hits that have no context yet.
    near: VecDeque<Range<usize>>,
}

impl<'a> HitCollector<'a> {
    fn new(text: &'a str, until: Option<Action>) -> HitCollector<'a> {
        HitCollector {
            text,
            hits: Vec::new(),
            more: 0,
            until,
            last: None,
            ready: 0,
            near: VecDeque::new(),
        }
    }

    /// Adds finds in the order of their starts; no others begin before `until`.
    fn add(&mut self, hits: Vec<Hit>, until: usize) {
        for hit in hits {
            match self.near.back_mut() {
                Some(last) if hit.range.start <= last.end => last.end = last.end.max(hit.range.end),
                _ => self.near.push_back(hit.range.clone()),
            }
            let is_last = self.until == Some(hit.action);
            if self.last.is_none() && is_last {
                self.last = Some(hit.range.clone());
                self.hits.push(hit);
            } else if self.last.is_none() && self.hits.len() < MAX_HITS {
                self.hits.push(hit);
            } else {
                self.more += 1;
            }
        }
        while let Some(hit) = self
            .hits
            .get(self.ready)
            .filter(|hit| hit.range.end.saturating_add(MAX_CONTEXT_BYTES) <= until)
        {
            let context = self.context(&hit.range);
            if let Some(hit) = self.hits.get_mut(self.ready) {
                hit.context = context;
            }
            self.ready += 1;
        }
        let needed = self
            .hits
            .get(self.ready)
            .map_or(until, |hit| hit.range.start)
            .saturating_sub(MAX_CONTEXT_BYTES);
        while self.near.front().is_some_and(|range| range.end < needed) {
            self.near.pop_front();
        }
    }

    /// Returns the text around a hit. Every find in it is left out: the context of one hit must not quote another.
    fn context(&self, range: &Range<usize>) -> String {
        let before = self.text.get(..range.start).unwrap_or_default();
        let after = self.text.get(range.end..).unwrap_or_default();
        let back = before.char_indices().rev().nth(CONTEXT_CHARACTERS - 1).map_or(0, |(at, _)| at);
        let ahead = after.char_indices().nth(CONTEXT_CHARACTERS).map_or(after.len(), |(at, _)| at);
        let first = self.near.partition_point(|range| range.end <= back);
        Redactor::default().window(self.text, back..range.end + ahead, self.near.range(first..))
    }
}

/// Shows no words.
impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("rules", &self.compiled.verdicts.len())
            .finish_non_exhaustive()
    }
}
