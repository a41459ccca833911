//! Text of a call's result for a model. Every interface that shows results to models uses this text, so that a model reads the
//! same from `mitt-agent` and over MCP.
//!
//! The text takes as few tokens as possible without losing anything: a string is written as it is and not as JSON; files are
//! listed only if the result does not name them; and an error begins with its kind, which tells the model that it is one.
//! Truncation is marked at the place where text is missing.

use std::fmt;

use super::report::CallReport;
use mitt_base::{Error, text};
use mitt_skill::capability::Artifact;
use mitt_wit::value::Json;

/// Characters reserved for the mark in a shortened text.
const REMARK: usize = 64;
/// Most strings of one result that are shortened. If the result is still too long, its end is cut off.
const SHORTENED: usize = 8;

/// Text of a call's result for a model. `Display` joins all parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelText {
    /// The result or the error.
    pub outcome: String,
    /// Delivered files: one line with the names that the outcome does not mention, then a line for each file with details such as
    /// pages, sheets or warnings.
    pub files: Option<String>,
    /// Name of the result for later calls, in one line, if the result was kept.
    pub name: Option<String>,
}

impl CallReport {
    /// Returns the text for a model: at most about `limit` characters, and lines for files that the outcome does not name.
    pub fn for_model(&self, limit: u64) -> ModelText {
        let outcome = match &self.result {
            Ok(value) => result(value, limit),
            Err(error) => {
                return ModelText {
                    files: files("", &self.artifacts),
                    ..ModelText::of_error(error, limit)
                };
            }
        };
        let name = self.name.as_deref().map(|name| {
            format!(
                "As an argument: {{\"$ref\":\"{name}\"}}, or a part: {{\"$ref\":\"{name}#/…\"}}"
            )
        });
        ModelText { files: files(&outcome, &self.artifacts), outcome, name }
    }
}

/// Measurements of a script, and files that the report has anyway. A model has no use for them, and they would be half of a short
/// result.
const MEASURES: [&str; 4] = ["execution_time_ms", "fuel_used", "peak_memory_bytes", "artifacts"];

impl CallReport {
    /// Removes from the result of a script what a model has no use for: measurements, files (the report has them), successful
    /// calls, empty texts and default values. Other results stay as they are.
    pub fn leave_out_measures(&mut self) {
        let Ok(Json::Object(members)) = &mut self.result else { return };
        let has = |name: &str| members.iter().any(|(key, _)| key == name);
        if !MEASURES.iter().all(|name| has(name)) || !has("calls") {
            return;
        }
        let is_usual = |key: &str, value: &Json| match (key, value) {
            ("calls", Json::Array(calls)) => {
                calls.iter().all(|call| call.get("ok") == Some(&Json::Bool(true)))
            }
            ("stdout" | "stderr", Json::String(text)) => text.is_empty(),
            ("result_is_repr" | "truncated", value) => *value == Json::Bool(false),
            _ => false,
        };
        members.retain(|(key, value)| !MEASURES.contains(&&**key) && !is_usual(key, value));
    }
}

impl ModelText {
    /// Returns the text of an error for a model: its kind, then all problems and hints, one line each.
    pub fn of_error(error: &Error, limit: u64) -> ModelText {
        let outcome = cut(format!("{}: {}", error.kind().name(), error.render()), limit);
        ModelText { outcome, files: None, name: None }
    }
}

impl fmt::Display for ModelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.outcome)?;
        let mut lines = self.files.iter().chain(&self.name);
        lines.try_for_each(|line| write!(f, "\n{line}"))
    }
}

fn result(value: &Json, limit: u64) -> String {
    match value {
        Json::Null => "done".to_owned(),
        Json::String(text) => cut(text.clone(), limit),
        value => json(value, limit),
    }
}

/// Returns `value` as JSON. If it is too long, its longest strings are shortened first, since values after them, such as the
/// value of a script that has printed much, are often what the model wants.
fn json(value: &Json, limit: u64) -> String {
    let mut written = value.to_string();
    let limit_chars = usize::try_from(limit).unwrap_or(usize::MAX);
    let least = limit_chars / 4;
    let mut shorter = None;
    for _ in 0..SHORTENED {
        let Some(excess) = excess(&written, limit_chars) else { return written };
        let is_long = |text: &str| text.len() > least + REMARK;
        if !longest(shorter.as_ref().unwrap_or(value)).is_some_and(is_long) {
            break;
        }
        let Some(text) = longest_mut(shorter.get_or_insert_with(|| value.clone())) else { break };
        let length = text.chars().count();
        if length <= least + REMARK {
            break;
        }
        *text = text::shortened(text, length.saturating_sub(excess + REMARK).max(least));
        written = shorter.as_ref().unwrap_or(value).to_string();
    }
    cut(written, limit)
}

/// Returns how many characters `text` has above `limit`; `None` if it has no more.
fn excess(text: &str, limit: usize) -> Option<usize> {
    // Most texts are short enough that their characters need not be counted.
    if text.len() <= limit {
        return None;
    }
    text.chars().count().checked_sub(limit).filter(|excess| *excess > 0)
}

/// Returns the longest string in `value`.
fn longest(value: &Json) -> Option<&str> {
    match value {
        Json::String(text) => Some(text),
        Json::Array(items) => items.iter().filter_map(longest).max_by_key(|text| text.len()),
        Json::Object(entries) => {
            entries.iter().filter_map(|(_, it)| longest(it)).max_by_key(|text| text.len())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => None,
    }
}

fn longest_mut(value: &mut Json) -> Option<&mut String> {
    match value {
        Json::String(text) => Some(text),
        Json::Array(items) => {
            items.iter_mut().filter_map(longest_mut).max_by_key(|text| text.len())
        }
        Json::Object(entries) => {
            entries.iter_mut().filter_map(|(_, it)| longest_mut(it)).max_by_key(|text| text.len())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => None,
    }
}

/// Returns the beginning of `text`, with a mark that says how much is missing.
fn cut(text: String, limit: u64) -> String {
    let (kept, is_cut) = text::cut_chars(&text, limit);
    if !is_cut {
        return text;
    }
    let all = text.chars().count();
    let missing = all - kept.chars().count();
    format!(
        "{kept}{} {missing} of {all} characters are left out; ask for less at once",
        text::TRUNCATED
    )
}

/// Returns a line for the files that `outcome` does not name, and a line for each file with details.
fn files(outcome: &str, artifacts: &[Artifact]) -> Option<String> {
    let names: Vec<&str> = artifacts
        .iter()
        .map(|artifact| artifact.name.as_str())
        .filter(|name| !is_named(outcome, name))
        .collect();
    let named = (!names.is_empty()).then(|| format!("delivered: {}", names.join(", ")));
    let artifact_line = |artifact: &Artifact| {
        artifact.contents.line().map(|line| format!("{}: {line}", artifact.name))
    };
    let lines: Vec<String> =
        named.into_iter().chain(artifacts.iter().filter_map(artifact_line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns whether `name` occurs in `text` as a whole name.
fn is_named(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "._-".contains(character);
    text.match_indices(name).any(|(at, _)| {
        let behind = text[at + name.len()..].chars().next();
        let before = text[..at].chars().next_back();
        // A sentence may end after a name.
        !before.is_some_and(is_part) && !behind.is_some_and(|it| it != '.' && is_part(it))
    })
}

#[cfg(test)]
mod tests {
    use super::super::CallId;
    use super::*;
    use mitt_base::ErrorKind;
    use mitt_skill::capability::{Contents, ContentsInternal as _};

    fn report(result: mitt_base::Result<Json>, files: &[&str]) -> CallReport {
        let artifact = |name: &&str| Artifact {
            name: (*name).to_owned(),
            media_type: "text/plain".to_owned(),
            size: 1,
            ..Artifact::default()
        };
        CallReport {
            artifacts: files.iter().map(artifact).collect(),
            ..CallReport::new(CallId::NONE, "a__b", "{}", result)
        }
    }

    /// The text of a result.
    fn text(json: &str, limit: u64, files: &[&str]) -> String {
        let value = Json::parse(json, 100_000, 20).unwrap();
        report(Ok(value), files).for_model(limit).to_string()
    }

    #[test]
    fn short_results_are_whole() {
        let whole = |json| text(json, 32_000, &[]);
        insta::assert_snapshot!(whole("0.1234567890123456789012"), @"0.1234567890123456789012");
        insta::assert_snapshot!(whole(r#""a \"b\"\nc""#), @r#"
        a "b"
        c
        "#);
        insta::assert_snapshot!(whole("null"), @"done");
        insta::assert_snapshot!(whole(r#"{"name": "月报", "rows": 18446744073709551615}"#), @r#"{"name":"月报","rows":18446744073709551615}"#);
        insta::assert_snapshot!(
            whole(r#"{"columns": ["月份", "收入"], "rows": [["1月", 1.10], ["2月", null]]}"#),
            @r#"{"columns":["月份","收入"],"rows":[["1月",1.10],["2月",null]]}"#
        );
    }

    #[test]
    fn files_are_named_once() {
        insta::assert_snapshot!(text("null", 100, &["a.xlsx", "月报.pdf"]), @r"
        done
        delivered: a.xlsx, 月报.pdf
        ");
        insta::assert_snapshot!(text(r#"{"name": "a.xlsx", "size": 7}"#, 100, &["a.xlsx"]), @r#"{"name":"a.xlsx","size":7}"#);
        insta::assert_snapshot!(text(r#""wrote data.md and b.md.""#, 100, &["a.md", "b.md"]), @r"
        wrote data.md and b.md.
        delivered: a.md
        ");
        // A name in the truncated part does not count.
        insta::assert_snapshot!(text(r#""1234567890 a.md""#, 10, &["a.md"]), @r"
        1234567890
        [SYSTEM: TRUNCATED] 5 of 15 characters are left out; ask for less at once
        delivered: a.md
        ");
    }

    #[test]
    fn what_files_hold_is_told_whether_the_result_names_them_or_not() {
        let artifact = |name: &str, contents| Artifact {
            name: name.to_owned(),
            contents,
            ..Artifact::default()
        };
        let sheets = vec![mitt_render::SheetRows { name: "月报".into(), rows: 12 }];
        let warnings = ["heading 2: an image was left out".to_owned()];
        let artifacts = vec![
            artifact("a.pdf", Contents::new(Some(3), Vec::new(), &warnings)),
            artifact("b.docx", Contents::default()),
            artifact("c.xlsx", Contents::new(None, sheets, &[])),
        ];
        let value = Json::parse(r#"{"name":"a.pdf"}"#, 100, 5).unwrap();
        let report = CallReport { artifacts, ..report(Ok(value), &[]) };
        insta::assert_snapshot!(report.for_model(100).to_string(), @r#"
        {"name":"a.pdf"}
        delivered: b.docx, c.xlsx
        a.pdf: 3 pages; warning: heading 2: an image was left out
        c.xlsx: sheets: 月报 (12 rows)
        "#);
    }

    #[test]
    fn of_a_long_table_the_end_is_cut_off_and_told() {
        let rows = vec!["[1,\"a\"]"; 100].join(",");
        insta::assert_snapshot!(text(&format!(r#"{{"columns":["n","t"],"rows":[{rows}]}}"#), 60, &[]), @r#"
        {"columns":["n","t"],"rows":[[1,"a"],[1,"a"],[1,"a"],[1,"a"]
        [SYSTEM: TRUNCATED] 770 of 830 characters are left out; ask for less at once
        "#);
    }

    #[test]
    fn of_a_script_the_output_is_shortened_before_its_value_is_lost() {
        let answer = format!(
            r#"{{"status":"success","stdout":"{}end","stderr":"","result":[1,2],"artifacts":[{{"name":"a.csv"}}]}}"#,
            "line\\n".repeat(200)
        );
        insta::assert_snapshot!(text(&answer, 300, &["a.csv"]), @r#"{"status":"success","stdout":"line\nline\nline\nline\nline\nline\nline\nline\nline\nline\n… (928 of 1003 characters are left out) …e\nline\nline\nline\nline\nend","stderr":"","result":[1,2],"artifacts":[{"name":"a.csv"}]}"#);
        let short = r#"{"status":"error","stdout":"1\n","stderr":"","result":null,"error_message":"NameError: x","error_kind":"NameError","artifacts":[]}"#;
        insta::assert_snapshot!(text(short, 300, &["b.csv"]), @r#"
        {"status":"error","stdout":"1\n","stderr":"","result":null,"error_message":"NameError: x","error_kind":"NameError","artifacts":[]}
        delivered: b.csv
        "#);
    }

    #[test]
    fn errors_tell_their_kind_all_problems_and_the_way_out() {
        let error = Error::new(ErrorKind::Arguments, "2 problems with the arguments")
            .detail("/a: expected u32, got \"x\"")
            .detail("/b: missing")
            .hint("see the schema");
        insta::assert_snapshot!(report(Err(error), &[]).for_model(32_000).to_string(), @r#"
        arguments: 2 problems with the arguments
        /a: expected u32, got "x"
        /b: missing
        hint: see the schema
        "#);
        let limit = Error::limit(mitt_base::Resource::Fuel, 10, 11);
        insta::assert_snapshot!(report(Err(limit), &["a.md"]).for_model(60).to_string(), @r"
        limit: fuel limit of 10 units reached: 11 units
        hint: do les
        [SYSTEM: TRUNCATED] 103 of 163 characters are left out; ask for less at once
        delivered: a.md
        ");
    }

    #[test]
    fn long_texts_are_shortened_until_the_rest_fits() {
        for (count, length, limit) in
            [(1, 5_000, 1_000), (3, 900, 1_000), (40, 200, 1_000), (2, 1, 3)]
        {
            let value: Vec<Json> = (0..count).map(|_| "年\n".repeat(length).into()).collect();
            let text = json(&Json::from(value), limit);
            let shown = text.split(text::TRUNCATED).next().unwrap();
            assert!(shown.chars().count() as u64 <= limit, "{count} {length}: {text}");
        }
    }
}
