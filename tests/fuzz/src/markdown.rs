//! Markdown out of bytes: nested constructs, and now and then one of them very often.

use mitt::render::{PdfBackend as _, PdfOptions, TypstBackend};

use super::shape::Shape;
use super::{bounded, runtime};

/// Most bytes of a source, unless `MITT_FUZZ_BYTES` says otherwise.
const MAX_BYTES: usize = 4 * 1024;

/// Sources up to this many bytes are typeset too, now and then: a page takes a tenth of a second.
const MAX_TYPESET_BYTES: usize = 2 * 1024;

const WORDS: [&str; 30] = [
    "word", "数据", "，", "**", "*", "_", "__", "~~", "`", "``", "[", "](", ")", "![", "<", ">",
    "&amp;", "&#0;", "\\", "\\|", "|", "[^1]", "[^2]", "[^a]", "[^数]", "<br>", "<!--", "\u{200b}",
    "😀", "$x$",
];

/// Markdown is read, drawn as a tree and typeset, or refused; the process lives and the memory is bounded.
pub fn markdown(data: &[u8]) {
    let mut shape = Shape::new(data);
    let typeset = shape.below(32) == 31;
    let most = std::env::var("MITT_FUZZ_BYTES").ok().and_then(|text| text.parse().ok());
    let mut source = Source { text: String::new(), most: most.unwrap_or(MAX_BYTES) };
    if shape.below(3) == 2 {
        source.much(&mut shape);
    }
    source.blocks(&mut shape, 5, "");
    check(source.text, typeset);
}

/// As [`markdown`], of a text.
pub fn markdown_text(text: &str) {
    check(text.to_owned(), text.len() <= MAX_TYPESET_BYTES);
}

fn check(text: String, typeset: bool) {
    use mitt::{ErrorKind, Host, SessionOptions};

    let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let read = runtime().block_on(session.add_document_bytes("a.md", text.clone().into_bytes()));
    if let Err(error) = read {
        bounded(&error, &[ErrorKind::Input]);
    }
    let doc = match mitt::render::markdown(&text) {
        Ok(doc) => doc,
        Err(error) => return bounded(&error, &[ErrorKind::Arguments]),
    };
    // The text of a tree is at most a few times as long as its source: nothing is inlined without end.
    let length = format!("{doc:?}").len();
    assert!(length <= 64 * 1024 + 512 * text.len(), "{} bytes became {length}: {text}", text.len());
    if typeset
        && text.len() <= MAX_TYPESET_BYTES
        && let Err(error) = TypstBackend.render(&doc, &PdfOptions::default())
    {
        bounded(&error, &[ErrorKind::Arguments]);
    }
}

struct Source {
    text: String,
    most: usize,
}

impl Source {
    /// Mostly small; now and then a power of two, for what grows with it.
    fn count(shape: &mut Shape<'_>) -> usize {
        match shape.below(12) {
            11 => 1 << shape.below(12),
            few => few / 3 + 1,
        }
    }

    fn is_full(&self) -> bool {
        self.text.len() >= self.most
    }

    fn line(&mut self, prefix: &str, line: &str) {
        if self.text.len() + prefix.len() + line.len() < self.most {
            self.text.push_str(prefix);
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn words(shape: &mut Shape<'_>) -> String {
        let mut text = String::new();
        for _ in 0..=shape.below(4) {
            let word = WORDS[shape.below(WORDS.len())];
            let times = Source::count(shape).min(256);
            text.push_str(&word.repeat(times));
            if shape.flip() {
                text.push(' ');
            }
        }
        text
    }

    fn blocks(&mut self, shape: &mut Shape<'_>, depth: usize, prefix: &str) {
        for _ in 0..=shape.below(6) {
            if self.is_full() {
                return;
            }
            self.block(shape, depth, prefix);
        }
    }

    fn block(&mut self, shape: &mut Shape<'_>, depth: usize, prefix: &str) {
        let words = Source::words(shape);
        match shape.below(14) {
            0 => self.line(prefix, &format!("{} {words}", "#".repeat(shape.below(7)))),
            1 | 2 => self.table(shape, prefix),
            3 | 4 => self.footnotes(shape, prefix),
            5 if depth > 0 => {
                let inner = format!("{prefix}{}", "> ".repeat(Source::count(shape).min(512)));
                self.blocks(shape, depth - 1, &inner);
            }
            6 if depth > 0 => {
                let marker = ["- ", "1. ", "* ", "- [ ] ", "999999999. "][shape.below(5)];
                for _ in 0..Source::count(shape) {
                    self.line(prefix, &format!("{marker}{words}"));
                }
                let inner = format!("{prefix}{}", " ".repeat(marker.len()));
                self.blocks(shape, depth - 1, &inner);
            }
            7 => {
                self.line(prefix, ["```", "~~~", "    x", "<div>", "<script>"][shape.below(5)]);
                self.line(prefix, &words);
                if shape.flip() {
                    self.line(prefix, "```");
                }
            }
            8 => self.line(prefix, &format!("[{words}](<{words}> \"{words}\")")),
            9 => {
                self.line(prefix, "[r]: https://example.org");
                self.line(prefix, &"[r]".repeat(Source::count(shape)));
            }
            10 => self
                .line(prefix, ["---", "***", "===", "> [!NOTE]", "> [!WARNING]"][shape.below(5)]),
            11 => {
                let nested = Source::count(shape).min(512);
                self.line(
                    prefix,
                    &format!("{}{words}{}", "*a **b ".repeat(nested), "** *".repeat(nested)),
                );
            }
            _ => {
                self.line(prefix, &words);
                self.line(prefix, "");
            }
        }
    }

    /// One construct that fills the whole source, in the proportions in which it may cost most.
    fn much(&mut self, shape: &mut Shape<'_>) {
        // A part of the room for one side of the construct, the rest for the other one.
        let part = 1 + self.most * (1 + shape.below(15)) / 16;
        let rest = self.most.saturating_sub(part);
        match shape.below(8) {
            0 | 1 => {
                // The parser completes rows, up to 2^18 cells for each table: as many tables of this size as fit.
                let columns = 32 << shape.below(6);
                let rows = (1 << 18) / columns;
                while !self.is_full() {
                    let before = self.text.len();
                    self.line("", &format!("\n{}", "|a".repeat(columns)));
                    self.line("", &"|-".repeat(columns));
                    (0..rows).for_each(|_| self.line("", "x"));
                    if self.text.len() < before + 4 * columns {
                        break;
                    }
                }
            }
            2 | 3 => {
                // Notes with notes in them: every one refers to the next, or to any, several times.
                let references = 1 + shape.below(64);
                let notes = 1 + self.most / (8 + references * 6);
                let step = shape.below(3);
                self.line("", &"[^n0]".repeat(1 + shape.below(64)));
                for note in 0..notes {
                    let to = format!("[^n{}]", (note + step) % notes);
                    self.line("", &format!("\n[^n{note}]: {}", to.repeat(references)));
                }
            }
            4 => {
                let marker = ["> ", "- ", "1. ", "  * "][shape.below(4)];
                self.line("", &format!("{}x", marker.repeat(part / marker.len())));
                (0..rest / 2).for_each(|_| self.line("", "x"));
            }
            5 => {
                let word = WORDS[shape.below(WORDS.len())];
                self.line("", &word.repeat(part / word.len()));
                let word = WORDS[shape.below(WORDS.len())];
                self.line("", &word.repeat(rest / word.len()));
            }
            6 => {
                // One long definition that many links repeat.
                self.line(
                    "",
                    &format!("[r]: <{}> \"{}\"\n", "u".repeat(part / 2), "t".repeat(part / 2)),
                );
                self.line("", &"[r]".repeat(rest / 3));
            }
            _ => {
                let row = format!("|{}|", "`a|b` [x](y) |".repeat(1 + shape.below(8)));
                self.line("", &row);
                self.line("", &"|-".repeat(part / 64 + 1));
                (0..rest / (row.len() + 1)).for_each(|_| self.line("", &row));
            }
        }
    }

    fn table(&mut self, shape: &mut Shape<'_>, prefix: &str) {
        let columns = Source::count(shape);
        self.line(prefix, &"|a".repeat(columns));
        self.line(prefix, &"|-".repeat(columns));
        let row = ["|", "|x", "x", "| 1 | 2 |", "| `a|b` |"][shape.below(5)];
        for _ in 0..Source::count(shape) {
            self.line(prefix, row);
        }
        self.line(prefix, "");
    }

    /// Notes that lead to each other.
    fn footnotes(&mut self, shape: &mut Shape<'_>, prefix: &str) {
        let notes = Source::count(shape).min(256);
        let step = shape.below(4);
        for note in 0..notes {
            let to = format!("[^n{}]", (note + step) % notes.max(1));
            self.line(prefix, &format!("[^n{note}]: {}", to.repeat(Source::count(shape).min(64))));
            if shape.flip() {
                self.line(prefix, "");
            }
        }
        self.line(prefix, "");
        self.line(prefix, &"[^n0]".repeat(Source::count(shape)));
    }
}
