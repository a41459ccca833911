//! Approvals of skills. An approval is bound to a digest of everything in a skill that runs: if any of it changes, the skill must
//! be approved again.
//!
//! Bundled skills need no approval. Neither do skills without grants and Python files; the grant `log` alone needs none, since it
//! only writes to the session's own journal. An approval can also state that the skill replaces the one of the same name. Decides
//! nothing: the registry asks.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind as IoKind, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::scripts::HelpersInternal as _;
use super::{Skill, SkillSource};
use crate::capability::Capability;
use mitt_base::scratch::{self, Scratch};
use mitt_base::{Error, ErrorKind, Remedy, Result, plain_file};

/// Format that this version writes. In format 1, an approval covered only the component and nothing else that runs; such
/// approvals no longer count.
const SCHEMA: u32 = 2;

/// Most versions of one skill that stay approved at the same time.
const MAX_VERSIONS: usize = 16;

/// Permission for the Python files of a skill: a script that imports them runs them with all its rights.
const HELPERS: &str = "Python files in scripts";
/// Entry of an approval for the JavaScript and TypeScript files that scripts import.
const JAVASCRIPT: &str = "JavaScript files in scripts";

/// Approvals as stored in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustStore {
    /// By skill: several versions can be in use, for different tenants.
    approvals: BTreeMap<String, Vec<Approval>>,
}

/// Approval of one version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// BLAKE3 hash of everything that runs, from [`Skill::digest`], in hexadecimal digits.
    pub blake3: String,
    /// Grants with their bounds, and other permissions that need an approval.
    pub grants: Vec<String>,
    /// `true` if it replaces the bundled or approved skill of the same name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaces: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    approvals: BTreeMap<String, Vec<Approval>>,
}

/// The format alone, to tell an old file from a damaged one.
#[derive(Deserialize)]
struct Format {
    schema: u32,
}

/// Reason why a skill's grants do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unapproved {
    pub(super) grants: Vec<String>,
    /// `true` if another version of it was approved.
    pub(super) changed: bool,
}

impl TrustStore {
    /// Reads approvals from a file; empty if there is no file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the file cannot be read, is invalid, or others than its owner may write to it.
    pub fn read(path: &Path) -> Result<TrustStore> {
        let refused = |what: &str| {
            Error::new(ErrorKind::Load, format!("{what} the approvals {}", path.display()))
        };
        let text = match read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == IoKind::NotFound => return Ok(TrustStore::default()),
            Err(error) if error.kind() == IoKind::PermissionDenied => {
                return Err(refused("cannot believe")
                    .hint("make it a file of your own that nobody else may write to")
                    .caused_by(error));
            }
            Err(error) => {
                return Err(refused("cannot read").remedy(Remedy::TrustAgain).caused_by(error));
            }
        };
        let unreadable = |error: serde_json::Error| {
            refused("cannot understand").remedy(Remedy::TrustAgain).caused_by(error)
        };
        let format: Format = serde_json::from_slice(&text).map_err(unreadable)?;
        // Names from format 1 are kept. Their digests match nothing today, so their skills are reported as changed.
        if !(1..=SCHEMA).contains(&format.schema) {
            return Err(refused("another version of Mitt wrote").remedy(Remedy::TrustAgain));
        }
        let wire: Wire = serde_json::from_slice(&text).map_err(unreadable)?;
        Ok(TrustStore { approvals: wire.approvals })
    }

    /// Writes the approvals to a file, all or nothing. A missing folder is created.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let wire = Wire { schema: SCHEMA, approvals: self.approvals.clone() };
        let folder = path.parent().unwrap_or(Path::new(""));
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(folder)?;
            scratch::sweep(folder);
            let scratch = Scratch::new(folder)?;
            let mut file = scratch.file()?;
            serde_json::to_writer_pretty(&mut file, &wire)?;
            file.write_all(b"\n")?;
            // Synced, so that a power failure does not lose all approvals.
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(|error| {
            let message = format!("cannot write the approvals {}", path.display());
            Error::new(ErrorKind::Host, message).caused_by(error)
        })
    }

    /// Returns whether `skill` needs an approval.
    pub fn is_needed(skill: &Skill) -> bool {
        *skill.source() != SkillSource::Bundled && !wanted(skill).is_empty()
    }

    /// Approves `skill` in its current state, for all that needs an approval. Whether it replaces another one does not change.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - its component cannot be read.
    pub fn approve(&mut self, skill: &Skill) -> Result<Approval> {
        let replaces = self.replaces(skill);
        self.add(skill, replaces)
    }

    /// Like [`TrustStore::approve`], and lets it replace the bundled or approved skill of the same name.
    ///
    /// # Errors
    ///
    /// Those of [`TrustStore::approve`].
    pub fn approve_replacement(&mut self, skill: &Skill) -> Result<Approval> {
        self.add(skill, true)
    }

    fn add(&mut self, skill: &Skill, replaces: bool) -> Result<Approval> {
        let approval = Approval { blake3: skill.digest()?, grants: wanted(skill), replaces };
        let name = skill.manifest().name.clone();
        let approvals = self.approvals.entry(name).or_default();
        approvals.retain(|other| other.blake3 != approval.blake3);
        approvals.push(approval.clone());
        // The oldest approvals are dropped.
        approvals.drain(..approvals.len().saturating_sub(MAX_VERSIONS));
        Ok(approval)
    }

    /// Removes all approvals of a skill. Returns whether there were any.
    pub fn revoke(&mut self, name: &str) -> bool {
        self.approvals.remove(name).is_some()
    }

    /// Returns the approved versions of the skill `name`.
    pub fn approvals(&self, name: &str) -> &[Approval] {
        self.approvals.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns whether this version of `skill` was approved as a replacement.
    pub(super) fn replaces(&self, skill: &Skill) -> bool {
        self.of(skill).is_some_and(|approval| approval.replaces)
    }

    /// Returns whether this version of `skill` was approved for all that it needs.
    pub(super) fn knows(&self, skill: &Skill) -> bool {
        self.of(skill).is_some() && self.refuses(skill).is_none()
    }

    fn of(&self, skill: &Skill) -> Option<&Approval> {
        let approvals = self.approvals(&skill.manifest().name);
        if approvals.is_empty() {
            return None;
        }
        // A skill that cannot be read is not approved; loading it reports the error.
        let digest = skill.digest().ok()?;
        approvals.iter().find(|approval| approval.blake3 == digest)
    }

    /// Returns why the grants of `skill` do not count; `None` if they do.
    pub(super) fn refuses(&self, skill: &Skill) -> Option<Unapproved> {
        if !TrustStore::is_needed(skill) {
            return None;
        }
        let approval = self.of(skill);
        let approved = approval.map(|approval| &approval.grants[..]).unwrap_or_default();
        let grants: Vec<String> =
            wanted(skill).into_iter().filter(|grant| !approved.contains(grant)).collect();
        let changed = approval.is_none() && !self.approvals(&skill.manifest().name).is_empty();
        (!grants.is_empty()).then_some(Unapproved { grants, changed })
    }
}

impl Skill {
    /// Returns the BLAKE3 hash of everything in it that runs, in hexadecimal digits, which an approval is bound to. It covers the
    /// stored component, the Python files, and all of `skill.yaml` but texts for people: how its tools are called and within
    /// which bounds, what it reads, runs and depends on. Grants are compared separately: fewer need no new approval.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::component`].
    pub fn digest(&self) -> Result<String> {
        let mut hasher = blake3::Hasher::new_derive_key("mitt 2026 what a skill runs");
        match self.manifest().component() {
            Some(_) => hasher.update(&[1]).update(self.component_hash()?.as_bytes()),
            None => hasher.update(&[0]),
        };
        hasher.update(self.helpers().hash().as_bytes());
        hasher.update(rules(self.manifest_text())?.as_bytes());
        if !self.contracts_text().is_empty() {
            hasher.update(&[2]).update(self.contracts_text().as_bytes());
        }
        Ok(hasher.finalize().to_hex().to_string())
    }
}

/// Returns `skill.yaml` without texts for people and grants, as JSON. It includes keys that are added in the future.
fn rules(manifest: &str) -> Result<String> {
    const OTHER: [&str; 7] =
        ["schema", "name", "version", "description", "tags", "enabled", "grants"];

    if manifest.is_empty() {
        return Ok(String::new());
    }
    let mut rules: serde_json::Map<String, serde_json::Value> = serde_saphyr::from_str(manifest)
        .map_err(|error| {
            Error::new(ErrorKind::Load, format!("skill.yaml: {}", error.without_snippet()))
        })?;
    rules.retain(|key, _| !OTHER.contains(&key.as_str()));
    Ok(serde_json::Value::Object(rules).to_string())
}

/// Returns everything in a skill that needs an approval.
fn wanted(skill: &Skill) -> Vec<String> {
    // The log, and tables that a plugin is given anyway, need no approval.
    let needs_one = |grant: &&Capability| !matches!(grant, Capability::Log | Capability::Tables);
    let grants = skill.manifest().grants.iter().filter(needs_one);
    // Includes their bounds, because wider ones must be approved again.
    let manifest = skill.manifest();
    let mut names: Vec<String> = grants.map(|grant| manifest.bounds.describe(grant)).collect();
    // A skill that reads every document or runs every script has power even without a grant.
    names.extend(
        manifest.reader().iter().map(|it| format!("reading {} files", it.extensions.join(" "))),
    );
    names.extend(manifest.script().iter().map(|it| format!("running {} scripts", it.language)));
    // They run inside of scripts, which may read every document and call every tool.
    if !skill.helpers().files().is_empty() {
        names.push(HELPERS.to_owned());
    }
    if !skill.helpers().javascript().is_empty() {
        names.push(JAVASCRIPT.to_owned());
    }
    names
}

/// Reads a file that only its owner may write to.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    plain_file::check_own(&file)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok(text)
}
