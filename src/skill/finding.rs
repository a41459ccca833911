//! Finding: an error or a possible improvement at one place of a skill. Plain data; its printer chooses the form.

use std::fmt;

/// Severity of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The skill must not be published or installed in this state.
    Error,
    /// The skill works, but could be improved.
    Warning,
}

impl Severity {
    /// Returns `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// Error or possible improvement at one place of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Severity of the finding.
    pub severity: Severity,
    /// Path of the file relative to the skill's folder, with `/` as separator; empty for the folder itself.
    pub file: String,
    /// Line of the file, from 1, if known.
    pub line: Option<u64>,
    /// Message: lower case, no final period, what was expected before what was found.
    pub message: String,
    /// Advice.
    pub hint: Option<String>,
}

impl Finding {
    pub(crate) fn error(file: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding::new(Severity::Error, file.into(), message.into())
    }

    pub(crate) fn warning(file: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding::new(Severity::Warning, file.into(), message.into())
    }

    fn new(severity: Severity, file: String, message: String) -> Finding {
        Finding { severity, file, line: None, message, hint: None }
    }

    #[must_use]
    pub(crate) fn line(mut self, line: u64) -> Finding {
        self.line = Some(line);
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }

    /// Returns whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Finding {
    /// Formats it as `SKILL.md:3: name: …; advice`, without the severity.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Most findings of one file or skill that are reported; a hostile file may have thousands.
const MOST: usize = 100;

/// Returns the first findings, and one with the number of the others.
pub fn capped(mut findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() > MOST {
        let more = findings.split_off(MOST);
        let worst = more.iter().map(|finding| finding.severity).min();
        let message = format!("and {} more", more.len());
        findings.push(Finding::new(worst.unwrap_or(Severity::Error), String::new(), message));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_findings_are_counted_and_errors_among_them_count() {
        let warnings = || vec![Finding::warning("a", "b"); 150];
        let findings = capped(warnings());
        assert_eq!((findings.len(), findings[100].to_string().as_str()), (101, "and 50 more"));
        assert!(!findings.iter().any(Finding::is_error));
        let mut findings = warnings();
        findings.push(Finding::error("z", "b").line(3).hint("c"));
        assert_eq!(findings[150].to_string(), "z:3: b; c");
        assert!(capped(findings)[100].is_error());
        assert_eq!(capped(warnings()[..100].to_vec()).len(), 100);
    }
}
