//! Words that must not pass in all runs of a tenant. A document of the store has them, as people write them on the page.

use bytes::Bytes;

use super::agent::{named_rules, rules};
use super::check::Problems;
use super::rule_places::elsewhere;
use super::shared::Shared;
use super::spec::WordRules;
use crate::problem::Problem;
use crate::store::{Store, StoreError, StoreResult};
use mitt::guard::RuleSet;
use mitt_base::{Error, ErrorKind, Result, panics};

/// Table of the store with the settings of a tenant, and the key of the words in it.
const TABLE: &str = "settings";
const KEY: &str = "words";

/// Beginning of the rules' identifiers.
const NAME: &str = "settings";

/// Most rules.
const MOST_RULES: usize = 500;

/// Most bytes of all rules.
const MAX_RULES_BYTES: usize = 64 * 1024;

/// Name of the work in the error of a panic.
const READING: &str = "reading rules about content";

/// Returns the words of a tenant.
///
/// # Errors
///
/// The store failed.
pub(super) async fn of_tenant(store: &dyn Store, tenant: &str) -> StoreResult<WordRules> {
    match store.document(tenant, TABLE, KEY).await {
        Ok(document) => Ok(serde_json::from_slice(&document.value).map_err(Error::bug)?),
        Err(StoreError::Missing) => Ok(WordRules::default()),
        Err(error) => Err(error),
    }
}

/// Returns the rules for the session of a run: its own, and the words of its tenant.
///
/// # Errors
///
/// The store failed. A run must not go on without the rules.
pub(super) async fn rules_of_run(
    store: &dyn Store,
    tenant: &str,
    own: Option<WordRules>,
) -> Result<Vec<RuleSet>> {
    let words = of_tenant(store, tenant).await.map_err(|error| match error {
        StoreError::Failed(error) => error,
        _ => Error::new(ErrorKind::Host, "the words of the settings cannot be read"),
    })?;
    if own.is_none() && words.rules.is_empty() {
        return Ok(Vec::new());
    }
    // Both were checked when they came in; the number of runs that begin at once is bounded.
    let work = move || -> Result<Vec<RuleSet>> {
        let mut all = rules(own.as_ref())?;
        all.extend(named_rules(NAME, &words)?);
        Ok(all)
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| panics::noticed(READING))?
}

/// Sets the words of a tenant.
///
/// # Errors
///
/// 422 `invalid_body` - with a pointer to each rule that cannot be searched for. 503 - other rules are being checked. The store
/// failed.
pub(super) async fn set(shared: &Shared, tenant: &str, words: &WordRules) -> Result<(), Problem> {
    let none = WordRules::default();
    let is_empty = words.rules.iter().all(|rule| rule.trim().is_empty());
    let words = if is_empty { &none } else { words };
    let checked = words.clone();
    let work = move || {
        let mut problems = Problems::default();
        check(&checked, &mut problems);
        problems
    };
    elsewhere(&shared.rules, tenant, work).await?.into_result()?;
    let value = serde_json::to_vec(words).map_err(Error::bug)?;
    let store = &shared.options.store;
    store.put_document(tenant, TABLE, KEY, Bytes::from(value), None, None).await?;
    Ok(())
}

fn check(words: &WordRules, problems: &mut Problems) {
    let (count, bytes) =
        (words.rules.len(), words.rules.iter().map(|rule| rule.len() + 1).sum::<usize>());
    if count > MOST_RULES {
        return problems.add(ALL, format!("expected at most {MOST_RULES} rules, got {count}"));
    }
    if bytes > MAX_RULES_BYTES {
        return problems.add(ALL, format!("expected at most {MAX_RULES_BYTES} bytes, got {bytes}"));
    }
    let mut has_breaks = false;
    for (index, rule) in words.rules.iter().enumerate() {
        if rule.contains(['\n', '\r']) {
            problems.add(format!("{ALL}/{index}"), "expected one line, got several");
            has_breaks = true;
        }
    }
    // Numbers of lines in mistakes are those of rules only if each rule is one line.
    if has_breaks {
        return;
    }
    let Err(error) = named_rules(NAME, words) else { return };
    let (pointer, detail) = placed(error.message());
    if pointer != ALL || error.details().is_empty() {
        let details = error.details().iter().map(String::as_str);
        let all: Vec<&str> = std::iter::once(detail).chain(details).collect();
        return problems.add(pointer, all.join(": "));
    }
    for mistake in error.details() {
        let (pointer, detail) = placed(mistake);
        problems.add(pointer, detail);
    }
}

/// Pointer to all rules.
const ALL: &str = "/rules";

/// Returns the pointer to the rule that a mistake names by its line, and the mistake without its place.
fn placed(mistake: &str) -> (String, &str) {
    let rest = mistake.strip_prefix(NAME).and_then(|rest| rest.strip_prefix(':'));
    let Some(rest) = rest else { return (ALL.to_owned(), mistake) };
    let (line, after) = rest.split_once(':').unwrap_or(("", rest));
    match line.parse::<usize>() {
        Ok(line @ 1..) => {
            // A column may follow.
            let detail = match after.split_once(':') {
                Some((column, detail)) if column.parse::<usize>().is_ok() => detail,
                _ => after,
            };
            (format!("{ALL}/{}", line - 1), detail.trim_start())
        }
        _ => (ALL.to_owned(), rest.trim_start()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn problems(rules: &[&str]) -> Vec<(String, String)> {
        let words = WordRules { rules: rules.iter().map(|rule| (*rule).to_owned()).collect() };
        let mut problems = Problems::default();
        check(&words, &mut problems);
        match problems.into_result() {
            Ok(()) => Vec::new(),
            Err(problem) => {
                problem.errors.clone().into_iter().map(|it| (it.pointer, it.detail)).collect()
            }
        }
    }

    fn pointers(rules: &[&str]) -> Vec<String> {
        problems(rules).into_iter().map(|(pointer, _)| pointer).collect()
    }

    #[test]
    fn a_wrong_rule_is_named_by_its_number() {
        assert!(problems(&["机密文件", "# a remark", "", "blue heron"]).is_empty());
        let one = problems(&["机密文件", "heron", "!"]);
        let detail = "this word cannot be looked for: it has no letters and no digits, and signs are not looked for";
        assert_eq!(one, [("/rules/2".to_owned(), detail.to_owned())]);
        assert_eq!(pointers(&["!", "heron", "x"]), ["/rules/0", "/rules/2"]);
        assert_eq!(pointers(&["a b", "c\nd"]), ["/rules/1"]);
        assert_eq!(pointers(&["# only a remark"]), ["/rules"]);
    }

    #[test]
    fn rules_of_a_file_are_named_by_their_lines() {
        assert!(problems(&["rules:", "  - word: heron", "    action: flag"]).is_empty());
        let wrong = problems(&["rules:", "  - word: heron", "    actoin: flag"]);
        assert_eq!(wrong[0].0, "/rules/2");
        assert!(wrong[0].1.starts_with("unknown key `actoin`"), "{wrong:?}");
        assert_eq!(pointers(&["rules:", "  - word: '!'"]), ["/rules/1"]);
    }

    #[test]
    fn the_number_and_the_size_of_rules_are_bounded() {
        assert_eq!(pointers(&["heron"; MOST_RULES]), Vec::<String>::new());
        assert_eq!(pointers(&["heron"; MOST_RULES + 1]), ["/rules"]);
        let long = format!("heron {}", "#".repeat(MAX_RULES_BYTES));
        assert_eq!(pointers(&[&long]), ["/rules"]);
    }

    #[test]
    fn a_place_in_a_mistake_becomes_a_pointer() {
        for (mistake, pointer, detail) in [
            ("settings:3: no", "/rules/2", "no"),
            ("settings:3:14: unknown key `a`", "/rules/2", "unknown key `a`"),
            ("settings:1: expected: a", "/rules/0", "expected: a"),
            ("settings: 2 mistakes", "/rules", "2 mistakes"),
            ("settings:0: no", "/rules", "0: no"),
            ("other:3: no", "/rules", "other:3: no"),
        ] {
            assert_eq!(placed(mistake), (pointer.to_owned(), detail), "{mistake}");
        }
    }

    #[test]
    fn costly_patterns_are_refused_early() {
        let mut all = vec!["rules:".to_owned()];
        all.extend((0..400).map(|number| format!("- pattern: \"(.*a.*b.*c){{20}}x<{number}>\"")));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let begun = Instant::now();
        let found = problems(&all);
        assert_eq!(found.len(), 51, "{found:?}");
        assert_eq!((found[0].0.as_str(), found[49].0.as_str()), ("/rules/1", "/rules/50"));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}
