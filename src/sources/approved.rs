//! What was approved of servers: kept in a file, so that tools are offered as somebody has seen them, without asking the server.

use std::collections::BTreeMap;
use std::io::ErrorKind as IoKind;
use std::path::Path;

use mitt_base::{Error, ErrorKind, Result, plain_file, scratch};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::config::Server;
use super::listing::Listing;

/// Largest file, in bytes: that of all servers with all of their tools.
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
    /// Of the program or the address: another one has to be approved anew.
    identity: String,
    tools: Vec<ApprovedTool>,
}

/// A tool as it was approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovedTool {
    /// As the server calls it.
    pub name: String,
    /// What it says of itself.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// It says that it changes nothing.
    pub says_read_only: bool,
    /// It says, or does not deny, that it may destroy something.
    pub may_destroy: bool,
    /// Of all that was shown of it.
    pub sha256: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    servers: BTreeMap<String, ApprovedServer>,
}

impl Approved {
    /// Read the approvals of a file. Without the file there are none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it cannot be read, is no such file, or others than its owner may write to it.
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

    /// Write them to a file, all or nothing. Its folder is made where it is missing.
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

    /// Approve what a server offers, in place of what was approved of it before.
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

    /// Take the approval of a server back. Whether there was one.
    pub fn revoke(&mut self, server: &str) -> bool {
        self.servers.remove(server).is_some()
    }

    /// The tools of a server that were approved; none if it was not, or if it is another program or address by now.
    pub fn tools(&self, server: &Server) -> Option<&[ApprovedTool]> {
        let approved = self.servers.get(&server.name)?;
        (approved.identity == server.identity()).then_some(&approved.tools)
    }

    /// Whether something of this name was approved, be it another program or address.
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
