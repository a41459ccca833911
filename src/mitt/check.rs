//! What the guard does to a thing that comes or goes: to its texts, to the tree that a document is drawn from, to an office file as it
//! was written. What there is to look at is for whoever has the thing; what words there are is for `mitt-guard` to know.
//!
//! Every text is looked at as it is written and as its reader sees it. What is found is counted for each rule, without the text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use mitt_guard::{Action, Guard, Hit, REDACTED, Severity, Spelling, joined_literals};
use mitt_render::{Cancel, Doc, FillValue, FillValues, Inspect, LeftOut};
use serde_json::{Value, json};

use crate::fill::FillOrder;
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result};

/// Rules that are told of one check.
const RULES: usize = 100;

/// Places of a tree that are left out, as many as the head of a worker's request has room for.
const MAX_PLACES: usize = 50_000;

/// What a rule has found: how often it stays, and how often it was redacted.
type Found = BTreeMap<(Arc<str>, Action, Severity, Spelling), u64>;

/// A check of one thing that crosses an edge.
pub struct Check {
    guard: Guard,
    found: Found,
    /// Finds that were not told one by one.
    more: u64,
    texts_redacted: u64,
}

impl Check {
    /// None where nothing is looked for.
    pub fn new(guard: &Guard) -> Option<Check> {
        let is_wanted = !guard.is_empty();
        is_wanted.then(|| Check {
            guard: guard.clone(),
            found: BTreeMap::new(),
            more: 0,
            texts_redacted: 0,
        })
    }

    /// `text` without what is redacted, if anything is.
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

    /// Redact `text`, and say whether it changed.
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

    /// Redact each of `texts`.
    ///
    /// # Errors
    ///
    /// As [`Check::text`].
    pub(crate) fn texts<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a mut String>,
    ) -> Result<()> {
        texts.into_iter().try_for_each(|text| self.text(text).map(drop))
    }

    /// Whether something is to be left out of a formula, as it is written or of the texts that it puts together.
    ///
    /// # Errors
    ///
    /// As [`Check::text`].
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
            if self.found.len() < RULES || self.found.contains_key(&key) {
                *self.found.entry(key).or_default() += 1;
            }
        }
    }

    /// Redact the tree that a document is drawn from: what stands together there is one text. Its source was looked at before; what
    /// was found there and stayed is not counted twice. Gives what was left out.
    ///
    /// # Errors
    ///
    /// As [`Check::text`].
    pub fn tree(&mut self, doc: &mut Doc) -> Result<LeftOut> {
        self.second_look(|look| doc.inspect(look))
    }

    /// Redact an office file as it was written: `None` if it stays as it is. `memory` is charged for what is unpacked.
    ///
    /// # Errors
    ///
    /// As [`Check::text`]; [`Input`](mitt_base::ErrorKind::Input) - it cannot be looked at, or cannot be without what is to be left out.
    pub fn office(&mut self, file: &[u8], memory: Option<&Account>) -> Result<Option<Vec<u8>>> {
        self.second_look(|look| mitt_render::inspect_office(file, look, memory))
    }

    /// Redact what becomes of a Markdown text: what is left out of the tree that it is read as. A text that cannot be read is refused
    /// by whoever draws it.
    ///
    /// # Errors
    ///
    /// As [`Check::text`]; [`Arguments`](ErrorKind::Arguments) - more is left out than a worker can be told; [`Host`](ErrorKind::Host) -
    /// it was cancelled.
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

    /// Look at the same thing again, in another form.
    fn second_look<T>(&mut self, look: impl FnOnce(&mut Look<'_>) -> Result<T>) -> Result<T> {
        let first = std::mem::take(&mut self.found);
        let done = look(&mut Look { check: self });
        for (key, count) in first {
            let again = self.found.entry(key.clone()).or_default();
            // What is flagged stays in the text, and is found by both looks.
            *again = if key.1 == Action::Flag { count.max(*again) } else { count + *again };
        }
        done
    }

    /// A value of a template. What was redacted is text, whatever it was.
    ///
    /// # Errors
    ///
    /// As [`Check::text`].
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

    /// The values of a template.
    ///
    /// # Errors
    ///
    /// As [`Check::text`], with the name of the value.
    pub(crate) fn fill_values(&mut self, values: &mut FillValues) -> Result<()> {
        let mut entries = std::mem::take(values).entries().to_vec();
        entries.iter_mut().try_for_each(|(name, value)| {
            self.fill_value(value).map_err(|error| error.at(format_args!("value `{name}`")))
        })?;
        *values = entries.into_iter().collect();
        Ok(())
    }

    /// What a template is filled with.
    ///
    /// # Errors
    ///
    /// As [`Check::fill_values`].
    pub fn order(&mut self, order: &mut FillOrder) -> Result<()> {
        match order {
            FillOrder::Fill(values) => self.fill_values(values),
            FillOrder::Append { rows, .. } => {
                self.fill_value(rows).map_err(|error| error.at("rows"))
            }
        }
    }

    /// What to say of texts that are not whole any more: how much is missing, by rule, and never what.
    pub fn warning(&self) -> Option<String> {
        let redacted =
            || self.found.iter().filter(|((_, action, ..), _)| *action == Action::Redact);
        let places: u64 = redacted().map(|(_, count)| count).sum();
        let mut rules: BTreeMap<&str, u64> = BTreeMap::new();
        redacted().for_each(|((rule, ..), count)| *rules.entry(rule).or_default() += count);
        const SHOWN: usize = 8;
        let mut told: Vec<String> =
            rules.iter().take(SHOWN).map(|(rule, count)| format!("`{rule}` {count}")).collect();
        if rules.len() > SHOWN {
            told.push(format!("{} more rules", rules.len() - SHOWN));
        }
        let told = told.join(", ");
        let or_more = if self.more > 0 { " or more" } else { "" };
        (self.texts_redacted > 0).then(|| {
            format!(
                "rules about content left out {places}{or_more} places, marked {REDACTED}: {told}"
            )
        })
    }

    /// What was found, for a journal; none if nothing was.
    pub(crate) fn details(&self, place: &str) -> Option<Value> {
        let found = self.found.iter().map(|((rule, action, severity, spelling), count)| {
            json!({ "rule": **rule, "action": action, "severity": severity, "spelling": spelling, "count": count })
        });
        let found: Vec<Value> = found.collect();
        (!found.is_empty()).then(|| json!({ "where": place, "found": found }))
    }

    /// Whether any text was redacted since `before` of them were.
    pub(crate) fn redacted_texts(&self) -> u64 {
        self.texts_redacted
    }
}

/// Looks for the renderer, which knows nothing of rules.
struct Look<'c> {
    check: &'c mut Check,
}

impl Inspect for Look<'_> {
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
