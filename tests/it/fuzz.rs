//! The fuzz targets of `tests/fuzz` with fixed seeds: a second each, or `MITT_FUZZ_SECONDS`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{cache, root};

#[path = "../fuzz/src/lib.rs"]
mod properties;

/// Rounds of every run, however slow the machine is: the same inputs everywhere.
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

    /// Returns a seed with some bytes changed, doubled or removed; or bytes without a seed.
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

/// Returns how long each target runs.
fn time() -> Duration {
    let seconds = std::env::var("MITT_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(1))
}

fn run(seed: u64, seeds: &[&str], property: fn(&[u8])) {
    let (start, time) = (Instant::now(), time());
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

#[test]
fn skill_md() {
    let seeds = [
        include_str!("../../skills/excel-tool/SKILL.md"),
        "---\nname: pdf\ndescription: Reads --- all\nlicense: MIT\nmetadata:\n  a: b\nallowed-tools: A(b c) D\n---\nDo it.\n---\n",
        "---\nname: 'pdf'\ndescription: >-\n  x\n\ty: z\ncompatibility: |\n  a\n...\n---\n\r\n",
    ];
    run(0xfeed_5eed_1234_4321, &seeds, properties::skill_md);
}

#[test]
fn archive() {
    let skill = "---\nname: pdf\ndescription: Reads PDF files for you.\n---\nDo it.\n";
    let digest = "1f2948d97dbb9ca00564c9a15a6c96d6e67dafdee59bd397da4cdc166bad43bc";
    let record = format!(
        "{{\"format\":1,\"name\":\"pdf\",\"version\":null,\"files\":[{{\"path\":\"SKILL.md\",\"size\":{},\"sha256\":\"{digest}\"}}]}}",
        skill.len()
    );
    let mut tar = tar::Builder::new(Vec::new());
    for (path, content) in [("mitt-skill.json", record.as_str()), ("pdf/SKILL.md", skill)] {
        let mut header = tar::Header::new_ustar();
        header.set_path(path).unwrap();
        header.set_size(content.len() as u64);
        tar.append(&header, content.as_bytes()).unwrap();
    }
    let tar = String::from_utf8(tar.into_inner().unwrap()).unwrap();
    run(0x0bad_cafe_0dd5_eed5, &[&tar], properties::archive);
}

/// A target that could crash its process or exhaust its memory: it runs in a separate process, where that counts as a
/// finding.
struct Target {
    name: &'static str,
    property: fn(&[u8]),
    /// Rounds of every run.
    rounds: u64,
    /// Most memory that one input may take, in bytes.
    memory: u64,
    /// Reads a file of `tests/fuzz/regressions/<name>`.
    regression: fn(&[u8]),
}

const MIB: u64 = 1024 * 1024;

const TARGETS: [Target; 8] = [
    Target {
        name: "markdown",
        property: properties::markdown,
        rounds: 100,
        memory: 256 * MIB,
        regression: |file| properties::markdown_text(&String::from_utf8_lossy(file)),
    },
    Target {
        name: "mcp",
        property: properties::mcp,
        rounds: 60,
        memory: 256 * MIB,
        regression: properties::mcp,
    },
    Target {
        name: "ooxml",
        property: properties::ooxml,
        rounds: 40,
        // A reader may use 512 MiB.
        memory: 768 * MIB,
        regression: properties::ooxml,
    },
    Target {
        name: "document",
        property: properties::document,
        rounds: 60,
        memory: 768 * MIB,
        regression: properties::document,
    },
    Target {
        name: "template",
        property: properties::template,
        rounds: 60,
        // A filling may write 64 MiB of text.
        memory: 512 * MIB,
        regression: properties::template,
    },
    Target {
        name: "http_body",
        property: properties::http_body,
        rounds: 5,
        memory: 256 * MIB,
        regression: properties::http_body,
    },
    Target {
        name: "mcp_client",
        property: properties::mcp_client,
        rounds: 5,
        memory: 256 * MIB,
        regression: properties::mcp_client,
    },
    Target {
        name: "component",
        property: properties::component,
        rounds: 60,
        memory: 512 * MIB,
        regression: |file| properties::component_bytes(&wat::parse_bytes(file).unwrap()),
    },
];

/// Longest time for one input, on a machine much slower than ours.
const LONGEST: Duration = Duration::from_secs(90);

/// Set in the process that runs a target.
const TARGET: &str = "MITT_FUZZ_TARGET";

fn last_input(target: &Target) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}.input", target.name))
}

#[test]
fn a_target_in_its_own_process() {
    let Ok(name) = std::env::var(TARGET) else { return };
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let mut worst = Worst::default();
    let folder = root().join("tests/fuzz/regressions").join(target.name);
    let mut files: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files {
        eprintln!("{}", file.display());
        worst.run(target, target.regression, &fs::read(&file).unwrap());
    }
    let start = Instant::now();
    let seed = std::env::var("MITT_FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    let (mut random, mut rounds) = (Random(0x5eed_0000_0000_0001 ^ seed.unwrap_or(0_u64)), 0);
    while rounds < target.rounds || start.elapsed() < time() {
        let data = random.input(&[]);
        worst.run(target, target.property, &data);
        rounds += 1;
    }
    let Worst { time, memory } = worst;
    eprintln!("{name}: {rounds} rounds, at most {time:?} and {} MiB for one input", memory / MIB);
}

#[derive(Default)]
struct Worst {
    time: Duration,
    memory: u64,
}

impl Worst {
    fn run(&mut self, target: &Target, property: fn(&[u8]), data: &[u8]) {
        fs::write(last_input(target), data).unwrap();
        // Reset the peak memory; where the system cannot do that, it only grows.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let before = crate::support::peak_memory(std::process::id()).unwrap_or(0);
        let start = Instant::now();
        property(data);
        let (time, after) = (start.elapsed(), crate::support::peak_memory(std::process::id()));
        let memory = after.unwrap_or(0).saturating_sub(before);
        assert!(time <= LONGEST, "{time:?}");
        assert!(memory <= target.memory, "{} MiB", memory / MIB);
        self.time = self.time.max(time);
        self.memory = self.memory.max(memory);
    }
}

fn in_a_child(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "fuzz::a_target_in_its_own_process", "--nocapture"])
        .env(TARGET, name)
        .env("MITT_CACHE_DIR", cache())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id();
    let (ended, waiting) = std::sync::mpsc::channel::<()>();
    let most = time() + LONGEST * 4;
    let guard = std::thread::spawn(move || {
        if waiting.recv_timeout(most).is_err() {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
    });
    let output = child.wait_with_output().unwrap();
    let _ = ended.send(());
    guard.join().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let shown = &log[log.floor_char_boundary(log.len().saturating_sub(4_000))..];
    eprintln!("{shown}");
    assert!(
        output.status.success(),
        "{}; its last input is {}",
        output.status,
        last_input(target).display()
    );
}

#[test]
fn markdown() {
    in_a_child("markdown");
}

#[test]
fn mcp() {
    in_a_child("mcp");
}

#[test]
fn ooxml() {
    in_a_child("ooxml");
}

#[test]
fn document() {
    in_a_child("document");
}

#[test]
fn component() {
    in_a_child("component");
}

#[test]
fn template() {
    in_a_child("template");
}

#[test]
fn http_body() {
    in_a_child("http_body");
}

#[test]
fn mcp_client() {
    in_a_child("mcp_client");
}
