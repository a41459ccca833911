//! Finds model servers on this machine, and their models.
//!
//! Sends requests to their default ports, or to the addresses in their environment variables (`OLLAMA_HOST`, `LLAMACPP_BASE_URL`, …).
//! Never sends a request to another machine.

use std::time::Duration;

use serde_json::Value;

use super::super::ModelSpec;
use super::super::preset::Wire;
use super::HttpModel;

/// Services that run on the user's own machine, by the names of their presets.
pub const LOCAL_SERVICES: [&str; 4] = ["ollama", "lmstudio", "llamacpp", "vllm"];

/// Time in which a server answers.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Most models of a server that are listed.
const MOST_MODELS: usize = 200;

/// A model server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// Name of the service, with which names of its models begin: `ollama` in `ollama/qwen3`.
    pub service: String,
    /// Its address.
    pub base_url: String,
    /// Its models, by the names that [`ModelSpec::parse`] reads. Embedding models, as judged by their names, are left out.
    pub models: Vec<String>,
}

/// Returns the model servers that answer on this machine within 2 seconds.
pub async fn local_servers() -> Vec<LocalServer> {
    local_servers_within(ANSWER_TIME).await
}

/// Returns the model servers that answer on this machine within `time`.
pub async fn local_servers_within(time: Duration) -> Vec<LocalServer> {
    let variable = |name: &str| std::env::var(name).ok();
    let asked = LOCAL_SERVICES.iter().filter_map(|service| {
        let spec = ModelSpec::parse_with(&format!("{service}/any"), &variable).ok()?;
        spec.is_local().then(|| tokio::time::timeout(time, asked(service, spec)))
    });
    let mut found: Vec<LocalServer> = Vec::new();
    let answered = futures_util::future::join_all(asked).await;
    for server in answered.into_iter().filter_map(|answered| answered.ok().flatten()) {
        // Two services may have the same address.
        if !found.iter().any(|it| it.base_url == server.base_url) {
            found.push(server);
        }
    }
    found
}

async fn asked(service: &str, spec: ModelSpec) -> Option<LocalServer> {
    let (base_url, wire) = (spec.base_url.clone(), spec.wire);
    let model = HttpModel::builder(spec).build().ok()?;
    let path = match wire {
        Wire::Ollama => "/api/tags",
        _ => "/models",
    };
    let list = model.said_by(model.client.get(format!("{base_url}{path}"))).await?;
    let models = names(&list)?;
    let models = models.into_iter().map(|name| format!("{service}/{name}")).collect();
    Some(LocalServer { service: service.to_owned(), base_url, models })
}

/// Returns the names in a list of models, in the form of Ollama or of OpenAI. `None` if the JSON is not such a list.
fn names(list: &Value) -> Option<Vec<String>> {
    let (entries, key) = match (&list["models"], &list["data"]) {
        (_, Value::Array(entries)) => (entries, "id"),
        (Value::Array(entries), _) => (entries, "name"),
        _ => return None,
    };
    let names = entries.iter().filter_map(|entry| entry[key].as_str());
    let names = names.filter(|name| !name.is_empty() && !name.to_lowercase().contains("embed"));
    Some(
        names
            .take(MOST_MODELS)
            .map(|it| it.strip_suffix(":latest").unwrap_or(it).to_owned())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_of_models_are_read() {
        let ollama = json!({ "models": [{ "name": "qwen3:latest" }, { "name": "nomic-embed-text:latest" }, { "name": "gemma3:4b" }] });
        assert_eq!(names(&ollama).unwrap(), ["qwen3", "gemma3:4b"]);
        let others = json!({ "object": "list", "data": [{ "id": "a/b.gguf" }, { "id": "" }, { "no": 1 }], "models": [{ "name": "x" }] });
        assert_eq!(names(&others).unwrap(), ["a/b.gguf"]);
        assert_eq!(names(&json!({ "data": [] })).unwrap(), Vec::<String>::new());
        for no_list in [json!(null), json!({ "status": "ok" }), json!([1])] {
            assert_eq!(names(&no_list), None);
        }
        let many = json!({ "data": vec![json!({ "id": "m" }); 1_000] });
        assert_eq!(names(&many).unwrap().len(), MOST_MODELS);
    }
}
