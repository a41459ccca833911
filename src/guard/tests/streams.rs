//! Texts in pieces give the same result as the whole.

use super::guard;
use crate::{Action, Guard, Hit, Spelling};

/// Random numbers, the same in each run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

const RULES: &str = r"
rules:
  - {words: [机密文件, 违禁品], action: block, id: b}
  - {words: [heron, 密文, 机密, ass, blue heron, fi], action: redact, id: r}
  - {words: [on, 文件, 密], kind: substring, action: flag, id: f}
  - {pattern: '\bh(er){1,3}[a-z]?\b', action: redact, id: p}
  - {pattern: '\b\d{3,9}\b|机.{1,4}件', action: flag, id: q}
allow: [机密性研究, heronry, 文件夹]
personal-data: {phone: redact, id-card: flag, bank-card: redact, email: redact, iban: redact, us-ssn: flag, phone-countries: [us, gb]}
";

/// Pieces of which texts are made: parts of rules, separators, invisible characters, characters that fold to several
/// letters.
const PIECES: [&str; 60] = [
    "机密文",
    "违禁",
    "禁品",
    "机",
    "密",
    "文",
    "件",
    "機",
    "违",
    "禁",
    "品",
    "性",
    "研究",
    "夹",
    "heron",
    "her",
    "on",
    "ｈｅ",
    "ron",
    "ry",
    "blue",
    "a",
    "s",
    "ss",
    "ß",
    "ﬁ",
    "е",
    "о",
    " ",
    "·",
    "-",
    "。",
    "\n",
    "\u{200b}",
    "\u{301}",
    "\u{e0100}",
    "😀",
    "█",
    "1381234",
    "5678",
    "138",
    "1",
    "11010519491231002",
    "X",
    "4111",
    "@",
    "b.com",
    ".",
    "[███]",
    "+",
    "+44",
    "(0)",
    "20 7946 0958",
    "020 7946 ",
    "123-45-6789",
    "415-555-",
    "2671",
    "GB82",
    "WEST 1234 5698 7654 32",
    "NO9386011117947",
];

fn text(random: &mut Random) -> String {
    let count = random.below(24);
    let mut text: String = (0..count).map(|_| PIECES[random.below(PIECES.len())]).collect();
    if random.below(40) == 0 {
        let at = text.floor_char_boundary(random.below(text.len() + 1));
        text.insert_str(at, &"\u{200b}".repeat(100 + random.below(1_200)));
    }
    text
}

/// Text that passed, hits, and the hit that blocked.
type Seen = (String, Vec<Hit>, Option<Hit>);

fn at_once(guard: &Guard, text: &str) -> Seen {
    let plain = |mut hit: Hit| {
        hit.context = String::new();
        hit
    };
    match guard.apply(text) {
        Ok(checked) => {
            (checked.text.into_owned(), checked.hits.into_iter().map(plain).collect(), None)
        }
        Err(blocked) => (String::new(), Vec::new(), Some(plain(blocked.hit))),
    }
}

fn in_pieces(guard: &Guard, text: &str, random: &mut Random) -> Seen {
    let mut stream = guard.stream();
    let (mut passed, mut hits) = (String::new(), Vec::new());
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.ceil_char_boundary(1 + random.below(6)));
        rest = behind;
        match stream.push(piece) {
            Ok(more) => {
                passed.push_str(&more.text);
                hits.extend(more.hits);
            }
            Err(blocked) => {
                // The text before the hit was passed on earlier.
                let before = guard.apply(&text[..blocked.hit.range.start]);
                assert!(before.is_ok(), "{text:?}");
                assert_eq!(stream.push("x").unwrap_err(), blocked);
                return (String::new(), Vec::new(), Some(blocked.hit.clone()));
            }
        }
    }
    match stream.finish() {
        Ok(more) => {
            passed.push_str(&more.text);
            hits.extend(more.hits);
            (passed, hits, None)
        }
        Err(blocked) => (String::new(), Vec::new(), Some(blocked.hit)),
    }
}

#[test]
fn pieces_give_what_the_whole_gives() {
    let guard = guard(RULES);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut blocked, mut redacted) = (0, 0);
    for _ in 0..20_000 {
        let text = text(&mut random);
        let whole = at_once(&guard, &text);
        blocked += usize::from(whole.2.is_some());
        redacted += usize::from(whole.0.contains("[███]"));
        assert_eq!(in_pieces(&guard, &text, &mut random), whole, "{text:?}");
    }
    assert!(blocked > 100 && redacted > 1_000, "{blocked} {redacted}");
}

/// Numbers beside numbers, in all groupings that people use.
#[test]
fn numbers_in_pieces_are_those_of_the_whole() {
    let guard = guard("personal-data: {phone: redact, id-card: redact, bank-card: block}");
    let mut random = Random(0x1234_5678_9abc_def1);
    let parts = [
        "138",
        "0013",
        "8000",
        "13800138000",
        "86",
        "110105",
        "19491231",
        "002",
        "X",
        "4111",
        "1111",
        "12",
        "2024",
        "5",
        " ",
        "-",
        "/",
        ".",
        "·",
        "\u{200b}",
        "(",
        ")",
        "a",
        ", ",
        "5500000000000004",
        "٣",
    ];
    let (mut redacted, mut blocked) = (0, 0);
    for _ in 0..5_000 {
        let count = random.below(24);
        let text: String = (0..count).map(|_| parts[random.below(parts.len())]).collect();
        let whole = at_once(&guard, &text);
        redacted += usize::from(whole.0.contains("[███]"));
        blocked += usize::from(whole.2.is_some());
        assert_eq!(in_pieces(&guard, &text, &mut random), whole, "{text:?}");
    }
    assert!(redacted > 100 && blocked > 100, "{redacted} {blocked}");
}

#[test]
fn offsets_are_borders_of_characters_and_a_redacted_text_is_clean() {
    let guard = guard(RULES);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..20_000 {
        let text = text(&mut random);
        let hits = guard.check(&text);
        for hit in &hits {
            assert!(
                text.get(hit.range.clone()).is_some_and(|it| !it.is_empty()),
                "{text:?}: {hit:?}"
            );
        }
        assert!(hits.is_sorted_by_key(|hit| hit.range.start), "{text:?}");
        if let Ok(checked) = guard.apply(&text) {
            let again = guard.apply(&checked.text).unwrap();
            // Two letters that stood between others may stand alone now, and for a pattern a mark is a word boundary.
            let text = &checked.text;
            let has_mark_beside = |hit: &Hit| {
                let (before, after) = (&text[..hit.range.start], &text[hit.range.end..]);
                before.trim_end_matches('\u{200b}').ends_with(']')
                    || after.trim_start_matches('\u{200b}').starts_with('[')
            };
            let is_new = |hit: &Hit| {
                hit.action == Action::Redact
                    && hit.spelling == Spelling::Plain
                    && !(&*hit.rule == "p" && has_mark_beside(hit))
            };
            assert!(!again.hits.iter().any(is_new), "{text:?}: {again:?}");
        }
    }
}

/// A word is found before any of it is sent, and only text that may become one is held back.
#[test]
fn a_word_across_pieces_is_found_before_it_is_sent() {
    let guard = guard(RULES);
    let mut stream = guard.stream();
    assert_eq!(stream.push("This is 机").unwrap().text, "This is ");
    assert_eq!(stream.push("密").unwrap().text, "");
    assert_eq!(stream.push("文").unwrap().text, "");
    // `文件夹` is allowed, and may still follow.
    assert_eq!(stream.push("件").unwrap().text, "");
    assert_eq!(stream.push("。").unwrap().text, "");
    assert_eq!(stream.push("他").unwrap_err().hit.rule.as_ref(), "b");
    let mut stream = guard.stream();
    for piece in ["The 机", "密", "文", "书 lay "] {
        stream.push(piece).unwrap();
        assert!(stream.held() < 16, "{}", stream.held());
    }
    assert_eq!(stream.finish().unwrap().text, "");
}

#[test]
fn what_a_stream_holds_back_is_bounded() {
    let word: String = ('一'..).take(128).collect();
    let guard = guard(&format!(
        "rules: [{{word: {word}, action: redact}}]\npersonal-data: {{phone: redact, email: redact}}"
    ));
    let mut most = 0;
    // The longest word with the longest gaps, then everything else that waits.
    let gap = format!("{}{}", " ".repeat(16), "\u{e0100}".repeat(128));
    let spread: String = word.chars().flat_map(|c| [c.to_string(), gap.clone()]).collect();
    for text in [
        spread,
        "\u{200b}".repeat(100_000),
        "1\u{200b} ".repeat(50_000),
        "1".repeat(200_000),
        "12-".repeat(50_000),
        "a@".repeat(50_000),
        "a\u{301}".repeat(50_000),
    ] {
        let mut stream = guard.stream();
        for piece in text.as_bytes().chunks(997).map(String::from_utf8_lossy) {
            stream.push(&piece).unwrap();
            most = most.max(stream.held());
        }
    }
    assert!(most < 160 * 1024, "{most}");
}

/// Returns rules made of the same pieces as the texts, and of characters of all planes.
fn rules(random: &mut Random) -> String {
    let word = |random: &mut Random| {
        let pieces = (0..1 + random.below(3)).map(|_| PIECES[random.below(PIECES.len())]);
        let word: String = pieces.collect();
        format!("{:?}", word.replace(|c: char| c.is_control() || c == '\u{200b}', ""))
    };
    let (actions, kinds) = (["block", "redact", "flag"], ["word", "substring"]);
    let rules = (0..1 + random.below(6)).map(|_| {
        let (action, kind) = (actions[random.below(3)], kinds[random.below(2)]);
        format!("  - {{word: {}, action: {action}, kind: {kind}}}\n", word(random))
    });
    let rules: String = rules.collect();
    let allow =
        if random.below(2) == 0 { format!("allow: [{}]\n", word(random)) } else { String::new() };
    let doubtful = ["flag", "same", "ignore"][random.below(3)];
    format!("doubtful: {doubtful}\nrules:\n{rules}{allow}personal-data: {{phone: redact}}\n")
}

fn any_text(random: &mut Random) -> String {
    let mut text = text(random);
    for _ in 0..random.below(6) {
        let character = u32::try_from(random.below(0x11_0000)).ok().and_then(char::from_u32);
        let at = text.floor_char_boundary(random.below(text.len() + 1));
        text.extend(character.map(|_| ' '));
        text.insert(at, character.unwrap_or('\u{fffd}'));
    }
    text
}

/// Asserts that no pass removes a mark, and that the text stops changing after some passes. The first pass may not be
/// enough: the text beside a redacted word may become a word of its own, and a part of an allowed phrase may no longer be
/// one.
fn settles(guard: &Guard, redacted: String, of: &str) {
    let marks = |text: &str| text.matches(crate::REDACTED).count();
    let mut before = redacted;
    for _ in 0..8 {
        let Ok(again) = guard.apply(&before) else { return };
        if again.text == before {
            return;
        }
        assert!(marks(&again.text) >= marks(&before), "{of:?}: {before:?}, {:?}", again.text);
        before = again.text.into_owned();
    }
    panic!("{of:?} does not settle: {before:?}");
}

/// For random rules, pieces give the result of the whole, all offsets are character boundaries, and redacting comes to an
/// end.
#[test]
fn all_that_holds_for_these_rules_holds_for_others() {
    let mut random = Random(0xd1b5_4a32_d192_ed03);
    let (mut n_sets, mut blocked, mut redacted) = (0, 0, 0);
    while n_sets < 300 {
        // A word without letters is refused.
        let Ok(set) = crate::RuleSet::yaml("t", &rules(&mut random)) else { continue };
        let guard = Guard::new([set]).unwrap();
        n_sets += 1;
        for _ in 0..40 {
            let text = any_text(&mut random);
            let whole = at_once(&guard, &text);
            assert_eq!(in_pieces(&guard, &text, &mut random), whole, "{text:?}");
            for hit in whole.1.iter().chain(&whole.2) {
                assert!(text.get(hit.range.clone()).is_some_and(|it| !it.is_empty()), "{text:?}");
            }
            blocked += usize::from(whole.2.is_some());
            redacted += usize::from(whole.0.contains(crate::REDACTED));
            if whole.2.is_none() {
                settles(&guard, whole.0, &text);
            }
        }
    }
    assert!(blocked > 500 && redacted > 500, "{blocked} {redacted}");
}
