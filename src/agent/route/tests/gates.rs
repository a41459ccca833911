//! Gates 0 and 1 together, and properties that hold for any message.

use super::sentences;
use crate::route::{
    Candidate, Forks, Incoming, Intent, Resolved, Routed, Typed, classify, resolve, route,
};

const SKILLS: [Candidate<'static>; 3] = [
    Candidate { name: "excel-code-runner", by_user: true },
    Candidate { name: "report", by_user: true },
    Candidate { name: "reader", by_user: false },
];

fn shown(incoming: Incoming<'_>) -> String {
    match route(incoming, &SKILLS) {
        Ok(Routed { trace, intent, has_tools, forks, .. }) => {
            format!(
                "{trace} {} {forks:?}{}",
                intent.name(),
                if has_tools { "" } else { " no tools" }
            )
        }
        Err(not) => format!("{} {}", not.trace, not.error),
    }
}

#[test]
fn messages_go_their_ways() {
    let of = |message| Incoming { message, ..Incoming::default() };
    let hint = |message, hint| Incoming { hint: Some(hint), ..of(message) };
    for (incoming, expected) in [
        // Last row of the reference's matrix.
        (of("/excel_code_runner 分析数据"), "slash_direct action Allowed"),
        (of("/Excel-Code-Runner"), "slash_direct action Allowed"),
        (of("/nothing 分析数据"), "slash_not_found there is no skill `/nothing`"),
        (of("/reader x"), "slash_not_user_invocable the skill `reader` is not for people to call"),
        (
            of("/report 'x"),
            "slash_wrong_arguments /report: argument 1: the quote `'` at character 1 is not closed",
        ),
        (hint("anything", "Report"), "hint_direct action Allowed"),
        (hint("thanks", "nothing"), "hint_not_found there is no skill `nothing`"),
        (hint("/report x", "nothing"), "slash_direct action Allowed"),
        (of("//report is what?"), "confident_direct ambiguous NeedConfirmation"),
        (of("/etc/hosts is what?"), "confident_direct action Allowed"),
        (of("你能做什么"), "confident_direct+meta meta Suppressed"),
        (of("处理一下数据"), "confident_direct ambiguous NeedConfirmation"),
        (of("帮我分析销售数据.xlsx"), "confident_direct action Allowed"),
        (of("谢谢！"), "confident_direct+chitchat chitchat Suppressed no tools"),
        (
            Incoming { has_new_documents: true, ..of("谢谢！") },
            "confident_direct+chitchat+tools_kept_new_documents ambiguous NeedConfirmation",
        ),
        (
            Incoming { has_pictures: true, ..of("hi") },
            "confident_direct+chitchat+tools_kept_pictures ambiguous NeedConfirmation",
        ),
        (
            Incoming { is_question_pending: true, ..of("ok thanks") },
            "confident_direct+chitchat+tools_kept_question_pending ambiguous NeedConfirmation",
        ),
        (
            Incoming { has_tool_results: true, ..of("thanks") },
            "confident_direct+chitchat+tools_kept_tools_used ambiguous NeedConfirmation",
        ),
        (
            Incoming { has_active_skill: true, ..of("thanks") },
            "confident_direct+chitchat+tools_kept_active_skill ambiguous NeedConfirmation",
        ),
    ] {
        assert_eq!(shown(incoming), expected, "{incoming:?}");
    }
    let routed = route(of("/report 2025 '第一 季度'"), &SKILLS).unwrap();
    let called = routed.skill.unwrap();
    assert_eq!(called.arguments, ["2025", "第一 季度"]);
    assert_eq!(
        (called.all.as_str(), routed.words.as_str()),
        ("2025 '第一 季度'", "/report 2025 '第一 季度'")
    );
    assert_eq!(route(of("//x y"), &SKILLS).unwrap().words, "/x y");
}

/// Returns a text of random letters, signs and scripts.
fn text(random: &mut fastrand::Rng, most: usize) -> String {
    const RANGES: [(char, char); 6] =
        [(' ', '~'), ('一', '龥'), ('\u{ff01}', '\u{ff5e}'), ('à', 'ÿ'), ('а', 'я'), ('😀', '😿')];
    let letter = |random: &mut fastrand::Rng| {
        let (from, to) = RANGES[random.usize(..RANGES.len())];
        random.char(from..=to)
    };
    (0..random.usize(..=most)).map(|_| letter(random)).collect()
}

/// Returns a random name of a skill.
fn name(random: &mut fastrand::Rng) -> String {
    let rest = (0..random.usize(1..20)).map(|_| random.alphanumeric().to_ascii_lowercase());
    let rest: String = rest.collect();
    format!("s{rest}")
}

/// Returns a name in other letter case, with hyphens and underscores anywhere.
fn varied(name: &str, random: &mut fastrand::Rng) -> String {
    let mut varied = String::new();
    for letter in name.chars() {
        if random.bool() {
            varied.extend(letter.to_uppercase())
        } else {
            varied.push(letter)
        }
        varied.push_str(["-", "_", "", ""][random.usize(..4)]);
    }
    varied
}

/// A message that names a file requests work on it, or forbids it.
#[test]
fn a_file_makes_no_small_talk_and_no_question_about_abilities() {
    for (_, sentence) in sentences::all() {
        for file in ["a.xlsx", "sales_2025.csv", "报告.docx", "/tmp/x.md", "https://example.org/a"]
        {
            for message in [format!("{file} {sentence}"), format!("{sentence} {file}")] {
                let intent = classify(&message);
                assert!(
                    matches!(intent, Intent::Action | Intent::Ambiguous),
                    "{message}: {intent:?}"
                );
            }
        }
    }
}

#[test]
fn any_text_has_one_intent() {
    let mut random = fastrand::Rng::with_seed(19);
    for _ in 0..2_000 {
        let text = text(&mut random, 200);
        let intent = classify(&text);
        assert_eq!(classify(&text), intent);
        assert_eq!(classify(&format!(" {text}\n")), intent, "{text}");
        assert!(intent != Intent::Chitchat || text.trim().chars().count() <= 50, "{text}");
    }
}

/// Upper case and full-width forms mean the same.
#[test]
fn case_and_width_mean_nothing() {
    let wide = |letter| match letter {
        'a'..='z' | 'A'..='Z' | '?' | '!' | ',' => {
            char::from_u32(letter as u32 + 0xfee0).unwrap_or(letter)
        }
        letter => letter,
    };
    for (_, sentence) in sentences::all() {
        let intent = classify(sentence);
        assert_eq!(classify(&sentence.to_uppercase()), intent, "{sentence}");
        let wide: String = sentence.chars().map(wide).collect();
        assert_eq!(classify(&wide), intent, "{wide}");
    }
}

/// Two slashes give any words with a single slash, and never a command.
#[test]
fn a_doubled_slash_says_words_as_they_are() {
    let mut random = fastrand::Rng::with_seed(20);
    for _ in 0..1_000 {
        let message = format!("//{}", text(&mut random, 40));
        assert_eq!(Typed::of(&message), Typed::Escaped(&message.trim()[1..]));
    }
}

#[test]
fn names_are_found_however_they_are_written_and_others_are_not() {
    let mut random = fastrand::Rng::with_seed(21);
    for _ in 0..1_000 {
        let (name, other) = (name(&mut random), name(&mut random));
        let skills = [Candidate { name: &name, by_user: true }];
        let varied = varied(&name, &mut random);
        assert_eq!(resolve(&varied, &skills), Resolved::Found(name.clone()), "{varied}");
        if name != other {
            assert!(matches!(resolve(&other, &skills), Resolved::Unknown(_)), "{name} {other}");
        }
    }
}

/// The trace of a message is consistent with how it is handled.
#[test]
fn a_trace_says_what_is_done() {
    for (_, message) in sentences::all() {
        for bits in 0..8_u8 {
            let incoming = Incoming {
                message,
                has_new_documents: bits & 1 != 0,
                is_question_pending: bits & 2 != 0,
                has_tool_results: bits & 4 != 0,
                ..Incoming::default()
            };
            let routed = route(incoming, &SKILLS).unwrap();
            assert_eq!(route(incoming, &SKILLS).unwrap(), routed);
            let trace = routed.trace.to_string();
            assert_eq!(trace == "confident_direct+chitchat", !routed.has_tools, "{message}");
            assert_eq!(trace.ends_with("+meta"), routed.intent == Intent::Meta, "{message}");
            let is_less = !routed.has_tools || routed.intent == Intent::Meta;
            assert_eq!(routed.forks == Forks::Suppressed, is_less, "{message}");
            // They only remove: no skill is picked.
            assert!(routed.skill.is_none() && (routed.has_tools || bits == 0), "{message}");
        }
    }
}
