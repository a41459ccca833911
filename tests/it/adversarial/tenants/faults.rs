//! Faults of the host itself: the client gets an answer, which reveals nothing of the fault's message.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mitt::{ErrorKind, Event, SessionOptions};
use mitt_serve::mcp::ServerOptions;
use serde_json::json;

use super::{Two, two};
use crate::http::client::said;
use crate::support::host;

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_below_a_request_is_answered_and_counted() {
    let panics = Arc::new(AtomicBool::new(true));
    let observer = {
        let panics = panics.clone();
        move |_: &mitt_serve::mcp::Observed<'_>| {
            assert!(!panics.load(Ordering::SeqCst), "the secret of the document");
        }
    };
    let options = ServerOptions { observer: Some(Arc::new(observer)), ..ServerOptions::default() };
    let Two { mut alice, mut mallory, server, .. } = two(options, |_| {}).await;
    alice.initialize().await;
    let old = alice.call("conformance__empty", json!({})).await;
    let new = mallory.modern_call("conformance__empty", json!({})).await;
    for answer in [old, new] {
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(message.contains("please report it"), "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    panics.store(false, Ordering::SeqCst);
    // The same session and connection still work.
    let answer = alice.call("conformance__simple_text", json!({})).await;
    assert!(said(&answer).contains("simple text"), "{answer}");
    assert_eq!(server.server.running_calls(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn panics_are_in_the_metrics() {
    let options = ServerOptions {
        observer: Some(Arc::new(|_: &mitt_serve::mcp::Observed<'_>| panic!("on purpose"))),
        ..ServerOptions::default()
    };
    let server = crate::http::client::start_with(options, crate::http::client::options()).await;
    let mut client = server.client().await;
    client.modern_call("conformance__empty", json!({})).await;
    let metrics = client.get("/metrics").await.text;
    let line = metrics.lines().find_map(|line| line.strip_prefix("mitt_panics_total "));
    assert!(line.unwrap().parse::<u64>().unwrap() >= 1, "{metrics}");
}

/// In the library: calls and documents have a result, and the session continues.
#[tokio::test]
async fn a_panic_in_a_session_is_an_error() {
    let panics = Arc::new(AtomicBool::new(true));
    let events = {
        let panics = panics.clone();
        Arc::new(move |_: &Event| assert!(!panics.load(Ordering::SeqCst), "the secret"))
    };
    let options = SessionOptions { events: Some(events), ..SessionOptions::default() };
    let session = host().session(options).unwrap();
    for _ in 0..40 {
        // More often than there are places: each was given back.
        let report = session.call("document_tool__list_documents", "{}").await;
        let error = report.result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Host);
        assert!(error.render().contains("please report it"), "{}", error.render());
        assert!(!error.render().contains("secret"), "{}", error.render());
    }
    let error = session.add_document_bytes("a.txt", b"a".to_vec()).await.unwrap_err();
    assert!(error.render().contains("please report it"), "{}", error.render());
    panics.store(false, Ordering::SeqCst);
    session.add_document_bytes("a.txt", b"a".to_vec()).await.unwrap();
    let report = session.call("document_tool__list_documents", "{}").await;
    assert!(report.result.unwrap().to_string().contains("a.txt"));
}
