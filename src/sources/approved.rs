//! The approved tools of servers, kept in a file, so that tools are offered as a person has seen them, without asking the
//! server.

use std::collections::BTreeMap;
use std::io::ErrorKind as IoKind;
use std::path::Path;

use mitt_base::{Error, ErrorKind, Result, plain_file, scratch};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::config::Server;
use super::listing::Listing;

/// Largest file, in bytes, with all tools of all servers.
const MAX_BYTES: u64 = 64 << 20;

/// The format that this version reads and writes.
const SCHEMA: u32 = 1;

/// The approved tools of servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Approved {
    servers: BTreeMap<String, ApprovedServer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovedServer {
    /// Digest of the program or the address: another one needs a new approval.
    identity: String,
    tools: Vec<ApprovedTool>,
}

/// A tool in the form that was approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovedTool {
    /// The server's name of the tool.
    pub name: String,
    /// The server's description.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// The server says that the tool changes nothing.
    pub says_read_only: bool,
    /// The server says, or does not deny, that the tool may destroy something.
    pub may_destroy: bool,
    /// Digest of everything that the person was shown.
    pub sha256: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    servers: BTreeMap<String, ApprovedServer>,
}

impl Approved {
    /// Reads approvals from a file. A missing file holds none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the file cannot be read, has another form, or may be written by others than its owner.
    pub fn read(path: &Path) -> Result<Approved> {
        let refused = |what: &str| {
            Error::new(ErrorKind::Load, format!("{what} the approvals {}", path.display()))
                .hint("repair or remove the file; servers must then be approved again")
        };
        let read = plain_file::open_plain(path).and_then(|file| {
            plain_file::check_own(&file)?;
            plain_file::content(file, MAX_BYTES)
        });
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == IoKind::NotFound => return Ok(Approved::default()),
            Err(error) if error.kind() == IoKind::PermissionDenied => {
                let message = format!("cannot believe the approvals {}", path.display());
                return Err(Error::new(ErrorKind::Load, message)
                    .hint("make it a file of your own that nobody else may write to")
                    .caused_by(error));
            }
            Err(error) => return Err(refused("cannot read").caused_by(error)),
        };
        if bytes.len() as u64 > MAX_BYTES {
            return Err(refused("too long are"));
        }
        let wire: Wire = serde_json::from_slice(&bytes)
            .map_err(|error| refused("cannot understand").caused_by(error))?;
        if wire.schema != SCHEMA {
            return Err(refused("another version of Mitt wrote"));
        }
        Ok(Approved { servers: wire.servers })
    }

    /// Writes the approvals to a file, all or nothing. Makes its folder if it is missing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let failed = |error: std::io::Error| {
            let message = format!("cannot write the approvals {}", path.display());
            Error::new(ErrorKind::Host, message).caused_by(error)
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let wire = Wire { schema: SCHEMA, servers: self.servers.clone() };
        let mut text =
            serde_json::to_vec_pretty(&wire).map_err(std::io::Error::other).map_err(failed)?;
        text.push(b'\n');
        std::fs::create_dir_all(folder).map_err(failed)?;
        scratch::write_whole(folder, name, &text).map_err(failed)
    }

    /// Approves what a server offers, and replaces earlier approvals of it.
    pub fn approve(&mut self, server: &Server, listing: &Listing) {
        let tools = listing.tools.iter().map(|tool| ApprovedTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
            says_read_only: tool.says_read_only,
            may_destroy: tool.may_destroy,
            sha256: tool.sha256.clone(),
        });
        let approved = ApprovedServer { identity: server.identity(), tools: tools.collect() };
        self.servers.insert(server.name.clone(), approved);
    }

    /// Revokes the approval of a server. Returns `true` if there was one.
    pub fn revoke(&mut self, server: &str) -> bool {
        self.servers.remove(server).is_some()
    }

    /// Returns the approved tools of a server. `None` if it was not approved, or if its program or address has changed
    /// since.
    pub fn tools(&self, server: &Server) -> Option<&[ApprovedTool]> {
        let approved = self.servers.get(&server.name)?;
        (approved.identity == server.identity()).then_some(&approved.tools)
    }

    /// Returns `true` if a server of this name was approved, perhaps with another program or address.
    pub(crate) fn knows(&self, server: &Server) -> bool {
        self.servers.contains_key(&server.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvals_come_back_and_are_believed_only_from_a_file_of_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep").join("mcp-trust.json");
        assert_eq!(Approved::read(&file).unwrap(), Approved::default());
        let config = r#"{"mcpServers": {"notes": {"command": "notes-server"}}}"#;
        let servers = crate::Servers::parse(config, "mcp.json").unwrap();
        let server = servers.named("notes").unwrap();
        let mut approved = Approved::default();
        approved.approve(server, &Listing::default());
        approved.write(&file).unwrap();
        assert_eq!(Approved::read(&file).unwrap(), approved);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;

            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
            let error = Approved::read(&file).unwrap_err();
            assert!(error.to_string().starts_with("cannot believe the approvals"), "{error}");
        }
        for (text, part) in
            [("{", "cannot understand"), (r#"{"schema":9,"servers":{}}"#, "another version")]
        {
            std::fs::remove_file(&file).unwrap();
            std::fs::write(&file, text).unwrap();
            let error = Approved::read(&file).unwrap_err();
            assert!(error.to_string().starts_with(part), "{error}");
        }
        assert!(approved.revoke("notes") && !approved.revoke("notes"));
    }
}
