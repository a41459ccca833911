//! `mitt fill`

mod each;
mod form;
#[cfg(feature = "lambda-s3")]
mod in_memory;

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::delivery;
use crate::args::{Fill, Global};
use crate::delivery::Delivery;
use crate::exit_code::exit_code;
use crate::output::{Output, error_json, note};
use crate::progress::bytes;
use each::Copy;
use mitt::guard::Guard;
use mitt::internal::{
    Check, FillJob, FillOrder, Job, JobEnd, Workers, value_of_file, value_of_json, values_of_json,
};
use mitt::render::{
    Cancel, CommonOptions, Doc, DocxOptions, FillValue, FillValues, Filled, FontSet,
    MAX_PICTURE_BYTES, MAX_PICTURES, Pictures,
};
use mitt_base::limits::MIB;
use mitt_base::{BlockingLimits, Error, ErrorKind, Result};

#[cfg(feature = "lambda-s3")]
pub(crate) use in_memory::fill_template;

/// Most bytes that are read of a file; the renderer refuses larger ones.
const MAX_FILE_BYTES: u64 = 64 * MIB + 1;

/// The kind of template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplateKind {
    /// An `.xlsx`.
    Workbook,
    /// An `.xlsm`, whose macros stay.
    Macros,
    /// A `.docx`.
    Word,
    /// A PDF with fields.
    Form,
}

/// Fills a workbook, a Word file or a PDF form, or one for each row of a list.
pub(crate) async fn fill(global: &Global, command: Fill, output: &Output) -> Result<ExitCode> {
    // Checked before work that takes long.
    let delivery = delivery(global, &command.force);
    let kind = check_target(&command)?;
    if command.each.is_none() {
        delivery.check(&command.output)?;
    }
    if kind == TemplateKind::Form {
        let FillOrder::Fill(values) = order(&command)? else {
            return Err(Error::bug("rows are appended to workbooks only"));
        };
        let copies = match &command.each {
            Some(file) => copies(&command, file, &values, &delivery)?,
            None => vec![Copy { path: command.output.clone(), values, row: 1 }],
        };
        return form::fill(global, &command, copies, &delivery, output).await;
    }
    let guard = super::guard(global)?;
    let order = order(&command)?;
    let template = read(&command.template)?;
    let filling = Filling { global, command: &command, kind, guard, template };
    let Some(file) = &command.each else {
        let filled = filling.made(order, &command.output)?;
        delivery.write(&command.output, &filled.bytes)?;
        let size = filled.bytes.len() as u64;
        if !output.is_quiet() {
            warn(&filled, None);
            note(&bytes(size));
        }
        let path = command.output.display().to_string();
        if output.is_json() {
            output.value(&json!({ "path": path, "size": size, "warnings": filled.warnings }))?;
        } else {
            output.data_line(&path)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let FillOrder::Fill(values) = order else {
        return Err(Error::bug("rows are appended and filled one by one"));
    };
    let copies = copies(&command, file, &values, &delivery)?;
    filling.each(copies, &delivery, output)
}

/// Returns the files for the rows of `file`, all of which may be written.
fn copies(
    command: &Fill,
    file: &Path,
    values: &FillValues,
    delivery: &Delivery,
) -> Result<Vec<Copy>> {
    let copies = each::copies(rows(file)?, values, &command.output)
        .map_err(|error| error.at(file.display()))?;
    copies.iter().try_for_each(|copy| delivery.check(&copy.path))?;
    Ok(copies)
}

fn warn(filled: &Filled, path: Option<&str>) {
    for warning in &filled.warnings {
        match path {
            Some(path) => note(&format!("warning: {path}: {warning}")),
            None => note(&format!("warning: {warning}")),
        }
    }
}

/// A template to fill once or several times.
struct Filling<'a> {
    global: &'a Global,
    command: &'a Fill,
    kind: TemplateKind,
    guard: Guard,
    template: Vec<u8>,
}

impl Filling<'_> {
    /// Returns the file `path`, filled and checked.
    fn made(&self, mut order: FillOrder, path: &Path) -> Result<Filled> {
        let Filling { global, command, kind, guard, template } = self;
        let mut check = Check::new(guard);
        if let Some(check) = &mut check {
            check.order(&mut order)?;
        }
        let content = content(command, check.as_mut())?;
        let made = match (kind, order) {
            (TemplateKind::Word, FillOrder::Fill(values)) => {
                word(global, command, template, (values, content))
            }
            (kind, order) => {
                let pictures = pictures(command, template, &order)?;
                filled(global, (template, &pictures), order, *kind == TemplateKind::Workbook)
            }
        };
        let mut filled = made.map_err(|error| match error.kind() {
            ErrorKind::Input => error.at(command.template.display()),
            _ => error,
        })?;
        if let Some(check) = &mut check {
            // Two values may stand side by side in it, and the template has texts of its own.
            let place = path.display();
            if let Some(redacted) =
                check.office(&filled.bytes, None).map_err(|error| error.at(place))?
            {
                filled.bytes = redacted;
            }
            filled.warnings.extend(check.warning());
        }
        Ok(filled)
    }

    /// Writes a file for each copy. A copy that fails is reported, and the others are written.
    fn each(&self, copies: Vec<Copy>, delivery: &Delivery, output: &Output) -> Result<ExitCode> {
        let count = copies.len();
        let (mut files, mut failed) = (Vec::new(), None);
        for Copy { path, values, row } in copies {
            let written = self.made(FillOrder::Fill(values), &path).and_then(|filled| {
                if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
                    std::fs::create_dir_all(folder).map_err(|error| {
                        let message = format!("cannot make the folder {}", folder.display());
                        Error::new(ErrorKind::Host, message).caused_by(error)
                    })?;
                }
                delivery.write(&path, &filled.bytes)?;
                Ok(filled)
            });
            let shown = path.display().to_string();
            match written {
                Ok(filled) => {
                    if !output.is_quiet() {
                        warn(&filled, Some(&shown));
                    }
                    if !output.is_json() {
                        output.data_line(&shown)?;
                    }
                    let (size, warnings) = (filled.bytes.len(), filled.warnings);
                    files.push(json!({ "path": shown, "size": size, "warnings": warnings }));
                }
                Err(error) => {
                    let error = error.at(format!("row {row}"));
                    note(&format!("error: {}", error.render()));
                    failed.get_or_insert(error);
                }
            }
        }
        if !output.is_quiet() {
            note(&format!("{} of {count} files", files.len()));
        }
        if output.is_json() {
            let error = failed.as_ref().map(error_json);
            output.value(&json!({ "files": files, "error": error }))?;
        }
        Ok(failed.map_or(ExitCode::SUCCESS, |error| ExitCode::from(exit_code(error.kind()))))
    }
}

/// Checks that the target is of the template's kind, and not the template itself.
fn check_target(command: &Fill) -> Result<TemplateKind> {
    let extension = |path: &Path| {
        path.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase()
    };
    let (from, to) = (extension(&command.template), extension(&command.output));
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    // The content decides the kind of a template with another name or from standard input.
    let expected = match &*from {
        "xlsx" | "xltx" => &["xlsx"][..],
        "xlsm" => &["xlsm"],
        "docx" | "dotx" => &["docx"],
        "pdf" => &["pdf"],
        _ => &["xlsx", "xlsm", "docx"],
    };
    if !expected.contains(&&*to) {
        let message = format!(
            "--output: expected a name that ends in `.{}`, got {}",
            expected.join("`, `."),
            command.output.display()
        );
        return Err(refused(message).hint("a filled template is of the template's own kind"));
    }
    let kind = match &*to {
        "xlsx" => TemplateKind::Workbook,
        "xlsm" => TemplateKind::Macros,
        "pdf" => TemplateKind::Form,
        _ => TemplateKind::Word,
    };
    if command.flatten && kind != TemplateKind::Form {
        return Err(refused("--flatten: only PDF forms have fields to flatten".to_owned())
            .hint("leave the option out"));
    }
    if kind == TemplateKind::Form && command.append.is_some() {
        return Err(refused("--append: only workbooks get rows".to_owned())
            .hint("fill the form once for each row: `--each rows.csv -o 'out/{name}.pdf'`"));
    }
    if kind == TemplateKind::Word && command.append.is_some() {
        return Err(refused("--append: only workbooks get rows".to_owned())
            .hint("fill a list of the template: `--csv items=items.csv`"));
    }
    if kind != TemplateKind::Word && command.content.is_some() {
        return Err(refused("--content: only Word files (`.docx`) have a place for a text".into())
            .hint("give values by `--data` and `--set`"));
    }
    let same = |source: std::path::PathBuf| {
        command.output.canonicalize().is_ok_and(|target| target == source)
    };
    if command.template.canonicalize().is_ok_and(same) {
        let message = format!("--output: {} is the template itself", command.output.display());
        return Err(refused(message).hint("name another file"));
    }
    Ok(kind)
}

/// Returns the document for `{{content}}`, parsed from Markdown.
fn content(command: &Fill, check: Option<&mut Check>) -> Result<Option<Doc>> {
    let Some(file) = &command.content else { return Ok(None) };
    let mut text = super::read_text(file)?;
    let Some(check) = check else { return mitt::render::markdown(&text).map(Some) };
    let place = |error: Error| error.at("--content");
    check.text(&mut text).map_err(place)?;
    let mut doc = mitt::render::markdown(&text)?;
    check.tree(&mut doc).map_err(place)?;
    Ok(Some(doc))
}

/// Most bytes of a Word file that a value names, as of a template.
const MAX_DOCUMENT_BYTES: u64 = 32 << 20;

/// Fills a Word file, in this process.
fn word(
    global: &Global,
    command: &Fill,
    template: &[u8],
    (values, doc): (FillValues, Option<Doc>),
) -> Result<Filled> {
    let mut options = DocxOptions {
        common: CommonOptions {
            created: Some(super::environment(global)?.now()),
            ..CommonOptions::default()
        },
        ..DocxOptions::default()
    };
    if let (Some(doc), Some(file)) = (&doc, &command.content) {
        options.common.pictures = super::sibling_pictures::pictures(doc, file, true);
    }
    // Pictures and documents that values name are beside the values.
    let source = command.data.as_ref().unwrap_or(&command.template);
    for name in mitt::render::docx_files(template, &values, &options)? {
        let lower = name.to_ascii_lowercase();
        let is_document = lower.ends_with(".docx") || lower.ends_with(".dotx");
        let most = if is_document { MAX_DOCUMENT_BYTES } else { MAX_PICTURE_BYTES };
        match super::sibling_pictures::file(&name, source, most) {
            Ok(content) if is_document => options.documents.push((name, content)),
            Ok(content) => options.common.pictures.insert(&name, content),
            Err(why) if is_document => {
                let name = mitt_base::text::one_line(&name);
                return Err(Error::new(ErrorKind::Arguments, format!("document `{name}`: {why}")));
            }
            Err(why) => options.common.pictures.insert_missing(&name, &why),
        }
    }
    let made = mitt::render::fill_docx(template, &values, doc.as_ref(), &options)?;
    Ok(Filled { bytes: made.bytes, warnings: made.warnings })
}

/// Returns the order for the filler.
fn order(command: &Fill) -> Result<FillOrder> {
    if let Some(file) = &command.append {
        let rows = rows(file)?;
        return Ok(FillOrder::Append { sheet: command.sheet.clone(), rows });
    }
    let mut values = match &command.data {
        None => FillValues::new(),
        Some(file) => values_of_json(&read(file)?).map_err(|error| error.at(file.display()))?,
    };
    for given in &command.set {
        let (name, value) = pair("--set", given)?;
        values.set(name, of_text(value));
    }
    for given in &command.csv {
        let (name, file) = pair("--csv", given)?;
        values.set(name, rows(Path::new(file))?);
    }
    Ok(FillOrder::Fill(values))
}

/// Reads rows from a file: JSON by its name, otherwise any text with rows.
fn rows(file: &Path) -> Result<FillValue> {
    let content = read(file)?;
    let name = file.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    if name.to_ascii_lowercase().ends_with(".json") {
        value_of_json(&content).map_err(|error| error.at(file.display()))
    } else {
        value_of_file(&name, content)
    }
}

fn pair<'a>(option: &str, given: &'a str) -> Result<(&'a str, &'a str)> {
    let (name, value) = given.split_once('=').ok_or_else(|| {
        Error::new(ErrorKind::Input, format!("{option}: expected `name=value`, got `{given}`"))
    })?;
    Ok((name.trim(), value))
}

/// Parses a value from the command line: as JSON if it is valid, otherwise as text. `007` is not valid JSON, and so stays
/// text.
fn of_text(text: &str) -> FillValue {
    value_of_json(text.as_bytes()).unwrap_or_else(|_| FillValue::Text(text.to_owned()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read {}", path.display()))
            .hint("name an existing file")
            .caused_by(error)
    };
    let mut content = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().take(MAX_FILE_BYTES).read_to_end(&mut content)
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut content))
    }
    .map_err(unreadable)?;
    Ok(content)
}

/// Returns the pictures that a workbook may show, from the folder of the values.
fn pictures(command: &Fill, template: &[u8], order: &FillOrder) -> Result<Pictures> {
    let mut pictures = Pictures::default();
    let FillOrder::Fill(values) = order else { return Ok(pictures) };
    let source = command.data.as_ref().unwrap_or(&command.template);
    let names = mitt::render::xlsx_files(template, values);
    let names = names.map_err(|error| error.at(command.template.display()))?;
    for name in names.into_iter().take(MAX_PICTURES) {
        match super::sibling_pictures::file(&name, source, MAX_PICTURE_BYTES) {
            Ok(content) => pictures.insert(&name, content),
            Err(why) => pictures.insert_missing(&name, &why),
        }
    }
    Ok(pictures)
}

/// Fills in a worker if one can be started, otherwise in this process.
fn filled(
    global: &Global,
    (template, pictures): (&[u8], &Pictures),
    order: FillOrder,
    as_xlsx: bool,
) -> Result<Filled> {
    let fill = if as_xlsx {
        FillJob::as_xlsx(template, &order, pictures)?
    } else {
        FillJob::new(template, &order, pictures)?
    };
    drop(order);
    let Some(worker) = super::worker(global) else { return fill.carry_out(Cancel::default()) };
    let limits = BlockingLimits::default();
    let job = Job::Fill { fill, memory_bytes: limits.render_memory_bytes };
    let time = global.max_time.unwrap_or(limits.render_time);
    match Workers::new(worker, 1, FontSet::default()).run_blocking(job, time, Box::new(())) {
        JobEnd::Done(output, bytes) => Ok(Filled { bytes, warnings: output.warnings }),
        JobEnd::Failed(error) => Err(error),
        JobEnd::NoWorker(Job::Fill { fill, .. }, _) => fill.carry_out(Cancel::default()),
        JobEnd::NoWorker(..) => Err(Error::bug("a worker gave back another job")),
    }
}
