//! Which skills were approved, and for what. An approval is of a digest over everything of a skill that runs: if any of it changes,
//! the skill has to be approved again.
//!
//! Bundled skills need no approval, and neither do skills with nothing that needs one: no grants and no Python files; `log`
//! alone needs none, since it only writes to the session's own journal. An approval can also say that the skill takes the place
//! of the one that has its name. Decides nothing: the registry asks.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind as IoKind, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Skill, SkillSource};
use crate::capability::Capability;
use mitt_base::scratch::{self, Scratch};
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// The format of the file that this version writes. In format 1 an approval was of the component alone, whatever ran beside
/// it: such an approval counts for nothing any more.
const SCHEMA: u32 = 2;

/// Versions of one skill that stay approved beside each other.
const MAX_VERSIONS: usize = 16;

/// What an approval calls the Python files of a skill: scripts that import them run them with all that the script may.
const HELPERS: &str = "Python files in scripts";

/// Approvals, as a file keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustStore {
    /// By skill: several versions of it can be in use, for different tenants.
    approvals: BTreeMap<String, Vec<Approval>>,
}

/// What a version of a skill was approved for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// BLAKE3 of everything that runs, as [`Skill::digest`] gives it, in hexadecimal digits.
    pub blake3: String,
    /// The grants with their bounds, and what else needs an approval.
    pub grants: Vec<String>,
    /// Whether it takes the place of the bundled or approved skill of its name.
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

/// Why a skill's grants do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unapproved {
    pub(super) grants: Vec<String>,
    /// Whether another version of it was approved.
    pub(super) changed: bool,
}

impl TrustStore {
    /// Read the approvals of a file. Without the file there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the file cannot be read, is no such file, or others than its owner may write to it.
    pub fn read(path: &Path) -> Result<TrustStore> {
        const AGAIN: &str =
            "repair or remove the file; skills must then be approved again with `mitt skill trust`";
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
            Err(error) => return Err(refused("cannot read").hint(AGAIN).caused_by(error)),
        };
        let unreadable =
            |error: serde_json::Error| refused("cannot understand").hint(AGAIN).caused_by(error);
        let format: Format = serde_json::from_slice(&text).map_err(unreadable)?;
        // Names from format 1 are kept. Their digests match nothing today, so that their skills are reported as changed.
        if !(1..=SCHEMA).contains(&format.schema) {
            return Err(refused("another version of Mitt wrote").hint(AGAIN));
        }
        let wire: Wire = serde_json::from_slice(&text).map_err(unreadable)?;
        Ok(TrustStore { approvals: wire.approvals })
    }

    /// Write the approvals to a file, all or nothing. Its folder is made where it is missing.
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
            // The file must be whole after a power failure too: nobody likes to approve everything again.
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(|error| {
            let message = format!("cannot write the approvals {}", path.display());
            Error::new(ErrorKind::Host, message).caused_by(error)
        })
    }

    /// Whether what is of `skill` counts only with an approval.
    pub fn is_needed(skill: &Skill) -> bool {
        *skill.source() != SkillSource::Bundled && !wanted(skill).is_empty()
    }

    /// Approve `skill`, as it is now, for all that needs an approval. Whether it replaces another stays as it was.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - its component cannot be read.
    pub fn approve(&mut self, skill: &Skill) -> Result<Approval> {
        let replaces = self.replaces(skill);
        self.add(skill, replaces)
    }

    /// As [`TrustStore::approve`], and let it take the place of the bundled or approved skill of its name.
    ///
    /// # Errors
    ///
    /// Same as [`TrustStore::approve`].
    pub fn approve_replacement(&mut self, skill: &Skill) -> Result<Approval> {
        self.add(skill, true)
    }

    fn add(&mut self, skill: &Skill, replaces: bool) -> Result<Approval> {
        let approval = Approval { blake3: skill.digest()?, grants: wanted(skill), replaces };
        let name = skill.manifest().name.clone();
        let approvals = self.approvals.entry(name).or_default();
        approvals.retain(|other| other.blake3 != approval.blake3);
        approvals.push(approval.clone());
        // The oldest versions are long gone.
        approvals.drain(..approvals.len().saturating_sub(MAX_VERSIONS));
        Ok(approval)
    }

    /// Take all approvals of a skill back. Whether there were any.
    pub fn revoke(&mut self, name: &str) -> bool {
        self.approvals.remove(name).is_some()
    }

    /// The versions of the skill `name` that were approved, and for what.
    pub fn approvals(&self, name: &str) -> &[Approval] {
        self.approvals.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether this version of `skill` was approved to take the place of another.
    pub(super) fn replaces(&self, skill: &Skill) -> bool {
        self.of(skill).is_some_and(|approval| approval.replaces)
    }

    /// Whether this version of `skill` was approved, for whatever it is.
    pub(super) fn knows(&self, skill: &Skill) -> bool {
        self.of(skill).is_some() && self.refuses(skill).is_none()
    }

    fn of(&self, skill: &Skill) -> Option<&Approval> {
        let approvals = self.approvals(&skill.manifest().name);
        if approvals.is_empty() {
            return None;
        }
        // A skill that cannot be read is not an approved one; loading it says why.
        let digest = skill.digest().ok()?;
        approvals.iter().find(|approval| approval.blake3 == digest)
    }

    /// Why what is of `skill` does not count; none if it does.
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
    /// BLAKE3 of everything of it that runs, in hexadecimal digits: what an approval binds to. That is its component as stored,
    /// its Python files, and what `skill.yaml` says beyond words for people: how its tools are called and within which bounds,
    /// what it reads, runs and depends on. The grants are compared by themselves: fewer need no new approval.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::component`].
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

/// What `skill.yaml` says beyond words for people and grants, as JSON. A key that is new is among it.
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

/// What of a skill needs an approval.
fn wanted(skill: &Skill) -> Vec<String> {
    // The log, and tables that a plugin is given anyway, need no approval.
    let needs_one = |grant: &&Capability| !matches!(grant, Capability::Log | Capability::Tables);
    let grants = skill.manifest().grants.iter().filter(needs_one);
    // With their bounds: wider ones have to be approved again.
    let manifest = skill.manifest();
    let mut names: Vec<String> = grants.map(|grant| manifest.bounds.describe(grant)).collect();
    // A skill that reads every document, or runs every script, has power even without a grant.
    names.extend(
        manifest.reader().iter().map(|it| format!("reading {} files", it.extensions.join(" "))),
    );
    names.extend(manifest.script().iter().map(|it| format!("running {} scripts", it.language)));
    // They run inside of scripts, which may read every document and call every tool.
    if !skill.helpers().files().is_empty() {
        names.push(HELPERS.to_owned());
    }
    names
}

/// The bytes of a file that nobody but its owner may write to.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    plain_file::check_own(&file)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok(text)
}
