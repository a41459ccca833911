//! Messages between host and worker.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::MAX_FONT_BYTES;
use crate::engine::{MAX_COMPONENT_BYTES, Target, WASMTIME_VERSION};
use mitt_base::error::ErrorParts;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result};
use mitt_ingest::fill::FillOrder;
use mitt_render::{Cancel, FillOptions, Filled, Pictures};

/// Version of the frames and messages.
const PROTOCOL: u32 = 7;

/// Largest body of a request, in bytes: a component, or all fonts, whichever is larger. Markdown is limited by its parser, and
/// its pictures by [`MAX_PICTURES_BYTES`](mitt_render::MAX_PICTURES_BYTES), which are less.
pub(super) const MAX_REQUEST_BYTES: u64 =
    if MAX_FONT_BYTES > MAX_COMPONENT_BYTES { MAX_FONT_BYTES } else { MAX_COMPONENT_BYTES };
/// Largest native code, in bytes. It is three to four times as large as its component.
const MAX_CODE_BYTES: u64 = 1024 * MIB;
/// Largest PDF, in bytes. The longest text makes some 10 MB, and all fonts together some 30 MB.
const MAX_PDF_BYTES: u64 = 256 * MIB;

/// Largest filled workbook, in bytes, as its writer limits it.
const MAX_FILLED_BYTES: u64 = 256 * MIB;

/// First message of both sides. A worker of another build could understand a message differently, or make native code that does
/// not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hello {
    pub(super) mitt: String,
    pub(super) protocol: u32,
    pub(super) wasmtime: String,
    pub(super) target: String,
}

impl Hello {
    /// Returns the message of this build.
    pub(super) fn ours() -> Hello {
        Hello {
            mitt: env!("CARGO_PKG_VERSION").into(),
            protocol: PROTOCOL,
            wasmtime: WASMTIME_VERSION.into(),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        }
    }
}

impl std::fmt::Display for Hello {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Hello { mitt, protocol, wasmtime, target } = self;
        write!(f, "mitt {mitt} (protocol {protocol}, wasmtime {wasmtime}, {target})")
    }
}

/// Job for a worker.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "few values exist, and each is moved once or twice")]
pub enum Job {
    /// Compiles a checked component to native code.
    #[cfg_attr(
        not(feature = "compile"),
        allow(dead_code, reason = "constructed only in builds with a compiler")
    )]
    Compile {
        /// Component in binary form.
        component: Arc<[u8]>,
        /// Processor to compile for.
        target: Target,
        /// Most memory of the worker, in bytes.
        memory_bytes: u64,
    },
    /// Typesets Markdown.
    Typeset {
        /// The Markdown text.
        markdown: String,
        /// Settings of the document.
        page: Page,
        /// Most memory of the worker, in bytes.
        memory_bytes: u64,
    },
    /// Fills a workbook.
    Fill {
        /// The workbook and the change to it.
        fill: FillJob,
        /// Most memory of the worker, in bytes.
        memory_bytes: u64,
    },
}

impl Job {
    /// Returns a phrase for the job, for errors.
    pub(super) fn doing(&self) -> &'static str {
        match self {
            Job::Compile { .. } => "compiling the component",
            Job::Typeset { .. } => "typesetting the document",
            Job::Fill { .. } => "filling the template",
        }
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        let (Job::Compile { memory_bytes, .. }
        | Job::Typeset { memory_bytes, .. }
        | Job::Fill { memory_bytes, .. }) = self;
        *memory_bytes
    }

    /// Returns the host's `fonts` that the job needs. Compilation needs none and would only keep them.
    pub(super) fn fonts<'a>(&self, fonts: &'a mitt_render::FontSet) -> &'a [Arc<[u8]>] {
        match self {
            Job::Compile { .. } | Job::Fill { .. } => &[],
            Job::Typeset { .. } => fonts.files(),
        }
    }

    /// Returns the largest answer of a worker, in bytes.
    pub(super) fn max_answer_bytes(&self) -> u64 {
        match self {
            Job::Compile { .. } => MAX_CODE_BYTES,
            Job::Typeset { .. } => MAX_PDF_BYTES,
            Job::Fill { .. } => MAX_FILLED_BYTES,
        }
    }

    /// Returns the request for the job, and the parts of its body.
    pub(super) fn request(&self) -> (Request, Vec<&[u8]>) {
        let memory_bytes = self.memory_bytes();
        match self {
            Job::Compile { component, target, .. } => {
                (Request::Compile { memory_bytes, target: *target }, vec![component])
            }
            Job::Typeset { markdown, page, .. } => {
                let mut parts = vec![markdown.as_bytes()];
                parts.extend(page.files());
                let lengths = parts.iter().map(|part| part.len() as u64).collect();
                let pictures = page.picture_files.iter();
                parts.extend(pictures.filter_map(|(_, file)| Some(file.ok()?.as_ref())));
                (Request::Typeset { memory_bytes, page: page.clone(), lengths }, parts)
            }
            Job::Fill { fill, .. } => {
                (Request::Fill { memory_bytes, template: fill.template as u64 }, vec![&fill.body])
            }
        }
    }
}

/// Workbook and the change to it, as one body.
#[derive(Clone)]
pub struct FillJob {
    /// The workbook, followed by the order as JSON and by the files of pictures.
    body: Vec<u8>,
    /// Length of the workbook in bytes.
    template: usize,
}

impl FillJob {
    /// Returns the job for a workbook, with the pictures that it may show.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - all together exceed the limit of a worker.
    pub fn new(template: &[u8], order: &FillOrder, pictures: &Pictures) -> Result<FillJob> {
        FillJob::of_order(template, order, (false, pictures))
    }

    /// Returns the job for a workbook that is saved as `.xlsx`, whatever its format: see
    /// [`FillOptions::as_xlsx`](mitt_render::FillOptions).
    ///
    /// # Errors
    ///
    /// Those of [`FillJob::new`].
    pub fn as_xlsx(template: &[u8], order: &FillOrder, pictures: &Pictures) -> Result<FillJob> {
        FillJob::of_order(template, order, (true, pictures))
    }

    fn of_order(
        template: &[u8],
        order: &FillOrder,
        (as_xlsx, pictures): (bool, &Pictures),
    ) -> Result<FillJob> {
        let mut body = Vec::with_capacity(template.len());
        body.extend_from_slice(template);
        let lengths: Vec<(&str, Result<u64, &str>)> = pictures
            .iter()
            .map(|(name, file)| (name, file.map(|file| file.len() as u64)))
            .collect();
        serde_json::to_writer(&mut body, &(order, as_xlsx, lengths))
            .map_err(|error| Error::bug(format!("values for a template: {error}")))?;
        for file in pictures.iter().filter_map(|(_, file)| file.ok()) {
            body.extend_from_slice(file);
        }
        if body.len() as u64 <= MAX_REQUEST_BYTES {
            Ok(FillJob { body, template: template.len() })
        } else {
            let message = format!(
                "expected a template and values of at most {MAX_REQUEST_BYTES} bytes, got {}",
                body.len()
            );
            Err(Error::new(ErrorKind::Arguments, message).hint("give fewer rows"))
        }
    }

    /// Returns the job from a received body.
    pub(super) fn of(body: Vec<u8>, template: u64) -> FillJob {
        let template = usize::try_from(template).unwrap_or(usize::MAX).min(body.len());
        FillJob { body, template }
    }

    /// Carries out the job in this process.
    ///
    /// # Errors
    ///
    /// Those of [`FillOrder::carry_out`].
    pub fn carry_out(&self, cancel: Cancel) -> Result<Filled> {
        let (order, as_xlsx, pictures) = self.read()?;
        order.carry_out(self.template().0, &FillOptions { cancel, as_xlsx, pictures })
    }

    /// Returns the workbook, and what follows it.
    fn template(&self) -> (&[u8], &[u8]) {
        self.body.split_at(self.template)
    }

    fn read(&self) -> Result<(FillOrder, bool, Pictures)> {
        type Order = (FillOrder, bool, Vec<(String, Result<u64, String>)>);
        let rest = self.template().1;
        let mut orders = serde_json::Deserializer::from_slice(rest).into_iter::<Order>();
        let (order, as_xlsx, lengths) = orders
            .next()
            .transpose()
            .map_err(|error| Error::bug(format!("values for a template: {error}")))?
            .ok_or_else(|| Error::bug("no values for a template"))?;
        let mut files = rest.get(orders.byte_offset()..).unwrap_or_default();
        let mut pictures = Pictures::default();
        for (name, length) in lengths {
            match length {
                Err(reason) => pictures.insert_missing(&name, &reason),
                Ok(length) => {
                    let length = usize::try_from(length).unwrap_or(usize::MAX).min(files.len());
                    let (file, behind) = files.split_at(length);
                    pictures.insert(&name, file.into());
                    files = behind;
                }
            }
        }
        Ok((order, as_xlsx, pictures))
    }

    /// Returns the bytes that it occupies.
    pub(crate) fn bytes(&self) -> u64 {
        self.body.len() as u64
    }
}

impl std::fmt::Debug for FillJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FillJob").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

/// Settings of a document: [`PdfOptions`](mitt_render::PdfOptions) without what belongs to a process. The bytes of its files are
/// sent separately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    title: Option<String>,
    author: Option<String>,
    language: Option<String>,
    paper: Option<mitt_render::Paper>,
    contents: bool,
    created: Option<Duration>,
    #[serde(default)]
    preview_px: Option<u32>,
    #[serde(default)]
    typesetter: mitt_render::Typesetter,
    theme: mitt_render::Theme,
    standards: Vec<mitt_render::PdfStandard>,
    attachments: Vec<mitt_render::Attachment>,
    /// Parts of the tree that the host leaves out.
    #[serde(default)]
    left_out: mitt_render::LeftOut,
    /// Description of each picture. The bytes of the files follow the text.
    pictures: Vec<PictureHead>,
    /// Files of the pictures; only on the host's side.
    #[serde(skip)]
    picture_files: Pictures,
}

/// Picture as it is described to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PictureHead {
    name: String,
    /// Length of its file, or the reason why there is none.
    file: Result<u64, String>,
}

impl Page {
    /// Returns `options` as they are sent to a worker.
    pub fn of(options: &mitt_render::PdfOptions) -> Page {
        let common = &options.common;
        Page {
            title: common.title.clone(),
            author: common.author.clone(),
            language: common.language.clone(),
            paper: common.paper,
            contents: common.contents,
            created: common.created,
            preview_px: options.preview_px,
            typesetter: options.typesetter,
            theme: common.theme.clone(),
            standards: options.standards.clone(),
            attachments: options.attachments.clone(),
            left_out: mitt_render::LeftOut::default(),
            pictures: common
                .pictures
                .iter()
                .map(|(name, file)| PictureHead {
                    name: name.to_owned(),
                    file: file.map(|file| file.len() as u64).map_err(str::to_owned),
                })
                .collect(),
            picture_files: common.pictures.clone(),
        }
    }

    /// Sets what is left out of the tree of the text.
    #[must_use]
    pub fn leaving_out(self, left_out: &mitt_render::LeftOut) -> Page {
        Page { left_out: left_out.clone(), ..self }
    }

    /// Returns what is left out of the tree of the text.
    pub(super) fn left_out(&self) -> &mitt_render::LeftOut {
        &self.left_out
    }

    /// Returns the bytes of its files: the logo, then the attachments.
    fn files(&self) -> impl Iterator<Item = &[u8]> {
        let logo = self.theme.logo.iter().map(|logo| &*logo.bytes);
        logo.chain(self.attachments.iter().map(|file| &*file.bytes))
    }

    /// Sets the bytes of its files, in the order of [`files`](Self::files).
    pub(super) fn take_files(&mut self, mut parts: impl Iterator<Item = Arc<[u8]>>) {
        let logo = self.theme.logo.iter_mut().map(|logo| &mut logo.bytes);
        for bytes in logo.chain(self.attachments.iter_mut().map(|file| &mut file.bytes)) {
            *bytes = parts.next().unwrap_or_default();
        }
    }

    /// Takes the files of the pictures from the end of a body, which leaves the text.
    pub(super) fn take_pictures(&mut self, body: &mut Vec<u8>) {
        let lengths = self.pictures.iter().filter_map(|picture| picture.file.as_ref().ok());
        let all = lengths.fold(0, |sum: u64, length| sum.saturating_add(*length));
        let start = (body.len() as u64).saturating_sub(all);
        let files = body.split_off(usize::try_from(start).unwrap_or_default());
        let mut rest = files.as_slice();
        for PictureHead { name, file } in std::mem::take(&mut self.pictures) {
            match file {
                Ok(length) => {
                    let length = usize::try_from(length).unwrap_or(usize::MAX).min(rest.len());
                    let (file, after) = rest.split_at(length);
                    self.picture_files.insert(&name, file.into());
                    rest = after;
                }
                Err(reason) => self.picture_files.insert_missing(&name, &reason),
            }
        }
    }

    pub(super) fn into_options(self, fonts: mitt_render::FontSet) -> mitt_render::PdfOptions {
        use mitt_render::{Cancel, CommonOptions, PdfOptions};

        PdfOptions {
            common: CommonOptions {
                title: self.title,
                author: self.author,
                language: self.language,
                paper: self.paper,
                contents: self.contents,
                theme: self.theme,
                created: self.created,
                pictures: self.picture_files,
                cancel: Cancel::default(),
            },
            standards: self.standards,
            attachments: self.attachments,
            fonts,
            typesetter: self.typesetter,
            preview_px: self.preview_px,
        }
    }
}

/// Requests of the host after its first message.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "few values exist, and each is moved once or twice")]
pub(super) enum Request {
    /// Additional fonts for all later documents. The body consists of files of these lengths. There is no answer.
    Fonts { lengths: Vec<u64> },
    /// Compiles the body.
    Compile { memory_bytes: u64, target: Target },
    /// Typesets the text at the beginning of the body. The files of the page follow it, and then the files of the pictures.
    /// `lengths` are those of the parts before the pictures.
    Typeset { memory_bytes: u64, page: Page, lengths: Vec<u64> },
    /// Fills the workbook in the first bytes of the body; the rest is the order.
    Fill { memory_bytes: u64, template: u64 },
}

/// Splits a body into parts of these lengths.
pub(super) fn parts<'a>(lengths: &'a [u64], body: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = body;
    lengths.iter().map(move |length| {
        let length = usize::try_from(*length).unwrap_or(usize::MAX).min(rest.len());
        let (part, after) = rest.split_at(length);
        rest = after;
        part
    })
}

/// Answer of the worker to a job.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyHead {
    /// Description of the file or native code in the body, or the error.
    pub(super) result: Result<JobOutput, ErrorParts>,
    /// Memory of the worker now, in bytes; 0 if the system does not report it.
    pub(super) kept_bytes: u64,
    /// `true` if the job panicked. The result does not say so.
    pub(super) panicked: bool,
}

/// Description of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobOutput {
    /// Number of pages, for a document.
    pub pages: usize,
    /// Length of the picture of the first page, which follows the document in the body, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_bytes: Option<u64>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

impl JobOutput {
    /// Returns a document as an answer: its bytes, followed by the picture of its first page.
    pub(super) fn of_pdf(pdf: mitt_render::Pdf) -> (JobOutput, Vec<u8>) {
        let mitt_render::Pdf { mut bytes, pages, warnings, preview } = pdf;
        let preview_bytes = preview.as_ref().map(|picture| picture.len() as u64);
        bytes.extend(preview.unwrap_or_default());
        (JobOutput { pages, warnings, preview_bytes }, bytes)
    }

    /// Returns the document from an answer. A false length takes no more bytes than there are.
    pub fn into_pdf(self, mut bytes: Vec<u8>) -> mitt_render::Pdf {
        let JobOutput { pages, warnings, preview_bytes } = self;
        let preview = preview_bytes.map(|length| {
            let start = (bytes.len() as u64).saturating_sub(length);
            bytes.split_off(usize::try_from(start).unwrap_or_default())
        });
        mitt_render::Pdf { bytes, pages, warnings, preview }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_a_workbook_travel_behind_its_order() {
        let mut pictures = Pictures::default();
        pictures.insert("a.png", b"{\"a\": 1}".to_vec().into());
        pictures.insert_missing("b.png", "no such file");
        let order = FillOrder::Fill(mitt_render::FillValues::new());
        let job = FillJob::as_xlsx(b"template", &order, &pictures).unwrap();
        let again = FillJob::of(job.body.clone(), job.template as u64);
        let (read, as_xlsx, found) = again.read().unwrap();
        assert_eq!((read, as_xlsx), (order, true));
        assert!(found == pictures, "{found:?}");
        assert_eq!(again.template().0, b"template");
    }

    fn page() -> (Page, Pictures) {
        let mut pictures = Pictures::default();
        pictures.insert("b.png", b"bbb".to_vec().into());
        pictures.insert("a.png", b"a".to_vec().into());
        pictures.insert_missing("c.png", "no such file");
        let options = mitt_render::PdfOptions {
            common: mitt_render::CommonOptions {
                pictures,
                ..mitt_render::CommonOptions::default()
            },
            ..mitt_render::PdfOptions::default()
        };
        (Page::of(&options), options.common.pictures)
    }

    #[test]
    fn pictures_go_to_the_worker_behind_the_text() {
        let (page, pictures) = page();
        let job = Job::Typeset { markdown: "# 图".into(), page, memory_bytes: 1 };
        let (request, bodies) = job.request();
        let mut body = bodies.concat();
        let text = serde_json::to_string(&request).unwrap();
        let Request::Typeset { mut page, .. } = serde_json::from_str(&text).unwrap() else {
            panic!("{text}")
        };
        page.take_pictures(&mut body);
        assert_eq!(body, "# 图".as_bytes());
        assert_eq!(page.into_options(mitt_render::FontSet::default()).common.pictures, pictures);
    }

    #[test]
    fn a_picture_of_the_first_page_comes_behind_the_document() {
        for preview in [None, Some(Vec::new()), Some(vec![7; 3])] {
            let pdf = mitt_render::Pdf {
                bytes: b"%PDF".to_vec(),
                pages: 2,
                warnings: vec!["w".to_owned()],
                preview: preview.clone(),
            };
            let (output, body) = JobOutput::of_pdf(pdf);
            let output: JobOutput =
                serde_json::from_str(&serde_json::to_string(&output).unwrap()).unwrap();
            let back = output.into_pdf(body);
            assert_eq!((&*back.bytes, back.pages, back.preview), (&b"%PDF"[..], 2, preview));
        }
        let lying = JobOutput { preview_bytes: Some(u64::MAX), ..JobOutput::default() };
        assert_eq!(lying.into_pdf(vec![1, 2]).preview, Some(vec![1, 2]));
    }

    #[test]
    fn lengths_that_lie_take_no_more_than_there_is() {
        for length in [0, 1, 5, u64::MAX] {
            let (mut page, _) = page();
            page.picture_files = Pictures::default();
            page.pictures.iter_mut().for_each(|it| it.file = Ok(length));
            let mut body = b"text".to_vec();
            page.take_pictures(&mut body);
            assert!(body.len() as u64 + page.picture_files.bytes() <= 4, "{length}");
        }
    }

    /// Everything that a document may contain fits into a frame.
    #[test]
    fn the_largest_pictures_fit_into_a_request() {
        use mitt_render::{MAX_MARKDOWN_BYTES, MAX_PICTURES_BYTES};

        assert!(MAX_PICTURES_BYTES + MAX_MARKDOWN_BYTES as u64 <= MAX_REQUEST_BYTES);
        let mut pictures = Pictures::default();
        for number in 0..mitt_render::MAX_PICTURES {
            let name = format!("{number}{}", "\u{1}".repeat(2_040));
            pictures.insert_missing(&name, &"\u{1}".repeat(1_000));
        }
        assert_eq!(pictures.len(), mitt_render::MAX_PICTURES);
        let options = mitt_render::PdfOptions {
            common: mitt_render::CommonOptions {
                pictures,
                ..mitt_render::CommonOptions::default()
            },
            ..mitt_render::PdfOptions::default()
        };
        let page = Page::of(&options);
        let request = Request::Typeset { memory_bytes: 1, page, lengths: vec![1; 102] };
        let head = serde_json::to_vec(&request).unwrap();
        assert!(head.len() as u64 <= super::super::frame::MAX_HEAD_BYTES, "{}", head.len());
    }
}
