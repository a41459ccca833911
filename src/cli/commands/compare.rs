//! `mitt compare`: lists the differences of two documents, and writes those of Word files as tracked changes.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};

use super::delivery;
use super::new_file::{call, delivered};
use super::work::Work;
use crate::args::{Compare, Global};
use crate::output::{Output, note};
use mitt::value::Json;
use mitt::{Document, Event};
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, Result};

/// Media types of the files that have a comparison of their own.
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Name of the tracked changes while nobody has named a file for them.
const REDLINE: &str = "comparison.docx";

/// How two documents are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Word,
    Workbooks,
    Text,
}

impl Method {
    fn new(before: &Document, after: &Document) -> Method {
        match (before.media_type.as_str(), after.media_type.as_str()) {
            (WORD, WORD) => Method::Word,
            (WORKBOOK, WORKBOOK) => Method::Workbooks,
            _ => Method::Text,
        }
    }

    fn tool(self) -> &'static str {
        match self {
            Method::Word => "docx_tool__compare_documents",
            Method::Workbooks => "sheet_tool__compare_workbooks",
            Method::Text => "document_tool__compare_documents",
        }
    }
}

/// Compares two files.
pub(crate) async fn compare(
    global: &Global,
    command: Compare,
    output: &Output,
) -> Result<ExitCode> {
    let delivery = delivery(global, &command.force);
    // Checked before work that takes long.
    if let Some(target) = &command.output {
        check_target(target, &command)?;
        delivery.check(target)?;
    }
    let writes = command.output.is_some();
    let work = Work::open_with(global, output, |options, progress| {
        if !writes {
            let shown = progress.sink();
            // Without `-o`, the file that the tool makes is not written, so it is not shown.
            options.events = Some(Arc::new(move |event: &Event| {
                if !matches!(event, Event::Delivered { .. }) {
                    shown(event);
                }
            }));
        }
    });
    let work = work.await?.with_password(&command.password)?;
    let before = work.add_file(&command.before).await?;
    let after = work.add_file(&command.after).await?;
    let method = Method::new(&before, &after);
    check_options(&command, method)?;
    let arguments = arguments(&command, method, [&before, &after], &work).to_string();
    let doing = format!("comparing {} with {}", before.name, after.name);
    let report = call(&work, method.tool(), doing, &arguments).await?;
    let mut result = Value::from(report.result?);
    if let Some(target) = &command.output {
        let (_, content) = delivered(&work.session, method.tool(), &report.artifacts)?;
        delivery.write(target, &content)?;
    }
    let comparison = Comparison::new(&mut result, command.limit as usize);
    if output.is_json() {
        let mut printed = json!({
            "before": command.before.display().to_string(),
            "after": command.after.display().to_string(),
            "summary": comparison.summary, "total": comparison.total,
            "differences": comparison.differences, "warnings": comparison.warnings,
        });
        if let Some(target) = &command.output {
            printed["path"] = json!(target.display().to_string());
        }
        output.value(&printed)?;
        return Ok(ExitCode::SUCCESS);
    }
    for difference in &comparison.differences {
        output.line(&line(difference))?;
    }
    output.line(&comparison.summary)?;
    if !output.is_quiet() {
        // The progress has shown those of the files, and of the Word file that was made.
        let shown = [&before.warnings, &after.warnings];
        let is_shown =
            |it: &String| shown.iter().any(|of| of.iter().any(|own| it.ends_with(own.as_str())));
        if method != Method::Word || !writes {
            let new = comparison.warnings.iter().filter(|it| !is_shown(it));
            new.for_each(|it| note(&format!("warning: {it}")));
        }
        if let Some(target) = &command.output {
            note(&format!("{}: the tracked changes", target.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks the name of the file to write.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is no Word file, or one of the files that are compared.
fn check_target(target: &Path, command: &Compare) -> Result<()> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    let extension = target.extension().and_then(|it| it.to_str()).unwrap_or_default();
    if !extension.eq_ignore_ascii_case("docx") {
        let message =
            format!("--output: expected a name that ends in `.docx`, got {}", target.display());
        return Err(refused(message).hint(WAY_OUT));
    }
    let is_target = |source: &Path| match (source.canonicalize(), target.canonicalize()) {
        (Ok(source), Ok(target)) => source == target,
        _ => false,
    };
    if is_target(&command.before) || is_target(&command.after) {
        let message =
            format!("--output: {} is one of the files that are compared", target.display());
        return Err(refused(message).hint("name another file"));
    }
    Ok(())
}

/// What a user does who wants a file of other differences.
const WAY_OUT: &str = "only two Word files give a file with tracked changes; the list of other files goes to standard output, with `--json` for programs";

/// Refuses options that this comparison would ignore.
fn check_options(command: &Compare, method: Method) -> Result<()> {
    let refused = |option: &str, expected: &str| {
        let files = format!("{} and {}", command.before.display(), command.after.display());
        Error::new(ErrorKind::Input, format!("{files}: expected two {expected}"))
            .at(option.to_owned())
    };
    if command.output.is_some() && method != Method::Word {
        return Err(refused("--output", "Word files (`.docx`)").hint(WAY_OUT));
    }
    if command.key.is_some() && method != Method::Workbooks {
        let hint = "rows of other files are matched by their first column; leave `--key` out";
        return Err(refused("--key", "workbooks (`.xlsx`)").hint(hint));
    }
    Ok(())
}

/// Returns the arguments of the tool.
fn arguments(
    command: &Compare,
    method: Method,
    [before, after]: [&Document; 2],
    work: &Work,
) -> Json {
    let (before, after) = (Json::from(before.name.as_str()), Json::from(after.name.as_str()));
    if method == Method::Word {
        let name = command.output.as_deref().and_then(Path::file_name);
        let name = name.map_or(REDLINE.into(), |name| name.to_string_lossy());
        let now = timestamp(work.session.host().environment().now());
        let author = command.author.as_deref().map(|author| ("author", Json::from(author)));
        let options = author.into_iter().chain([("date", Json::from(now))]);
        return Json::object([
            ("old", before),
            ("new", after),
            ("filename", Json::from(&*name)),
            ("options", Json::object(options)),
        ]);
    }
    let key = command.key.as_deref().map(|key| ("key", Json::from(key)));
    let limit = ("limit", Json::from(u64::from(command.limit)));
    Json::object([("before", before), ("after", after), limit].into_iter().chain(key))
}

/// What a tool found.
struct Comparison {
    differences: Vec<Value>,
    total: u64,
    summary: String,
    warnings: Vec<String>,
}

impl Comparison {
    /// Takes the result of a tool apart, and keeps at most `limit` differences.
    fn new(result: &mut Value, limit: usize) -> Comparison {
        let mut differences = match result.get_mut("differences").map(Value::take) {
            Some(Value::Array(differences)) => differences,
            _ => Vec::new(),
        };
        let total = result["total"].as_u64().unwrap_or(differences.len() as u64);
        let own = result["summary"].as_str().map(str::to_owned);
        let summary = own.unwrap_or_else(|| summary(&differences, total, limit));
        differences.truncate(limit);
        let warnings = result["warnings"].as_array().into_iter().flatten();
        let warnings = warnings.filter_map(|it| it.as_str().map(str::to_owned)).collect();
        Comparison { differences, total, summary, warnings }
    }
}

/// Returns a sentence with the number of differences of each kind.
fn summary(differences: &[Value], total: u64, limit: usize) -> String {
    if total == 0 {
        return "The documents are equal.".to_owned();
    }
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for difference in differences {
        *counts.entry(kind(difference)).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let noun = if total == 1 { "difference" } else { "differences" };
    let known = differences.len() as u64;
    let of_first = if known < total { format!(" (of the first {known})") } else { String::new() };
    let listed = known.min(limit as u64);
    let rest = match total - listed {
        0 => String::new(),
        rest => format!(" The first {listed} are listed, {rest} are not."),
    };
    format!("{total} {noun}: {}{of_first}.{rest}", counts.join(", "))
}

fn text<'v>(difference: &'v Value, name: &str) -> &'v str {
    difference[name].as_str().unwrap_or_default()
}

fn kind(difference: &Value) -> String {
    text(difference, "kind").replace(['-', '_'], " ")
}

/// Returns a difference as one line: place, kind, texts.
fn line(difference: &Value) -> String {
    let (before, after) = (text(difference, "before"), text(difference, "after"));
    let texts = match (before, after) {
        (before, after) if before == after => before.to_owned(),
        ("", only) | (only, "") => only.to_owned(),
        (before, after) => format!("{before} → {after}"),
    };
    let texts = texts.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("{}: {}: {texts}", text(difference, "place"), kind(difference));
    line.trim_start_matches(": ").trim_end_matches(": ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(kind: &str, before: &str, after: &str) -> Value {
        json!({ "kind": kind, "place": "page 2", "before": before, "after": after })
    }

    #[test]
    fn a_difference_is_a_line() {
        for (kind, before, after, expected) in [
            ("changed", "30 days", "45\ndays", "page 2: changed: 30 days → 45 days"),
            ("row-inserted", "", "a | b", "page 2: row inserted: a | b"),
            ("deleted", "gone", "", "page 2: deleted: gone"),
            ("moved", "same", "same", "page 2: moved: same"),
            ("sheet_inserted", "", "", "page 2: sheet inserted"),
        ] {
            assert_eq!(line(&difference(kind, before, after)), expected);
        }
    }

    #[test]
    fn kinds_are_counted_and_what_is_not_listed_is_said() {
        let of = |n: usize| vec![difference("changed", "a", "b"); n];
        assert_eq!(summary(&[], 0, 10), "The documents are equal.");
        assert_eq!(summary(&of(1), 1, 10), "1 difference: 1 changed.");
        let expected =
            "5 differences: 3 changed (of the first 3). The first 2 are listed, 3 are not.";
        assert_eq!(summary(&of(3), 5, 2), expected);
        let mut result = json!({ "differences": of(3), "total": 3, "warnings": ["w"] });
        let comparison = Comparison::new(&mut result, 2);
        assert_eq!((comparison.differences.len(), comparison.total), (2, 3));
        assert_eq!(comparison.warnings, ["w"]);
        let mut result = json!({ "differences": [], "total": 0, "warnings": [], "summary": "The texts are equal." });
        assert_eq!(Comparison::new(&mut result, 2).summary, "The texts are equal.");
    }
}
