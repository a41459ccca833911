//! What files of rules may say.

use crate::{MAX_SET_BYTES, RuleSet};

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
    let cases: [(&str, String); 24] = [
        ("a.txt", "# nothing\n".into()),
        ("a.txt", "heron\n***\n".into()),
        ("a.txt", "heron\nx\n".into()),
        ("a.txt", long),
        ("a.yaml", "allow: [heron]".into()),
        ("a.yaml", "rules:\n  - wrod: heron\n".into()),
        ("a.yaml", "rules:\n  - word: heron\n    action: blok\n".into()),
        ("a.yaml", "rules:\n  - action: block\n".into()),
        ("a.yaml", "rules:\n  - word: '-'\n".into()),
        ("a.yaml", "rules:\n  - word: heron\n    id: Her-on\n".into()),
        ("a.yaml", "rules:\n  - word: heron\n    id: 'a b'\n".into()),
        ("a.yaml", "personal-data: {passport: block}".into()),
        ("a.yaml", "rules: heron".into()),
        ("a.yaml", "rules: [".into()),
        ("a.yaml", "rules: [heron]".into()),
        ("a.yaml", "rules:\n  - word: [heron]\n".into()),
        ("a.yaml", "- heron".into()),
        ("a.yaml", "rules:\n  - pattern: 'heron+'\n".into()),
        ("a.yaml", "rules:\n  - pattern: 'her\\d'\n    id: a.her1\n".into()),
        ("a.yaml", "rules:\n  - pattern: 'her\\d'\n    kind: word\n".into()),
        ("a.yaml", "personal-data: {phone: block, phone-countries: [gb, ru]}".into()),
        ("a.yaml", "personal-data: {iban: block, phone-countries: [gb]}".into()),
        ("a.yaml", "doubtful: [flag]\nrules: [{word: heron}]".into()),
        ("a.yaml", format!("rules:\n{}", "  - pattern: heron\n".repeat(101))),
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|(name, text)| {
            let error = RuleSet::parse(name, text).expect_err(text);
            assert_eq!(error.kind().name(), "input");
            error.render()
        })
        .collect();
    assert!(told.iter().all(|told| !told.to_lowercase().contains("heron")));
    insta::assert_snapshot!(told.join("\n"), @"");
}

/// Mistakes of all parts of a file are reported at once, in the order of its lines.
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
    insta::assert_snapshot!(RuleSet::parse("a.yaml", yaml).unwrap_err().render(), @"");
    insta::assert_snapshot!(RuleSet::parse("a.txt", "heron\n*\nblue\nx\n").unwrap_err().render(), @"");
    // A file can have any number of them.
    let many = RuleSet::lines("a", &"*\n".repeat(1_000)).unwrap_err();
    assert_eq!(many.to_string(), "a: 1 000 mistakes");
    assert_eq!(many.details().len(), 51);
    assert_eq!(many.details()[50], "and 950 more");
    let many = RuleSet::yaml("a", &format!("rules:\n{}", "- wrod: heron\n".repeat(1_000)));
    assert_eq!(many.unwrap_err().to_string(), "a: 1 000 mistakes");
}

#[test]
fn files_are_bounded() {
    let error = RuleSet::lines("a", &"heron\n".repeat(MAX_SET_BYTES / 6 + 1)).unwrap_err();
    assert!(error.to_string().contains("at most 4194304 expected"), "{error}");
    // As many words as fit are taken, and made ready.
    let many: String = (0..100_000).map(|n| format!("w{n:06}\n")).collect();
    let guard = crate::Guard::new([RuleSet::lines("a", &many).unwrap()]).unwrap();
    assert_eq!(guard.check("w099999 w100000").len(), 1);
    // Aliases that multiply are no rules.
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nrules: [*b,*b,*b,*b]";
    assert!(RuleSet::yaml("a", bomb).is_err());
}
