//! What is asked of the host for a text and a file name.

use crate::bindings::mitt::host::render::{MarkdownDocument, Paper};

/// What the host is asked to write.
#[derive(Debug)]
pub(crate) enum Delivery {
    Pdf(MarkdownDocument),
    /// The same, and a picture of its first page.
    PdfAndPicture(MarkdownDocument),
    Docx(MarkdownDocument),
    Html(MarkdownDocument),
    /// The tables alone.
    Xlsx(MarkdownDocument),
    Text(String),
}

/// What was said of the file beside its text and name.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) title: Option<String>,
    pub(crate) contents: Option<bool>,
    pub(crate) language: Option<String>,
    pub(crate) theme: Option<String>,
    pub(crate) template: Option<String>,
    pub(crate) preview: Option<bool>,
}

const EXTENSIONS: [&str; 6] = ["pdf", "docx", "html", "xlsx", "md", "txt"];

/// Decide the format by the extension; otherwise all problems, one per line.
pub(crate) fn plan(markdown: String, filename: &str, asked: Asked) -> Result<Delivery, String> {
    let mut problems = Vec::new();
    if markdown.trim().is_empty() {
        problems.push("markdown: expected text, got nothing but white space".to_owned());
    }
    if let Err(problem) = mitt_guest::check_filename(filename, &EXTENSIONS) {
        problems.push(format!("filename: {problem}"));
    }
    let extension = filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let extension = extension.unwrap_or_default();
    // A model that has nothing to say for an optional argument often says it with an empty string.
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let template = given(asked.template);
    if template.is_some() && extension != "docx" {
        problems.push(format!(
            "template: only a name that ends in `.docx` takes one, got `{filename}`"
        ));
    }
    let theme = given(asked.theme);
    let is_plain = theme.as_deref().is_none_or(|theme| theme == "plain");
    if !is_plain && !matches!(&*extension, "pdf" | "html") {
        problems.push(format!(
            "theme: only a name that ends in `.pdf` or `.html` takes one, got `{filename}`"
        ));
    }
    let is_shown = asked.preview.unwrap_or(false);
    if is_shown && extension != "pdf" {
        problems
            .push(format!("preview: only a name that ends in `.pdf` has one, got `{filename}`"));
    }
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let language = given(asked.language);
    let document = MarkdownDocument {
        title: given(asked.title),
        paper: language.as_deref().map_or(Paper::A4, paper_of),
        language,
        contents: asked.contents.unwrap_or(false),
        theme,
        template,
        markdown,
    };
    Ok(match extension.as_str() {
        "pdf" if is_shown => Delivery::PdfAndPicture(document),
        "pdf" => Delivery::Pdf(document),
        "docx" => Delivery::Docx(document),
        "html" => Delivery::Html(document),
        "xlsx" => Delivery::Xlsx(document),
        _ => Delivery::Text(document.markdown),
    })
}

/// Letter in the regions that use it, A4 elsewhere.
fn paper_of(language: &str) -> Paper {
    let letter = |part: &str| part.eq_ignore_ascii_case("us") || part.eq_ignore_ascii_case("ca");
    // The first subtag is the language: `ca` there is Catalan.
    if language.split('-').skip(1).any(letter) { Paper::Letter } else { Paper::A4 }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Delivery, plan};
    use crate::bindings::mitt::host::render::{MarkdownDocument, Paper};

    /// The records of the host are not compared by themselves, since some of them hold handles.
    impl PartialEq for Delivery {
        fn eq(&self, other: &Delivery) -> bool {
            format!("{self:?}") == format!("{other:?}")
        }
    }

    fn document(language: Option<&str>, paper: Paper) -> MarkdownDocument {
        MarkdownDocument {
            markdown: "# A".to_owned(),
            title: None,
            language: language.map(str::to_owned),
            paper,
            contents: false,
            theme: None,
            template: None,
        }
    }

    fn planned(name: &str, asked: Asked) -> Result<Delivery, String> {
        plan("# A".to_owned(), name, asked)
    }

    #[test]
    fn extension_decides() {
        let of = |name| planned(name, Asked { title: Some(" ".to_owned()), ..Asked::default() });
        let expected = || document(None, Paper::A4);
        assert_eq!(of("a.pdf"), Ok(Delivery::Pdf(expected())));
        assert_eq!(of("a.PDF"), Ok(Delivery::Pdf(expected())));
        assert_eq!(of("a.docx"), Ok(Delivery::Docx(expected())));
        assert_eq!(of("a.html"), Ok(Delivery::Html(expected())));
        assert_eq!(of("a.xlsx"), Ok(Delivery::Xlsx(expected())));
        for name in ["a.md", "a.txt", "a.b.MD"] {
            assert_eq!(of(name), Ok(Delivery::Text("# A".to_owned())), "{name}");
        }
    }

    #[test]
    fn options_reach_the_document() {
        let asked = Asked {
            title: Some("T".to_owned()),
            contents: Some(true),
            theme: Some("plain".to_owned()),
            template: Some("letter.docx".to_owned()),
            ..Asked::default()
        };
        let Ok(Delivery::Docx(made)) = planned("a.docx", asked) else {
            panic!("expected a Word file");
        };
        assert_eq!((made.title.as_deref(), made.contents), (Some("T"), true));
        assert_eq!(made.theme.as_deref(), Some("plain"));
        assert_eq!(made.template.as_deref(), Some("letter.docx"));
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
            let asked = Asked { language: Some(language.to_owned()), ..Asked::default() };
            let expected = document(Some(language), paper);
            assert_eq!(planned("a.pdf", asked), Ok(Delivery::Pdf(expected)), "{language}");
        }
    }

    #[test]
    fn only_pdf_and_pages_have_themes() {
        let of =
            |name| planned(name, Asked { theme: Some("report".to_owned()), ..Asked::default() });
        let Ok(Delivery::Pdf(made)) = of("a.pdf") else { panic!("expected a PDF") };
        assert_eq!(made.theme.as_deref(), Some("report"));
        assert!(of("a.HTML").is_ok());
        for name in ["a.docx", "a.xlsx", "a.md"] {
            let problem = of(name).unwrap_err();
            assert!(problem.starts_with("theme: only a name that ends in `.pdf`"), "{problem}");
        }
    }

    #[test]
    fn only_pdf_has_a_preview() {
        let of = |name| planned(name, Asked { preview: Some(true), ..Asked::default() });
        assert_eq!(of("a.pdf"), Ok(Delivery::PdfAndPicture(document(None, Paper::A4))));
        for name in ["a.docx", "a.html", "a.xlsx", "a.md"] {
            let problem = of(name).unwrap_err();
            assert!(problem.starts_with("preview: only a name that ends in `.pdf`"), "{problem}");
        }
    }

    #[test]
    fn all_problems_at_once() {
        let asked = Asked { template: Some("l.docx".to_owned()), ..Asked::default() };
        assert_eq!(
            plan(" \n".to_owned(), "a.doc", asked),
            Err("markdown: expected text, got nothing but white space\n\
                 filename: expected a name that ends in `.pdf`, `.docx`, `.html`, `.xlsx`, `.md`, `.txt`, got `a.doc`\n\
                 template: only a name that ends in `.docx` takes one, got `a.doc`"
                .to_owned())
        );
    }
}
