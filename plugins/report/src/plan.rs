//! Builds the request to the host for a text and a file name.

use crate::bindings::mitt::host::render::{MarkdownDocument, Paper};

/// The request to the host.
#[derive(Debug)]
pub(crate) enum Delivery {
    Pdf(MarkdownDocument),
    /// A PDF, and a picture of its first page.
    PdfAndPicture(MarkdownDocument),
    Docx(MarkdownDocument),
    Html(MarkdownDocument),
    /// Only the tables.
    Xlsx(MarkdownDocument),
    Text(String),
}

/// The options of the file.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) title: Option<String>,
    pub(crate) contents: Option<bool>,
    pub(crate) language: Option<String>,
    pub(crate) theme: Option<String>,
    pub(crate) template: Option<String>,
    pub(crate) preview: Option<bool>,
}

const EXTENSIONS: [&str; 6] = ["pdf", "docx", "html", "xlsx", "md", "txt"];

/// Chooses the format by the extension.
///
/// # Errors
/// All problems, one per line.
pub(crate) fn plan(markdown: String, filename: &str, options: Options) -> Result<Delivery, String> {
    let mut problems = Vec::new();
    if markdown.trim().is_empty() {
        problems.push("markdown: expected text, got nothing but white space".to_owned());
    }
    if let Err(problem) = mitt_guest::check_filename(filename, &EXTENSIONS) {
        problems.push(format!("filename: {problem}"));
    }
    let extension = filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let extension = extension.unwrap_or_default();
    // Models often send an empty string for an omitted argument.
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let template = given(options.template);
    if template.is_some() && extension != "docx" {
        problems.push(format!(
            "template: only a name that ends in `.docx` takes one, got `{filename}`"
        ));
    }
    let theme = given(options.theme);
    let is_plain = theme.as_deref().is_none_or(|theme| theme == "plain");
    if !is_plain && !matches!(&*extension, "pdf" | "html") {
        problems.push(format!(
            "theme: only a name that ends in `.pdf` or `.html` takes one, got `{filename}`"
        ));
    }
    let is_shown = options.preview.unwrap_or(false);
    if is_shown && extension != "pdf" {
        problems
            .push(format!("preview: only a name that ends in `.pdf` has one, got `{filename}`"));
    }
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let language = given(options.language);
    let document = MarkdownDocument {
        title: given(options.title),
        paper: language.as_deref().map_or(Paper::A4, paper_of),
        language,
        contents: options.contents.unwrap_or(false),
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

/// Returns Letter for regions that use it, otherwise A4.
fn paper_of(language: &str) -> Paper {
    let letter = |part: &str| part.eq_ignore_ascii_case("us") || part.eq_ignore_ascii_case("ca");
    // The first subtag is the language: `ca` there means Catalan.
    if language.split('-').skip(1).any(letter) { Paper::Letter } else { Paper::A4 }
}

#[cfg(test)]
mod tests {
    use super::{Delivery, Options, plan};
    use crate::bindings::mitt::host::render::{MarkdownDocument, Paper};

    /// Records of the host cannot be compared, because some of them have handles.
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

    fn planned(name: &str, options: Options) -> Result<Delivery, String> {
        plan("# A".to_owned(), name, options)
    }

    #[test]
    fn extension_decides() {
        let of =
            |name| planned(name, Options { title: Some(" ".to_owned()), ..Options::default() });
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
        let options = Options {
            title: Some("T".to_owned()),
            contents: Some(true),
            theme: Some("plain".to_owned()),
            template: Some("letter.docx".to_owned()),
            ..Options::default()
        };
        let Ok(Delivery::Docx(made)) = planned("a.docx", options) else {
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
            let options = Options { language: Some(language.to_owned()), ..Options::default() };
            let expected = document(Some(language), paper);
            assert_eq!(planned("a.pdf", options), Ok(Delivery::Pdf(expected)), "{language}");
        }
    }

    #[test]
    fn only_pdf_and_pages_have_themes() {
        let of = |name| {
            planned(name, Options { theme: Some("report".to_owned()), ..Options::default() })
        };
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
        let of = |name| planned(name, Options { preview: Some(true), ..Options::default() });
        assert_eq!(of("a.pdf"), Ok(Delivery::PdfAndPicture(document(None, Paper::A4))));
        for name in ["a.docx", "a.html", "a.xlsx", "a.md"] {
            let problem = of(name).unwrap_err();
            assert!(problem.starts_with("preview: only a name that ends in `.pdf`"), "{problem}");
        }
    }

    #[test]
    fn all_problems_at_once() {
        let options = Options { template: Some("l.docx".to_owned()), ..Options::default() };
        assert_eq!(
            plan(" \n".to_owned(), "a.doc", options),
            Err("markdown: expected text, got nothing but white space\n\
                 filename: expected a name that ends in `.pdf`, `.docx`, `.html`, `.xlsx`, `.md`, `.txt`, got `a.doc`\n\
                 template: only a name that ends in `.docx` takes one, got `a.doc`"
                .to_owned())
        );
    }
}
