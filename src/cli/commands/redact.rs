//! `mitt redact`: removes words, places and what rules find from a file for good, and writes a new file.

mod aside;
mod by_rules;
mod lines;
mod office_attributes;
mod office_texts;
mod places;
mod rules;
mod steps;
mod terms;
mod texts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use self::by_rules::{ByRules, remove_by_rules};
use self::rules::Rules;
use self::steps::{Removed, Steps};
use self::terms::Batch;
use self::texts::SearchedFile;
use super::new_file::{check_target, extension};
use super::pdf_file::{PdfFile, open_with};
use super::redact_proof::prove;
use super::work::Work;
use super::{delivery, read_text, rule_sets};
use crate::args::Global;
use crate::args::redact::Redact;
use crate::output::{Output, note};
use crate::password;
use mitt::{DocumentOptions, url_of};
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// A type of file that can be redacted, and the tool that does it.
struct Redactor {
    extension: &'static str,
    tool: &'static str,
}

const PDF: &str = "pdf";
const MAIL: &str = "eml";

/// The tool for texts of all kinds.
const TEXT_TOOL: &str = "redact_tool__redact_text";

const REDACTORS: [Redactor; 9] = [
    Redactor { extension: PDF, tool: "pdf_tool__redact_pdf" },
    Redactor { extension: "docx", tool: "docx_tool__redact_document" },
    Redactor { extension: "xlsx", tool: "sheet_tool__redact_workbook" },
    Redactor { extension: "pptx", tool: "deck_tool__redact_deck" },
    Redactor { extension: MAIL, tool: "redact_tool__redact_email" },
    Redactor { extension: "txt", tool: TEXT_TOOL },
    Redactor { extension: "md", tool: TEXT_TOOL },
    Redactor { extension: "csv", tool: TEXT_TOOL },
    Redactor { extension: "tsv", tool: TEXT_TOOL },
];

/// Redacts a file and writes the result to another one.
pub(crate) async fn redact(global: &Global, command: Redact, output: &Output) -> Result<ExitCode> {
    let redactor = redactor_of(&command.file)?;
    check_options(&command, redactor)?;
    let words = words(&command)?;
    let rules = rules(global, &command)?;
    let target = command.output.clone().unwrap_or_else(|| beside(&command.file));
    check_target(&target, redactor.extension, [command.file.as_path()])?;
    // Checked before work that takes long.
    let delivery = delivery(global, &command.force);
    delivery.check(&target)?;
    let mut given = password::options(&command.password)?;
    // Rules search what the reader reads; words and patterns are the tool's work.
    given.without_text = rules.is_none();
    let work = open_work(global, rules.is_some(), output).await?;
    let file = if redactor.extension == PDF {
        open_with(&work, &command.file, &given).await?
    } else {
        let read = work.document(&command.file, &given).await;
        let document = read.map_err(unlocked)?;
        PdfFile { name: document.name.clone(), password: None }
    };
    let at_file = |error: Error| error.at(command.file.display());
    let mut steps = Steps::new(&work, (redactor.tool, redactor.extension), file);
    let mut by_rules = None;
    let mut unfound = Vec::new();
    if has_own(&command, &words) {
        let own = Batch { words: words.clone(), patterns: command.pattern.clone() };
        let arguments = |name: &str| arguments(&command, redactor, &own, name, true);
        if !steps.run(arguments).await.map_err(at_file)? {
            unfound = [own.words, own.patterns].concat();
        }
    }
    if let Some(rules) = &rules {
        let source = source(&work, &command.file)?;
        let arguments =
            |batch: &Batch, name: &str| arguments(&command, redactor, batch, name, false);
        let removed = remove_by_rules(&mut steps, rules, &source, arguments).await;
        let mut removed = removed.map_err(at_file)?;
        removed.unfound = unfound;
        by_rules = Some(removed);
    }
    let removed = &steps.removed;
    // The tool for PDF delivers nothing without a reason, and areas, pages and attachments that are removed are no hits.
    let is_any = redactor.extension == PDF
        || removed.hits != Some(0)
        || by_rules.as_ref().is_some_and(|it| !it.counts.is_empty());
    let Some(content) = steps.content().filter(|_| is_any) else {
        let unsearched = by_rules.iter().flat_map(|it| it.warnings.iter().cloned());
        return Err(at_file(unsearched.fold(removed.nothing(), Error::detail)));
    };
    if redactor.extension == PDF {
        prove(&work, content, &words, &command.pattern).await.map_err(at_file)?;
    }
    if by_rules.is_some() {
        check_words(global, &steps, content, output).await.map_err(at_file)?;
    }
    delivery.write(&target, content)?;
    let size = content.len();
    print(&target.display().to_string(), size, steps.removed, by_rules, output)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns `true` if more than rules says what is removed.
fn has_own(command: &Redact, words: &[String]) -> bool {
    !words.is_empty()
        || !command.pattern.is_empty()
        || !command.area.is_empty()
        || command.pages.is_some()
}

/// Returns the rules of `--rule`; `None` if there are none.
fn rules(global: &Global, command: &Redact) -> Result<Option<Rules>> {
    if command.rule.is_empty() {
        return Ok(None);
    }
    Rules::new(&command.rule, &rule_sets(global)?).map(Some)
}

/// Opens the session in which the file is redacted.
async fn open_work(global: &Global, is_by_rules: bool, output: &Output) -> Result<Work> {
    if !is_by_rules {
        return Work::open(global, None, output).await;
    }
    // The rules of `--words` would refuse the very file that they are to be applied to. They hold for the result.
    let mut own = global.clone();
    own.words.clear();
    // Warnings of the tool may quote what rules found, so they are printed later, without it.
    Work::open_with(&own, output, |options, _| options.events = None).await
}

/// Returns the content of the file, for rules.
fn source(work: &Work, file: &Path) -> Result<Vec<u8>> {
    let most = work.session.host().session_limits().document_bytes;
    plain_file::read(file, most).map_err(|error| {
        Error::new(ErrorKind::Input, "it cannot be read").at(file.display()).caused_by(error)
    })
}

/// Checks the result by the rules of `--words`, as every file that leaves a session is. Then searches all its texts for what blocks,
/// as `--rule` does, because a session checks only what the reader reads.
///
/// # Errors
///
/// [`ErrorKind::Blocked`] - a rule that blocks finds something.
async fn check_words(
    global: &Global,
    steps: &Steps,
    content: &[u8],
    output: &Output,
) -> Result<()> {
    if global.words.is_empty() {
        return Ok(());
    }
    let blocked = |error: Error| {
        let hint = "`--rule all` removes what any of the rules of `--words` finds";
        error.at("the redacted file").hint(hint)
    };
    // The events of the reader came before.
    let work = Work::open_with(global, output, |options, _| options.events = None).await?;
    let name = format!("redacted.{}", steps.extension());
    let options = DocumentOptions::default();
    match work.session.add_document_bytes_with(&name, content.to_vec(), &options).await {
        Ok(_) => {}
        Err(error) if matches!(error.input_problem(), Some("needs-ocr" | "empty")) => {}
        Err(error) => return Err(blocked(error)),
    }
    // The last search by rules has read this content, so the session of the steps has it.
    let (at, file) = steps.file();
    let rules = Rules::blocking(&rule_sets(global)?)?;
    let found = SearchedFile { at, file, content }.search(&rules).await?;
    let first = found.matches.counts.found().next().map(|(rule, _)| rule.to_owned());
    let Some(rule) = first else { return Ok(()) };
    let place = found.place.map(|place| format!(" ({place})")).unwrap_or_default();
    Err(blocked(Error::new(ErrorKind::Blocked, format!("blocked by the rule `{rule}`{place}"))))
}

/// Prints what was removed, and the path of the new file.
fn print(
    path: &str,
    size: usize,
    mut removed: Removed,
    by_rules: Option<ByRules>,
    output: &Output,
) -> Result<()> {
    if let Some(by_rules) = &by_rules {
        removed.warn(by_rules.warnings.iter().cloned());
        removed.warnings = by_rules.hidden_in(removed.warnings);
        removed.places = by_rules.hidden_in(removed.places);
        removed.warn(by_rules.doubtful_lines());
        removed.warn(by_rules.unfound_line());
    }
    if output.is_quiet() || by_rules.is_some() {
        // What was not searched is no progress. Otherwise the progress has shown it.
        removed.warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
    }
    if output.is_json() {
        let mut printed = json!({
            "path": path, "size": size, "places": removed.places, "warnings": removed.warnings,
        });
        if let Some(hits) = removed.hits {
            printed["hits"] = json!(hits);
        }
        if let Some(by_rules) = &by_rules {
            let counts = by_rules.counts.found();
            printed["rules"] =
                counts.map(|(rule, count)| (rule.to_owned(), json!(count))).collect();
        }
        return output.value(&printed);
    }
    if !output.is_quiet() {
        removed.places.iter().for_each(|place| note(place));
        for (rule, count) in by_rules.iter().flat_map(|it| it.counts.found()) {
            note(&format!("rule {rule}: {count}"));
        }
        let again = "the new file was searched again, and nothing is left";
        match removed.hits.filter(|_| !removed.says_proof) {
            None => {}
            Some(0) => note(again),
            Some(1) => note(&format!("1 hit; {again}")),
            Some(hits) => note(&format!("{hits} hits; {again}")),
        }
    }
    output.data_line(path)
}

/// Returns the tool for a file, by its extension.
fn redactor_of(file: &Path) -> Result<&'static Redactor> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    if url_of(file).is_some() {
        return Err(refused(format!("{}: expected a file, got an address", file.display()))
            .hint("download it and name the file"));
    }
    let extension = extension(file);
    REDACTORS.iter().find(|redactor| redactor.extension == extension).ok_or_else(|| {
        let known: Vec<String> =
            REDACTORS.iter().map(|redactor| format!("`.{}`", redactor.extension)).collect();
        let message = format!("{}: expected one of {} to redact", file.display(), known.join(", "));
        match extension.as_str() {
            "docm" | "xlsm" | "pptm" => {
                refused(message).hint("save it without macros and redact that file")
            }
            _ => refused(message).hint("save it in one of these formats"),
        }
    })
}

/// Refuses options that this type of file would ignore.
fn check_options(command: &Redact, redactor: &Redactor) -> Result<()> {
    let only_of_pdf = [
        ("--pages", command.pages.is_some()),
        ("--area", !command.area.is_empty()),
        ("--break-signatures", command.signed.break_signatures),
        ("--password-file", command.password.password_file.is_some()),
    ];
    let given = only_of_pdf.into_iter().find(|(_, is_given)| *is_given);
    match given {
        Some((option, _)) if redactor.extension != PDF => {
            let message = format!("{}: expected a PDF", command.file.display());
            Err(Error::new(ErrorKind::Input, message).at(option).hint(
                "other files are redacted by `--word`, `--pattern`, `--words-file` and `--rule`",
            ))
        }
        _ if command.accept_unread && ![PDF, MAIL].contains(&redactor.extension) => {
            let message = format!("{}: expected a PDF or a mail", command.file.display());
            Err(Error::new(ErrorKind::Input, message)
                .at("--accept-unread")
                .hint("other files are redacted without it; warnings name what was not searched"))
        }
        _ => Ok(()),
    }
}

/// Returns the words and phrases of the options and of the file with words.
fn words(command: &Redact) -> Result<Vec<String>> {
    let mut words = command.word.clone();
    if let Some(file) = &command.words_file {
        let before = words.len();
        words.extend(lines(&read_text(file)?));
        if words.len() == before {
            let message = "expected a word or phrase on a line, got none";
            return Err(Error::new(ErrorKind::Input, message).at(file.display()));
        }
    }
    Ok(words)
}

/// Returns the lines with words.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned)
}

/// Returns the path beside `file` of the redacted file: `a.redacted.pdf` for `a.pdf`.
fn beside(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}.redacted.{extension}"))
}

/// Returns the arguments of the tool, without the document. `is_own` adds the pages and areas of the options. A call by rules without
/// hits is no error: what the rules found may be in a part that the redaction removes anyway, and the next search says so.
fn arguments(
    command: &Redact,
    redactor: &Redactor,
    Batch { words, patterns }: &Batch,
    filename: &str,
    is_own: bool,
) -> Value {
    if redactor.extension != PDF {
        let mut arguments = json!({ "words": words, "patterns": patterns, "filename": filename });
        if command.accept_unread {
            arguments["accept_unread"] = json!(true);
        }
        if !is_own && redactor.extension == MAIL {
            arguments["without_hits"] = json!(true);
        }
        return arguments;
    }
    let area = |it: &crate::args::redact::PageArea| json!({ "pages": it.pages, "rect": it.rect });
    let mut redaction = json!({ "words": words, "patterns": patterns });
    if is_own {
        redaction["areas"] = command.area.iter().map(area).collect();
        if let Some(pages) = &command.pages {
            redaction["pages"] = json!(pages);
        }
    } else {
        redaction["without_hits"] = json!(true);
    }
    if command.accept_unread {
        redaction["accept_unread"] = json!(true);
    }
    let mut arguments = json!({ "redaction": redaction, "filename": filename });
    if command.signed.break_signatures {
        arguments["break_signatures"] = json!(true);
    }
    arguments
}

/// Replaces the hint of an encrypted Office file: no tool redacts one, with or without its password.
fn unlocked(error: Error) -> Error {
    match error.input_problem() {
        Some("encrypted") => {
            let message = "it is encrypted, and encrypted Office files are not redacted";
            Error::new(ErrorKind::Input, message)
                .hint("save it without a password and redact that file")
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_the_tool() {
        assert_eq!(redactor_of(Path::new("A.PDF")).unwrap().tool, "pdf_tool__redact_pdf");
        for (file, expected) in [
            ("a.docm", "without macros"),
            ("a.rtf", "one of these formats"),
            ("a", "`.eml`, `.txt`, `.md`, `.csv`, `.tsv` to redact"),
            ("https://a.test/a.pdf", "got an address"),
        ] {
            let error = redactor_of(Path::new(file)).err().unwrap().render();
            assert!(error.contains(expected), "{file}: {error}");
        }
        assert_eq!(beside(Path::new("dir/合同 1.5.pdf")), Path::new("dir/合同 1.5.redacted.pdf"));
    }

    fn parsed(arguments: &[&str]) -> Redact {
        #[derive(clap::Parser)]
        struct Program {
            #[command(flatten)]
            redact: Redact,
        }
        let arguments = ["redact", "--word", "x"].iter().chain(arguments);
        <Program as clap::Parser>::try_parse_from(arguments).unwrap().redact
    }

    #[test]
    fn what_was_not_read_is_accepted_for_pdf_and_mail() {
        for (file, pointer) in [("a.pdf", "/redaction/accept_unread"), ("a.eml", "/accept_unread")]
        {
            for is_accepted in [true, false] {
                let option: &[&str] = if is_accepted { &["--accept-unread"] } else { &[] };
                let command = parsed(&[&[file][..], option].concat());
                let redactor = redactor_of(&command.file).unwrap();
                check_options(&command, redactor).unwrap();
                let arguments = arguments(&command, redactor, &Batch::default(), "b", true);
                let expected = is_accepted.then(|| json!(true));
                assert_eq!(arguments.pointer(pointer).cloned(), expected, "{file}");
            }
        }
        for file in ["a.docx", "a.xlsx", "a.pptx", "a.txt", "a.csv"] {
            let command = parsed(&[file, "--accept-unread"]);
            let error = check_options(&command, redactor_of(&command.file).unwrap()).unwrap_err();
            let error = error.render();
            assert!(
                error.contains("--accept-unread") && error.contains("a PDF or a mail"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_file_of_words_has_a_word_a_line() {
        let words: Vec<String> = lines("\u{feff}Li Wei\r\n\n# a comment\n  张伟 \n").collect();
        assert_eq!(words, ["Li Wei", "张伟"]);
    }
}
