//! Estimates what parsing a Markdown text would cost, before it is parsed.
//!
//! The parser builds the tree of the whole text before its first event. It fills in cells that rows of tables leave out, and
//! visits all open lists and quotations at every line. So a few kilobytes can need gigabytes or minutes. This scan reads
//! each byte once and allocates nothing. It rather estimates too much. Texts that people write are far below every limit.

/// Most cells of a text that rows of tables leave out and the parser fills in. Each costs about 100 bytes, and half of that
/// is kept. A table of twenty columns and 5 000 rows with only their first cell leaves out 95 000.
const MAX_COMPLETED: usize = 131_072;

/// Most nodes of the parser's tree, 48 bytes each: 120 MB. A table of a million cells with text has two million.
const MAX_NODES: usize = 2_500_000;

/// Most marks such as `[`, `*`, `<` between two blank lines. The parser compares the marks of a paragraph with each other:
/// the worst known text takes a second for this number. A table of 5 000 rows with ten links in each has as many.
const MAX_MARKS: usize = 200_000;

/// Most visits of open lists and quotations, summed over all lines: about a second. A text of 2 MiB in lines of forty bytes,
/// each indented by eight, has 400 000.
const MAX_STEPS: usize = 30_000_000;

/// Bullets of a line that the parser checks in the time of one step.
const BULLETS_PER_STEP: usize = 32;

/// Most columns that a tab spans.
const TAB: usize = 4;

/// The limit that a text exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch {
    what: &'static str,
    limit: usize,
    used: usize,
    way_out: &'static str,
}

impl TooMuch {
    /// Returns the limit and what the text has at least.
    pub fn sentence(&self) -> String {
        format!("expected at most {} {}, got at least {}", self.limit, self.what, self.used)
    }

    /// Returns what the author can do instead.
    pub fn way_out(&self) -> &'static str {
        self.way_out
    }
}

/// Checks that parsing a text does not cost too much memory or time.
///
/// # Errors
///
/// [`TooMuch`] - the first limit that the text exceeds.
pub fn check(text: &str) -> Result<(), TooMuch> {
    let mut scan = Scan::default();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        scan.line(&rest[..end]);
        scan.verdict()?;
        let line_end = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = rest.get(end + line_end..).unwrap_or_default();
    }
    Ok(())
}

#[derive(Default)]
struct Scan {
    completed: usize,
    nodes: usize,
    steps: usize,
    /// Marks after the last blank line.
    marks: usize,
    /// Columns of the widest table that may still be open.
    columns: usize,
    /// Pipes of the previous line, which may be the header of a table.
    pipes_before: usize,
    /// Lists and quotations that may be open.
    depth: usize,
    is_after_blank: bool,
}

impl Scan {
    fn verdict(&self) -> Result<(), TooMuch> {
        let bounds = [
            (
                "cells that rows of tables leave out",
                MAX_COMPLETED,
                self.completed,
                "write each row of a table with all its cells, or deliver the table as a workbook",
            ),
            (
                "pieces of marked-up text",
                MAX_NODES,
                self.nodes,
                "split the text into several documents",
            ),
            ("marks in a paragraph", MAX_MARKS, self.marks, "part the text by blank lines"),
            (
                "lines within lists and quotations, times their levels,",
                MAX_STEPS,
                self.steps,
                "write the text with fewer levels, or in several documents",
            ),
        ];
        match bounds.into_iter().find(|(_, limit, used, _)| used > limit) {
            Some((what, limit, used, way_out)) => Err(TooMuch { what, limit, used, way_out }),
            None => Ok(()),
        }
    }

    fn line(&mut self, line: &[u8]) {
        // A row begins after the indent and the quotation marks of the containers of its table.
        let start = line.iter().position(|b| !matches!(b, b' ' | b'\t' | b'>'));
        let Some(start) = start else {
            self.blank(line);
            return;
        };
        let content = line[start..].trim_ascii_end();
        let pipes = content.iter().filter(|b| **b == b'|').count();
        // A header and the delimiter row below it have the same number of columns.
        if let Some(columns) =
            delimiters(content).filter(|columns| *columns <= self.pipes_before + 1)
        {
            self.columns = self.columns.max(columns);
        } else if self.columns > 0 {
            self.completed += self.columns.saturating_sub(cells(content));
        }
        self.pipes_before = pipes;
        let (depth, steps) = containers(line);
        // A paragraph may continue without the marks of its containers, but not after a blank line.
        self.depth = if self.is_after_blank { depth } else { self.depth.max(depth) };
        self.is_after_blank = false;
        self.steps += self.depth + steps;
        let (nodes, marks) = marks(line);
        self.nodes += 2 + nodes;
        self.marks += marks;
    }

    /// Counts a line with nothing but quotation marks. It ends every table, but no list.
    fn blank(&mut self, line: &[u8]) {
        self.columns = 0;
        self.pipes_before = 0;
        self.marks = 0;
        self.is_after_blank = true;
        self.steps += self.depth;
        self.nodes += 1 + line.iter().filter(|b| **b == b'>').count();
        self.depth = self.depth.max(containers(line).0);
    }
}

/// Returns the columns of a line that may be a delimiter row of a table. `None` if it cannot be one.
fn delimiters(content: &[u8]) -> Option<usize> {
    let is_part = |b: &u8| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t' | 0x0B | 0x0C);
    (content.contains(&b'-') && content.iter().all(is_part)).then(|| cells(content))
}

/// Counts the cells of a row as the parser does: a backslash escapes a pipe, even in code.
fn cells(content: &[u8]) -> usize {
    let is_pipe = |at: usize| content[at] == b'|' && (at == 0 || content[at - 1] != b'\\');
    let pipes = (0..content.len()).filter(|at| is_pipe(*at)).count();
    let edges =
        usize::from(is_pipe(0)) + usize::from(content.len() > 1 && is_pipe(content.len() - 1));
    (pipes + 1).saturating_sub(edges)
}

/// Returns how many lists and quotations a line can open at most, and how many steps its bullets cost. At each bullet, the
/// parser checks if the bullets from there on are a thematic break.
fn containers(line: &[u8]) -> (usize, usize) {
    let mut levels = 0;
    let mut steps = 0;
    // Consecutive bullets of one kind.
    let mut run = 0;
    let mut bullet = b'-';
    let mut rest = line;
    while let Some(byte) = rest.first() {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (taken, more) = match byte {
            b'\t' => (1, TAB),
            b' ' | b'>' => (1, 1),
            // A list and its item.
            b'-' | b'+' | b'*' if is_blank(rest.get(1)) => (1, 2),
            b'0'..=b'9'
                if matches!(rest.get(digits), Some(b'.' | b')'))
                    && is_blank(rest.get(digits + 1)) =>
            {
                (digits + 1, 2)
            }
            // The definition of a footnote can contain another one.
            b'[' => match rest.windows(2).position(|pair| pair == b"]:") {
                Some(end) => (end + 2, 1),
                None => break,
            },
            _ => break,
        };
        levels += more;
        match byte {
            b' ' | b'\t' => {}
            b'-' | b'*' => {
                run = if bullet == *byte { run + 1 } else { 1 };
                bullet = *byte;
                steps += run;
            }
            _ => run = 0,
        }
        rest = &rest[taken..];
    }
    (levels, steps / BULLETS_PER_STEP)
}

fn is_blank(byte: Option<&u8>) -> bool {
    matches!(byte, None | Some(b' ' | b'\t'))
}

/// Returns the nodes of a line besides its own, and how many of them are marks in text. Each mark is a node, and each text
/// before a mark.
fn marks(line: &[u8]) -> (usize, usize) {
    let (mut nodes, mut marks) = (0, 0);
    let mut is_text = false;
    for byte in line {
        let (weight, mark) = match byte {
            // A link, and the definition of one, has a record of its own.
            b']' => (3, 1),
            b'&' => (2, 1),
            b'*' | b'_' | b'~' | b'^' | b'`' | b'[' | b'!' | b'<' | b'\\' | b'$' => (1, 1),
            b'|' | b'>' | b'-' | b'+' => (1, 0),
            _ => {
                is_text = true;
                continue;
            }
        };
        nodes += weight + usize::from(is_text);
        marks += mark;
        is_text = false;
    }
    (nodes, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_much(text: &str) -> &'static str {
        check(text).err().map_or("", |error| error.what)
    }

    fn table(columns: usize, rows: usize, row: &str) -> String {
        format!(
            "{}\n{}\n{}",
            "|a".repeat(columns) + "|",
            "|-".repeat(columns) + "|",
            format!("{row}\n").repeat(rows)
        )
    }

    #[test]
    fn tables_that_people_write() {
        let row = "| 12.5 ".repeat(20) + "|";
        for text in [
            table(20, 5_000, &row),
            table(20, 5_000, "| only the first"),
            table(20, 40_000, &row),
            // Without the outer pipes.
            format!("a | b\n--- | ---\n{}", "1 | 2\n".repeat(200_000)),
            // Escaped pipes do not separate cells.
            table(3, 20_000, r"| a \| b | `c \| d` | e |"),
            // Many tables, each in a quotation.
            format!("> {}\n\n", table(10, 0, "").trim_end().replace('\n', "\n> ")).repeat(5_000),
            // A thematic break or a heading is not a table.
            "Heading\n---\ntext text text\n".repeat(50_000),
            "a | b\n\n---\n\ntext\n".repeat(50_000),
        ] {
            assert_eq!(too_much(&text), "", "{}", &text[..80]);
        }
    }

    #[test]
    fn cells_that_are_left_out() {
        let what = "cells that rows of tables leave out";
        let one = table(512, 512, "a");
        assert_eq!(too_much(&one), what);
        // Many small tables instead of a large one. Each one alone is small enough.
        let small = table(100, 100, "|") + "\n";
        assert_eq!(too_much(&small), "");
        assert_eq!(too_much(&small.repeat(14)), what);
        for prefix in ["> ", ">>>", "  ", "> > ", "\t", ">\t"] {
            let quoted = one.lines().map(|line| format!("{prefix}{line}\n")).collect::<String>();
            assert_eq!(too_much(&quoted), what, "{prefix}");
            assert_eq!(too_much(&quoted.replace('\n', "\r\n")), what, "{prefix}");
            assert_eq!(too_much(&quoted.replace('\n', "\r")), what, "{prefix}");
        }
        // In a list item, the header is on the line of the bullet.
        for (first, next) in [("- ", "  "), ("1. > ", "   > "), ("[^a]: ", "    ")] {
            let item = one.replace('\n', &format!("\n{next}"));
            assert_eq!(too_much(&format!("{first}{item}")), what, "{first}");
        }
        // Without outer pipes, with colons and blanks.
        let loose =
            format!("{}b\n{}-\n{}", "a|".repeat(511), ":-: | ".repeat(511), "x\n".repeat(512));
        assert_eq!(too_much(&loose), what);
    }

    #[test]
    fn depth_and_marks() {
        let what = "lines within lists and quotations, times their levels,";
        for (mark, line) in
            [("- ", "\n"), (">", "[!NOTE]\n"), ("1. ", "`a\n"), ("> + ", "<a\n"), ("[^a]: ", "\n")]
        {
            let text = format!("{}{}", mark.repeat(20_000), line.repeat(20_000));
            assert_eq!(too_much(&text), what, "{mark}");
        }
        // Bullets that might be a thematic break, which the parser checks at each of them.
        for bullets in ["- ", "* ", "-\t"] {
            assert_eq!(
                too_much(&format!("{}{}a", "+ ".repeat(50_000), bullets.repeat(50_000))),
                what
            );
        }
        assert_eq!(too_much(&"- ".repeat(20_000)), "");
        // Deep, but without lines.
        assert_eq!(too_much(&"> - ".repeat(300_000)), "");
        assert_eq!(
            too_much(&format!("{}\n{}", "- ".repeat(20_000), "\n".repeat(20_000))),
            "lines within lists and quotations, times their levels,"
        );
        assert_eq!(too_much(&"[]\n\n".repeat(500_000)), "pieces of marked-up text");
        assert_eq!(too_much(&"[a](b) ".repeat(150_000)), "marks in a paragraph");
        assert_eq!(too_much(&"[a](b) *c*\n\n".repeat(100_000)), "");
        assert_eq!(too_much(&"- a\n\n  - b\n\n    - c\n\n".repeat(50_000)), "");
        assert_eq!(
            too_much(&"Some **bold** text, a [link](http://x) and `code`.\n\n".repeat(40_000)),
            ""
        );
    }
}
