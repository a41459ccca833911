//! Components without a manifest: a component with a plain WIT interface can be called even if it was not written for Mitt.
//!
//! Generates a manifest. Does not load or read the component, which waits until it is needed.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use super::name::{MAX_TOOL_NAME, is_kebab};
use super::{Manifest, Skill, SkillSource, plug_in};
use mitt_base::{Error, ErrorKind, Result};
use mitt_engine::Engine;

/// Magic bytes of zstd.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Component that becomes a skill by itself.
#[derive(Clone, Debug)]
pub enum ComponentSource {
    /// A `.wasm` or `.wasm.zst` file. The skill is named after it.
    File(PathBuf),
    /// Component in memory, and the skill's name in kebab case.
    Bytes(String, Cow<'static, [u8]>),
}

impl ComponentSource {
    /// Returns the skill, and its origin for messages.
    pub(super) fn skill(&self, engine: &Engine) -> Result<(Skill, &Path)> {
        match self {
            ComponentSource::File(path) => Ok((Skill::from_component_file(engine, path)?, path)),
            ComponentSource::Bytes(name, bytes) => {
                let skill = Skill::from_component(engine, bytes.clone(), name)?;
                Ok((skill, Path::new("bytes in memory")))
            }
        }
    }
}

impl Skill {
    /// Returns a skill for a component alone, which may be compressed with zstd. The skill has no grants, the default limits, and
    /// empty instructions. `name` is in kebab case. The component is not loaded yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - `name` is not a valid skill name.
    pub fn from_component(
        engine: &Engine,
        bytes: impl Into<Cow<'static, [u8]>>,
        name: &str,
    ) -> Result<Skill> {
        let bytes = bytes.into();
        let extension = if bytes.starts_with(&ZSTD) { "wasm.zst" } else { "wasm" };
        let manifest = made_up_manifest(name, extension, name)?;
        let source = SkillSource::Component(None);
        Ok(Skill::new(engine, manifest, String::new(), source, bytes))
    }

    /// Like [`Skill::from_component`], for a `.wasm` or `.wasm.zst` file. The skill is named after the file, in kebab case:
    /// `My_Adder.wasm` becomes `my-adder`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is no such file, or its name cannot become a skill name.
    pub fn from_component_file(engine: &Engine, path: &Path) -> Result<Skill> {
        let place = path.display().to_string();
        let file = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let Some((stem, extension)) = ["wasm.zst", "wasm", "json"].iter().find_map(|extension| {
            Some((file.strip_suffix(extension)?.strip_suffix('.')?, *extension))
        }) else {
            let message = format!(
                "expected a component `.wasm` or `.wasm.zst`, or the `.json` manifest of an Extism plug-in, got {place}"
            );
            return Err(Error::new(ErrorKind::Load, message));
        };
        let manifest = made_up_manifest(&kebab(stem), extension, &place)?;
        // The file is read when it is needed, but a misspelled name is reported at once.
        fs::metadata(path).map_err(|error| {
            Error::new(ErrorKind::Load, format!("cannot read the component {place}"))
                .hint("name an existing file that you may read")
                .caused_by(error)
        })?;
        let (mut manifest, text) = manifest;
        let warnings = if plug_in::is_manifest(&format!(".{extension}")) {
            plug_in::narrow(&mut manifest, path)?
        } else {
            Vec::new()
        };
        let manifest = (manifest, text);
        let source = SkillSource::Component(Some(path.to_owned()));
        let mut skill = Skill::new(engine, manifest, String::new(), source, Cow::Borrowed(&[]));
        skill.warnings.extend(warnings);
        Ok(skill)
    }
}

/// Returns a generated manifest, and its text. `place` names the component in errors.
fn made_up_manifest(name: &str, extension: &str, place: &str) -> Result<(Manifest, String)> {
    if !is_kebab(name) || name.len() > MAX_TOOL_NAME || name.bytes().any(|c| c.is_ascii_uppercase())
    {
        let message = format!(
            "{place}: expected a skill name of at most {MAX_TOOL_NAME} lower-case letters, digits and `-` that begins with a letter, got `{name}`"
        );
        return Err(Error::new(ErrorKind::Load, message)
            .hint("rename the file: the skill is named after it"));
    }
    let text = format!(
        "schema: 1\nname: \"{name}\"\nversion: 0.0.0\ndescription: functions of a component\ncomponent: \"{name}.{extension}\"\n"
    );
    Ok((Manifest::parse(&text, place)?, text))
}

/// Converts the name of a file to that of a skill: words in lower case, joined by single hyphens.
pub(super) fn kebab(stem: &str) -> String {
    let words = stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        for (stem, name) in [
            ("adder", "adder"),
            ("My_Adder", "my-adder"),
            ("a.b  c", "a-b-c"),
            ("--x--", "x"),
            ("été", "t"),
            ("2fa", "2fa"),
            ("加", ""),
        ] {
            assert_eq!(kebab(stem), name, "{stem}");
        }
    }

    #[test]
    fn manifests_are_made_up() {
        let (manifest, text) = made_up_manifest("my-adder", "wasm.zst", "x").unwrap();
        assert_eq!(manifest.name, "my-adder");
        assert_eq!(manifest.component(), Some("my-adder.wasm.zst"));
        assert_eq!(manifest.limits, mitt_base::CallLimits::default());
        assert!(manifest.grants.is_empty() && manifest.enabled);
        assert_eq!(Manifest::parse(&text, "again").unwrap(), manifest);
        for name in ["", "2fa", "A", "a_b", "a--b", &"x".repeat(65)] {
            assert!(made_up_manifest(name, "wasm", "x").is_err(), "{name}");
        }
        // In YAML these are not texts unless they are quoted.
        for name in ["true", "null", "no", "y"] {
            assert_eq!(made_up_manifest(name, "wasm", "x").unwrap().0.name, name);
        }
    }
}
