//! Words that must be found however they are spelled, and text that must not match.

mod data;
mod numbers;
mod sets;
mod streams;

use crate::{Action, Guard, RuleSet, Severity, Spelling};

fn guard(yaml: &str) -> Guard {
    Guard::new([RuleSet::yaml("t", yaml).unwrap()]).unwrap()
}

fn words(lines: &str) -> Guard {
    Guard::new([RuleSet::lines("t", lines).unwrap()]).unwrap()
}

/// Returns the text and the spelling of each hit.
fn found(guard: &Guard, text: &str) -> Vec<(String, Spelling)> {
    guard.check(text).into_iter().map(|hit| (text[hit.range].to_owned(), hit.spelling)).collect()
}

/// Evasions that other filters missed, one by one.
#[test]
fn every_known_evasion_is_found_and_blocked() {
    let guard = words("机密文件\n违禁品\nsecret\n一文");
    for (evasion, text, covered) in [
        ("traditional", "這是機密文件", "機密文件"),
        ("traditional", "賣違禁品的", "違禁品"),
        (
            "characters without width",
            "机\u{200b}密\u{feff}文\u{2060}件",
            "机\u{200b}密\u{feff}文\u{2060}件",
        ),
        ("full width", "a ｓｅｃｒｅｔ!", "ｓｅｃｒｅｔ"),
        ("soft hyphen", "se\u{ad}cr\u{ad}et", "se\u{ad}cr\u{ad}et"),
        ("spaces", "这是机 密 文 件。", "机 密 文 件"),
        ("middle dots", "违·禁·品", "违·禁·品"),
        ("hyphens", "s-e-c-r-e-t", "s-e-c-r-e-t"),
        ("radicals", "⼀⽂", "⼀⽂"),
        ("accents", "se\u{301}cre\u{301}t", "se\u{301}cre\u{301}t"),
        ("selectors", "机\u{e0100}密\u{e0100}文件", "机\u{e0100}密\u{e0100}文件"),
        ("mathematical letters", "𝐬𝐞𝐜𝐫𝐞𝐭", "𝐬𝐞𝐜𝐫𝐞𝐭"),
        ("case", "SeCrEt", "SeCrEt"),
        ("letters of another script", "sесrеt", "sесrеt"),
        ("some separators", "机密-文件", "机密-文件"),
        ("line ends", "机密\n文件", "机密\n文件"),
        ("pictures", "se😀cret", "se😀cret"),
        ("enclosed", "🅢🅔🅒🅡🅔🅣", "🅢🅔🅒🅡🅔🅣"),
    ] {
        let blocked = guard.apply(text).expect_err(evasion);
        assert_eq!(&text[blocked.hit.range.clone()], covered, "{evasion}");
        assert_ne!(blocked.hit.spelling, Spelling::Doubtful, "{evasion}");
        assert_eq!(blocked.hit.severity, Severity::High, "{evasion}");
    }
}

#[test]
fn clean_text_is_clean() {
    let guard = words("机密文件\n违禁品\nsecret\nass\nhell\nsex\ncop\n毒品\n一文");
    for text in [
        "",
        "classic assessment in Essex, hello shell; she passed the class, Scunthorpe",
        "secretary secretly secrets secretion",
        "a helicopter copes",
        "今天天气很好，我们去公园散步。保密工作很重要，文件请归档。",
        "违章停车、禁止吸烟、品质保证",
        "機場巴士與密碼文具",
        "本品毒性低",
        "第一，文件",
        "Das Straßenfest – naïve café, Ελλάδα, Россия, हिन्दी, ภาษาไทย, 한국어, ひらがな",
        "👨‍👩‍👧‍👦 🏳️‍🌈 🇨🇳",
        "1234567890 3.14159 2026-11-23",
        "\u{feff}BOM first, \u{0}controls\u{1b}[0m",
    ] {
        let hits = guard.check(text);
        let plain = hits.iter().filter(|hit| hit.spelling != Spelling::Doubtful).count();
        assert_eq!(plain, 0, "{text}: {hits:?}");
        assert_eq!(guard.apply(text).unwrap().text, text);
    }
    assert!(Guard::new([]).unwrap().is_empty());
    assert_eq!(Guard::new([]).unwrap().apply("secret").unwrap().hits, []);
}

/// Separators that may as well stand between two other words are reported and do not block.
#[test]
fn what_crosses_a_border_is_doubtful() {
    let guard = words("机密\nsecret\ntherapist\n毒品店");
    for text in [
        "他有机。密码",
        "有机 密码",
        "有机, 密码",
        "the rapist",
        "sec, ret",
        "sec ret",
        "消毒。品店",
        // A whole Cyrillic word that happens to look like another one.
        "ѕесгет ѕесrеt".split(' ').next().unwrap_or_default(),
    ] {
        let hits = guard.check(text);
        for hit in &hits {
            assert_eq!((hit.action, hit.severity), (Action::Flag, Severity::Medium), "{text}");
            assert_eq!(hit.spelling, Spelling::Doubtful, "{text}");
        }
        assert_eq!(guard.apply(text).unwrap().text, text);
    }
    let spelled = |text| found(&guard, text);
    assert_eq!(spelled("他有机。密码"), [("机。密".into(), Spelling::Doubtful)]);
    assert_eq!(spelled("有机 密码"), [("机 密".into(), Spelling::Doubtful)]);
    // Two letters with something between them do not belong to neighbours if nothing else is near.
    assert_eq!(spelled("：机 密。"), [("机 密".into(), Spelling::Spread)]);
    assert_eq!(spelled("机·密"), [("机·密".into(), Spelling::Spread)]);
    assert_eq!(spelled("机·密码"), [("机·密".into(), Spelling::Doubtful)]);
    assert_eq!(spelled("sec_ret"), [("sec_ret".into(), Spelling::Spread)]);
    assert_eq!(spelled("机 \u{2588} 密"), []);
    assert_eq!(spelled(&format!("机{}密", " ".repeat(17))), []);
}

#[test]
fn a_set_says_what_comes_of_doubtful_spellings() {
    for (doubtful, action) in
        [("flag", Some(Action::Flag)), ("same", Some(Action::Redact)), ("ignore", None)]
    {
        let guard =
            guard(&format!("doubtful: {doubtful}\nrules: [{{word: 机密, action: redact}}]"));
        let hits = guard.check("有机。密码");
        assert_eq!(hits.first().map(|hit| hit.action), action);
        assert_eq!(guard.check("机密").first().map(|hit| hit.action), Some(Action::Redact));
    }
}

#[test]
fn words_have_borders_and_substrings_have_none() {
    let word = guard("rules: [{word: ass}, {word: AV女优}, {word: 女A, kind: word}]");
    let substring = guard("rules: [{word: ass, kind: substring}, {word: 女A}]");
    for (text, as_word, as_substring) in [
        ("class", false, true),
        ("ass", true, true),
        ("这是ass的", true, true),
        ("_ass_", true, true),
        ("ass1", false, true),
        ("assß", false, true),
        ("a\u{301}ssb\u{301}", false, true),
        // A mark belongs to the letter before, and is no boundary.
        ("e\u{301}\u{200b}ass", false, true),
        ("JAV女优", true, false),
        ("女a", true, true),
        ("男女a", true, true),
        ("女ab", false, true),
    ] {
        assert_eq!(!word.check(text).is_empty(), as_word, "{text}");
        assert_eq!(!substring.check(text).is_empty(), as_substring, "{text}");
    }
}

#[test]
fn what_lies_within_a_find_is_told_only_if_it_does_more() {
    let guard = guard(
        "rules: [{word: 机密文件, action: redact, id: r}, {word: 文件, action: flag, id: f}, {word: 密文, id: b}]",
    );
    let rules = |text: &str| -> Vec<String> {
        guard.check(text).into_iter().map(|hit| hit.rule.to_string()).collect()
    };
    assert_eq!(rules("机密文件"), ["r", "b"]);
    assert_eq!(rules("文件"), ["f"]);
}

#[test]
fn what_a_set_allows_is_no_hit_of_its_own_rules() {
    let set = |name, yaml| RuleSet::yaml(name, yaml).unwrap();
    let one = set(
        "one",
        "rules: [{word: 机密, action: redact}, {word: thorpe, kind: substring}]\nallow: [机密性研究, Scunthorpe]",
    );
    let both =
        Guard::new([one.clone(), set("two", "rules: [{word: 机密, action: flag}]")]).unwrap();
    let one = Guard::new([one]).unwrap();
    assert_eq!(one.apply("机密性研究 in SCUNTHORPE").unwrap().hits, []);
    assert_eq!(one.apply("机密性研 机密性研究 机密").unwrap().text, "[███]性研 机密性研究 [███]");
    assert!(one.apply("thorpe").is_err());
    // Another spelling is not the allowed phrase.
    assert!(!one.check("机密性·研究").is_empty());
    // Nor does it count for the rules of another set.
    assert_eq!(both.check("机密性研究")[0].rule.as_ref(), "two/1");
}

#[test]
fn redacting_leaves_the_rest_as_it_was() {
    let guard = guard("action: redact\nrules: [{words: [blue heron, 机密文件, 密文, heron]}]");
    for (text, redacted) in [
        ("A Blue  Heron!", "A [███]!"),
        ("机密文件机密文件", "[███]"),
        ("机密文密文件", "机[███]件"),
        ("é heron é", "é [███] é"),
        ("blue\u{301}heron\u{301}.", "[███]\u{301}."),
    ] {
        let checked = guard.apply(text).unwrap();
        assert_eq!(checked.text, redacted, "{text}");
        let again = guard.apply(&checked.text).unwrap();
        assert_eq!(again.text, checked.text, "{text}");
    }
}

#[test]
fn nothing_that_is_told_repeats_the_word() {
    let guard = words("# comment\n\n机密文件\nheron\n");
    let text = "heron, 这是机密文件 and a heron";
    let blocked = guard.apply(text).unwrap_err();
    assert_eq!(blocked.to_string(), "blocked by the rule `t/4`");
    let error = mitt_base::Error::from(*blocked.clone()).at("document `a.txt`");
    assert_eq!(error.render(), "document `a.txt`: blocked by the rule `t/4`");
    assert_eq!(error.kind(), &mitt_base::ErrorKind::Blocked);
    assert!(!error.is_retryable());
    let hits = guard.check(text);
    let listing =
        format!("{blocked:?} {hits:?} {guard:?} {:?}", RuleSet::lines("t", "heron").unwrap());
    assert!(!listing.contains("heron") && !listing.contains("机密"), "{listing}");
    assert_eq!(hits[1].context, "[███], 这是[███] and a [███]");
    assert_eq!(hits[1].rule.as_ref(), "t/3");
}

/// Long runs of invisible characters hide nothing: they are redacted.
#[test]
fn rows_of_hidden_characters_are_redacted() {
    let guard = words("secret");
    let hidden = |count| "\u{200b}".repeat(count);
    let text = format!("se{}cret", hidden(128));
    assert!(guard.apply(&text).is_err());
    let text = format!("se{}cret", hidden(5_000));
    let checked = guard.apply(&text).unwrap();
    assert_eq!(checked.text, format!("se{}[███]cret", hidden(128)));
    assert!(checked.hits.iter().all(|hit| hit.rule.as_ref() == "hidden-text"));
    assert_eq!(guard.apply(&checked.text).unwrap().text, checked.text);
    // No letter has that many marks either.
    assert!(guard.apply(&format!("a{}", "\u{301}".repeat(200))).unwrap().text.ends_with("[███]"));
}

#[test]
fn hits_are_bounded_and_all_are_redacted() {
    let guard = guard("rules: [{word: heron, action: redact}]");
    let text = "heron, ".repeat(3_000);
    let checked = guard.apply(&text).unwrap();
    assert_eq!((checked.hits.len(), checked.more), (1_000, 2_000));
    assert_eq!(checked.text, "[███], ".repeat(3_000));
    assert!(checked.hits.iter().all(|hit| !hit.context.contains("heron")));
}

/// The worst known texts take only a few times as long as plain text.
#[test]
fn hostile_texts_take_linear_time() {
    let lines: String = (2..=128).map(|count| format!("{}\n", "a".repeat(count))).collect();
    let set = format!(
        "action: flag\nrules:\n{}",
        lines
            .lines()
            .map(|it| format!("  - {{word: {it}, kind: substring}}\n"))
            .collect::<String>()
    );
    let guard = Guard::new([RuleSet::yaml("a", &set).unwrap()]).unwrap();
    let begin = std::time::Instant::now();
    for text in
        ["a".repeat(4_000), "a\u{200b} ".repeat(4_000), "1 ".repeat(20_000), "a@".repeat(20_000)]
    {
        guard.apply(&text).unwrap();
    }
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}

/// Matches are found that markup divides or escapes and entities spell, and the markup stays.
#[test]
fn a_text_is_looked_at_as_its_reader_sees_it() {
    let guard = guard(
        "rules: [{words: [secretword, 机密文件], action: redact}]\npersonal-data: {phone: redact}",
    );
    for (text, redacted) in [
        ("a [secret](http://a.b)word.", "a [[███]](http://a.b)."),
        ("机[](x)密文件", "[███][](x)"),
        ("<p>sec<a href='x'>ret</a>word</p>", "<p>[███]<a href='x'></a></p>"),
        ("{\"a\": \"\\u673a\\u5bc6文件\"}", "{\"a\": \"[███]\"}"),
        ("&#x673a;密<!-- x -->文件, 机密文件", "[███]<!-- x -->, [███]"),
        ("tel **138**0013<b>8000</b>.", "tel **[███]**<b></b>."),
        ("138\\-0013\\-8000 [1] <b>bold</b>", "[███] [1] <b>bold</b>"),
        ("<td>机密</td><td>文件</td> [a](b) word", "<td>机密</td><td>文件</td> [a](b) word"),
    ] {
        let checked = guard.apply_read(text).unwrap();
        assert_eq!(checked.text, redacted, "{text}");
        assert_eq!(guard.apply_read(&checked.text).unwrap().text, redacted, "{text}");
    }
    let block = words("secret");
    assert!(block.apply_read("<i>sec</i>ret").is_err() && block.apply_read("secretary").is_ok());
    // Hits of both looks count once.
    let flag = super::tests::guard("action: flag\nrules: [{word: heron}]");
    assert_eq!(flag.apply_read("heron **heron** her<b>on</b>").unwrap().hits.len(), 3);
    // Also in large texts.
    let long = format!("{}[sec](x)retword", "word <b>x</b> ".repeat(20_000));
    assert!(guard.apply_read(&long).unwrap().text.ends_with(" [[███]](x)"));
    let many = "se<b>cretword ".repeat(2_000);
    let checked = guard.apply_read(&many).unwrap();
    assert_eq!((checked.hits.len(), checked.more, checked.left_out.len()), (1_000, 1_000, 2_000));
}
