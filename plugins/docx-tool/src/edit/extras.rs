//! Properties of the document.

use super::{Batch, Done};
use crate::error::{Error, Result, invalid};
use crate::xml::{DOCUMENT, escape};

const CORE_TYPE: &str = "application/vnd.openxmlformats-package.core-properties+xml";
const CORE_RELATION: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
const CORE_URI: &str = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties";
const DC_URI: &str = "http://purl.org/dc/elements/1.1/";

/// Names of properties with their elements and namespaces.
const PROPERTIES: &[(&str, &str, &str, &str)] = &[
    ("title", "dc", "title", DC_URI),
    ("subject", "dc", "subject", DC_URI),
    ("author", "dc", "creator", DC_URI),
    ("creator", "dc", "creator", DC_URI),
    ("comments", "dc", "description", DC_URI),
    ("description", "dc", "description", DC_URI),
    ("language", "dc", "language", DC_URI),
    ("keywords", "cp", "keywords", CORE_URI),
    ("category", "cp", "category", CORE_URI),
    ("status", "cp", "contentStatus", CORE_URI),
    ("last-modified-by", "cp", "lastModifiedBy", CORE_URI),
    ("version", "cp", "version", CORE_URI),
];

impl Batch<'_> {
    pub(super) fn set_property(&mut self, name: &str, value: &str) -> Result<Done> {
        let wanted = name.trim().to_lowercase().replace([' ', '_'], "-");
        let Some(&(known, prefix, local, uri)) = PROPERTIES.iter().find(|it| it.0 == wanted) else {
            let names: Vec<String> = PROPERTIES.iter().map(|it| format!("`{}`", it.0)).collect();
            return invalid(format!("expected a property of {}, got `{name}`", names.join(", ")));
        };
        let package = &mut self.document.package;
        let found = package.relations("")?.into_iter().find(|it| it.kind == "core-properties");
        let part = match found {
            Some(relation) => crate::package::resolve("", &relation.target),
            None => {
                let part = "docProps/core.xml";
                let xml = format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<cp:coreProperties xmlns:cp=\"{CORE_URI}\" xmlns:dc=\"{DC_URI}\"></cp:coreProperties>"
                );
                package.add_xml(part, &xml, CORE_TYPE)?;
                package.relate("", CORE_RELATION, part, false)?;
                part.to_owned()
            }
        };
        let tree = package
            .tree(&part)?
            .ok_or_else(|| Error::Malformed(format!("the part `{part}` is missing")))?;
        let root = tree.root().unwrap_or(DOCUMENT);
        let before = match tree.any_child(root, local) {
            Some(found) => {
                let before = tree.text(found);
                tree.set_text(found, value);
                before
            }
            None => {
                let new = tree.element(&format!(
                    "<{prefix}:{local} xmlns:{prefix}=\"{uri}\">{}</{prefix}:{local}>",
                    escape(value)
                ));
                tree.append(root, new);
                String::new()
            }
        };
        Ok(Done { place: format!("property {known}"), before, after: value.to_owned() })
    }
}
