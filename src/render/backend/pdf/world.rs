//! Everything that Typst can access: the template, one file of data, fonts, logo, pictures, charts and attached files. No
//! packages, no other files, no date, no network.

use std::sync::{Arc, OnceLock};

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt as _, World};

use super::fonts::Faces;
use crate::shared::picture::Picture;
use crate::{Cancel, LogoKind, PdfOptions};
use mitt_base::{Error, Result};

/// The template and its parts.
const SOURCES: [(&str, &str); 4] = [
    ("/template.typ", include_str!("template.typ")),
    ("/frame.typ", include_str!("frame.typ")),
    ("/formula.typ", include_str!("formula.typ")),
    (TEXTS, include_str!("texts.typ")),
];

/// Path of the template of texts on pages of their own.
const TEXTS: &str = "/texts.typ";

/// A document for typesetting, and nothing else.
pub(super) struct DocWorld {
    library: &'static LazyHash<Library>,
    faces: Arc<Faces>,
    sources: &'static [Source],
    main: FileId,
    files: Vec<(FileId, Bytes)>,
    cancel: Cancel,
}

impl DocWorld {
    pub(super) fn new(
        data: Vec<u8>,
        (pictures, drawings): (&[Picture], Vec<String>),
        faces: Arc<Faces>,
        options: &PdfOptions,
    ) -> Result<DocWorld> {
        static LIBRARY: OnceLock<LazyHash<Library>> = OnceLock::new();
        let mut files = vec![(file_id("/doc.json")?, Bytes::new(data))];
        if let Some(logo) = &options.common.theme.logo {
            files.push((file_id(logo_path(logo.kind))?, Bytes::new(logo.bytes.clone())));
        }
        for (index, file) in options.attachments.iter().enumerate() {
            files.push((file_id(&attachment_path(index))?, Bytes::new(file.bytes.clone())));
        }
        for (number, picture) in pictures.iter().enumerate() {
            files
                .push((file_id(&picture_path(number, picture))?, Bytes::new(picture.file.clone())));
        }
        for (index, svg) in drawings.into_iter().enumerate() {
            files.push((
                file_id(&format!("/chart-{}.svg", index + 1))?,
                Bytes::new(svg.into_bytes()),
            ));
        }
        Ok(DocWorld {
            library: LIBRARY.get_or_init(|| LazyHash::new(Library::default())),
            faces,
            sources: sources()?,
            main: file_id(SOURCES[0].0)?,
            files,
            cancel: options.common.cancel.clone(),
        })
    }

    /// Returns the world of texts on pages of their own.
    pub(super) fn of_texts(
        data: Vec<u8>,
        faces: Arc<Faces>,
        options: &PdfOptions,
    ) -> Result<DocWorld> {
        let world = DocWorld::new(data, (&[], Vec::new()), faces, options)?;
        Ok(DocWorld { main: file_id(TEXTS)?, ..world })
    }
}

/// Parses the sources once: the ids of nodes must be the same in every document, because Typst's cache relies on them.
fn sources() -> Result<&'static [Source]> {
    static PARSED: OnceLock<Vec<Source>> = OnceLock::new();
    if PARSED.get().is_none() {
        let parse = |(path, text): &(&str, &str)| Ok(Source::new(file_id(path)?, (*text).into()));
        let parsed = SOURCES.iter().map(parse).collect::<Result<Vec<_>>>()?;
        // Another thread may have been first, with the same result.
        let _ = PARSED.set(parsed);
    }
    PARSED.get().map(Vec::as_slice).ok_or_else(|| Error::bug("the template is not parsed"))
}

/// Returns the path of the logo for the template.
pub(super) fn logo_path(kind: LogoKind) -> &'static str {
    match kind {
        LogoKind::Png => "/logo.png",
        LogoKind::Jpeg => "/logo.jpg",
    }
}

/// Returns the path of an attached file for the template.
pub(super) fn attachment_path(index: usize) -> String {
    format!("/attached/{index}")
}

/// Returns the path of a picture for the template.
pub(super) fn picture_path(number: usize, picture: &Picture) -> String {
    format!("/picture-{number}.{}", picture.format.extension())
}

fn file_id(path: &str) -> Result<FileId> {
    let path = VirtualPath::new(path).map_err(|_| Error::bug(format!("`{path}` is not a path")))?;
    Ok(FileId::new(RootedPath::new(VirtualRoot::Project, path)))
}

impl World for DocWorld {
    fn library(&self) -> &LazyHash<Library> {
        self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        &self.faces.book
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        let source = self.sources.iter().find(|source| source.id() == id);
        source.cloned().ok_or(FileError::AccessDenied)
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        let file = self.files.iter().find(|(known, _)| *known == id);
        file.map(|(_, bytes)| bytes.clone()).ok_or(FileError::AccessDenied)
    }

    fn font(&self, index: usize) -> Option<Font> {
        if self.cancel.is_cancelled() {
            stop();
        }
        self.faces.fonts.get(index).cloned()
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}

/// Aborts typesetting from within, which has no other way out: Typst asks for a font at every piece of text. A different
/// answer than before would be an error of Typst, whose cache relies on a world that does not change.
///
/// Unwinds only the thread of this rendering, without a message. If panics abort the process, it continues instead.
fn stop() {
    #[cfg(panic = "unwind")]
    std::panic::resume_unwind(Box::new("cancelled"));
}
