//! Variables that scripts keep, in a session and in a file.

use mitt::{ErrorKind, Session};
use serde_json::{Value, json};

use crate::support::{engines, mitt, outcome, session, text};

async fn kept(session: &Session, engine: &str, code: &str) -> Value {
    let arguments =
        json!({ "code": code, "language": engine, "state": "session", "timeout_seconds": 3 });
    session.call("python__run", &arguments.to_string()).await.result.unwrap().into()
}

#[tokio::test]
async fn variables_stay_between_the_scripts_of_a_session() {
    for engine in engines() {
        let session = session();
        kept(&session, &engine, "x = [1]\ndef f(y):\n    return y + len(x)").await;
        kept(&session, &engine, "x.append(2)").await;
        assert_eq!(
            kept(&session, &engine, "[x, f(1)]").await["result"],
            json!([[1, 2], 3]),
            "{engine}"
        );
        // An exception does not change them.
        assert_eq!(
            kept(&session, &engine, "x.append(3)\n1 / 0").await["error_kind"],
            "ZeroDivisionError"
        );
        assert_eq!(kept(&session, &engine, "x").await["result"], json!([1, 2, 3]), "{engine}");
        // Neither other scripts nor other sessions see them.
        assert_eq!(outcome(&session, &engine, "x").await["error_kind"], "NameError");
        assert_eq!(kept(&crate::support::session(), &engine, "x").await["error_kind"], "NameError");
        // Tools work in each.
        let code = "import document_tool\nlen(document_tool.list_documents())";
        assert_eq!(kept(&session, &engine, code).await["result"], 0, "{engine}");
        session.add_document_bytes("a.csv", "a\n1\n".into()).await.unwrap();
        assert_eq!(kept(&session, &engine, code).await["result"], 1);
        assert_eq!(kept(&session, &engine, "len(documents)").await["result"], 1, "{engine}");
    }
}

#[tokio::test]
async fn a_script_that_is_ended_takes_the_variables_with_it() {
    for engine in engines() {
        let session = session();
        kept(&session, &engine, "x = 1").await;
        let ended = kept(&session, &engine, "print('before')\nwhile True:\n    pass").await;
        assert_eq!(
            (&ended["status"], &ended["stdout"]),
            (&json!("timeout"), &json!("before\n")),
            "{engine}"
        );
        assert_eq!(kept(&session, &engine, "x").await["error_kind"], "NameError", "{engine}");
    }
}

#[tokio::test]
async fn scripts_that_keep_variables_take_turns_and_never_wait_for_themselves() {
    for engine in engines() {
        let session = session();
        kept(&session, &engine, "n = 0").await;
        let more = || kept(&session, &engine, "n = n + 1");
        tokio::join!(more(), more(), more(), more());
        assert_eq!(kept(&session, &engine, "n").await["result"], 4, "{engine}");
    }
    let code = "import mitt\ntry:\n    mitt.call('python__run', code='1', state='session')\nexcept Exception as error:\n    print(error)";
    let done = kept(&session(), "python", code).await;
    assert!(
        done["stdout"].as_str().unwrap().contains("cannot run another one that does"),
        "{done}"
    );
}

#[tokio::test]
async fn a_state_goes_to_another_session_only_as_it_was_sealed() {
    for engine in engines() {
        let session = session();
        assert!(session.dump_script_state(&engine).await.unwrap().is_none());
        kept(&session, &engine, "x = {'a': [1, 2.5, 'é']}").await;
        let sealed = match session.dump_script_state(&engine).await {
            Ok(sealed) => sealed.unwrap(),
            // The engine reports what it cannot do.
            Err(error) => {
                assert_eq!((error.kind(), &*engine), (&ErrorKind::Plugin, "python"), "{error}");
                continue;
            }
        };
        // The first session continues.
        assert_eq!(kept(&session, &engine, "x['a'][0]").await["result"], 1);
        let other = crate::support::session();
        other.load_script_state(&engine, &sealed).await.unwrap();
        assert_eq!(
            kept(&other, &engine, "x").await["result"],
            json!({ "a": [1, 2.5, "é"] }),
            "{engine}"
        );
        for at in [0, 20, 60, sealed.len() - 1] {
            let mut forged = sealed.clone();
            forged[at] ^= 1;
            let error = other.load_script_state(&engine, &forged).await.unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Denied, "{at}");
        }
        assert!(other.load_script_state(&engine, &sealed[..30]).await.is_err());
        // A refused state changed nothing.
        assert_eq!(kept(&other, &engine, "x['a'][0]").await["result"], 1);
    }
}

#[test]
fn the_program_keeps_variables_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = |engine: &str, code: &str| {
        std::fs::write(folder.path().join("s.py"), code).unwrap();
        mitt(folder.path(), &["exec", "s.py", "-q", "--engine", engine, "--state", "vars.state"])
    };
    for engine in engines() {
        let _ = std::fs::remove_file(folder.path().join("vars.state"));
        let first = run(&engine, "x = 41");
        if !first.status.success() {
            assert!(
                engine == "python" && text(&first.stderr).contains("the variables"),
                "{}",
                text(&first.stderr)
            );
            continue;
        }
        let second = run(&engine, "x + 1");
        assert_eq!(text(&second.stdout), "42\n", "{engine}: {}", text(&second.stderr));
        // Another process that uses the file at the same time is refused.
        let file = std::fs::File::open(folder.path().join("vars.state")).unwrap();
        file.lock().unwrap();
        let busy = run(&engine, "x");
        assert_eq!(busy.status.code(), Some(10), "{}", text(&busy.stderr));
        drop(file);
        std::fs::write(folder.path().join("vars.state"), "forged").unwrap();
        let forged = run(&engine, "x");
        assert_eq!(forged.status.code(), Some(5), "{}", text(&forged.stderr));
    }
}
