//! Collects notes about a result while statements run.

use crate::decimal::Decimal;
use crate::wide;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The name under which [`Texts`] counts the operands of `+ - * / %`.
pub(crate) const OPERANDS: &str = "+ - * / %";

/// Texts that functions and operators took for numbers.
#[derive(Default)]
pub(crate) struct Texts(BTreeMap<&'static str, Counts>);

/// The texts of one function.
#[derive(Default)]
struct Counts {
    /// Texts that are no numbers.
    n_words: u64,
    /// Texts that spell a number, as `007` and `1.250` do.
    n_numbers: u64,
    /// The first text that spells a number, and that number.
    example: Option<(String, String)>,
}

impl Texts {
    /// Counts a text that the function or operator `name` takes for a number. Numbers of more than 15 digits, which the plugin
    /// itself writes as text, do not count.
    pub(crate) fn add(&mut self, name: &'static str, text: &str) {
        if wide::read(text).is_some() {
            return;
        }
        let counts = self.0.entry(name).or_default();
        match Decimal::parse(text.trim()) {
            Some(number) => {
                counts.n_numbers += 1;
                counts.example.get_or_insert_with(|| (text.trim().to_owned(), number.text()));
            }
            None => counts.n_words += 1,
        }
    }

    /// Returns one sentence for each function and kind of text.
    fn sentences(self) -> impl Iterator<Item = String> {
        self.0.into_iter().flat_map(|(name, counts)| {
            let shown = if name == OPERANDS { name.to_owned() } else { format!("{name}()") };
            let treatment = match name {
                "sum" | "total" | "avg" | "decimal_sum" => "counted as 0",
                OPERANDS => "counted as the digits they begin with, or as 0",
                _ => "left out",
            };
            let words = (counts.n_words > 0).then(|| {
                format!("{shown}: {} cells are text that is no number and {treatment}", counts.n_words)
            });
            let numbers = counts.example.map(|(text, number)| {
                format!(
                    "{shown}: {} cells are text and counted as numbers with a decimal point, such as `{text}` as {number}; write \
                     replace() and CAST where the text means another number",
                    counts.n_numbers
                )
            });
            words.into_iter().chain(numbers)
        })
    }
}

/// Counts of suspicious values. Shared with SQLite's callbacks.
#[derive(Default)]
pub(crate) struct Notes {
    texts: Mutex<Texts>,
    denied: Mutex<Option<String>>,
}

impl Notes {
    /// Counts a text that the function `name` takes for a number.
    pub(crate) fn text(&self, name: &'static str, text: &str) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).add(name, text);
    }

    /// Records why the authorizer refused a statement.
    pub(crate) fn deny(&self, reason: String) {
        if let Ok(mut denied) = self.denied.lock() {
            denied.get_or_insert(reason);
        }
    }

    pub(crate) fn take_denied(&self) -> Option<String> {
        self.denied.lock().ok()?.take()
    }

    /// Returns one sentence for each kind of note, and resets the counts. `operands` and `truncations` are what the engine counted.
    pub(crate) fn take(&self, operands: Texts, truncations: i64) -> Vec<String> {
        let texts = std::mem::take(&mut *self.texts.lock().unwrap_or_else(PoisonError::into_inner));
        let mut sentences: Vec<_> = texts.sentences().chain(operands.sentences()).collect();
        if truncations > 0 {
            sentences.push(format!(
                "{truncations} divisions of whole numbers dropped a remainder, as 5 / 2 is 2; write 1.0 * a / b for the quotient"
            ));
        }
        sentences
    }
}
