//! Calls of the tool that redacts, one after the other: each gets the file that the one before delivered, in a fresh session. So no
//! session has more files than one call needs.

use serde_json::Value;

use super::super::new_file::delivered;
use super::super::pdf_file::{PdfFile, texts};
use super::super::work::Work;
use super::aside::Aside;
use mitt_base::{Error, ErrorKind, Result};

/// The tool for a file, and what it removed so far.
pub(super) struct Steps {
    /// The session of the next call.
    at: Aside,
    tool: &'static str,
    extension: &'static str,
    /// The file that the next call gets.
    file: PdfFile,
    /// Content of the last file that was delivered.
    content: Option<Vec<u8>>,
    /// The session has delivered `content`, and does not have it as a document.
    is_used: bool,
    n_calls: usize,
    pub(super) removed: Removed,
}

impl Steps {
    pub(super) fn new(
        work: &Work,
        (tool, extension): (&'static str, &'static str),
        file: PdfFile,
    ) -> Steps {
        let at = Aside::of(work);
        let removed = Removed::default();
        Steps { at, tool, extension, file, content: None, is_used: false, n_calls: 0, removed }
    }

    /// Returns the session, and the file as it is there. [`Steps::refresh`] comes before.
    pub(super) fn file(&self) -> (&Aside, &PdfFile) {
        (&self.at, &self.file)
    }

    /// Returns the content of the last file that was delivered; `None` if nothing was removed yet.
    pub(super) fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    pub(super) fn extension(&self) -> &'static str {
        self.extension
    }

    /// Reads the last file that was delivered in a fresh session.
    ///
    /// # Errors
    ///
    /// Those of [`Aside::fresh`] and [`Aside::read`].
    pub(super) async fn refresh(&mut self) -> Result<()> {
        let Some(content) = self.content.as_deref().filter(|_| self.is_used) else { return Ok(()) };
        let fresh = self.at.fresh()?;
        self.file = fresh.read(content, self.extension).await?;
        self.at = fresh;
        self.is_used = false;
        Ok(())
    }

    /// Calls the tool with the arguments that `arguments` makes for the name of the new file. Returns `false` if it found nothing.
    ///
    /// # Errors
    ///
    /// The errors of the tool other than `not-found`. [`ErrorKind::Cancelled`] - a signal came. Those of [`Steps::refresh`].
    pub(super) async fn run(&mut self, arguments: impl FnOnce(&str) -> Value) -> Result<bool> {
        self.refresh().await?;
        let name = self.free_name();
        let arguments = self.file.arguments(arguments(&name)).to_string();
        let doing = format!("redacting {}", self.file.name);
        let report = self.at.call(self.tool, doing, &arguments).await?;
        let result = match report.result {
            Ok(result) => Value::from(result),
            Err(error) if is_not_found(&error) => {
                self.removed.not_found = Some(error);
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let (_, content) = delivered(&self.at.session, self.tool, &report.artifacts)?;
        self.removed.add(&result);
        self.content = Some(content);
        self.is_used = true;
        Ok(true)
    }

    /// Returns a name that no document of the session has: a document would be read in place of the new file.
    fn free_name(&mut self) -> String {
        let documents = self.at.session.documents();
        loop {
            self.n_calls += 1;
            let name = format!("redacted-{}.{}", self.n_calls, self.extension);
            if documents.iter().all(|document| document.name != name) {
                return name;
            }
        }
    }
}

/// Returns `true` for the `not-found` of a tool: the file is there, but not the words.
fn is_not_found(error: &Error) -> bool {
    *error.kind() == ErrorKind::Plugin && error.message().contains("not-found: ")
}

/// What the tool removed.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Where it was, one sentence each.
    pub(super) places: Vec<String>,
    /// Number of hits; `None` before the first call.
    pub(super) hits: Option<u64>,
    /// `true` if `places` say that the new file was searched again.
    pub(super) says_proof: bool,
    pub(super) warnings: Vec<String>,
    /// The error of the last call that found nothing.
    not_found: Option<Error>,
}

impl Removed {
    /// Adds the result of a tool. Places are texts, or records of a place and a number.
    pub(super) fn add(&mut self, result: &Value) {
        let place = |place: &Value| match (place["place"].as_str(), place["count"].as_u64()) {
            (Some(place), Some(count)) => Some(format!("{place} ({count})")),
            (Some(place), None) => Some(place.to_owned()),
            (None, _) => place.as_str().map(str::to_owned),
        };
        // Those of a PDF are sentences.
        let done = result["done"].as_array();
        self.says_proof |= done.is_some();
        let listed = result["places"].as_array().or(done);
        self.places.extend(listed.into_iter().flatten().filter_map(place));
        let hits = result["hits"].as_u64().or_else(|| result["total"].as_u64());
        self.hits = match (self.hits, hits) {
            (Some(before), Some(hits)) => Some(before.saturating_add(hits)),
            (before, hits) => hits.or(before),
        };
        self.warn(texts(result, "warnings"));
    }

    /// Adds warnings that are not there yet.
    pub(super) fn warn(&mut self, warnings: impl IntoIterator<Item = String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Returns the error for a file in which nothing was found.
    pub(super) fn nothing(&self) -> Error {
        let error =
            Error::new(ErrorKind::Input, "nothing to remove was found, and nothing is written")
                .hint("`mitt ingest` prints the text; words in pictures are not found");
        let why = self.not_found.as_ref().and_then(|it| it.message().split_once("not-found: "));
        match why {
            Some((_, why)) => error.detail(why.to_owned()),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn removed(results: &[Value]) -> Removed {
        let mut removed = Removed::default();
        results.iter().for_each(|it| removed.add(it));
        removed
    }

    #[test]
    fn results_of_all_tools_are_read() {
        let found = removed(&[json!({ "places": ["slide 3 (2)"], "hits": 2, "warnings": ["w"] })]);
        assert_eq!((found.hits, found.warnings), (Some(2), vec!["w".to_owned()]));
        let found = removed(&[json!({ "places": [{ "place": "p1", "count": 3 }], "total": 3 })]);
        assert_eq!((found.hits, found.places), (Some(3), vec!["p1 (3)".to_owned()]));
        assert!(!found.says_proof);
        let found = removed(&[json!({ "done": ["1 place in text"], "hits": 1, "warnings": [] })]);
        assert_eq!((found.hits, found.says_proof), (Some(1), true));
        assert_eq!(found.places, ["1 place in text"]);
    }

    #[test]
    fn results_of_several_calls_are_added_up() {
        let one = json!({ "places": ["line 1"], "total": 2, "warnings": ["w"] });
        let two = json!({ "places": ["line 7"], "total": 1, "warnings": ["w", "v"] });
        let found = removed(&[one, two]);
        assert_eq!((found.hits, found.places.len()), (Some(3), 2));
        assert_eq!(found.warnings, ["w", "v"]);
    }

    #[test]
    fn only_what_was_not_found_is_no_error_of_the_tool() {
        let plugin = |message: &str| Error::new(ErrorKind::Plugin, message);
        let not_found = plugin("not-found: nothing to remove was found; x");
        assert!(is_not_found(&not_found) && !is_not_found(&plugin("malformed: something is left")));
        let removed = Removed { not_found: Some(not_found), ..Removed::default() };
        let error = removed.nothing();
        assert_eq!(error.kind(), &ErrorKind::Input);
        assert!(error.render().contains("found; x"), "{}", error.render());
    }
}
