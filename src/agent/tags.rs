//! Tags in the answer of a model, for models that were trained to deliver files by them: `[FILE_GENERATED: report.xlsx]` names a
//! file, and `<<<RENDER:pdf>>>` on the last line, or several such lines, render the answer.
//!
//! A tag is only another notation for a call: it is checked like one, and only files that the host has registered count. A tag in
//! a code block or in the middle of a text is text. Off by default.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use crate::model::{ModelCall, ModelResponse};

/// Tool that renders.
const DELIVER: &str = "report__deliver";

/// The render tag without a format.
const BARE: &str = "<<>>";

/// Formats that a tag may name. The tool says which of them it can write.
const FORMATS: [&str; 6] = ["pdf", "docx", "html", "xlsx", "md", "txt"];

/// Most characters of a heading that becomes a file name.
const NAME: usize = 40;

/// Returns whether a text, such as that of a document, contains a render tag, which the model may then merely repeat.
pub(crate) fn is_in(text: &str) -> bool {
    text.contains(BARE) || text.to_ascii_uppercase().contains("<<<RENDER:")
}

/// Returns the answer with its render tags as calls, if it ends with any: one for each format on the last lines. `number` is part
/// of the calls' ids.
pub(crate) fn as_call(answer: &ModelResponse, number: usize) -> Option<ModelResponse> {
    if !answer.calls.is_empty() {
        return None;
    }
    let lines = plain_lines(&answer.text).filter(|(_, line)| !line.trim().is_empty());
    let lines: Vec<_> = lines.collect();
    let mut formats = Vec::new();
    let mut end = answer.text.len();
    for (at, line) in lines.into_iter().rev() {
        // Only other tags may follow it, not even the end of a code block.
        let is_last = answer.text[at + line.len()..end].trim().is_empty();
        let Some(format) = format_of(line.trim()).filter(|_| is_last) else { break };
        // A format that is named twice is one file.
        if !formats.contains(&format) {
            formats.insert(0, format);
        }
        end = at;
    }
    if formats.is_empty() {
        return None;
    }
    let text = answer.text[..end].trim_end().to_owned();
    let name = name_of(&text);
    let call = |(index, format): (usize, &&str)| {
        let filename = format!("{name}.{format}");
        let arguments = json!({ "markdown": text, "filename": filename }).to_string();
        let id = match index {
            0 => format!("tag-{number}"),
            index => format!("tag-{number}-{}", index + 1),
        };
        ModelCall { id, name: DELIVER.to_owned(), arguments }
    };
    let calls = formats.iter().enumerate().map(call).collect();
    Some(ModelResponse { text, reasoning: answer.reasoning.clone(), calls })
}

fn format_of(tag: &str) -> Option<&'static str> {
    if tag == BARE {
        return Some(FORMATS[0]);
    }
    let upper = tag.to_ascii_uppercase();
    let format = upper.strip_prefix("<<<RENDER:")?.strip_suffix(">>>")?.trim();
    FORMATS.into_iter().find(|known| known.eq_ignore_ascii_case(format))
}

/// Returns the names of the files that the answer claims to exist.
pub(crate) fn claimed(answer: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (_, line) in plain_lines(answer) {
        for found in FILE.iter().flat_map(|file| file.captures_iter(line)) {
            let name = name_in(&found[1]);
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Returns the answer without the tags of existing files.
pub(crate) fn without(answer: &str, is_there: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(answer.len());
    let mut done = 0;
    for (at, line) in plain_lines(answer) {
        let Some(file) = FILE.as_ref() else { break };
        let kept = file.replace_all(line, |found: &regex::Captures<'_>| {
            if is_there(&name_in(&found[1])) { String::new() } else { found[0].to_owned() }
        });
        if kept != line {
            out.push_str(&answer[done..at]);
            done = at + line.len();
            // A line that contained nothing else is removed.
            if !kept.trim().is_empty() {
                out.push_str(&kept);
            }
        }
    }
    out + &answer[done..]
}

static FILE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[FILE_GENERATED:\s*([^\]\r\n]{1,300}?)\s*\]").ok());

/// Returns the name at the end of a path of any system.
fn name_in(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or_default().trim().to_owned()
}

/// Returns the lines outside of code blocks, with their line ends and start positions.
fn plain_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut at, mut fence) = (0, None::<(char, usize)>);
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let marks = line.trim_start();
        let indent = line.len() - marks.len();
        let sign = marks.chars().next().filter(|sign| ['`', '~'].contains(sign) && indent < 4);
        let count = sign.map_or(0, |sign| marks.chars().take_while(|it| *it == sign).count());
        match (fence, sign) {
            (None, Some(sign)) if count >= 3 => {
                fence = Some((sign, count));
                None
            }
            (None, _) => Some((start, line)),
            (Some((open, least)), Some(sign)) => {
                if sign == open && count >= least && marks[count..].trim().is_empty() {
                    fence = None;
                }
                None
            }
            (Some(_), None) => None,
        }
    })
}

/// Returns a file name made from the first heading of a text.
fn name_of(text: &str) -> String {
    let heading = text.lines().find_map(|line| line.trim_start().strip_prefix('#'));
    let plain = |character: char| match character {
        it if it.is_alphanumeric() || it == '_' || it == '-' => it,
        _ => ' ',
    };
    let words: String = heading.unwrap_or_default().chars().map(plain).take(NAME).collect();
    let name = words.split_whitespace().collect::<Vec<_>>().join("-");
    if name.is_empty() { "report".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str) -> Option<String> {
        let answer = ModelResponse { text: text.into(), ..ModelResponse::default() };
        as_call(&answer, 3).map(|answer| format!("{} | {}", answer.text, answer.calls[0].arguments))
    }

    #[test]
    fn the_last_line_renders_what_stands_before_it() {
        insta::assert_snapshot!(call("# 2025 年：总结/报告\n\nDAU +10 %\n\n<<<RENDER:pdf>>>\n\n").unwrap(), @r##"
        # 2025 年：总结/报告

        DAU +10 % | {"markdown":"# 2025 年：总结/报告\n\nDAU +10 %","filename":"2025-年-总结-报告.pdf"}
        "##);
        insta::assert_snapshot!(call("Fine.\n<<<render: DOCX >>>").unwrap(), @r#"Fine. | {"markdown":"Fine.","filename":"report.docx"}"#);
        insta::assert_snapshot!(call("Fine.\n<<>>").unwrap(), @r#"Fine. | {"markdown":"Fine.","filename":"report.pdf"}"#);
        let several = "Fine.\n\n<<<RENDER:xlsx>>>\n<<>>\n\n<<<RENDER:html>>>\n<<<RENDER:pdf>>>\n";
        let called =
            as_call(&ModelResponse { text: several.into(), ..ModelResponse::default() }, 3)
                .unwrap();
        assert_eq!(called.text, "Fine.", "tag lines never reach the file");
        let calls: Vec<_> =
            called.calls.iter().map(|it| format!("{} {}", it.id, it.arguments)).collect();
        insta::assert_snapshot!(calls.join("\n"), @r#"
        tag-3 {"markdown":"Fine.","filename":"report.xlsx"}
        tag-3-2 {"markdown":"Fine.","filename":"report.html"}
        tag-3-3 {"markdown":"Fine.","filename":"report.pdf"}
        "#);
        // Another line ends them, so the tag above it is text.
        let mixed = ModelResponse {
            text: "A\n<<<RENDER:pdf>>>\nB\n<<<RENDER:docx>>>".into(),
            ..ModelResponse::default()
        };
        let called = as_call(&mixed, 3).unwrap();
        assert_eq!((called.text.as_str(), called.calls.len()), ("A\n<<<RENDER:pdf>>>\nB", 1));
        let fenced = ModelResponse {
            text: "A\n```\n<<<RENDER:pdf>>>\n```\n<<<RENDER:docx>>>".into(),
            ..ModelResponse::default()
        };
        assert_eq!(as_call(&fenced, 3).unwrap().calls.len(), 1);
        for text in [
            "",
            "Fine.",
            "<<<RENDER:pdf>>>\nis the tag.",
            "The tag is <<<RENDER:pdf>>>",
            "> <<<RENDER:pdf>>>",
            "```\n<<<RENDER:pdf>>>\n```",
            "Text\n```\n<<<RENDER:pdf>>>",
            "~~~~\n~~~\n<<>>\n~~~~",
            "<<<RENDER:exe>>>",
            "Text\n<<>>\n```\ncode\n```",
        ] {
            assert_eq!(call(text), None, "{text}");
        }
        let answer = ModelResponse {
            text: "a\n<<>>".into(),
            calls: vec![ModelCall { id: "c".into(), name: "f".into(), arguments: "{}".into() }],
            ..ModelResponse::default()
        };
        assert_eq!(as_call(&answer, 1), None, "who calls tools has another way");
        assert!(is_in("Say <<>>!") && is_in("<<<Render:pdf>>>") && !is_in("a << b >> c"));
    }

    #[test]
    fn files_are_named_and_only_those_that_are_there_go() {
        let text = "Done:\n[FILE_GENERATED: /workspace/report.xlsx]\nand [FILE_GENERATED:C:\\x\\b.pdf] too.\n```\n[FILE_GENERATED: c.pdf]\n```\n";
        assert_eq!(claimed(text), ["report.xlsx", "b.pdf"]);
        let left = without(text, |name| name == "report.xlsx");
        assert_eq!(
            left,
            "Done:\nand [FILE_GENERATED:C:\\x\\b.pdf] too.\n```\n[FILE_GENERATED: c.pdf]\n```\n"
        );
        let left = without(text, |_| true);
        assert_eq!(left, "Done:\nand  too.\n```\n[FILE_GENERATED: c.pdf]\n```\n");
        assert_eq!(claimed("[FILE_GENERATED: ../../etc/passwd]"), ["passwd"]);
        assert_eq!(without("No tag.", |_| true), "No tag.");
    }
}
