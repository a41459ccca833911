//! Metadata of a workbook, by the names that all readers use.

use mitt_reader_kit::{clean, single_line};

/// Most characters of a property.
const MAX_PROPERTY: usize = 2_000;

/// Metadata of a workbook.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Properties {
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) subject: Option<String>,
    pub(crate) keywords: Option<String>,
    pub(crate) company: Option<String>,
    /// ISO 8601, like all times.
    pub(crate) created: Option<String>,
    pub(crate) modified: Option<String>,
}

impl Properties {
    /// Returns the title, and everything else by name.
    pub(crate) fn into_metadata(self) -> (Option<String>, Vec<(String, String)>) {
        let tidy = |value: String| {
            let value: String = single_line(&clean(&value)).chars().take(MAX_PROPERTY).collect();
            (!value.is_empty()).then_some(value)
        };
        let metadata = [
            ("author", self.author),
            ("subject", self.subject),
            ("keywords", self.keywords),
            ("company", self.company),
            ("created", self.created),
            ("modified", self.modified),
        ];
        let metadata = metadata.into_iter();
        let metadata =
            metadata.filter_map(|(name, value)| Some((name.to_owned(), tidy(value?)?))).collect();
        (self.title.and_then(tidy), metadata)
    }
}
