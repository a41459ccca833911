//! `mitt redact`: removes words and places from a file for good, and writes a new file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::new_file::{call, check_target, delivered, extension, file_name};
use super::pdf_file::{PdfFile, open, texts};
use super::redact_proof::prove;
use super::work::Work;
use super::{delivery, read_text};
use crate::args::Global;
use crate::args::redact::Redact;
use crate::output::{Output, note};
use crate::password;
use mitt::{DocumentOptions, url_of};
use mitt_base::{Error, ErrorKind, Result};

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
    let target = command.output.clone().unwrap_or_else(|| beside(&command.file));
    check_target(&target, redactor.extension, [command.file.as_path()])?;
    // Checked before work that takes long.
    let delivery = delivery(global, &command.force);
    delivery.check(&target)?;
    let given = password::options(&command.password)?;
    let work = Work::open(global, None, output).await?;
    let file = if redactor.extension == PDF {
        open(&work, &command.file, &given).await?
    } else {
        let read = work.document(&command.file, &DocumentOptions::default()).await;
        let document = read.map_err(unlocked)?;
        PdfFile { name: document.name.clone(), password: None }
    };
    let arguments = arguments(&command, redactor, &words, &file_name(&target));
    let doing = format!("redacting {}", file.name);
    let arguments = file.arguments(arguments).to_string();
    let report = call(&work, redactor.tool, doing, &arguments).await?;
    let at_file = |error: Error| error.at(command.file.display());
    let result = Value::from(report.result.map_err(found_nothing).map_err(at_file)?);
    let found = Found::new(&result);
    if found.hits == Some(0) {
        return Err(at_file(nothing()));
    }
    let (_, content) = delivered(&work.session, redactor.tool, &report.artifacts)?;
    if redactor.extension == PDF {
        prove(&work, &content, &words, &command.pattern).await.map_err(at_file)?;
    }
    delivery.write(&target, &content)?;
    let path = target.display().to_string();
    if output.is_quiet() {
        // What was not searched is no progress. Otherwise the progress has shown it.
        found.warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
    }
    if output.is_json() {
        let mut printed = json!({
            "path": path, "size": content.len(), "places": found.places, "warnings": found.warnings,
        });
        if let Some(hits) = found.hits {
            printed["hits"] = json!(hits);
        }
        output.value(&printed)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !output.is_quiet() {
        found.places.iter().for_each(|place| note(place));
        if let Some(hits) = found.hits {
            let noun = if hits == 1 { "hit" } else { "hits" };
            note(&format!("{hits} {noun}; the new file was searched again, and nothing is left"));
        }
    }
    output.data_line(&path)?;
    Ok(ExitCode::SUCCESS)
}

/// What a tool removed.
struct Found {
    /// Where it was, one sentence each.
    places: Vec<String>,
    /// Number of hits, if the tool counts them.
    hits: Option<u64>,
    warnings: Vec<String>,
}

impl Found {
    /// Takes the result of a tool apart. Places are texts, or records of a place and a number.
    fn new(result: &Value) -> Found {
        let place = |place: &Value| match (place["place"].as_str(), place["count"].as_u64()) {
            (Some(place), Some(count)) => Some(format!("{place} ({count})")),
            (Some(place), None) => Some(place.to_owned()),
            (None, _) => place.as_str().map(str::to_owned),
        };
        let listed = result["places"].as_array().or_else(|| result["done"].as_array());
        Found {
            places: listed.into_iter().flatten().filter_map(place).collect(),
            hits: result["hits"].as_u64().or_else(|| result["total"].as_u64()),
            warnings: texts(result, "warnings"),
        }
    }
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
            Err(Error::new(ErrorKind::Input, message)
                .at(option)
                .hint("other files are redacted by `--word`, `--pattern` and `--words-file`"))
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

/// Returns the arguments of the tool, without the document.
fn arguments(command: &Redact, redactor: &Redactor, words: &[String], filename: &str) -> Value {
    if redactor.extension != PDF {
        let mut arguments =
            json!({ "words": words, "patterns": command.pattern, "filename": filename });
        if command.accept_unread {
            arguments["accept_unread"] = json!(true);
        }
        return arguments;
    }
    let area = |it: &crate::args::redact::PageArea| json!({ "pages": it.pages, "rect": it.rect });
    let areas: Vec<Value> = command.area.iter().map(area).collect();
    let mut redaction = json!({ "words": words, "patterns": command.pattern, "areas": areas });
    if let Some(pages) = &command.pages {
        redaction["pages"] = json!(pages);
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

/// Makes a problem of the input of a tool's `not-found`: the file is there, but not the words.
fn found_nothing(error: Error) -> Error {
    match error.message().split_once("not-found: ") {
        Some((_, why)) if *error.kind() == ErrorKind::Plugin => nothing().detail(why.to_owned()),
        _ => error,
    }
}

fn nothing() -> Error {
    Error::new(ErrorKind::Input, "nothing to remove was found, and nothing is written")
        .hint("`mitt ingest` prints the text; words in pictures are not found")
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
                let arguments = arguments(&command, redactor, &[], "b");
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

    #[test]
    fn results_of_all_tools_are_read() {
        let found = Found::new(&json!({ "places": ["slide 3 (2)"], "hits": 2, "warnings": ["w"] }));
        assert_eq!((found.hits, found.warnings), (Some(2), vec!["w".to_owned()]));
        let found = Found::new(&json!({ "places": [{ "place": "p1", "count": 3 }], "total": 3 }));
        assert_eq!((found.hits, found.places), (Some(3), vec!["p1 (3)".to_owned()]));
        let found = Found::new(&json!({ "done": ["1 places in text"], "warnings": [] }));
        assert_eq!((found.hits, found.places), (None, vec!["1 places in text".to_owned()]));
    }

    #[test]
    fn only_what_was_not_found_is_a_problem_of_the_input() {
        let plugin = |message: &str| Error::new(ErrorKind::Plugin, message);
        let error = found_nothing(plugin("not-found: nothing to remove was found; x"));
        assert_eq!(error.kind(), &ErrorKind::Input);
        let error = found_nothing(plugin("malformed: something is left"));
        assert_eq!(error.kind(), &ErrorKind::Plugin);
    }
}
