//! What the parsers take at most, for inputs that are made to cost much: no more than is charged for them.

#![allow(unsafe_code, reason = "an allocator that counts is one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mitt_text::{Chunk, Sink, decode, delimited, markdown};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Tests of this file take turns: the counter is one for all.
static TURN: Mutex<()> = Mutex::new(());

/// The most bytes that were there at a time while `work` ran, beyond those before.
fn most(work: impl FnOnce()) -> u64 {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    work();
    (MOST.load(Ordering::Relaxed) - before) as u64
}

/// Keeps nothing, so that only the parser is counted.
struct Nothing;

impl Sink for Nothing {
    type Error = Infallible;

    fn begin(&mut self, _: &[String]) -> Result<(), Infallible> {
        Ok(())
    }

    fn append(&mut self, _: Vec<Chunk>) -> Result<(), Infallible> {
        Ok(())
    }

    fn end(&mut self, _: String) -> Result<(), Infallible> {
        Ok(())
    }
}

fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

/// Texts that cost a parser much for each byte.
fn hostile() -> Vec<String> {
    const SIZE: usize = 600_000;
    let mut all = Vec::new();
    for piece in [
        ",",
        ";",
        "a,",
        "1,",
        "\"\",",
        "\"a\",",
        "\n",
        ",\n",
        "a\n",
        "1\n",
        "\"",
        "\"\"",
        "\"\n",
        "\\\"",
        "a,\"\n",
        "x\r",
        "2024-01-01,",
        "1.250;0,05\n",
        "7E2,\n",
        "\u{3000},",
        "é,",
        "\u{7},",
        "|",
        "|a",
        "| - |\n",
        "[a](b) ",
        "> ",
        "- a\n",
        "# a\n",
        "*",
        "<br>",
        "true\n",
        "9999999999999999999,1\n",
        "a\tb\n",
        "-,-\n",
    ] {
        all.push(repeated(piece, SIZE));
        all.push(format!("a,b\n1,2\n3,4\n{}", repeated(piece, SIZE)));
        all.push(format!("{}\na,b\n1,2\n", repeated(piece, SIZE)));
    }
    // Titles of very many blank values, and one row that is wider than all others.
    all.push(format!("{}a,b\n1,2\n", format!("t{}\n", ",".repeat(20_000)).repeat(100)));
    all.push(format!("{}\n{}", vec!["a"; 16_384].join(","), "1\n".repeat(10_000)));
    all.push(format!("{}\n{}", "1\n".repeat(10_000), vec!["a"; 16_384].join(",")));
    all.push(format!("{}\n", vec!["a"; 16_384].join(",")).repeat(8));
    all.push(format!("{}\n", vec!["1.5"; 16_384].join(",")).repeat(8));
    all
}

#[test]
fn no_input_takes_more_than_is_charged() {
    let _turn = TURN.lock().unwrap_or_else(|held| held.into_inner());
    for text in hostile() {
        let shown: String = text.chars().take(24).collect();
        let charged = delimited::working_bytes(&text);
        let taken = most(|| drop(delimited::read(&text, &mut Nothing)));
        assert!(taken <= charged, "values {shown:?}: {taken} of {charged}");
        let charged = markdown::working_bytes(&text);
        let taken = most(|| drop(markdown::read(&text, &mut Nothing)));
        assert!(taken <= charged, "Markdown {shown:?}: {taken} of {charged}");
        for bytes in [
            text.clone().into_bytes(),
            text.replace('a', "\u{e4}").chars().map(|c| c as u8).collect(),
        ] {
            let charged = decode::working_bytes(&bytes) + bytes.len() as u64;
            let copy = bytes.clone();
            let taken = most(|| drop(decode::decode(copy)));
            assert!(taken <= charged, "decoding {shown:?}: {taken} of {charged}");
            // What is looked at before anything is charged.
            let looked =
                most(|| drop((decode::beginning(&bytes), decode::is_before_the_web(&bytes))));
            assert!(looked <= 2 << 20, "beginning {shown:?}: {looked}");
            let start = decode::beginning(&bytes);
            let shaped = most(|| {
                delimited::shape(&start);
            });
            assert!(shaped <= 2 << 20, "shape {shown:?}: {shaped}");
        }
    }
}

#[test]
fn wide_rows_are_refused_by_their_line() {
    let _turn = TURN.lock().unwrap_or_else(|held| held.into_inner());
    for (text, line) in
        [(repeated("a,", 4 << 20), 1), (format!("a,b\n1,2\n{}", repeated("a,", 4 << 20)), 3)]
    {
        let mut told = String::new();
        let taken = most(|| match delimited::read(&text, &mut Nothing) {
            Err(mitt_text::Problem::TooMuch(text)) => told = text,
            _ => told = "read".into(),
        });
        assert_eq!(told, format!("line {line} has more than 16384 values"));
        assert!(taken < 8 << 20, "{taken}");
    }
}
