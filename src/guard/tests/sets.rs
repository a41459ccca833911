//! Valid and invalid files of rules.

use mitt_base::rows::counted;

use crate::expression::Expression;
use crate::{Guard, MAX_SET_BYTES, RuleSet};

#[test]
fn the_ending_of_a_file_says_how_it_is_read() {
    let lines = RuleSet::parse("/x/own words.txt", "\u{feff}# c\n heron \r\n\n机密\n").unwrap();
    assert_eq!((lines.name(), lines.words()), ("own words", 2));
    let yaml = RuleSet::parse("rules.YML", "rules: [{words: [heron, 机密]}]").unwrap();
    assert_eq!((yaml.name(), yaml.words()), ("rules", 2));
}

#[test]
fn mistakes_are_told_with_their_lines_and_without_the_words() {
    let long = "x".repeat(129);
    let cases: [(&str, String, &str); 24] = [
        ("a.txt", "# nothing\n".into(), "a.txt: expected a word in a line, got nothing"),
        (
            "a.txt",
            "heron\n***\n".into(),
            "a.txt:2: this word cannot be looked for: it has no letters",
        ),
        ("a.txt", "heron\nx\n".into(), "a.txt:2: this word cannot be looked for: one letter"),
        ("a.txt", long, "a.txt:1: this word cannot be looked for: it has more than 128 letters"),
        ("a.yaml", "allow: [heron]".into(), "a.yaml: expected `rules:` or `personal-data:`"),
        (
            "a.yaml",
            "rules:\n  - wrod: heron\n".into(),
            "a.yaml:2:5: unknown key `wrod`\nhint: did you mean `word`?",
        ),
        (
            "a.yaml",
            "rules:\n  - word: heron\n    action: blok\n".into(),
            "a.yaml:3:13: expected one of `flag`, `redact`, `block`, got `blok`",
        ),
        (
            "a.yaml",
            "rules:\n  - action: block\n".into(),
            "a.yaml:2: expected `word:`, `words:` or `pattern:`",
        ),
        (
            "a.yaml",
            "rules:\n  - word: '-'\n".into(),
            "a.yaml:2: this word cannot be looked for: it has no letters",
        ),
        (
            "a.yaml",
            "rules:\n  - word: heron\n    id: Her-on\n".into(),
            "a.yaml:2: the id of this rule holds its word",
        ),
        (
            "a.yaml",
            "rules:\n  - word: heron\n    id: 'a b'\n".into(),
            "a.yaml:2: expected an id of at most 64 letters",
        ),
        (
            "a.yaml",
            "personal-data: {passport: block}".into(),
            "a.yaml:1:17: unknown key `passport`\nhint: the keys here are `phone`",
        ),
        ("a.yaml", "rules: heron".into(), "a.yaml:1:8: expected a list"),
        ("a.yaml", "rules: [".into(), "a.yaml:1:8: these are no rules"),
        ("a.yaml", "rules: [heron]".into(), "a.yaml:1:9: expected keys and values: `word`"),
        ("a.yaml", "rules:\n  - word: [heron]\n".into(), "a.yaml:2:11: expected a text"),
        ("a.yaml", "- heron".into(), "a.yaml:1:1: expected keys and values: `action`"),
        (
            "a.yaml",
            "rules:\n  - pattern: 'heron+'\n".into(),
            "a.yaml:2: this pattern cannot be looked for: it has no end",
        ),
        (
            "a.yaml",
            "rules:\n  - pattern: 'her\\d'\n    id: a.her1\n".into(),
            "a.yaml:2: the id of this rule holds its pattern",
        ),
        (
            "a.yaml",
            "rules:\n  - pattern: 'her\\d'\n    kind: word\n".into(),
            "a.yaml:2: `kind` is said of words only",
        ),
        (
            "a.yaml",
            "personal-data: {phone: block, phone-countries: [gb, ru]}".into(),
            "a.yaml:1: phone-countries: how `ru` writes its phones",
        ),
        (
            "a.yaml",
            "personal-data: {iban: block, phone-countries: [gb]}".into(),
            "a.yaml:1: phone-countries: expected `phone` beside it",
        ),
        (
            "a.yaml",
            "doubtful: [flag]\nrules: [{word: heron}]".into(),
            "a.yaml:1:11: expected one of `flag`, `same`, `ignore`",
        ),
        (
            "a.yaml",
            format!("rules:\n{}", "  - pattern: heron\n".repeat(101)),
            "a.yaml:102: expected at most 100 patterns in a file",
        ),
    ];
    for (name, text, wanted) in &cases {
        let error = RuleSet::parse(name, text).expect_err(text);
        assert_eq!(error.kind().name(), "input");
        let reported = error.render();
        assert!(reported.starts_with(wanted), "{text}: {reported}");
        assert!(!reported.to_lowercase().contains("heron"), "{reported}");
    }
}

/// Mistakes in all parts of a file are reported at once, in the order of lines.
#[test]
fn all_mistakes_are_told_at_once() {
    let yaml = "action: blok
rules:
  - word: heron
    sevrity: high
  - words: [blue, '-', '*']
    id: 'a b'
  - pattern: '('
  - word: grey
    action: 7
  - {}
allow: [x]
doubtful: never
personal-data:
  passport: block
  phone: yes
  phone-countries: [zz]
more: 1
";
    let error = RuleSet::parse("a.yaml", yaml).unwrap_err();
    assert_eq!(error.message(), "a.yaml: 15 mistakes");
    let places = [
        "1:9:", "4:5:", "5:", "5:", "5:", "7:", "9:13:", "10:", "11:", "12:11:", "14:3:", "15:10:",
        "16:", "16:", "17:1:",
    ];
    for (place, detail) in places.iter().zip(error.details()) {
        assert!(detail.starts_with(&format!("a.yaml:{place} ")), "{place} {detail}");
    }
    let error = RuleSet::parse("a.txt", "heron\n*\nblue\nx\n").unwrap_err();
    assert_eq!(error.message(), "a.txt: 2 mistakes");
    assert!(error.details()[1].starts_with("a.txt:4: "), "{}", error.render());
    // A file can have any number of them.
    let many = RuleSet::lines("a", &"*\n".repeat(1_000)).unwrap_err();
    assert_eq!(many.message(), format!("a: {}", counted(1_000, "mistake")));
    assert_eq!(many.details().len(), 51);
    assert_eq!(many.details()[50], "and 950 more");
    let many = RuleSet::yaml("a", &format!("rules:\n{}", "- wrod: heron\n".repeat(1_000)));
    assert_eq!(many.unwrap_err().message(), format!("a: {}", counted(1_000, "mistake")));
}

#[test]
fn files_are_bounded() {
    let error = RuleSet::lines("a", &"heron\n".repeat(MAX_SET_BYTES / 6 + 1)).unwrap_err();
    assert!(error.to_string().contains("expected at most 4194304"), "{error}");
    // The most words that fit are accepted and compiled.
    let many: String = (0..100_000).map(|n| format!("w{n:06}\n")).collect();
    let guard = Guard::new([RuleSet::lines("a", &many).unwrap()]).unwrap();
    assert_eq!(guard.check("w099999 w100000").len(), 1);
    // Aliases that multiply are refused.
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nrules: [*b,*b,*b,*b]";
    assert!(RuleSet::yaml("a", bomb).is_err());
}

#[test]
fn a_guard_takes_more_sets_and_keeps_its_own() {
    let common = Guard::new([RuleSet::lines("common", "heron").unwrap()]).unwrap();
    let both = common.with([RuleSet::lines("own", "kingfisher").unwrap()]).unwrap();
    let rules = |guard: &Guard| {
        let hits = guard.check("a heron and a kingfisher");
        hits.iter().map(|hit| hit.rule.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(rules(&both), ["common/1", "own/1"]);
    assert_eq!(rules(&common), ["common/1"]);
    assert!(common.is_same(&common.clone()) && !common.is_same(&both));
    assert_eq!((common.rules(), both.rules()), (1, 2));
    let personal = RuleSet::yaml("data", "personal-data: { phone: redact, email: flag }").unwrap();
    assert_eq!(both.with([personal]).unwrap().rules(), 4);
    assert_eq!(Guard::new([]).unwrap().rules(), 0);
}

/// Sets that search for the same kind of personal data: the strongest action counts, and among equals the first set.
#[test]
fn no_set_weakens_the_personal_data_of_another() {
    let set = |name: &str, action: &str| {
        RuleSet::yaml(name, &format!("personal-data: {{ phone: {action} }}")).unwrap()
    };
    for (first, second, rule) in [
        ("block", "flag", "a/phone"),
        ("flag", "block", "b/phone"),
        ("redact", "flag", "a/phone"),
        ("flag", "redact", "b/phone"),
        ("redact", "block", "b/phone"),
        ("block", "redact", "a/phone"),
        ("redact", "redact", "a/phone"),
    ] {
        let guard = Guard::new([set("a", first), set("b", second)]).unwrap();
        let hits = guard.check("call 13800138000");
        let found: Vec<&str> = hits.iter().map(|hit| &*hit.rule).collect();
        assert_eq!(found, [rule], "{first}, {second}");
    }
}

/// Compiling takes long, so a file of patterns cannot make it happen any number of times.
#[test]
fn patterns_are_bounded_together() {
    let begun = std::time::Instant::now();
    let mut sizes = (1..=60).rev().map(|length| format!(r"\w{{{length}}}"));
    let large = sizes.find(|written| Expression::new(written).is_ok()).unwrap();
    let rules = |written: &str, count| {
        let rule = format!("  - pattern: '{written}'\n");
        RuleSet::yaml("a", &format!("rules:\n{}", rule.repeat(count)))
    };
    assert_eq!(rules(&large, 10).unwrap().words(), 10);
    let error = rules(&large, 400).unwrap_err();
    assert!(error.message().contains("too large together"), "{}", error.render());
    for wrong in ["(.*a.*b.*c){20}x", "a+"] {
        let error = rules(wrong, 400).unwrap_err();
        assert_eq!((error.message(), error.details().len()), ("a: 51 mistakes", 51));
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn a_set_lists_its_rules_and_can_be_narrowed_to_some() {
    let yaml = "
rules:
  - { words: [heron, kite], id: birds, action: redact }
  - word: secret
  - pattern: 'PRJ-\\d{4}'
allow: [kite flying]
personal-data: { phone: redact, email: flag }
";
    let set = RuleSet::yaml("t", yaml).unwrap();
    let ids: Vec<String> = set.rule_ids().iter().map(ToString::to_string).collect();
    assert_eq!(ids, ["birds", "t/2", "t/3", "t/phone", "t/email"]);
    let some = set.only(|id| matches!(id, "birds" | "t/phone"));
    assert_eq!(some.rule_ids().len(), 2);
    let guard = Guard::new([some]).unwrap();
    let text = "a kite, kite flying, secret, PRJ-1234, a@b.example, 13800138000";
    let mut found = Vec::new();
    guard.each_hit(text, |hit| found.push((hit.rule.to_string(), &text[hit.range.clone()])));
    let hit = |rule: &str, text| (rule.to_owned(), text);
    assert_eq!(found, [hit("birds", "kite"), hit("t/phone", "13800138000")]);
}

#[test]
fn every_hit_is_given_however_many_there_are() {
    let guard = Guard::new([RuleSet::lines("t", "heron").unwrap()]).unwrap();
    let (text, mut count) = ("a heron. ".repeat(3_000), 0);
    guard.each_hit(&text, |_| count += 1);
    assert_eq!((count, guard.check(&text).len()), (3_000, 1_000));
}
