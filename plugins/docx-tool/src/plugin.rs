//! The component: converts between the types of the interface and those of this crate, and calls the host.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:docx-tool/plugin",
        generate_all,
    });
}

use crate::{ChangeKind, DifferenceKind, Document};
use bindings::exports::mitt::docx_tool::tools as wit;
use bindings::mitt::host::types::Error;
use bindings::mitt::host::{files, render};

/// Paragraphs of one call, unless it says otherwise.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1_000;
/// Most changes and comments of one answer.
const MAX_LISTED: usize = 500;
/// Blocks of one call of `read-markdown`, unless it says otherwise.
const DEFAULT_BLOCKS: u32 = 300;
const MAX_BLOCKS: u32 = 2_000;
const MAX_DIFFERENCES: usize = 300;

struct Plugin;

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Invalid(text) => Self::InvalidArgument(text),
            crate::Error::NotFound(text) => Self::NotFound(text),
            crate::Error::Malformed(text) => Self::Malformed(text),
            crate::Error::Unsupported(text) => Self::Unsupported(text),
        }
    }
}

fn open(name: &str) -> Result<Document, Error> {
    Ok(Document::open(files::read(name)?)?)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns a text that is not empty. Models often send an empty string for an omitted one.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.trim().is_empty())
}

impl wit::Guest for Plugin {
    fn read_structure(
        document: String,
        view: Option<wit::View>,
        outline: Option<bool>,
        find: Option<String>,
        start: Option<u32>,
        limit: Option<u32>,
    ) -> Result<wit::Structure, Error> {
        mitt_guest::report_panics();
        let limit = limit_of(limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let options = crate::ReadOptions {
            view: view_of(view),
            is_outline: outline.unwrap_or(false),
            find: find.filter(|it| !it.is_empty()),
            from: start.unwrap_or(0) as usize,
            limit,
        };
        let found = crate::read(&mut open(&document)?, &options)?;
        let paragraphs = found.paragraphs.into_iter().map(|it| wit::Paragraph {
            anchor: it.anchor,
            place: it.place,
            style: it.style,
            heading: it.heading,
            text: it.text,
            details: it.details,
        });
        let tables = found.tables.into_iter().map(|it| wit::TableInfo {
            anchor: it.anchor,
            place: it.place,
            rows: count(it.rows),
            columns: count(it.columns),
        });
        Ok(wit::Structure {
            paragraphs: paragraphs.collect(),
            tables: tables.collect(),
            total: count(found.total),
            next: found.next.map(count),
            changes: count(found.changes),
            comments: count(found.comments),
        })
    }

    fn read_markdown(
        document: String,
        view: Option<wit::View>,
        start: Option<u32>,
        limit: Option<u32>,
    ) -> Result<wit::MarkdownPage, Error> {
        mitt_guest::report_panics();
        let options = crate::MarkdownOptions {
            view: view_of(view),
            from: start.unwrap_or(0) as usize,
            limit: limit_of(limit, DEFAULT_BLOCKS, MAX_BLOCKS)?,
        };
        let page = crate::read_markdown(&mut open(&document)?, &options)?;
        Ok(wit::MarkdownPage {
            markdown: page.markdown,
            losses: page.losses,
            total: count(page.total),
            next: page.next.map(count),
        })
    }

    fn list_fields(document: String) -> Result<wit::Fields, Error> {
        mitt_guest::report_panics();
        let found = open(&document)?.fields();
        let total = count(found.len());
        let fields = found.into_iter().take(MAX_LISTED).map(|it| wit::Field {
            kind: it.kind,
            at: it.at,
            title: it.title,
            tag: it.tag,
            instruction: it.instruction,
            value: it.value,
            choices: it.choices,
            locked: it.is_locked,
        });
        Ok(wit::Fields { fields: fields.collect(), total })
    }

    fn list_changes(document: String) -> Result<wit::Revisions, Error> {
        mitt_guest::report_panics();
        let mut document = open(&document)?;
        let changes = document.changes();
        let total = count(changes.len());
        let changes = changes.into_iter().take(MAX_LISTED).map(|it| wit::Change {
            id: it.id,
            kind: kind_name(it.kind).to_owned(),
            author: it.author,
            date: it.date,
            text: it.text,
            at: it.at,
        });
        let comments = document.comments()?.into_iter().take(MAX_LISTED).map(|it| wit::Comment {
            id: it.id,
            author: it.author,
            date: it.date,
            text: it.text,
            on: it.on,
            at: it.at,
            answers: it.parent,
            resolved: it.is_resolved,
        });
        Ok(wit::Revisions { changes: changes.collect(), comments: comments.collect(), total })
    }

    fn edit_document(
        document: String,
        edits: Vec<wit::Edit>,
        filename: String,
        options: Option<wit::Options>,
    ) -> Result<wit::Edited, Error> {
        mitt_guest::report_panics();
        mitt_guest::check_filename(&filename, &["docx"]).map_err(Error::InvalidArgument)?;
        let edits: Vec<crate::Edit> = edits.into_iter().map(edit).collect();
        let read = |name: &str| files::read(name).map_err(text_of);
        let edited = crate::edit(files::read(&document)?, &edits, &settings(options)?, &read)?;
        let file = files::deliver(&edited.bytes, &filename, &edited.warnings)?;
        let done = edited.done.into_iter().map(|it| wit::Done {
            place: it.place,
            before: it.before,
            after: it.after,
        });
        Ok(wit::Edited { file, edits: done.collect(), warnings: edited.warnings })
    }

    fn compare_documents(
        old: String,
        new: String,
        filename: String,
        options: Option<wit::Options>,
    ) -> Result<wit::Comparison, Error> {
        mitt_guest::report_panics();
        mitt_guest::check_filename(&filename, &["docx"]).map_err(Error::InvalidArgument)?;
        let options = settings(options)?;
        let found = crate::compare(files::read(&old)?, files::read(&new)?, &options)?;
        let file = files::deliver(&found.redline, &filename, &found.warnings)?;
        let total = count(found.differences.len());
        let listed = found.differences.into_iter().take(MAX_DIFFERENCES);
        let differences = listed.map(|it| wit::Difference {
            kind: match it.kind {
                DifferenceKind::Changed => "changed",
                DifferenceKind::Inserted => "inserted",
                DifferenceKind::Deleted => "deleted",
                DifferenceKind::Moved => "moved",
                DifferenceKind::Formatted => "formatted",
            }
            .to_owned(),
            place: it.place,
            before: it.before,
            after: it.after,
        });
        let differences = differences.collect();
        Ok(wit::Comparison { file, differences, total, warnings: found.warnings })
    }

    fn redact_document(
        document: String,
        words: Vec<String>,
        patterns: Option<Vec<String>>,
        filename: String,
    ) -> Result<wit::Redacted, Error> {
        mitt_guest::report_panics();
        mitt_guest::check_filename(&filename, &["docx"]).map_err(Error::InvalidArgument)?;
        let patterns = patterns.unwrap_or_default();
        crate::check_name(&filename, &words, &patterns)?;
        let found = crate::redact(files::read(&document)?, &words, &patterns)?;
        let file = files::deliver(&found.bytes, &filename, &found.warnings)?;
        let total = count(found.places.iter().map(|it| it.1).sum());
        let places = found.places.into_iter();
        let places = places.map(|(place, hits)| wit::RedactedPlace { place, count: count(hits) });
        Ok(wit::Redacted { file, places: places.collect(), total, warnings: found.warnings })
    }

    fn convert_document(
        document: String,
        filename: String,
        view: Option<wit::View>,
    ) -> Result<wit::Converted, Error> {
        mitt_guest::report_panics();
        mitt_guest::check_filename(&filename, &["pdf", "html", "md"])
            .map_err(Error::InvalidArgument)?;
        let extension = filename.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let is_text = extension == "md";
        let found = crate::convert(files::read(&document)?, view_of(view), !is_text)?;
        let file = if is_text {
            render::text(&found.markdown, &filename)?
        } else {
            let paper = if found.is_letter { render::Paper::Letter } else { render::Paper::A4 };
            let document = render::MarkdownDocument {
                markdown: found.markdown,
                title: found.title,
                language: None,
                paper,
                contents: found.has_contents,
                theme: None,
                template: None,
            };
            match extension.as_str() {
                "html" => render::html(&document, &filename)?,
                _ => render::pdf(&document, &filename)?,
            }
        };
        Ok(wit::Converted { file, warnings: found.warnings })
    }
}

fn view_of(view: Option<wit::View>) -> crate::View {
    match view.unwrap_or(wit::View::Accepted) {
        wit::View::Original => crate::View::Original,
        wit::View::Accepted => crate::View::Accepted,
        wit::View::Marks => crate::View::Marks,
    }
}

fn limit_of(limit: Option<u32>, default: u32, most: u32) -> Result<usize, Error> {
    let limit = limit.unwrap_or(default);
    if (1..=most).contains(&limit) {
        Ok(limit as usize)
    } else {
        Err(Error::InvalidArgument(format!("expected a `limit` from 1 to {most}, got {limit}")))
    }
}

fn text_of(error: Error) -> String {
    match error {
        Error::InvalidArgument(text)
        | Error::NotFound(text)
        | Error::AlreadyExists(text)
        | Error::Unsupported(text)
        | Error::Malformed(text)
        | Error::Quota(text)
        | Error::Other(text) => text,
    }
}

fn kind_name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Insertion => "insertion",
        ChangeKind::Deletion => "deletion",
        ChangeKind::MovedFrom => "moved from",
        ChangeKind::MovedTo => "moved to",
        ChangeKind::ParagraphInsertion => "paragraph inserted",
        ChangeKind::ParagraphDeletion => "paragraph deleted",
        ChangeKind::RowInsertion => "row inserted",
        ChangeKind::RowDeletion => "row deleted",
        ChangeKind::CellInsertion => "cell inserted",
        ChangeKind::CellDeletion => "cell deleted",
        ChangeKind::Formatting => "formatting",
        ChangeKind::ParagraphFormatting => "formatting of the paragraph",
        ChangeKind::OtherFormatting => "formatting of a table or section",
    }
}

fn settings(options: Option<wit::Options>) -> Result<crate::EditOptions, Error> {
    let options = options.unwrap_or(wit::Options { track: None, author: None, date: None });
    crate::EditOptions::new(
        options.track.unwrap_or(true),
        given(options.author).as_deref(),
        given(options.date).as_deref(),
    )
    .map_err(Error::InvalidArgument)
}

fn side(side: wit::Side) -> crate::Where {
    match side {
        wit::Side::Before => crate::Where::Before,
        wit::Side::After => crate::Where::After,
    }
}

fn filter(filter: wit::ChangeFilter) -> crate::ChangeFilter {
    crate::ChangeFilter {
        ids: filter.ids.unwrap_or_default(),
        author: given(filter.author),
        from: given(filter.from),
        to: given(filter.to),
    }
}

fn header(is_footer: bool, it: wit::SetHeader) -> crate::Edit {
    let pages = match it.pages.unwrap_or(wit::Pages::Default) {
        wit::Pages::Default => crate::Pages::Default,
        wit::Pages::First => crate::Pages::First,
        wit::Pages::Even => crate::Pages::Even,
    };
    crate::Edit::SetHeader { is_footer, text: it.text, pages, section: it.section }
}

fn edit(edit: wit::Edit) -> crate::Edit {
    use crate::Edit;
    match edit {
        wit::Edit::ReplaceText(it) => Edit::ReplaceText {
            at: it.at,
            find: it.find,
            replacement: it.replacement,
            occurrence: it.occurrence,
        },
        wit::Edit::InsertText(it) => Edit::InsertText {
            at: it.at,
            text: it.text,
            after: it.after.filter(|it| !it.is_empty()),
            before: it.before.filter(|it| !it.is_empty()),
        },
        wit::Edit::InsertParagraph(it) => {
            Edit::InsertParagraph { at: it.at, side: side(it.side), text: it.text, style: it.style }
        }
        wit::Edit::DeleteParagraph(at) => Edit::DeleteParagraph { at },
        wit::Edit::MoveParagraph(it) => {
            Edit::MoveParagraph { at: it.at, side: side(it.side), to: it.to }
        }
        wit::Edit::SetCell(it) => {
            Edit::SetCell { table: it.table, row: it.row, column: it.column, text: it.text }
        }
        wit::Edit::InsertRow(it) => {
            Edit::InsertRow { table: it.table, row: it.at, side: side(it.side), cells: it.cells }
        }
        wit::Edit::DeleteRow(it) => Edit::DeleteRow { table: it.table, row: it.at },
        wit::Edit::InsertColumn(it) => Edit::InsertColumn {
            table: it.table,
            column: it.at,
            side: side(it.side),
            cells: it.cells,
        },
        wit::Edit::DeleteColumn(it) => Edit::DeleteColumn { table: it.table, column: it.at },
        wit::Edit::SetStyle(it) => Edit::SetStyle { at: it.at, style: it.style },
        wit::Edit::FormatText(it) => Edit::FormatText {
            at: it.at,
            find: it.find,
            format: crate::Format {
                bold: it.bold,
                italic: it.italic,
                underline: it.underline,
                strike: it.strike,
                color: given(it.color),
                highlight: given(it.highlight),
                size: it.size,
            },
        },
        wit::Edit::LinkText(it) => Edit::LinkText { at: it.at, find: it.find, url: it.url },
        wit::Edit::InsertPageBreak(at) => Edit::InsertPageBreak { at },
        wit::Edit::SetHeader(it) => header(false, it),
        wit::Edit::SetFooter(it) => header(true, it),
        wit::Edit::SetProperty(it) => Edit::SetProperty { name: it.name, value: it.value },
        wit::Edit::InsertPicture(it) => Edit::InsertPicture {
            at: it.at,
            side: side(it.side),
            picture: it.picture,
            width_cm: it.width_cm,
            alt: it.alt,
        },
        wit::Edit::ReplaceEverywhere(it) => Edit::ReplaceEverywhere {
            find: it.find,
            replacement: it.replacement,
            mode: match it.mode.unwrap_or(wit::FindMode::Exact) {
                wit::FindMode::Exact => crate::FindMode::Exact,
                wit::FindMode::Word => crate::FindMode::WholeWord,
                wit::FindMode::Pattern => crate::FindMode::Pattern,
            },
            ignores_case: it.ignore_case.unwrap_or(false),
        },
        wit::Edit::AddComment(it) => Edit::AddComment { at: it.at, find: it.find, text: it.text },
        wit::Edit::AnswerComment(it) => Edit::AnswerComment { id: it.id, text: it.text },
        wit::Edit::ResolveComment(id) => Edit::ResolveComment { id, is_resolved: true },
        wit::Edit::ReopenComment(id) => Edit::ResolveComment { id, is_resolved: false },
        wit::Edit::DeleteComment(id) => Edit::DeleteComment { id },
        wit::Edit::SetControl(it) => Edit::SetControl {
            name: it.at,
            find: it.find,
            replacement: it.replacement,
            occurrence: it.occurrence,
        },
        wit::Edit::InsertField(it) => Edit::InsertField {
            at: it.at,
            field: it.text,
            after: given(it.after),
            before: given(it.before),
        },
        wit::Edit::UpdateFields => Edit::UpdateFields,
        wit::Edit::AddFootnote(it) => Edit::AddFootnote { at: it.at, find: it.find, text: it.text },
        wit::Edit::DeleteNote(id) => Edit::DeleteNote { id },
        wit::Edit::AcceptChanges(it) => Edit::AcceptChanges(filter(it)),
        wit::Edit::RejectChanges(it) => Edit::RejectChanges(filter(it)),
    }
}

bindings::export!(Plugin with_types_in bindings);
