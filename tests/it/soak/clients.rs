//! Clients of the server in this process: over HTTP in both revisions, and over a pair of streams.

use std::net::SocketAddr;

use mitt_serve::mcp::{Client, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn call(tool: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": {} } })
}

/// A connection over HTTP.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Connection { stream: BufReader::new(stream), address }
    }

    /// Calls as in 2026-07-28, in one of a few sessions.
    pub(super) async fn call(&mut self, tool: &str, session: u64) {
        let mut message = call(tool);
        message["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "soak", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
            "mitt/session": format!("s{session}"),
        });
        let more = format!(
            "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n"
        );
        let (_, body) = self.exchange("POST", &more, &message.to_string()).await;
        assert!(body.contains("\"result\"") && !body.contains("\"isError\":true"), "{body}");
    }

    /// Opens a session as in 2025-11-25, calls in it, and ends it or leaves it to the server.
    pub(super) async fn session(&mut self, tool: &str, is_ended: bool) {
        let (head, _) = self.exchange("POST", "", INITIALIZE).await;
        let id = head.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
        let more = format!("{}\r\nmcp-protocol-version: 2025-11-25\r\n", id.unwrap());
        self.exchange("POST", &more, INITIALIZED).await;
        let (_, body) = self.exchange("POST", &more, &call(tool).to_string()).await;
        assert!(body.contains("\"result\""), "{body}");
        if is_ended {
            self.exchange("DELETE", &more, "").await;
        }
    }

    async fn exchange(&mut self, method: &str, more: &str, body: &str) -> (String, String) {
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\n{more}content-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).await.unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).await.unwrap() > 0, "closed: {head}");
        }
        assert!(head.starts_with("HTTP/1.1 20"), "{head}");
        let field = |name: &str| {
            let field = head.lines().find(|line| line.to_ascii_lowercase().starts_with(name));
            field.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
        };
        let mut body = Vec::new();
        if let Some(length) = field("content-length:") {
            body.resize(length.parse().unwrap(), 0);
            self.stream.read_exact(&mut body).await.unwrap();
        } else if field("transfer-encoding:").is_some() {
            loop {
                let mut size = String::new();
                self.stream.read_line(&mut size).await.unwrap();
                let size = usize::from_str_radix(size.trim(), 16).unwrap();
                let mut chunk = vec![0; size + 2];
                self.stream.read_exact(&mut chunk).await.unwrap();
                if size == 0 {
                    break;
                }
                body.extend(&chunk[..size]);
            }
        }
        (head, String::from_utf8(body).unwrap())
    }
}

/// Connects a client, makes a few calls and disconnects, as over standard input and output.
pub(super) async fn visit(server: &Server, tool: &str) {
    let (client, ours) = tokio::io::duplex(16 * 1024);
    let (input, output) = tokio::io::split(ours);
    let server = server.clone();
    let serving = tokio::spawn(async move {
        server.serve_over(Client::default(), CancellationToken::new(), input, output).await
    });
    let (answers, mut requests) = tokio::io::split(client);
    let mut answers = BufReader::new(answers).lines();
    for line in
        [INITIALIZE, INITIALIZED, "garbage", &call(tool).to_string(), &call("no__such").to_string()]
    {
        requests.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        if line != INITIALIZED {
            answers.next_line().await.unwrap().unwrap();
        }
    }
    requests.shutdown().await.unwrap();
    while answers.next_line().await.unwrap().is_some() {}
    serving.await.unwrap().unwrap();
}
