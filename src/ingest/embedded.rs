//! Takes the files inside of a file, as its reader returns them.

use std::sync::Arc;

use super::sniff;
use super::{Parts, Readers, ask, unread};
use mitt_base::Result;
use mitt_engine::Usage;
use mitt_skill::{RegistryInternal as _, capability::ReaderContent};

/// Returns the files inside of a file, the warnings of its reader, and the usage.
///
/// # Errors
///
/// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the file is encrypted, damaged, or of a type that no skill reads.
/// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit), [`ErrorKind::Trap`](mitt_base::ErrorKind::Trap) - the reader reached a limit
/// or crashed at this file.
pub async fn read_embedded(
    readers: &Readers<'_>,
    name: &str,
    bytes: Arc<[u8]>,
    password: Option<&str>,
) -> Result<(Parts, Vec<String>, Usage)> {
    let (file_type, warning) = sniff::sniff(name, &bytes);
    let extension = file_type.extension();
    let Some(reader) =
        readers.registry.reader_with_progress(extension, readers.on_compiling).await?
    else {
        return Err(unread(&file_type));
    };
    let (content, usage) = ask(readers, &reader, bytes, name, &file_type, password).await?;
    let ReaderContent { parts, warnings, .. } = content;
    Ok((parts, warning.into_iter().chain(warnings).collect(), usage))
}
