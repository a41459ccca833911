//! `/metrics` of a server with the service.

use serde_json::json;

use crate::service::support::{SOON, Server, run};

#[tokio::test(flavor = "multi_thread")]
async fn runs_scripts_and_bytes_are_in_the_metrics() {
    let server = Server::start().await;
    server.finished_run("Please deliver.", "").await;
    let failed = server.post_json("/v1/runs?wait=true", &run("Please fail.")).await.json();
    assert_eq!(failed["status"], "failed");
    let container = server.post_json("/v1/containers", &json!({ "name": "c" })).await.json();
    let path = format!("/v1/containers/{}/scripts", container["id"].as_str().unwrap());
    for code in ["1 + 1", "1 / 0"] {
        let reply = server.post_json(&path, &json!({ "code": code })).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    server.post_json("/v1/runs", &run("Work slowly.")).await;
    let wanted = [
        "mitt_runs_total{status=\"started\"} 3",
        "mitt_runs_total{status=\"completed\"} 1",
        "mitt_runs_total{status=\"failed\"} 1",
        "mitt_container_scripts_total{outcome=\"ok\"} 1",
        "mitt_container_scripts_total{outcome=\"error\"} 1",
        "mitt_working_runs 1",
        "mitt_queued_runs 0",
        "mitt_waiting_runs 0",
        "mitt_kept_runs 3",
    ];
    let begun = std::time::Instant::now();
    loop {
        let reply = server.get("/metrics").await;
        let text = reply.text();
        assert!(text.ends_with("\n# EOF\n"), "{text}");
        // Those of the server are beside them.
        assert!(text.contains("mitt_http_requests_total{"), "{text}");
        let lacks = wanted.iter().find(|line| !text.lines().any(|it| it == **line));
        let Some(line) = lacks else {
            let bytes = text.lines().find_map(|it| it.strip_prefix("mitt_stored_bytes "));
            assert!(bytes.unwrap().parse::<u64>().unwrap() > 0, "{text}");
            break;
        };
        assert!(begun.elapsed() < SOON, "{line}\n{text}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    server.release_turn();
}
