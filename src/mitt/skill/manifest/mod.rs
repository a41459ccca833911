//! `skill.yaml`: what the host is told about a skill.

mod dependency;
mod grant;
mod quantity;

use serde::Deserialize;

pub use dependency::{Dependency, VersionRange};
pub use quantity::{parse_duration, parse_size};

use super::name::is_kebab;
use super::policy::WireTool;
use super::{ToolName, ToolPolicy, plain};
use crate::capability::{Capability, GrantBounds};
use crate::script::RUN;
use mitt_base::limits::{CallLimits, MIB};
use mitt_base::{Error, ErrorKind, Result, text};

/// The manifest format that this version reads.
const SCHEMA: u32 = 1;

/// Most entries of `tools`.
const MAX_TOOLS: usize = 1_024;

/// Longest description, in characters: four times what `SKILL.md` allows.
const MAX_DESCRIPTION_CHARACTERS: usize = 4_096;

/// What a skill may ask for at most; the host's own limits for readers, which need the most.
fn ceiling() -> CallLimits {
    CallLimits::reader()
}

/// A checked `skill.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Name in kebab case.
    pub name: String,
    /// Version of the skill, by semantic versioning.
    pub version: String,
    /// What the skill is for, one or two sentences.
    pub description: String,
    /// File name of the component, `.wasm` or `.wasm.zst`. None of a skill that only describes, and so has no tools.
    pub component: Option<String>,
    /// Whether the skill is loaded. Default `true`.
    pub enabled: bool,
    /// Host interfaces that the plugin may import, sorted. Whether a host has them all, it says when it loads the skill. Default
    /// none.
    pub grants: Vec<Capability>,
    /// How far the grants go. Default no further bounds.
    pub bounds: GrantBounds,
    /// Limits of each call.
    pub limits: CallLimits,
    /// Set when the plugin reads files instead of offering tools.
    pub reader: Option<ReaderManifest>,
    /// Set when the plugin runs scripts.
    pub script: Option<ScriptManifest>,
    /// The skills that it needs. Default none.
    pub depends_on: Vec<Dependency>,
    /// What is said of single tools.
    pub tools: Vec<ToolManifest>,
    /// Words to find the skill by.
    pub tags: Vec<String>,
}

/// What is said of a tool beyond its interface.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WireTool")]
pub struct ToolManifest {
    /// Name of the function, in kebab case.
    pub name: String,
    /// Narrower bounds, defaults, titles and examples of its parameters, as [`Function::narrowed`] reads them.
    ///
    /// [`Function::narrowed`]: mitt_wit::value::Function::narrowed
    pub input_schema: Option<serde_json::Value>,
    /// How it is called.
    pub policy: ToolPolicy,
}

/// What a reader plugin reads.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderManifest {
    /// File types as extensions in lower case, without a dot.
    pub extensions: Vec<String>,
}

/// What a script plugin runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptManifest {
    /// The language, such as `python`. Its scripts are run by the tool `<language>__run`.
    pub language: String,
    /// Which of several engines of a language is the fullest: that with the highest rank runs scripts when nobody says
    /// which. Default 0.
    #[serde(default)]
    pub rank: u32,
}

// Apart from `Manifest`, so that the file's format can stay while the crate's types move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    name: String,
    version: String,
    description: String,
    component: Option<String>,
    #[serde(default = "enabled")]
    enabled: bool,
    #[serde(default)]
    grants: Vec<grant::WireGrant>,
    limits: Option<WireLimits>,
    reader: Option<ReaderManifest>,
    script: Option<ScriptManifest>,
    #[serde(default)]
    depends_on: Vec<Dependency>,
    #[serde(default)]
    tools: Vec<ToolManifest>,
    #[serde(default)]
    tags: Vec<String>,
}

/// Limits as they are written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireLimits {
    time: Option<String>,
    fuel: Option<u64>,
    memory: Option<String>,
}

fn enabled() -> bool {
    true
}

impl Manifest {
    /// The JSON Schema 2020-12 of `skill.yaml`, for editors.
    pub const JSON_SCHEMA: &str = include_str!("schema.json");

    /// The manifest of a skill that has none: it only describes, and has no component.
    pub(super) fn described(name: &str, description: &str) -> Manifest {
        Manifest {
            name: name.to_owned(),
            version: "0.0.0".to_owned(),
            description: description.to_owned(),
            component: None,
            enabled: true,
            grants: Vec::new(),
            bounds: GrantBounds::default(),
            limits: CallLimits::default(),
            reader: None,
            script: None,
            depends_on: Vec::new(),
            tools: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// Read a manifest. `place` names the file in errors.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - not YAML, an unknown or missing key, or a value out of range.
    pub fn parse(yaml: &str, place: &str) -> Result<Manifest> {
        plain::check_yaml(yaml)
            .map_err(|problem| Error::new(ErrorKind::Load, format!("{place}: {problem}")))?;
        let wire: Wire = serde_saphyr::from_str(yaml).map_err(|error| told(&error, place))?;
        wire.check().map_err(|problem| Error::new(ErrorKind::Load, format!("{place}: {problem}")))
    }

    /// What is written of single tools and has no effect, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let of = |tool: &ToolManifest| {
            let warnings = tool.policy.warnings(&self.limits).into_iter();
            warnings.map(|warning| format!("tools: {}: {warning}", tool.name)).collect::<Vec<_>>()
        };
        self.tools.iter().flat_map(of).collect()
    }
}

/// An error of the YAML reader, with the nearest key where one is unknown.
pub(super) fn told(error: &serde_saphyr::Error, place: &str) -> Error {
    // What wraps an error adds a picture of the place, which is for terminals.
    let error = error.without_snippet();
    if let serde_saphyr::Error::SerdeUnknownField { field, expected, location } = error {
        let message = format!(
            "{place}:{}:{}: unknown key `{}`",
            location.line(),
            location.column(),
            text::one_line(text::cut_bytes(field, 64))
        );
        let hint = match text::nearest(field, expected.iter().copied()).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys here are `{}`", expected.join("`, `")),
        };
        return Error::new(ErrorKind::Load, message).hint(hint);
    }
    Error::new(ErrorKind::Load, format!("{place}: {error}"))
}

impl Wire {
    /// Refuse what only a component can have.
    fn check_described(&self) -> Result<(), String> {
        let keys = [
            ("grants", !self.grants.is_empty()),
            ("limits", self.limits.is_some()),
            ("reader", self.reader.is_some()),
            ("script", self.script.is_some()),
            ("tools", !self.tools.is_empty()),
        ];
        match keys.iter().find(|(_, given)| *given) {
            Some((key, _)) => {
                Err(format!("{key}: nothing without a `component`; add one, or leave it out"))
            }
            None => Ok(()),
        }
    }

    fn check(self) -> Result<Manifest, String> {
        if self.schema != SCHEMA {
            return Err(format!("schema: {SCHEMA} expected, got {}", self.schema));
        }
        if !is_kebab(&self.name)
            || self.name.len() > 64
            || self.name.chars().any(|c| c.is_ascii_uppercase())
        {
            return Err(format!(
                "name: lower-case words joined by `-` expected, got `{}`",
                self.name
            ));
        }
        if semver::Version::parse(&self.version).is_err() {
            return Err(format!("version: `major.minor.patch` expected, got `{}`", self.version));
        }
        match &self.component {
            Some(component) => check_component(component)?,
            None => self.check_described()?,
        }
        let mut grants = Vec::new();
        let mut bounds = GrantBounds::default();
        for grant in self.grants {
            if grants.contains(&grant.capability) {
                return Err(format!("grants: `{}` is named twice", grant.capability.name()));
            }
            grants.push(grant.capability.clone());
            grant.add_to(&mut bounds);
        }
        grants.sort();
        let characters = self.description.chars().count();
        if characters > MAX_DESCRIPTION_CHARACTERS {
            return Err(format!(
                "description: at most {MAX_DESCRIPTION_CHARACTERS} characters expected, got {characters}; write the rest to SKILL.md"
            ));
        }
        if self.description.trim().is_empty() {
            return Err("description: one or two sentences expected, got nothing".to_owned());
        }
        if let Some(reader) = &self.reader {
            let is_extension = |it: &String| {
                !it.is_empty()
                    && it.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            };
            if reader.extensions.is_empty() || !reader.extensions.iter().all(is_extension) {
                return Err("reader.extensions: extensions in lower case without a dot expected, such as `xlsx`".to_owned());
            }
            if self.script.is_some() {
                return Err(
                    "script: a skill either reads files or runs scripts; leave out one of them"
                        .to_owned(),
                );
            }
        }
        if let Some(script) = &self.script {
            if !is_kebab(&script.language) || ToolName::new(&script.language, RUN).is_none() {
                return Err(format!(
                    "script.language: a name in lower case expected, such as `python`, got `{}`",
                    script.language
                ));
            }
            if let Some(tool) = self.tools.iter().find(|tool| tool.name != RUN) {
                return Err(format!(
                    "tools: {}: an engine of scripts has the tool `{RUN}` only",
                    tool.name
                ));
            }
        }
        if self.tools.len() > MAX_TOOLS {
            return Err(format!(
                "tools: at most {MAX_TOOLS} entries expected, got {}",
                self.tools.len()
            ));
        }
        for (index, dependency) in self.depends_on.iter().enumerate() {
            if !is_kebab(&dependency.name) {
                return Err(format!("depends_on: no skill can be named `{}`", dependency.name));
            }
            if self.depends_on[..index].iter().any(|other| other.name == dependency.name) {
                return Err(format!("depends_on: `{}` is named twice", dependency.name));
            }
        }
        for (index, tool) in self.tools.iter().enumerate() {
            if self.tools[..index].iter().any(|other| other.name == tool.name) {
                return Err(format!("tools: `{}` is named twice", tool.name));
            }
        }
        let base = match (&self.reader, &self.script) {
            (Some(_), _) => CallLimits::reader(),
            (_, Some(_)) => CallLimits::script(),
            (None, None) => CallLimits::default(),
        };
        let limits = match self.limits {
            Some(limits) => limits.over(base)?,
            None => base,
        };
        Ok(Manifest {
            name: self.name,
            version: self.version,
            description: self.description,
            component: self.component,
            enabled: self.enabled,
            grants,
            bounds,
            limits,
            reader: self.reader,
            script: self.script,
            depends_on: self.depends_on,
            tools: self.tools,
            tags: self.tags,
        })
    }
}

fn check_component(component: &str) -> Result<(), String> {
    let is_component = component.ends_with(".wasm") || component.ends_with(".wasm.zst");
    if !is_component || component.contains(['/', '\\', ':']) || component.starts_with('.') {
        return Err(format!(
            "component: a `.wasm` or `.wasm.zst` file of the skill's own folder expected, got `{component}`"
        ));
    }
    Ok(())
}

impl WireLimits {
    /// `base` with these in their place.
    pub(super) fn over(self, base: CallLimits) -> Result<CallLimits, String> {
        let ceiling = ceiling();
        let mut limits = base;
        if let Some(time) = self.time {
            limits.time = parse_duration(&time).ok_or_else(|| {
                format!("limits.time: a duration such as `500ms`, `15s` or `1m30s` expected, got `{time}`")
            })?;
            if limits.time.is_zero() || limits.time > ceiling.time {
                return Err(format!(
                    "limits.time: more than 0 and at most {:?} expected, got `{time}`",
                    ceiling.time
                ));
            }
        }
        if let Some(fuel) = self.fuel {
            if fuel == 0 || fuel > ceiling.fuel {
                return Err(format!("limits.fuel: 1 to {} expected, got {fuel}", ceiling.fuel));
            }
            limits.fuel = fuel;
        }
        if let Some(memory) = self.memory {
            limits.memory_bytes = parse_size(&memory).ok_or_else(|| {
                format!("limits.memory: a size such as `64MiB`, `512KiB` or a number of bytes expected, got `{memory}`")
            })?;
            if limits.memory_bytes == 0 || limits.memory_bytes > ceiling.memory_bytes {
                let most = ceiling.memory_bytes / MIB;
                return Err(format!(
                    "limits.memory: more than 0 and at most {most}MiB expected, got `{memory}`"
                ));
            }
        }
        Ok(limits)
    }
}
