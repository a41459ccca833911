//! Citations in an answer, and whether what they are for stands where they say.
//!
//! A citation names a place in a document: `report.pdf#page=3`, `book.xlsx#Sheet1!B7`, `contract.docx#p12`, `sales.csv#row=4`. It
//! is for the quotations of its sentence or cell, or else for its numbers. Both are looked up in the text and the cells that
//! were read. No model takes part, and the same answer has the same outcome.
//!
//! Numbers are compared by value, without separators, currency and unit: `12.3%` is `0.123`, and `1.2亿` is `120,000,000`. A number
//! with two or more digits stands also where its place has more digits that round to it, and with another sign. Texts are compared
//! without case, spaces, Markdown and differences of width.
//!
//! Knows documents, and neither sessions nor models. The work for an answer is bounded.

mod claim;
mod elsewhere;
mod locator;
mod normal;
mod place;
mod rects;
mod region;
mod scan;
mod sheets;
mod slug;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::claim::{Claim, ClaimContent, Group};
use self::elsewhere::elsewhere;
use self::locator::Locator;
use self::place::{Named, find};
pub use self::place::{Paragraph, Target};
use self::rects::searched;
pub use self::rects::{PagePlaces, PageRect, PageRectInternal};
use self::region::{Effort, Region};
use self::scan::{KnownName, Written, scan};
pub use self::sheets::Sheets;
use crate::document::Document;
use mitt_base::text::{cut_chars, one_line, single_line};

/// Most bytes of an answer that are searched for citations.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Most characters of a text that does not stand at its place.
const MAX_MISSING: u64 = 200;

/// Most texts of a PDF whose places on pages are looked up; the tool takes as many.
const MAX_PAGE_TEXTS: usize = 200;

/// Most characters of a text in a sentence for people.
const MAX_SHOWN: u64 = 80;

/// Outcome of the check of a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CitationOutcome {
    /// Everything that it is for stands there.
    Confirmed,
    /// Some of it does not stand there: [`Citation::missing`].
    NotFound,
    /// The document has no such place.
    NoSuchPlace,
    /// The session has no such document.
    NoSuchDocument,
    /// There is no quotation and no number beside it.
    NothingToCheck,
    /// The place cannot be looked up, such as a page of a Word file. What the citation is for stands in the document.
    Unchecked,
}

impl CitationOutcome {
    /// Returns the name, as in JSON: `confirmed`, `not_found`, `no_such_place`, `no_such_document`, `nothing_to_check` or
    /// `unchecked`.
    pub fn name(self) -> &'static str {
        match self {
            CitationOutcome::Confirmed => "confirmed",
            CitationOutcome::NotFound => "not_found",
            CitationOutcome::NoSuchPlace => "no_such_place",
            CitationOutcome::NoSuchDocument => "no_such_document",
            CitationOutcome::NothingToCheck => "nothing_to_check",
            CitationOutcome::Unchecked => "unchecked",
        }
    }

    /// Returns `true` if the citation is wrong.
    pub fn is_wrong(self) -> bool {
        use CitationOutcome::{NoSuchDocument, NoSuchPlace, NotFound};
        matches!(self, NotFound | NoSuchPlace | NoSuchDocument)
    }
}

/// A citation of an answer, checked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Citation {
    /// Where it stands in the answer, in bytes: the whole link, or the reference with its brackets.
    pub range: Range<usize>,
    /// Name of the document: that of the session, or as it is written if there is none.
    pub document: String,
    /// The place as it is written behind the `#`.
    pub place: String,
    /// The outcome.
    pub outcome: CitationOutcome,
    /// What does not stand there.
    pub missing: Vec<MissingClaim>,
    /// Where the first text that it is for stands on the cited page of a PDF. `None` if the citation is not confirmed, names no single
    /// page, or the place is not known.
    pub rect: Option<PageRect>,
}

/// A quotation or a number that does not stand at the cited place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingClaim {
    /// The text in the answer, at most 200 characters.
    pub text: String,
    /// The first place of the document where it stands, such as `page 7`, `Sheet1!B8` or `p14-0c1d`; on the cited page
    /// `page=7&rect=1,2,30,4`, as in a reference. `None` if none was found.
    pub elsewhere: Option<String>,
}

impl Citation {
    /// Returns the reference, such as `report.pdf#page=3`; with the rectangle where its text stands, if that is known.
    pub fn reference(&self) -> String {
        let Citation { document, place, .. } = self;
        match self.rect {
            Some(rect) if PageRect::of_fragment(place).is_none() => {
                format!("{document}#{place}&rect={rect}")
            }
            _ => format!("{document}#{place}"),
        }
    }

    /// Returns a sentence for people about a citation that is wrong; `None` for others. It is one line, without what could be
    /// taken for Markdown or for an end of the line.
    pub fn problem(&self) -> Option<String> {
        let document = shown(&self.document);
        let place = shown(&self.place.replace("page=", "page ").replace("&rect=", ", rect="));
        match self.outcome {
            CitationOutcome::NotFound => {
                let missing = |it: &MissingClaim| match &it.elsewhere {
                    Some(place) => format!("{} (it stands at {})", shown(&it.text), shown(place)),
                    None => shown(&it.text),
                };
                let missing: Vec<_> = self.missing.iter().map(missing).collect();
                Some(format!("not found at {document}, {place}: {}", missing.join("; ")))
            }
            CitationOutcome::NoSuchPlace => Some(format!("no such place: {document}, {place}")),
            CitationOutcome::NoSuchDocument => Some(format!("no such document: {document}")),
            _ => None,
        }
    }
}

/// Returns the beginning of a text on one line.
fn shown(text: &str) -> String {
    let line = one_line(&single_line(text));
    let (cut, is_cut) = cut_chars(&line, MAX_SHOWN);
    if is_cut { format!("{cut}…") } else { cut.to_owned() }
}

/// The citations of an answer, checked, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Citations {
    /// The citations, at most 500.
    pub list: Vec<Citation>,
    /// `true` if there may be more.
    pub has_more: bool,
}

impl Citations {
    /// Returns the number of citations with an outcome.
    pub fn count(&self, outcome: CitationOutcome) -> usize {
        self.list.iter().filter(|it| it.outcome == outcome).count()
    }

    /// Returns a sentence for each citation that is wrong, without repetitions.
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = Vec::new();
        for problem in self.list.iter().filter_map(Citation::problem) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        problems
    }
}

/// The citations of an answer before they are checked.
pub struct Draft {
    citations: Vec<Written>,
    groups: Vec<Group>,
    is_cut: bool,
}

/// What the check of a document needs besides the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Paragraphs of a Word file.
    Paragraphs,
    /// Cells of a workbook.
    Cells,
}

/// Finds the citations of an answer, and what they are for.
pub fn draft<'a>(answer: &str, documents: impl Iterator<Item = &'a Document>) -> Draft {
    let answer_read = mitt_base::text::cut_bytes(answer, MAX_ANSWER_BYTES);
    let sheets = |it: &'a Document| {
        it.places.iter().filter_map(|place| place.label.strip_prefix("sheet ")).collect()
    };
    let known: Vec<KnownName<'_>> =
        documents.map(|it| KnownName { name: &it.name, sheets: sheets(it) }).collect();
    let scanned = scan(answer_read, &known);
    let groups = claim::groups(answer_read, &scanned.citations);
    let is_cut = scanned.is_cut || answer_read.len() < answer.len();
    Draft { citations: scanned.citations, groups, is_cut }
}

impl Draft {
    /// Returns `true` if there are no citations.
    pub fn is_empty(&self) -> bool {
        self.citations.is_empty()
    }

    /// Returns `true` if a citation names this document.
    pub fn names(&self, document: usize) -> bool {
        self.citations.iter().any(|it| it.document == Some(document))
    }

    /// Returns `true` if the places of this document can be looked up only with more than the document.
    pub fn needs(&self, document: usize, need: Need) -> bool {
        let needs = |locator: &Locator| match need {
            Need::Paragraphs => matches!(locator, Locator::Anchor { .. }),
            Need::Cells => {
                matches!(locator, Locator::Cells(_) | Locator::Rows(_) | Locator::Name(_))
            }
        };
        self.citations.iter().any(|it| it.document == Some(document) && needs(&it.locator))
    }

    /// Returns the texts whose places on pages of this document are looked up, each with its page.
    pub fn page_texts(&self, document: usize) -> Vec<(u64, String)> {
        let mut texts = Vec::new();
        for group in &self.groups {
            let members = self.citations.get(group.members.clone()).unwrap_or_default();
            for page in members.iter().filter(|it| it.document == Some(document)).filter_map(page) {
                texts
                    .extend(group.claims.iter().filter_map(|it| Some((page, searched(&it.text)?))));
            }
        }
        texts.sort();
        texts.dedup();
        texts.truncate(MAX_PAGE_TEXTS);
        texts
    }

    /// Checks the citations. `targets` are the documents by their index; one that is not there is not named. Names of `delivered`
    /// files are no citations of documents.
    pub fn check(&self, targets: &[Option<Target>], delivered: &[String]) -> Citations {
        let mut effort = Effort::new();
        let mut list = Vec::with_capacity(self.citations.len());
        for group in &self.groups {
            let members = self.citations.get(group.members.clone()).unwrap_or_default();
            check_group(members, &group.claims, targets, &mut effort, &mut list);
        }
        list.retain(|it: &Citation| {
            it.outcome != CitationOutcome::NoSuchDocument || !delivered.contains(&it.document)
        });
        Citations { list, has_more: self.is_cut }
    }
}

/// Returns the only page that a citation names; `None` if it names several, or something else.
fn page(written: &Written) -> Option<u64> {
    match &written.locator {
        Locator::Parts { kind: "page", numbers } if numbers.start() == numbers.end() => {
            Some(*numbers.start())
        }
        _ => None,
    }
}

/// A citation with what stands at its place.
enum Looked<'a> {
    /// Claims that stand there.
    At {
        target: &'a Target,
        found: Vec<bool>,
        is_exact: bool,
    },
    Is(CitationOutcome),
}

fn check_group(
    members: &[Written],
    claims: &[Claim],
    targets: &[Option<Target>],
    effort: &mut Effort,
    list: &mut Vec<Citation>,
) {
    let looked: Vec<Looked<'_>> =
        members.iter().map(|it| look(it, claims, targets, effort)).collect();
    // A claim of several citations must stand at one of them.
    let mut of_any = vec![false; claims.len()];
    for it in &looked {
        if let Looked::At { found, .. } = it {
            of_any.iter_mut().zip(found).for_each(|(any, found)| *any |= found);
        }
    }
    for (written, it) in members.iter().zip(looked) {
        let target = written.document.and_then(|it| targets.get(it)?.as_ref());
        let document = target.map_or(&written.name, |it| &it.document.name);
        let (outcome, missing) = match it {
            Looked::Is(outcome) => (outcome, Vec::new()),
            Looked::At { target, found, is_exact } => {
                let has_some = found.contains(&true);
                let is_missing = |at: usize| !found[at] && (!has_some || !of_any[at]);
                let missing: Vec<Claim> = (0..claims.len())
                    .filter(|at| is_missing(*at))
                    .map(|at| claims[at].clone())
                    .collect();
                match (missing.is_empty(), is_exact) {
                    (true, true) => (CitationOutcome::Confirmed, Vec::new()),
                    (true, false) => (CitationOutcome::Unchecked, Vec::new()),
                    (false, _) => {
                        let missing = with_places(target, (written, missing), is_exact, effort);
                        (CitationOutcome::NotFound, missing)
                    }
                }
            }
        };
        let rect = match outcome {
            CitationOutcome::Confirmed => target.and_then(|it| rect(it, written, claims)),
            _ => None,
        };
        list.push(Citation {
            range: written.range.clone(),
            document: document.clone(),
            place: written.fragment.clone(),
            outcome,
            missing,
            rect,
        });
    }
}

/// Returns where the first of some claims stands on the page of a citation, within the rectangle that it names.
fn rect(target: &Target, written: &Written, claims: &[Claim]) -> Option<PageRect> {
    let (page, within) = (page(written)?, PageRect::of_fragment(&written.fragment));
    claims.iter().find_map(|claim| target.page_places.first(page, &claim.text, within))
}

fn look<'a>(
    written: &Written,
    claims: &[Claim],
    targets: &'a [Option<Target>],
    effort: &mut Effort,
) -> Looked<'a> {
    let target = written.document.and_then(|it| targets.get(it)?.as_ref());
    let Some(target) = target else { return Looked::Is(CitationOutcome::NoSuchDocument) };
    let (region, is_exact): (Region<'_>, bool) = match find(target, &written.locator, effort) {
        Named::Here(region) => (region, true),
        Named::Within(region) => (region, false),
        Named::Unknown => return Looked::Is(CitationOutcome::Unchecked),
        Named::Missing => return Looked::Is(CitationOutcome::NoSuchPlace),
    };
    if claims.is_empty() {
        return Looked::Is(CitationOutcome::NothingToCheck);
    }
    match region.holds(claims, effort) {
        Some(mut found) => {
            // A quotation on the page may stand far from the rectangle that is cited. A number may stand there in another form, which
            // is not looked up, so its page alone counts.
            if let (Some(page), Some(rect)) =
                (page(written), PageRect::of_fragment(&written.fragment))
            {
                let is_quotation = |it: &Claim| matches!(it.content, ClaimContent::Quotation(_));
                for (claim, found) in claims.iter().zip(&mut found).filter(|it| is_quotation(it.0))
                {
                    *found &= !target.page_places.is_outside(page, &claim.text, rect);
                }
            }
            Looked::At { target, found, is_exact }
        }
        None => Looked::Is(CitationOutcome::Unchecked),
    }
}

/// Returns claims with the places where they stand instead.
fn with_places(
    target: &Target,
    (written, claims): (&Written, Vec<Claim>),
    is_exact: bool,
    effort: &mut Effort,
) -> Vec<MissingClaim> {
    // If the whole document was searched in place of a part, nothing stands elsewhere.
    let places =
        if is_exact { elsewhere(target, &claims, effort) } else { vec![None; claims.len()] };
    let page = PageRect::of_fragment(&written.fragment).and_then(|_| page(written));
    let of = |(claim, elsewhere): (Claim, Option<String>)| {
        // Elsewhere on the cited page comes before other pages.
        let on_page = page.and_then(|page| {
            let rect = target.page_places.first(page, &claim.text, None)?;
            Some(format!("page={page}&rect={rect}"))
        });
        let elsewhere = on_page.or(elsewhere);
        let (text, _) = cut_chars(&claim.text, MAX_MISSING);
        MissingClaim { text: text.to_owned(), elsewhere }
    };
    claims.into_iter().zip(places).map(of).collect()
}
