//! A ZIP file that is made while it is sent.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::stream;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::file_name::safe_name;
use crate::store::{BlobReader, Store, StoreError};
use mitt_base::lock;

/// Bytes of a file that are read at once.
const PIECE: usize = 64 * 1024;
/// Size from which an entry needs the longer fields of ZIP64.
const LARGE: u64 = 0xffff_0000;

/// A file of an archive.
pub(super) struct ArchiveFile {
    pub(super) name: String,
    pub(super) content: ArchiveContent,
}

/// Where the content of a file comes from.
pub(super) enum ArchiveContent {
    Text(String),
    /// SHA-256 and size of a stored file of the tenant.
    Stored(String, u64),
}

/// Returns the bytes of a ZIP with these files. Only a few pieces are in memory at once. If a file cannot be read, the ZIP
/// ends without its directory, so that no program takes it for a whole one.
pub(super) fn archive(
    store: Arc<dyn Store>,
    tenant: String,
    files: Vec<ArchiveFile>,
) -> impl Stream<Item = Bytes> + Send + 'static {
    let packed = Packed::default();
    let packer = Packer {
        zip: Some(ZipWriter::new_stream(packed.clone())),
        packed,
        files: safely_named(files).into_iter(),
        open: None,
        store,
        tenant,
    };
    stream::unfold(packer, |mut packer| async move {
        match packer.next().await {
            Ok(piece) => Some((piece?, packer)),
            Err(error) => {
                tracing::warn!(error, "an archive breaks off");
                None
            }
        }
    })
}

/// Gives each file a name that every system stores, and that no other file has, whatever the case of its letters.
fn safely_named(files: Vec<ArchiveFile>) -> Vec<ArchiveFile> {
    let mut names = HashSet::new();
    let named = |file: ArchiveFile| {
        let name = safe_name(&file.name);
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) => (stem.to_owned(), format!(".{extension}")),
            None => (name.clone(), String::new()),
        };
        let mut unique = name;
        let mut number = 2;
        while !names.insert(unique.to_lowercase()) {
            unique = format!("{stem} ({number}){extension}");
            number += 1;
        }
        ArchiveFile { name: unique, ..file }
    };
    files.into_iter().map(named).collect()
}

/// What was packed and not sent yet.
#[derive(Clone, Default)]
struct Packed(Arc<Mutex<Vec<u8>>>);

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Packer {
    /// `None` after the end.
    zip: Option<ZipWriter<StreamWriter<Packed>>>,
    packed: Packed,
    files: std::vec::IntoIter<ArchiveFile>,
    /// The file that is being packed, and the place that was reached in it.
    open: Option<(Arc<dyn BlobReader>, u64)>,
    store: Arc<dyn Store>,
    tenant: String,
}

impl Packer {
    /// Returns the next bytes of the archive; `None` at its end.
    async fn next(&mut self) -> Result<Option<Bytes>, String> {
        loop {
            let packed = std::mem::take(&mut *lock(&self.packed.0));
            if !packed.is_empty() {
                return Ok(Some(packed.into()));
            }
            let Some(zip) = &mut self.zip else { return Ok(None) };
            if let Some((reader, at)) = &mut self.open {
                let piece = reader.read(*at, PIECE).await.map_err(|it| unread(&it))?;
                if piece.is_empty() {
                    if *at != reader.size() {
                        return Err("a file is shorter than it was".to_owned());
                    }
                    self.open = None;
                } else {
                    zip.write_all(&piece).map_err(|it| it.to_string())?;
                    *at += piece.len() as u64;
                }
            } else if let Some(file) = self.files.next() {
                let size = match &file.content {
                    ArchiveContent::Text(text) => text.len() as u64,
                    ArchiveContent::Stored(_, size) => *size,
                };
                // Most delivered files are packed already, so that more effort would be in vain.
                let options = SimpleFileOptions::default()
                    .compression_method(CompressionMethod::Deflated)
                    .compression_level(Some(1))
                    .large_file(size >= LARGE);
                zip.start_file(file.name, options).map_err(|it| it.to_string())?;
                match file.content {
                    ArchiveContent::Text(text) => {
                        zip.write_all(text.as_bytes()).map_err(|it| it.to_string())?;
                    }
                    ArchiveContent::Stored(sha256, _) => {
                        let reader = self.store.blob(&self.tenant, &sha256).await;
                        self.open = Some((reader.map_err(|it| unread(&it))?, 0));
                    }
                }
            } else if let Some(zip) = self.zip.take() {
                zip.finish().map_err(|it| it.to_string())?;
            }
        }
    }
}

fn unread(error: &StoreError) -> String {
    match error {
        StoreError::Failed(error) => error.render(),
        _ => "a file is not stored any more".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> ArchiveFile {
        ArchiveFile { name: name.to_owned(), content: ArchiveContent::Text("x".to_owned()) }
    }

    #[test]
    fn names_are_safe_and_different() {
        let names = ["a.pdf", "A.PDF", "../a.pdf", "a (2).pdf", "notes", "notes", "/"];
        let named = safely_named(names.into_iter().map(text).collect());
        let names: Vec<&str> = named.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            ["a.pdf", "A (2).PDF", "a (3).pdf", "a (2) (2).pdf", "notes", "notes (2)", "document"]
        );
    }
}
