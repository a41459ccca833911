//! Tools, rules, limits, events and approvals.

use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::caller::*;
use crate::*;

/// Returns the definition of the tool `my__echo`, with more fields.
fn echo_definition(more: &str) -> String {
    let text =
        r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}"#;
    format!(
        r#"{{"name": "my__echo", "description": "Says it again.", "parameters": {text}{more}}}"#
    )
}

#[track_caller]
fn host_with_echo(more: &str) -> Owned {
    let host = host(more);
    add_tool(&host, &echo_definition(""), Some(echo), std::ptr::null_mut()).ok();
    host
}

#[test]
fn a_tool_is_described_and_called() {
    let host = host(r#", "limits": {"session": {"arguments_bytes": 40}}"#);
    let before = session(&host, "");
    add_tool(&host, &echo_definition(r#", "title": "Echo""#), Some(echo), std::ptr::null_mut())
        .ok();
    let session = session(&host, "");
    let tools = tools(&session);
    let tool = &tools["tools"][0];
    assert_eq!((&tool["name"], &tool["title"]), (&json!("my__echo"), &json!("Echo")));
    assert_eq!(tool["parameters"]["required"], json!(["text"]));
    assert_eq!(tools["problems"], json!([]));
    let report = call(&session, "my__echo", r#"{"text": "你好"}"#, 0).ok();
    assert_eq!(report["result"], json!({ "text": "你好" }));
    assert_eq!(
        (&report["ok"], &report["error"], &report["call"]),
        (&json!(true), &Value::Null, &json!(1))
    );
    // A session that was opened before does not have it.
    call(&before, "my__echo", r#"{"text": "a"}"#, 0).fails(mitt_code::MITT_UNKNOWN_TOOL);
    let error =
        call(&session, "my__echo", r#"{"text": 1, "x": 2}"#, 0).fails(mitt_code::MITT_ARGUMENTS);
    assert_eq!(error["details"].as_array().unwrap().len(), 2, "{error}");
    assert!(error["place"].as_str().unwrap().starts_with('/'), "{error}");
    let long = json!({ "text": "a".repeat(100) }).to_string();
    let error = call(&session, "my__echo", &long, 0).fails(mitt_code::MITT_LIMIT);
    assert_eq!(error["limit"]["limit"], 40);
}

#[test]
fn wrong_definitions_are_refused() {
    let host = host("");
    for (definition, code, place) in [
        (r#"{"description": "a"}"#, mitt_code::MITT_ARGUMENTS, "definition.name"),
        (r#"{"name": "a b__c"}"#, mitt_code::MITT_LOAD, "definition.name"),
        (
            r#"{"name": "a__b", "parameters": []}"#,
            mitt_code::MITT_ARGUMENTS,
            "definition.parameters",
        ),
        (
            r#"{"name": "a__b", "parameters": {"type": "string"}}"#,
            mitt_code::MITT_ARGUMENTS,
            "definition.parameters",
        ),
        (r#"{"name": "a__b", "readonly": true}"#, mitt_code::MITT_ARGUMENTS, "definition"),
        ("", mitt_code::MITT_ARGUMENTS, "definition.name"),
    ] {
        let error = add_tool(&host, definition, Some(echo), std::ptr::null_mut()).fails(code);
        assert_eq!(error["place"], place, "{error}");
    }
    let long = echo_definition(&format!(r#", "title": "{}""#, "a".repeat(10)));
    let long = long.replace("Says it again.", &"a".repeat(64 << 10));
    let error = add_tool(&host, &long, Some(echo), std::ptr::null_mut());
    assert_eq!(error.fails(mitt_code::MITT_ARGUMENTS)["place"], "definition.parameters");
    add_tool(&host, &echo_definition(""), None, std::ptr::null_mut())
        .fails(mitt_code::MITT_NULL_POINTER);
}

#[test]
fn rules_hold_for_their_session_and_their_tenant() {
    let rule = |word: &str| format!(r#"[{{"name": "w.txt", "text": "{word}"}}]"#);
    let of_acme = format!(r#"[{{"tenant": "acme", "rules": {}}}]"#, rule("falcon"));
    let host =
        host_with_echo(&format!(r#", "rules": {}, "tenant_rules": {of_acme}"#, rule("osprey")));
    let echoed = |session: &Owned, word: &str| {
        call(session, "my__echo", &json!({ "text": word }).to_string(), 0)
    };
    let acme = session(&host, r#"{"tenant": "acme"}"#);
    let other = session(&host, &format!(r#"{{"rules": {}}}"#, rule("heron")));
    let error = echoed(&acme, "the falcon").fails(mitt_code::MITT_BLOCKED);
    assert!(!error.to_string().contains("falcon"), "{error}");
    echoed(&other, "the falcon").ok();
    echoed(&acme, "the heron").ok();
    echoed(&other, "the heron").fails(mitt_code::MITT_BLOCKED);
    for session in [&acme, &other] {
        echoed(session, "the osprey").fails(mitt_code::MITT_BLOCKED);
    }
    let (none, opened) = try_session(&host, r#"{"rules": [{"name": "w.yaml", "text": "x: 1"}]}"#);
    let error = opened.fails(mitt_code::MITT_INPUT);
    assert!(error["place"].as_str().unwrap().starts_with("options.rules[0]"), "{error}");
    assert_eq!(none, 0);
}

#[test]
fn limits_of_the_host_hold() {
    let host = host(r#", "limits": {"session": {"document_bytes": 10, "documents": 1}}"#);
    let session = session(&host, r#"{"tenant": "acme"}"#);
    let error = add_document(&session, "a.txt", b"more than ten", "").fails(mitt_code::MITT_LIMIT);
    assert_eq!(error["problem"], "too-large");
    let document = add_document(&session, "a.txt", b"few", r#"{"text": true}"#).ok();
    assert_eq!((&document["name"], &document["text"]), (&json!("a.txt"), &json!("few")));
    add_document(&session, "b.txt", b"few", "").fails(mitt_code::MITT_LIMIT);
    let error = add_document(&session, "../b.txt", b"few", "");
    assert_ne!(error.code, mitt_code::MITT_OK);
    let state = state(&session);
    assert_eq!((&state["tenant"], &state["documents"][0]["size"]), (&json!("acme"), &json!(3)));
    assert!(state["memory"]["bytes"].as_u64().unwrap() > 0);
}

/// Adds an event to a list.
///
/// # Safety
///
/// `events` is a list that lives longer than the session, and `data` has `length` bytes.
unsafe extern "C" fn keep(events: *mut c_void, data: *const u8, length: usize) {
    // SAFETY: as this function requires.
    let (events, json) =
        unsafe { (&*events.cast::<Mutex<Vec<Value>>>(), std::slice::from_raw_parts(data, length)) };
    events.lock().unwrap().push(serde_json::from_slice(json).unwrap());
}

#[test]
fn events_are_json() {
    let host = host_with_echo("");
    let events: Mutex<Vec<Value>> = Mutex::default();
    let (opened, returned) =
        session_with(&host, "", Some(keep), (&raw const events).cast_mut().cast());
    returned.ok();
    let opened = Owned(opened);
    add_document(&opened, "a.txt", b"few", "").ok();
    call(&opened, "my__echo", r#"{"text": "a"}"#, 0).ok();
    drop(opened);
    let events = events.into_inner().unwrap();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["document_started", "document_ready", "call_started", "call_finished"]);
    assert_eq!(events[1]["document"]["name"], "a.txt");
    let finished = &events[3];
    assert_eq!((&finished["tool"], &finished["call"]), (&json!("my__echo"), &json!(1)));
    assert!(finished["usage"]["duration_us"].is_u64() && finished["failure"].is_null());
}

#[test]
fn a_destructive_tool_waits_for_a_decision() {
    let host = host("");
    let definition = echo_definition(r#", "destructive": true"#);
    add_tool(&host, &definition, Some(echo), std::ptr::null_mut()).ok();
    let text = r#"{"text": "a"}"#;
    let paused = session(&host, r#"{"destructive": "pause"}"#);
    for (decision, code) in [
        (r#"{"decision": "approve"}"#, mitt_code::MITT_OK),
        (r#"{"decision": "deny", "reason": "not today"}"#, mitt_code::MITT_DENIED),
    ] {
        let waiting = call(&paused, "my__echo", text, 0);
        assert_eq!(waiting.code, mitt_code::MITT_PAUSED);
        let approval = &waiting.result["approval"];
        assert_eq!(
            (&approval["tool"], &approval["arguments"]["text"]),
            (&json!("my__echo"), &json!("a"))
        );
        let id = approval["id"].as_str().unwrap();
        assert_eq!(state(&paused)["pending"][0]["id"], id);
        resume(&paused, id, r#"{"decision": "perhaps"}"#).fails(mitt_code::MITT_ARGUMENTS);
        let resumed = resume(&paused, id, decision);
        assert_eq!(resumed.code, code, "{}", resumed.error);
        assert_eq!(state(&paused)["pending"], json!([]));
    }
    assert_ne!(resume(&paused, "none", r#"{"decision": "approve"}"#).code, mitt_code::MITT_OK);
    let denied = session(&host, r#"{"destructive": "deny"}"#);
    call(&denied, "my__echo", text, 0).fails(mitt_code::MITT_DENIED);
    let approved = session(&host, r#"{"destructive": "approve"}"#);
    call(&approved, "my__echo", text, 0).ok();
}

/// A tool that takes its time, and counts how often it has ended.
///
/// # Safety
///
/// `ended` is a counter that lives longer than the call.
unsafe extern "C" fn slow(ended: *mut c_void, _: *const u8, _: usize, reply: mitt_reply) -> i32 {
    std::thread::sleep(Duration::from_millis(600));
    // SAFETY: the text is static.
    let code = unsafe { mitt_reply_set(reply, b"1".as_ptr(), 1) };
    // SAFETY: as this function requires.
    unsafe { &*ended.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
    code as i32
}

#[test]
fn a_cancelled_call_does_not_wait_for_its_callback() {
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    let host = host("");
    let counter = (&raw const ENDED).cast_mut().cast();
    add_tool(&host, r#"{"name": "my__slow"}"#, Some(slow), counter).ok();
    add_tool(&host, r#"{"name": "my__late", "timeout_ms": 100}"#, Some(slow), counter).ok();
    let session = session(&host, "");
    let mut cancel = 0;
    // SAFETY: the places are local variables.
    called(|_, error| unsafe { mitt_cancel_new(&raw mut cancel, error) }).ok();
    let cancel = Owned(cancel);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(mitt_cancel_set(cancel.0), mitt_code::MITT_OK);
        });
        let error = call(&session, "my__slow", "", cancel.0).fails(mitt_code::MITT_CANCELLED);
        assert_eq!(error["kind"], "cancelled");
    });
    assert_eq!(ENDED.load(Ordering::Relaxed), 0, "after {:?}", begun.elapsed());
    // The flag stays set.
    call(&session, "my__slow", "", cancel.0).fails(mitt_code::MITT_CANCELLED);
    let error = call(&session, "my__late", "", 0).fails(mitt_code::MITT_LIMIT);
    assert_eq!(error["limit"]["name"], "time");
    call(&session, "my__slow", "", 0).ok();
}

/// A tool that calls another one of the same session.
///
/// # Safety
///
/// `session` is a handle that lives longer than the call.
unsafe extern "C" fn nested(
    session: *mut c_void,
    _: *const u8,
    _: usize,
    reply: mitt_reply,
) -> i32 {
    // SAFETY: as this function requires.
    let session =
        unsafe { &*session.cast::<std::sync::atomic::AtomicU64>() }.load(Ordering::Relaxed);
    let session = std::mem::ManuallyDrop::new(Owned(session));
    let report = call(&session, "my__echo", r#"{"text": "inner"}"#, 0).ok().to_string();
    // SAFETY: the text is a local variable.
    unsafe { mitt_reply_set(reply, report.as_ptr(), report.len()) as i32 }
}

#[test]
fn many_threads_and_callbacks_use_one_session() {
    let host = host_with_echo(r#", "limits": {"concurrency": {"total": 64, "per_tenant": 64}}"#);
    let handle = std::sync::atomic::AtomicU64::new(0);
    let data = (&raw const handle).cast_mut().cast();
    add_tool(&host, r#"{"name": "my__nested"}"#, Some(nested), data).ok();
    let session = session(&host, "");
    handle.store(session.0, Ordering::Relaxed);
    std::thread::scope(|scope| {
        for thread in 0..32 {
            let session = &session;
            scope.spawn(move || {
                for number in 0..16 {
                    let text = format!("{thread}-{number}");
                    let given = json!({ "text": text }).to_string();
                    assert_eq!(call(session, "my__echo", &given, 0).ok()["result"]["text"], text);
                    let report = call(session, "my__nested", "{}", 0).ok();
                    assert_eq!(report["result"]["result"]["text"], "inner");
                }
            });
        }
    });
}

#[test]
fn an_answer_has_a_most_of_bytes() {
    /// # Safety
    ///
    /// None.
    unsafe extern "C" fn long(_: *mut c_void, _: *const u8, _: usize, reply: mitt_reply) -> i32 {
        let most = answer::MAX_ANSWER_BYTES;
        let mut text = vec![b' '; most + 1];
        text[0] = b'1';
        // SAFETY: the text is a local variable.
        let codes = unsafe {
            (
                mitt_reply_set(reply, text.as_ptr(), most + 1),
                mitt_reply_set(reply, text.as_ptr(), 100),
            )
        };
        i32::from(codes != (mitt_code::MITT_LIMIT, mitt_code::MITT_OK))
    }
    let host = host("");
    add_tool(&host, r#"{"name": "my__long"}"#, Some(long), std::ptr::null_mut()).ok();
    assert_eq!(call(&session(&host, ""), "my__long", "{}", 0).ok()["result"], 1);
}
