//! The workspace of a session for its owner: files that scripts find, and files that they wrote.

use std::sync::Arc;

use super::session::Session;
use mitt_base::{Error, ErrorKind, Result};
use mitt_skill::capability::ServiceError;

/// A file of the workspace as it may leave the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingFile {
    /// Name, which the guard may have changed.
    pub name: String,
    /// Content, in which the guard may have replaced parts of a text.
    pub content: Vec<u8>,
    /// What was changed.
    pub warnings: Vec<String>,
}

impl Session {
    /// Returns the files of the workspace, sorted by name. Contents are shared, not copied; a write makes a new one.
    pub fn workspace_files(&self) -> Vec<(String, Arc<Vec<u8>>)> {
        self.inner.content.workspace(|workspace| {
            let names = workspace.list().into_iter().map(|(name, _)| name);
            names.filter_map(|name| workspace.read(&name).ok().map(|it| (name, it))).collect()
        })
    }

    /// Writes a file of the workspace, where scripts find it by its name. A file of this name is replaced. Returns the
    /// content as
    /// [`Session::workspace_files`] does.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the name is not a plain file name. [`ErrorKind::Plugin`] - the workspace is full; the message
    /// names the limit.
    pub fn write_workspace_file(&self, name: &str, content: Vec<u8>) -> Result<Arc<Vec<u8>>> {
        self.inner
            .content
            .workspace(|workspace| {
                workspace.write(name, content)?;
                workspace.read(name)
            })
            .map_err(|error| failed(&error))
    }

    /// Removes a file of the workspace.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such file.
    pub fn remove_workspace_file(&self, name: &str) -> Result<()> {
        self.inner
            .content
            .workspace(|workspace| workspace.remove(name))
            .map_err(|error| failed(&error))
    }

    /// Returns a file of the workspace as it may leave the session, with any extension: texts have passed the guard, and
    /// fields of CSV files that a spreadsheet would calculate are handled as in delivered files. Nothing is delivered.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - the guard blocks it. [`ErrorKind::Plugin`] - there is no such file, or it has fields that
    /// are refused.
    pub fn outgoing_workspace_file(&self, name: &str) -> Result<OutgoingFile> {
        let (name, content, warnings) = self.inner.delivery.outgoing(name)?;
        Ok(OutgoingFile { name, content, warnings })
    }
}

fn failed(error: &ServiceError) -> Error {
    let kind = match error {
        ServiceError::InvalidArgument(_) | ServiceError::NotFound(_) => ErrorKind::Input,
        _ => ErrorKind::Plugin,
    };
    Error::new(kind, error.text())
}

#[cfg(test)]
mod tests {
    use crate::{Host, SessionOptions};
    use mitt_base::ErrorKind;

    #[test]
    fn files_go_in_and_come_out_with_any_extension() {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let written = session.write_workspace_file("a.bin", vec![0xff, 0]).unwrap();
        let files = session.workspace_files();
        assert!(files[0].0 == "a.bin" && std::sync::Arc::ptr_eq(&files[0].1, &written));
        let file = session.outgoing_workspace_file("a.bin").unwrap();
        assert_eq!((file.name.as_str(), file.content.as_slice()), ("a.bin", &[0xff, 0][..]));
        assert!(session.artifacts().is_empty(), "nothing is delivered");
        let kind = |error: mitt_base::Error| error.kind().clone();
        assert_eq!(
            kind(session.write_workspace_file("../a", Vec::new()).unwrap_err()),
            ErrorKind::Input
        );
        let large = vec![0; 65 << 20];
        let error = session.write_workspace_file("b", large).unwrap_err();
        assert!(error.to_string().contains("workspace limit"), "{error}");
        assert_eq!(kind(error), ErrorKind::Plugin);
        session.remove_workspace_file("a.bin").unwrap();
        assert_eq!(kind(session.remove_workspace_file("a.bin").unwrap_err()), ErrorKind::Input);
        assert_eq!(kind(session.outgoing_workspace_file("a.bin").unwrap_err()), ErrorKind::Plugin);
    }
}
