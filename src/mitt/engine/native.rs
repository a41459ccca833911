//! Native code that was compiled ahead of time, and who vouches for it.
//!
//! Native code is not sandboxed: it runs with the rights of the process. So each file has a record beside it, which says what it
//! was made of, and which carries a seal of this installation or the signature of a key that the operator named. Neither the
//! record nor the code is used before the seal or signature was found right.

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
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Interface;

/// Version of [`Statement`]; a change of it, or of [`Interface`]'s serialised form, needs a new one.
const FORMAT: u32 = 2;

/// Largest record, in bytes.
pub(crate) const MAX_RECORD_BYTES: u64 = 8 * MIB;

/// What is sealed and signed begins with this, so that no seal or signature of something else fits.
const CONTEXT: &str = "mitt 2026-11 precompiled native code";

/// Native code for a skill.
#[derive(Clone, Debug)]
pub struct NativeCode {
    /// As [`Engine::precompile`] gave it.
    pub code: CodeSource,
    /// What belongs to it.
    pub record: Box<Precompiled>,
    /// The skill that it is to be loaded for.
    pub skill: String,
}

/// Where native code is.
#[derive(Clone, Debug)]
pub enum CodeSource {
    /// In memory.
    Bytes(Cow<'static, [u8]>),
    /// In a file. Where nobody but this user can write to it, it is mapped, and read page by page as it is run; so it must be
    /// replaced as a whole, never written to in place.
    File(PathBuf),
}

/// What is written beside native code that was compiled ahead of time. Whoever has no key cannot make one that is accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precompiled {
    /// [`Statement`] as JSON, in exactly the bytes that are sealed.
    statement: String,
    seal: Seal,
}

/// Who vouches.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum Seal {
    /// Keyed BLAKE3, with a key out of the secret of this user's cache folder.
    Installation(String),
    /// A signature of `key`.
    Signature { key: String, signature: String },
}

/// What is vouched for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Statement {
    format: u32,
    /// The skill that it may be loaded for.
    skill: String,
    /// BLAKE3 of the component as it was stored, in hexadecimal digits: what approvals bind to.
    component: String,
    /// Version of wasmtime that made it. What else makes native code fit (settings, proposals, instructions of the processor)
    /// stands inside of the code, and wasmtime compares it.
    wasmtime: String,
    /// Architecture and system that it is for.
    target: String,
    /// The processor that it was made for, as `mitt compile --target` names it.
    processor: String,
    /// What that has beyond every processor of its architecture, as far as the compiler uses it.
    needs: Vec<String>,
    /// BLAKE3 of the native code.
    code: String,
    /// Its length in bytes.
    pub(super) code_bytes: u64,
    /// What an instance takes of the host's memory beside its memories and tables.
    instance_bytes: u64,
    interface: Interface,
}

/// Who vouches for native code that is made.
#[derive(Clone, Copy, Debug)]
pub enum Signer<'a> {
    /// This installation, with the secret in its cache folder. Only hosts of the same user that use the same folder load it.
    Installation,
    /// Whoever has this key. Hosts that name the public key load it.
    Key(&'a PrivateKey),
}

fn target_of(architecture: &str) -> String {
    format!("{architecture}-{}", std::env::consts::OS)
}

impl Statement {
    /// The hash of the component that the code was made of.
    pub(super) fn component(&self) -> Option<blake3::Hash> {
        blake3::Hash::from_hex(&self.component).ok()
    }

    /// Say what a processor, which `has` what is asked, lacks.
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
        Err(Error::new(ErrorKind::Load, message).hint(
            "compile it with `mitt compile --target` for what all of your machines have, such as `x86-64-v2` or `x86-64`",
        ))
    }

    /// The hash of the code.
    pub(super) fn code(&self) -> Option<blake3::Hash> {
        blake3::Hash::from_hex(&self.code).ok()
    }
}

impl Engine {
    /// BLAKE3 of the component as it was stored, of which native code for `skill` was made that is vouched for. Needs only its
    /// record: code that nobody vouches for is not read at all.
    pub(crate) fn component_of(&self, record: &Precompiled, skill: &str) -> Result<blake3::Hash> {
        let statement = self.statement(record, skill)?;
        statement.component().ok_or_else(|| Error::bug("a sealed record without a hash"))
    }

    /// Load native code that this installation or a named key vouches for.
    pub(super) fn load_native(&self, native: &NativeCode) -> Result<Plugin> {
        let statement = self.statement(&native.record, &native.skill)?;
        let component = match &native.code {
            CodeSource::Bytes(code) => self.load_bytes(&statement, code)?,
            CodeSource::File(path) => self.load_file(&statement, path)?,
        };
        Ok(Plugin::new(component, statement.interface, statement.instance_bytes))
    }

    /// The statement of a record, once it was found to be vouched for and to be of this skill and version.
    fn statement(&self, record: &Precompiled, skill: &str) -> Result<Statement> {
        self.vouched(record)?;
        let statement: Statement = serde_json::from_str(&record.statement).map_err(|error| {
            Error::new(ErrorKind::Load, "the record of the native code is of another version")
                .hint(AGAIN)
                .caused_by(error)
        })?;
        let wrong = |what: &str, wanted: &str, got: &str| {
            let got = mitt_base::text::one_line(mitt_base::text::cut_bytes(got, 80));
            let message = format!("native code for {what} `{wanted}` expected, got it for `{got}`");
            Error::new(ErrorKind::Load, message).hint(AGAIN)
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
                    return Err(denied(message.into())
                        .hint("leave out `--no-cache`, or name the folder with `--cache-dir`"));
                }
                Err(denied("native code that this installation did not compile is not loaded".into())
                    .hint("remove the `.cwasm`, or compile the skill here with `mitt compile`; native code for other machines is signed with `--sign-key`"))
            }
            Seal::Signature { key, signature } => {
                let key: PublicKey = key.parse().map_err(|_| {
                    denied("the record of the native code names no key".into()).hint(AGAIN)
                })?;
                if !self.inner.options.precompiled_keys.contains(&key) {
                    return Err(denied(format!("native code signed by a key that is not trusted here: {key}"))
                        .hint("if you know whose key it is, name it with `--precompiled-key`; otherwise remove the `.cwasm`"));
                }
                if !key.verifies(&signed(&record.statement), signature) {
                    return Err(denied("the signature under the native code is not right: it was damaged or replaced".into())
                        .hint(AGAIN));
                }
                Ok(())
            }
        }
    }
}

/// The way out where code and record do not fit.
pub(super) const AGAIN: &str = "compile it again with `mitt compile` of this version";

fn signed(statement: &str) -> Vec<u8> {
    let mut message = CONTEXT.as_bytes().to_vec();
    message.push(0);
    message.extend_from_slice(statement.as_bytes());
    message
}

/// The record of native code, sealed or signed.
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
                .hint("name one with `--cache-dir`, or sign with `--sign-key`")
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
    use crate::engine::config::EngineOptions;

    /// What stands in a record for `target` of a build that has a compiler for it.
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
        let told = format!("`{here}` expected, got it for `{there}`");
        assert!(error.contains(&told), "{error}");
        // For the one at hand it is looked at, and found to be none.
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
        let told = "made for the processor `x86-64-v3`; this one lacks avx, avx2, fma";
        assert!(error.to_string().contains(told), "{error:?}");
        assert!(error.render().contains("--target"), "{error:?}");
    }
}
