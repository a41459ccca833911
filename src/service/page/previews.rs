//! `/v1/previews`: what documents, uploads and delivered files look like, some rows, characters or one page at a time, and
//! how two versions of a file differ.
//!
//! A preview is addressed by the content of its file, which is its tag: a browser keeps it, and asks each time whether it still
//! may show it. What was deleted, or belongs to somebody who has logged out, is not shown again.

mod comparison;

use std::ops::RangeInclusive;

use hyper::Method;
use hyper::header::{CACHE_CONTROL, ETAG, HeaderValue};

use self::comparison::{Comparison, TimeLeft};
use crate::http::{
    Answered, Content, Download, HttpResponse, Request, Responds, bytes, download, empty, json,
    schema_of,
};
use crate::problem::Problem;
use crate::run::RunFile;
use crate::service::{Endpoint, Service};
use crate::store::{StoreError, read_whole};
use mitt::render::Cancel;
use mitt_serve::preview::{
    MAX_ROWS, MAX_TEXT_CHARACTERS, Outline, OutlineKind, Preview, PreviewFile, Rows, TextPart,
    picture_type,
};

const TAG: &str = "previews";

/// Bytes at the beginning of a picture that show its type.
const SIGNATURE_BYTES: usize = 32;

/// Media types of pictures.
const PICTURES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Widths of pages in pixels.
const WIDTHS: RangeInclusive<u64> = 100..=2_400;

macro_rules! of_a_file {
    ($($more:expr),* $(,)?) => {
        &[
            ("run", "Identifier of a run, together with `file` or `document`."),
            ("file", "Name of a file that the run delivered."),
            ("document", "Name of a document of the run."),
            ("upload", "Identifier of an uploaded file, in place of a run."),
            ("version", "SHA-256 of the content. Names an earlier version of a delivered file."),
            $($more,)*
        ]
    };
}

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("", "get_preview", "Returns what a file has to show.", outline)
            .query(of_a_file![])
            .responds(Responds::Json(200, schema_of::<Outline>())),
        get("/rows", "get_preview_rows", "Returns rows of a sheet.", rows)
            .query(of_a_file![
                ("sheet", "Number of the sheet, from 0. Default: 0."),
                ("from", "Number of the first row, from 0. Default: 0."),
                ("count", "Most rows, up to 1000. Default: 200."),
            ])
            .responds(Responds::Json(200, schema_of::<Rows>())),
        get("/text", "get_preview_text", "Returns a part of the text as Markdown.", text)
            .query(of_a_file![
                ("offset", "Number of the first character, from 0. Default: 0."),
                ("length", "Most characters, up to 200000. Default: 20000."),
            ])
            .responds(Responds::Json(200, schema_of::<TextPart>())),
        get("/page", "get_preview_page", "Returns a page as a PNG picture.", page)
            .describe(
                "A file that is a picture is sent as it is. The host draws pages of PDF files that Mitt wrote. The skill \
                 `page-pictures` draws those of others in the sandbox; without it, or with rules about content, they are not drawn.",
            )
            .query(of_a_file![
                ("page", "Number of the page, from 1. Default: 1."),
                (
                    "width",
                    "Width in pixels, from 100 to 2400; the picture has at most 2000. Default: 900."
                ),
            ])
            .downloads(PICTURES),
        get("/picture", "get_preview_picture", "Returns a picture as it is.", picture)
            .describe("PNG, JPEG, GIF and WebP, whatever the name of the file says.")
            .query(of_a_file![])
            .downloads(PICTURES),
        get("/comparison", "compare_versions", "Compares two versions of a file.", compare)
            .query(&[
                ("run", "Identifier of the run."),
                ("file", "Name of a file that the run delivered."),
                ("version", "SHA-256 of the later version. Default: the last one."),
                ("with", "SHA-256 of the earlier version."),
            ])
            .responds(Responds::Json(200, schema_of::<Comparison>())),
    ]
}

fn get<F>(
    path: &str,
    operation: &str,
    summary: &str,
    handler: impl Fn(Service, Request) -> F + Send + Sync + 'static,
) -> Endpoint
where
    F: Future<Output = Answered> + Send + 'static,
{
    let path = format!("/v1/previews{path}");
    Endpoint::new(TAG, Method::GET, &path, operation, summary, handler).further(304, Content::None)
}

/// The file that a request is about.
#[derive(Debug)]
struct Source {
    tenant: String,
    name: String,
    media_type: String,
    sha256: String,
    size: u64,
    is_rendered: bool,
}

/// The parameters that name a file.
#[derive(Debug, PartialEq)]
enum Named {
    File { run: String, file: String },
    Document { run: String, document: String },
    Upload { upload: String },
}

impl Named {
    /// Returns what the parameters `run`, `file`, `document` and `upload` name.
    fn of(parameters: [Option<String>; 4]) -> Result<Named, Problem> {
        match parameters {
            [Some(run), Some(file), None, None] => Ok(Named::File { run, file }),
            [Some(run), None, Some(document), None] => Ok(Named::Document { run, document }),
            [None, None, None, Some(upload)] => Ok(Named::Upload { upload }),
            [run, file, document, upload] => {
                let all =
                    [("run", run), ("file", file), ("document", document), ("upload", upload)];
                let given = all.iter().filter(|it| it.1.is_some()).map(|it| format!("`{}`", it.0));
                let given = given.collect::<Vec<_>>().join(", ");
                let given = if given.is_empty() { "none of them".to_owned() } else { given };
                let detail = format!(
                    "expected `run` with `file` or `document`, or `upload` alone, got {given}"
                );
                Err(Problem::bad("invalid_query", detail))
            }
        }
    }
}

impl Source {
    /// Returns the file of a request.
    ///
    /// # Errors
    ///
    /// 400 - the parameters name none. 404 - the tenant has no such file. 409 - the document was not fetched yet.
    async fn of(service: &Service, request: &Request) -> Result<Source, Problem> {
        let names = ["run", "file", "document", "upload"];
        let named = Named::of(names.map(|name| request.query(name)))?;
        let (tenant, version) = (request.tenant(), request.query("version"));
        let source = match named {
            Named::File { run, file } => {
                let file = service.runs().file(&tenant, &run, &file, version.as_deref()).await?;
                Source::of_output(tenant, file)
            }
            Named::Document { run, document } => {
                let document = service.runs().document(&tenant, &run, &document).await?;
                if document.sha256.is_empty() {
                    let detail = format!("the document `{}` was not fetched yet", document.name);
                    let problem = Problem::conflict("not_fetched", detail);
                    return Err(problem.hint("wait for the event `document_ready`"));
                }
                Source {
                    tenant,
                    name: document.name,
                    media_type: String::new(),
                    sha256: document.sha256,
                    size: document.size,
                    is_rendered: false,
                }
            }
            Named::Upload { upload } => {
                let file = service.files().get(&tenant, &upload).await?;
                Source {
                    tenant,
                    name: file.name,
                    media_type: file.media_type,
                    sha256: file.sha256,
                    size: file.size,
                    is_rendered: false,
                }
            }
        };
        match version {
            Some(version) if version != source.sha256 => {
                Err(Problem::not_found("version", &version))
            }
            _ => Ok(source),
        }
    }

    /// Returns a file that a run delivered.
    fn of_output(tenant: String, file: RunFile) -> Source {
        Source {
            tenant,
            name: file.name,
            media_type: file.media_type,
            sha256: file.sha256,
            size: file.size,
            is_rendered: file.pages.is_some(),
        }
    }

    async fn open(&self, service: &Service) -> Result<Preview, Problem> {
        let file = PreviewFile {
            tenant: &self.tenant,
            name: &self.name,
            media_type: &self.media_type,
            sha256: &self.sha256,
            size: self.size,
            is_rendered: self.is_rendered,
        };
        service.previews().open(file, || self.load(service)).await
    }

    async fn load(&self, service: &Service) -> Result<Vec<u8>, Problem> {
        content(service, &self.tenant, &self.sha256).await
    }

    fn caching(&self) -> Caching {
        Caching::of(&self.sha256)
    }
}

/// Browsers ask before they show a response again: it may be gone, or its user may have logged out.
const ASK_FIRST: &str = "private, no-cache";

/// How a browser keeps a response.
struct Caching {
    tag: String,
}

impl Caching {
    /// Returns the rules for responses about `content`. Another version of the program may show the same file in another
    /// way.
    fn of(content: &str) -> Caching {
        Caching { tag: format!("\"{content}-{}\"", env!("CARGO_PKG_VERSION")) }
    }

    /// Returns a response without a body if the client has this one already.
    fn unchanged(&self, request: &Request) -> Option<HttpResponse> {
        let known = request.header("if-none-match")?;
        has_tag(known, &self.tag).then(|| self.kept(empty(304)))
    }

    /// Lets the browser keep a response until it has asked again.
    fn kept(&self, mut answer: HttpResponse) -> HttpResponse {
        let headers = answer.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(ASK_FIRST));
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            headers.insert(ETAG, tag);
        }
        answer
    }
}

/// Returns `true` if `If-None-Match` names this tag. A proxy that compresses makes it a weak one.
fn has_tag(header: &str, tag: &str) -> bool {
    header.split(',').any(|it| {
        let it = it.trim();
        it.strip_prefix("W/").unwrap_or(it) == tag
    })
}

/// Returns the content of a stored file.
async fn content(service: &Service, tenant: &str, sha256: &str) -> Result<Vec<u8>, Problem> {
    read_whole(&**service.store(), tenant, sha256).await.map_err(gone)
}

fn gone(error: StoreError) -> Problem {
    match error {
        StoreError::Missing => Problem::new(404, "not_found", "the file was deleted"),
        error => error.into(),
    }
}

/// Returns a number of the query.
///
/// # Errors
///
/// 400 - it is no number, or out of range.
fn number(
    request: &Request,
    name: &str,
    default: u64,
    range: RangeInclusive<u64>,
) -> Result<u64, Problem> {
    let number = request.query_number(name)?.unwrap_or(default);
    if range.contains(&number) {
        return Ok(number);
    }
    let (least, most) = range.into_inner();
    let detail = match most {
        u64::MAX => format!("`{name}`: expected at least {least}, got {number}"),
        most => format!("`{name}`: expected {least} to {most}, got {number}"),
    };
    Err(Problem::bad("invalid_query", detail))
}

async fn outline(service: Service, request: Request) -> Answered {
    let source = Source::of(&service, &request).await?;
    let caching = source.caching();
    if let Some(answer) = caching.unchanged(&request) {
        return Ok(answer);
    }
    let outline = source.open(&service).await?.outline();
    let answer = json(200, &outline);
    Ok(match outline.kind {
        // What cannot be read now may be read when a skill is installed.
        OutlineKind::None => answer,
        _ => caching.kept(answer),
    })
}

async fn rows(service: Service, request: Request) -> Answered {
    let sheet = number(&request, "sheet", 0, 0..=u64::MAX)?;
    let from = number(&request, "from", 0, 0..=u64::MAX)?;
    let count = number(&request, "count", 200, 1..=MAX_ROWS)?;
    let source = Source::of(&service, &request).await?;
    let caching = source.caching();
    if let Some(answer) = caching.unchanged(&request) {
        return Ok(answer);
    }
    let preview = source.open(&service).await?;
    let sheet = usize::try_from(sheet).unwrap_or(usize::MAX);
    Ok(caching.kept(json(200, &preview.rows(sheet, from, count).await?)))
}

async fn text(service: Service, request: Request) -> Answered {
    let offset = number(&request, "offset", 0, 0..=u64::MAX)?;
    let length = number(&request, "length", 20_000, 1..=MAX_TEXT_CHARACTERS)?;
    let source = Source::of(&service, &request).await?;
    let caching = source.caching();
    if let Some(answer) = caching.unchanged(&request) {
        return Ok(answer);
    }
    let preview = source.open(&service).await?;
    let part = preview.text(offset, length, || source.load(&service)).await?;
    Ok(caching.kept(json(200, &part)))
}

async fn page(service: Service, request: Request) -> Answered {
    let page = number(&request, "page", 1, 1..=u64::MAX)?;
    let width = number(&request, "width", 900, WIDTHS)?;
    let source = Source::of(&service, &request).await?;
    let caching = source.caching();
    if let Some(answer) = caching.unchanged(&request) {
        return Ok(answer);
    }
    let preview = source.open(&service).await?;
    if preview.kind() == OutlineKind::Picture {
        return send_picture(&service, &request, &source).await;
    }
    let picture = preview.page(page, u32::try_from(width).unwrap_or(u32::MAX)).await?;
    Ok(caching.kept(bytes(200, "image/png", picture)))
}

async fn picture(service: Service, request: Request) -> Answered {
    let source = Source::of(&service, &request).await?;
    send_picture(&service, &request, &source).await
}

/// Sends a picture in its own format.
async fn send_picture(service: &Service, request: &Request, source: &Source) -> Answered {
    let content = service.store().blob(&source.tenant, &source.sha256).await.map_err(gone)?;
    let signature = content.read(0, SIGNATURE_BYTES).await?;
    let Some(media_type) = picture_type(&signature) else {
        let detail = "expected a PNG, JPEG, GIF or WebP picture, and the file is none";
        return Err(Problem::new(422, "not_a_picture", detail));
    };
    let (name, sha256) = (source.name.as_str(), source.sha256.as_str());
    let mut answer = download(request, Download { name, media_type, sha256, content });
    if answer.status().is_success() || answer.status() == 304 {
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(ASK_FIRST));
    }
    Ok(answer)
}

async fn compare(service: Service, request: Request) -> Answered {
    let needed = |name: &str| {
        let missing =
            || Problem::bad("invalid_query", format!("the parameter `{name}` is missing"));
        request.query(name).ok_or_else(missing)
    };
    let (run, name, with) = (needed("run")?, needed("file")?, needed("with")?);
    let (tenant, version) = (request.tenant(), request.query("version"));
    let runs = service.runs();
    let after = runs.file(&tenant, &run, &name, version.as_deref()).await?;
    let before = runs.file(&tenant, &run, &name, Some(&with)).await?;
    let before = Source::of_output(tenant.clone(), before);
    let after = Source::of_output(tenant, after);
    let caching = Caching::of(&format!("{}-{}", before.sha256, after.sha256));
    if let Some(answer) = caching.unchanged(&request) {
        return Ok(answer);
    }
    let comparison = compared(&service, &before, &after).await?;
    let answer = json(200, &comparison);
    // With more time, a comparison that is not whole finds more.
    Ok(if comparison.is_whole() { caching.kept(answer) } else { answer })
}

/// Compares the cells of two workbooks, or the texts of other files.
async fn compared(
    service: &Service,
    before: &Source,
    after: &Source,
) -> Result<Comparison, Problem> {
    let (old, new) = (before.open(service).await?, after.open(service).await?);
    let kinds = [old.kind(), new.kind()];
    if kinds.iter().any(|kind| matches!(kind, OutlineKind::Picture | OutlineKind::None)) {
        let detail = "expected two versions with cells or text, got one without";
        return Err(Problem::new(422, "not_comparable", detail));
    }
    let worker = old.clone();
    if kinds == [OutlineKind::Workbook; 2] {
        let work = move |cancel: &Cancel| comparison::workbooks(&old, &new, &TimeLeft::new(cancel));
        return Ok(worker.at_length("comparing workbooks", work).await?);
    }
    let old_text = old.document(|| before.load(service)).await?;
    let new_text = new.document(|| after.load(service)).await?;
    let work = move |cancel: &Cancel| {
        comparison::texts(&old_text.text, &new_text.text, &TimeLeft::new(cancel))
    };
    Ok(worker.at_length("comparing texts", work).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::checked;

    #[test]
    fn the_document_about_previews_is_whole() {
        let document = checked(&endpoints());
        let rows = &document["paths"]["/v1/previews/rows"]["get"];
        let names: Vec<&str> = rows["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|it| it["name"].as_str())
            .collect();
        let of_a_file = ["run", "file", "document", "upload", "version"];
        assert_eq!(names, [&of_a_file[..], &["sheet", "from", "count"]].concat());
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for name in ["PreviewOutline", "PreviewRows", "PreviewText", "FileComparison"] {
            assert!(schemas.contains_key(name), "{name}");
        }
        assert!(endpoints().iter().all(|endpoint| !endpoint.is_public));
    }

    #[test]
    fn a_request_names_one_file() {
        let named = |names: [&str; 4]| {
            let given = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
            Named::of(names.map(given)).map_err(|problem| (problem.status, problem.detail.clone()))
        };
        let (run, file) = ("r".to_owned(), "f".to_owned());
        assert_eq!(named(["r", "f", "", ""]), Ok(Named::File { run: run.clone(), file }));
        let document = Named::Document { run, document: "d".to_owned() };
        assert_eq!(named(["r", "", "d", ""]), Ok(document));
        assert_eq!(named(["", "", "", "u"]), Ok(Named::Upload { upload: "u".to_owned() }));
        let expected = "expected `run` with `file` or `document`, or `upload` alone, got";
        for (names, given) in [
            (["", "", "", ""], "none of them"),
            (["r", "", "", ""], "`run`"),
            (["", "f", "", ""], "`file`"),
            (["r", "f", "d", ""], "`run`, `file`, `document`"),
            (["r", "", "", "u"], "`run`, `upload`"),
        ] {
            assert_eq!(named(names), Err((400, format!("{expected} {given}"))));
        }
    }

    #[test]
    fn a_browser_asks_before_it_shows_a_response_again() {
        let caching = Caching::of("abc");
        for status in [200, 304] {
            let answer = caching.kept(empty(status));
            assert_eq!(answer.headers()[CACHE_CONTROL], "private, no-cache");
            let tag = answer.headers()[ETAG].to_str().unwrap();
            assert!(tag.starts_with("\"abc-") && tag.ends_with('"'), "{tag}");
            assert!(
                has_tag(tag, &caching.tag) && has_tag(&format!("\"x\", W/{tag}"), &caching.tag)
            );
            assert!(!has_tag("\"abc\"", &caching.tag) && !has_tag("*", &caching.tag));
        }
    }
}
