//! Documents to HTML: one self-contained file without scripts, accessible to screen readers.
//!
//! The style sheet is always the same; the page's own policy allows a browser nothing but this style sheet and the pictures
//! within the page. Knows no fonts, because a browser has its own. Empty elements are closed, so that XML readers accept the
//! page as well.
//! browser has its own. Elements without content are closed, so that XML readers take the page too.

mod body;
mod mathml;
mod pictures;
mod style;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use self::body::Writer;
use self::style::Style;
use crate::model::doc::{Doc, Paper};
use crate::model::language::Language;
use crate::shared::losses::Losses;
use crate::shared::outline::{Anchors, Outline, title};
use crate::shared::picture::Gallery;
use crate::shared::size::Weights;
use crate::shared::xml::push_text;
use crate::{Html, HtmlOptions};
use mitt_base::Result;

/// A heading is written again in the contents, a note with its links back; everything else is written once.
const WEIGHTS: Weights = Weights { heading: 2, footnote: 2 };

/// Writes a document as a web page.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - an invalid language tag; more than 60 000 paragraphs, items,
/// cells and other elements. [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
///
/// # Example: text is never markup
///
/// ```
/// use mitt_render::{HtmlOptions, html, markdown};
///
/// let doc = markdown("# 年度报告\n\n<script>alert(1)</script>\n")?;
/// let page = html(&doc, &HtmlOptions::default())?;
/// assert!(page.text.contains("&lt;script&gt;") && page.text.contains("<html lang=\"zh-CN\""));
/// # Ok::<(), mitt_base::Error>(())
/// ```
pub fn html(doc: &Doc, options: &HtmlOptions) -> Result<Html> {
    options.common.cancel.check()?;
    WEIGHTS.check(doc)?;
    let language = Language::of(doc, options.common.language.as_deref())?;
    let outline = Outline::of(doc);
    let anchors = Anchors::of(&outline);
    let mut losses = Losses::default();
    let style = style::of(&options.common.theme);
    let mut gallery = Gallery::new(&options.common.pictures, &Ok);
    let uses = pictures::uses(doc, &mut gallery);
    let mut text = head(doc, options, &language, &style, (!uses.is_empty(), &mut losses));
    let pictures = (gallery, uses);
    let writer =
        Writer::new(doc, &outline, &anchors, &language, pictures, &options.common.cancel, losses);
    let (body, losses) = writer.write(options.common.contents)?;
    text.push_str(&body);
    text.push_str("</body>\n</html>\n");
    let mut warnings = doc.warnings.clone();
    warnings.extend(losses.into_warnings());
    if options.common.theme.logo.is_some() {
        warnings.push("the logo of the theme is left out: a page of the web has none yet".into());
    }
    Ok(Html { text, warnings })
}

/// Returns everything before the text. The policy precedes everything to which it applies.
fn head(
    doc: &Doc,
    options: &HtmlOptions,
    language: &Language,
    style: &Style,
    (has_pictures, losses): (bool, &mut Losses),
) -> String {
    let images = if has_pictures { "img-src data:; " } else { "" };
    let direction = if language.is_from_right() { " dir=\"rtl\"" } else { "" };
    let paper = match options.common.paper_of(doc) {
        Paper::A4 => "a4",
        Paper::Letter => "letter",
    };
    let mut head = format!(
        "<!DOCTYPE html>\n<html lang=\"{}\"{direction}>\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; {images}\
         base-uri 'none'; form-action 'none'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"referrer\" content=\"no-referrer\"/>\n<meta name=\"generator\" content=\"mitt\"/>\n",
        language.tag(),
        style.hash,
    );
    let authors = options.common.authors_of(doc).join(", ");
    if !authors.is_empty() {
        head.push_str("<meta name=\"author\" content=\"");
        push_text(&mut head, authors.trim(), losses);
        head.push_str("\"/>\n");
    }
    head.push_str("<title>");
    let title = title(doc, options.common.title.as_deref());
    // A page must have a title.
    let title = title.as_deref().unwrap_or_else(|| language.say("文档", "Document"));
    push_text(&mut head, title.trim(), losses);
    let _ = write!(
        head,
        "</title>\n<style>{}</style>\n</head>\n<body class=\"{paper}\">\n",
        style.text
    );
    head
}
