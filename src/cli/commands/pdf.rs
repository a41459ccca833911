//! `mitt pdf`: looks into PDF files, and writes changed ones.

mod extract;
mod info;
mod layout;
mod pictures;
mod refused;
mod sign;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::delivery;
use super::new_file::{call, check_target, delivered, extension, file_name};
use super::pdf_file::{PdfFile, check_source, contents, open, texts};
use super::pictures::{give, picture};
use super::work::Work;
use crate::args::pdf::{
    PdfAttach, PdfEncrypt, PdfInfo, PdfMerge, PdfPages, PdfRewrite, PdfSplit, PdfStamp, PdfTarget,
};
use crate::args::{Global, Password, PdfCommand};
use crate::output::{Output, note};
use crate::password;
use mitt::DocumentOptions;
use mitt_base::{Error, ErrorKind, Result};

const EDIT: &str = "pdf_tool__edit_pdf";
const REWRITE: &str = "pdf_tool__rewrite_pdf";
const MERGE: &str = "pdf_tool__merge_pdfs";
const SPLIT: &str = "pdf_tool__split_pdf";

/// What `mitt pdf info` reads.
const PARTS: [&str; 6] = ["pages", "outline", "fields", "annotations", "attachments", "metadata"];

/// Runs a command for PDF files.
pub(crate) async fn pdf(global: &Global, command: PdfCommand, output: &Output) -> Result<ExitCode> {
    match command {
        PdfCommand::Info(command) => info(global, &command, output).await,
        PdfCommand::Merge(command) => merge(global, &command, output).await,
        PdfCommand::Split(command) => split(global, &command, output).await,
        PdfCommand::Pages(command) => pages(global, &command, output).await,
        PdfCommand::Crop(command) => layout::crop(global, &command, output).await,
        PdfCommand::NUp(command) => layout::n_up(global, &command, output).await,
        PdfCommand::Stamp(command) => stamp(global, &command, output).await,
        PdfCommand::Encrypt(command) => encrypt(global, &command, output).await,
        PdfCommand::Decrypt(command) => rewrite(global, &command, "decrypt", output).await,
        PdfCommand::Compress(command) => rewrite(global, &command, "compress", output).await,
        PdfCommand::Repair(command) => rewrite(global, &command, "repair", output).await,
        PdfCommand::Attach(command) => attach(global, &command, output).await,
        PdfCommand::Extract(command) => extract::extract(global, &command, output).await,
        PdfCommand::Sign(command) => sign::sign(global, &command, output).await,
        PdfCommand::Verify(command) => verify::verify(global, &command, output).await,
        PdfCommand::Pictures(command) => pictures::pictures(global, &command, output).await,
        PdfCommand::Linearize(_) => Err(refused::linearize()),
        PdfCommand::Pdfa(_) => Err(refused::pdfa()),
    }
}

/// Prints what a PDF has.
async fn info(global: &Global, command: &PdfInfo, output: &Output) -> Result<ExitCode> {
    let given = password::options(&command.password)?;
    let work = Work::open(global, None, output).await?;
    let file = open(&work, &command.file, &given).await?;
    let mut read = contents(&work, &file, &PARTS).await?;
    let path = command.file.display().to_string();
    if output.is_json() {
        read["path"] = json!(path);
        output.value(&read)?;
    } else {
        info::lines(&path, &read).iter().try_for_each(|line| output.line(line))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Joins files.
async fn merge(global: &Global, command: &PdfMerge, output: &Output) -> Result<ExitCode> {
    let target = &command.target;
    command.files.iter().try_for_each(|file| check_source(file))?;
    check_target(&target.output, "pdf", command.files.iter().map(PathBuf::as_path))?;
    delivery(global, &target.force).check(&target.output)?;
    let work = Work::open(global, None, output).await?;
    let mut names = Vec::new();
    for file in &command.files {
        // The tool takes no passwords, so none is asked for. Files of one name get numbers in the session.
        let mut options = DocumentOptions::default();
        options.keeps_unread = true;
        options.without_text = true;
        let read = work.document(file, &options).await;
        let document = read.map_err(|error| match error.input_problem() {
            Some("encrypted") => error.hint("`mitt pdf decrypt` removes its password"),
            _ => error,
        })?;
        names.push(document.name.clone());
    }
    let arguments = json!({ "documents": names, "filename": file_name(&target.output) });
    let doing = format!("joining {} files", names.len());
    write(global, &work, (MERGE, doing, arguments), target, output).await
}

/// Splits a file.
async fn split(global: &Global, command: &PdfSplit, output: &Output) -> Result<ExitCode> {
    check_source(&command.file)?;
    let folder = command.output.clone().unwrap_or_else(|| command.file.with_extension(""));
    let given = password::options(&command.password)?;
    let work = Work::open(global, None, output).await?;
    let file = open(&work, &command.file, &given).await?;
    let arguments = json!({ "by": split_by(command), "filename": file.name });
    let arguments = file.arguments(arguments);
    let report =
        call(&work, SPLIT, format!("splitting {}", file.name), &arguments.to_string()).await?;
    let result = Value::from(report.result?);
    let delivery = delivery(global, &command.force);
    let paths: Vec<PathBuf> = report.artifacts.iter().map(|it| folder.join(&it.name)).collect();
    // All names are checked before the first file is written.
    paths.iter().try_for_each(|path| delivery.check(path))?;
    make_folder(&folder)?;
    let described = result["files"].as_array().map_or(&[][..], Vec::as_slice);
    let mut files = Vec::new();
    for (at, (artifact, path)) in report.artifacts.iter().zip(&paths).enumerate() {
        delivery.write(path, &work.session.artifact_content(&artifact.name)?)?;
        let about = described.get(at).unwrap_or(&Value::Null);
        let (title, pages) = (&about["title"], &about["pages"]);
        let shown = path.display().to_string();
        if !output.is_json() {
            output.data_line(&shown)?;
        }
        files.push(json!({ "path": shown, "size": artifact.size, "title": title, "pages": pages }));
    }
    if output.is_json() {
        output.value(&json!({ "files": files, "warnings": texts(&result, "warnings") }))?;
    } else if !output.is_quiet() {
        for file in &files {
            let title = file["title"].as_str().unwrap_or_default();
            note(&format!("{}: {title}, pages: {}", text(&file["path"]), file["pages"]));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot make the folder {}", folder.display()))
            .hint("name another folder with `--output`")
            .caused_by(error)
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns how a file is split, in the words of the tool.
fn split_by(command: &PdfSplit) -> Value {
    let case = |tag: &str, value: Value| json!({ "tag": tag, "val": value });
    match (command.every, command.bookmarks, command.size) {
        (Some(every), ..) => case("every", json!(every)),
        (_, Some(level), _) => case("bookmarks", json!(level)),
        (.., Some(size)) => case("size", json!(size)),
        _ => case("pages", json!(command.pages)),
    }
}

/// Keeps, orders and turns pages.
async fn pages(global: &Global, command: &PdfPages, output: &Output) -> Result<ExitCode> {
    let edit = EditedPdf {
        file: &command.file,
        password: &command.password,
        breaks_signatures: command.signed.break_signatures,
        target: &command.target,
    };
    edit.run(global, page_edits(command), output).await
}

/// Returns the edits for pages. They are turned first, because the user counts the pages of the source.
fn page_edits(command: &PdfPages) -> Vec<Value> {
    let rotated = command.rotate.iter().map(|it| {
        let angle = f64::from(it.angle);
        json!({ "action": "rotate-pages", "pages": it.pages, "angle": angle })
    });
    let selected = command.select.iter();
    let selected = selected.map(|pages| json!({ "action": "select-pages", "pages": pages }));
    rotated.chain(selected).collect()
}

/// Puts a text on pages.
async fn stamp(global: &Global, command: &PdfStamp, output: &Output) -> Result<ExitCode> {
    let edit = EditedPdf {
        file: &command.file,
        password: &command.password,
        breaks_signatures: command.signed.break_signatures,
        target: &command.target,
    };
    edit.run(global, vec![stamp_edit(command)], output).await
}

/// Returns the edit that puts a text on pages.
fn stamp_edit(command: &PdfStamp) -> Value {
    let mut edit = json!({ "action": "add-text", "value": command.text });
    let options = [
        ("pages", command.pages.as_ref().map(|it| json!(it))),
        ("position", command.position.as_ref().map(|it| json!(it))),
        ("size", command.size.map(|it| json!(it))),
        ("color", command.color.as_ref().map(|it| json!(it))),
        ("angle", command.angle.map(|it| json!(it))),
        ("opacity", command.opacity.map(|it| json!(it))),
        ("margin", command.margin.map(|it| json!(it))),
        ("start", command.start.map(|it| json!(it))),
        ("behind", command.behind.then_some(json!(true))),
    ];
    for (name, value) in options {
        if let Some(value) = value {
            edit[name] = value;
        }
    }
    edit
}

/// A PDF that is changed by edits.
struct EditedPdf<'a> {
    file: &'a Path,
    password: &'a Password,
    breaks_signatures: bool,
    target: &'a PdfTarget,
}

impl EditedPdf<'_> {
    /// Makes the edits and writes the new file.
    async fn run(&self, global: &Global, edits: Vec<Value>, output: &Output) -> Result<ExitCode> {
        let (work, file) = self.open(global, output).await?;
        self.finish(global, (&work, &file), edits, output).await
    }

    /// Checks the target and reads the source.
    async fn open(&self, global: &Global, output: &Output) -> Result<(Work, PdfFile)> {
        opened(global, self.file, self.password, self.target, output).await
    }

    async fn finish(
        &self,
        global: &Global,
        (work, file): (&Work, &PdfFile),
        edits: Vec<Value>,
        output: &Output,
    ) -> Result<ExitCode> {
        let mut arguments = json!({ "edits": edits, "filename": file_name(&self.target.output) });
        if self.breaks_signatures {
            arguments["break_signatures"] = json!(true);
        }
        let order = (EDIT, format!("editing {}", file.name), file.arguments(arguments));
        write(global, work, order, self.target, output).await
    }
}

/// Attaches files.
async fn attach(global: &Global, command: &PdfAttach, output: &Output) -> Result<ExitCode> {
    let edit = EditedPdf {
        file: &command.file,
        password: &command.password,
        breaks_signatures: command.signed.break_signatures,
        target: &command.target,
    };
    let (work, file) = edit.open(global, output).await?;
    let mut edits = Vec::new();
    for attached in &command.attached {
        let name = attachable(&work, attached).await?;
        let mut attach = json!({ "action": "attach-file", "name": name });
        if let Some(description) = &command.description {
            attach["value"] = json!(description);
        }
        edits.push(attach);
    }
    edit.finish(global, (&work, &file), edits, output).await
}

/// Extensions of files whose content a session keeps for tools.
const KEPT: [&str; 7] = ["docx", "dotx", "xlsx", "xltx", "pptx", "potx", "pdf"];

/// Adds a file to the session so that a tool can attach it. Returns its name there.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is of a type whose content a session does not keep.
async fn attachable(work: &Work, path: &Path) -> Result<String> {
    if let Some(picture) = picture(path)? {
        give(&work.session, path, &picture);
        return Ok(file_name(path));
    }
    if !KEPT.contains(&extension(path).as_str()) {
        let message = format!(
            "--file: expected a Word file, a workbook, a presentation, a PDF or a picture, got {}",
            path.display()
        );
        return Err(Error::new(ErrorKind::Input, message)
            .hint("`mitt render --attach` attaches other files to a PDF that it makes"));
    }
    let document = work.document(path, &DocumentOptions::default()).await?;
    Ok(document.name.clone())
}

/// Protects a file.
async fn encrypt(global: &Global, command: &PdfEncrypt, output: &Output) -> Result<ExitCode> {
    check_source(&command.file)?;
    let target = &command.target;
    check_target(&target.output, "pdf", [command.file.as_path()])?;
    delivery(global, &target.force).check(&target.output)?;
    let owner = command.owner_password_file.as_deref().map(password::first_line).transpose()?;
    let user = password::new_password(command.password_file.as_deref()).await?;
    let work = Work::open(global, None, output).await?;
    let file = open(&work, &command.file, &DocumentOptions::default()).await?;
    let mut protection = json!({ "user_password": user, "deny": command.deny });
    if let Some(owner) = owner {
        protection["owner_password"] = json!(owner);
    }
    let action = json!({ "tag": "encrypt", "val": protection });
    let arguments = json!({ "action": action, "filename": file_name(&target.output) });
    let order = (REWRITE, format!("encrypting {}", file.name), file.arguments(arguments));
    write(global, &work, order, target, output).await
}

/// Decrypts, compresses or repairs a file.
async fn rewrite(
    global: &Global,
    command: &PdfRewrite,
    action: &str,
    output: &Output,
) -> Result<ExitCode> {
    let target = &command.target;
    let (work, file) = opened(global, &command.file, &command.password, target, output).await?;
    let arguments = json!({ "action": { "tag": action }, "filename": file_name(&target.output) });
    let order = (REWRITE, format!("writing {}", file.name), file.arguments(arguments));
    write(global, &work, order, target, output).await
}

/// Checks the target and reads the source.
async fn opened(
    global: &Global,
    source: &Path,
    password: &Password,
    target: &PdfTarget,
    output: &Output,
) -> Result<(Work, PdfFile)> {
    check_source(source)?;
    check_target(&target.output, "pdf", [source])?;
    // Checked before work that takes long.
    delivery(global, &target.force).check(&target.output)?;
    let given = password::options(password)?;
    let work = Work::open(global, None, output).await?;
    let file = open(&work, source, &given).await?;
    Ok((work, file))
}

/// Calls a tool that delivers one file, writes that, and prints what was done.
async fn write(
    global: &Global,
    work: &Work,
    (tool, doing, arguments): (&str, String, Value),
    target: &PdfTarget,
    output: &Output,
) -> Result<ExitCode> {
    let report = call(work, tool, doing, &arguments.to_string()).await?;
    let result = Value::from(report.result?);
    let (_, content) = delivered(&work.session, tool, &report.artifacts)?;
    delivery(global, &target.force).write(&target.output, &content)?;
    let path = target.output.display().to_string();
    let done = texts(&result, "done");
    if output.is_json() {
        let warnings = texts(&result, "warnings");
        output.value(
            &json!({ "path": path, "size": content.len(), "done": done, "warnings": warnings }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    // The progress has shown the warnings.
    if !output.is_quiet() {
        done.iter().for_each(|line| note(line));
    }
    output.data_line(&path)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Args, Command};

    fn parsed(line: &[&str]) -> PdfCommand {
        let args = Args::try_parse_from([&["mitt", "pdf"][..], line].concat());
        match args.unwrap_or_else(|error| panic!("{error}")).command {
            Command::Pdf(command) => command,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_is_split_in_one_of_four_ways() {
        for (options, expected) in [
            (&["--pages", "1-3,4-"][..], json!({ "tag": "pages", "val": ["1-3", "4-"] })),
            (&["--every", "10"], json!({ "tag": "every", "val": 10 })),
            (&["--bookmarks"], json!({ "tag": "bookmarks", "val": 1 })),
            (&["--bookmarks=2"], json!({ "tag": "bookmarks", "val": 2 })),
            (&["--size", "10MiB"], json!({ "tag": "size", "val": 10_485_760 })),
        ] {
            let PdfCommand::Split(command) = parsed(&[&["split", "a.pdf"][..], options].concat())
            else {
                panic!()
            };
            assert_eq!(split_by(&command), expected, "{options:?}");
        }
        for options in [&[][..], &["--every", "2", "--size", "1MiB"], &["--every", "0"]] {
            let line = [&["mitt", "pdf", "split", "a.pdf"][..], options].concat();
            assert!(Args::try_parse_from(line).is_err(), "{options:?}");
        }
    }

    #[test]
    fn pages_are_turned_before_they_are_ordered() {
        let line = ["pages", "a.pdf", "--select", "3,1", "--rotate", "2:90", "-o", "b.pdf"];
        let PdfCommand::Pages(command) = parsed(&line) else { panic!() };
        assert_eq!(
            page_edits(&command),
            [
                json!({ "action": "rotate-pages", "pages": "2", "angle": 90.0 }),
                json!({ "action": "select-pages", "pages": "3,1" }),
            ]
        );
    }

    #[test]
    fn a_stamp_has_only_the_options_that_were_given() {
        let line =
            ["stamp", "a.pdf", "--text", "Draft", "--angle", "-45", "--behind", "-o", "b.pdf"];
        let PdfCommand::Stamp(command) = parsed(&line) else { panic!() };
        let expected =
            json!({ "action": "add-text", "value": "Draft", "angle": -45.0, "behind": true });
        assert_eq!(stamp_edit(&command), expected);
    }
}
