//! The rules of `mitt redact --rule`: which of them are meant, and what they find in texts.
//!
//! The tools know words and patterns, and no rules. So the rules are applied here to every text of the file, and the tools remove
//! what was found. Knows texts, and neither files nor sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::lines::{JoinedLines, Seam};
use super::terms::{Term, Terms};
use mitt::guard::{Action, Guard, Hit, RuleSet, Spelling, visible_text};
use mitt_base::text::nearest;
use mitt_base::{Error, ErrorKind, Result};

/// Kinds of personal data, which are rules without a file of rules.
const KINDS: [&str; 6] = ["phone", "id-card", "bank-card", EMAIL, "iban", "us-ssn"];

/// The kind of addresses, which a word behind them makes longer.
const EMAIL: &str = "email";

/// The set of these rules.
const KINDS_SET: &str = "personal-data";

/// The name for every rule of the files of `--words`.
const ALL: &str = "all";

/// Most removed words whose other places are looked for, and most bytes of their pattern when it is compiled.
const MAX_WORDS: usize = 500;
const MAX_COMPILED: usize = 64 << 20;

/// Most rules that an error lists.
const MAX_LISTED: usize = 30;

/// Rules that were chosen.
pub(super) struct Rules {
    guard: Guard,
    /// Ids of the guard's rules that were chosen.
    ids: BTreeSet<Arc<str>>,
    /// The only action that counts; `None` if all do.
    action: Option<Action>,
}

impl Rules {
    /// Chooses rules by their names: kinds of personal data, ids of rules of `sets`, names of sets, or `all`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - a name is not known, or there are no files of rules for `all`. Those of [`Guard::new`].
    pub(super) fn new(names: &[String], sets: &[RuleSet]) -> Result<Rules> {
        let mut ids: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut kinds: BTreeSet<&str> = BTreeSet::new();
        for name in names.iter().map(|name| name.trim()) {
            if KINDS.contains(&name) {
                kinds.insert(name);
                continue;
            }
            let of_set = |set: &&RuleSet| name == ALL || name == set.name();
            let chosen = sets.iter().filter(of_set).flat_map(RuleSet::rule_ids);
            let single = sets.iter().flat_map(RuleSet::rule_ids).filter(|id| &**id == name);
            let named: Vec<Arc<str>> = chosen.chain(single).collect();
            if named.is_empty() {
                return Err(unknown(name, sets));
            }
            ids.extend(named);
        }
        // This set comes first and blocks, so that its ids count where several sets look for the same kind.
        let own = kinds.iter().map(|kind| format!("{kind}: block")).collect::<Vec<_>>().join(", ");
        let own = if kinds.is_empty() {
            None
        } else {
            Some(RuleSet::yaml(KINDS_SET, &format!("{KINDS_SET}: {{ {own} }}"))?)
        };
        let narrowed = sets.iter().map(|set| set.only(|id| ids.contains(id)));
        let guard = Guard::new(own.iter().cloned().chain(narrowed))?;
        ids.extend(own.iter().flat_map(RuleSet::rule_ids));
        Ok(Rules { guard, ids, action: None })
    }

    /// Returns what blocks among all rules of some sets.
    ///
    /// # Errors
    ///
    /// Those of [`Guard::new`].
    pub(super) fn blocking(sets: &[RuleSet]) -> Result<Rules> {
        let ids = sets.iter().flat_map(RuleSet::rule_ids).collect();
        Ok(Rules { guard: Guard::new(sets.iter().cloned())?, ids, action: Some(Action::Block) })
    }

    /// Looks for what the rules find in a text. If `joins_lines`, numbers and addresses may go on in the next line.
    ///
    /// # Errors
    ///
    /// Those of [`Terms::add`].
    pub(super) fn search(
        &self,
        text: &str,
        joins_lines: bool,
        found: &mut RuleMatches,
    ) -> Result<()> {
        let terms = &mut found.terms;
        let mut in_lines: Vec<(Arc<str>, Range<usize>)> = Vec::new();
        let mut counts = self.look(text, terms, |hit| {
            if joins_lines && is_data(&hit.rule) {
                in_lines.push((hit.rule.clone(), hit.range.clone()));
            }
            Some(text[hit.range.clone()].to_owned())
        })?;
        let visible = visible_text(text);
        if *visible != *text {
            let whole = |hit: &Hit| Some(visible[hit.range.clone()].to_owned());
            counts.take_larger(&self.look(&visible, terms, whole)?);
        }
        if joins_lines && text.trim().contains('\n') {
            let mut over_lines = RuleCounts::default();
            for seam in [Seam::Blank, Seam::Nothing] {
                let joined = JoinedLines::new(text, seam);
                let mut whole: Vec<(&Arc<str>, Range<usize>)> = in_lines
                    .iter()
                    .filter_map(|(rule, range)| Some((rule, joined.place(range)?)))
                    .collect();
                whole.sort_by_key(|(_, range)| range.start);
                // What stands in one line was found already, and words over lines too: their letters may have anything between them.
                let taken = |hit: &Hit| {
                    if !is_data(&hit.rule) || has_whole(&whole, hit) {
                        return None;
                    }
                    joined.over_lines(self.without_next_word(&joined, hit))
                };
                over_lines.take_larger(&self.look(joined.text(), terms, taken)?);
            }
            counts.add(&over_lines);
        }
        found.counts.add(&counts);
        Ok(())
    }

    /// Returns the range of a hit over lines. An address that is complete at the end of its second line, or of a later one, does
    /// not go on with the first word of the next line.
    fn without_next_word(&self, joined: &JoinedLines, hit: &Hit) -> Range<usize> {
        let start = hit.range.start;
        let [first, later @ ..] = joined.seams_in(&hit.range) else { return hit.range.clone() };
        if kind(&hit.rule) != Some(EMAIL) {
            return hit.range.clone();
        }
        for seam in later {
            if goes_on(joined.text(), *seam) {
                continue;
            }
            let mut end = None;
            self.guard.each_hit(&joined.text()[start..*seam], |it| {
                if it.rule == hit.rule && it.range.start == 0 && start + it.range.end > *first {
                    end = Some(start + it.range.end);
                }
            });
            if let Some(end) = end {
                return start..end;
            }
        }
        hit.range.clone()
    }

    /// Adds what is found in one form of a text, and counts it. `taken` returns the text of a hit, or `None` for one that does not
    /// count.
    fn look(
        &self,
        text: &str,
        terms: &mut Terms,
        mut taken: impl FnMut(&Hit) -> Option<String>,
    ) -> Result<RuleCounts> {
        let mut counts = RuleCounts::default();
        let mut result = Ok(());
        self.guard.each_hit(text, |hit| {
            let is_chosen = self.ids.contains(&hit.rule)
                && self.action.is_none_or(|action| action == hit.action);
            if result.is_err() || !is_chosen {
                return;
            }
            let Some(taken) = taken(hit) else { return };
            if is_left_alone(hit) {
                counts.add_doubtful(&hit.rule);
                return;
            }
            counts.add_one(&hit.rule);
            let before = text[..hit.range.start].chars().next_back();
            let after = text[hit.range.end..].chars().next();
            result = Term::of(&taken, before, after).into_iter().try_for_each(|it| terms.add(it));
        });
        result.map(|()| counts)
    }

    /// Returns a pattern of the words among the removed texts; `None` if there are none, or too many to compile.
    pub(super) fn words(&self, terms: &Terms) -> Option<Regex> {
        if self.action.is_some() || self.ids.iter().all(|id| is_data(id)) {
            return None;
        }
        let is_word = |it: &&Term| it.text().chars().any(char::is_alphabetic);
        let places: Vec<String> =
            terms.iter().filter(is_word).take(MAX_WORDS).map(Term::place).collect();
        let mut built = RegexBuilder::new(&places.join("|"));
        built.size_limit(MAX_COMPILED).build().ok().filter(|_| !places.is_empty())
    }

    /// Returns `true` if one of `words` stands in a text where no rule finds it, such as in an allowed phrase.
    pub(super) fn has_other_place(&self, text: &str, words: &Regex) -> bool {
        if !words.is_match(text) {
            return false;
        }
        let mut found: Vec<Range<usize>> = Vec::new();
        self.guard.each_hit(text, |hit| {
            if self.ids.contains(&hit.rule) && !is_left_alone(hit) {
                found.push(hit.range.clone());
            }
        });
        found.sort_by_key(|range| range.start);
        let mut behind = 0;
        let mut ends = found.iter().peekable();
        words.find_iter(text).any(|place| {
            while let Some(hit) = ends.next_if(|hit| hit.start < place.end()) {
                behind = behind.max(hit.end);
            }
            behind <= place.start()
        })
    }
}

/// Returns `true` if a hit over lines contains one of the same rule that stands in one line. `whole` has these by their places.
fn has_whole(whole: &[(&Arc<str>, Range<usize>)], hit: &Hit) -> bool {
    let first = whole.partition_point(|(_, range)| range.start < hit.range.start);
    let mut inside = whole[first..].iter().take_while(|(_, range)| range.start < hit.range.end);
    inside.any(|(rule, range)| **rule == hit.rule && range.end <= hit.range.end)
}

/// Returns `true` if an address that reaches the end of a line goes on in the next one: its last letter there joins it to more, or
/// the first letter of the next line does. A full stop before a capital letter ends a sentence.
fn goes_on(text: &str, seam: usize) -> bool {
    let (line, next) = text.split_at(seam);
    let mut letters = next.chars();
    let first = letters.next();
    match line.chars().next_back() {
        Some('-') => true,
        Some('.') => first.is_some_and(|it| it.is_lowercase() || it.is_ascii_digit()),
        _ => matches!(first, Some('.' | '-')) && letters.next().is_some_and(char::is_alphanumeric),
    }
}

/// Returns `true` for a rule about a kind of personal data, of any set.
fn is_data(rule: &str) -> bool {
    kind(rule).is_some_and(|kind| KINDS.contains(&kind))
}

/// Returns what follows the set in the name of a rule.
fn kind(rule: &str) -> Option<&str> {
    rule.rsplit_once('/').map(|(_, kind)| kind)
}

/// Returns `true` for a doubtful spelling that its set only flags.
fn is_left_alone(hit: &Hit) -> bool {
    hit.spelling == Spelling::Doubtful && hit.action == Action::Flag
}

/// Returns the error for a name that no rule has.
fn unknown(name: &str, sets: &[RuleSet]) -> Error {
    if name == ALL {
        let message = "`all` means every rule of the files of `--words`, and there is no such file";
        return Error::new(ErrorKind::Input, message)
            .at("--rule")
            .hint(format!("name a file with `--words`, or kinds: {}", KINDS.join(", ")));
    }
    let own = KINDS.iter().map(|kind| (*kind).to_owned());
    let of_sets = sets.iter().flat_map(RuleSet::rule_ids).map(|id| id.to_string());
    let known: Vec<String> = own.chain(of_sets).collect();
    let error = Error::new(ErrorKind::Input, format!("no rule `{name}`")).at("--rule");
    if let Some(near) = nearest(name, known.iter().map(String::as_str)).first() {
        return error.hint(format!("did you mean `{near}`?"));
    }
    let more = known.len().saturating_sub(MAX_LISTED);
    let mut listed = known.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        listed.push_str(&format!(" and {more} more"));
    }
    error.hint(format!("the rules are {listed}; `--words` names files with further ones"))
}

/// What rules found in the texts of a file.
#[derive(Debug, Default)]
pub(super) struct RuleMatches {
    /// Places by rule.
    pub(super) counts: RuleCounts,
    /// What is to be removed.
    pub(super) terms: Terms,
}

/// Numbers of places by rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RuleCounts {
    found: BTreeMap<Arc<str>, u64>,
    /// Spellings that may be no match, which their rules only flag.
    doubtful: BTreeMap<Arc<str>, u64>,
}

impl RuleCounts {
    fn add_one(&mut self, rule: &Arc<str>) {
        *self.found.entry(rule.clone()).or_default() += 1;
    }

    fn add_doubtful(&mut self, rule: &Arc<str>) {
        *self.doubtful.entry(rule.clone()).or_default() += 1;
    }

    fn each(&mut self, other: &RuleCounts, join: impl Fn(u64, u64) -> u64) {
        for (own, others) in
            [(&mut self.found, &other.found), (&mut self.doubtful, &other.doubtful)]
        {
            for (rule, count) in others {
                let own = own.entry(rule.clone()).or_default();
                *own = join(*own, *count);
            }
        }
    }

    pub(super) fn add(&mut self, other: &RuleCounts) {
        self.each(other, u64::saturating_add);
    }

    pub(super) fn add_all(&mut self, others: impl IntoIterator<Item = RuleCounts>) {
        others.into_iter().for_each(|it| self.add(&it));
    }

    /// Takes the larger number of each rule: the same places were counted in two forms of a text.
    pub(super) fn take_larger(&mut self, other: &RuleCounts) {
        self.each(other, u64::max);
    }

    /// Adds the places of a text beyond those of its parts, which were added before.
    pub(super) fn add_beyond(&mut self, whole: &RuleCounts, parts: &RuleCounts) {
        let mut beyond = whole.clone();
        beyond.each(parts, u64::saturating_sub);
        beyond.found.retain(|_, count| *count > 0);
        beyond.doubtful.retain(|_, count| *count > 0);
        self.add(&beyond);
    }

    /// Returns `true` if nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns `true` if not even a doubtful spelling was found.
    pub(super) fn has_none(&self) -> bool {
        self.is_empty() && self.doubtful.is_empty()
    }

    /// Returns the number of all places.
    pub(super) fn total(&self) -> u64 {
        self.found.values().sum()
    }

    /// Returns the names of rules with their numbers of places.
    pub(super) fn found(&self) -> impl Iterator<Item = (&str, u64)> {
        self.found.iter().map(|(rule, count)| (shown(rule), *count))
    }

    /// Returns the names of rules with the numbers of doubtful spellings, which stay.
    pub(super) fn doubtful(&self) -> impl Iterator<Item = (&str, u64)> {
        self.doubtful.iter().map(|(rule, count)| (shown(rule), *count))
    }
}

/// Returns the name of a rule as it is given to `--rule`.
fn shown(id: &str) -> &str {
    id.strip_prefix(KINDS_SET).and_then(|kind| kind.strip_prefix('/')).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(names: &[&str], sets: &[RuleSet]) -> Result<Rules> {
        Rules::new(&names.iter().map(ToString::to_string).collect::<Vec<_>>(), sets)
    }

    fn company() -> RuleSet {
        let yaml = "rules:\n  - { words: [heron, 机密], id: birds }\n  - word: secret\npersonal-data: { phone: redact, phone-countries: [us] }\n";
        RuleSet::yaml("company", yaml).unwrap()
    }

    /// Returns what is found in a text: rules with their numbers, and what is removed.
    fn search(rules: &Rules, text: &str) -> (Vec<(String, u64)>, Vec<String>) {
        let mut found = RuleMatches::default();
        rules.search(text, true, &mut found).unwrap();
        let counts = found.counts.found().map(|(rule, count)| (rule.to_owned(), count)).collect();
        (counts, found.terms.iter().map(|term| term.text().to_owned()).collect())
    }

    #[test]
    fn rules_are_chosen_by_kind_id_and_set() {
        let text = "heron and secret: 13800138000, li@corp.example";
        for (names, expected) in [
            (&["phone"][..], &["phone"][..]),
            (&["phone", "email"], &["email", "phone"]),
            (&["birds"], &["birds"]),
            (&["company/2", "email"], &["company/2", "email"]),
            (&["company"], &["birds", "company/2", "company/phone"]),
            (&["all", "phone"], &["birds", "company/2", "phone"]),
        ] {
            let (counts, _) = search(&rules(names, &[company()]).unwrap(), text);
            let found: Vec<&str> = counts.iter().map(|(rule, _)| rule.as_str()).collect();
            assert_eq!(found, expected, "{names:?}");
        }
    }

    #[test]
    fn a_name_that_no_rule_has_is_refused_with_those_that_are_there() {
        for (names, sets, expected) in [
            ("fone", vec![], "no rule `fone`"),
            ("phon", vec![], "did you mean `phone`?"),
            (
                "xyz",
                vec![company()],
                "phone, id-card, bank-card, email, iban, us-ssn, birds, company/2",
            ),
            ("all", vec![], "there is no such file"),
            ("hidden-text", vec![company()], "no rule `hidden-text`"),
        ] {
            let error = rules(&[names], &sets).err().unwrap().render();
            assert!(error.contains("--rule") && error.contains(expected), "{names}: {error}");
        }
    }

    #[test]
    fn what_stands_behind_markup_and_over_lines_is_found() {
        let rules = rules(&["phone", "iban", "email"], &[]).unwrap();
        for (text, removed) in [
            ("Call 138 0013 8000.", &["138 0013 8000"][..]),
            ("Call **138**00138000.", &["13800138000"]),
            ("&#49;3800138000", &["13800138000"]),
            ("Please call us at 138 0013\n8000 today", &["138 0013 8000"]),
            ("Please call us at 1380013\n8000 today", &["1380013 8000"]),
            ("write to li.wei@\ncorp.example today", &["li.wei@ corp.example"]),
            ("Twice: 13800138000 and 13800138000", &["13800138000"]),
        ] {
            assert_eq!(search(&rules, text).1, removed, "{text}");
        }
        // Cells below each other, and rows of figures, are no lines of a sentence.
        for text in
            ["1380013\n8000", "| a sum | 1380013\n| 8000 | b |", "In one 1380013\n\n8000 in two"]
        {
            assert!(search(&rules, text).1.is_empty(), "{text}");
        }
        let (counts, _) = search(&rules, "a **13800138000**, b@c.example, 13900139000");
        assert_eq!(counts, [("email".to_owned(), 1), ("phone".to_owned(), 2)]);
    }

    #[test]
    fn an_address_at_the_end_of_a_line_takes_no_word_of_the_next_one() {
        let rules = rules(&["email", "phone"], &[]).unwrap();
        for text in [
            "write to\nli@corp.example\nbefore Friday",
            "li@corp.example\nbefore",
            "contact\nli@corp.example",
        ] {
            let (counts, removed) = search(&rules, text);
            assert_eq!(removed, ["li@corp.example"], "{text}");
            assert_eq!(counts, [("email".to_owned(), 1)], "{text}");
        }
        // One that is divided is still found.
        let (_, removed) = search(&rules, "write to li.wei@\ncorp.example or a@b.example\ntoday");
        assert_eq!(removed, ["a@b.example", "li.wei@ corp.example"]);
    }

    #[test]
    fn an_address_over_lines_takes_no_word_of_the_line_behind_it() {
        let rules = rules(&["email", "phone"], &[]).unwrap();
        for (text, expected) in [
            ("write to li.wei@\ncorp.example\nbefore Friday", "li.wei@ corp.example"),
            ("write to li.wei@\ncorp.example.\nPlease answer", "li.wei@ corp.example"),
            ("write to li.wei@corp.\nexample\nbefore\nFriday", "li.wei@corp. example"),
            ("write to li.\nwei@corp\n.example\nbefore Friday", "li. wei@corp .example"),
            ("li.wei@\ncorp.\nexample\nbefore", "li.wei@ corp. example"),
            ("anna@\nmail.firma-\ngruppe.example\nbefore", "anna@ mail.firma- gruppe.example"),
            ("anna@\nmail.firma.\nexample\nbefore", "anna@ mail.firma. example"),
            ("wei@corp\n.co\n.uk\nbefore", "wei@corp .co .uk"),
            ("li.wei@\ncorp.\nexample before", "li.wei@ corp. example"),
            ("li.wei@\ncorp.example", "li.wei@ corp.example"),
        ] {
            let (counts, removed) = search(&rules, text);
            assert_eq!(removed, [expected], "{text}");
            assert_eq!(counts, [("email".to_owned(), 1)], "{text}");
        }
        // A number goes on as far as it has digits.
        let (_, removed) = search(&rules, "Please call 138\n0013\n8000 before noon");
        assert_eq!(removed, ["138 0013 8000"]);
    }

    #[test]
    fn a_long_text_is_removed_in_pieces() {
        let rules = rules(&["email"], &[]).unwrap();
        let domain = format!("{}example", format!("{}.", "d".repeat(60)).repeat(4));
        let address = format!("{}@{domain}", "a".repeat(64));
        let (counts, removed) = search(&rules, &address);
        assert_eq!((address.len(), counts), (316, vec![("email".to_owned(), 1)]));
        let lengths: Vec<usize> = removed.iter().map(String::len).collect();
        assert_eq!(lengths, [158, 158]);
    }

    #[test]
    fn only_rules_that_block_hold_for_the_result() {
        let yaml = "rules:\n  - { word: heron, id: birds, action: block }\n  - { word: wren, id: small, action: flag }\n";
        let rules = Rules::blocking(&[RuleSet::yaml("a", yaml).unwrap()]).unwrap();
        let (counts, _) = search(&rules, "a heron and a wren");
        assert_eq!(counts, [("birds".to_owned(), 1)]);
    }

    #[test]
    fn removed_words_in_allowed_phrases_are_noticed() {
        let yaml = "rules:\n  - { words: [kite, 机密], id: birds }\nallow: [kite flying]\n";
        let rules = rules(&["birds", "phone"], &[RuleSet::yaml("a", yaml).unwrap()]).unwrap();
        let has_other = |text: &str| {
            let mut found = RuleMatches::default();
            rules.search(text, false, &mut found).unwrap();
            rules.words(&found.terms).is_some_and(|words| rules.has_other_place(text, &words))
        };
        assert!(has_other("A kite, and kite flying."));
        for text in ["A kite and a Kite.", "kites fly; a kite", "kite flying", "13800138000"] {
            assert!(!has_other(text), "{text}");
        }
    }

    #[test]
    fn places_of_a_text_count_beyond_those_of_its_parts() {
        let rules = rules(&["phone", "email"], &[]).unwrap();
        for (runs, phones, emails) in [
            (&["call 13800138000"][..], 1, 0),
            (&["call 13800", "138000"], 1, 0),
            (&["call 13800138000, 139001", "39000 and 13700137000"], 3, 0),
            (&["li@corp.example, 138", "00138000"], 1, 1),
            (&["none"], 0, 0),
        ] {
            let (mut single, mut whole) = (RuleMatches::default(), RuleMatches::default());
            runs.iter().for_each(|run| rules.search(run, false, &mut single).unwrap());
            rules.search(&runs.concat(), false, &mut whole).unwrap();
            let mut counts = single.counts.clone();
            counts.add_beyond(&whole.counts, &single.counts);
            let count = |rule: &str| counts.found().find(|it| it.0 == rule).map_or(0, |it| it.1);
            assert_eq!((count("phone"), count("email")), (phones, emails), "{runs:?}");
            assert_eq!(counts.is_empty(), phones + emails == 0);
        }
    }

    #[test]
    fn doubtful_spellings_stay_and_are_counted() {
        let rules = rules(&["birds"], &[company()]).unwrap();
        let mut found = RuleMatches::default();
        rules.search("他有机。密码", false, &mut found).unwrap();
        assert!(found.counts.is_empty() && found.terms.iter().next().is_none());
        assert_eq!(found.counts.doubtful().collect::<Vec<_>>(), [("birds", 1)]);
    }

    #[test]
    fn the_countries_of_a_file_hold_for_the_kind_too() {
        let text = "Call (415) 555-2671";
        assert!(search(&rules(&["phone"], &[]).unwrap(), text).1.is_empty());
        assert_eq!(search(&rules(&["phone"], &[company()]).unwrap(), text).1.len(), 1);
    }
}
