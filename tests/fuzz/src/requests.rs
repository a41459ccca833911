//! Requests to all interfaces of the service as clients send them, and headers and paths that are damaged.

use super::shape::Shape;

/// A request. `{run}`, `{file}` and the like are names from earlier responses.
pub(super) struct Seed {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) body: &'static str,
    /// What its response names; empty for nothing.
    pub(super) gives: &'static str,
}

const JSON: &[(&str, &str)] = &[("Content-Type", "application/json")];
const FORM: &[(&str, &str)] = &[("Content-Type", "multipart/form-data; boundary=XX")];
const BYTES: (&str, &str) = ("Content-Type", "application/offset+octet-stream");
const TUS: (&str, &str) = ("Tus-Resumable", "1.0.0");

const fn post(path: &'static str, body: &'static str, gives: &'static str) -> Seed {
    Seed { method: "POST", path, headers: JSON, body, gives }
}

const fn form(path: &'static str, body: &'static str, gives: &'static str) -> Seed {
    Seed { method: "POST", path, headers: FORM, body, gives }
}

const fn get(path: &'static str, headers: &'static [(&'static str, &'static str)]) -> Seed {
    Seed { method: "GET", path, headers, body: "", gives: "" }
}

/// Paths of the requests that come first, undamaged, so that later ones find what they name.
pub(super) const FIRST: [&str; 6] = [
    "/v1/files",
    "/v1/uploads",
    "/librechat/upload",
    "/v1/containers",
    "/v1/runs?wait=true",
    "/v1/responses",
];

pub(super) const SEEDS: [Seed; 34] = [
    post(
        "/v1/runs?wait=true",
        r##"{"instruction":"Go.","documents":[{"name":"a.md","text":"# A"},{"name":"b.csv","content":"YSxiCjEsMgo="},{"file":"{file}"}],"title":"T",
        "options":{"no_routing":true,"tools":"all","plan":null,"documents_tokens":100,"words":{"rules":["ACME"]},
        "limits":{"turns":3,"seconds":60}},"metadata":{"a":"b"},"output_schema":{"type":"object","properties":{"a":{"type":"number"}}}}"##,
        "run",
    ),
    post(
        "/v1/runs",
        r#"{"instruction":"Go.","documents":[{"url":"http://127.0.0.1:9/a.pdf"}]}"#,
        "run",
    ),
    form(
        "/v1/runs?wait=1",
        "--XX\r\nContent-Disposition: form-data; name=\"instruction\"\r\n\r\nGo.\r\n--XX\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n\
        {\"no_routing\":true}\r\n--XX\r\nContent-Disposition: form-data; name=\"document\"; filename=\"a.csv\"; filename*=UTF-8''%E6%9C%88.csv\r\n\
        Content-Type: text/csv\r\n\r\na\n1\n\r\n--XX--\r\n",
        "run",
    ),
    post("/v1/runs/import", r#"{"documents":[{"name":"log.jsonl","text":"{}"}],"title":"T"}"#, ""),
    post(
        "/v1/runs/{run}/messages",
        r#"{"instruction":"More.","documents":[{"file":"{file}"}]}"#,
        "",
    ),
    post(
        "/v1/runs/{run}/answers",
        r#"{"question":"q","decision":"change","text":"a","plan":{"steps":[]}}"#,
        "",
    ),
    post("/v1/runs/{run}/cancel", "{}", ""),
    post("/v1/runs/{run}/continue", "", ""),
    post("/v1/runs/{run}/functions", r#"{"outputs":[{"call":"c","output":"1"}]}"#, ""),
    get("/v1/runs?limit=2&after=x&status=failed", &[]),
    get(
        "/v1/runs/{run}/events?after=1",
        &[("Accept", "text/event-stream"), ("Last-Event-ID", "2")],
    ),
    Seed {
        method: "PATCH",
        path: "/v1/runs/{run}",
        headers: JSON,
        body: r#"{"title":"New"}"#,
        gives: "",
    },
    Seed {
        method: "POST",
        path: "/v1/uploads",
        headers: &[
            TUS,
            ("Upload-Length", "6"),
            ("Upload-Metadata", "filename 6ZSA5ZSuLmNzdg==,filetype dGV4dC9jc3Y="),
        ],
        body: "",
        gives: "upload",
    },
    Seed {
        method: "PATCH",
        path: "/v1/uploads/{upload}",
        headers: &[TUS, BYTES, ("Upload-Offset", "0")],
        body: "a\n1\n2\n",
        gives: "",
    },
    Seed {
        method: "POST",
        path: "/v1/uploads/{upload}",
        headers: &[TUS, BYTES, ("Upload-Offset", "3"), ("X-HTTP-Method-Override", "PATCH")],
        body: "1\n2",
        gives: "",
    },
    Seed { method: "HEAD", path: "/v1/uploads/{upload}", headers: &[TUS], body: "", gives: "" },
    form(
        "/v1/files",
        "--XX\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nuser_data\r\n--XX\r\nContent-Disposition: form-data; name=\"file\"; \
        filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\na\n1\n\r\n--XX--\r\n",
        "file",
    ),
    get(
        "/v1/files/{file}/content",
        &[("Range", "bytes=1-2"), ("If-Range", "\"x\""), ("If-None-Match", "\"y\", *")],
    ),
    get("/v1/files?limit=1&order=asc&purpose=user_data&after={file}", &[]),
    post(
        "/v1/responses",
        r#"{"model":"short","input":[{"role":"user","content":[{"type":"input_text","text":"Go."},{"type":"input_file","filename":"a.txt",
        "file_data":"data:text/plain;base64,aGVsbG8="},{"type":"input_file","file_id":"{file}"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}],
        "tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}},"strict":true}],"tool_choice":"auto",
        "text":{"format":{"type":"json_schema","name":"x","schema":{"type":"object"}}},"metadata":{"a":"b"},"temperature":0.5,"max_tool_calls":2}"#,
        "response",
    ),
    post(
        "/v1/responses",
        r#"{"input":"Go.","stream":true,"include":["a"],"reasoning":{"effort":"low"}}"#,
        "",
    ),
    post(
        "/v1/responses",
        r#"{"input":[{"type":"function_call_output","call_id":"c","output":"1"}],"previous_response_id":"{response}"}"#,
        "response",
    ),
    post("/v1/responses/{response}/cancel", "{}", ""),
    get("/v1/responses/{response}/input_items?limit=1&order=desc", &[]),
    post(
        "/v1/chat/completions",
        r#"{"model":"short","messages":[{"role":"system","content":"Be short."},{"role":"user","content":[{"type":"text","text":"Go."},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"file","file":{"file_data":"aGVsbG8=","filename":"a.txt"}}]},
        {"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
        {"role":"tool","tool_call_id":"c","content":"1"},{"role":"user","content":"More."}],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],
        "stream":true,"stream_options":{"include_usage":true},"n":1,"response_format":{"type":"json_object"}}"#,
        "",
    ),
    post(
        "/v1/containers",
        r#"{"name":"c","expires_after":{"anchor":"last_active_at","minutes":20},"file_ids":["{file}"]}"#,
        "container",
    ),
    post(
        "/v1/containers/{container}/scripts",
        r#"{"language":"python","code":"1","arguments":["a"],"inputs":{"a":1},"keep_variables":true,"seconds":1}"#,
        "",
    ),
    post(
        "/librechat/exec",
        r#"{"lang":"py","code":"print(1)","args":["a"],"files":[{"id":"{object}","name":"a.csv","storage_session_id":"{session}"}],"timeout":100}"#,
        "",
    ),
    post(
        "/exec/programmatic",
        r#"{"code":"await f()","tools":[{"name":"f","description":"F","parameters":{"type":"object"}}],"language":"python","timeout":100,"user_id":"u"}"#,
        "",
    ),
    form(
        "/librechat/upload",
        "--XX\r\nContent-Disposition: form-data; name=\"entity_id\"\r\n\r\ne\r\n--XX\r\nContent-Disposition: form-data; name=\"file\"; \
        filename=\"b.csv\"\r\nContent-Type: text/csv\r\n\r\na\n1\n\r\n--XX--\r\n",
        "session",
    ),
    post(
        "/v1/ag-ui",
        r#"{"threadId":"t","runId":"r","state":{"a":1},"messages":[{"id":"m","role":"user","content":[{"type":"text","text":"Go."},
        {"type":"binary","mimeType":"text/plain","data":"aGVsbG8=","filename":"a.txt"}]}],"tools":[{"name":"f","description":"F","parameters":{}}],
        "context":[{"description":"d","value":"v"}],"forwardedProps":{"mitt":{"model":"short","documents":[{"name":"b.md","text":"b"}]}}}"#,
        "",
    ),
    post(
        "/v1/ag-ui",
        r#"{"threadId":"t","runId":"s","messages":[],"resume":[{"interruptId":"i","status":"resolved","payload":{"a":1}}]}"#,
        "",
    ),
    post(
        "/exec/programmatic",
        r#"{"continuation_token":"x","tool_results":[{"call_id":"c","result":{"a":1},"is_error":false,"error_message":null}]}"#,
        "",
    ),
    post("/v1/tools/documents__add", r#"{"name":"a.md","content":"YQ=="}"#, ""),
];

/// Returns a damaged value of a header: still a line without control characters.
pub(super) fn header_value(shape: &mut Shape<'_>, value: &str) -> String {
    const VALUES: [&str; 20] = [
        "",
        "0",
        "-1",
        "18446744073709551616",
        "99999999",
        "bytes=-",
        "bytes=18446744073709551615-",
        "bytes=-18446744073709551615",
        "bytes=0-0,2-3",
        "bytes=5-1",
        "filename",
        "filename ====,filename /w==",
        "multipart/form-data",
        "multipart/form-data; boundary=\"",
        "multipart/form-data; boundary=",
        "application/json; charset=utf-16",
        "text/plain",
        "1.0.1",
        ", , ;=;q=x",
        "数据",
    ];
    match shape.below(4) {
        0 => value.chars().rev().collect(),
        1 => value.repeat(1 + shape.below(40)),
        _ => VALUES[shape.below(VALUES.len())].to_owned(),
    }
}

/// Returns a header that a request may have or not.
pub(super) fn header(shape: &mut Shape<'_>) -> (String, String) {
    const NAMES: [&str; 14] = [
        "Range",
        "If-Range",
        "If-None-Match",
        "Prefer",
        "Idempotency-Key",
        "Content-Type",
        "Upload-Offset",
        "Upload-Length",
        "Upload-Metadata",
        "Upload-Defer-Length",
        "Last-Event-ID",
        "Accept",
        "X-Model-Key",
        "X-HTTP-Method-Override",
    ];
    let name = NAMES[shape.below(NAMES.len())];
    (name.to_owned(), header_value(shape, "wait=1"))
}

/// Returns a damaged path.
pub(super) fn path(shape: &mut Shape<'_>, path: &str) -> String {
    const ENDS: [&str; 10] = [
        "?after=-1",
        "?limit=99999999999999999999",
        "?wait=%ff",
        "?limit=%00&after=%E6%9C%88",
        "/",
        "/..",
        "%2f..%2f",
        "%ff",
        "?",
        "?&&==&a",
    ];
    match shape.below(3) {
        0 => path.replace("none", "%F0%9F%98%80"),
        1 => path.replace('/', "//"),
        _ => format!("{path}{}", ENDS[shape.below(ENDS.len())]),
    }
}
