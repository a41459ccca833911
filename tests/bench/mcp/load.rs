//! Clients that call as fast as they are answered.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const TOOL: &str = "empty__run";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    /// HTTP with sessions, 2025-11-25.
    Sessions,
    /// HTTP without, 2026-07-28.
    Requests,
}

impl Transport {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Transport::Stdio => "stdio",
            Transport::Sessions => "HTTP 2025",
            Transport::Requests => "HTTP 2026",
        }
    }
}

pub(crate) struct Measured {
    pub(crate) per_second: f64,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    /// Of the server's process, for one call; none where the system does not tell.
    pub(crate) cpu: Option<Duration>,
}

/// Start the server `who`, and let `clients` call for `time`.
pub(crate) async fn measure(
    who: &str,
    transport: Transport,
    clients: usize,
    time: Duration,
) -> Measured {
    let kind = if transport == Transport::Stdio { "stdio" } else { "http" };
    let mut server = Command::new(std::env::current_exe().unwrap())
        .env(super::ROLE, format!("{who}-{kind}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let id = server.id().unwrap();
    let (mut latencies, time, before) = if transport == Transport::Stdio {
        stdio(input, output, clients, time, id).await
    } else {
        let address = output.next_line().await.unwrap().unwrap();
        http(&address, transport, clients, time, id).await
    };
    let used = before.and_then(|before| cpu_time(id)?.checked_sub(before));
    end(server).await;
    latencies.sort();
    let at = |part: f64| latencies[((latencies.len() - 1) as f64 * part) as usize];
    Measured {
        per_second: latencies.len() as f64 / time.as_secs_f64(),
        p50: at(0.50),
        p99: at(0.99),
        cpu: used.map(|used| used / u32::try_from(latencies.len()).unwrap()),
    }
}

/// Processor time of a process so far, its threads together: fields 14 and 15 of `proc_pid_stat(5)`, in hundredths of a
/// second.
fn cpu_time(id: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|it| it.parse::<u64>().ok());
    Some(Duration::from_millis(10 * ticks.sum::<Option<u64>>()?))
}

async fn end(mut server: Child) {
    let _ = server.kill().await;
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } } })
}

fn initialized() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

fn call(id: usize) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": TOOL, "arguments": {} } })
}

fn check(answer: &str) {
    assert!(answer.contains("\"result\"") && !answer.contains("\"isError\":true"), "{answer}");
}

/// One connection on which `clients` calls are always under way: a server of this kind has one client.
async fn stdio(
    mut input: ChildStdin,
    mut output: Lines<BufReader<ChildStdout>>,
    clients: usize,
    time: Duration,
    server: u32,
) -> (Vec<Duration>, Duration, Option<Duration>) {
    let send = async |input: &mut ChildStdin, message: Value| {
        input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    };
    send(&mut input, initialize()).await;
    check(&output.next_line().await.unwrap().unwrap());
    send(&mut input, initialized()).await;
    let mut latencies = Vec::new();
    let mut sent = Vec::new();
    // The first second is not counted: caches fill.
    for (counted, time) in [(false, Duration::from_secs(1)), (true, time)] {
        sent.clear();
        let before = cpu_time(server);
        let begun = Instant::now();
        let mut open = 0;
        loop {
            let more = begun.elapsed() < time;
            while more && open < clients {
                sent.push(Instant::now());
                send(&mut input, call(sent.len())).await;
                open += 1;
            }
            if open == 0 {
                break;
            }
            let answer = output.next_line().await.unwrap().unwrap();
            check(&answer);
            let answer: Value = serde_json::from_str(&answer).unwrap();
            let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
            if counted {
                latencies.push(sent[id - 1].elapsed());
            }
            open -= 1;
        }
        if counted {
            return (latencies, begun.elapsed(), before);
        }
    }
    unreachable!("the second round is counted")
}

async fn http(
    address: &str,
    transport: Transport,
    clients: usize,
    time: Duration,
    server: u32,
) -> (Vec<Duration>, Duration, Option<Duration>) {
    let mut connections = Vec::new();
    for _ in 0..clients {
        let mut connection = Connection::open(address, transport).await;
        for _ in 0..20 {
            check(&connection.call().await);
        }
        connections.push(connection);
    }
    let before = cpu_time(server);
    let begun = Instant::now();
    let tasks: Vec<_> = connections
        .into_iter()
        .map(|mut connection| {
            tokio::spawn(async move {
                let mut latencies = Vec::new();
                while begun.elapsed() < time {
                    let sent = Instant::now();
                    let answer = connection.call().await;
                    latencies.push(sent.elapsed());
                    check(&answer);
                }
                latencies
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for task in tasks {
        latencies.extend(task.await.unwrap());
    }
    (latencies, begun.elapsed(), before)
}

/// A client's connection. Reads no more of HTTP than these servers write.
struct Connection {
    stream: BufReader<TcpStream>,
    call: String,
}

impl Connection {
    async fn open(address: &str, transport: Transport) -> Connection {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut connection = Connection { stream: BufReader::new(stream), call: String::new() };
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
        );
        let request = |more: &str, message: &Value| {
            let body = message.to_string();
            format!("{head}{more}content-length: {}\r\n\r\n{body}", body.len())
        };
        if transport == Transport::Sessions {
            let (head, _) = connection.exchange(&request("", &initialize())).await;
            let session = head
                .lines()
                .find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"))
                .unwrap();
            let more = format!("{session}\r\nmcp-protocol-version: 2025-11-25\r\n");
            connection.exchange(&request(&more, &initialized())).await;
            connection.call = request(&more, &call(1));
        } else {
            let mut message = call(1);
            message["params"]["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let more = format!(
                "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {TOOL}\r\n"
            );
            connection.call = request(&more, &message);
        }
        connection
    }

    async fn call(&mut self) -> String {
        let call = std::mem::take(&mut self.call);
        let (_, body) = self.exchange(&call).await;
        self.call = call;
        body
    }

    async fn exchange(&mut self, request: &str) -> (String, String) {
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
