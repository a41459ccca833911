//! The fuzz targets with fixed seeds: the same inputs everywhere, or more for `MITT_FUZZ_SECONDS` with `MITT_FUZZ_SEED`.
//! The last input of each is in `target/tmp/fuzz-<name>.input`; `MITT_FUZZ_INPUT` names a file to try again.

use std::time::{Duration, Instant};

/// Rounds of every run, however slow the machine is.
const ROUNDS: u64 = 60;

/// Most bytes of an input. Each steers one choice.
const MAX_INPUT: usize = 256;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn input(&mut self) -> Vec<u8> {
        let length = usize::try_from(self.next() % MAX_INPUT as u64).unwrap();
        (0..length).map(|_| (self.next() >> 32) as u8).collect()
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn run(name: &str, property: fn(&[u8])) {
    if let Some(input) = std::env::var_os("MITT_FUZZ_INPUT") {
        return property(&std::fs::read(input).unwrap());
    }
    let time = Duration::from_secs(number("MITT_FUZZ_SECONDS").unwrap_or(0));
    let (start, mut slowest) = (Instant::now(), (Duration::ZERO, Vec::new()));
    // A generator of this kind needs a seed other than zero.
    let mut random = Random(number("MITT_FUZZ_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15).max(1));
    let mut rounds = 0;
    while rounds < ROUNDS || start.elapsed() < time {
        let input = random.input();
        // For an input that does not end.
        std::fs::write(format!("{}/fuzz-{name}.input", env!("CARGO_TARGET_TMPDIR")), &input)
            .unwrap();
        let begun = Instant::now();
        if let Err(panic) = std::panic::catch_unwind(|| property(&input)) {
            eprintln!("round {rounds}, input {input:?}");
            std::panic::resume_unwind(panic);
        }
        if begun.elapsed() > slowest.0 {
            slowest = (begun.elapsed(), input);
        }
        rounds += 1;
    }
    eprintln!("{rounds} rounds, at most {:?} by {:?}", slowest.0, slowest.1);
}

macro_rules! properties {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            run(stringify!($name), mitt_plugins_fuzz::$name);
        })*
    };
}

properties![deck, docx, formula, mail, pdf, redacted_text, sheet, signature];
