//! Removes what rules find, until they find nothing: each round searches the file that the one before made, read anew by the reader
//! of documents and by the tool. So the last search is the proof.

use serde_json::Value;

use super::rules::{RuleCounts, Rules};
use super::steps::Steps;
use super::terms::{Batch, Terms, WORDS};
use super::texts::{FileMatches, SearchedFile};
use mitt_base::{Error, ErrorKind, Result};

/// Most rounds: what stood before and behind a removed text may be a number together.
const MAX_ROUNDS: usize = 4;

/// Most words that were not found and that a warning names.
const MAX_UNFOUND: usize = 20;

/// Most words of a call for a PDF: each page is searched for each of them, and a call has a limit of time.
const WORDS_OF_PDF: usize = 100;

/// A warning: phrases that a set allows are no hits, but the tools know words only.
const OTHER_PLACE: &str = "a removed word also stood where no rule finds it, such as in an allowed phrase; it was removed there, too";

/// A warning: a PDF may have no blanks where people see some, so that words have no borders.
const LOOSE: &str = "the tool did not find some words as whole words, so it removed them inside longer words, too; check the new file";

/// Classes of errors of tools, as they stand in their messages.
const CLASSES: [&str; 4] = ["invalid-argument", "malformed", "unsupported", "quota"];

/// What rules removed.
#[derive(Default)]
pub(super) struct ByRules {
    /// Numbers of places by rule.
    pub(super) counts: RuleCounts,
    /// Everything that was removed.
    terms: Terms,
    /// Words and patterns of the options that were not found.
    pub(super) unfound: Vec<String>,
    /// Spellings that stay, because they may be no match.
    pub(super) doubtful: Vec<(String, u64)>,
    /// What was not searched, and what was removed beyond what the rules find.
    pub(super) warnings: Vec<String>,
}

impl ByRules {
    /// Returns messages of the tool without texts that were removed.
    pub(super) fn hidden_in(&self, messages: Vec<String>) -> Vec<String> {
        messages.iter().map(|message| self.terms.hidden_in(message)).collect()
    }

    /// Returns a warning for words of the options that were not found.
    pub(super) fn unfound_line(&self) -> Option<String> {
        let listed: Vec<String> =
            self.unfound.iter().take(MAX_UNFOUND).map(|it| format!("`{it}`")).collect();
        let more = match self.unfound.len() - listed.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!listed.is_empty()).then(|| format!("nothing was found for {}{more}", listed.join(", ")))
    }

    /// Adds a warning that is not there yet.
    fn warn(&mut self, warning: &str) {
        if !self.warnings.iter().any(|it| it == warning) {
            self.warnings.push(warning.to_owned());
        }
    }

    /// Returns a warning for each rule with spellings that stay.
    pub(super) fn doubtful_lines(&self) -> impl Iterator<Item = String> {
        self.doubtful.iter().map(|(rule, count)| match count {
            1 => format!("1 doubtful spelling stays: the rule `{rule}` only flags it"),
            _ => format!("{count} doubtful spellings stay: the rule `{rule}` only flags them"),
        })
    }
}

/// Removes what rules find. `source` is the content of the file, and `arguments` makes those of a call.
///
/// # Errors
///
/// [`ErrorKind::Plugin`] - something is left; the message names the rule and the place. Those of [`Steps::run`] and
/// [`SearchedFile::search`].
pub(super) async fn remove_by_rules(
    steps: &mut Steps,
    rules: &Rules,
    source: &[u8],
    arguments: impl Fn(&Batch, &str) -> Value,
) -> Result<ByRules> {
    let mut removed = ByRules::default();
    for round in 0..=MAX_ROUNDS {
        steps.refresh().await?;
        let (at, file) = steps.file();
        let content = steps.content().unwrap_or(source);
        let found = SearchedFile { at, file, content }.search(rules).await?;
        let counts = &found.matches.counts;
        if counts.is_empty() {
            let doubtful = counts.doubtful();
            removed.doubtful = doubtful.map(|(rule, count)| (rule.to_owned(), count)).collect();
            removed.warnings.extend(found.warnings);
            return Ok(removed);
        }
        if round == MAX_ROUNDS {
            return Err(left(&found));
        }
        let is_loose = round > 0;
        let mut is_any = false;
        let words_of_call = if steps.extension() == "pdf" { WORDS_OF_PDF } else { WORDS };
        for batch in found.matches.terms.batches(is_loose, words_of_call) {
            is_any |= steps.run(|name| arguments(&batch, name)).await.map_err(unquoted)?;
        }
        if !is_any {
            return Err(left(&found));
        }
        if found.has_other_place {
            removed.warn(OTHER_PLACE);
        }
        if is_loose && found.matches.terms.has_whole() {
            removed.warn(LOOSE);
        }
        removed.counts.add(counts);
        removed.terms.add_all(&found.matches.terms)?;
    }
    Ok(removed)
}

/// Returns an error of a tool without its message, which may quote what was to be removed.
fn unquoted(error: Error) -> Error {
    if *error.kind() != ErrorKind::Plugin {
        return error;
    }
    let message = error.message();
    let class = CLASSES.iter().find(|class| message.contains(&format!("{class}: ")));
    let class = class.map(|class| format!(" (`{class}`)")).unwrap_or_default();
    Error::new(
        ErrorKind::Plugin,
        format!("the tool cannot redact this file{class}, and nothing is written"),
    )
    .detail("its message is not shown, because it may quote what the rules find")
    .hint("`--word` in place of `--rule` shows the message for a word of yours")
}

/// Returns the error for a file in which rules still find something.
fn left(found: &FileMatches) -> Error {
    let rules: Vec<String> =
        found.matches.counts.found().map(|(rule, _)| format!("`{rule}`")).collect();
    let (subject, verb) = match rules.len() {
        1 => ("The rule", "finds"),
        _ => ("The rules", "find"),
    };
    let place = found.place.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
    let rules = rules.join(", ");
    let message = format!(
        "{subject} {rules} still {verb} something{place}. The tool does not remove it, so nothing is written."
    );
    Error::new(ErrorKind::Plugin, message).hint(
        "remove that place of a PDF by `--area` or `--pages`; redact an attached file by itself",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_tools_quote_nothing() {
        let error = Error::new(ErrorKind::Plugin, "x: unsupported: line 2, \"13800138000\"");
        let shown = unquoted(error).render();
        assert!(shown.contains("(`unsupported`)") && !shown.contains("13800138000"), "{shown}");
        let shown = unquoted(Error::new(ErrorKind::Plugin, "odd 13800138000")).render();
        assert!(!shown.contains("13800138000"), "{shown}");
        let limit = unquoted(Error::new(ErrorKind::Input, "too much time"));
        assert_eq!(limit.message(), "too much time");
    }

    #[test]
    fn what_is_left_is_named_by_rule_and_place() {
        let mut found = FileMatches { place: Some("page 2".to_owned()), ..FileMatches::default() };
        let rules = ["phone", "email"].map(str::to_owned);
        let search = |found: &mut FileMatches, rules: &[String], text: &str| {
            Rules::new(rules, &[]).unwrap().search(text, false, &mut found.matches).unwrap();
            left(found).message().to_owned()
        };
        assert_eq!(
            search(&mut found, &rules[..1], "13800138000"),
            "The rule `phone` still finds something (page 2). The tool does not remove it, so nothing is written."
        );
        let both = search(&mut found, &rules, "li@corp.example");
        assert!(both.starts_with("The rules `email`, `phone` still find something"), "{both}");
    }

    #[test]
    fn doubtful_spellings_are_counted() {
        let of = |count| ByRules { doubtful: vec![("birds".into(), count)], ..ByRules::default() };
        let line = |count| of(count).doubtful_lines().next().unwrap();
        assert_eq!(line(1), "1 doubtful spelling stays: the rule `birds` only flags it");
        assert_eq!(line(3), "3 doubtful spellings stay: the rule `birds` only flags them");
    }
}
