//! What it costs to look for words: the guard beside a plain search for the same words in the same text, which knows no
//! spellings. `cargo bench -p mitt-guard`.
#![allow(missing_docs, clippy::print_stderr, reason = "a bench prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aho_corasick::{AhoCorasick, MatchKind};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mitt_guard::{Guard, RuleSet};

/// Words that are looked for.
const WORDS: usize = 5_000;

/// Bytes of each text.
const TEXT: usize = 1 << 20;

/// Bytes of a piece of a stream, about what a model says at a time.
const PIECE: usize = 16;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    /// A word of common letters: few of them are in a text by chance.
    fn word(&mut self, is_chinese: bool) -> String {
        if is_chinese {
            let length = 3 + self.below(3);
            return (0..length)
                .filter_map(|_| char::from_u32(0x4e00 + self.below(3_000) as u32))
                .collect();
        }
        let length = 6 + self.below(6);
        (0..length).map(|_| char::from(b"etaoinshrdlucmfw"[self.below(16)])).collect()
    }
}

/// Half of them Chinese, half of Latin letters.
fn words() -> Vec<String> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..WORDS).map(|n| random.word(n % 2 == 0)).collect()
}

/// A text of words, with one that is looked for in each 20 000 bytes or so.
fn text(is_chinese: bool, words: &[String]) -> String {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut text = String::new();
    let mut next = 20_000;
    while text.len() < TEXT {
        text.push_str(&random.word(is_chinese));
        text.push_str(match (random.below(9), is_chinese) {
            (0, true) => "，",
            (_, true) => "",
            (0, false) => ", ",
            (_, false) => " ",
        });
        if text.len() > next {
            text.push_str(&words[random.below(words.len())]);
            next += 20_000;
        }
    }
    text
}

fn median(mut f: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..7)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[3]
}

fn stream(guard: &Guard, text: &str) -> usize {
    let mut stream = guard.stream();
    let (mut rest, mut passed) = (text, 0);
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.ceil_char_boundary(PIECE.min(rest.len())));
        passed += stream.push(piece).unwrap().text.len();
        rest = behind;
    }
    passed + stream.finish().unwrap().text.len()
}

fn guard(c: &mut Criterion) {
    let words = words();
    let rules: String = words.iter().map(|word| format!("  - {word}\n")).collect();
    let yaml = format!("action: redact\nrules:\n- words:\n{rules}");
    let looking = Guard::new([RuleSet::yaml("bench", &yaml).unwrap()]).unwrap();
    let plain =
        AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&words).unwrap();
    let mut group = c.benchmark_group("guard");
    for (name, is_chinese) in [("English", false), ("Chinese", true)] {
        let text = text(is_chinese, &words);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("{name}, whole"), |b| {
            b.iter(|| black_box(looking.check(&text)))
        });
        group.bench_function(format!("{name}, in pieces"), |b| b.iter(|| stream(&looking, &text)));
        group.bench_function(format!("{name}, plain search"), |b| {
            b.iter(|| plain.find_iter(&text).count())
        });
        let speed = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
        let whole = median(|| drop(black_box(looking.check(&text))));
        let pieces = median(|| {
            black_box(stream(&looking, &text));
        });
        let searched = median(|| {
            black_box(plain.find_iter(&text).count());
        });
        eprintln!(
            "{name}: {:.0} MB/s whole, {:.0} MB/s in pieces, plain search {:.0} MB/s: the guard takes {:.1} times as long",
            speed(whole),
            speed(pieces),
            speed(searched),
            whole.as_secs_f64() / searched.as_secs_f64()
        );
    }
    group.finish();
}

criterion_group!(benches, guard);
criterion_main!(benches);
