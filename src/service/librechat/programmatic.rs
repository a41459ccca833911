//! `/exec/programmatic`: a script that calls tools of its caller. A script that waits holds no sandbox: each round runs it
//! again from its beginning, and answers its calls from the record.

use serde_json::Value;

use super::exec::{files, new_session};
use super::names;
use super::record::{Open, Record, Records};
use super::replay::{Answer, Call, Replay, Round};
use super::wire::{ExecResult, Programmatic, checked_id, time, typed};
use crate::code::{Sandboxes, Script, ScriptResult, is_javascript, unsupported};
use crate::http::{Answered, Request, json, schema_of};
use crate::problem::Problem;
use crate::service::Service;
use mitt::Host;

/// Names of the language in this interface.
const PYTHON: [&str; 3] = ["python", "py", "python3"];

/// What a script must do to be continued.
const SAME: &str = "the script runs again for each round of calls; it must make the same calls with the same arguments, \
                    so they cannot depend on the time";

/// A script in a round: new, or one that waited.
enum Waiting {
    New(Record),
    Old(Open),
}

impl Waiting {
    fn record(&self) -> &Record {
        match self {
            Waiting::New(record) => record,
            Waiting::Old(open) => &open.record,
        }
    }
}

/// Answers `POST /exec/programmatic`.
pub(super) async fn programmatic(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let body = request.lenient_json::<Value>().await?;
    let given: Programmatic = typed(body.value.clone(), schema_of::<Programmatic>)?;
    let records = Records { store: service.store(), tenant: &tenant };
    if given.continuation_token.is_none() {
        service.room(&tenant).await?.check(1)?;
    }
    let (waiting, recorded) = match &given.continuation_token {
        None => (Waiting::New(new(&service, &tenant, given).await?), Vec::new()),
        Some(token) => {
            let mut open = records.open(checked_id("continuation_token", token)?).await?;
            records.answer(&mut open, given.tool_results.unwrap_or_default()).await?;
            let recorded = records.replayed(&open).await?;
            (Waiting::Old(open), recorded)
        }
    };
    let sandboxes = service.sandboxes();
    Ok(json(200, &round(sandboxes, service.host(), &records, waiting, recorded).await?))
}

/// Runs a script until it ends or calls something that has no answer.
async fn round(
    sandboxes: &Sandboxes,
    host: &Host,
    records: &Records<'_>,
    waiting: Waiting,
    recorded: Vec<(Call, Option<Answer>)>,
) -> Result<ExecResult, Problem> {
    let replay = Replay::new(recorded);
    let host = host.with_tool(replay.clone())?;
    let record = waiting.record();
    let script = Script {
        language: "python".to_owned(),
        code: record.code.clone(),
        time: time(record.timeout),
        ..Script::default()
    };
    let tools = Some((&host, record.tools.clone()));
    let apart = sandboxes.run_apart(records.tenant, &record.files, &script, tools).await?;
    let (session, result) = match replay.round() {
        Round::Waits(calls, all) => {
            let session_id = record.session_id.clone();
            let token = pause(records, waiting, all).await?;
            return Ok(ExecResult {
                status: Some("tool_call_required"),
                session_id,
                continuation_token: Some(token),
                tool_calls: Some(calls),
                ..ExecResult::default()
            });
        }
        Round::Differs(problem) => {
            let stderr = format!("{problem}\nhint: {SAME}\n");
            let failure = Some("error".to_owned());
            (record.session_id.clone(), ScriptResult { stderr, failure, ..ScriptResult::default() })
        }
        Round::Answered => sandboxes.keep(records.tenant, apart, new_session()).await?,
    };
    if let Waiting::Old(open) = &waiting {
        records.delete(open).await?;
    }
    Ok(ended(session, result))
}

/// Returns the record of a new script.
async fn new(service: &Service, tenant: &str, given: Programmatic) -> Result<Record, Problem> {
    if let Some(language) = given.language.or(given.lang) {
        check_language(&language)?;
    }
    let Some(code) = given.code.filter(|it| !it.is_empty()) else {
        let detail = "expected `code` and `tools`, or `continuation_token` and `tool_results`";
        return Err(Problem::new(422, "invalid_body", detail));
    };
    let mut seed = [0; 4];
    getrandom::fill(&mut seed)
        .map_err(|error| Problem::internal(&mitt_base::Error::bug(error.to_string())))?;
    let tools = names::functions(given.tools.unwrap_or_default(), u32::from_le_bytes(seed).into())?;
    let files = files(service, tenant, given.files.unwrap_or_default()).await?;
    Record::new(code, tools, files, given.timeout)
}

/// Refuses languages other than Python: a paused script is answered from its record by the prelude of Python.
fn check_language(language: &str) -> Result<(), Problem> {
    if PYTHON.contains(&language.trim().to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    let problem = unsupported(language, "`py` (Python 3.14)");
    let hint = "only a script in Python can call tools of the caller; a script that calls none runs in `js` and `ts` by `/exec`";
    Err(if is_javascript(language) { problem.hint(hint) } else { problem })
}

/// Stores a script that waits, and returns its token.
async fn pause(
    records: &Records<'_>,
    waiting: Waiting,
    calls: Vec<Call>,
) -> Result<String, Problem> {
    match waiting {
        Waiting::New(mut record) => {
            record.calls = calls;
            records.add(&record).await
        }
        Waiting::Old(mut open) => {
            open.record.calls = calls;
            records.update(&mut open).await?;
            Ok(open.token)
        }
    }
}

/// Returns the response for a script that ended. The client shows these texts of `error` and no others.
fn ended(session: String, result: ScriptResult) -> ExecResult {
    let error = result.failure.as_deref().map(|failure| match result.error_kind.as_deref() {
        _ if failure == "timeout" => "Time limit exceeded",
        Some("limit:memory" | "limit:call-memory" | "limit:session-memory") => "Out of memory",
        _ => "Sandbox exited with code 1",
    });
    let status = if error.is_some() { "error" } else { "completed" };
    let error = error.map(str::to_owned);
    ExecResult { status: Some(status), error, ..ExecResult::new(session, result) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::code::SandboxOptions;
    use crate::librechat::wire::{Tool, ToolResult};
    use crate::store::{FolderStore, Store};
    use mitt::CacheDir;

    #[test]
    fn a_script_in_javascript_is_led_to_exec() {
        for language in ["py", "Python", " python3 "] {
            check_language(language).unwrap();
        }
        for language in ["js", "TypeScript", "node"] {
            let problem = check_language(language).unwrap_err();
            assert_eq!((problem.status, problem.code.as_str()), (400, "unsupported_capability"));
            assert!(problem.hint.as_ref().unwrap().contains("`/exec`"), "{language}");
        }
        let bash = check_language("bash").unwrap_err();
        assert!(bash.hint.as_ref().unwrap().contains("no shell"));
    }

    struct Fixture {
        folder: tempfile::TempDir,
        host: Host,
    }

    impl Fixture {
        fn new() -> Fixture {
            let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mitt-cache");
            let host = Host::builder().cache(CacheDir::new(cache)).build().unwrap();
            Fixture { folder: tempfile::tempdir().unwrap(), host }
        }

        /// Runs a script to its end. `answer` makes the calls. Every round is in a process of its own.
        async fn play(
            &self,
            code: &str,
            mut answer: impl FnMut(&str, &Value) -> Result<Value, String>,
        ) -> (ExecResult, Vec<usize>) {
            let parameters = json!({ "properties": { "a": {}, "b": {} }, "required": ["a"] });
            let tool = |name: &str| Tool {
                name: name.into(),
                description: None,
                parameters: Some(parameters.clone()),
            };
            let tools = names::functions(vec![tool("get-it"), tool("add")], 7).unwrap();
            let mut next = Some(Record::new(code.into(), tools, Vec::new(), None).unwrap());
            let (mut token, mut results, mut rounds) = (String::new(), Vec::new(), Vec::new());
            loop {
                let host = self.host.clone();
                let clock = {
                    let host = host.clone();
                    Arc::new(move || host.environment().now())
                };
                let store: Arc<dyn Store> =
                    Arc::new(FolderStore::open(self.folder.path(), clock).unwrap());
                let sandboxes = Sandboxes::new(SandboxOptions {
                    store: store.clone(),
                    host,
                    sessions: 2,
                    idle: Duration::from_secs(9),
                    most_files: 9,
                    most_bytes: 1_000,
                    metrics: Arc::default(),
                });
                let records = Records { store: &store, tenant: "t" };
                let (waiting, recorded) = match next.take() {
                    Some(record) => (Waiting::New(record), Vec::new()),
                    None => {
                        let mut open = records.open(&token).await.unwrap();
                        records.answer(&mut open, std::mem::take(&mut results)).await.unwrap();
                        let recorded = records.replayed(&open).await.unwrap();
                        (Waiting::Old(open), recorded)
                    }
                };
                let result =
                    round(&sandboxes, &self.host, &records, waiting, recorded).await.unwrap();
                let Some(calls) = &result.tool_calls else {
                    if !token.is_empty() {
                        assert_eq!(records.open(&token).await.err().unwrap().status, 404);
                    }
                    return (result, rounds);
                };
                rounds.push(calls.len());
                token = result.continuation_token.clone().unwrap();
                for call in calls {
                    let (result, error) = match answer(&call.name, &call.input) {
                        Ok(value) => (value, None),
                        Err(error) => (Value::Null, Some(error)),
                    };
                    let is_error = error.is_some();
                    let call_id = call.id.clone();
                    results.push(ToolResult { call_id, result, is_error, error_message: error });
                }
            }
        }
    }

    fn add(_: &str, input: &Value) -> Result<Value, String> {
        match (input["a"].as_i64(), input["b"].as_i64()) {
            (Some(a), Some(b)) => Ok(json!(a + b)),
            (Some(a), None) => Ok(json!({ "value": a, "list": [1, null] })),
            _ => Err("no number".into()),
        }
    }

    #[tokio::test]
    async fn a_script_goes_on_in_each_round_where_it_waited() {
        let fixture = Fixture::new();
        for (code, stdout, expected) in [
            (
                "n = 0\nfor i in range(3):\n    n = await add(a=n, b=i)\nprint(n)",
                "3\n",
                vec![1, 1, 1],
            ),
            ("print(await asyncio.gather(add(a=1, b=2), add(a=3, b=4)))", "[3, 7]\n", vec![2]),
            (
                "import asyncio\nasync def f(i):\n    return await add(a=await add(a=i, b=1), b=1)\nprint(await asyncio.gather(f(1), f(2)))",
                "[3, 4]\n",
                vec![2, 2],
            ),
            ("print(add(a=1, b=2) + add(3, 4))", "10\n", vec![1, 1]),
            ("x = get_it(a=5)\nprint(type(x).__name__, x['list'])", "dict [1, None]\n", vec![1]),
            (
                "try:\n    add(a='x')\nexcept ToolExecutionError as error:\n    print(error)",
                "no number\n",
                vec![1],
            ),
            ("if await add(a=1, b=1) == 2:\n    print('two')\n    return", "two\n", vec![1]),
            (
                "import random, uuid\nprint(await add(a=random.randrange(10**6), b=uuid.uuid4().int % 2) > 0)",
                "True\n",
                vec![1],
            ),
            ("print(1)", "1\n", vec![]),
            ("for i in range(30):\n    add(a=i, b=i)\nprint(i)", "29\n", vec![1; 30]),
            (
                "try:\n    add(a=1, b=1)\nexcept BaseException:\n    print('caught')\nprint('end')",
                "end\n",
                vec![1],
            ),
        ] {
            let (result, rounds) = fixture.play(code, add).await;
            assert_eq!(
                (result.status, result.stdout.as_str()),
                (Some("completed"), stdout),
                "{code}\n{}",
                result.stderr
            );
            assert_eq!(rounds, expected, "{code}");
        }
    }

    #[tokio::test]
    async fn errors_say_what_is_wrong() {
        let fixture = Fixture::new();
        for (code, words) in [
            ("await add(a=1, b=1)\n1 / 0", "line 2"),
            ("add(c=1)", "it has: a, b"),
            ("add()", "missing the argument 'a'"),
            ("import time\nadd(a=time.time_ns())\nadd(a=1)", "not those of an earlier round"),
        ] {
            let (result, _) = fixture.play(code, add).await;
            assert_eq!(result.status, Some("error"), "{code}");
            assert!(result.stderr.contains(words), "{code}: {}", result.stderr);
        }
    }

    #[tokio::test]
    async fn results_are_bounded_and_belong_to_calls() {
        let fixture = Fixture::new();
        let clock = Arc::new(|| Duration::from_secs(1));
        let store: Arc<dyn Store> =
            Arc::new(FolderStore::open(fixture.folder.path(), clock).unwrap());
        let records = Records { store: &store, tenant: "t" };
        let tool = Tool { name: "add".into(), description: None, parameters: None };
        let tools = names::functions(vec![tool], 1).unwrap();
        let mut record = Record::new("x".into(), tools, Vec::new(), None).unwrap();
        let many = 40;
        let call = |at: usize| json!({ "id": format!("call_{at}"), "name": "add", "input": "" });
        record.calls = (0..many).map(|at| serde_json::from_value(call(at)).unwrap()).collect();
        let token = records.add(&record).await.unwrap();
        assert!(Records { store: &store, tenant: "other" }.open(&token).await.is_err());
        let mut open = records.open(&token).await.unwrap();
        let result = |at: usize, bytes: usize| ToolResult {
            call_id: format!("call_{at}"),
            result: "x".repeat(bytes).into(),
            is_error: false,
            error_message: None,
        };
        let problem = records.answer(&mut open, vec![result(many, 1)]).await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (422, "unknown_call"));
        let problem = records.answer(&mut open, vec![result(0, 2_000_000)]).await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (413, "too_large"));
        // Several documents, a few results in each.
        let mut open = records.open(&token).await.unwrap();
        records.answer(&mut open, (0..10).map(|at| result(at, 400_000)).collect()).await.unwrap();
        let mut stale = records.open(&token).await.unwrap();
        // The same results again change nothing.
        records.answer(&mut open, vec![result(3, 1)]).await.unwrap();
        let known = |replayed: Vec<(Call, Option<Answer>)>| {
            replayed.iter().filter(|it| it.1.is_some()).count()
        };
        assert_eq!(known(records.replayed(&open).await.unwrap()), 10);
        let more =
            |from: usize| (from..from + 10).map(|at| result(at, 900_000)).collect::<Vec<_>>();
        records.answer(&mut open, more(10)).await.unwrap();
        let problem = records.answer(&mut stale, vec![result(20, 1)]).await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (409, "conflict"));
        let problem = records.answer(&mut open, more(20)).await.unwrap_err();
        assert_eq!(problem.code, "too_large");
        let open = records.open(&token).await.unwrap();
        assert_eq!(known(records.replayed(&open).await.unwrap()), 20);
        records.delete(&open).await.unwrap();
        assert!(store.documents("t", "programmatic_results", None, 9).await.unwrap().is_empty());
    }

    #[test]
    fn a_failure_has_the_text_that_the_client_shows() {
        for (failure, kind, expected) in [
            ("timeout", "limit:time", "Time limit exceeded"),
            ("sandbox_error", "limit:memory", "Out of memory"),
            ("error", "ZeroDivisionError", "Sandbox exited with code 1"),
        ] {
            let result = ScriptResult {
                failure: Some(failure.into()),
                error_kind: Some(kind.into()),
                ..ScriptResult::default()
            };
            let ended = ended("s".into(), result);
            assert_eq!((ended.status, ended.error.as_deref()), (Some("error"), Some(expected)));
        }
        let completed = ended("s".into(), ScriptResult::default());
        assert_eq!((completed.status, completed.error), (Some("completed"), None));
    }
}
