//! Citations of an answer, as clients see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use mitt::{Citation, Citations};

/// Most citations of an answer, and most texts that are missing at one.
const MAX_CITATIONS: usize = 200;
const MAX_MISSING: usize = 5;

/// A citation of the answer, checked by the host.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct RunCitation {
    /// Where it begins in the answer, in bytes of UTF-8.
    pub start: u64,
    /// Where it ends, in bytes of UTF-8.
    pub end: u64,
    /// Name of the document.
    pub document: String,
    /// Place in the document, as it is written behind the `#`.
    pub place: String,
    /// `confirmed`, `not_found`, `no_such_place`, `no_such_document`, `nothing_to_check` or `unchecked`.
    pub outcome: String,
    /// What does not stand there, at most five texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<RunMissing>,
    /// One sentence for people, if the citation is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The reference with the rectangle where its text stands on the page of a PDF, if that is known:
    /// `report.pdf#page=3&rect=left,top,width,height`, in points from the upper left corner of the page as it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// A quotation or a number that does not stand at the cited place.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct RunMissing {
    /// The text in the answer.
    pub text: String,
    /// The first place of the document where it stands, such as `page 7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
}

/// Returns the citations as clients see them, at most 200.
pub(super) fn run_citations(citations: &Citations) -> Vec<RunCitation> {
    citations.list.iter().take(MAX_CITATIONS).map(run_citation).collect()
}

fn run_citation(citation: &Citation) -> RunCitation {
    let missing = citation.missing.iter().take(MAX_MISSING);
    RunCitation {
        start: citation.range.start as u64,
        end: citation.range.end as u64,
        document: citation.document.clone(),
        place: citation.place.clone(),
        outcome: citation.outcome.name().to_owned(),
        missing: missing
            .map(|it| RunMissing { text: it.text.clone(), elsewhere: it.elsewhere.clone() })
            .collect(),
        problem: citation.problem(),
        reference: citation.rect.map(|_| citation.reference()),
    }
}
