//! Settings of the document.

use super::Batch;
use crate::comments::root_namespace;
use crate::error::{Error, Result};
use crate::xml::{Tree, W_URI};

const SETTINGS_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml";

impl Batch<'_> {
    /// Returns the settings, in which the prefix `w` is usable. A document without the part gets one.
    pub(super) fn settings(&mut self) -> Result<&mut Tree> {
        let package = &mut self.document.package;
        let main = package.main.clone();
        let uri = root_namespace(package, &main);
        let name = match package.related("settings")?.into_iter().next() {
            Some(name) => name,
            None => {
                let folder = package.folder().to_owned();
                let name = format!("{folder}settings.xml");
                let xml = format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:settings xmlns:w=\"{uri}\"></w:settings>"
                );
                package.add_xml(&name, &xml, SETTINGS_TYPE)?;
                package.relate(&main, "settings", "settings.xml", false)?;
                name
            }
        };
        let tree = package
            .tree(&name)?
            .ok_or_else(|| Error::Malformed(format!("the part `{name}` is missing")))?;
        let is_other = tree.root().is_some_and(|root| tree.prefix(root) != "w");
        if is_other {
            let uri = if uri.contains("wordprocessingml") { uri } else { W_URI.to_owned() };
            tree.declare("w", &uri).map_err(Error::Unsupported)?;
        }
        Ok(tree)
    }
}
