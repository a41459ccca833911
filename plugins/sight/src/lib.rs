//! Decides which text of a web page people see. Readers of web pages, of mails and of Office files share it.
//!
//! Each of them has its own parser, from which it fills a [`Tree`]. Nothing is fetched and no scripts are run.

mod bounds;
mod clip;
mod selector;
mod sheet;
mod sight;
mod tree;
mod values;
mod words;

pub use bounds::{Bounded, bounded};
pub use sheet::Sheet;
pub use tree::{Amount, Element, Id, Tree};
pub use values::{is_same_colour, is_seen};
pub use words::words;

/// The program in which people see a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A browser. It runs scripts, and people can open what is folded.
    Browser,
    /// A program for mails. It runs no scripts and fetches no style sheets, so that the page is complete.
    Mail,
    /// A word processor that inserts the page into a document. It does what a program for mails does, and knows the
    /// property `mso-hide`.
    Word,
}

impl Viewer {
    /// Returns `true` if scripts may show what is hidden.
    pub(crate) fn runs_scripts(self) -> bool {
        self == Viewer::Browser
    }
}
