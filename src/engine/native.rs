//! Native code that was compiled ahead of time, and its seals and signatures.
//!
//! Native code is not sandboxed: it runs with the rights of the process. So each file has a record next to it, which states what
//! it was made from and carries a seal of this installation or the signature of a key that the operator trusts. Neither the
//! record nor the code is used before the seal or signature was verified.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::compiler::Compiled;
use super::config::Engine;
use super::keys::{PrivateKey, PublicKey};
use super::native_load::WASMTIME_VERSION;
use super::plugin::Plugin;
use super::target::{self, Target};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Remedy, Result};
use mitt_wit::value::Interface;

/// Version of [`Statement`]. A change of it, or of [`Interface`]'s serialised form, needs a new one.
const FORMAT: u32 = 2;

/// Largest record, in bytes.
pub const MAX_RECORD_BYTES: u64 = 8 * MIB;

/// Prefix of everything that is sealed or signed, so that seals and signatures for other purposes do not match.
const CONTEXT: &str = "mitt 2026-11 precompiled native code";

/// Native code for a skill.
#[derive(Clone, Debug)]
pub struct NativeCode {
    /// Code from [`Engine::precompile`].
    pub code: CodeSource,
    /// Record that belongs to the code.
    pub record: Box<Precompiled>,
    /// Name of the skill that it is loaded for.
    pub skill: String,
}

/// Location of native code.
#[derive(Clone, Debug)]
pub enum CodeSource {
    /// In memory.
    Bytes(Cow<'static, [u8]>),
    /// In a file. If only this user can write to it, the file is mapped, and read page by page as it runs; so it must be replaced
    /// as a whole, never written to in place.
    File(PathBuf),
}

/// Record next to native code that was compiled ahead of time. Without a key nobody can make one that is accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precompiled {
    /// [`Statement`] as JSON, in exactly the bytes that are sealed.
    statement: String,
    seal: Seal,
}

/// Proof that the statement can be trusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum Seal {
    /// Keyed BLAKE3 hash, with a key derived from the secret of this user's cache folder.
    Installation(String),
    /// Signature of `key`.
    Signature { key: String, signature: String },
}

/// Facts that the seal or signature confirms.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Statement {
    format: u32,
    /// Name of the skill that it may be loaded for.
    skill: String,
    /// BLAKE3 hash of the component as stored, in hexadecimal digits, which approvals refer to.
    component: String,
    /// Version of wasmtime that compiled it. Settings, proposals and processor features are stored in the code itself, where
    /// wasmtime checks them.
    wasmtime: String,
    /// Architecture and operating system that it is for.
    target: String,
    /// Processor that it was compiled for, as named by `mitt compile --target`.
    processor: String,
    /// Features of the processor that it needs beyond the baseline of the architecture, as far as the compiler uses them.
    needs: Vec<String>,
    /// BLAKE3 hash of the native code.
    code: String,
    /// Length of the native code in bytes.
    pub(super) code_bytes: u64,
    /// Host memory of an instance in addition to its memories and tables, in bytes.
    instance_bytes: u64,
    interface: Interface,
}

/// Origin of the seal or signature of new native code.
#[derive(Clone, Copy, Debug)]
pub enum Signer<'a> {
    /// A seal of this installation, with the secret in its cache folder. Only hosts of the same user that use the same folder
    /// load it.
    Installation,
    /// A signature with this key. Hosts that are given the public key load it.
    Key(&'a PrivateKey),
}

fn target_of(architecture: &str) -> String {
    format!("{architecture}-{}", std::env::consts::OS)
}

impl Statement {
    /// Returns the hash of the component that the code was compiled from.
    pub(super) fn component(&self) -> Option<blake3::Hash> {
        blake3::Hash::from_hex(&self.component).ok()
    }

    /// Returns an error if the processor, whose features `has` tests, lacks a needed one.
    fn check_processor(&self, has: impl Fn(&str) -> bool) -> Result<()> {
        let lacks = target::lacking(&self.needs, has);
        if lacks.is_empty() {
            return Ok(());
        }
        let message = format!(
            "the native code was made for the processor `{}`; this one lacks {}",
            self.processor,
            lacks.join(", ")
        );
        Err(Error::new(ErrorKind::Load, message).remedy(Remedy::CompileForProcessors))
    }

    /// Returns the hash of the code.
    pub(super) fn code(&self) -> Option<blake3::Hash> {
        blake3::Hash::from_hex(&self.code).ok()
    }
}

impl Engine {
    /// Returns the BLAKE3 hash of the stored component from which trusted native code for `skill` was compiled. Reads only the
    /// record, since code with an untrusted record is never read.
    pub(crate) fn component_of(&self, record: &Precompiled, skill: &str) -> Result<blake3::Hash> {
        let statement = self.statement(record, skill)?;
        statement.component().ok_or_else(|| Error::bug("a sealed record without a hash"))
    }

    /// Loads native code that was sealed by this installation or signed with a trusted key.
    pub(super) fn load_native(&self, native: &NativeCode) -> Result<Plugin> {
        let statement = self.statement(&native.record, &native.skill)?;
        let component = match &native.code {
            CodeSource::Bytes(code) => self.load_bytes(&statement, code)?,
            CodeSource::File(path) => self.load_file(&statement, path)?,
        };
        Ok(Plugin::new(component, statement.interface, statement.instance_bytes))
    }

    /// Returns the statement of a record, after verifying its seal or signature, its skill and its version.
    fn statement(&self, record: &Precompiled, skill: &str) -> Result<Statement> {
        self.vouched(record)?;
        let statement: Statement = serde_json::from_str(&record.statement).map_err(|error| {
            Error::new(ErrorKind::Load, "the record of the native code is of another version")
                .remedy(Remedy::CompileAgain)
                .caused_by(error)
        })?;
        let wrong = |what: &str, wanted: &str, got: &str| {
            let got = mitt_base::text::one_line(mitt_base::text::cut_bytes(got, 80));
            let message = format!("expected native code for {what} `{wanted}`, got it for `{got}`");
            Error::new(ErrorKind::Load, message).remedy(Remedy::CompileAgain)
        };
        if statement.format != FORMAT {
            return Err(wrong("format", &FORMAT.to_string(), &statement.format.to_string()));
        }
        if statement.skill != skill {
            return Err(wrong("the skill", skill, &statement.skill));
        }
        if statement.wasmtime != WASMTIME_VERSION {
            return Err(wrong("wasmtime", WASMTIME_VERSION, &statement.wasmtime));
        }
        let here = target_of(std::env::consts::ARCH);
        if statement.target != here {
            return Err(wrong("the processor and system", &here, &statement.target));
        }
        statement.check_processor(target::has)?;
        Ok(statement)
    }

    fn vouched(&self, record: &Precompiled) -> Result<()> {
        let denied = |message: String| Error::new(ErrorKind::Denied, message);
        match &record.seal {
            Seal::Installation(seal) => {
                let options = &self.inner.options;
                let key = options.cache.as_ref().and_then(|cache| cache.known_key(CONTEXT));
                let seal = blake3::Hash::from_hex(seal).ok();
                let is_ours = key.is_some_and(|key| {
                    Some(blake3::keyed_hash(&key, record.statement.as_bytes())) == seal
                });
                if is_ours {
                    return Ok(());
                }
                if options.cache.is_none() {
                    let message = "native code that is sealed for one installation is not loaded without its cache folder";
                    return Err(denied(message.into()).remedy(Remedy::CacheFolder));
                }
                Err(denied(
                    "native code that this installation did not compile is not loaded".into(),
                )
                .remedy(Remedy::CompileHere))
            }
            Seal::Signature { key, signature } => {
                let key: PublicKey = key.parse().map_err(|_| {
                    denied("the record of the native code names no key".into())
                        .remedy(Remedy::CompileAgain)
                })?;
                if !self.inner.options.precompiled_keys.contains(&key) {
                    return Err(denied(format!(
                        "native code signed by a key that is not trusted here: {key}"
                    ))
                    .remedy(Remedy::TrustKey));
                }
                if !key.verifies(&signed(&record.statement), signature) {
                    return Err(denied("the signature under the native code is not right: it was damaged or replaced".into())
                        .remedy(Remedy::CompileAgain));
                }
                Ok(())
            }
        }
    }
}

fn signed(statement: &str) -> Vec<u8> {
    let mut message = CONTEXT.as_bytes().to_vec();
    message.push(0);
    message.extend_from_slice(statement.as_bytes());
    message
}

/// Makes the record of native code, sealed or signed.
pub(super) fn record(
    engine: &Engine,
    (skill, target): (&str, Target),
    component: blake3::Hash,
    made: &Compiled,
    signer: Signer<'_>,
) -> Result<Precompiled> {
    let Compiled { code, interface, instance_bytes } = made;
    let statement = Statement {
        format: FORMAT,
        skill: skill.to_owned(),
        component: component.to_hex().to_string(),
        wasmtime: WASMTIME_VERSION.to_owned(),
        target: target_of(target.architecture()),
        processor: target.name().to_owned(),
        needs: target.needs().into_iter().map(str::to_owned).collect(),
        code: blake3::hash(code).to_hex().to_string(),
        code_bytes: code.len() as u64,
        instance_bytes: *instance_bytes,
        interface: interface.clone(),
    };
    let statement = serde_json::to_string(&statement)
        .map_err(|error| Error::bug(format!("a record cannot be written as JSON: {error}")))?;
    let seal = match signer {
        Signer::Installation => {
            let cache = engine.inner.options.cache.as_ref();
            let key = cache.and_then(|cache| cache.derived_key(CONTEXT)).ok_or_else(|| {
                Error::new(
                    ErrorKind::Host,
                    "there is no private cache folder, whose secret seals native code",
                )
                .remedy(Remedy::SealOrSign)
            })?;
            Seal::Installation(blake3::keyed_hash(&key, statement.as_bytes()).to_hex().to_string())
        }
        Signer::Key(key) => Seal::Signature {
            key: key.public().to_string(),
            signature: key.sign(&signed(&statement)),
        },
    };
    Ok(Precompiled { statement, seal })
}

#[cfg(all(test, feature = "compile"))]
mod tests {
    use super::*;
    use crate::config::EngineOptions;

    /// Returns the error of a record for `target` by a build that has a compiler for it.
    fn load_for(target: Target) -> Error {
        let key = PrivateKey::generate().unwrap();
        let precompiled_keys = vec![key.public()];
        let options = EngineOptions { precompiled_keys, ..EngineOptions::default() };
        let engine = Engine::new(options).unwrap();
        let code = b"\x7fELF".to_vec();
        let interface = Interface::default();
        let made = Compiled { code: code.clone(), interface, instance_bytes: 0 };
        let component = blake3::hash(b"");
        let signer = Signer::Key(&key);
        let record = record(&engine, ("pong", target), component, &made, signer).unwrap();
        let (code, record) = (CodeSource::Bytes(code.into()), Box::new(record));
        let native = NativeCode { code, record, skill: "pong".into() };
        engine.load_native(&native).unwrap_err()
    }

    #[test]
    fn code_for_another_architecture_is_refused_by_its_name() {
        let other = if cfg!(target_arch = "aarch64") { Target::X86_64 } else { Target::Aarch64 };
        let error = load_for(other).render();
        let (here, there) = (target_of(std::env::consts::ARCH), target_of(other.architecture()));
        let expected = format!("`{here}`, got it for `{there}`");
        assert!(error.contains(&expected), "{error}");
        // Code for this processor is read, and found to be invalid.
        assert!(load_for(Target::Native).to_string().contains("another engine"));
    }

    #[test]
    fn a_processor_that_lacks_something_is_told_before_the_code_is_looked_at() {
        let statement = Statement {
            format: FORMAT,
            skill: "pong".into(),
            component: String::new(),
            wasmtime: WASMTIME_VERSION.into(),
            target: target_of(std::env::consts::ARCH),
            processor: Target::X86_64V3.to_string(),
            needs: Target::X86_64V3.needs().into_iter().map(Into::into).collect(),
            code: String::new(),
            code_bytes: 0,
            instance_bytes: 0,
            interface: Interface::default(),
        };
        statement.check_processor(|_| true).unwrap();
        let without_avx = |name: &str| !name.starts_with("avx") && name != "fma";
        let error = statement.check_processor(without_avx).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Load);
        let expected = "made for the processor `x86-64-v3`; this one lacks avx, avx2, fma";
        assert!(error.to_string().contains(expected), "{error:?}");
        assert!(error.remedies().eq([&Remedy::CompileForProcessors]), "{error:?}");
    }
}
