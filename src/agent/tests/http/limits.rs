//! Limits of time and size: each ends the answer and is named in the error.

use super::server::{DONE, Server, Step, events, head, text};
use super::*;

async fn failed(
    script: Vec<Step>,
    options: impl Fn(HttpModelBuilder) -> HttpModelBuilder,
) -> String {
    let server = Server::start(vec![script]).await;
    let model = options(client(&format!("{}#m", server.url))).build().unwrap();
    let start = std::time::Instant::now();
    let formatted = formatted(&server.url, &ask(&model).await);
    assert!(start.elapsed() < ms(10_000), "{formatted}");
    formatted
}

#[test]
fn every_time_has_a_limit() {
    run(async {
        // Before the head, and between the head and the first byte.
        let first = |model: HttpModelBuilder| model.first_byte_timeout(ms(100));
        let slow = failed(vec![Step::Hold], first).await;
        insta::assert_snapshot!(slow, @"URL#m: the service did not begin to answer within 0.1 s passes: true");
        assert_eq!(failed(vec![Step::Send(events()), Step::Hold], first).await, slow);
        let stalled = vec![Step::Send(events() + &text("Half")), Step::Hold];
        let between = |model: HttpModelBuilder| model.between_timeout(ms(100));
        insta::assert_snapshot!(failed(stalled.clone(), between).await, @r#"
        Text("Half")
        URL#m: the answer stalled: nothing came for 0.1 s passes: true
        "#);
        let total = |model: HttpModelBuilder| model.total_timeout(ms(200));
        insta::assert_snapshot!(failed(stalled, total).await, @r#"
        Text("Half")
        URL#m: the answer took longer than 0.2 s passes: true
        "#);
        insta::assert_snapshot!(failed(vec![Step::Hold], total).await, @"URL#m: the answer took longer than 0.2 s passes: true");
        // Steady drops are no stall, but the total time is limited.
        let drop = |_| [Step::Send(": ping\n\n".into()), Step::Wait(ms(20))];
        let drops = std::iter::once(Step::Send(events())).chain((0..100).flat_map(drop)).collect();
        let both = |model: HttpModelBuilder| model.total_timeout(ms(400)).between_timeout(ms(300));
        insta::assert_snapshot!(failed(drops, both).await, @"URL#m: the answer took longer than 0.4 s passes: true");
    });
}

#[test]
fn a_connection_must_stand_in_time() {
    run(async {
        // A server that never answers the TLS handshake, before which there is no connection.
        let server = Server::start(vec![vec![Step::Wait(ms(20_000))]]).await;
        let url = server.url.replace("http:", "https:");
        let model = client(&format!("{url}#m")).connect_timeout(ms(60)).build().unwrap();
        let start = std::time::Instant::now();
        let (_, error) = ask(&model).await;
        let error = error.expect("there is no connection");
        assert!(error.message().ends_with("within 0.1 s"), "{error:?}");
        assert!(error.is_retryable());
        assert!(start.elapsed() < ms(4_000));
    });
}

#[test]
fn every_size_has_a_limit() {
    run(async {
        let line = "x".repeat(1_000);
        let event = |model: HttpModelBuilder| model.max_event_bytes(10_000);
        let endless =
            vec![Step::Send(events() + &text("Half") + "data: "), Step::Flood(line.clone())];
        insta::assert_snapshot!(failed(endless, event).await, @r#"
        Text("Half")
        URL#m: one event of the answer is larger than 10000 bytes passes: false
        "#);
        let whole = |model: HttpModelBuilder| model.max_answer_bytes(100_000);
        let pings = vec![Step::Send(events()), Step::Flood(format!(": {line}\n\n"))];
        insta::assert_snapshot!(failed(pings, whole).await, @"URL#m: the answer is larger than 100000 bytes passes: false");
        let json = head("200 OK", "Content-Type: application/json\r\n") + "[";
        insta::assert_snapshot!(failed(vec![Step::Send(json), Step::Flood("1,".into())], whole).await, @"URL#m: the answer is larger than 100000 bytes passes: false");
    });
}

#[test]
fn an_endless_error_is_not_read() {
    run(async {
        let flood = Step::Flood("no ".repeat(1_000));
        let mut server = Server::start(vec![vec![Step::Send(head("400 X", "")), flood]]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let (_, error) = ask(&model).await;
        let error = error.expect("it was refused");
        assert_eq!(error.details(), ["only the first 65536 bytes of the answer were read"]);
        assert!(error.to_string().len() < 10_000);
        let (_, n_bytes) = *server.closed.wait_for(|(n, _)| *n == 1).await.unwrap();
        // As much as the buffers of the system took.
        assert!(n_bytes < 32 << 20, "{n_bytes}");
    });
}

#[test]
fn dropping_an_answer_closes_its_connection() {
    run(async {
        let script = vec![Step::Send(events() + &text("Half")), Step::Hold];
        let mut server = Server::start(vec![script]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let messages = [Message::user("Hi")];
        let mut stream = model.chat(ChatRequest::new(&messages, &[])).await.unwrap();
        let first = stream.next().await.unwrap().unwrap();
        assert_eq!(first, ChatEvent::Text("Half".into()));
        assert_eq!(server.closed.borrow().0, 0);
        drop(stream);
        server.closed.wait_for(|(n, _)| *n == 1).await.unwrap();
    });
}

#[test]
fn an_answer_in_small_drops_is_read_whole() {
    run(async {
        let all = events() + &text("Grüße, 世界") + DONE;
        let drops = all.chars().flat_map(|c| [Step::Send(c.into()), Step::Wait(ms(1))]);
        let server = Server::start(vec![drops.collect()]).await;
        let model = client(&format!("{}#m", server.url)).build().unwrap();
        let (events, error) = ask(&model).await;
        assert_eq!(events, [ChatEvent::Text("Grüße, 世界".into())]);
        assert!(error.is_none());
    });
}

#[test]
fn the_documentation_tells_the_defaults() {
    use mitt_agent::model::http::*;
    let page = include_str!("../../../../docs/models.md").replace('\n', " ");
    let seconds = |time: Duration| format!("{} s", time.as_secs());
    let formatted = format!(
        "Time-outs: {} to connect, {} to the first byte ({} on this machine, where models are loaded first), {} between pieces, {} minutes in all.",
        seconds(DEFAULT_CONNECT_TIMEOUT),
        seconds(DEFAULT_FIRST_BYTE_TIMEOUT),
        seconds(DEFAULT_LOCAL_FIRST_BYTE_TIMEOUT),
        seconds(DEFAULT_BETWEEN_TIMEOUT),
        DEFAULT_TOTAL_TIMEOUT.as_secs() / 60,
    );
    assert!(page.contains(&formatted), "{formatted}");
    // The documented limits are those in effect.
    let builder = |name: &str| {
        let spec = ModelSpec::parse_with(name, &|_| None).unwrap();
        format!("{:?}", HttpModel::builder(spec))
    };
    for (name, first_byte) in
        [("openai/m", "120s"), ("ollama/m", "600s"), ("http://127.0.0.1:1#m", "600s")]
    {
        let shown = builder(name);
        for field in
            ["connect: 10s", &format!("first_byte: {first_byte}"), "between: 60s", "total: 1800s"]
        {
            assert!(shown.contains(field), "{name}: {field} in {shown}");
        }
    }
}
