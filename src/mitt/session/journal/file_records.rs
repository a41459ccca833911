//! Files that Mitt wrote into a folder, as recorded: by name, size and digest.
//!
//! A journal may be forged and name files that Mitt never wrote. So a name proves nothing: a file is Mitt's own only while its
//! content is exactly what the journal recorded. A file that the user has changed belongs to the user.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use serde_json::{Value, json};

use mitt_base::digest::sha256_of;
use mitt_base::output_folder::OutputFolder;
use mitt_skill::capability::Artifact;

/// Kind of the journal entry for a file of an earlier session that is complete but was not recorded.
pub(in crate::session) const RECOVERED: &str = "recovered";

/// Record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct FileRecord {
    pub(in crate::session) size: u64,
    sha256: String,
}

/// Latest record of each file, by name.
pub(in crate::session) type FileRecords = BTreeMap<String, FileRecord>;

impl FileRecord {
    /// Reads name and record from a journal entry or an announcement. `None` if a part is missing.
    pub(in crate::session) fn read(entry: &Value) -> Option<(String, FileRecord)> {
        let (size, sha256) = (entry["size"].as_u64()?, entry["sha256"].as_str()?.to_owned());
        Some((entry["name"].as_str()?.to_owned(), FileRecord { size, sha256 }))
    }

    pub(in crate::session) fn of(artifact: &Artifact) -> FileRecord {
        FileRecord { size: artifact.size, sha256: artifact.sha256.clone() }
    }

    /// Returns whether `name` is a plain file of at most `max_bytes` with exactly the recorded content.
    pub(in crate::session) fn is_in(
        &self,
        folder: &OutputFolder,
        name: &str,
        max_bytes: u64,
    ) -> bool {
        if self.size > max_bytes {
            return false;
        }
        let Ok(file) = folder.read(OsStr::new(name)) else { return false };
        let is_as_long = file.metadata().is_ok_and(|metadata| metadata.len() == self.size);
        // Reads one byte more, to notice a file that grows meanwhile.
        is_as_long
            && sha256_of(file, self.size.saturating_add(1))
                .is_ok_and(|digest| digest == self.sha256)
    }
}

/// Returns the note that is stored beside a file before the file gets its name.
pub(in crate::session) fn announcement(artifact: &Artifact) -> Value {
    json!({
        "name": artifact.name, "media_type": artifact.media_type, "size": artifact.size, "sha256": artifact.sha256,
    })
}
