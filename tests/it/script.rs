//! Scripts: CPython in the sandbox, its functions the session's tools.

use mitt::value::Json;
use mitt::{ErrorKind, Resource, Session};
use serde_json::Value;

use crate::support::{kind, session};

async fn outcome(session: &Session, code: &str) -> Value {
    let report = session.run_script("python", code, None).await.unwrap();
    report.result.unwrap_or_else(|error| panic!("{}", error.render())).into()
}

#[tokio::test]
async fn output_result_and_traceback() {
    let session = session();
    let done =
        outcome(&session, "import sys\nprint('年')\nprint('e', file=sys.stderr)\n1 + 1").await;
    assert_eq!(done["status"], "success");
    assert_eq!(
        (&done["stdout"], &done["stderr"], &done["result"]),
        (&"年\n".into(), &"e\n".into(), &"2".into())
    );
    let failed = outcome(&session, "x = 1\nprint(undefined)").await;
    assert_eq!(failed["status"], "error");
    let traceback = failed["error_message"].as_str().unwrap();
    assert!(
        traceback.contains("line 2")
            && traceback.ends_with("NameError: name 'undefined' is not defined"),
        "{traceback}"
    );
    let syntax = outcome(&session, "def f(:\n").await;
    assert!(syntax["error_message"].as_str().unwrap().contains("SyntaxError"), "{syntax}");
}

#[tokio::test]
async fn tools_are_modules_and_documents_are_there() {
    let session = session();
    session.add_document_bytes("a.csv", "年,收入\n2024,10\n2025,12.5\n".into()).await.unwrap();
    let done = outcome(
        &session,
        "import table_tool, report\n\
         t = documents['a.csv'].tables[0]\n\
         g = table_tool.growth(t, columns=['收入'])\n\
         report.deliver(markdown='# x', filename='x.md')\n\
         g.data.records()[1]['收入_growth']",
    )
    .await;
    assert_eq!(done["result"], "0.25", "{done}");
    assert_eq!(session.artifacts()[0].name, "x.md");
    let tools: Vec<_> = session
        .journal()
        .iter()
        .filter(|entry| entry["kind"] == "call")
        .map(|e| e["tool"].clone())
        .collect();
    assert_eq!(tools, ["table_tool__growth", "report__deliver", "python__run"]);
}

#[tokio::test]
async fn a_plugin_error_can_be_caught_and_wrong_arguments_are_explained() {
    let session = session();
    let done = outcome(
        &session,
        "import report\n\
         try:\n    report.deliver(markdown='x', filename='../x.md')\n\
         except ToolError as error:\n    print(error)\n\
         try:\n    report.deliver(markdown=1, filename='x.md')\n\
         except ToolError as error:\n    print(error)\n",
    )
    .await;
    let stdout = done["stdout"].as_str().unwrap();
    assert!(
        stdout.contains("without any folder, got `../x.md`")
            && stdout.contains("/markdown: expected string, got number 1"),
        "{done}"
    );
}

#[tokio::test]
async fn a_limit_inside_a_call_is_not_caught() {
    let limits = mitt::SessionLimits { tool_calls: 5, ..mitt::SessionLimits::default() };
    let cache = Some(mitt::CacheDir::new(crate::support::cache()));
    let host = mitt::Host::builder().cache(cache).session_limits(limits).build().unwrap();
    let session = host.session(mitt::SessionOptions::default()).unwrap();
    let code = "import document_tool\nn = 0\nwhile True:\n    try:\n        document_tool.list_documents()\n    except BaseException:\n        pass";
    let report = session.run_script("python", code, None).await.unwrap();
    assert!(
        matches!(kind(&report), ErrorKind::Limit(limit) if limit.what == Resource::ToolCalls && limit.limit == 5)
    );
}

#[tokio::test]
async fn hostile_scripts_end_and_leave_the_host_serving() {
    let session = session();
    for (code, what) in [
        ("while True: pass", None),
        ("x = []\nwhile True: x.append('x' * 1000000)", Some(Resource::Memory)),
        ("import os\nwhile True: os.write(1, b'x' * 4096)", Some(Resource::Output)),
    ] {
        let report = session.run_script("python", code, None).await.unwrap();
        match (kind(&report), what) {
            (ErrorKind::Limit(limit), Some(what)) => assert_eq!(limit.what, what, "{code}"),
            (ErrorKind::Limit(limit), None) => {
                assert!(matches!(limit.what, Resource::Time | Resource::Fuel), "{limit:?}")
            }
            (other, _) => panic!("{code}: {other:?}"),
        }
        assert_eq!(outcome(&session, "1").await["result"], "1");
    }
}

#[tokio::test]
async fn nothing_of_the_machine_is_visible() {
    let done = outcome(
        &session(),
        "import os\n\
         def tried(f):\n    try:\n        return repr(f())\n    except Exception as error:\n        return type(error).__name__\n\
         print(dict(os.environ))\n\
         print(tried(lambda: os.listdir('/')))\n\
         print(tried(lambda: open('/etc/passwd').read()))\n\
         print(tried(lambda: __import__('socket').create_connection(('127.0.0.1', 80))))\n\
         print(tried(lambda: __import__('subprocess').run(['ls'])))",
    )
    .await;
    let lines: Vec<_> = done["stdout"].as_str().unwrap().lines().collect();
    assert_eq!(lines[0], "{}");
    for line in &lines[1..] {
        assert!(line.ends_with("Error"), "{lines:?}");
    }
}

#[tokio::test]
async fn no_state_is_left_for_the_next_script() {
    let session = session();
    outcome(&session, "import json\njson.marker = 1\nx = 1").await;
    let done = outcome(&session, "import json\n[hasattr(json, 'marker'), 'x' in globals()]").await;
    assert_eq!(done["result"], "[false,false]", "{done}");
}

#[tokio::test]
async fn inputs_become_variables() {
    let inputs = serde_json::json!({ "year": 2025, "names": ["年"] });
    let report = session().run_script("python", "[year, names]", inputs.as_object()).await.unwrap();
    let result: Json = report.result.unwrap();
    assert_eq!(Value::from(result)["result"], "[2025,[\"年\"]]");
}

#[tokio::test]
async fn an_unknown_language_is_refused() {
    let error = session().run_script("cobol", "", None).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load);
}

#[tokio::test]
async fn a_fixed_clock_and_seed_repeat_a_script() {
    let cache = Some(mitt::CacheDir::new(crate::support::cache()));
    let environment = mitt::Environment {
        clock: Some(std::time::Duration::from_secs(1_700_000_000)),
        seed: Some(7),
    };
    let host = mitt::Host::builder().cache(cache).environment(environment).build().unwrap();
    let code = "import random, time, uuid\n[random.random(), int(time.time()), str(uuid.uuid4())]";
    let first = outcome(&host.session(mitt::SessionOptions::default()).unwrap(), code).await;
    let second = outcome(&host.session(mitt::SessionOptions::default()).unwrap(), code).await;
    assert_eq!(first, second);
    assert!(first["result"].as_str().unwrap().contains("1700000000"), "{first}");
}
