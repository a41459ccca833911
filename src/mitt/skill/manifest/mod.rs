//! `skill.yaml`: what the host is told about a skill.

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

/// The manifest format that this version reads.
const SCHEMA: u32 = 1;

/// Most entries of `tools`.
const MAX_TOOLS: usize = 1_024;

/// Longest description, in characters: four times what `SKILL.md` allows.
const MAX_DESCRIPTION_CHARACTERS: usize = 4_096;

/// A checked `skill.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Name in kebab case.
    pub name: String,
    /// Version of the skill, by semantic versioning.
    pub version: String,
    /// What the skill is for, one or two sentences.
    pub description: String,
    /// What it is: tools, a reader, an engine of scripts, or instructions alone.
    pub role: Role,
    /// Whether the skill is loaded. Default `true`.
    pub enabled: bool,
    /// Host interfaces that the plugin may import, sorted. Whether a host has them all, it says when it loads the skill. Default
    /// none.
    pub grants: Vec<Capability>,
    /// How far the grants go. Default no further bounds.
    pub bounds: GrantBounds,
    /// Limits of each call.
    pub limits: CallLimits,
    /// Whether an instance of its plugin is kept for the calls of a session, with the variables in it; only of plug-ins of Extism.
    /// Default `false`: each call has an instance of its own.
    pub keeps_state: bool,
    /// The skills that it needs. Default none.
    pub depends_on: Vec<Dependency>,
    /// What is said of single tools.
    pub tools: Vec<ToolManifest>,
    /// Words to find the skill by.
    pub tags: Vec<String>,
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

/// For how long what a plug-in remembers is kept.
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
    /// The JSON Schema 2020-12 of `skill.yaml`, for editors.
    pub const JSON_SCHEMA: &str = include_str!("schema.json");

    /// The manifest of a skill that has none: it only describes, and has no component.
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

    /// Read a manifest. `place` names the file in errors.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - not YAML, an unknown or missing key, or a value out of range.
    pub fn parse(yaml: &str, place: &str) -> Result<Manifest> {
        plain::check_yaml(yaml)
            .map_err(|problem| Error::new(ErrorKind::Load, format!("{place}: {problem}")))?;
        let wire: Wire = serde_saphyr::from_str(yaml).map_err(|error| yaml_error(&error, place))?;
        wire.check().map_err(|problem| Error::new(ErrorKind::Load, format!("{place}: {problem}")))
    }

    /// File name of the component, `.wasm` or `.wasm.zst`. None of a skill that only describes, and so has no tools.
    pub fn component(&self) -> Option<&str> {
        match &self.role {
            Role::Tools { component }
            | Role::Reader { component, .. }
            | Role::Engine { component, .. } => Some(component),
            Role::Instructions => None,
        }
    }

    /// What its plugin reads, if it reads files instead of offering tools.
    pub fn reader(&self) -> Option<&ReaderManifest> {
        match &self.role {
            Role::Reader { reads, .. } => Some(reads),
            Role::Tools { .. } | Role::Engine { .. } | Role::Instructions => None,
        }
    }

    /// What its plugin runs, if it runs scripts.
    pub fn script(&self) -> Option<&ScriptManifest> {
        match &self.role {
            Role::Engine { runs, .. } => Some(runs),
            Role::Tools { .. } | Role::Reader { .. } | Role::Instructions => None,
        }
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
pub(super) fn yaml_error(error: &serde_saphyr::Error, place: &str) -> Error {
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

    /// Whether it says in the right form what the skill is called and for.
    fn check_identity(&self) -> Result<(), String> {
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
        let characters = self.description.chars().count();
        if characters > MAX_DESCRIPTION_CHARACTERS {
            return Err(format!(
                "description: at most {MAX_DESCRIPTION_CHARACTERS} characters expected, got {characters}; write the rest to SKILL.md"
            ));
        }
        if self.description.trim().is_empty() {
            return Err("description: one or two sentences expected, got nothing".to_owned());
        }
        Ok(())
    }

    /// Refuse what only a component can have. What it can be besides is for [`Role::new`] to see.
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

/// The capabilities and how far they go.
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

/// Refuse lists in which something is named twice, or that are too long.
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
        return Err(format!("tools: at most {MAX_TOOLS} entries expected, got {}", tools.len()));
    }
    for (index, tool) in tools.iter().enumerate() {
        if tools[..index].iter().any(|other| other.name == tool.name) {
            return Err(format!("tools: `{}` is named twice", tool.name));
        }
    }
    Ok(())
}
