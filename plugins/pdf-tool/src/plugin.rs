//! The component: converts between the types of the interface and those of this crate, and calls the host.

use crate::bindings::exports::mitt::pdf_tool::tools as wit;
use crate::bindings::mitt::host::files;
use crate::bindings::mitt::host::types::Error;
use crate::sign_plugin::{signature, text_of};
use crate::text::{counted, line};
use crate::{Pdf, SaveOptions, Typesetter};

/// Items of a list, unless the call says otherwise.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1_000;
/// Places of a text, unless the call says otherwise.
const DEFAULT_PLACES: u32 = 20;
const MAX_PLACES: u32 = 200;
/// Longest value in a result.
const MAX_VALUE: usize = 2_000;
/// Most warnings of a file; the host takes no more.
const MAX_WARNINGS: usize = 100;

struct Plugin;

/// The typesetting of the host.
struct HostTypesetter;

impl Typesetter for HostTypesetter {
    fn lines(&self, texts: &[String], size: f64, color: [f64; 3]) -> Option<Vec<u8>> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 255"
        )]
        let [r, g, b] = color.map(|it| (it.clamp(0.0, 1.0) * 255.0).round() as u8);
        let look = files::TextLook {
            size,
            color: format!("{r:02X}{g:02X}{b:02X}"),
            bold: false,
            width: None,
            side: files::TextSide::Left,
        };
        // Without it, the standard fonts and fonts of the viewer are used, with a warning.
        files::text_pages(texts, &look).ok()
    }
}

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

impl From<crate::Place> for wit::Place {
    fn from(it: crate::Place) -> Self {
        Self {
            page: count(it.page),
            rects: it.rects.iter().map(|it| rounded(it)).collect(),
            text: it.text,
            reference: it.reference,
        }
    }
}

fn open(name: &str, password: Option<&str>) -> Result<Pdf, Error> {
    Ok(Pdf::open(files::read(name)?, password)?)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns a text that is not empty. Models often send an empty string for an omitted one.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.trim().is_empty())
}

fn rounded(rect: &[f64]) -> Vec<f64> {
    rect.iter().map(|it| (it * 100.0).round() / 100.0).collect()
}

fn check(filename: &str) -> Result<(), Error> {
    mitt_guest::check_filename(filename, &["pdf"]).map_err(Error::InvalidArgument)
}

/// Returns warnings as the host takes them: not too many and not too long, each once.
fn tidy(warnings: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for warning in &warnings {
        let warning = line(warning, 900);
        if !out.contains(&warning) {
            out.push(warning);
        }
    }
    if out.len() > MAX_WARNINGS {
        let more = out.len() - (MAX_WARNINGS - 1);
        out.truncate(MAX_WARNINGS - 1);
        out.push(format!("There are {more} more warnings."));
    }
    out
}

fn deliver(
    bytes: &[u8],
    filename: &str,
    done: Vec<String>,
    warnings: Vec<String>,
) -> Result<wit::Changed, Error> {
    let warnings = tidy(warnings);
    let file = files::deliver(bytes, filename, &warnings)?;
    Ok(wit::Changed { file, done, warnings })
}

/// A window of each list.
struct Window {
    start: usize,
    limit: usize,
    more: Vec<String>,
}

impl Window {
    fn of<T>(&mut self, name: &str, items: Vec<T>) -> impl Iterator<Item = T> + use<T> {
        let end = self.start.saturating_add(self.limit);
        if items.len() > end {
            self.more.push(format!("{name}: {} in all; go on with start {end}", items.len()));
        }
        items.into_iter().skip(self.start).take(self.limit)
    }
}

impl wit::Guest for Plugin {
    fn read_pdf(
        document: String,
        parts: Option<Vec<wit::Part>>,
        start: Option<u32>,
        limit: Option<u32>,
        password: Option<String>,
    ) -> Result<wit::Contents, Error> {
        mitt_guest::report_panics();
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        if limit == 0 || limit > MAX_LIMIT {
            return Err(Error::InvalidArgument(format!(
                "expected a `limit` from 1 to {MAX_LIMIT}, got {limit}"
            )));
        }
        let parts = parts.filter(|it| !it.is_empty()).unwrap_or_else(|| {
            vec![wit::Part::Fields, wit::Part::Attachments, wit::Part::Metadata]
        });
        let has = |part: wit::Part| parts.contains(&part);
        let pdf = open(&document, given(password).as_deref())?;
        let mut window =
            Window { start: start.unwrap_or(0) as usize, limit: limit as usize, more: Vec::new() };
        let mut contents = wit::Contents {
            version: pdf.version().to_owned(),
            page_count: count(pdf.page_count()),
            notes: pdf.notes(),
            pages: Vec::new(),
            outline: Vec::new(),
            fields: Vec::new(),
            annotations: Vec::new(),
            attachments: Vec::new(),
            metadata: Vec::new(),
            more: Vec::new(),
        };
        if has(wit::Part::Pages) {
            let of = |it: crate::PageInfo| wit::PageInfo {
                number: count(it.number),
                rect: rounded(&it.rect),
                rotation: i32::try_from(it.rotation).unwrap_or(0),
                label: it.label.map(|it| line(&it, 100)),
            };
            contents.pages = window.of("pages", pdf.page_infos()).map(of).collect();
        }
        if has(wit::Part::Outline) {
            let of = |it: crate::OutlineItem| wit::Bookmark {
                title: line(&it.title, 300),
                level: count(it.level),
                page: it.page.map(count),
            };
            contents.outline = window.of("outline", pdf.outline()).map(of).collect();
        }
        if has(wit::Part::Fields) {
            contents.fields = window.of("fields", pdf.fields()).map(field).collect();
        }
        if has(wit::Part::Annotations) {
            let of = |it: crate::Annotation| wit::Annotation {
                page: count(it.page),
                kind: line(&it.kind, 60),
                rect: rounded(&it.rect),
                text: it.text,
                target: it.target,
            };
            contents.annotations =
                window.of("annotations", pdf.annotation_infos()).map(of).collect();
        }
        if has(wit::Part::Attachments) {
            let of = |it: crate::Attachment| wit::Attachment {
                name: line(&it.name, 300),
                size: it.size,
                description: line(&it.description, 300),
            };
            contents.attachments = window.of("attachments", pdf.attachments()).map(of).collect();
        }
        if has(wit::Part::Metadata) {
            let of =
                |(name, value): (String, String)| wit::Entry { name, value: line(&value, 500) };
            contents.metadata = window.of("metadata", pdf.metadata()).map(of).collect();
        }
        contents.more = window.more;
        Ok(contents)
    }

    fn find_text(
        document: String,
        text: String,
        pages: Option<String>,
        limit: Option<u32>,
        password: Option<String>,
    ) -> Result<wit::Found, Error> {
        mitt_guest::report_panics();
        let limit = limit.unwrap_or(DEFAULT_PLACES);
        if limit == 0 || limit > MAX_PLACES {
            return Err(Error::InvalidArgument(format!(
                "expected a `limit` from 1 to {MAX_PLACES}, got {limit}"
            )));
        }
        let pdf = open(&document, given(password).as_deref())?;
        let pages = given(pages);
        let found = crate::find_text(pdf, &document, &text, pages.as_deref(), limit as usize)?;
        Ok(wit::Found {
            places: found.places.into_iter().map(wit::Place::from).collect(),
            total: count(found.total),
            warnings: tidy(found.warnings),
        })
    }

    fn find_texts(
        document: String,
        texts: Vec<wit::PageText>,
        password: Option<String>,
    ) -> Result<Vec<Vec<wit::Place>>, Error> {
        mitt_guest::report_panics();
        let pdf = open(&document, given(password).as_deref())?;
        let texts: Vec<_> = texts.into_iter().map(|it| (it.page as usize, it.text)).collect();
        let places = crate::find_texts(pdf, &document, &texts)?;
        let of = |it: Vec<crate::Place>| it.into_iter().map(wit::Place::from).collect();
        Ok(places.into_iter().map(of).collect())
    }

    fn edit_pdf(
        document: String,
        edits: Vec<wit::Edit>,
        filename: String,
        password: Option<String>,
        break_signatures: Option<bool>,
    ) -> Result<wit::Changed, Error> {
        mitt_guest::report_panics();
        check(&filename)?;
        let edits = all_edits(edits)?;
        let mut pdf = open(&document, given(password).as_deref())?;
        let was_encrypted = pdf.is_encrypted();
        let read = |name: &str| files::read(name).map_err(text_of);
        let mut done = crate::edit(
            &mut pdf,
            &edits,
            break_signatures.unwrap_or(false),
            &read,
            &HostTypesetter,
        )?;
        if was_encrypted && !pdf.is_increment() {
            done.warnings.push(
                "The new file is not encrypted; encrypt it again with `encrypt` of `rewrite_pdf`."
                    .to_owned(),
            );
        }
        let bytes = pdf.save(&SaveOptions { is_packed: pdf.is_packed(), protection: None })?;
        drop(pdf);
        deliver(&bytes, &filename, done.done, done.warnings)
    }

    fn merge_pdfs(documents: Vec<String>, filename: String) -> Result<wit::Changed, Error> {
        mitt_guest::report_panics();
        check(&filename)?;
        let mut opened = Vec::new();
        for name in documents {
            let pdf = open(&name, None)?;
            opened.push((name, pdf));
        }
        let done = opened.iter().map(|(name, pdf)| {
            format!("`{}`: {}.", line(name, 100), counted(pdf.page_count(), "page"))
        });
        let done = done.collect();
        let (mut pdf, warnings) = crate::merge(opened)?;
        let bytes = pdf.save(&SaveOptions { is_packed: true, protection: None })?;
        drop(pdf);
        deliver(&bytes, &filename, done, warnings)
    }

    fn split_pdf(
        document: String,
        by: wit::Split,
        filename: String,
        password: Option<String>,
    ) -> Result<wit::SplitFiles, Error> {
        mitt_guest::report_panics();
        check(&filename)?;
        let by = match by {
            wit::Split::Pages(lists) => crate::SplitBy::Pages(lists),
            wit::Split::Bookmarks(level) => crate::SplitBy::Bookmarks(level.max(1) as usize),
            wit::Split::Every(pages) => crate::SplitBy::Every(pages as usize),
            wit::Split::Size(bytes) => {
                crate::SplitBy::Size(usize::try_from(bytes).unwrap_or(usize::MAX))
            }
        };
        let parts = crate::split(open(&document, given(password).as_deref())?, &by)?;
        let stem = filename.strip_suffix(".pdf").unwrap_or(&filename);
        let mut out = wit::SplitFiles { files: Vec::new(), warnings: Vec::new() };
        for (at, part) in parts.into_iter().enumerate() {
            let warnings = tidy(part.warnings);
            let file = files::deliver(&part.bytes, &format!("{stem}-{}.pdf", at + 1), &warnings)?;
            out.warnings.extend(warnings);
            out.files.push(wit::SplitFile {
                file,
                title: line(&part.title, 200),
                pages: count(part.pages.len()),
            });
        }
        out.warnings = tidy(out.warnings);
        Ok(out)
    }

    fn rewrite_pdf(
        document: String,
        action: wit::Rewriting,
        filename: String,
        password: Option<String>,
    ) -> Result<wit::Changed, Error> {
        mitt_guest::report_panics();
        check(&filename)?;
        let content = files::read(&document)?;
        let before = content.len();
        let mut pdf = Pdf::open(content, given(password).as_deref())?;
        let ((bytes, warnings), done) = match action {
            wit::Rewriting::Encrypt(it) => {
                let may = |permission: wit::Permission| !it.deny.contains(&permission);
                let permissions = crate::Permissions {
                    print: may(wit::Permission::Print),
                    modify: may(wit::Permission::Modify),
                    copy: may(wit::Permission::Copy),
                    annotate: may(wit::Permission::Annotate),
                    fill: may(wit::Permission::Fill),
                    assemble: may(wit::Permission::Assemble),
                };
                let (user, owner) =
                    (it.user_password.unwrap_or_default(), it.owner_password.unwrap_or_default());
                (
                    crate::encrypt(&mut pdf, &user, &owner, permissions)?,
                    "Encrypted with AES, 256 bits.".to_owned(),
                )
            }
            wit::Rewriting::Decrypt => {
                (crate::decrypt(&mut pdf)?, "The protection is removed.".to_owned())
            }
            wit::Rewriting::Compress | wit::Rewriting::CompressPictures(_) => {
                let per_inch = match action {
                    wit::Rewriting::CompressPictures(per_inch) => Some(per_inch),
                    _ => None,
                };
                let made = crate::compress(&mut pdf, per_inch)?;
                let sentence = format!("{} bytes instead of {before}.", made.0.len());
                (made, sentence)
            }
            wit::Rewriting::Repair => {
                (crate::repair(&mut pdf)?, "The file is written anew.".to_owned())
            }
        };
        drop(pdf);
        deliver(&bytes, &filename, vec![done], warnings)
    }

    fn redact_pdf(
        document: String,
        redaction: wit::Redaction,
        filename: String,
        password: Option<String>,
        break_signatures: Option<bool>,
    ) -> Result<wit::Redacted, Error> {
        mitt_guest::report_panics();
        check(&filename)?;
        let pdf = open(&document, given(password).as_deref())?;
        let mut areas = Vec::new();
        for area in redaction.areas.unwrap_or_default() {
            let rect: [f64; 4] = area.rect.try_into().map_err(|_| {
                Error::InvalidArgument(
                    "expected a `rect` of left, bottom, right, top in points".to_owned(),
                )
            })?;
            let pages = crate::pages(&area.pages, pdf.page_count())?;
            areas.extend(pages.into_iter().map(|it| (it + 1, rect)));
        }
        let redaction = crate::Redaction {
            words: redaction.words.unwrap_or_default(),
            patterns: redaction.patterns.unwrap_or_default(),
            areas,
            pages: given(redaction.pages),
            is_exact_case: redaction.exact_case.unwrap_or(false),
            accepts_unread: redaction.accept_unread.unwrap_or(false),
            without_hits: redaction.without_hits.unwrap_or(false),
            breaks_signatures: break_signatures.unwrap_or(false),
        };
        let (bytes, removed) = crate::redact(pdf, &redaction)?;
        let (done, hits) = (removed.done(), count(removed.hits()));
        let wit::Changed { file, done, warnings } =
            deliver(&bytes, &filename, done, removed.warnings)?;
        Ok(wit::Redacted { file, done, hits, warnings })
    }

    fn searched_texts(
        document: String,
        start: Option<u32>,
        password: Option<String>,
    ) -> Result<wit::TextList, Error> {
        mitt_guest::report_panics();
        let found = crate::searched_texts(open(&document, given(password).as_deref())?)?;
        let (texts, next) = found.window(start.unwrap_or(0) as usize);
        let (texts, next) = (texts.to_vec(), next.map(count));
        Ok(wit::TextList { texts, next, warnings: tidy(found.warnings) })
    }

    fn sign_pdf(
        document: String,
        filename: String,
        key: Option<String>,
        field: Option<String>,
        reason: Option<String>,
        location: Option<String>,
        contact: Option<String>,
        visible: Option<wit::SignAppearance>,
    ) -> Result<wit::Changed, Error> {
        mitt_guest::report_panics();
        check(&filename)?;
        let appearance = visible.map(crate::sign_plugin::appearance).transpose()?;
        let signing = crate::Signing {
            field: given(field),
            reason: given(reason),
            location: given(location),
            contact: given(contact),
            appearance,
        };
        let (signed, done) =
            crate::sign_plugin::sign(&document, given(key).as_deref(), &signing, &HostTypesetter)?;
        deliver(&signed.bytes, &filename, done, signed.warnings)
    }

    fn verify_signatures(
        document: String,
        trusted: Option<Vec<String>>,
        date: Option<String>,
        password: Option<String>,
    ) -> Result<wit::Verified, Error> {
        mitt_guest::report_panics();
        let signatures = crate::signatures(&open(&document, given(password).as_deref())?);
        // Read again, because the objects would be a second copy beside it.
        let bytes = files::read(&document)?;
        let (trusted, date) = (trusted.unwrap_or_default(), given(date));
        let verified = crate::verify_signatures(&bytes, signatures, &trusted, date.as_deref())?;
        Ok(wit::Verified {
            signatures: verified.signatures.into_iter().map(signature).collect(),
            total: count(verified.total),
            warnings: tidy(verified.warnings),
        })
    }
}

fn field(it: crate::Field) -> wit::Field {
    let option = |(value, text): &(String, String)| {
        if value == text {
            line(value, 200)
        } else {
            format!("{} ({})", line(value, 200), line(text, 200))
        }
    };
    wit::Field {
        kind: it.kind.name().to_owned(),
        value: it.value.chars().take(MAX_VALUE).collect(),
        options: it.options.iter().take(200).map(option).collect(),
        page: it.page.map(count),
        rect: it.rect.map(|it| rounded(&it)).unwrap_or_default(),
        required: it.is_required,
        read_only: it.is_read_only,
        max_length: it.max_length.map(count),
        name: it.name,
    }
}

/// Converts an edit. Returns the names of arguments that it needs and does not have.
fn edit(it: wit::Edit) -> Result<crate::Edit, &'static str> {
    use crate::Edit;
    let pages = given(it.pages);
    let all = || pages.clone().unwrap_or_else(|| "all".to_owned());
    let name = given(it.name);
    let edit = match it.action {
        wit::Action::FillField => {
            Edit::FillField { field: name.ok_or("name")?, value: it.value.ok_or("value")? }
        }
        wit::Action::Flatten => Edit::Flatten { fields: name.into_iter().collect() },
        wit::Action::SelectPages => Edit::SelectPages { pages: pages.ok_or("pages")? },
        wit::Action::RotatePages => {
            let angle =
                it.angle.filter(|it| it.fract() == 0.0 && it.abs() < 10_000.0).ok_or("angle")?;
            #[expect(clippy::cast_possible_truncation, reason = "a whole number in range")]
            let angle = angle as i64;
            Edit::RotatePages { pages: all(), angle }
        }
        wit::Action::CropPages => Edit::CropPages { pages: all(), rect: it.rect.ok_or("rect")? },
        wit::Action::InsertBlank => {
            let after = pages.as_deref().and_then(|it| it.trim().parse().ok()).ok_or("pages")?;
            Edit::InsertBlank { after, count: it.count.unwrap_or(1) as usize }
        }
        wit::Action::AddText => Edit::AddText(crate::Text {
            text: it.value.ok_or("value")?,
            pages: all(),
            position: position(it.position.unwrap_or(wit::Position::Bottom)),
            size: it.size.unwrap_or(10.0),
            color: given(it.color).unwrap_or_else(|| "000000".to_owned()),
            angle: it.angle.unwrap_or(0.0),
            opacity: it.opacity.unwrap_or(1.0),
            margin: it.margin.unwrap_or(28.0),
            start: it.start,
            is_behind: it.behind.unwrap_or(false),
        }),
        wit::Action::AddPicture => Edit::AddPicture(crate::Picture {
            name: name.ok_or("name")?,
            pages: all(),
            position: position(it.position.unwrap_or(wit::Position::Bottom)),
            rect: it.rect.filter(|it| !it.is_empty()),
            width: it.size,
            opacity: it.opacity.unwrap_or(1.0),
            margin: it.margin.unwrap_or(28.0),
            is_behind: it.behind.unwrap_or(false),
        }),
        wit::Action::NUp => Edit::Sheets {
            count: it.count.ok_or("count")? as usize,
            paper: given(it.value).unwrap_or_else(|| "A4".to_owned()),
        },
        wit::Action::SetMetadata => {
            Edit::SetMetadata { name: name.ok_or("name")?, value: it.value.ok_or("value")? }
        }
        wit::Action::SetOutline => {
            let of = |it: wit::Bookmark| crate::OutlineItem {
                title: it.title,
                level: it.level as usize,
                page: it.page.map(|it| it as usize),
            };
            Edit::SetOutline(it.outline.ok_or("outline")?.into_iter().map(of).collect())
        }
        wit::Action::AttachFile => Edit::AttachFile {
            name: name.ok_or("name")?,
            description: it.value.unwrap_or_default(),
        },
        wit::Action::RemoveAttachment => Edit::RemoveAttachment { name: name.ok_or("name")? },
        wit::Action::RemoveAnnotations => Edit::RemoveAnnotations { pages: all() },
    };
    Ok(edit)
}

/// Converts edits; all that lack an argument are listed.
fn all_edits(edits: Vec<wit::Edit>) -> Result<Vec<crate::Edit>, Error> {
    let mut out = Vec::new();
    let mut problems = Vec::new();
    for (at, it) in edits.into_iter().enumerate() {
        match edit(it) {
            Ok(edit) => out.push(edit),
            Err(missing) => {
                problems.push(format!("edits[{at}]: expected `{missing}` for this action"))
            }
        }
    }
    if problems.is_empty() { Ok(out) } else { Err(Error::InvalidArgument(problems.join("\n"))) }
}

fn position(position: wit::Position) -> crate::Position {
    match position {
        wit::Position::TopLeft => crate::Position::TopLeft,
        wit::Position::Top => crate::Position::Top,
        wit::Position::TopRight => crate::Position::TopRight,
        wit::Position::Left => crate::Position::Left,
        wit::Position::Center => crate::Position::Center,
        wit::Position::Right => crate::Position::Right,
        wit::Position::BottomLeft => crate::Position::BottomLeft,
        wit::Position::Bottom => crate::Position::Bottom,
        wit::Position::BottomRight => crate::Position::BottomRight,
    }
}

crate::bindings::export!(Plugin with_types_in crate::bindings);
