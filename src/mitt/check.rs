//! Applies the guard to content that enters or leaves a session: to its texts, to the tree that a document is drawn from, and to
//! a finished office file. The caller decides which texts to check; the rules are those of `mitt-guard`.
//!
//! Each text is checked both as it is written and as a reader sees it. Findings are counted per rule; the matched text is not
//! kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use mitt_guard::{Action, Guard, Hit, REDACTED, Severity, Spelling, joined_literals};
use mitt_render::{Cancel, Doc, FillValue, FillValues, Inspect, LeftOut};
use serde_json::{Value, json};

use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result};
use mitt_ingest::fill::FillOrder;

/// Most rules that one check reports.
const RULES: usize = 100;

/// Most places of a tree that are left out; the head of a worker's request has room for as many.
const MAX_PLACES: usize = 50_000;

/// Number of findings by rule, action, severity and spelling.
type FindingCounts = BTreeMap<(Arc<str>, Action, Severity, Spelling), u64>;

/// Check of one document or file that enters or leaves a session.
pub struct Check {
    guard: Guard,
    counts: FindingCounts,
    /// Number of findings that were not reported one by one.
    more: u64,
    texts_redacted: u64,
}

impl Check {
    /// Returns `None` if `guard` has no rules.
    pub fn new(guard: &Guard) -> Option<Check> {
        let is_wanted = !guard.is_empty();
        is_wanted.then(|| Check {
            guard: guard.clone(),
            counts: BTreeMap::new(),
            more: 0,
            texts_redacted: 0,
        })
    }

    /// Returns `text` without the redacted parts, or `None` if nothing was redacted.
    ///
    /// # Errors
    ///
    /// [`Blocked`](mitt_base::ErrorKind::Blocked) - a rule that blocks found something.
    pub(crate) fn redacted(&mut self, text: &str) -> Result<Option<String>> {
        let checked = self.guard.apply_read(text).map_err(|blocked| Error::from(*blocked))?;
        let more = checked.more as u64;
        let redacted = match checked.text {
            Cow::Owned(redacted) => Some(redacted),
            Cow::Borrowed(_) => None,
        };
        self.add(&checked.hits);
        self.more += more;
        self.texts_redacted += u64::from(redacted.is_some());
        Ok(redacted)
    }

    /// Redacts `text`. Returns whether it changed.
    ///
    /// # Errors
    ///
    /// [`Blocked`](mitt_base::ErrorKind::Blocked) - a rule that blocks found something.
    pub fn text(&mut self, text: &mut String) -> Result<bool> {
        let redacted = self.redacted(text)?;
        let is_changed = redacted.is_some();
        if let Some(redacted) = redacted {
            *text = redacted;
        }
        Ok(is_changed)
    }

    /// Redacts each of `texts`.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`].
    pub(crate) fn texts<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a mut String>,
    ) -> Result<()> {
        texts.into_iter().try_for_each(|text| self.text(text).map(drop))
    }

    /// Returns whether a formula must be left out, because of its source or of the text that its string literals form together.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`].
    pub(crate) fn formula(&mut self, formula: &str) -> Result<bool> {
        if self.redacted(formula)?.is_some() {
            return Ok(true);
        }
        let is_joining = formula.contains('&') || formula.contains('(');
        if !is_joining || !(formula.contains('"') || formula.contains('(')) {
            return Ok(false);
        }
        Ok(self.redacted(&joined_literals(formula))?.is_some())
    }

    pub(crate) fn add(&mut self, hits: &[Hit]) {
        for hit in hits {
            let key = (hit.rule.clone(), hit.action, hit.severity, hit.spelling);
            if self.counts.len() < RULES || self.counts.contains_key(&key) {
                *self.counts.entry(key).or_default() += 1;
            }
        }
    }

    /// Redacts the tree that a document is drawn from, in which adjacent pieces form one text, and returns what was left out. The
    /// source was checked before; flagged findings that both checks see are counted once.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`].
    pub fn tree(&mut self, doc: &mut Doc) -> Result<LeftOut> {
        self.inspect_again(|inspector| doc.inspect(inspector))
    }

    /// Redacts a finished office file. Returns `None` if nothing has to change. `memory` is charged for the unpacked parts.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`]; [`Input`](mitt_base::ErrorKind::Input) - the file cannot be inspected, or something cannot
    /// be removed from it.
    pub fn office(&mut self, file: &[u8], memory: Option<&Account>) -> Result<Option<Vec<u8>>> {
        self.inspect_again(|inspector| mitt_render::inspect_office(file, inspector, memory))
    }

    /// Parses a Markdown text and returns what must be left out of its tree. Returns an empty list for a text that cannot be
    /// parsed: the renderer reports that error.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`]; [`Arguments`](ErrorKind::Arguments) - more places are left out than a request to a worker
    /// can hold; [`Host`](ErrorKind::Host) - the work was cancelled.
    pub(crate) fn drawn(&mut self, markdown: &str, cancel: &Cancel) -> Result<LeftOut> {
        let read = mitt_render::markdown_unless(markdown, cancel);
        cancel.check()?;
        let Ok(mut doc) = read else { return Ok(LeftOut::default()) };
        let left_out = self.tree(&mut doc)?;
        if left_out.places() > MAX_PLACES {
            let message = format!(
                "rules about content leave out more than {MAX_PLACES} places that markup hides"
            );
            return Err(Error::new(ErrorKind::Arguments, message)
                .hint("write the text without markup within words"));
        }
        Ok(left_out)
    }

    /// Checks the same content in a second form and merges the counts of both checks.
    fn inspect_again<T>(
        &mut self,
        inspect: impl FnOnce(&mut GuardInspector<'_>) -> Result<T>,
    ) -> Result<T> {
        let first = std::mem::take(&mut self.counts);
        let result = inspect(&mut GuardInspector { check: self });
        for (key, count) in first {
            let again = self.counts.entry(key.clone()).or_default();
            // Flagged text stays, so both checks find it. Redacted text is gone before the second check.
            *again = if key.1 == Action::Flag { count.max(*again) } else { count + *again };
        }
        result
    }

    /// Redacts a value of a template. A number, date or link that was redacted becomes text.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`].
    pub(crate) fn fill_value(&mut self, value: &mut FillValue) -> Result<()> {
        match value {
            FillValue::Text(text) => self.text(text).map(drop),
            FillValue::Number(text) | FillValue::Date(text) => {
                if self.text(text)? {
                    *value = FillValue::Text(std::mem::take(text));
                }
                Ok(())
            }
            FillValue::List(items) => items.iter_mut().try_for_each(|it| self.fill_value(it)),
            FillValue::Record(entries) => {
                entries.iter_mut().try_for_each(|(_, value)| self.fill_value(value))
            }
            FillValue::Table(table) => {
                table.rows.iter_mut().flatten().try_for_each(|it| self.fill_value(it))
            }
            _ => Ok(()),
        }
    }

    /// Redacts the values of a template.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`], with the name of the value.
    pub(crate) fn fill_values(&mut self, values: &mut FillValues) -> Result<()> {
        let mut entries = std::mem::take(values).entries().to_vec();
        entries.iter_mut().try_for_each(|(name, value)| {
            self.fill_value(value).map_err(|error| error.at(format_args!("value `{name}`")))
        })?;
        *values = entries.into_iter().collect();
        Ok(())
    }

    /// Redacts the values or rows that a template is filled with.
    ///
    /// # Errors
    ///
    /// Those of [`Check::fill_values`].
    pub fn order(&mut self, order: &mut FillOrder) -> Result<()> {
        match order {
            FillOrder::Fill(values) => self.fill_values(values),
            FillOrder::Append { rows, .. } => {
                self.fill_value(rows).map_err(|error| error.at("rows"))
            }
        }
    }

    /// Returns a warning that counts the redacted places by rule, without the redacted text. `None` if nothing was redacted.
    pub fn warning(&self) -> Option<String> {
        let redacted =
            || self.counts.iter().filter(|((_, action, ..), _)| *action == Action::Redact);
        let places: u64 = redacted().map(|(_, count)| count).sum();
        let mut rules: BTreeMap<&str, u64> = BTreeMap::new();
        redacted().for_each(|((rule, ..), count)| *rules.entry(rule).or_default() += count);
        const SHOWN: usize = 8;
        let mut summary: Vec<String> =
            rules.iter().take(SHOWN).map(|(rule, count)| format!("`{rule}` {count}")).collect();
        if rules.len() > SHOWN {
            summary.push(format!("{} more rules", rules.len() - SHOWN));
        }
        let summary = summary.join(", ");
        let or_more = if self.more > 0 { " or more" } else { "" };
        (self.texts_redacted > 0).then(|| {
            format!(
                "rules about content left out {places}{or_more} places, marked {REDACTED}: {summary}"
            )
        })
    }

    /// Returns the findings for a journal entry. `None` if there are none.
    pub(crate) fn details(&self, place: &str) -> Option<Value> {
        let found = self.counts.iter().map(|((rule, action, severity, spelling), count)| {
            json!({ "rule": **rule, "action": action, "severity": severity, "spelling": spelling, "count": count })
        });
        let found: Vec<Value> = found.collect();
        (!found.is_empty()).then(|| json!({ "where": place, "found": found }))
    }

    /// Returns how many texts have been redacted so far.
    pub(crate) fn redacted_texts(&self) -> u64 {
        self.texts_redacted
    }
}

/// Inspects texts for the renderer, which does not know the rules.
struct GuardInspector<'c> {
    check: &'c mut Check,
}

impl Inspect for GuardInspector<'_> {
    fn mark(&self) -> &str {
        REDACTED
    }

    fn text(&mut self, text: &str) -> Result<Vec<Range<usize>>> {
        let check = &mut *self.check;
        let checked = check.guard.apply(text).map_err(|blocked| Error::from(*blocked))?;
        check.texts_redacted += u64::from(!checked.left_out.is_empty());
        check.more += checked.more as u64;
        let (left_out, hits) = (checked.left_out, checked.hits);
        check.add(&hits);
        Ok(left_out)
    }

    fn formula(&mut self, formula: &str) -> Result<bool> {
        self.check.formula(formula)
    }
}
