//! Writes drafts for tests outside of the sandbox. Not part of the component.
//!
//! Reads lines of tab-separated fields from standard input: the file to write, the folder of the session's files, and
//! arguments such as `subject=Budget`; lists repeat their key. `\n` stands for a line break. Prints a line for each.

use mail_tool::{Error, Request, draft};
use std::io::{BufRead as _, Write as _};

#[expect(clippy::disallowed_methods, reason = "a test program, which no user runs")]
fn main() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let fields: Vec<&str> = line.split('\t').collect();
        let result = match run(&fields) {
            Ok(text) => format!("ok\t{text}"),
            Err(error) => format!("error\t{error}"),
        };
        writeln!(out, "{}\t{}", fields[0], result.replace('\n', "\\n")).unwrap();
    }
}

fn run(fields: &[&str]) -> Result<String, Error> {
    let [target, folder, arguments @ ..] = fields else {
        return Err(Error::Invalid("expected a file and a folder".into()));
    };
    let mut request = Request::default();
    for argument in arguments {
        let (key, value) = argument.split_once('=').unwrap_or((argument, ""));
        let value = value.replace("\\n", "\n").replace("\\r", "\r");
        match key {
            "body" => request.body = value,
            "subject" => request.subject = Some(value),
            "to" => request.to.push(value),
            "cc" => request.cc.push(value),
            "bcc" => request.bcc.push(value),
            "sender" => request.sender = Some(value),
            "attachment" => request.attachments.push(value),
            "reply" => request.reply_to_mail = Some(value),
            "date" => request.date = Some(value),
            other => return Err(Error::Invalid(format!("unknown key `{other}`"))),
        }
    }
    let read = |name: &str| {
        std::fs::read(std::path::Path::new(folder).join(name))
            .map_err(|_| Error::NotFound(format!("no file `{name}`")))
    };
    let done = draft(&request, &read)?;
    std::fs::write(target, &done.content).unwrap();
    let parts = done.parts.iter().map(|it| format!("{} {} {}", it.kind.as_str(), it.name, it.size));
    Ok(parts.chain(done.recipients).chain(done.warnings).collect::<Vec<_>>().join("\n"))
}
