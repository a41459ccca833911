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
    let cases: [(&str, String); 14] = [
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
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|(name, text)| {
            let error = RuleSet::parse(name, text).expect_err(text);
            assert_eq!(error.kind().name(), "input");
            error.render()
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    a.txt: a word in a line expected, got nothing
    hint: a set without rules would let everything pass; leave the file out instead
    a.txt:2: this word cannot be looked for: it has no letters and no digits, and signs are not looked for
    a.txt:2: this word cannot be looked for: one letter would be found everywhere
    a.txt:1: this word cannot be looked for: it has more than 128 letters
    a.yaml: `rules:` or `personal-data:` expected, got nothing
    hint: a set without rules would let everything pass; leave the file out instead
    a.yaml:2:5: unknown key `wrod`
    hint: did you mean `word`?
    a.yaml:3:13: these are no rules
    unknown variant `blok`, expected one of flag, redact, block at line 3, column 13
    a.yaml:2: `word:` or `words:` expected
    a.yaml:2: this word cannot be looked for: it has no letters and no digits, and signs are not looked for
    a.yaml:2: the id of this rule holds its word
    hint: an id is told wherever something is blocked; name it by a number, or by what it is about
    a.yaml:2: an id of at most 64 letters, digits and `-_./` expected
    a.yaml:1:17: unknown key `passport`
    hint: the keys here are `phone`, `id-card`, `bank-card`, `email`
    a.yaml:1:8: these are no rules
    expected sequence start at line 1, column 8
    a.yaml:1:8: these are no rules
    unclosed bracket '[' at line 1, column 8
    ");
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
