//! Delivery of workspace files as artifacts: to the user who runs a script, they are what it wrote.
//!
//! The workspace ends with its session. Only the owner of the session can deliver its files; plugins and scripts cannot.

use super::super::call_id::CallId;
use super::stage::Staged;
use super::state::Delivery;
use crate::check::Check;
use mitt_base::{Error, ErrorKind, Result};
use mitt_render::LeftOut;
use mitt_skill::capability::{Artifact, Contents, ContentsInternal as _, Deliverable};

impl Delivery {
    /// Delivers the text files of the workspace as artifacts of the same names. Returns the result for each file of the
    /// workspace.
    ///
    /// # Errors
    ///
    /// Those of [`Session::deliver_workspace`](crate::Session::deliver_workspace).
    pub(in crate::session) fn deliver_workspace(&self) -> Vec<(String, Result<Artifact>)> {
        let names = self.content.workspace(|workspace| workspace.list());
        let delivered = |name: &str| self.deliver_file(name);
        names
            .into_iter()
            .map(|(name, _)| (delivered(&name), name))
            .map(|(it, name)| (name, it))
            .collect()
    }

    fn deliver_file(&self, given: &str) -> Result<Artifact> {
        let name = given;
        let refused = |problem: String| {
            Error::new(ErrorKind::Plugin, format!("`{name}` is not delivered: {problem}"))
        };
        let format = Deliverable::plain_format(name).ok_or_else(|| {
            let known = Deliverable::plain_extensions();
            let message =
                format!("`{name}` is not delivered: expected a name that ends in {known}");
            Error::new(ErrorKind::Input, message)
                .hint("workbooks and PDF are made by tools: `excel_tool`, `report`")
        })?;
        if self.artifacts.list().iter().any(|artifact| artifact.name == name) {
            return Err(refused("a tool has delivered a file of this name".to_owned()));
        }
        let (name, content, warnings) = self.outgoing(given)?;
        let name = &*name;
        let written = self
            .artifacts
            .write(name, format.media_type, content, Contents::new(None, Vec::new(), &warnings))?
            .map_err(|error| refused(error.text().to_owned()))?;
        let artifact = written.artifact.clone();
        let staged = Staged { call: CallId::NONE, written, warnings };
        self.publish(staged, |event| self.context.emit(event))?;
        Ok(artifact)
    }
}

impl Delivery {
    /// Returns a file of the workspace as it may leave the session: its name, its content and what was changed.
    ///
    /// # Errors
    ///
    /// Those of [`Session::outgoing_workspace_file`](crate::Session::outgoing_workspace_file).
    pub(in crate::session) fn outgoing(
        &self,
        given: &str,
    ) -> Result<(String, Vec<u8>, Vec<String>)> {
        let refused = |problem: String| {
            Error::new(ErrorKind::Plugin, format!("`{given}` is not delivered: {problem}"))
        };
        let name = self.guard.name(given)?;
        let content = self
            .content
            .workspace(|workspace| workspace.read(given))
            .map_err(|error| refused(error.text().to_owned()))?;
        let extension = given.rsplit_once('.').map_or("", |(_, extension)| extension);
        // A file that is not UTF-8 has no text that the guard could check.
        let (content, warnings) = match String::from_utf8(content.to_vec()) {
            Ok(mut text) => {
                let redact = |check: &mut Check| {
                    check.text(&mut text)?;
                    Ok(LeftOut::default())
                };
                let (redacted, _) = self.guard.file(&name, redact)?;
                let memory = self.context.account();
                let extension = extension.to_ascii_lowercase();
                let formulas =
                    self.without_formulas(&mut text, &extension, memory)?.map_err(refused)?;
                (text.into_bytes(), redacted.into_iter().chain(formulas).collect())
            }
            Err(other) => (other.into_bytes(), Vec::new()),
        };
        Ok((name, content, warnings))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Host, SessionOptions};

    #[test]
    fn text_is_delivered_once_and_the_rest_is_told() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("mine.txt"), "precious").unwrap();
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let options =
            SessionOptions { folder: Some(folder.path().into()), ..SessionOptions::default() };
        let session = host.session(options).unwrap();
        for (name, content) in [("a.csv", "x\n"), ("b.bin", "x"), ("mine.txt", "new")] {
            session.inner.content.workspace(|it| it.write(name, content.into())).unwrap();
        }
        let lines: Vec<String> = session
            .deliver_workspace()
            .into_iter()
            .map(|(name, it)| it.map_or_else(|error| error.to_string(), |_| name))
            .collect();
        assert_eq!(lines[0], "a.csv");
        assert_eq!(
            lines[1],
            "`b.bin` is not delivered: expected a name that ends in `.md`, `.txt`, `.csv`, `.json`"
        );
        assert!(
            lines[2].contains("`mine.txt` is not delivered")
                && lines[2].contains("not made by mitt"),
            "{}",
            lines[2]
        );
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("a.csv").as_str(), read("mine.txt").as_str()), ("x\n", "precious"));
        assert!(
            session.journal().iter().any(|it| it["kind"] == "artifact" && it["name"] == "a.csv")
        );
        assert!(session.deliver_workspace()[0].1.is_err(), "it was delivered already");
    }
}
