//! Sets of rules in YAML. The wire is strict: whatever is not known is refused with its line.

use std::sync::Arc;

use mitt_base::{Error, Result, text};
use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::hit::{Action, Severity};
use crate::pattern::Pattern;
use crate::personal::Personal;
use crate::rules::{Doubtful, Kind, Rule, Verdict};
use crate::set::{Inner, unusable};

/// Nodes of a file of rules; a word is one, a rule with all its keys twelve.
const MAX_NODES: usize = 1_500_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Wire {
    #[serde(default)]
    action: Option<Action>,
    #[serde(default)]
    severity: Option<Severity>,
    #[serde(default)]
    doubtful: Doubtful,
    #[serde(default)]
    rules: Vec<Spanned<WireRule>>,
    #[serde(default)]
    allow: Vec<Spanned<String>>,
    #[serde(default)]
    personal_data: Option<WirePersonal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRule {
    #[serde(default)]
    word: Option<Spanned<String>>,
    #[serde(default)]
    words: Vec<Spanned<String>>,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    action: Option<Action>,
    #[serde(default)]
    severity: Option<Severity>,
    #[serde(default)]
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WirePersonal {
    #[serde(default)]
    phone: Option<Action>,
    #[serde(default)]
    id_card: Option<Action>,
    #[serde(default)]
    bank_card: Option<Action>,
    #[serde(default)]
    email: Option<Action>,
}

/// The longest id, in bytes.
const MAX_ID: usize = 64;

pub(crate) fn read(name: &str, place: &str, yaml: &str) -> Result<Inner> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: 8, max_nodes: MAX_NODES, max_documents: 1 },
        with_snippet: false,
    };
    let wire: Wire =
        serde_saphyr::from_str_with_options(yaml, options).map_err(|error| wrong(&error, place))?;
    let mut rules = Vec::new();
    let defaults = (wire.action.unwrap_or(Action::Block), wire.severity.unwrap_or(Severity::High));
    for (number, rule) in (1..).zip(wire.rules) {
        let id = format!("{name}/{number}");
        of_rule(rule, id, defaults, place, &mut rules)?;
    }
    let allowed = wire.allow.into_iter().map(|phrase| pattern(&phrase, place));
    let allowed = allowed.collect::<Result<Vec<Pattern>>>()?;
    let personal = wire.personal_data.map(|data| Personal {
        phone: data.phone,
        id_card: data.id_card,
        bank_card: data.bank_card,
        email: data.email,
    });
    Ok(Inner {
        name: name.to_owned(),
        rules,
        allowed,
        doubtful: wire.doubtful,
        personal: personal.unwrap_or_default(),
    })
}

fn of_rule(
    rule: Spanned<WireRule>,
    id: String,
    (action, severity): (Action, Severity),
    place: &str,
    rules: &mut Vec<Rule>,
) -> Result<()> {
    let line = rule.referenced.line();
    let rule = rule.value;
    let is_chosen = rule.id.is_some();
    let id: Arc<str> = match rule.id {
        Some(id) if !is_plain(&id) => {
            return Err(Error::input(format!(
                "{place}:{line}: an id of at most {MAX_ID} letters, digits and `-_./` expected"
            )));
        }
        Some(id) => id.into(),
        None => id.into(),
    };
    let words: Vec<Spanned<String>> = rule.word.into_iter().chain(rule.words).collect();
    if words.is_empty() {
        return Err(Error::input(format!("{place}:{line}: `word:` or `words:` expected")));
    }
    for word in words {
        let pattern = pattern(&word, place)?;
        if is_chosen && Pattern::new(&id).is_ok_and(|id| id.text.contains(&pattern.text)) {
            let line = word.referenced.line();
            return Err(Error::input(format!("{place}:{line}: the id of this rule holds its word"))
                .hint("an id is told wherever something is blocked; name it by a number, or by what it is about"));
        }
        let verdict = Verdict {
            id: id.clone(),
            action: rule.action.unwrap_or(action),
            severity: rule.severity.unwrap_or(severity),
        };
        let kind = rule.kind.unwrap_or(pattern.default_kind());
        rules.push(Rule { pattern, kind, verdict });
    }
    Ok(())
}

fn pattern(word: &Spanned<String>, place: &str) -> Result<Pattern> {
    Pattern::new(&word.value).map_err(|why| unusable(place, word.referenced.line(), why))
}

fn is_plain(id: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    (1..=MAX_ID).contains(&id.len()) && id.chars().all(is_part)
}

/// An error of the YAML reader, with the nearest key where one is unknown.
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
