//! Every text of a file, for rules: what the reader of documents reads, and what the tool that redacts searches.

use std::path::Path;

use serde_json::{Value, json};

use super::super::new_file::extension;
use super::super::pdf_file::{PdfFile, texts};
use super::super::redact_proof::text_by_place;
use super::aside::Aside;
use super::office_texts::office_texts;
use super::places::PlaceCounts;
use super::rules::{RuleCounts, RuleMatches, Rules};
use mitt_base::{Error, ErrorKind, Result};

/// The tools that list the texts which they search.
const OF_PDF: &str = "pdf_tool__searched_texts";
const OF_TEXT: &str = "redact_tool__searched_texts";

/// Most windows of texts of one file.
const MAX_WINDOWS: usize = 1_000;

/// A file whose texts are searched.
pub(super) struct SearchedFile<'a> {
    pub(super) at: &'a Aside,
    /// Its name in that session, which has read it.
    pub(super) file: &'a PdfFile,
    pub(super) content: &'a [u8],
}

/// What rules found in a file, and where.
#[derive(Default)]
pub(super) struct FileMatches {
    pub(super) matches: RuleMatches,
    /// The first place, such as `page 2`; `None` if the place is not known.
    pub(super) place: Option<String>,
    /// What was not searched.
    pub(super) warnings: Vec<String>,
    /// `true` if a word that is removed also stands where no rule finds it.
    pub(super) has_other_place: bool,
}

impl SearchedFile<'_> {
    /// Looks for what rules find in every text of the file.
    ///
    /// # Errors
    ///
    /// Those of [`Rules::search`], of [`office_texts`] and of the tools.
    pub(super) async fn search(&self, rules: &Rules) -> Result<FileMatches> {
        let mut found = FileMatches::default();
        self.search_read(rules, &mut found)?;
        let read = std::mem::take(&mut found.matches.counts);
        let extension = extension(Path::new(&self.file.name));
        let mut listed = Vec::new();
        let is_office = matches!(extension.as_str(), "docx" | "xlsx" | "pptx");
        let mut joined = Vec::new();
        if is_office {
            let found = office_texts(self.content)?;
            (listed, joined) = (found.texts, found.joined);
        } else {
            self.add_listed(&extension, &mut listed, &mut found.warnings).await?;
        }
        let joins_lines = matches!(extension.as_str(), "pdf" | "txt" | "md" | "eml");
        let mut office = RuleCounts::default();
        let mut places = PlaceCounts::default();
        for text in &listed {
            let mut of_text = RuleMatches::default();
            rules.search(text, joins_lines, &mut of_text)?;
            found.matches.terms.add_all(&of_text.terms)?;
            if is_office {
                office.add(&of_text.counts);
            } else {
                places.add(text, of_text);
            }
        }
        for it in &joined {
            let (mut whole, mut runs) = (RuleMatches::default(), RuleMatches::default());
            rules.search(&it.text, joins_lines, &mut whole)?;
            it.runs.iter().try_for_each(|run| rules.search(run, joins_lines, &mut runs))?;
            found.matches.terms.add_all(&whole.terms)?;
            // Places within one run were counted already.
            office.add_beyond(&whole.counts, &runs.counts);
        }
        let mut counts = if is_office { office } else { places.counts() };
        // The reader has read the same places.
        counts.take_larger(&read);
        found.matches.counts = counts;
        if let Some(words) = rules.words(&found.matches.terms) {
            let has_other = |text: &str| rules.has_other_place(text, &words);
            found.has_other_place = listed.iter().any(|text| has_other(text))
                || joined.iter().any(|it| has_other(&it.text))
                || self.at.session.documents().iter().any(|it| has_other(&it.text));
        }
        Ok(found)
    }

    /// Searches what the reader read: the file and those in it.
    fn search_read(&self, rules: &Rules, found: &mut FileMatches) -> Result<()> {
        for document in self.at.session.documents() {
            // A title that stands in the text counts once.
            let title = document.title.iter().filter(|title| !document.text.contains(*title));
            let title = title.map(|title| ("the title", title.as_str()));
            let metadata =
                document.metadata.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let has_places = !document.places.is_empty();
            let texts = text_by_place(&document).into_iter();
            let texts =
                texts.map(|(label, text)| (if has_places { label } else { "its text" }, text));
            for (place, text) in texts.chain(title).chain(metadata) {
                let before = found.matches.counts.total();
                rules.search(text, true, &mut found.matches)?;
                if found.place.is_none() && found.matches.counts.total() > before {
                    found.place = Some(place.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Adds the texts that a tool lists.
    async fn add_listed(
        &self,
        extension: &str,
        listed: &mut Vec<String>,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let tool = if extension == "pdf" { OF_PDF } else { OF_TEXT };
        for _ in 0..MAX_WINDOWS {
            let arguments = self.file.arguments(json!({ "start": listed.len() })).to_string();
            let doing = format!("searching {}", self.file.name);
            let report = self.at.call(tool, doing, &arguments).await?;
            let result = Value::from(report.result?);
            listed.extend(texts(&result, "texts"));
            if !result["next"].is_u64() {
                warnings.extend(texts(&result, "warnings"));
                return Ok(());
            }
        }
        let message = format!("its texts do not fit into {MAX_WINDOWS} results");
        Err(Error::new(ErrorKind::Input, message).hint("split the file"))
    }
}
