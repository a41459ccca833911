//! Loading of native code into this process: from memory, or mapped from a file that is read page by page as it runs.
//!
//! Before a file is mapped, it is compared with the hash in its record. That reads the whole file, so it is done once after each
//! change of the file (`compared_files.rs`), and not at all in a folder that the operator trusts like the program. A file that
//! somebody else may write to is never mapped: it is read completely, and exactly those bytes are compared and used.
//!
//! Does not know how a record is verified.

use std::fs::File;
use std::path::Path;

use wasmtime::component::Component;

use super::compared_files::{FolderTrust, Identity, hash_of};
use super::config::Engine;
use super::native::Statement;
use super::native_load;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Remedy, Result, plain_file};

/// Largest native code that is loaded, in bytes. That of CPython has 56 MB.
const MAX_NATIVE_BYTES: u64 = 512 * MIB;

impl Engine {
    /// Loads native code of `statement`, which was verified.
    pub(super) fn load_bytes(&self, statement: &Statement, code: &[u8]) -> Result<Component> {
        check(statement, blake3::hash(code))?;
        native_load::vouched_for(&self.inner.wasmtime, code).map_err(made_for_another)
    }

    /// Like [`Engine::load_bytes`], from a file.
    pub(super) fn load_file(&self, statement: &Statement, path: &Path) -> Result<Component> {
        let unreadable = |error| refused(path, "cannot read it".into()).caused_by(error);
        let (real, is_trusted) = match FolderTrust::of(path, &self.inner.options.trusted_folders) {
            FolderTrust::Outside => (path.to_owned(), false),
            FolderTrust::Trusted(real) => (real, true),
            FolderTrust::OpenToOthers(open) => return Err(others_can_write(path, &open)),
        };
        let file = plain_file::open_plain(&real).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        if length > MAX_NATIVE_BYTES {
            let message = format!("expected at most {MAX_NATIVE_BYTES} bytes, got more");
            return Err(refused(path, message));
        }
        // The file is not read then. If a mapped file is too short, the process crashes.
        if length != statement.code_bytes {
            return Err(does_not_match());
        }
        let identity = Identity::of(&file);
        if !is_trusted && identity.is_none() {
            let code = plain_file::content(file, MAX_NATIVE_BYTES).map_err(unreadable)?;
            return self.load_bytes(statement, &code);
        }
        if !is_trusted {
            self.compare(statement, &file, identity, &unreadable)?;
        }
        native_load::mapped(&self.inner.wasmtime, &file).map_err(made_for_another)
    }

    /// Compares a file with the hash in its record, unless that was done since it last changed.
    fn compare(
        &self,
        statement: &Statement,
        file: &File,
        identity: Option<Identity>,
        unreadable: &dyn Fn(std::io::Error) -> Error,
    ) -> Result<()> {
        let known = self.inner.options.cache.as_ref().zip(identity);
        let hash = statement.code().ok_or_else(does_not_match)?;
        if known.is_some_and(|(cache, identity)| cache.has_seen(&identity, hash.as_bytes())) {
            return Ok(());
        }
        let mut hasher = blake3::Hasher::new();
        hash_of(file, &mut hasher).map_err(unreadable)?;
        check(statement, hasher.finalize())?;
        // Skipped if the file was written to meanwhile.
        if let Some((cache, identity)) = known
            && Identity::of(file) == Some(identity)
        {
            cache.remember(&identity, hash.as_bytes());
        }
        Ok(())
    }
}

fn check(statement: &Statement, hash: blake3::Hash) -> Result<()> {
    // `blake3::Hash` compares in constant time.
    if statement.code() == Some(hash) { Ok(()) } else { Err(does_not_match()) }
}

#[cold]
fn does_not_match() -> Error {
    let message = "the native code does not match its record: it was damaged or replaced";
    Error::new(ErrorKind::Load, message).remedy(Remedy::CompileAgain)
}

#[cold]
fn refused(path: &Path, message: String) -> Error {
    Error::new(ErrorKind::Denied, format!("{}: {message}", path.display()))
        .remedy(Remedy::KeepRecord)
}

#[cold]
fn others_can_write(path: &Path, open: &Path) -> Error {
    let message = format!(
        "{}: native code of a folder that is trusted as the program, but others can write to {}",
        path.display(),
        open.display()
    );
    Error::new(ErrorKind::Denied, message).remedy(Remedy::ProtectTrusted)
}

#[cold]
fn made_for_another(error: wasmtime::Error) -> Error {
    Error::new(ErrorKind::Load, "the native code was made for another engine")
        .remedy(Remedy::CompileForBuild)
        .caused_by(error.into_boxed_dyn_error())
}
