//! `skill.yaml`: the manifest of a skill.

mod dependency;
mod grant;
mod limits;
mod quantity;
mod role;
mod tool;

use serde::Deserialize;

pub use dependency::{Dependency, VersionRange};
pub(super) use limits::WireLimits;
pub use quantity::{parse_duration, parse_size};
pub use role::{ReaderManifest, Role, ScriptManifest};
pub use tool::ToolManifest;

use grant::WireGrant;
use role::without_component;

use super::name::is_kebab;
use super::plain;
use crate::capability::{Capability, GrantBounds};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result, text};

/// Manifest format that this version reads.
const SCHEMA: u32 = 1;

/// Most entries of `tools`.
const MAX_TOOLS: usize = 1_024;

/// Longest description, in characters: four times the limit of `SKILL.md`.
const MAX_DESCRIPTION_CHARACTERS: usize = 4_096;

/// Checked `skill.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Name in kebab case.
    pub name: String,
    /// Version of the skill, by semantic versioning.
    pub version: String,
    /// Purpose of the skill, one or two sentences.
    pub description: String,
    /// Role: tools, a reader, a script engine, or instructions only.
    pub role: Role,
    /// `true` if the skill is loaded. Default: `true`.
    pub enabled: bool,
    /// Host interfaces that the plugin may import, sorted. The host checks that it provides them when it loads the skill.
    /// Default: none.
    pub grants: Vec<Capability>,
    /// Bounds of the grants. Default: none.
    pub bounds: GrantBounds,
    /// Limits of each call.
    pub limits: CallLimits,
    /// `true` if a session keeps one instance of the plugin with its state; only for Extism plug-ins. Default: `false`, so each
    /// call has an instance of its own.
    pub keeps_state: bool,
    /// Skills that it needs. Default: none.
    pub depends_on: Vec<Dependency>,
    /// Settings for single tools.
    pub tools: Vec<ToolManifest>,
    /// Words by which the skill can be found.
    pub tags: Vec<String>,
}

// Separate from `Manifest`, so that the file format is independent of the crate's types.
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
    grants: Vec<WireGrant>,
    limits: Option<WireLimits>,
    state: Option<State>,
    reader: Option<ReaderManifest>,
    script: Option<ScriptManifest>,
    #[serde(default)]
    depends_on: Vec<Dependency>,
    #[serde(default)]
    tools: Vec<ToolManifest>,
    #[serde(default)]
    tags: Vec<String>,
}

/// How long the state of a plug-in is kept.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Call,
    Session,
}

fn enabled() -> bool {
    true
}

impl Manifest {
    /// JSON Schema 2020-12 of `skill.yaml`, for editors.
    pub const JSON_SCHEMA: &str = include_str!("schema.json");

    /// Returns the manifest of a skill without one, which has only instructions and no component.
    pub(super) fn described(name: &str, description: &str) -> Manifest {
        Manifest {
            name: name.to_owned(),
            version: "0.0.0".to_owned(),
            description: description.to_owned(),
            role: Role::Instructions,
            enabled: true,
            grants: Vec::new(),
            bounds: GrantBounds::default(),
            limits: CallLimits::default(),
            keeps_state: false,
            depends_on: Vec::new(),
            tools: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// Parses a manifest. `place` names the file in errors.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - invalid YAML, an unknown or missing key, or a value out of range.
    pub fn parse(yaml: &str, place: &str) -> Result<Manifest> {
        plain::check_yaml(yaml)
            .map_err(|problem| Error::new(ErrorKind::Load, format!("{place}: {problem}")))?;
        let wire: Wire = serde_saphyr::from_str(yaml).map_err(|error| yaml_error(&error, place))?;
        wire.check().map_err(|problem| Error::new(ErrorKind::Load, format!("{place}: {problem}")))
    }

    /// Reads the manifest of a bundled skill, which a test has compared with its YAML and checked for misleading characters.
    pub(super) fn of_bundled(json: &str, place: &str) -> Result<Manifest> {
        let wire = serde_json::from_str::<Wire>(json).map_err(|error| error.to_string());
        wire.and_then(Wire::check)
            .map_err(|problem| Error::new(ErrorKind::Load, format!("{place}: {problem}")))
    }

    /// Returns the file name of the component, `.wasm` or `.wasm.zst`; `None` for a skill with only instructions.
    pub fn component(&self) -> Option<&str> {
        match &self.role {
            Role::Tools { component }
            | Role::Reader { component, .. }
            | Role::Engine { component, .. } => Some(component),
            Role::Instructions => None,
        }
    }

    /// Returns what its plugin reads, if it is a reader.
    pub fn reader(&self) -> Option<&ReaderManifest> {
        match &self.role {
            Role::Reader { reads, .. } => Some(reads),
            Role::Tools { .. } | Role::Engine { .. } | Role::Instructions => None,
        }
    }

    /// Returns what its plugin runs, if it is a script engine.
    pub fn script(&self) -> Option<&ScriptManifest> {
        match &self.role {
            Role::Engine { runs, .. } => Some(runs),
            Role::Tools { .. } | Role::Reader { .. } | Role::Instructions => None,
        }
    }

    /// Returns settings of single tools that have no effect, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let of = |tool: &ToolManifest| {
            let warnings = tool.policy.warnings(&self.limits).into_iter();
            warnings.map(|warning| format!("tools: {}: {warning}", tool.name)).collect::<Vec<_>>()
        };
        self.tools.iter().flat_map(of).collect()
    }
}

/// Converts an error of the YAML reader. For an unknown key, it suggests the nearest one.
pub(super) fn yaml_error(error: &serde_saphyr::Error, place: &str) -> Error {
    // The snippet that wraps an error shows the place, but only in terminals.
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
    fn check(self) -> Result<Manifest, String> {
        self.check_identity()?;
        check_names(&self.depends_on, &self.tools)?;
        if self.component.is_none() {
            self.check_described()?;
        }
        let (grants, bounds) = granted(self.grants)?;
        let role = Role::new(self.component, self.reader, self.script, &self.tools)?;
        let limits = match self.limits {
            Some(limits) => limits.over(role.limits())?,
            None => role.limits(),
        };
        Ok(Manifest {
            name: self.name,
            version: self.version,
            description: self.description,
            role,
            enabled: self.enabled,
            grants,
            bounds,
            limits,
            keeps_state: matches!(self.state, Some(State::Session)),
            depends_on: self.depends_on,
            tools: self.tools,
            tags: self.tags,
        })
    }

    /// Checks the format of name, version and description.
    fn check_identity(&self) -> Result<(), String> {
        if self.schema != SCHEMA {
            return Err(format!("schema: expected {SCHEMA}, got {}", self.schema));
        }
        if !is_kebab(&self.name)
            || self.name.len() > 64
            || self.name.chars().any(|c| c.is_ascii_uppercase())
        {
            return Err(format!(
                "name: expected lower-case words joined by `-`, got `{}`",
                self.name
            ));
        }
        if semver::Version::parse(&self.version).is_err() {
            return Err(format!("version: expected `major.minor.patch`, got `{}`", self.version));
        }
        let characters = self.description.chars().count();
        if characters > MAX_DESCRIPTION_CHARACTERS {
            return Err(format!(
                "description: expected at most {MAX_DESCRIPTION_CHARACTERS} characters, got {characters}; write the rest to SKILL.md"
            ));
        }
        if self.description.trim().is_empty() {
            return Err("description: expected one or two sentences, got nothing".to_owned());
        }
        Ok(())
    }

    /// Refuses keys that need a component. [`Role::new`] checks the others.
    fn check_described(&self) -> Result<(), String> {
        let keys = [
            ("grants", !self.grants.is_empty()),
            ("limits", self.limits.is_some()),
            ("state", self.state.is_some()),
        ];
        match keys.iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(without_component(key)),
            None => Ok(()),
        }
    }
}

/// Returns the capabilities and their bounds.
fn granted(grants: Vec<WireGrant>) -> Result<(Vec<Capability>, GrantBounds), String> {
    let (mut capabilities, mut bounds) = (Vec::new(), GrantBounds::default());
    for grant in grants {
        if capabilities.contains(&grant.capability) {
            return Err(format!("grants: `{}` is named twice", grant.capability.name()));
        }
        capabilities.push(grant.capability.clone());
        grant.add_to(&mut bounds);
    }
    capabilities.sort();
    Ok((capabilities, bounds))
}

/// Refuses duplicate names and lists that are too long.
fn check_names(depends_on: &[Dependency], tools: &[ToolManifest]) -> Result<(), String> {
    for (index, dependency) in depends_on.iter().enumerate() {
        if !is_kebab(&dependency.name) {
            return Err(format!("depends_on: no skill can be named `{}`", dependency.name));
        }
        if depends_on[..index].iter().any(|other| other.name == dependency.name) {
            return Err(format!("depends_on: `{}` is named twice", dependency.name));
        }
    }
    if tools.len() > MAX_TOOLS {
        return Err(format!("tools: expected at most {MAX_TOOLS} entries, got {}", tools.len()));
    }
    for (index, tool) in tools.iter().enumerate() {
        if tools[..index].iter().any(|other| other.name == tool.name) {
            return Err(format!("tools: `{}` is named twice", tool.name));
        }
    }
    Ok(())
}
