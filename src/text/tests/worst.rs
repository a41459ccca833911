//! Hostile inputs do not take more memory than is charged for them.

#![allow(unsafe_code, reason = "an allocator is unsafe code")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mitt_text::{Chunk, Sink, decode, delimited, markdown};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed to the system allocator unchanged.
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

/// Tests of this file run one after another, because they share the counter.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the most bytes that `work` allocated at a time.
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

/// Returns texts that cost a parser much for each byte.
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
    // Title lines with very many blank values, and one row that is wider than all others.
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
            // These run before anything is charged.
            let taken =
                most(|| drop((decode::beginning(&bytes), decode::is_before_the_web(&bytes))));
            assert!(taken <= 2 << 20, "beginning {shown:?}: {taken}");
            let start = decode::beginning(&bytes);
            let shaped = most(|| {
                delimited::shape(&start);
            });
            assert!(shaped <= 2 << 20, "shape {shown:?}: {shaped}");
        }
    }
}

/// Returns bytes that cost the decoder much: rare pairs, escape sequences, characters that become longer, and bytes that
/// look like each encoding.
fn hostile_bytes() -> Vec<Vec<u8>> {
    const SIZE: usize = 600_000;
    let mut state = 1_u32;
    let noise = |low: u8| {
        let next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 | low
        };
        std::iter::repeat_with(next).take(SIZE).collect::<Vec<u8>>()
    };
    let mut all = vec![noise(0), noise(0x80), noise(0xC0), noise(0xA1)];
    for piece in [
        &b"\x1b$)C\x0e0!0!\x0f"[..],
        b"\x1b$)A\x0e0!0!\x0f\n",
        b"\x1b$B0!\x1b(B",
        b"~{0!0!~}",
        b"~{VPND~}\n",
        b"+BB8EQAQ4BDIENQRC-",
        b"+2D3cSg- ",
        b"@\xc1\x40\x81\x82",
        b"ABC@DEF@\x25",
        b"\xff",
        b"\x80",
        b"\xcd\xba\xc9 ",
        b"\x8e\xa2\xa1\xa1",
        b"\x88\x61\xd0\x65 ",
        b"\x81\x30\x81\x30",
        b"e\xcc",
        b"\xac\x00",
        b"\0\x4e",
        b"\x4e\0\0\0",
        b"\xe1\xe2\xe3a\n",
    ] {
        all.push(piece.repeat(SIZE / piece.len()));
        all.push([b"a,b\n1,2\n", &piece.repeat(SIZE / piece.len())[..]].concat());
    }
    all
}

#[test]
fn no_encoding_takes_more_than_is_charged() {
    let _turn = TURN.lock().unwrap_or_else(|held| held.into_inner());
    for bytes in hostile_bytes() {
        let shown = &bytes[..16];
        let charged = decode::working_bytes(&bytes) + bytes.len() as u64;
        let copy = bytes.clone();
        let taken = most(|| drop(decode::decode(copy)));
        assert!(taken <= charged, "decoding {shown:x?}: {taken} of {charged}");
        let taken = most(|| drop((decode::beginning(&bytes), decode::is_before_the_web(&bytes))));
        assert!(taken <= 2 << 20, "beginning {shown:x?}: {taken}");
    }
}

#[test]
fn wide_rows_are_refused_by_their_line() {
    let _turn = TURN.lock().unwrap_or_else(|held| held.into_inner());
    for (text, line) in
        [(repeated("a,", 4 << 20), 1), (format!("a,b\n1,2\n{}", repeated("a,", 4 << 20)), 3)]
    {
        let mut message = String::new();
        let taken = most(|| match delimited::read(&text, &mut Nothing) {
            Err(mitt_text::Problem::TooMuch(text)) => message = text,
            _ => message = "read".into(),
        });
        assert_eq!(message, format!("line {line} has more than 16384 values"));
        assert!(taken < 8 << 20, "{taken}");
    }
}
