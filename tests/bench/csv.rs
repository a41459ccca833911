//! Bench of the parser of delimited values, by itself: no host, no sandbox.
//!
//! `cargo bench -p mitt-text --bench csv` makes 63 MB of CSV with a million rows, and prints how many bytes of it are decoded and parsed
//! in a second, by the time of one processor. With a path behind `--` that file is read instead. `MITT_BENCH_RUNS` is how often each is
//! run, default 5; the fastest counts, as other work on the machine only adds.
#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints")]

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use mitt_text::{Chunk, Sink, decode, delimited};

/// Rows of the file that is made.
const ROWS: u64 = 1_000_000;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let path = arguments.next();
    // `cargo test --benches` only asks whether it starts.
    if path.as_deref() == Some("--test") {
        return;
    }
    let bytes = match &path {
        Some(path) => std::fs::read(path).expect("a file that can be read"),
        None => orders(ROWS).into_bytes(),
    };
    println!("{:.1} MB", bytes.len() as f64 / 1e6);
    let copies = || bytes.clone();
    line("decode", bytes.len(), copies, |bytes| {
        std::hint::black_box(mitt_text::utf8(&bytes).is_some());
    });
    let texts = || decode::decode_only(bytes.clone()).text;
    line("parse", bytes.len(), texts, |text| {
        let mut kept = Kept(Vec::new());
        drop(delimited::read(&text, &mut kept));
    });
    line("both", bytes.len(), copies, |bytes| {
        let mut kept = Kept(Vec::new());
        drop(match mitt_text::utf8(&bytes) {
            Some(text) => delimited::read(text, &mut kept),
            None => delimited::read(&decode::decode_only(bytes).text, &mut kept),
        });
    });
}

/// Run a work several times, and print how fast the fastest was.
fn line<T>(name: &str, bytes: usize, input: impl Fn() -> T, work: impl Fn(T)) {
    let runs = std::env::var("MITT_BENCH_RUNS").ok().and_then(|runs| runs.parse().ok());
    let times = (0..runs.unwrap_or(5).max(1)).map(|_| {
        let input = input();
        let start = processor_time();
        work(input);
        processor_time() - start
    });
    let time = times.min().unwrap_or(Duration::MAX).as_secs_f64();
    println!("{name:8} {time:.3} s {:6.0} MB/s", bytes as f64 / 1e6 / time);
}

/// Time that this thread had a processor; where the system does not say, of the clock on the wall.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds =
        of_thread.and_then(|text| text.split_whitespace().next().and_then(|it| it.parse().ok()));
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Keeps all chunks, as a table does.
struct Kept(Vec<Vec<Chunk>>);

impl Sink for Kept {
    type Error = Infallible;

    fn begin(&mut self, _: &[String]) -> Result<(), Infallible> {
        self.0.clear();
        Ok(())
    }

    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Infallible> {
        self.0.push(chunks);
        Ok(())
    }

    fn end(&mut self, _: String) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Numbers that look random: Knuth's multiplier, the upper bits.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Made-up orders, the same on every machine: numbers, dates, names with Chinese, decimals, empty cells and a few quoted ones.
fn orders(rows: u64) -> String {
    const SURNAMES: [&str; 8] = ["王", "李", "张", "刘", "陈", "Smith", "Müller", "欧阳"];
    const NAMES: [&str; 8] = ["伟", "芳", "秀英", "敏", "Anna", "小明", "静", "Jo"];
    const CITIES: [&str; 6] = ["北京", "上海", "广州", "Hamburg", "成都", "New York"];
    let mut numbers = Numbers(7);
    let mut csv = "id,day,customer,city,product,quantity,price,discount,paid,note\n".to_owned();
    for id in 0..rows {
        let mut below = |most| numbers.below(most);
        let (year, month, day) = (2020 + below(6), below(12) + 1, below(28) + 1);
        let (surname, name) = (SURNAMES[below(8) as usize], NAMES[below(8) as usize]);
        let (city, product, quantity) = (CITIES[below(6) as usize], below(5_000), below(90) + 1);
        let (price, discount, paid) = (below(999_900) + 100, below(30), below(10) > 0);
        // Writing to memory does not fail.
        let _ = write!(
            csv,
            "{id},{year}-{month:02}-{day:02},{surname}{name},{city},P{product},{quantity},{}.{:02},",
            price / 100,
            price % 100
        );
        if discount > 9 {
            let _ = write!(csv, "0.{discount:02}");
        }
        let _ = write!(csv, ",{paid},");
        let _ = match below(20) {
            0 => writeln!(csv, "\"left at the door, {}\"", below(900)),
            1 => writeln!(csv, "\"says \"\"call {}\"\"\"", below(900)),
            2 => writeln!(csv, "order {}", below(rows)),
            _ => writeln!(csv),
        };
    }
    csv
}
