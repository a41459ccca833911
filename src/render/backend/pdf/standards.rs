//! Standards in Typst's terms, and Typst's messages about documents that cannot keep them.

use typst::diag::SourceDiagnostic;
use typst_pdf::PdfStandards;

use crate::PdfStandard;
use mitt_base::{Error, ErrorKind, Result};

/// Most reasons in an error.
const MAX_LISTED: usize = 10;

/// Returns `standards` by Typst's names.
pub(super) fn of(standards: &[PdfStandard]) -> Result<PdfStandards> {
    use typst_pdf::PdfStandard as Typst;

    let mut standards = standards.to_vec();
    standards.sort_unstable();
    standards.dedup();
    if standards.is_empty() {
        return Ok(PdfStandards::default());
    }
    let named = standards.iter().map(|standard| match standard {
        PdfStandard::A1a => Typst::A_1a,
        PdfStandard::A1b => Typst::A_1b,
        PdfStandard::A2a => Typst::A_2a,
        PdfStandard::A2b => Typst::A_2b,
        PdfStandard::A2u => Typst::A_2u,
        PdfStandard::A3a => Typst::A_3a,
        PdfStandard::A3b => Typst::A_3b,
        PdfStandard::A3u => Typst::A_3u,
        PdfStandard::A4 => Typst::A_4,
        PdfStandard::A4f => Typst::A_4f,
        PdfStandard::Ua1 => Typst::Ua_1,
    });
    let named: Vec<_> = named.collect();
    // Invalid combinations were refused before.
    PdfStandards::new(&named)
        .map_err(|error| Error::new(ErrorKind::Arguments, error.message().to_string()))
}

/// Returns the error for a document that cannot keep `standards`, in words for its author; `None` if the reason is a mistake
/// of ours.
pub(super) fn refusal(standards: &[PdfStandard], errors: &[SourceDiagnostic]) -> Option<Error> {
    if standards.is_empty() || errors.is_empty() {
        return None;
    }
    let names = standards.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" and ");
    let mut problems: Vec<(String, &str)> = Vec::new();
    for error in errors {
        let (what, hint) = in_words(&error.message);
        if !problems.iter().any(|(known, _)| *known == what) {
            problems.push((what, hint));
        }
    }
    let mut refused = match &problems[..] {
        [(one, _)] => {
            Error::new(ErrorKind::Arguments, format!("the document cannot keep {names}: {one}"))
        }
        several => several.iter().take(MAX_LISTED).fold(
            Error::new(
                ErrorKind::Arguments,
                format!("{} things of the document are in the way of {names}", several.len()),
            ),
            |error, (what, _)| error.detail(what.clone()),
        ),
    };
    let mut hints: Vec<&str> = Vec::new();
    for (_, hint) in problems.iter().take(MAX_LISTED) {
        if !hint.is_empty() && !hints.contains(hint) {
            hints.push(hint);
            refused = refused.hint(*hint);
        }
    }
    Some(refused)
}

/// Returns a message of Typst in plain words, and advice.
fn in_words(message: &str) -> (String, &'static str) {
    // `PDF/A-2a error: what`
    let what = message.split_once(" error: ").map_or(message, |(_, what)| what).trim();
    let has = |part: &str| what.contains(part);
    let of = |text: &str| text.to_owned();
    if has("missing alt text") {
        return (
            of("a picture or formula without a text of what it shows"),
            "describe each picture: `![what it shows](file.png)`",
        );
    }
    if has("heading") {
        return (format!("headings: {what}"), "begin with `#`, and go one level down at a time");
    }
    if has("code point") || has("codepoint") {
        return (
            format!("letters that cannot be told from their shapes: {what}"),
            "scripts that join their letters cannot always keep `a` and `u`; take `a-2b` or `a-3b`",
        );
    }
    if has("license of") {
        return (of(what), "its maker forbids that it is embedded; take another font");
    }
    if has("transparen") {
        return (
            of("something that is transparent"),
            "`a-1a` and `a-1b` forbid it; take `a-2a` or `a-2b`, or a picture that is opaque",
        );
    }
    if has("attach") || has("file ") {
        return (format!("attached files: {what}"), "take `a-3a`, `a-3u`, `a-3b` or `a-4f`");
    }
    if has("longer than") || has("more than") || has("too many") || has("limit") {
        return (of(what), "take a standard of PDF 1.7 (`a-2…`, `a-3…`), or a shorter document");
    }
    (of(what), "")
}

#[cfg(test)]
mod tests {
    use typst::syntax::Span;

    use super::*;

    #[test]
    fn what_is_in_the_way_is_told_once_and_in_our_words() {
        let errors = [
            "PDF/UA-1 error: missing alt text",
            "PDF/UA-1 error: missing alt text",
            "PDF/A-2a, PDF/UA-1 error: license of the font X is too restrictive",
        ];
        let errors = errors.map(|message| SourceDiagnostic::error(Span::detached(), message));
        let error = refusal(&[PdfStandard::Ua1, PdfStandard::A2a], &errors).unwrap();
        insta::assert_snapshot!(error.render(), @r"
        2 things of the document are in the way of `ua-1` and `a-2a`
        a picture or formula without a text of what it shows
        license of the font X is too restrictive
        hint: describe each picture: `![what it shows](file.png)`
        hint: its maker forbids that it is embedded; take another font
        ");
        assert!(refusal(&[], &errors).is_none() && refusal(&[PdfStandard::A2a], &[]).is_none());
        let error = refusal(&[PdfStandard::A1b], &errors[..1]).unwrap();
        assert_eq!(
            error.to_string(),
            "the document cannot keep `a-1b`: a picture or formula without a text of what it shows"
        );
    }
}
