//! Open WebUI as a peer: a server that also stands between clients and a model, with its default store.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::client::Connection;
use super::model::Model;
use super::process::memory;

/// Time in which it must start. It imports some hundred Python packages, and makes its database.
const START: Duration = Duration::from_secs(300);

/// Settings without which it asks other machines for models and news.
const OFFLINE: [(&str, &str); 10] = [
    ("OFFLINE_MODE", "true"),
    ("HF_HUB_OFFLINE", "1"),
    ("RAG_EMBEDDING_ENGINE", "openai"),
    ("ENABLE_OLLAMA_API", "false"),
    ("BYPASS_EMBEDDING_AND_RETRIEVAL", "true"),
    ("AUDIO_STT_ENGINE", "openai"),
    ("ENABLE_VERSION_UPDATE_CHECK", "false"),
    ("SCARF_NO_ANALYTICS", "true"),
    ("DO_NOT_TRACK", "true"),
    ("ANONYMIZED_TELEMETRY", "false"),
];

/// An Open WebUI that runs, with an administrator.
pub(crate) struct OpenWebUi {
    pub(crate) address: SocketAddr,
    /// The administrator's token.
    pub(crate) token: String,
    process: Child,
    _folder: tempfile::TempDir,
}

impl OpenWebUi {
    /// Starts the program that `OPEN_WEBUI` names, with this model alone; `None` if the variable names none.
    pub(crate) async fn start(model: &Model) -> Option<OpenWebUi> {
        let program = std::env::var_os("OPEN_WEBUI")?;
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut process = Command::new(program)
            .args(["serve", "--host", "127.0.0.1", "--port", &port.to_string()])
            .current_dir(folder.path())
            .env("DATA_DIR", folder.path())
            .env("WEBUI_SECRET_KEY", "bench")
            .envs(OFFLINE)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let started = tokio::time::timeout(START, async {
            while TcpStream::connect(address).await.is_err() {
                assert!(process.try_wait().unwrap().is_none(), "Open WebUI ended at its start");
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        });
        started.await.expect("Open WebUI starts");
        let person =
            json!({ "name": "Admin", "email": "admin@example.org", "password": "a-long-password" });
        let mut connection = Connection::open(address).await;
        let answer = connection.post("/api/v1/auths/signup", &person).await;
        let token = answer["token"].as_str().unwrap().to_owned();
        connection = connection.with_token(Some(&token));
        let settings = json!({
            "ENABLE_OPENAI_API": true,
            "OPENAI_API_BASE_URLS": [format!("http://{}/v1", model.address)],
            "OPENAI_API_KEYS": ["mock"],
            "OPENAI_API_CONFIGS": {
                "0": { "enable": true, "api_type": "chat_completions", "model_ids": ["mock"] },
            },
        });
        connection.post("/openai/config/update", &settings).await;
        // It learns the models of the connection when somebody asks for them.
        let (status, _, models) =
            connection.upload("GET", "/api/models?refresh=true", "", ("", 0, "")).await;
        let text = String::from_utf8_lossy(&models);
        assert!(status == 200 && text.contains("mock"), "{text}");
        Some(OpenWebUi { address, token, process, _folder: folder })
    }

    /// Returns the memory of its process in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.process.id().and_then(memory).unwrap_or_default().now
    }

    /// Ends it.
    pub(crate) async fn end(mut self) {
        let _ = self.process.kill().await;
    }
}
