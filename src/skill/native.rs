//! Native code in a skill's folder: found here, verified and read by the engine.
//!
//! Knows where the files are. [`Engine`](mitt_engine::Engine) verifies them and checks that they fit.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Skill, SkillSource, plug_in};
use mitt_base::{Error, ErrorKind, Remedy, Result, plain_file};
use mitt_engine::{
    CodeSource, EngineInternal as _, MAX_RECORD_BYTES, NativeCode, PluginBytes,
    PluginBytesInternal as _, Precompiled,
};

/// Native code with a verified record, which was not read yet.
pub(super) struct NativeRecord {
    path: PathBuf,
    record: Box<Precompiled>,
    /// Hash of the component that it was compiled from.
    pub(super) component: blake3::Hash,
}

impl Skill {
    /// Returns what to load, and the hash of the component: native code if there is any, otherwise the component.
    pub(super) fn loadable(&self) -> Result<(PluginBytes, blake3::Hash)> {
        let Some(native) = self.native_record()? else {
            let component = self.component()?;
            let hash = component.stored_hash()?;
            return Ok((component, hash));
        };
        let code = CodeSource::File(native.path);
        let skill = self.manifest.name.clone();
        let code = NativeCode { code, record: native.record, skill };
        Ok((PluginBytes::Precompiled(code), native.component))
    }

    /// Returns `true` if this is the skill `other` itself, compiled ahead of time: all texts are the same, and the verified record of
    /// its native code is for this version and processor, and names the component of `other`.
    pub(super) fn is_native_code_of(&self, other: &Skill) -> bool {
        matches!(self.native_record(), Ok(Some(_)))
            && other.component_hash().is_ok()
            && other.is_same(self)
    }

    /// Returns the verified record of native code next to the component, if there is any. The code itself is read only
    /// afterwards: it may be large, and anybody may have put it there.
    pub(super) fn native_record(&self) -> Result<Option<NativeRecord>> {
        let SkillSource::Folder(folder) = self.source() else { return Ok(None) };
        let path = folder.join(format!("{}.cwasm", self.manifest.name));
        // A link counts as a file, wherever it points.
        if fs::symlink_metadata(&path).is_err() {
            return Ok(None);
        }
        let record = path.with_extension("cwasm.json");
        let json = read_record(&record)?;
        let record: Precompiled = serde_json::from_slice(&json).map_err(|error| {
            let message = format!("{}: expected the record of native code", record.display());
            Error::new(ErrorKind::Denied, message)
                .remedy(Remedy::CompileSkillAgain)
                .caused_by(error)
        })?;
        let hash = self.engine.component_of(&record, &self.manifest.name)?;
        // A component next to the native code must be the one that the code was compiled from.
        let component = self.manifest.component().map(|name| folder.join(name));
        let is_beside = |path: PathBuf| path.exists() && !plug_in::is_without_modules(&path);
        if component.is_some_and(is_beside) && self.component()?.stored_hash()? != hash {
            let message = "the native code was made of another component than the one beside it";
            return Err(Error::new(ErrorKind::Load, message).remedy(Remedy::CompileSkillAgain));
        }
        Ok(Some(NativeRecord { path, record: Box::new(record), component: hash }))
    }
}

fn read_record(path: &Path) -> Result<Vec<u8>> {
    let refused = |message: String| {
        Error::new(ErrorKind::Denied, format!("{}: {message}", path.display()))
            .remedy(Remedy::KeepRecord)
    };
    let content = plain_file::read(path, MAX_RECORD_BYTES)
        .map_err(|error| refused("cannot read it".into()).caused_by(error))?;
    if content.len() as u64 > MAX_RECORD_BYTES {
        Err(refused(format!("expected at most {MAX_RECORD_BYTES} bytes, got more")))
    } else {
        Ok(content)
    }
}
