//! `mitt pdf linearize` and `mitt pdf pdfa`: what Mitt does not do, why, and which program does it.

use mitt_base::{Error, ErrorKind};

/// Returns the error for linearisation.
pub(super) fn linearize() -> Error {
    let message = "Mitt does not linearise PDF files (fast web view)";
    Error::new(ErrorKind::Input, message)
        .detail("no library that we rely on writes such files")
        .hint("`qpdf --linearize in.pdf out.pdf` does it, after all other changes; `mitt pdf compress` makes a file smaller")
}

/// Returns the error for making PDF/A of a file that exists.
pub(super) fn pdfa() -> Error {
    let message = "Mitt does not make PDF/A of a PDF that exists";
    Error::new(ErrorKind::Input, message)
        .detail(
            "it would have to add fonts that are not in the file, and to replace colours, transparency and scripts, so that pages may \
             look different",
        )
        .hint("`mitt render report.md -o report.pdf --pdf-standard a-2b` writes PDF/A of Markdown")
        .hint("Ghostscript (`gs -dPDFA=2 -sDEVICE=pdfwrite`) converts files, and veraPDF checks them")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Args, Command, PdfCommand};

    #[test]
    fn what_is_not_done_names_what_does_it() {
        for (error, expected) in
            [(linearize(), "qpdf --linearize"), (pdfa(), "--pdf-standard a-2b")]
        {
            assert_eq!(error.kind(), &ErrorKind::Input);
            assert!(error.render().contains(expected), "{}", error.render());
        }
    }

    #[test]
    fn the_options_of_other_programs_are_no_other_error() {
        let parsed = |line: &[&str]| {
            let line = [&["mitt", "pdf"][..], line].concat();
            match Args::try_parse_from(line).unwrap_or_else(|error| panic!("{error}")).command {
                Command::Pdf(command) => command,
                other => panic!("{other:?}"),
            }
        };
        for line in [&["linearize"][..], &["linearize", "a.pdf", "-o", "b.pdf", "--fast"]] {
            assert!(matches!(parsed(line), PdfCommand::Linearize(_)), "{line:?}");
        }
        assert!(matches!(parsed(&["pdfa", "a.pdf", "--level", "2b"]), PdfCommand::Pdfa(_)));
    }
}
