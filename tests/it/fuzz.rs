//! The fuzz targets of `tests/fuzz` with fixed seeds: a second each, or as long as `MITT_FUZZ_SECONDS` says.

use std::time::{Duration, Instant};

#[path = "../fuzz/src/lib.rs"]
mod properties;

/// Rounds that every run makes, however slow the machine is: the same inputs everywhere.
const ROUNDS: u64 = 150;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// A seed with some bytes changed, doubled or left out; or bytes without a seed.
    fn input(&mut self, seeds: &[&str]) -> Vec<u8> {
        if seeds.is_empty() || self.below(4) == 0 {
            let length = 1 << self.below(14);
            return (0..length).map(|_| self.next() as u8).collect();
        }
        let mut data = seeds[self.below(seeds.len())].as_bytes().to_vec();
        for _ in 0..self.below(6) {
            let from = self.below(data.len() + 1);
            let to = (from + self.below(12)).min(data.len());
            match self.below(4) {
                0 => drop(data.drain(from..to)),
                1 => {
                    let part = data[from..to].to_vec();
                    data.splice(from..from, part);
                }
                2 => {
                    let part = seeds[self.below(seeds.len())].as_bytes();
                    let start = self.below(part.len());
                    let end = (start + self.below(20)).min(part.len());
                    data.splice(from..to, part[start..end].iter().copied());
                }
                _ => data[from..to]
                    .iter_mut()
                    .for_each(|byte| *byte = b" \n\"'{}[]():,-#&*!0e."[usize::from(*byte) % 20]),
            }
        }
        data
    }
}

fn run(seed: u64, seeds: &[&str], property: fn(&[u8])) {
    let time = std::env::var("MITT_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let (start, time) = (Instant::now(), Duration::from_secs(time.unwrap_or(1)));
    let (mut random, mut rounds) = (Random(seed), 0);
    while rounds < ROUNDS || start.elapsed() < time {
        let data = random.input(seeds);
        if let Err(panic) = std::panic::catch_unwind(|| property(&data)) {
            eprintln!(
                "round {rounds}, input {data:?}, as text {:?}",
                String::from_utf8_lossy(&data)
            );
            std::panic::resume_unwind(panic);
        }
        rounds += 1;
    }
    eprintln!("{rounds} rounds");
}

#[test]
fn json() {
    run(0x9e37_79b9_7f4a_7c15, &[], properties::json);
}

#[test]
fn schema() {
    run(0x0123_4567_89ab_cdef, &[], properties::schema);
}

#[test]
fn manifest() {
    let seeds = [
        include_str!("../../skills/excel-tool/skill.yaml"),
        include_str!("../../skills/python/skill.yaml"),
        include_str!("../../skills/reader-sheet/skill.yaml"),
        "schema: 1\nname: a\nversion: 1.0.0\ndescription: >-\n  x\ncomponent: a.wasm\nlimits: { time: 1m30s, memory: 64MiB, fuel: 5 }\n\
         tools:\n- name: f\n  inputSchema: &a\n    properties: { x: { maximum: 1e3, pattern: '^\\d+$' } }\n- { name: g, inputSchema: *a }\n",
    ];
    run(0xdead_beef_cafe_f00d, &seeds, properties::manifest);
}

#[test]
fn wave() {
    let seeds = [
        "a/f([{month: \"Jan\", dau: 12}], [])",
        "a__f(x: some(ok((1, 'x', nan, -inf, {a, %true}))), y: {columns: [\"a\"], rows: [[number(\"1\")]]})",
        "f(\"\\u{1f600}\\n\", // comment\n [1.5e300, 0xff])",
        "f(\"\"\"\n  text\n  \"\"\", none)",
    ];
    run(0x0f1e_2d3c_4b5a_6978, &seeds, properties::wave);
}
