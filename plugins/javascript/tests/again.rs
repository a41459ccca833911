//! Second runs. A script that waits for an approval ends, and runs again from its beginning with the recorded answers. So it must
//! make the same calls in the same order, with the same arguments and output, in a new interpreter and in a used one.

mod fake;

use fake::{Fake, request};
use javascript::Engine;
use javascript::contract::exports::mitt::host::script::Value;

/// Scripts whose calls depend on answers, on the order of promises, on timers and on failures.
const SCRIPTS: [&str; 9] = [
    "const first = await tools.a_tool.echo('a');\nconst second = await tools.a_tool.echo({ value: [first.value, 1] });\n\
     console.log(second.value.length);\nsecond.value",
    "const all = await Promise.all(['a', 'b', 'c'].map(async (value) => {\n  const one = await tools.a_tool.echo(value);\n  \
     return tools.a_tool.echo(one.value + value);\n}));\nall.map((one) => one.value)",
    "const order = [];\nsetTimeout(async () => order.push((await tools.a_tool.echo('late')).value), 50);\n\
     setTimeout(async () => order.push((await tools.a_tool.echo('soon')).value), 5);\n\
     await tools.a_tool.echo('now');\nawait new Promise((done) => setTimeout(done, 100));\norder",
    "try { await tools.a_tool.fail() } catch (error) { await tools.a_tool.echo(error.message) }\n\
     await Promise.allSettled([tools.a_tool.fail(), tools.a_tool.echo(1)])",
    "for await (const n of (async function* () { yield* [1, 2, 3] })()) { await tools.a_tool.echo(n) }",
    "const set = new Set(['z', 'a', 'm']), map = new Map([['k', 1]]), keys = Object.keys({ b: 1, a: 2, 1: 3 });\n\
     for (const value of [...set, ...map.keys(), ...keys]) await tools.a_tool.echo(value);\nset.size",
    "import { echo } from 'a-tool';\nconst made = await tools.a_tool.made(3000);\nawait echo(made.outcome.data);\n\
     await echo(documents['2024.xlsx'].tables[0]);\nmade.outcome.data.length",
    "await Promise.race([new Promise((ok) => setTimeout(ok, 10)), tools.a_tool.echo('x')]);\n\
     await store('seen', { a: 1 });\nawait tools.a_tool.echo((await load('seen')).a);\nawait mitt.write('a.txt', 'b'); mitt.files()",
    "import { echo, type Row } from 'a-tool';\ninterface Answer<T> { value: T }\n\
     async function ask<T>(value: T): Promise<Answer<T>> { return (await echo(value)) as Answer<T> }\n\
     const first: Answer<string> = await ask<string>('typed');\nconsole.log(first!.value satisfies string);\n(await ask(first.value)).value",
];

/// What the host and the caller see of a run.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    outcome: String,
    calls: Vec<String>,
    stdout: String,
    stderr: String,
}

fn run(engine: &mut Engine, code: &str) -> Seen {
    let host = Fake::default();
    let outcome = match engine.run(Box::new(host.clone()), &request(code)) {
        Ok(Value::Json(text) | Value::Repr(text)) => text,
        Ok(Value::Nothing) => "nothing".to_owned(),
        Err(failed) => panic!("{code}\n{}", failed.traceback),
    };
    let state = host.0.borrow();
    Seen {
        outcome,
        calls: state.calls.clone(),
        stdout: state.stdout.clone(),
        stderr: state.stderr.clone(),
    }
}

#[test]
fn a_second_run_makes_the_same_calls() {
    let mut used = Engine::new();
    for code in SCRIPTS {
        let first = run(&mut Engine::new(), code);
        assert!(!first.calls.is_empty(), "{code}");
        assert_eq!(first, run(&mut Engine::new(), code), "{code}");
        // The interpreter of a session has run other scripts before, and this one.
        assert_eq!(first, run(&mut used, code), "{code}");
        assert_eq!(first, run(&mut used, code), "{code}");
    }
}
