//! How a text is read: plain, as Markdown, as values, or as a web page.

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Plain,
    Markdown,
    /// Values between commas, semicolons, tabs or bars.
    Values,
    /// A web page, which is only a part of a mail.
    Html,
}

impl TextKind {
    /// Returns `true` for a sign that is part of how a file is built. It is never replaced.
    pub(crate) fn is_kept(self, it: char) -> bool {
        matches!(it, '\n' | '\r')
            || self == Self::Values && matches!(it, ',' | ';' | '\t' | '|' | '"')
    }
}
