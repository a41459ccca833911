//! Reads long texts in pieces. Each piece is read separately, and together they give the same table as the whole text.
//!
//! The beginning of the text decides the dialect, the header and the column types of all pieces. A piece that cannot be read
//! by itself is refused, and the caller reads the whole text. Two rules make that safe:
//!
//! * The text is divided at line ends only, and a piece with an unclosed quote is refused. So the piece after an accepted
//!   one begins with a record.
//! * A piece with a value that does not fit its column type is refused. So all pieces have the columns of the whole text.

use super::scan::{Irregularities, Occurrences, Scanner};
use super::{
    ColumnScan, Head, MAX_CELLS, SAMPLE_ROWS, Summary, column_name, delimiter_of, dialect,
    irregularity_warnings, write_rows,
};
use crate::columns::{Judged, judge};
use crate::table::{Problem, Sink};

/// The dialect, the header and the column types of all pieces of a text.
pub struct Layout {
    head: Head,
    judged: Judged,
}

/// What [`Layout::finish`] needs to know about a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    rows: u64,
    line_ends: u64,
    /// Number of rows with fewer or more fields than the header, and the line of the first one, from 1 within the piece.
    ragged_rows: (u64, u64),
}

impl Layout {
    /// Detects the layout of a text. `head` is its beginning, up to a line end. `None` if that does not decide the layout,
    /// for example because it has fewer rows than the sample for the column types.
    pub fn find(head: &str) -> Option<Layout> {
        let head_text = without_mark(head);
        let (dialect, start) = dialect::find(head_text);
        let head = Head::find(head_text, dialect, start).ok()??;
        let mut sample = ColumnScan::new(head_text, &head);
        let has_no_more = sample.scan_rows(SAMPLE_ROWS).ok()?;
        // A quote that is not closed in the beginning may be closed after it.
        let is_open =
            head.has_unclosed_quote || sample.scanner.irregularities.unclosed_quotes.count > 0;
        if has_no_more || is_open {
            return None;
        }
        let judged = judge(&sample.seen, delimiter_of(dialect), |at| column_name(&head, at));
        (!judged.may_change).then_some(Layout { head, judged })
    }

    /// Reads a piece into `sink`. The first piece begins with the text, each other one after a line end. `None` if the whole
    /// text must be read instead; the table in the sink is then not ended.
    ///
    /// # Errors
    ///
    /// [`Problem::TooMuch`] - a row or the piece has too many values. [`Problem::Sink`] - the sink returned an error.
    pub fn read<S: Sink>(
        &self,
        piece: &str,
        is_first: bool,
        sink: &mut S,
    ) -> Result<Option<Report>, Problem<S::Error>> {
        let piece = if is_first { without_mark(piece) } else { piece };
        let start = if is_first { self.head.rows_start } else { (0, 1) };
        if start.0 > piece.len() {
            return Ok(None);
        }
        let mut scanner = Scanner::new(piece, self.head.dialect, start);
        scanner.width = Some(self.head.field_count);
        let Some(rows) = write_rows(&mut scanner, &self.head, &self.judged.plans, sink)? else {
            return Ok(None);
        };
        let Irregularities { unclosed_quotes, misplaced_quotes, long_values, ragged_rows } =
            scanner.irregularities;
        if unclosed_quotes.count + misplaced_quotes.count + long_values.count > 0 {
            return Ok(None);
        }
        sink.end(self.name())?;
        Ok(Some(Report {
            rows: rows as u64,
            line_ends: (scanner.position().1 - 1) as u64,
            ragged_rows: (ragged_rows.count as u64, ragged_rows.first_line as u64),
        }))
    }

    /// Returns the captions and warnings of a text from the reports on all its pieces, in order. `None` if the text has more
    /// than [`MAX_CELLS`] cells.
    pub fn finish(&self, reports: &[Report]) -> Option<Summary> {
        let (mut rows, mut lines, mut ragged_rows) = (0_u64, 0_u64, Occurrences::default());
        for report in reports {
            if report.ragged_rows.0 > 0 && ragged_rows.count == 0 {
                ragged_rows.first_line =
                    usize::try_from(lines.checked_add(report.ragged_rows.1)?).ok()?;
            }
            ragged_rows.count =
                ragged_rows.count.checked_add(usize::try_from(report.ragged_rows.0).ok()?)?;
            rows = rows.checked_add(report.rows)?;
            lines = lines.checked_add(report.line_ends)?;
        }
        if rows > (MAX_CELLS / self.judged.plans.len().max(1)) as u64 {
            return None;
        }
        let mut warnings = irregularity_warnings(
            &Irregularities { ragged_rows, ..Irregularities::default() },
            &self.head,
        );
        warnings.extend_from_slice(&self.judged.warnings);
        Some(Summary { captions: self.head.captions.clone(), warnings })
    }

    /// Returns the name of the table; empty if it has none.
    fn name(&self) -> String {
        self.head.captions.first().cloned().unwrap_or_default()
    }
}

impl Report {
    /// Length of [`Report::to_bytes`], in bytes.
    const LENGTH: usize = 32;

    /// Returns the report as bytes.
    pub fn to_bytes(self) -> Vec<u8> {
        [self.rows, self.line_ends, self.ragged_rows.0, self.ragged_rows.1]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    /// Returns the report from the bytes of [`Report::to_bytes`]; `None` if they have another length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Report> {
        if bytes.len() != Report::LENGTH {
            return None;
        }
        let mut numbers = bytes.chunks_exact(8).filter_map(|part| part.try_into().ok());
        let mut next = || numbers.next().map(u64::from_le_bytes);
        Some(Report { rows: next()?, line_ends: next()?, ragged_rows: (next()?, next()?) })
    }
}

/// Returns the text without its byte order mark.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::CollectedTable;
    use super::*;

    /// Returns rows of a table with numbers, dates, texts and empty cells.
    fn rows(count: usize) -> String {
        let row = |at: usize| match at % 7 {
            0 => format!("{at},2024-01-{:02},\"名, {}\",{}.5,\n", 1 + at % 28, at % 9, at % 100),
            1 => format!("{at},,\"say \"\"x\"\"\",-1.25,true\n"),
            _ => format!("{at},2024-02-03,text {},0.{:02},\n", at % 5, at % 100),
        };
        (0..count).map(row).collect()
    }

    fn whole(text: &str) -> (CollectedTable, Summary) {
        let mut table = CollectedTable::default();
        let summary = super::super::read(text, &mut table).unwrap();
        (table, summary)
    }

    /// Reads a text in pieces, divided at `cuts`. `None` if the whole text must be read instead.
    fn in_pieces(text: &str, head: usize, cuts: &[usize]) -> Option<(CollectedTable, Summary)> {
        let layout = Layout::find(&text[..head])?;
        let (mut all, mut reports) = (CollectedTable::default(), Vec::new());
        let mut from = 0;
        for to in cuts.iter().copied().chain([text.len()]) {
            let mut table = CollectedTable::default();
            let report = layout.read(&text[from..to], from == 0, &mut table).unwrap()?;
            assert_eq!(Report::from_bytes(&report.to_bytes()), Some(report));
            reports.push(report);
            all.header = table.header;
            all.rows.extend(table.rows);
            from = to;
        }
        Some((all, layout.finish(&reports)?))
    }

    /// Returns the offset after the first line end from `at` on.
    fn line_end(text: &str, at: usize) -> usize {
        memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |found| at + found + 1)
    }

    /// Compares pieces with the whole text for 59 pairs of cuts. Returns how many of them were accepted.
    fn compare(text: &str) -> usize {
        let (expected, expected_summary) = whole(text);
        let head = line_end(text, text.len() / 2);
        let mut accepted = 0;
        for step in 1..60 {
            let first = line_end(text, text.len() * step / 61);
            let second = line_end(text, (first + text.len()) / 2);
            if second >= text.len() {
                continue;
            }
            if let Some((table, summary)) = in_pieces(text, head, &[first, second]) {
                assert_eq!(table.header, expected.header);
                assert!(table.rows == expected.rows, "cut at {first} and {second}");
                assert_eq!(summary, expected_summary);
                accepted += 1;
            }
        }
        accepted
    }

    const HEADER: &str = "id,day,name,amount,flag\n";

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let table = HEADER.to_owned() + &rows(10_000);
        assert_eq!(compare(&table), 59);
        assert_eq!(compare(&format!("\u{FEFF}Sales of 2024\nin thousands\n\n{table}")), 59);
        assert_eq!(compare(&table.replace('\n', "\r\n")), 59);
        assert_eq!(compare(&table.replace('\n', "\n\n")), 59);
        // Ragged rows are counted, and the warning names the line of the first one in the file.
        let ragged = format!("{table}1,\n{}1,,\n", rows(5_000));
        assert_eq!(compare(&ragged), 59);
        assert!(whole(&ragged).1.warnings[0].contains("2, the first in line 10002"));
    }

    #[test]
    fn what_a_piece_cannot_decide_is_left_to_the_whole() {
        let table = |last: &str| format!("{HEADER}{}{last}{}", rows(9_000), rows(6_000));
        // A value of another type, a wider row, a quote that is closed in another piece or never, text after a quote.
        for last in ["x,,,,\n", "1,,,,,6\n", "1,,\"a\nb,,\n", "1,,\"a\"b\",,\n"] {
            assert_eq!(compare(&table(last)), 0, "{last}");
        }
        // Values of several lines: only a cut in one of them is refused.
        let text = format!("{HEADER}{}", rows(60).replace("text 1", "\"te\nxt,\n1\"").repeat(400));
        let accepted = compare(&text);
        assert!((1..59).contains(&accepted), "{accepted}");
        // The beginning does not decide: too few rows, a possible decimal comma, an unclosed quote at its end.
        assert!(Layout::find(&(HEADER.to_owned() + &rows(4_000))).is_none());
        assert!(Layout::find(&"a;b\n1,5;2\n".repeat(9_000)).is_none());
        assert!(Layout::find("").is_none());
        let open = format!("{HEADER}{}1,,\"a\n{}", rows(4_090), rows(5));
        assert!(Layout::find(&open).is_none());
        for begins in ["id,\"day,name,amount,flag\n", "\"Sales\nid,day,name,amount,flag\n"] {
            assert!(Layout::find(&(begins.to_owned() + &rows(9_000).replace('"', ""))).is_none());
        }
    }

    #[test]
    fn all_pieces_together_have_a_bound() {
        let layout = Layout::find(&(HEADER.to_owned() + &rows(5_000))).unwrap();
        let report = |rows| Report { rows, ..Report::default() };
        let most = (MAX_CELLS / 5) as u64;
        assert!(layout.finish(&[report(most - 1), report(1)]).is_some());
        assert!(layout.finish(&[report(most), report(1)]).is_none());
        assert!(layout.finish(&[report(u64::MAX), report(1)]).is_none());
        assert!(Report::from_bytes(&[0; 31]).is_none());
    }
}
