//! Files inside of a file, as its reader returned them: attachments of a PDF file or a mail, members of an archive.

use mitt_base::memory::Charge;

/// Files inside of a file. The session is charged for their bytes until this is dropped.
#[derive(Debug)]
pub struct EmbeddedFiles {
    files: Vec<EmbeddedFile>,
    warnings: Vec<String>,
    _charge: Charge,
}

/// A file inside of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedFile {
    /// Name as the outer file gives it, with its folders between slashes, such as `data/january.csv`. It has no `.`, no `..`, no
    /// backslash and no line break, and at most 200 characters. Several files may have one name.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
}

impl EmbeddedFiles {
    /// Returns the files, in the order of the outer file.
    pub fn files(&self) -> &[EmbeddedFile] {
        &self.files
    }

    /// Returns what was left out or could not be read, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Methods of [`EmbeddedFiles`] for Mitt's own crates.
pub trait EmbeddedFilesInternal {
    /// Returns these files with these warnings. `charge` is the charge for their bytes.
    fn new(files: Vec<EmbeddedFile>, warnings: Vec<String>, charge: Charge) -> Self;
}

impl EmbeddedFilesInternal for EmbeddedFiles {
    fn new(files: Vec<EmbeddedFile>, warnings: Vec<String>, charge: Charge) -> EmbeddedFiles {
        EmbeddedFiles { files, warnings, _charge: charge }
    }
}
