//! Checks the citations of an answer against the documents of a session.
//!
//! Most places are in the text that was read. Cells of workbooks, paragraphs of Word files and rectangles on pages of PDF files are
//! looked up in the kept files, by the reader and by the skills `docx-tool` and `pdf-tool`. Nothing of that is a call of the session.

use std::sync::Arc;

use serde::Deserialize;

use super::open::SessionOptions;
use super::session::Session;
use mitt_base::at_most::AtMost;
use mitt_base::{Result, panics};
use mitt_types::{
    Document,
    citation::{
        Citations, Draft, Need, PagePlaces, PageRect, PageRectInternal as _, Paragraph, Sheets,
        Target, draft,
    },
};

/// Tool that lists the paragraphs of a Word file.
const PARAGRAPHS: &str = "docx_tool__read_structure";

/// Tool that finds where texts stand on pages of a PDF, and most texts and places of one in its result.
const PAGE_TEXTS: &str = "pdf_tool__find_texts";
const MAX_TEXTS: usize = 200;
const MAX_PLACES: usize = 20;

/// Most paragraphs of a page of [`PARAGRAPHS`], and most pages that are read.
const PAGE: usize = 1_000;
const MAX_PAGES: usize = 20;

/// Most bytes of paragraphs that are kept of a file.
const MAX_PARAGRAPH_BYTES: usize = 8 * 1024 * 1024;

/// Most files that are read again for one answer.
const MAX_FILES: usize = 8;

/// A page of paragraphs.
#[derive(Deserialize)]
struct Structure {
    paragraphs: AtMost<ReadParagraph, PAGE>,
    #[serde(default)]
    next: Option<u64>,
}

#[derive(Deserialize)]
struct ReadParagraph {
    anchor: String,
    place: String,
    text: String,
}

/// A place of a text on a page.
#[derive(Deserialize)]
struct PagePlace {
    reference: String,
}

/// The first places of a text on a page.
type PlacesOfText = AtMost<PagePlace, MAX_PLACES>;

impl Session {
    /// Checks the citations of an answer, such as `[report.pdf#page=3]`, `[12.5%](book.xlsx#Sheet1!B7)` or `contract.docx#p12`:
    /// whether the quotations or numbers beside them stand there. See [`Citations`].
    ///
    /// Cells of workbooks, paragraphs of Word files and rectangles on pages of PDF files can be looked up only if the session keeps the
    /// files ([`SessionOptions::keeps_sources`]). No model takes part, and nothing is added to the journal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](mitt_base::ErrorKind::Busy) - no place for blocking work became free in time.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - a defect of the host.
    pub async fn check_citations(&self, answer: &str) -> Result<Citations> {
        let documents = self.documents();
        if documents.is_empty() || !answer.contains('#') {
            return Ok(Citations::default());
        }
        let (of_draft, text) = (documents.clone(), answer.to_owned());
        let made = move || Ok(draft(&text, of_draft.iter().map(AsRef::as_ref)));
        let content = &self.inner.content;
        let draft = content.elsewhere(made).await?;
        if draft.is_empty() {
            return Ok(Citations::default());
        }
        let mut n_files = 0;
        let mut targets = Vec::with_capacity(documents.len());
        for (index, document) in documents.into_iter().enumerate() {
            targets.push(if draft.names(index) {
                Some(self.target(document, (&draft, index), &mut n_files).await)
            } else {
                None
            });
        }
        let delivered = self.artifacts().into_iter().map(|it| it.name).collect::<Vec<_>>();
        content.elsewhere(move || Ok(draft.check(&targets, &delivered))).await
    }

    /// Returns a document with what else its places need. What cannot be read is left out.
    async fn target(
        &self,
        document: Arc<Document>,
        (draft, index): (&Draft, usize),
        n_files: &mut usize,
    ) -> Target {
        let page_places = PagePlaces::default();
        let mut target = Target { document, paragraphs: None, sheets: None, page_places };
        let name = target.document.name.clone();
        let lower = name.to_ascii_lowercase();
        let needs_paragraphs = lower.ends_with(".docx") && draft.needs(index, Need::Paragraphs);
        let needs_cells = draft.needs(index, Need::Cells);
        let page_texts = if lower.ends_with(".pdf") { draft.page_texts(index) } else { Vec::new() };
        let needs_pages = !page_texts.is_empty();
        if *n_files >= MAX_FILES || !(needs_paragraphs || needs_cells || needs_pages) {
            return target;
        }
        let Some(bytes) = self.inner.content.source_of(&name) else { return target };
        *n_files += 1;
        if needs_paragraphs {
            let read = Box::pin(self.paragraphs(&name, &bytes));
            target.paragraphs = panics::caught("reading paragraphs", read)
                .await
                .ok()
                .and_then(Result::ok)
                .flatten();
        }
        if needs_cells {
            let view = self.workbook_view(&name, &bytes).await;
            target.sheets = view.ok().flatten().and_then(Sheets::new);
        }
        if needs_pages {
            let found = Box::pin(self.page_places(&name, &bytes, page_texts));
            let found = panics::caught("finding texts on pages", found).await;
            target.page_places = found.ok().and_then(Result::ok).flatten().unwrap_or_default();
        }
        target
    }

    /// Opens a session for a tool that looks something up. It has the tenant of this one, and delivers nothing.
    fn aside(&self) -> Result<Session> {
        self.host().session(SessionOptions {
            tenant: Some(self.tenant().to_owned()),
            keeps_sources: true,
            ..SessionOptions::default()
        })
    }

    /// Finds texts on pages of a PDF in a session of their own. `None` if there is no skill for it, or it cannot read the file.
    async fn page_places(
        &self,
        name: &str,
        bytes: &[u8],
        texts: Vec<(u64, String)>,
    ) -> Result<Option<PagePlaces>> {
        let session = self.aside()?;
        let plain = name.rsplit('/').next().unwrap_or(name);
        let document = session.inner.content.add_source(plain, bytes)?;
        let listed: Vec<_> = texts
            .iter()
            .map(|(page, text)| serde_json::json!({ "page": page, "text": text }))
            .collect();
        let arguments = serde_json::json!({ "document": document.name, "texts": listed });
        let report = session.call(PAGE_TEXTS, &arguments.to_string()).await;
        let Ok(result) = report.result else { return Ok(None) };
        let Ok(found) =
            serde_json::from_str::<AtMost<PlacesOfText, MAX_TEXTS>>(&result.to_string())
        else {
            return Ok(None);
        };
        let rect = |it: &PagePlace| PageRect::of_fragment(it.reference.rsplit_once('#')?.1);
        let rects = |it: PlacesOfText| it.items.iter().filter_map(rect).collect();
        Ok(Some(PagePlaces::new(texts, found.items.into_iter().map(rects).collect())))
    }

    /// Reads the paragraphs of a Word file in a session of their own. `None` if there is no skill for it.
    async fn paragraphs(&self, name: &str, bytes: &[u8]) -> Result<Option<Vec<Paragraph>>> {
        let session = self.aside()?;
        let plain = name.rsplit('/').next().unwrap_or(name);
        let document = session.add_document_bytes(plain, bytes.to_vec()).await?;
        let (mut found, mut n_bytes, mut start) = (Vec::new(), 0, 0);
        for _ in 0..MAX_PAGES {
            let arguments = serde_json::json!({
                "document": document.name, "start": start, "limit": PAGE,
            });
            let report = session.call(PARAGRAPHS, &arguments.to_string()).await;
            let Ok(result) = report.result else { return Ok(None) };
            let Ok(page) = serde_json::from_str::<Structure>(&result.to_string()) else {
                return Ok(None);
            };
            for ReadParagraph { anchor, place, text } in page.paragraphs.items {
                n_bytes += text.len();
                if n_bytes > MAX_PARAGRAPH_BYTES {
                    // A part of the paragraphs would make others missing.
                    return Ok(None);
                }
                found.push(Paragraph { anchor, place, text });
            }
            match page.next {
                Some(next) if next > start => start = next,
                _ => return Ok(Some(found)),
            }
        }
        Ok(None)
    }
}
