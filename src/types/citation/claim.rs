//! What a citation is for: the quotations or numbers of its sentence or cell.
//!
//! Quotations come before numbers: a sentence with one is checked by it alone. Dates, years, and numbers of pages, tables and
//! clauses are no figures.

mod figure;
mod quotation;

use std::ops::Range;

use self::figure::figures;
use self::quotation::{Quotation, quotations};
use super::normal::normal;
use super::scan::Written;
use mitt_base::written_number::Number;

/// Most bytes of a sentence.
const MAX_SCOPE_BYTES: usize = 2_000;

/// Most bytes of a quotation that are compared.
const MAX_QUOTATION_BYTES: usize = 4_000;

/// Most claims of a citation.
const MAX_CLAIMS: usize = 20;

/// Most letters of a word such as `Source:` in a line that has otherwise only citations.
const MAX_LABEL_LETTERS: usize = 12;

/// Something that stands in a document, as the answer says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// The text in the answer.
    pub(super) text: String,
    pub(super) content: ClaimContent,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ClaimContent {
    Number(Number),
    /// Parts of a quotation, in normal form, in their order.
    Quotation(Vec<String>),
}

/// Citations beside each other, which stand for the same claims.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Indices of the citations.
    pub(super) members: Range<usize>,
    pub(super) claims: Vec<Claim>,
}

/// Returns the citations in groups, with their claims. `citations` are those of the answer, in order.
pub(super) fn groups(answer: &str, citations: &[Written]) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut line: Option<Line<'_>> = None;
    let mut at = 0;
    while let Some(first) = citations.get(at) {
        let start = first.range.start;
        let this = match line.take().filter(|line| line.range.contains(&start)) {
            Some(line) => line,
            None => Line::at(answer, start, citations),
        };
        let mut end = at + 1;
        while let Some(next) = citations.get(end) {
            let between = &answer[citations[end - 1].range.end..next.range.start];
            if !this.range.contains(&next.range.start) || !is_glue(between, this.is_row()) {
                break;
            }
            end += 1;
        }
        let floor = at.checked_sub(1).map_or(0, |before| citations[before].range.end);
        let ceiling = citations.get(end).map_or(answer.len(), |next| next.range.start);
        let claims = this.claims(&citations[at..end], floor, ceiling);
        groups.push(Group { members: at..end, claims });
        line = Some(this);
        at = end;
    }
    groups
}

/// Returns `true` if two citations with this text between them belong together.
fn is_glue(between: &str, is_row: bool) -> bool {
    if between.len() > 16 || between.contains('\n') || (is_row && between.contains('|')) {
        return false;
    }
    let words = between.trim().trim_matches(|it: char| !it.is_alphanumeric());
    matches!(
        words.to_lowercase().as_str(),
        "" | "and" | "or" | "see" | "和" | "及" | "与" | "以及" | "und" | "et"
    ) && !between.contains(['.', '。', '!', '?'])
}

/// A line of the answer with citations.
struct Line<'a> {
    answer: &'a str,
    range: Range<usize>,
    quotations: Vec<Quotation>,
}

impl<'a> Line<'a> {
    fn at(answer: &'a str, start: usize, citations: &[Written]) -> Line<'a> {
        let begin = answer[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = answer[start..].find('\n').map_or(answer.len(), |at| start + at);
        let first = citations.partition_point(|it| it.range.end <= begin);
        let ranges = citations[first..].iter().map(|it| &it.range);
        let ranges: Vec<_> = ranges.take_while(|it| it.start < end).collect();
        let is_in_citation = |range: &Range<usize>| {
            let near = ranges.partition_point(|it| it.end <= range.start);
            ranges.get(near).is_some_and(|it| it.start < range.end)
        };
        let mut quotations = quotations(answer, begin..end);
        quotations.retain(|it| !is_in_citation(&it.inner));
        Line { answer, range: begin..end, quotations }
    }

    fn text(&self) -> &'a str {
        &self.answer[self.range.clone()]
    }

    fn is_row(&self) -> bool {
        self.text().trim_start().starts_with('|')
    }

    fn is_block_quotation(&self) -> bool {
        self.text().trim_start().starts_with('>')
    }

    /// Returns the claims of citations beside each other. `floor` is the end of the citation before them, `ceiling` the start
    /// of the next.
    fn claims(&self, members: &[Written], floor: usize, ceiling: usize) -> Vec<Claim> {
        let (Some(first), Some(last)) = (members.first(), members.last()) else {
            return Vec::new();
        };
        let (start, end) = (first.range.start, last.range.end);
        let of_links = members.iter().filter_map(|it| it.link_text.clone());
        let of_links: Vec<Claim> = of_links.flat_map(|range| self.in_range(range)).collect();
        if !of_links.is_empty() {
            return bounded(of_links);
        }
        let floor = floor.max(self.range.start);
        let ceiling = ceiling.min(self.range.end);
        let before = if self.is_row() {
            let cell = self.answer[floor..start].rfind('|').map_or(floor, |at| floor + at);
            let of_cell = self.in_range(cell..start);
            if of_cell.is_empty() { self.in_range(floor..start) } else { of_cell }
        } else if self.is_block_quotation() && !self.has_quotation(floor..start) {
            block_quotation(&self.answer[floor..start])
        } else {
            self.in_range(self.sentence_before(floor..start))
        };
        if !before.is_empty() {
            return bounded(before);
        }
        let after = self.in_range(self.sentence_after(end..ceiling));
        if !after.is_empty() || !self.is_label(floor..start) || floor > self.range.start {
            return bounded(after);
        }
        bounded(self.previous_line())
    }

    fn has_quotation(&self, range: Range<usize>) -> bool {
        self.within(&range).any(|it| !it.is_code)
    }

    /// Returns the quotations in a range.
    fn within(&self, range: &Range<usize>) -> impl Iterator<Item = &Quotation> {
        let first = self.quotations.partition_point(|it| it.outer.start < range.start);
        let end = range.end;
        self.quotations[first..].iter().take_while(move |it| it.outer.end <= end)
    }

    /// Returns the quotation around a place.
    fn around(&self, at: usize) -> Option<&Quotation> {
        let next = self.quotations.partition_point(|it| it.outer.end <= at);
        self.quotations.get(next).filter(|it| it.outer.contains(&at))
    }

    /// Returns the claims in a range of this line.
    fn in_range(&self, range: Range<usize>) -> Vec<Claim> {
        let (codes, quoted): (Vec<_>, Vec<_>) = self.within(&range).partition(|it| it.is_code);
        let claims_of = |of: Vec<&Quotation>| -> Vec<Claim> {
            of.into_iter()
                .filter_map(|it| quotation_claim(&self.answer[it.inner.clone()]))
                .collect()
        };
        let quoted = claims_of(quoted);
        if !quoted.is_empty() {
            return quoted;
        }
        let text = &self.answer[range];
        let numbers: Vec<Claim> = figures(text)
            .into_iter()
            .map(|(number, range)| Claim {
                text: text[range].trim().to_owned(),
                content: ClaimContent::Number(number),
            })
            .collect();
        if numbers.is_empty() { claims_of(codes) } else { numbers }
    }

    /// Returns the range of the sentence that ends with a range.
    fn sentence_before(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.answer[range.clone()];
        // A citation may stand behind the full stop, or in parentheses.
        let is_tail = |it: char| {
            it.is_whitespace() || ends_sentence(it) || matches!(it, '.' | '(' | '（' | '[' | '<')
        };
        let trimmed = text.trim_end_matches(is_tail);
        let mut start = range.start;
        for (at, character) in trimmed.char_indices().rev() {
            let after = &text[at + character.len_utf8()..];
            if ends_sentence(character)
                || (character == '.' && after.starts_with(char::is_whitespace))
            {
                start = range.start + at + character.len_utf8();
                break;
            }
        }
        // A sentence in a quotation is not the beginning.
        if let Some(quotation) = self.around(start).filter(|it| it.outer.end <= range.end) {
            start = quotation.outer.start.max(range.start);
        }
        let mut from = start.max(range.end.saturating_sub(MAX_SCOPE_BYTES));
        while !self.answer.is_char_boundary(from) {
            from += 1;
        }
        from..range.end
    }

    /// Returns the range of the rest of a sentence.
    fn sentence_after(&self, range: Range<usize>) -> Range<usize> {
        let text = mitt_base::text::cut_bytes(&self.answer[range.clone()], MAX_SCOPE_BYTES);
        let is_quoted = |at: usize| self.around(range.start + at).is_some();
        let end = text.char_indices().find(|(at, character)| {
            let after = &text[at + character.len_utf8()..];
            let is_stop =
                *character == '.' && (after.is_empty() || after.starts_with(char::is_whitespace));
            (is_stop || ends_sentence(*character) || *character == '|') && !is_quoted(*at)
        });
        range.start..range.start + end.map_or(text.len(), |(at, _)| at)
    }

    /// Returns `true` if a range has no words but a label such as `Source:`.
    fn is_label(&self, range: Range<usize>) -> bool {
        let text = &self.answer[range];
        let letters = text.chars().filter(|it| it.is_alphanumeric()).count();
        letters == 0 || (letters <= MAX_LABEL_LETTERS && text.trim_end().ends_with([':', '：']))
    }

    /// Returns the claims in the line above, which this line of citations is for.
    fn previous_line(&self) -> Vec<Claim> {
        let above = self.answer[..self.range.start].trim_end();
        let above = &above[above.rfind('\n').map_or(0, |at| at + 1)..];
        let start = {
            let mut start = above.len().saturating_sub(MAX_SCOPE_BYTES);
            while !above.is_char_boundary(start) {
                start += 1;
            }
            start
        };
        let above = &above[start..];
        // A line with citations of its own, or a row of a table, has nothing left for this one.
        if above.contains('#') || above.trim_start().starts_with('|') {
            return Vec::new();
        }
        let line = Line {
            answer: above,
            range: 0..above.len(),
            quotations: quotations(above, 0..above.len()),
        };
        if line.is_block_quotation() && !line.has_quotation(0..above.len()) {
            block_quotation(above)
        } else {
            line.in_range(0..above.len())
        }
    }
}

fn ends_sentence(character: char) -> bool {
    matches!(character, '。' | '！' | '？' | '；' | '!' | '?' | ';')
}

/// Returns a line of a block quotation as a quotation.
fn block_quotation(text: &str) -> Vec<Claim> {
    let is_edge =
        |it: char| it.is_whitespace() || matches!(it, '>' | '-' | '–' | '—' | '(' | '（' | '[');
    quotation_claim(text.trim_matches(is_edge)).into_iter().collect()
}

/// Returns a quotation as a claim. What an ellipsis divides are its parts. `None` if it has fewer than two letters or digits.
fn quotation_claim(text: &str) -> Option<Claim> {
    let text = mitt_base::text::cut_bytes(text, MAX_QUOTATION_BYTES);
    let joined = text.replace("[...]", "…").replace("[…]", "…").replace("...", "…");
    // A comma or full stop within the quotation may belong to the sentence around it.
    let part = |part: &str| normal(part).trim_matches(['.', ',', ';', ':', '!', '?']).to_owned();
    let parts: Vec<String> =
        joined.split('…').map(part).filter(|it| it.chars().any(char::is_alphanumeric)).collect();
    let letters = parts.iter().flat_map(|it| it.chars()).filter(|it| it.is_alphanumeric()).count();
    let text = text.trim().to_owned();
    (letters >= 2).then_some(Claim { text, content: ClaimContent::Quotation(parts) })
}

fn bounded(mut claims: Vec<Claim>) -> Vec<Claim> {
    let mut seen = Vec::new();
    claims.retain(|it| {
        let is_new = !seen.contains(&it.text);
        seen.push(it.text.clone());
        is_new
    });
    claims.truncate(MAX_CLAIMS);
    claims
}

#[cfg(test)]
mod tests {
    use super::super::scan::{KnownName, scan};
    use super::*;

    /// Returns the claims of each group.
    fn claims(answer: &str) -> Vec<(usize, Vec<String>)> {
        let known = ["a.pdf", "b.pdf"].map(|name| KnownName { name, sheets: Vec::new() });
        let scanned = scan(answer, &known);
        let of = |it: Group| (it.members.len(), it.claims.into_iter().map(|it| it.text).collect());
        groups(answer, &scanned.citations).into_iter().map(of).collect()
    }

    #[test]
    fn a_citation_is_for_its_sentence_or_cell() {
        for (answer, expected) in [
            ("Costs were 9. Revenue was 12.5% [a.pdf#page=1].", &["12.5%"][..]),
            ("Costs were 9. Revenue was 12.5%. [a.pdf#page=1]", &["12.5%"]),
            ("成本为9万。收入为1,452.3万元（a.pdf#page=1）。", &["1,452.3万"]),
            ("It was 5 or 7 (see a.pdf#page=1).", &["5", "7"]),
            ("As [a.pdf#page=1] says, revenue was 12.5. Costs were 9.", &["12.5"]),
            ("Revenue grew [a.pdf#page=1]. Costs were 9.", &[]),
            ("So: [12.5%](a.pdf#page=1) of 40.", &["12.5%"]),
            ("It was 12.5 [report, p. 3](a.pdf#page=3).", &["12.5"]),
            ("It says “within 45 days” for 7 of them [a.pdf#page=1].", &["within 45 days"]),
            ("It says \"It fell. It rose.\" [a.pdf#page=1]", &["It fell. It rose."]),
            ("合同规定「四十五日内」交付 [a.pdf#page=1]。", &["四十五日内"]),
            ("The `total` is 12.5 [a.pdf#page=1].", &["12.5"]),
            ("The name is `total` [a.pdf#page=1].", &["total"]),
            ("| DAU | 1,234 [a.pdf#page=1] | 99 |", &["1,234"]),
            ("| DAU | 1,234 | 99 | [a.pdf#page=1] |", &["1,234", "99"]),
            (
                "> The supplier delivers in 45 days. — [a.pdf#page=1]",
                &["The supplier delivers in 45 days."],
            ),
            ("> The supplier delivers.\n\n[a.pdf#page=1]", &["The supplier delivers."]),
            ("Revenue was 12.5.\nSource: [a.pdf#page=1]", &["12.5"]),
            ("1. Revenue was 12.5 [a.pdf#page=1]", &["12.5"]),
            ("Nothing here [a.pdf#page=1].", &[]),
            ("Twice 5 and 5 [a.pdf#page=1].", &["5"]),
        ] {
            let found = claims(answer);
            assert_eq!(found.len(), 1, "{answer}: {found:?}");
            assert_eq!(found[0].1, expected, "{answer}");
        }
    }

    #[test]
    fn citations_beside_each_other_share_their_claims() {
        let shared =
            claims("From 5 to 7 [a.pdf#page=1], [b.pdf#page=2] and then 9 [a.pdf#page=3].");
        let texts = |of: &[&str]| of.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(shared, [(2, texts(&["5", "7"])), (1, texts(&["9"]))]);
        let row = claims("| 5 [a.pdf#page=1] | [b.pdf#page=2] |");
        assert_eq!(row, [(1, texts(&["5"])), (1, texts(&[]))]);
    }

    #[test]
    fn an_ellipsis_leaves_words_out() {
        for text in
            ["the goods … in 45 days", "the goods [...] in 45 days", "the goods... in 45 days."]
        {
            let claim = quotation_claim(text).unwrap();
            let parts = ["thegoods", "in45days"].map(str::to_owned).to_vec();
            assert_eq!(claim.content, ClaimContent::Quotation(parts), "{text}");
        }
        assert_eq!(quotation_claim("…"), None);
        assert_eq!(quotation_claim("x"), None);
    }

    #[test]
    fn long_lines_take_linear_time() {
        let begun = std::time::Instant::now();
        for piece in ["“", "\"x\" ", "`", "5 ", "x. "] {
            let answer = format!("{}[a.pdf#page=1] ", piece.repeat(1_000)).repeat(300);
            claims(&answer);
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
