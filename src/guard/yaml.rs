//! Sets of rules in YAML. Everything unknown is refused with its line, all mistakes at once (`shape.rs`).

use std::sync::Arc;

use mitt_base::{Error, Result, text};
use serde_saphyr::Spanned;

use crate::expression::Expression;
use crate::hit::{Action, Severity};
use crate::mistakes::{Mistake, Mistakes};
use crate::pattern::Pattern;
use crate::personal::{Data, Personal};
use crate::phones::Country;
use crate::rules::{MAX_PATTERNS, MAX_PATTERNS_BYTES, Verdict};
use crate::set_content::{ExpressionRule, Rule, SetContent};
use crate::shape;
use crate::wire::{WirePersonal, WireRule};

/// Most nodes of a file of rules. A word is one node, a rule with all its keys twelve.
const MAX_NODES: usize = 1_500_000;

/// Most bytes of an id.
const MAX_ID: usize = 64;

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: 8, max_nodes: MAX_NODES, max_documents: 1 },
        with_snippet: false,
    }
}

/// Reads rules. Reports all mistakes at once, if the file is YAML.
pub(crate) fn read(name: &str, place: &str, yaml: &str) -> Result<SetContent> {
    let mut mistakes = Mistakes::new(place);
    let wire = match serde_saphyr::from_str_with_options(yaml, options()) {
        Ok(wire) => wire,
        Err(error) => match shape::read(yaml, options(), &mut mistakes) {
            Some(wire) if !mistakes.is_empty() => wire,
            _ => return Err(wrong(&error, place)),
        },
    };
    let mut reading =
        Reading { mistakes, rules: Vec::new(), expressions: Vec::new(), compiled_bytes: 0 };
    let defaults = (wire.action.unwrap_or(Action::Block), wire.severity.unwrap_or(Severity::High));
    for (number, rule) in (1..).zip(wire.rules) {
        reading.rule(rule, format!("{name}/{number}"), defaults);
    }
    let allowed = wire.allow.iter().filter_map(|phrase| reading.pattern(phrase)).collect();
    let personal = wire.personal_data.map(|data| reading.personal(data)).unwrap_or_default();
    let Reading { mistakes, rules, expressions, .. } = reading;
    mistakes.finish()?;
    let (name, doubtful) = (name.to_owned(), wire.doubtful);
    Ok(SetContent { name, rules, expressions, allowed, doubtful, personal })
}

/// The rules that were read so far.
struct Reading<'p> {
    mistakes: Mistakes<'p>,
    rules: Vec<Rule>,
    expressions: Vec<ExpressionRule>,
    /// Memory of the patterns that were compiled.
    compiled_bytes: usize,
}

impl Reading<'_> {
    fn rule(
        &mut self,
        rule: Spanned<WireRule>,
        number: String,
        (action, severity): (Action, Severity),
    ) {
        let line = rule.referenced.line();
        let rule = rule.value;
        let chosen = rule.id.filter(|id| {
            let is_plain = is_plain(id);
            if !is_plain {
                let what = format!("expected an id of at most {MAX_ID} letters, digits and `-_./`");
                self.mistakes.add(Mistake::at(line, what));
            }
            is_plain
        });
        let verdict = Verdict {
            id: chosen.as_deref().unwrap_or(&number).into(),
            action: rule.action.unwrap_or(action),
            severity: rule.severity.unwrap_or(severity),
        };
        let words: Vec<Spanned<String>> = rule.word.into_iter().chain(rule.words).collect();
        if words.is_empty() && rule.pattern.is_none() && !rule.is_broken {
            let what = "expected `word:`, `words:` or `pattern:`";
            self.mistakes.add(Mistake::at(line, what));
        }
        if words.is_empty() && rule.pattern.is_some() && rule.kind.is_some() {
            let what = "`kind` is said of words only; write `\\b` where a pattern begins or ends at the border of a word";
            self.mistakes.add(Mistake::at(line, what));
        }
        for word in words {
            let Some(pattern) = self.pattern(&word) else { continue };
            let line = word.referenced.line();
            let holds =
                |id: &String| Pattern::new(id).is_ok_and(|id| id.text.contains(&pattern.text));
            self.check_id(line, chosen.as_ref().is_some_and(holds), "word");
            let kind = rule.kind.unwrap_or(pattern.default_kind());
            self.rules.push(Rule { pattern, kind, verdict: verdict.clone() });
        }
        if let Some(written) = rule.pattern {
            self.expression(&written, chosen.as_deref(), verdict);
        }
    }

    fn expression(&mut self, written: &Spanned<String>, id: Option<&str>, verdict: Verdict) {
        let line = written.referenced.line();
        // Compiling a pattern takes milliseconds, and further mistakes are not shown.
        if self.mistakes.is_full() || self.compiled_bytes > MAX_PATTERNS_BYTES {
            return;
        }
        if self.expressions.len() == MAX_PATTERNS {
            let what = format!("expected at most {MAX_PATTERNS} patterns in a file");
            return self.mistakes.add(
                Mistake::at(line, what)
                    .hint("write words as words; divide the file, or join patterns with `|`"),
            );
        }
        match Expression::new(&written.value) {
            Ok(expression) => {
                self.compiled_bytes += expression.compiled_bytes();
                if self.compiled_bytes > MAX_PATTERNS_BYTES {
                    let what = format!(
                        "the patterns are too large together, from this one on: expected at most {MAX_PATTERNS_BYTES} bytes once they are compiled"
                    );
                    let hint = "repeat less, or use smaller classes such as `[a-z0-9]`";
                    return self.mistakes.add(Mistake::at(line, what).hint(hint));
                }
                self.check_id(line, id.is_some_and(|id| expression.is_in(id)), "pattern");
                let expression = Arc::new(expression);
                self.expressions.push(ExpressionRule { expression, verdict });
            }
            Err(why) => {
                let what = format!("this pattern cannot be looked for: {why}");
                self.mistakes.add(Mistake::at(line, what));
            }
        }
    }

    /// Checks that an id does not hold a word of its rule, because every block reports the id.
    fn check_id(&mut self, line: u64, is_word_in_id: bool, what: &str) {
        if is_word_in_id {
            let mistake = Mistake::at(line, format!("the id of this rule holds its {what}"));
            self.mistakes.add(
                mistake.hint(
                    "every block reports the id; name the rule by a number or by its subject",
                ),
            );
        }
    }

    fn pattern(&mut self, word: &Spanned<String>) -> Option<Pattern> {
        let found = Pattern::new(&word.value);
        found.map_err(|why| self.mistakes.add(Mistake::unusable(word.referenced.line(), why))).ok()
    }

    fn personal(&mut self, mut data: WirePersonal) -> Personal {
        let mut personal = Personal::default();
        for (kind, slot) in Data::ALL.into_iter().zip(&mut personal.actions) {
            *slot = *data.action_mut(kind);
        }
        for iso in &data.phone_countries {
            match Country::of(&iso.value) {
                Some(country) => personal.countries.push(country),
                None => {
                    let shown = text::one_line(text::cut_bytes(&iso.value, 64));
                    let what =
                        format!("phone-countries: how `{shown}` writes its phones is not known");
                    let hint = "leave it out: numbers with `+` and the code of a country are found anyhow; others are known of `us`, `ca`, and countries that write a 0 before theirs";
                    self.mistakes.add(Mistake::at(iso.referenced.line(), what).hint(hint));
                }
            }
        }
        if let Some(first) = data.phone_countries.first()
            && personal.action(Data::Phone).is_none()
        {
            let what = "phone-countries: expected `phone` beside it, which sets their action";
            self.mistakes.add(Mistake::at(first.referenced.line(), what));
        }
        personal
    }
}

fn is_plain(id: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    (1..=MAX_ID).contains(&id.len()) && id.chars().all(is_part)
}

/// Returns an error of the YAML reader, with the nearest known key if one is unknown.
fn wrong(error: &serde_saphyr::Error, place: &str) -> Error {
    let error = error.without_snippet();
    if let serde_saphyr::Error::SerdeUnknownField { field, expected, location } = error {
        let key = text::one_line(text::cut_bytes(field, 64));
        let (line, column) = (location.line(), location.column());
        let hint = match text::nearest(field, expected.iter().copied()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys here are `{}`", expected.join("`, `")),
        };
        return Error::input(format!("{place}:{line}:{column}: unknown key `{key}`")).hint(hint);
    }
    let at =
        error.location().map_or_else(String::new, |at| format!(":{}:{}", at.line(), at.column()));
    Error::input(format!("{place}{at}: these are no rules"))
        .detail(text::shortened(&text::one_line(&error.to_string()), 200))
}
