//! Collects what the reader has to report at the end of a document.

use crate::unseen::Unseen;
use std::collections::BTreeSet;

/// Most names in one warning.
const MAX_NAMES: usize = 5;

/// Longest name in a warning, in characters.
const MAX_NAME: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Notes {
    unknown_math: BTreeSet<String>,
    unknown_formats: BTreeSet<String>,
    /// Objects of the old equation editors. They are pictures with data of their own.
    pub(crate) old_equations: usize,
    /// `EQ` fields that were not understood.
    pub(crate) unread_fields: usize,
    /// Text that people do not see.
    pub(crate) unseen: Unseen,
    pub(crate) warnings: Vec<String>,
}

impl Notes {
    /// Records an unknown part of an equation. Only its text is read.
    pub(crate) fn unknown_math(&mut self, name: &str) {
        insert(&mut self.unknown_math, name);
    }

    /// Records an unknown number format.
    pub(crate) fn unknown_format(&mut self, name: &str) {
        insert(&mut self.unknown_formats, name);
    }

    /// Returns everything as warnings.
    pub(crate) fn into_warnings(self) -> Vec<String> {
        let mut warnings = self.warnings;
        warnings.extend(self.unseen.warning());
        if self.old_equations > 0 {
            warnings.push(format!(
                "equations of an old equation editor that were not read: {}",
                self.old_equations
            ));
        }
        if self.unread_fields > 0 {
            warnings.push(format!("formula fields given as they stand: {}", self.unread_fields));
        }
        if !self.unknown_math.is_empty() {
            warnings.push(format!(
                "equations have parts of which only the text was read: {}",
                list(self.unknown_math)
            ));
        }
        if !self.unknown_formats.is_empty() {
            warnings.push(format!(
                "automatic numbers were written in digits instead of as: {}",
                list(self.unknown_formats)
            ));
        }
        warnings
    }
}

fn insert(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < MAX_NAMES {
        names.insert(name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect());
    }
}

fn list(names: BTreeSet<String>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
