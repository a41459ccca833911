//! The preparation of scripts alone, without the interpreter: parentheses, types, imports and exports. Whatever a model writes, it
//! ends at once, lines stay, and places of the prepared script are places of the script as it was written.
//!
//! Each property has the same inputs everywhere, or more for `MITT_FUZZ_SECONDS` with `MITT_FUZZ_SEED`. The modules are those
//! of the engine, which keeps them to itself.

mod damage;
#[allow(dead_code, reason = "the engine uses all of it")]
#[path = "../src"]
mod engine {
    pub(crate) mod edits;
    pub(crate) mod erase;
    pub(crate) mod forms;
    pub(crate) mod rewrite;
    pub(crate) mod scan;
    pub(crate) mod source;
    pub(crate) mod typescript;
}

use damage::{Numbers, PIECES, SEEDS};
use engine::{edits, erase, forms, rewrite, scan, source, typescript};
use source::Script;
use std::time::{Duration, Instant};
use typescript::without_types;

/// Longest time for one script, on a machine much slower than ours.
const LONGEST: Duration = Duration::from_secs(20);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Checks so many scripts, or more. The stack is that of a thread that is deep enough for code that is not optimised.
fn run(rounds: usize, script: fn(&mut Numbers) -> String, check: fn(&str)) {
    let work = move || {
        let time = Duration::from_secs(number("MITT_FUZZ_SECONDS").unwrap_or(0));
        let seed = number("MITT_FUZZ_SEED").unwrap_or(0);
        // A generator of this kind needs a seed other than zero.
        let mut numbers = Numbers((0x9e37_79b9_7f4a_7c15 ^ seed).max(1));
        let (start, mut round, mut slowest) = (Instant::now(), 0, Duration::ZERO);
        while round < rounds || start.elapsed() < time {
            let code = script(&mut numbers);
            let begun = Instant::now();
            if let Err(panic) = std::panic::catch_unwind(|| check(&code)) {
                eprintln!("round {round}: {:?}", code.chars().take(2_000).collect::<String>());
                std::panic::resume_unwind(panic);
            }
            slowest = slowest.max(begun.elapsed());
            round += 1;
        }
        eprintln!("{round} rounds, at most {slowest:?}");
        assert!(slowest <= LONGEST, "{slowest:?}");
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Checks all forms of a script.
fn prepared(code: &str) {
    if let Ok(text) = forms::without_fence(code) {
        assert_eq!(lines(&text), lines(code));
    }
    let mut script = Script::new(code);
    check(&script, code);
    if let Some(completed) = script.completed() {
        check(&completed, code);
    }
    match script.remove_types() {
        Ok(_) => check(&script, code),
        Err(problem) => {
            assert!(!problem.message.is_empty());
            let (line, column) = problem.place(code);
            assert!(has_place(code, line, column), "{line}:{column}");
        }
    }
}

/// Checks that lines stay, and that every place is one of the script as it was written.
fn check(script: &Script<'_>, code: &str) {
    let runs = script.runs();
    assert_eq!(lines(runs), lines(code), "{code}\n{runs}");
    for (line, text) in (1..).zip(runs.split('\n')).take(40) {
        let end = u32::try_from(text.len()).unwrap() + 1;
        for bytes in [0, 1, 2, end / 2, end, end + 1, u32::MAX] {
            let (line, column) = script.place(line, bytes);
            assert!(has_place(code, line, column), "{line}:{column} of {code}\n{runs}");
        }
    }
}

fn lines(code: &str) -> usize {
    code.split('\n').count()
}

/// Returns `true` for a place of a letter or behind a line.
fn has_place(code: &str, line: u32, column: u32) -> bool {
    let text = code.split('\n').nth((line as usize).wrapping_sub(1));
    text.is_some_and(|text| (1..=text.chars().count() as u32 + 1).contains(&column))
}

#[test]
fn lines_and_places_of_damaged_scripts_stay() {
    run(1_500, Numbers::damaged, prepared);
}

#[test]
fn long_and_deep_scripts_end_at_once() {
    let script = |numbers: &mut Numbers| {
        let mut code = String::new();
        for _ in 0..=numbers.below(3) {
            let piece = match numbers.below(3) {
                0 => PIECES[numbers.below(PIECES.len())].to_owned(),
                1 => {
                    let (one, other) = (numbers.below(PIECES.len()), numbers.below(PIECES.len()));
                    format!("a{}{}", PIECES[one], PIECES[other])
                }
                _ => SEEDS[numbers.below(SEEDS.len())].to_owned(),
            };
            let most = (1 << (4 + numbers.below(12))) / piece.len();
            code += &piece.repeat(most.max(1));
        }
        code
    };
    run(150, script, prepared);
}

#[test]
fn scripts_without_types_stay_as_they_are() {
    /// Statements of JavaScript, some of which look like types.
    const PLAIN: [&str; 20] = [
        "let a = b < c, d = [e] // : number\n",
        "const f = (x) => x<y, Z>=(1)\n",
        "label: for (const type of [1]) { continue label }\n",
        "var declare = 1, namespace = 2, as = 3, satisfies = 4, is = 5\n",
        "x = a ? b : c ? (d) : (e)\n",
        "x = a ? (b) : c => d\n",
        "async (a, b = 1, ...c) => { await a }\n",
        "class A extends B { static #x = 1; get y() { return this.#x } static { z() } 'w' = 1; async *v() {} }\n",
        "`${`<Row>(${a})`}: string`\n",
        "x = /[<>]{1,2}: any/g.test('as const')\n",
        "if (a) { b } else c; do { d } while (e)\n",
        "switch (a) { case b: case 'c': default: }\n",
        "({ type: 1, as: 2, [k]: 3, get: 4, async: 5, get g() { return 1 }, async m() {}, ...o })\n",
        "try { throw a } catch { } finally { }\n",
        "new A\n(b)\n",
        "a\n++b\n",
        "x = a?.b?.[c]?.(d) ?? e ** f >>> g\n",
        "enum_ = interface_ = 1; type\n= 2\n",
        "abstract\nclass C {}\n",
        "/* : */ //\n'use strict'; 0x1fn; 1e3; .5; '\\u{1f600}'\n",
    ];
    let script = |numbers: &mut Numbers| {
        (0..=numbers.below(5)).map(|_| PLAIN[numbers.below(PLAIN.len())]).collect()
    };
    run(500, script, |code| {
        let script = Script::new(code);
        assert_eq!(script.runs(), code);
        if let Ok(plain) = without_types(code) {
            assert_eq!(plain, None, "{code}");
        }
    });
}
