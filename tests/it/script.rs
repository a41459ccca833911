//! Scripts in every installed engine: arguments, answers, limits.

use mitt::value::Json;
use mitt::{CacheDir, ErrorKind, Host, Resource, SessionLimits, SessionOptions};
use serde_json::{Value, json};

use crate::support::{cache, engines, host, kind, outcome, script, session};

#[tokio::test]
async fn code_is_required_and_runs() {
    for engine in engines() {
        let session = session();
        let done = outcome(&session, &engine, "print('年')\n1 + 1").await;
        assert_eq!(
            (&done["status"], &done["stdout"], &done["result"]),
            (&json!("success"), &json!("年\n"), &json!(2)),
            "{engine}"
        );
        // The same text again gives the same run.
        let again = outcome(&session, &engine, "print('年')\n1 + 1").await;
        assert_eq!(again["stdout"], done["stdout"]);
    }
    let report = session().call("python__run", r#"{"inputs": {}}"#).await;
    assert_eq!(kind(&report), ErrorKind::Arguments);
    assert!(report.result.unwrap_err().render().contains("/code"));
}

#[tokio::test]
async fn language_is_an_enum_of_the_installed_engines() {
    let session = session();
    let tool = session.registry().tool("python__run").await.unwrap();
    let schema = mitt::schema::arguments(&tool.function);
    let names: Vec<String> = schema["properties"]["language"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names[0], "python");
    for engine in engines() {
        assert!(names.contains(&engine), "{names:?}");
    }
    let report = session.call("python__run", r#"{"code": "1", "language": "cobol"}"#).await;
    let error = report.result.unwrap_err().render();
    assert!(error.contains("/language") && error.contains("`python`"), "{error}");
    let error = session.run_script("cobol", "", None).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Load);
}

#[tokio::test]
async fn an_engine_can_be_pinned() {
    for engine in engines() {
        let builder = || Host::builder().cache(CacheDir::new(cache()));
        let pinned = builder().script_engine(&engine).build().unwrap();
        assert_eq!(pinned.registry().script("python").unwrap().manifest().name, engine);
        let overlay =
            mitt::skill::Overlay::parse(&format!("{{schema: 1, engine: {engine}}}"), "o").unwrap();
        let host = builder().tenant("a", overlay).build().unwrap();
        let options = SessionOptions { tenant: Some("a".into()), ..SessionOptions::default() };
        let session = host.session(options).unwrap();
        assert_eq!(session.registry().script("python").unwrap().manifest().name, engine);
    }
    for wrong in ["no-engine", "table-tool"] {
        let error = Host::builder().no_cache().script_engine(wrong).build().unwrap_err().render();
        assert!(error.contains(wrong), "{error}");
    }
    // Another engine never runs a script that was meant for a pinned one.
    let overlay =
        mitt::skill::Overlay::parse("{schema: 1, disable: [python], engine: python}", "o").unwrap();
    let host =
        Host::builder().no_cache().overlay(mitt::skill::Layer::Project, overlay).build().unwrap();
    if let [_, _, ..] = engines()[..] {
        let error = host.registry().script("python").unwrap_err().to_string();
        assert!(error.contains("which cannot be used"), "{error}");
    }
}

#[tokio::test]
async fn timeouts_are_validated_and_only_lower_the_limit() {
    let session = session();
    for seconds in ["0", "-1", "31", "1.5", "99999999999"] {
        let arguments = format!(r#"{{"code": "1", "timeout_seconds": {seconds}}}"#);
        let report = session.call("python__run", &arguments).await;
        assert_eq!(kind(&report), ErrorKind::Arguments, "{seconds}");
    }
    for engine in engines() {
        let arguments = json!({ "code": "print('before')\nwhile True:\n    pass", "language": engine, "timeout_seconds": 1 });
        let report = session.call("python__run", &arguments.to_string()).await;
        let error = report.script_error.as_ref().unwrap();
        let limit = error.limit_reached().unwrap();
        assert!(
            limit.what == Resource::Fuel || (limit.what, limit.limit) == (Resource::Time, 1_000),
            "{limit:?}"
        );
        let done = Value::from(report.result.unwrap());
        assert_eq!(done["status"], "timeout", "{engine}");
        assert_eq!(done["stdout"], "before\n", "{engine}: what was written before is there");
        // A loop that was ended has used its fuel.
        assert!(done["fuel_used"].as_u64().unwrap() > 100_000_000, "{engine}: {done}");
        assert!(done["error_kind"] == "limit:time" || done["error_kind"] == "limit:fuel", "{done}");
    }
}

#[tokio::test]
async fn fuel_that_ran_out_is_a_timeout_too() {
    let limits = mitt::CallLimits { fuel: 60_000_000, ..mitt::CallLimits::script() };
    let host = Host::builder().cache(CacheDir::new(cache())).call_limits(limits).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    for engine in engines() {
        let done = outcome(&session, &engine, "print('before')\nwhile True:\n    pass").await;
        assert_eq!(
            (&done["status"], &done["error_kind"]),
            (&json!("timeout"), &json!("limit:fuel")),
            "{done}"
        );
        assert_eq!(done["stdout"], "before\n");
    }
}

#[tokio::test]
async fn only_allowed_modules_can_be_imported_and_called() {
    for engine in engines() {
        let session = session();
        let run = async |code: &str, modules: &[&str]| -> Value {
            let arguments = json!({ "code": code, "language": engine, "allowed_modules": modules });
            let report = session.call("python__run", &arguments.to_string()).await;
            report.result.unwrap_or_else(|error| panic!("{}", error.render())).into()
        };
        let sort =
            "import table_tool\ntable_tool.sort([{'a': 2}, {'a': 1}], [{'column': 'a'}])\n'done'";
        assert_eq!(run(sort, &["table_tool"]).await["result"], "done", "{engine}");
        assert_eq!(run(sort, &["table-tool", "json"]).await["result"], "done");
        for code in [sort, "import json"] {
            let refused = run(code, &["re"]).await;
            assert_eq!(refused["status"], "error", "{refused}");
            assert!(refused["error_kind"].as_str().unwrap().ends_with("Error"), "{refused}");
        }
        assert_eq!(run("1", &[]).await["result"], 1);
    }
}

#[tokio::test]
async fn the_host_refuses_tools_of_other_modules_however_they_are_called() {
    // In CPython, tools can also be called by their full names.
    let arguments = json!({
        "code": "import mitt\ntry:\n    mitt.call('document_tool__list_documents')\nexcept BaseException:\n    print('caught')",
        "allowed_modules": ["mitt"],
    });
    let report = session().call("python__run", &arguments.to_string()).await;
    assert_eq!(*report.script_error.as_ref().unwrap().kind(), ErrorKind::Denied);
    let done = Value::from(report.result.unwrap());
    assert_eq!(
        (&done["status"], &done["error_kind"], &done["stdout"]),
        (&json!("sandbox_error"), &json!("denied"), &json!(""))
    );
    // A nested script has no more than the outer one.
    let arguments = json!({
        "code": "import mitt\nmitt.call('python__run', code='import document_tool')['error_kind']",
        "allowed_modules": ["mitt", "python"],
    });
    let report = session().call("python__run", &arguments.to_string()).await;
    let done = Value::from(report.result.unwrap());
    assert!(done["result"].as_str().is_some_and(|kind| kind.ends_with("Error")), "{done}");
}

#[tokio::test]
async fn a_script_has_no_network() {
    let session = session();
    let report = session.call("python__run", r#"{"code": "1", "network_access": "none"}"#).await;
    assert!(report.result.is_ok());
    for wanted in [json!("full"), json!(true), json!(["example.org"])] {
        let arguments = json!({ "code": "1", "network_access": wanted });
        let report = session.call("python__run", &arguments.to_string()).await;
        let error = report.result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Arguments);
        assert!(error.render().contains("a script has no network"), "{}", error.render());
    }
}

#[tokio::test]
async fn the_answer_has_its_documented_members_and_fits_its_schema() {
    for engine in engines() {
        let session = session();
        let done = outcome(
            &session,
            &engine,
            "import report\nreport.deliver(markdown='# x', filename='x.md')\nNone",
        )
        .await;
        let names: Vec<_> = done.as_object().unwrap().keys().map(String::as_str).collect();
        for name in [
            "status",
            "stdout",
            "stderr",
            "result",
            "execution_time_ms",
            "fuel_used",
            "peak_memory_bytes",
            "truncated",
            "artifacts",
            "calls",
            "result_is_repr",
        ] {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
        assert!(!names.contains(&"error_message"), "only of a failure: {names:?}");
        assert_eq!(done["result"], Value::Null);
        assert_eq!(done["artifacts"][0]["name"], "x.md");
        assert_eq!(
            (&done["calls"][0]["tool"], &done["calls"][0]["ok"]),
            (&json!("report__deliver"), &json!(true))
        );
        assert!(
            done["fuel_used"].as_u64().unwrap() > 0
                && done["execution_time_ms"].as_f64().unwrap() > 0.0
        );
        // The schema of the tool's result accepts it.
        let tool = session.registry().tool("python__run").await.unwrap();
        let schema = mitt::schema::result(&tool.function).unwrap();
        for done in [done, outcome(&session, &engine, "x").await] {
            let errors: Vec<_> = jsonschema::validator_for(&schema)
                .unwrap()
                .iter_errors(&done)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{errors:?}: {done}");
        }
    }
}

#[tokio::test]
async fn output_is_bounded_in_the_answer_and_whole_in_the_workspace() {
    for engine in engines() {
        let session = session();
        let code = "import sys\nfor i in range(5000):\n    print('年年年年年年年年年')\nprint('e' * 40000, file=sys.stderr)\n7";
        let done = outcome(&session, &engine, code).await;
        assert_eq!((&done["result"], &done["truncated"]), (&json!(7), &json!(true)), "{engine}");
        let stdout = done["stdout"].as_str().unwrap();
        let (kept, mark) = stdout.split_at(stdout.find("\n[SYSTEM").unwrap());
        assert_eq!((kept.chars().count(), mark), (32_768, "\n[SYSTEM: TRUNCATED]"));
        assert_eq!(done["stderr"].as_str().unwrap().len(), 32_768 + mark.len());
        let file = done["stdout_file"].as_str().unwrap();
        let read =
            outcome(&session, &engine, &format!("len(open('{file}', encoding='utf-8').read())"))
                .await;
        assert_eq!(read["result"], 50_000, "{read}");
    }
    // If it does not fit, there is none.
    let limits = SessionLimits { workspace_bytes: 1_000, ..SessionLimits::default() };
    let host =
        Host::builder().cache(CacheDir::new(cache())).session_limits(limits).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let done = outcome(&session, "python", "print('x' * 50000)").await;
    assert_eq!((&done["truncated"], done.get("stdout_file")), (&json!(true), None));
}

#[tokio::test]
async fn the_answer_tells_the_status_and_the_kind_of_error() {
    for engine in engines() {
        let session = session();
        for (code, status, kind) in [
            ("1", "success", None),
            ("1 / 0", "error", Some("ZeroDivisionError")),
            ("def f(:", "error", Some("SyntaxError")),
            (
                "x = []\nwhile True:\n    x.append('x' * 1000000)",
                "sandbox_error",
                Some("limit:memory"),
            ),
        ] {
            let done = outcome(&session, &engine, code).await;
            let got = (done["status"].as_str().unwrap(), done["error_kind"].as_str());
            // An engine may detect by itself that no memory is left.
            if got != ("error", Some("MemoryError")) {
                assert_eq!(got, (status, kind), "{engine}: {code}: {done}");
            }
        }
    }
}

#[tokio::test]
async fn the_result_is_the_value_of_the_last_line() {
    for engine in engines() {
        let session = session();
        for (code, result) in [
            ("x = 1", json!(null)),
            ("1 + 1", json!(2)),
            ("{'a': [1, 2.5, None, True, 'é']}", json!({ "a": [1, 2.5, null, true, "é"] })),
            ("print('x')", json!(null)),
        ] {
            let done = outcome(&session, &engine, code).await;
            assert_eq!(
                (&done["result"], &done["result_is_repr"]),
                (&result, &json!(false)),
                "{engine}: {code}"
            );
        }
        let done = outcome(&session, &engine, "len").await;
        assert!(done["result_is_repr"] == true && done["result"].is_string(), "{engine}: {done}");
        let report = script(&session, &engine, "12345678901234567890123").await;
        let result = report.result.unwrap();
        assert_eq!(result.get("result").unwrap().to_string(), "12345678901234567890123");
    }
}

#[tokio::test]
async fn an_error_has_a_place_and_a_caret() {
    for engine in engines() {
        let session = session();
        let done = outcome(&session, &engine, "x = 1\nprint(x, undefined)").await;
        let message = done["error_message"].as_str().unwrap();
        assert!(message.contains("line 2") && message.contains(['^', '~']), "{engine}: {message}");
        assert!(
            message.contains("NameError: name 'undefined' is not defined"),
            "{engine}: {message}"
        );
        assert_eq!((&done["line"], &done["column"]), (&json!(2), &json!(10)), "{engine}: {done}");
        let report = script(&session, &engine, "1 / 0").await;
        let (kind, told) = report.failure().unwrap();
        assert_eq!(kind, "plugin");
        assert!(told.starts_with("ZeroDivisionError"), "{told}");
    }
}

#[tokio::test]
async fn a_script_sees_nothing_of_the_machine() {
    for engine in engines() {
        let session = session();
        for code in [
            "open('/etc/passwd').read()",
            "open('../../etc/passwd').read()",
            "import socket\nsocket.create_connection(('127.0.0.1', 80))",
            "import subprocess\nsubprocess.run(['ls'])",
        ] {
            let done = outcome(&session, &engine, code).await;
            assert_eq!(done["status"], "error", "{engine}: {code}: {done}");
        }
    }
    let done =
        outcome(&session(), "python", "import os\n[dict(os.environ), os.listdir('/')]").await;
    assert!(done["status"] == "error" || done["result"][0] == json!({}), "{done}");
    // A capability that is not granted is not linked: an engine without grants cannot be used at all.
    let skill = host().registry().script("python").unwrap();
    assert!(!skill.manifest().grants.contains(&mitt::Capability::Render));
}

/// 360 KB of code, a zero byte and half a character, none of which a command line would accept.
#[tokio::test]
async fn long_code_and_any_character_reach_the_engine_and_come_back() {
    let code = format!("{}print('a\\0b\\ud800c')\nlen('x')\n", "x = 1\n".repeat(60_000));
    for engine in engines() {
        let done = outcome(&session(), &engine, &code).await;
        assert_eq!((&done["status"], &done["result"]), (&json!("success"), &json!(1)), "{engine}");
        let stdout = done["stdout"].as_str().unwrap();
        assert!(stdout.starts_with("a\0b") && stdout.ends_with("c\n"), "{engine}: {stdout:?}");
    }
}

#[tokio::test]
async fn a_plugin_error_can_be_caught_and_wrong_arguments_are_explained() {
    for engine in engines() {
        let code = "import report\n\
            try:\n    report.deliver(markdown='x', filename='../x.md')\n\
            except Exception as error:\n    print(error)\n\
            try:\n    report.deliver(markdown=1, filename='x.md')\n\
            except Exception as error:\n    print(error)\n";
        let done = outcome(&session(), &engine, code).await;
        let stdout = done["stdout"].as_str().unwrap();
        assert!(
            stdout.contains("without any folder, got `../x.md`")
                && stdout.contains("/markdown: expected string, got number 1"),
            "{engine}: {done}"
        );
        let kinds: Vec<_> =
            done["calls"].as_array().unwrap().iter().map(|call| &call["kind"]).collect();
        assert_eq!(kinds, ["plugin", "arguments"]);
    }
}

#[tokio::test]
async fn a_limit_inside_a_call_is_not_caught_and_keeps_the_output() {
    let limits = SessionLimits { tool_calls: 5, ..SessionLimits::default() };
    let host =
        Host::builder().cache(CacheDir::new(cache())).session_limits(limits).build().unwrap();
    for engine in engines() {
        let session = host.session(SessionOptions::default()).unwrap();
        let code = "import document_tool\nwhile True:\n    try:\n        document_tool.list_documents()\n        print('called')\n    except BaseException:\n        print('caught')";
        let report = script(&session, &engine, code).await;
        let error = report.script_error.as_ref().unwrap();
        assert!(
            matches!(error.limit_reached(), Some(limit) if limit.what == Resource::ToolCalls && limit.limit == 5)
        );
        assert_eq!(report.failure().unwrap().0, "limit");
        let done = Value::from(report.result.unwrap());
        assert_eq!(done["stdout"], "called\n".repeat(5));
        assert_eq!(
            (&done["status"], &done["error_kind"]),
            (&json!("sandbox_error"), &json!("limit:tool-calls"))
        );
        assert_eq!(done["calls"].as_array().unwrap().len(), 5);
        // The journal says so too.
        let journal = session.journal();
        let last = journal.iter().rfind(|entry| entry["kind"] == "call").unwrap();
        assert_eq!((&last["tool"], &last["outcome"]), (&json!("python__run"), &json!("limit")));
    }
}

#[tokio::test]
async fn hostile_scripts_end_and_leave_the_host_serving() {
    let session = session();
    for engine in engines() {
        for code in [
            "while True:\n    pass",
            "x = 'x'\nwhile True:\n    x = x + x",
            "def f():\n    return f()\nf()",
        ] {
            let arguments = json!({ "code": code, "language": engine, "timeout_seconds": 2 });
            let report = session.call("python__run", &arguments.to_string()).await;
            assert!(report.failure().is_some(), "{engine}: {code}");
            assert_eq!(outcome(&session, &engine, "1").await["result"], 1);
        }
    }
}

#[tokio::test]
async fn no_state_is_left_for_the_next_script() {
    for engine in engines() {
        let session = session();
        outcome(&session, &engine, "import json\nx = 1").await;
        let done = outcome(&session, &engine, "x").await;
        assert_eq!(done["error_kind"], "NameError", "{engine}");
    }
}

#[tokio::test]
async fn inputs_become_variables_with_all_their_digits() {
    for engine in engines() {
        let session = session();
        let inputs = json!({ "year": 2025, "names": ["年"] });
        let object = json!({ "code": "[year, names]", "language": engine, "inputs": inputs });
        let text =
            json!({ "code": "[year, names]", "language": engine, "inputs": inputs.to_string() });
        for arguments in [object, text] {
            let report = session.call("python__run", &arguments.to_string()).await;
            let result: Json = report.result.unwrap();
            assert_eq!(Value::from(result)["result"], json!([2025, ["年"]]));
        }
        let arguments = format!(
            r#"{{"code": "n", "language": "{engine}", "inputs": {{"n": 9007199254740993}}}}"#
        );
        let report = session.call("python__run", &arguments).await;
        assert_eq!(report.result.unwrap().get("result").unwrap().to_string(), "9007199254740993");
        for wrong in [json!([1]), json!("[1]"), json!("{"), json!(1)] {
            let arguments = json!({ "code": "1", "inputs": wrong });
            let report = session.call("python__run", &arguments.to_string()).await;
            assert_eq!(kind(&report), ErrorKind::Arguments, "{wrong}");
        }
    }
}

#[tokio::test]
async fn a_fixed_clock_and_seed_repeat_a_script() {
    let environment = mitt::Environment {
        clock: Some(std::time::Duration::from_secs(1_700_000_000)),
        seed: Some(7),
    };
    let host =
        Host::builder().cache(CacheDir::new(cache())).environment(environment).build().unwrap();
    let code = "import random, time\n[random.random(), int(time.time())]";
    for engine in engines() {
        let first = outcome(&host.session(SessionOptions::default()).unwrap(), &engine, code).await;
        let second =
            outcome(&host.session(SessionOptions::default()).unwrap(), &engine, code).await;
        // The engine reports what it lacks.
        if first["status"] == "success" {
            assert_eq!(first["result"], second["result"], "{engine}");
            assert_eq!(first["result"][1], 1_700_000_000);
        } else {
            assert!(first["error_kind"].as_str().unwrap().contains("Error"), "{engine}: {first}");
        }
    }
}

#[tokio::test]
async fn a_script_inside_a_script_has_its_own_answer() {
    let code = "import mitt\nmitt.call('python__run', code='print(1)\\n2')";
    let done = outcome(&session(), "python", code).await;
    assert_eq!(
        (&done["result"]["result"], &done["result"]["stdout"]),
        (&json!(2), &json!("1\n")),
        "{done}"
    );
    // There is a limit on the depth.
    let endless = "import mitt\ns = 'import mitt\\nmitt.call(\"python__run\", code=s, inputs=dict(s=s))'\nmitt.call('python__run', code=s, inputs=dict(s=s))";
    let report = script(&session(), "python", endless).await;
    let text = report.result.unwrap().to_string();
    assert!(text.contains("limit:call-depth"), "{text}");
}
