//! What is asked of the host for a text and a file name.

use crate::bindings::mitt::host::render::{MarkdownDocument, Paper};

/// What the host is asked to write.
#[derive(Debug)]
pub(crate) enum Delivery {
    Pdf(MarkdownDocument),
    Text(String),
}

const EXTENSIONS: [&str; 3] = ["pdf", "md", "txt"];

/// Decide the format by the extension; otherwise all problems, one per line.
pub(crate) fn plan(
    markdown: String,
    filename: &str,
    title: Option<String>,
    contents: Option<bool>,
    language: Option<String>,
) -> Result<Delivery, String> {
    let mut problems = Vec::new();
    if markdown.trim().is_empty() {
        problems.push("markdown: expected text, got nothing but white space".to_owned());
    }
    if let Err(problem) = mitt_guest::check_filename(filename, &EXTENSIONS) {
        problems.push(format!("filename: {problem}"));
    }
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let extension = filename.rsplit_once('.').map(|(_, extension)| extension);
    if !extension.is_some_and(|extension| extension.eq_ignore_ascii_case("pdf")) {
        return Ok(Delivery::Text(markdown));
    }
    let paper = language.as_deref().map_or(Paper::A4, paper_of);
    // A model that has nothing to say for an optional argument often says it with an empty string.
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    Ok(Delivery::Pdf(MarkdownDocument {
        markdown,
        title: given(title),
        language: given(language),
        paper,
        contents: contents.unwrap_or(false),
    }))
}

/// Letter in the regions that use it, A4 elsewhere.
fn paper_of(language: &str) -> Paper {
    let letter = |part: &str| part.eq_ignore_ascii_case("us") || part.eq_ignore_ascii_case("ca");
    // The first subtag is the language: `ca` there is Catalan.
    if language.split('-').skip(1).any(letter) { Paper::Letter } else { Paper::A4 }
}

#[cfg(test)]
mod tests {
    use super::{Delivery, plan};
    use crate::bindings::mitt::host::render::{MarkdownDocument, Paper};

    /// The records of the host are not compared by themselves, since some of them hold handles.
    impl PartialEq for Delivery {
        fn eq(&self, other: &Delivery) -> bool {
            format!("{self:?}") == format!("{other:?}")
        }
    }

    fn document(language: Option<&str>, paper: Paper) -> Delivery {
        Delivery::Pdf(MarkdownDocument {
            markdown: "# A".to_owned(),
            title: None,
            language: language.map(str::to_owned),
            paper,
            contents: false,
        })
    }

    #[test]
    fn extension_decides() {
        let text = || "# A".to_owned();
        assert_eq!(plan(text(), "a.pdf", None, None, None), Ok(document(None, Paper::A4)));
        assert_eq!(
            plan(text(), "a.PDF", Some(" ".to_owned()), None, None),
            Ok(document(None, Paper::A4))
        );
        for name in ["a.md", "a.txt", "a.b.MD"] {
            assert_eq!(plan(text(), name, None, None, None), Ok(Delivery::Text(text())), "{name}");
        }
    }

    #[test]
    fn options_reach_the_document() {
        let Ok(Delivery::Pdf(made)) =
            plan("x".to_owned(), "a.pdf", Some("T".to_owned()), Some(true), None)
        else {
            panic!("expected a PDF");
        };
        assert_eq!((made.title.as_deref(), made.contents), (Some("T"), true));
    }

    #[test]
    fn paper_follows_the_region() {
        for (language, paper) in [
            ("en-US", Paper::Letter),
            ("fr-CA", Paper::Letter),
            ("en-Latn-us", Paper::Letter),
            ("en-GB", Paper::A4),
            ("ca", Paper::A4),
            ("zh-CN", Paper::A4),
        ] {
            let made = plan("# A".to_owned(), "a.pdf", None, None, Some(language.to_owned()));
            assert_eq!(made, Ok(document(Some(language), paper)), "{language}");
        }
    }

    #[test]
    fn all_problems_at_once() {
        assert_eq!(
            plan(" \n".to_owned(), "a.docx", None, None, None),
            Err("markdown: expected text, got nothing but white space\n\
                 filename: expected a name that ends in `.pdf`, `.md`, `.txt`, got `a.docx`"
                .to_owned())
        );
    }
}
