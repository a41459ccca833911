//! PDF forms: one filled file, or one for each row of a list.
//!
//! Files of a series are made in sessions that are renewed, because a session keeps what it delivered.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::each::Copy;
use crate::args::{Fill, Global};
use crate::commands::new_file::{delivered, file_name};
use crate::commands::pdf_file::{PdfFile, contents, open, texts};
use crate::commands::work::Work;
use crate::delivery::Delivery;
use crate::exit_code::exit_code;
use crate::interrupt::unless_interrupted;
use crate::output::{Output, error_json, note};
use crate::progress::bytes;
use mitt::render::{FillValue, FillValues};
use mitt::{DocumentOptions, Session, SessionOptions};
use mitt_base::text::nearest;
use mitt_base::{Error, ErrorKind, Result};

const EDIT: &str = "pdf_tool__edit_pdf";

/// Files that one session makes before the next one is opened, so that memory does not grow with the number of rows.
const FILES_OF_SESSION: usize = 50;

/// Most problems that an error lists.
const MAX_PROBLEMS: usize = 50;

/// Deepest records of values: `{"applicant": {"address": {"city": …}}}`.
const MAX_DEPTH: usize = 16;

/// Fills a form for each of `copies`.
pub(super) async fn fill(
    global: &Global,
    command: &Fill,
    copies: Vec<Copy>,
    delivery: &Delivery,
    output: &Output,
) -> Result<ExitCode> {
    let work = Work::open(global, None, output).await?;
    let file = open(&work, &command.template, &DocumentOptions::default()).await?;
    let read = contents(&work, &file, &["fields"]).await?;
    let form = Form::new(&read, command);
    let at_template = |error: Error| error.at(command.template.display());
    if form.fields.is_empty() {
        return Err(at_template(
            Error::new(ErrorKind::Input, "the PDF has no form fields")
                .hint("`mitt pdf stamp` puts a text on its pages"),
        ));
    }
    let mut problems = form.unknown(&copies);
    let mut maker = Maker { work: &work, command, file: &file, session: None, n_made: 0 };
    // A missing value in a row of a series concerns that row only.
    if let ([copy], None) = (&copies[..], &command.each) {
        let (edits, missing) = form.edits(&copy.values);
        problems.extend(missing);
        // The tool checks choices and lengths, so that all mistakes are listed at once.
        if !problems.is_empty() && !edits.is_empty() {
            problems.extend(maker.mistakes(edits, &copy.path).await);
        }
    }
    if !problems.is_empty() {
        work.progress.finish();
        return Err(at_template(refused(problems)));
    }
    if command.each.is_none() {
        let Some(Copy { path, values, .. }) = copies.into_iter().next() else {
            return Err(Error::bug("a form without a series has one copy"));
        };
        let made = maker.made(&form, &values, &path).await;
        work.progress.finish();
        let made = made.map_err(at_template)?;
        delivery.write(&path, &made.content)?;
        let (path, size) = (path.display().to_string(), made.content.len() as u64);
        if !output.is_quiet() {
            made.warnings.iter().for_each(|warning| note(&format!("warning: {warning}")));
            note(&bytes(size));
        }
        if output.is_json() {
            output.value(&json!({ "path": path, "size": size, "warnings": made.warnings }))?;
        } else {
            output.data_line(&path)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    series(&form, maker, copies, delivery, output).await
}

/// Writes a file for each copy. Shows one line of progress. A copy that fails is reported at the end, and the others are
/// written.
async fn series(
    form: &Form,
    mut maker: Maker<'_>,
    copies: Vec<Copy>,
    delivery: &Delivery,
    output: &Output,
) -> Result<ExitCode> {
    let (count, work) = (copies.len(), maker.work);
    let progress = &work.progress;
    progress.go_on();
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for (at, Copy { path, values, row }) in copies.into_iter().enumerate() {
        let shown = path.display().to_string();
        progress.doing(&format!("filling {} of {count}: {shown}", at + 1));
        let made = maker.made(form, &values, &path).await;
        let written = made.and_then(|made| {
            write(&path, &made.content, delivery)?;
            Ok(made)
        });
        match written {
            Ok(made) => {
                progress.suspended(|| {
                    if !output.is_quiet() {
                        let warnings = made.warnings.iter();
                        warnings.for_each(|it| note(&format!("warning: {shown}: {it}")));
                    }
                    if output.is_json() { Ok(()) } else { output.data_line(&shown) }
                })?;
                let size = made.content.len();
                files.push(json!({ "path": shown, "size": size, "warnings": made.warnings }));
            }
            // The user wants no further files.
            Err(error) if *error.kind() == ErrorKind::Cancelled => {
                progress.finish();
                failed.iter().for_each(report);
                note(&format!("{} of {count} files", files.len()));
                return Err(error);
            }
            Err(error) => failed.push(error.at(format!("row {row}"))),
        }
    }
    progress.finish();
    failed.iter().for_each(report);
    if !output.is_quiet() {
        note(&format!("{} of {count} files", files.len()));
    }
    let first = failed.first();
    if output.is_json() {
        let errors: Vec<Value> = failed.iter().map(error_json).collect();
        output
            .value(&json!({ "files": files, "error": first.map(error_json), "errors": errors }))?;
    }
    Ok(first.map_or(ExitCode::SUCCESS, |error| ExitCode::from(exit_code(error.kind()))))
}

fn report(error: &Error) {
    note(&format!("error: {}", error.render()));
}

/// Writes a file of a series, whose name may have folders that are not there yet.
fn write(path: &Path, content: &[u8], delivery: &Delivery) -> Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("cannot make the folder {}", folder.display());
            Error::new(ErrorKind::Host, message).caused_by(error)
        })?;
    }
    delivery.write(path, content)
}

/// A filled file.
struct Made {
    content: Vec<u8>,
    warnings: Vec<String>,
}

/// Makes filled files.
struct Maker<'a> {
    work: &'a Work,
    command: &'a Fill,
    file: &'a PdfFile,
    /// The session in use, and the name of the form there.
    session: Option<(Session, String)>,
    /// Files that it has made.
    n_made: usize,
}

impl Maker<'_> {
    /// Returns the form with these values.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - values do not fit, or are missing; all are listed. Those of the tool.
    async fn made(&mut self, form: &Form, values: &FillValues, path: &Path) -> Result<Made> {
        let (mut edits, problems) = form.edits(values);
        if !problems.is_empty() {
            return Err(refused(problems));
        }
        if self.command.flatten {
            edits.push(json!({ "action": "flatten" }));
        }
        if edits.is_empty() {
            return Err(Error::new(ErrorKind::Arguments, "there is no value for any field"));
        }
        self.edited(edits, path).await
    }

    /// Returns what is wrong with values, one sentence each, by an attempt whose result is dropped.
    async fn mistakes(&mut self, edits: Vec<Value>, path: &Path) -> Vec<String> {
        let Err(error) = self.edited(edits, path).await else { return Vec::new() };
        let shown = error.to_string();
        // The places are those of the edits, which the user does not see; each sentence names its field.
        let sentences = shown.lines().filter_map(|line| line.split_once("edits["));
        sentences.filter_map(|(_, line)| Some(line.split_once("]: ")?.1.to_owned())).collect()
    }

    async fn edited(&mut self, edits: Vec<Value>, path: &Path) -> Result<Made> {
        if self.session.is_none() || self.n_made >= FILES_OF_SESSION {
            self.session = Some(self.opened().await?);
            self.n_made = 0;
        }
        self.n_made += 1;
        let Some((session, name)) = &self.session else {
            return Err(Error::bug("the session was opened above"));
        };
        let form = PdfFile { name: name.clone(), password: self.file.password.clone() };
        let arguments = form.arguments(json!({ "edits": edits, "filename": file_name(path) }));
        let report = unless_interrupted(session.call(EDIT, &arguments.to_string())).await?;
        let result = Value::from(report.result?);
        let (_, content) = delivered(session, EDIT, &report.artifacts)?;
        Ok(Made { content, warnings: texts(&result, "warnings") })
    }

    /// Opens a session that shows no steps, with the form in it.
    async fn opened(&self) -> Result<(Session, String)> {
        let options = SessionOptions { keeps_sources: true, ..SessionOptions::default() };
        let session = self.work.session.host().session(options)?;
        let mut options = DocumentOptions::default();
        options.password.clone_from(&self.file.password);
        options.keeps_unread = true;
        options.without_text = true;
        let document = session.add_document_with(&self.command.template, &options).await?;
        let name = document.name.clone();
        Ok((session, name))
    }
}

/// A field of the form.
struct Field {
    name: String,
    kind: String,
    /// `true` if it has a value already.
    has_value: bool,
    is_required: bool,
    is_read_only: bool,
}

/// The fields of a form.
struct Form {
    fields: Vec<Field>,
    /// Columns that name the files of a series, and need not be fields.
    of_names: Vec<String>,
}

impl Form {
    fn new(read: &Value, command: &Fill) -> Form {
        let field = |it: &Value| {
            let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
            Field {
                name: text("name"),
                kind: text("kind"),
                has_value: !matches!(text("value").as_str(), "" | "Off"),
                is_required: it["required"] == true,
                is_read_only: it["read_only"] == true,
            }
        };
        let fields = read["fields"].as_array().into_iter().flatten().map(field).collect();
        let pattern = command.each.as_ref().map(|_| command.output.to_string_lossy().into_owned());
        let of_names = pattern.as_deref().map(columns).unwrap_or_default();
        Form { fields, of_names }
    }

    fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns a problem for each name that is no field, once for all copies.
    fn unknown(&self, copies: &[Copy]) -> Vec<String> {
        let mut known = BTreeSet::new();
        let mut problems = Vec::new();
        for copy in copies {
            for (name, _) in leaves(&copy.values) {
                let is_fine = self.field(&name).is_some() || self.of_names.contains(&name);
                if is_fine || !known.insert(name.clone()) {
                    continue;
                }
                let names = self.fields.iter().map(|field| field.name.as_str());
                let near = nearest(&name, names).first().map(|near| (*near).to_owned());
                problems.push(match near {
                    Some(near) => format!("there is no field `{name}`; did you mean `{near}`?"),
                    None => format!("there is no field `{name}`"),
                });
            }
        }
        problems
    }

    /// Returns the edits that fill the fields, and the problems of the values.
    fn edits(&self, values: &FillValues) -> (Vec<Value>, Vec<String>) {
        let (mut edits, mut problems) = (Vec::new(), Vec::new());
        let leaves = leaves(values);
        for field in &self.fields {
            // The last one counts, as with keys of one name.
            let value = leaves.iter().rev().find(|(name, _)| *name == field.name);
            let value = value.map(|(_, value)| field_text(value));
            match value {
                Some(None) => problems.push(format!(
                    "field `{}`: expected a text, a number, a date or `true`, got a list or a record",
                    field.name
                )),
                Some(Some(text)) if !text.is_empty() => edits.push(filling(field, &text)),
                // Without a value a field stays as it is. An empty one empties it, but a group of buttons has no such state.
                Some(Some(_)) if field.has_value && field.kind != "radio" && !field.is_required => {
                    edits.push(filling(field, ""));
                }
                Some(Some(_)) | None => {
                    let takes_value = !matches!(field.kind.as_str(), "button" | "signature");
                    let is_empty = value.is_some() || !field.has_value;
                    if field.is_required && takes_value && !field.is_read_only && is_empty {
                        problems.push(format!("field `{}` is required and has no value", field.name));
                    }
                }
            }
        }
        (edits, problems)
    }
}

fn filling(field: &Field, value: &str) -> Value {
    json!({ "action": "fill-field", "name": field.name, "value": value })
}

/// Returns the value as the text of a field; the lines of a list are its choices. `None` for tables and lists of them.
fn field_text(value: &FillValue) -> Option<String> {
    match value {
        FillValue::List(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(FillValue::as_text).collect();
            texts.map(|texts| texts.join("\n"))
        }
        single => single.as_text().map(str::to_owned),
    }
}

/// Returns the single values by their whole names. A record is a part of a name: `{"applicant": {"city": "Bern"}}` is
/// `applicant.city`.
fn leaves(values: &FillValues) -> Vec<(String, &FillValue)> {
    fn collect<'v>(
        prefix: &str,
        entries: &'v [(String, FillValue)],
        depth: usize,
        out: &mut Vec<(String, &'v FillValue)>,
    ) {
        for (name, value) in entries {
            let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                FillValue::Record(entries) if depth < MAX_DEPTH => {
                    collect(&name, entries, depth + 1, out);
                }
                value => out.push((name, value)),
            }
        }
    }
    let mut out = Vec::new();
    collect("", values.entries(), 0, &mut out);
    out
}

/// Returns the columns that a pattern names in braces.
fn columns(pattern: &str) -> Vec<String> {
    let parts = pattern.split('{').skip(1);
    let names = parts.filter_map(|part| part.split_once('}'));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}

/// Returns an error that lists problems.
fn refused(problems: Vec<String>) -> Error {
    let message = match problems.len() {
        1 => "1 value does not fit the form".to_owned(),
        count => format!("{count} values do not fit the form"),
    };
    let count = problems.len();
    let mut error = Error::new(ErrorKind::Arguments, message);
    for problem in problems.into_iter().take(MAX_PROBLEMS) {
        error = error.detail(problem);
    }
    if count > MAX_PROBLEMS {
        error = error.detail(format!("{} more", count - MAX_PROBLEMS));
    }
    error.hint("`mitt pdf info` lists the fields of the form")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::internal::values_of_json;

    fn form() -> Form {
        let field = |name: &str, kind: &str, value: &str, is_required: bool| Field {
            name: name.into(),
            kind: kind.into(),
            has_value: !value.is_empty(),
            is_required,
            is_read_only: false,
        };
        let fields = vec![
            field("name", "text", "", true),
            field("address.city", "text", "Bern", false),
            field("agree", "check box", "", false),
            field("langs", "list", "", false),
            field("sign", "signature", "", true),
            field("old", "text", "x", true),
        ];
        Form { fields, of_names: columns("out/{id}-{ name }.pdf") }
    }

    fn values(text: &str) -> FillValues {
        values_of_json(text.as_bytes()).unwrap()
    }

    fn copy(text: &str) -> Copy {
        Copy { path: "a.pdf".into(), values: values(text), row: 1 }
    }

    #[test]
    fn names_lead_into_records_and_lists_are_choices() {
        let given =
            r#"{"name": "Ana", "address": {"city": null}, "agree": true, "langs": ["de", "fr"]}"#;
        let (edits, problems) = form().edits(&values(given));
        assert!(problems.is_empty(), "{problems:?}");
        let filled: Vec<(&str, &str)> = edits
            .iter()
            .map(|it| (it["name"].as_str().unwrap(), it["value"].as_str().unwrap()))
            .collect();
        assert_eq!(
            filled,
            [("name", "Ana"), ("address.city", ""), ("agree", "true"), ("langs", "de\nfr")]
        );
    }

    #[test]
    fn unknown_and_missing_values_are_all_listed() {
        let form = form();
        // `id` names the file only.
        let copies = [copy(r#"{"nam": 1, "id": 7}"#), copy(r#"{"nam": 2, "zzzz": 1}"#)];
        assert_eq!(
            form.unknown(&copies),
            ["there is no field `nam`; did you mean `name`?", "there is no field `zzzz`"]
        );
        let (_, problems) = form.edits(&values(r#"{"old": "", "agree": [[1]]}"#));
        assert_eq!(
            problems,
            [
                "field `name` is required and has no value",
                "field `agree`: expected a text, a number, a date or `true`, got a list or a record",
                "field `old` is required and has no value",
            ]
        );
        // A required field that has a value may keep it.
        assert!(form.edits(&values(r#"{"name": "x"}"#)).1.is_empty());
        let error = refused(vec!["a".into(); MAX_PROBLEMS + 2]).render();
        assert!(error.starts_with("52 values") && error.contains("\n2 more\n"), "{error}");
    }
}
