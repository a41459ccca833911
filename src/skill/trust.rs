//! Which grants a component was approved for: by its hash, so that another component has to be approved again.
//!
//! Bundled skills need no approval, and neither do skills without grants; `log` alone needs none, since it only writes to
//! the session's own journal. Decides nothing: the registry asks.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind as IoKind, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Skill, SkillSource};
use crate::capability::Capability;
use crate::scratch::{self, Scratch};
use crate::{Error, ErrorKind, Result};

/// The format of the file that this version reads and writes.
const SCHEMA: u32 = 1;

/// Components of one skill that stay approved beside each other.
const MAX_COMPONENTS: usize = 16;

/// Approvals, as a file keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustStore {
    /// By skill: several versions of it can be in use, for different tenants.
    approvals: BTreeMap<String, Vec<Approval>>,
}

/// What a component was approved for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// BLAKE3 of the component as stored, in hexadecimal digits.
    pub blake3: String,
    /// The grants with their bounds.
    pub grants: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    approvals: BTreeMap<String, Vec<Approval>>,
}

/// Why a skill's grants do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unapproved {
    pub(super) grants: Vec<String>,
    /// Whether another component of this name was approved.
    pub(super) changed: bool,
}

impl TrustStore {
    /// Read the approvals of a file. Without the file there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the file cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<TrustStore> {
        let refused = |what: &str| {
            Error::new(ErrorKind::Load, format!("{what} the approvals {}", path.display()))
                .hint("repair or remove the file; skills must then be approved again with `mitt skill trust`")
        };
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == IoKind::NotFound => return Ok(TrustStore::default()),
            Err(error) => return Err(refused("cannot read").caused_by(error)),
        };
        let wire: Wire = serde_json::from_slice(&text)
            .map_err(|error| refused("cannot understand").caused_by(error))?;
        if wire.schema != SCHEMA {
            return Err(refused("another version of Mitt wrote"));
        }
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
            // Nobody approves twice with pleasure: whole after a power failure too.
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(|error| {
            let message = format!("cannot write the approvals {}", path.display());
            Error::new(ErrorKind::Host, message).caused_by(error)
        })
    }

    /// Whether the grants of `skill` count only with an approval.
    pub fn is_needed(skill: &Skill) -> bool {
        *skill.source() != SkillSource::Bundled && !grants(skill).is_empty()
    }

    /// Approve the component of `skill`, as it is now, for all grants of its manifest.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - its component cannot be read.
    pub fn approve(&mut self, skill: &Skill) -> Result<Approval> {
        let approval =
            Approval { blake3: skill.component_hash()?.to_string(), grants: grants(skill) };
        let name = skill.manifest().name.clone();
        let approvals = self.approvals.entry(name).or_default();
        approvals.retain(|other| other.blake3 != approval.blake3);
        approvals.push(approval.clone());
        // The oldest components are long gone.
        approvals.drain(..approvals.len().saturating_sub(MAX_COMPONENTS));
        Ok(approval)
    }

    /// Take all approvals of a skill back. Whether there were any.
    pub fn revoke(&mut self, name: &str) -> bool {
        self.approvals.remove(name).is_some()
    }

    /// The components of the skill `name` that were approved, and for what.
    pub fn approvals(&self, name: &str) -> &[Approval] {
        self.approvals.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Why the grants of `skill` do not count; none if they do.
    pub(super) fn refuses(&self, skill: &Skill) -> Option<Unapproved> {
        let wanted = grants(skill);
        if !TrustStore::is_needed(skill) {
            return None;
        }
        let approvals = self.approvals(&skill.manifest().name);
        // A component that cannot be read is another one; loading it says why.
        let hash = skill.component_hash().map(|hash| hash.to_string()).unwrap_or_default();
        let approval = approvals.iter().find(|approval| approval.blake3 == hash);
        let approved = approval.map(|approval| &approval.grants[..]);
        let missing = |grant: &String| !approved.unwrap_or_default().contains(grant);
        let grants: Vec<String> = wanted.into_iter().filter(missing).collect();
        let changed = approval.is_none() && !approvals.is_empty();
        (!grants.is_empty()).then_some(Unapproved { grants, changed })
    }
}

/// The grants that need an approval.
fn grants(skill: &Skill) -> Vec<String> {
    let grants = skill.manifest().grants.iter().filter(|grant| **grant != Capability::Log);
    // With their bounds: wider ones have to be approved again.
    let manifest = skill.manifest();
    let mut names: Vec<String> = grants.map(|grant| manifest.bounds.describe(*grant)).collect();
    // Who reads every document, or runs every script, has much in hand without a grant.
    names.extend(
        manifest.reader.iter().map(|it| format!("reading {} files", it.extensions.join(" "))),
    );
    names.extend(manifest.script.iter().map(|it| format!("running {} scripts", it.language)));
    names
}
