//! What a text would cost the parser, found out before it is parsed.
//!
//! The parser builds the tree of the whole text before it gives the first event. It also fills in cells that the rows of a table
//! leave out, and walks over all open lists and quotations at every line. So a few kilobytes can need gigabytes or minutes, and
//! counting its events would be too late. This scan reads each byte once, keeps nothing, and estimates too much rather than too
//! little. Texts that people write are far below every bound.

/// Cells that rows of tables leave out and the parser fills in, of the whole text. A table of twenty columns and 5 000 rows
/// of which each has only the first cell leaves out 95 000. Each costs about 100 bytes, of which half is kept.
const MAX_COMPLETED: usize = 131_072;

/// Nodes of the parser's tree, 48 bytes each: 120 MB. A table of a million cells with text has two million.
const MAX_NODES: usize = 2_500_000;

/// Marks such as `[`, `*`, `<` between two blank lines, as the parser compares those of a paragraph with each other: the worst
/// found takes a second for so many. A table of 5 000 rows with ten links in each has as many.
const MAX_MARKS: usize = 200_000;

/// Lists and quotations that are walked over, line by line: about a second. A text of 2 MiB in lines of forty bytes, all of
/// which are indented by eight, has 400 000.
const MAX_STEPS: usize = 30_000_000;

/// Bullets of a line that are looked at in the time of a step.
const BULLETS_PER_STEP: usize = 32;

/// Columns to the next stop of a tab, at most.
const TAB: usize = 4;

/// What there is too much of in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch {
    what: &'static str,
    limit: usize,
    used: usize,
    way_out: &'static str,
}

impl TooMuch {
    /// What there is, and how much may be.
    pub fn sentence(&self) -> String {
        format!("at most {} {} are read, got at least {}", self.limit, self.what, self.used)
    }

    /// What to do instead.
    pub fn way_out(&self) -> &'static str {
        self.way_out
    }
}

/// Refuse a text that would cost the parser too much memory or time.
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
    /// Marks since the last blank line.
    marks: usize,
    /// Columns of the widest table that may still be open.
    columns: usize,
    /// Pipes of the line before, which may be the head of a table.
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
        // A row goes on where the containers of its table do: behind indents and the marks of quotations.
        let start = line.iter().position(|b| !matches!(b, b' ' | b'\t' | b'>'));
        let Some(start) = start else {
            self.blank(line);
            return;
        };
        let content = line[start..].trim_ascii_end();
        let pipes = content.iter().filter(|b| **b == b'|').count();
        // A head and the line below it agree on the columns.
        if let Some(columns) =
            delimiters(content).filter(|columns| *columns <= self.pipes_before + 1)
        {
            self.columns = self.columns.max(columns);
        } else if self.columns > 0 {
            self.completed += self.columns.saturating_sub(cells(content));
        }
        self.pipes_before = pipes;
        let (depth, steps) = containers(line);
        // A line of a paragraph may go on without the marks of its containers, but not after a blank line.
        self.depth = if self.is_after_blank { depth } else { self.depth.max(depth) };
        self.is_after_blank = false;
        self.steps += self.depth + steps;
        let (nodes, marks) = marks(line);
        self.nodes += 2 + nodes;
        self.marks += marks;
    }

    /// Nothing but the marks of quotations: the end of every table, and no end of a list.
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

/// Columns of a line that may stand below the head of a table.
fn delimiters(content: &[u8]) -> Option<usize> {
    let is_part = |b: &u8| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t' | 0x0B | 0x0C);
    (content.contains(&b'-') && content.iter().all(is_part)).then(|| cells(content))
}

/// Cells of a row, as the parser counts them: a backslash takes the meaning of a pipe away, even within code.
fn cells(content: &[u8]) -> usize {
    let is_pipe = |at: usize| content[at] == b'|' && (at == 0 || content[at - 1] != b'\\');
    let pipes = (0..content.len()).filter(|at| is_pipe(*at)).count();
    let edges =
        usize::from(is_pipe(0)) + usize::from(content.len() > 1 && is_pipe(content.len() - 1));
    (pipes + 1).saturating_sub(edges)
}

/// Most lists and quotations that can be open in a line, which begins with their indents and marks; and the steps that its
/// bullets cost: at each, the parser looks whether the rest of its kind is a rule across the page.
fn containers(line: &[u8]) -> (usize, usize) {
    let mut levels = 0;
    let mut steps = 0;
    // Bullets of one kind after each other.
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
            // The definition of a footnote, in which another one may begin.
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

/// Nodes of a line besides its own, one for each mark and one for each text before a mark, and how many of them are marks
/// within text.
fn marks(line: &[u8]) -> (usize, usize) {
    let (mut nodes, mut marks) = (0, 0);
    let mut is_text = false;
    for byte in line {
        let (weight, mark) = match byte {
            // A link has a record of its own, as has the definition of one.
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
            // Escaped pipes are no cells.
            table(3, 20_000, r"| a \| b | `c \| d` | e |"),
            // Many tables, each in a quotation.
            format!("> {}\n\n", table(10, 0, "").trim_end().replace('\n', "\n> ")).repeat(5_000),
            // A rule or a heading is no table.
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
        // Many small tables instead of a large one, and none of them alone too large.
        let small = table(100, 100, "|") + "\n";
        assert_eq!(too_much(&small), "");
        assert_eq!(too_much(&small.repeat(14)), what);
        for prefix in ["> ", ">>>", "  ", "> > ", "\t", ">\t"] {
            let quoted = one.lines().map(|line| format!("{prefix}{line}\n")).collect::<String>();
            assert_eq!(too_much(&quoted), what, "{prefix}");
            assert_eq!(too_much(&quoted.replace('\n', "\r\n")), what, "{prefix}");
            assert_eq!(too_much(&quoted.replace('\n', "\r")), what, "{prefix}");
        }
        // In an item of a list, the head stands beside the mark.
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
        // Bullets that might be a rule, looked at from each of them.
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
