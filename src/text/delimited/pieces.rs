//! Long texts in pieces: each piece is read separately, and all of them give the table that the whole text gives.
//!
//! The beginning of the text decides the dialect, the header and the types of columns for all pieces. A piece that cannot be read
//! by itself is refused, and the caller reads the whole text. Two rules make that safe. The text is divided at line ends only, and a
//! piece whose last quote is not closed is refused: so a piece that follows an accepted one begins with a record. A value that does
//! not fit in the type of its column is refused: so all pieces have the columns that the whole text has.

use super::scan::{Met, Remarks, Scanner};
use super::{
    Found, Head, MAX_CELLS, Pass, SAMPLE_ROWS, column_name, delimiter_of, dialect, notes,
    write_rows,
};
use crate::columns::{Judged, judge};
use crate::table::{Problem, Sink};

/// How the pieces of a text are read.
pub struct Layout {
    head: Head,
    judged: Judged,
}

/// Notes on one piece, for [`Layout::finish`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    rows: u64,
    line_ends: u64,
    /// Rows with another number of values than the header, and the line of the first, from 1 within the piece.
    ragged: (u64, u64),
}

impl Layout {
    /// Finds out how the pieces of a text are read. `head` is the beginning of the text and ends with a line end. Returns `None` if
    /// it does not decide that, for example because it has fewer rows than the sample for the types of columns.
    pub fn find(head: &str) -> Option<Layout> {
        let head_text = without_mark(head);
        let (dialect, start) = dialect::find(head_text);
        let head = Head::find(head_text, dialect, start).ok()??;
        let mut sample = Pass::new(head_text, &head);
        let has_no_more = sample.look(SAMPLE_ROWS).ok()?;
        // A quote that is not closed within the beginning may be closed behind it.
        if has_no_more || sample.scanner.remarks.open.count > 0 {
            return None;
        }
        let judged = judge(&sample.seen, delimiter_of(dialect), |at| column_name(&head, at));
        (!judged.may_change).then_some(Layout { head, judged })
    }

    /// Reads a piece into `sink`. The first piece begins with the text, each other one behind a line end. Returns `None` if the whole
    /// text must be read instead; the sink is then not ended.
    ///
    /// # Errors
    ///
    /// [`Problem::TooMuch`] - a row or all of them have too many values. [`Problem::Sink`] - the sink refused a chunk.
    pub fn read<S: Sink>(
        &self,
        piece: &str,
        is_first: bool,
        sink: &mut S,
    ) -> Result<Option<Report>, Problem<S::Error>> {
        let piece = if is_first { without_mark(piece) } else { piece };
        let start = if is_first { self.head.rows } else { (0, 1) };
        if start.0 > piece.len() {
            return Ok(None);
        }
        let mut scanner = Scanner::new(piece, self.head.dialect, start);
        scanner.width = Some(self.head.count);
        let Some(rows) = write_rows(&mut scanner, &self.head, &self.judged.plans, sink)? else {
            return Ok(None);
        };
        let Remarks { open, behind, long, ragged } = scanner.remarks;
        if open.count + behind.count + long.count > 0 {
            return Ok(None);
        }
        sink.end(self.name())?;
        Ok(Some(Report {
            rows: rows as u64,
            line_ends: (scanner.place().1 - 1) as u64,
            ragged: (ragged.count as u64, ragged.line as u64),
        }))
    }

    /// Returns the captions and warnings of a text from the reports on all its pieces, in their order. Returns `None` if the text has
    /// more cells than are read.
    pub fn finish(&self, reports: &[Report]) -> Option<Found> {
        let (mut rows, mut lines, mut ragged) = (0_u64, 0_u64, Met::default());
        for report in reports {
            if report.ragged.0 > 0 && ragged.count == 0 {
                ragged.line = usize::try_from(lines.checked_add(report.ragged.1)?).ok()?;
            }
            ragged.count = ragged.count.checked_add(usize::try_from(report.ragged.0).ok()?)?;
            rows = rows.checked_add(report.rows)?;
            lines = lines.checked_add(report.line_ends)?;
        }
        if rows > (MAX_CELLS / self.judged.plans.len().max(1)) as u64 {
            return None;
        }
        let mut warnings = notes(&Remarks { ragged, ..Remarks::default() }, &self.head);
        warnings.extend_from_slice(&self.judged.warnings);
        Some(Found { captions: self.head.captions.clone(), warnings })
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
        [self.rows, self.line_ends, self.ragged.0, self.ragged.1]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    /// Returns the report with these bytes, or `None` if they are not from [`Report::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Report> {
        if bytes.len() != Report::LENGTH {
            return None;
        }
        let mut numbers = bytes.chunks_exact(8).filter_map(|part| part.try_into().ok());
        let mut next = || numbers.next().map(u64::from_le_bytes);
        Some(Report { rows: next()?, line_ends: next()?, ragged: (next()?, next()?) })
    }
}

/// Returns the text without its byte order mark.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Kept;
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

    fn whole(text: &str) -> (Kept, Found) {
        let mut kept = Kept::default();
        let found = super::super::read(text, &mut kept).unwrap();
        (kept, found)
    }

    /// Reads a text in pieces that end at these places. Returns `None` if it must be read whole.
    fn in_pieces(text: &str, head: usize, cuts: &[usize]) -> Option<(Kept, Found)> {
        let layout = Layout::find(&text[..head])?;
        let (mut all, mut reports) = (Kept::default(), Vec::new());
        let mut from = 0;
        for to in cuts.iter().copied().chain([text.len()]) {
            let mut kept = Kept::default();
            let report = layout.read(&text[from..to], from == 0, &mut kept).unwrap()?;
            assert_eq!(Report::from_bytes(&report.to_bytes()), Some(report));
            reports.push(report);
            all.header = kept.header;
            all.rows.extend(kept.rows);
            from = to;
        }
        Some((all, layout.finish(&reports)?))
    }

    /// Returns the place behind the line end at or behind `at`.
    fn line_end(text: &str, at: usize) -> usize {
        memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |found| at + found + 1)
    }

    /// Compares pieces with the whole for many ways of cutting. Returns how many could be read in pieces.
    fn compare(text: &str) -> usize {
        let (expected, found) = whole(text);
        let head = line_end(text, text.len() / 2);
        let mut accepted = 0;
        for step in 1..60 {
            let first = line_end(text, text.len() * step / 61);
            let second = line_end(text, (first + text.len()) / 2);
            if second >= text.len() {
                continue;
            }
            if let Some((kept, told)) = in_pieces(text, head, &[first, second]) {
                assert_eq!(kept.header, expected.header);
                assert!(kept.rows == expected.rows, "cut at {first} and {second}");
                assert_eq!(told, found);
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
        // Rows of other widths are counted, and the first is named by its line in the file.
        let ragged = format!("{table}1,\n{}1,,\n", rows(5_000));
        assert_eq!(compare(&ragged), 59);
        assert!(whole(&ragged).1.warnings[0].contains("2, the first in line 10002"));
    }

    #[test]
    fn what_a_piece_cannot_decide_is_left_to_the_whole() {
        let table = |last: &str| format!("{HEADER}{}{last}{}", rows(9_000), rows(6_000));
        // A value of another type, a wider row, a quote that is closed in another piece or never, text behind a quote.
        for last in ["x,,,,\n", "1,,,,,6\n", "1,,\"a\nb,,\n", "1,,\"a\"b\",,\n"] {
            assert_eq!(compare(&table(last)), 0, "{last}");
        }
        // Values of several lines: only a cut within one is refused.
        let text = format!("{HEADER}{}", rows(60).replace("text 1", "\"te\nxt,\n1\"").repeat(400));
        let accepted = compare(&text);
        assert!((1..59).contains(&accepted), "{accepted}");
        // The beginning does not decide: too few rows, a comma that may stand before decimals, a quote that is open at its end.
        assert!(Layout::find(&(HEADER.to_owned() + &rows(4_000))).is_none());
        assert!(Layout::find(&"a;b\n1,5;2\n".repeat(9_000)).is_none());
        assert!(Layout::find("").is_none());
        let open = format!("{HEADER}{}1,,\"a\n{}", rows(4_090), rows(5));
        assert!(Layout::find(&open).is_none());
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
