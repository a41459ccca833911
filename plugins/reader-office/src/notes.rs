//! What is met on the way through a document and has to be told in the end.

use std::collections::BTreeSet;

/// Names listed in one warning.
const MAX_NAMES: usize = 5;

/// Longest name in a warning, in characters.
const MAX_NAME: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Notes {
    unknown_math: BTreeSet<String>,
    unknown_formats: BTreeSet<String>,
    /// Equations in the format of the editors that came before, which are pictures with data of their own.
    pub(crate) old_equations: usize,
    /// Fields `EQ` that were not understood.
    pub(crate) unread_fields: usize,
    pub(crate) warnings: Vec<String>,
}

impl Notes {
    /// A part of an equation whose meaning is not known, only its text.
    pub(crate) fn unknown_math(&mut self, name: &str) {
        insert(&mut self.unknown_math, name);
    }

    /// A format of numbers that is not known.
    pub(crate) fn unknown_format(&mut self, name: &str) {
        insert(&mut self.unknown_formats, name);
    }

    /// All of it as warnings.
    pub(crate) fn into_warnings(self) -> Vec<String> {
        let mut warnings = self.warnings;
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
