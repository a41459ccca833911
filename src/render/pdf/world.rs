//! What Typst can reach: one template, one file of data, the fonts. No packages, no files, no date, no network.

use std::sync::OnceLock;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt as _, World};

use crate::render::Cancel;
use crate::{Error, Result};

const TEMPLATE: &str = include_str!("template.typ");

/// A document to be typeset and nothing else.
pub(super) struct DocWorld {
    library: &'static LazyHash<Library>,
    book: LazyHash<FontBook>,
    fonts: Vec<Font>,
    template: Source,
    data_id: FileId,
    data: Bytes,
    cancel: Cancel,
}

impl DocWorld {
    pub(super) fn new(data: Vec<u8>, fonts: Vec<Font>, cancel: Cancel) -> Result<DocWorld> {
        static LIBRARY: OnceLock<LazyHash<Library>> = OnceLock::new();
        Ok(DocWorld {
            library: LIBRARY.get_or_init(|| LazyHash::new(Library::default())),
            book: LazyHash::new(FontBook::from_fonts(&fonts)),
            fonts,
            template: Source::new(file_id("/template.typ")?, TEMPLATE.into()),
            data_id: file_id("/doc.json")?,
            data: Bytes::new(data),
            cancel,
        })
    }
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
        &self.book
    }

    fn main(&self) -> FileId {
        self.template.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == self.template.id() {
            Ok(self.template.clone())
        } else {
            Err(FileError::AccessDenied)
        }
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        if id == self.data_id { Ok(self.data.clone()) } else { Err(FileError::AccessDenied) }
    }

    fn font(&self, index: usize) -> Option<Font> {
        // Typesetting cannot be stopped from outside; without fonts it ends within milliseconds.
        if self.cancel.is_cancelled() { None } else { self.fonts.get(index).cloned() }
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}
