//! What Typst can reach: one template, one file of data, the charts of the document, the fonts. No packages, no files, no date, no network.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt as _, World};

use super::fonts::Faces;
use crate::Cancel;
use mitt_base::{Error, Result};

const TEMPLATE: &str = include_str!("template.typ");

/// A document to be typeset and nothing else.
pub(super) struct DocWorld {
    library: &'static LazyHash<Library>,
    faces: Arc<Faces>,
    template: Source,
    data_id: FileId,
    data: Bytes,
    /// Charts, as SVG.
    drawings: HashMap<FileId, Bytes>,
    cancel: Cancel,
}

impl DocWorld {
    pub(super) fn new(
        data: Vec<u8>,
        drawings: Vec<String>,
        faces: Arc<Faces>,
        cancel: Cancel,
    ) -> Result<DocWorld> {
        static LIBRARY: OnceLock<LazyHash<Library>> = OnceLock::new();
        // Parsed once; the ids of the nodes are the same in every document, which Typst's cache relies on.
        static SOURCE: OnceLock<Source> = OnceLock::new();
        let drawings = drawings.into_iter().enumerate().map(|(index, svg)| {
            Ok((file_id(&format!("/chart-{}.svg", index + 1))?, Bytes::new(svg.into_bytes())))
        });
        let template_id = file_id("/template.typ")?;
        Ok(DocWorld {
            library: LIBRARY.get_or_init(|| LazyHash::new(Library::default())),
            faces,
            template: SOURCE.get_or_init(|| Source::new(template_id, TEMPLATE.into())).clone(),
            data_id: file_id("/doc.json")?,
            data: Bytes::new(data),
            drawings: drawings.collect::<Result<_>>()?,
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
        &self.faces.book
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
        match self.drawings.get(&id) {
            _ if id == self.data_id => Ok(self.data.clone()),
            Some(drawing) => Ok(drawing.clone()),
            None => Err(FileError::AccessDenied),
        }
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

/// Leave typesetting from within, which has no other way out: it asks for a font at every piece of text. An answer that
/// differs from the one before would be an error of Typst's, whose cache relies on a world that does not change.
///
/// Unwinds the thread of this rendering only, without a message; where a panic ends the process, goes on instead.
fn stop() {
    #[cfg(panic = "unwind")]
    std::panic::resume_unwind(Box::new("cancelled"));
}
