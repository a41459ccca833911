//! Drafts from the arguments of a call, read back with a parser of mails.

use mail_parser::{MessageParser, MimeHeaders as _};
use mail_tool::{Draft, Error, MAX_BODY_BYTES, MAX_DRAFT_BYTES, PartKind, Request, draft};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x01\0\x08\x06\0\0\0";
const ORIGINAL: &[u8] = b"From: Li <li@example.com>\r\nSubject: Budget\r\nMessage-ID: <m1@example.com>\r\n\r\nPlease send it.\r\n";

fn read(name: &str) -> Result<Vec<u8>, Error> {
    match name {
        "chart.png" | "my chart.png" => Ok(PNG.to_vec()),
        "chart.svg" => Ok(b"<svg/>".to_vec()),
        "mail.eml" => Ok(ORIGINAL.to_vec()),
        "big.zip" => Ok(vec![b'x'; 10 * 1024 * 1024]),
        "old.pdf" => Err(Error::Unsupported("the file was not kept".into())),
        name if name.starts_with("missing") || name.contains('%') => {
            Err(Error::NotFound(format!("no document `{name}`; there are: chart.png")))
        }
        name => Ok(format!("content of {name}").into_bytes()),
    }
}

fn request(body: &str) -> Request {
    Request {
        body: body.into(),
        subject: Some("Budget".into()),
        to: vec!["anna@example.com".into()],
        ..Request::default()
    }
}

fn write(request: &Request) -> Draft {
    let draft = draft(request, &read).unwrap();
    let text = std::str::from_utf8(&draft.content).unwrap();
    assert!(draft.content.is_ascii());
    assert!(text.ends_with("\r\n"));
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "line ends are CRLF");
    // The media types of Office files are longer than the 78 columns that are usual.
    assert!(text.lines().all(|line| line.len() <= 90), "lines are short");
    draft
}

fn error(request: &Request) -> String {
    draft(request, &read).unwrap_err().to_string()
}

#[test]
fn a_text_has_two_forms() {
    let draft = write(&request(
        "# 你好\n\nSee [the site](https://example.com).\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    ));
    let message = MessageParser::default().parse(&draft.content).unwrap();
    assert_eq!(message.subject(), Some("Budget"));
    assert_eq!(message.header_raw("X-Unsent").map(str::trim), Some("1"));
    assert!(message.date().is_none() && message.from().is_none());
    assert_eq!(
        message.body_text(0).unwrap(),
        "你好\n====\n\nSee the site (https://example.com).\n\na  b\n-  -\n1  2"
            .replace('\n', "\r\n")
    );
    let html = message.body_html(0).unwrap();
    assert!(html.contains(">the site</a>") && html.contains("</th>"), "{html}");
    let kinds: Vec<_> = draft.parts.iter().map(|part| part.kind).collect();
    assert_eq!(kinds, [PartKind::Text, PartKind::Html]);
    assert_eq!(draft.recipients, ["to: anna@example.com"]);
    assert!(draft.warnings.is_empty(), "{:?}", draft.warnings);
}

#[test]
fn pictures_and_files_keep_their_bytes_and_names() {
    let long = format!("{}.xlsx", "年度报告".repeat(15));
    let request = Request {
        attachments: vec![
            "季度 报告.pdf".into(),
            long.clone(),
            "mail.zip/a\"b.csv".into(),
            "mail.eml".into(),
        ],
        ..request("![Sales](chart.png) and ![](my%20chart.png) and again ![](chart.png)")
    };
    let draft = write(&request);
    let message = MessageParser::default().parse(&draft.content).unwrap();
    let html = message.body_html(0).unwrap();
    let mut names = Vec::new();
    for part in message.parts.iter().filter(|part| !part.is_multipart()) {
        let Some(name) = part.attachment_name() else { continue };
        names.push(name.to_owned());
        if let Some(id) = part.content_id() {
            assert_eq!(part.contents(), PNG);
            assert!(html.contains(&format!("src=\"cid:{id}\"")));
            assert_eq!(part.content_disposition().unwrap().ctype(), "inline");
        } else {
            let expected = match name {
                "mail.eml" => ORIGINAL.to_vec(),
                "a\"b.csv" => b"content of mail.zip/a\"b.csv".to_vec(),
                _ => format!("content of {name}").into_bytes(),
            };
            assert_eq!(part.contents(), expected);
        }
    }
    assert_eq!(
        names,
        ["chart.png", "my chart.png", "季度 报告.pdf", &long, "a\"b.csv", "mail.eml"]
    );
    assert_eq!(html.matches("<img ").count(), 3);
    assert_eq!(draft.parts.len(), 8);
    assert_eq!((&*draft.parts[4].media_type, draft.parts[4].size), ("application/pdf", 28));
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let first = write(&request("a")).content;
    assert_eq!(first, write(&request("a")).content);
    let id = |content: &[u8]| {
        MessageParser::default().parse(content).unwrap().message_id().unwrap().to_owned()
    };
    assert!(id(&first).ends_with("@draft.invalid"));
    assert_ne!(id(&first), id(&write(&request("b")).content));
    let sender = Request { sender: Some("Me <me@example.org>".into()), ..request("a") };
    assert!(id(&write(&sender).content).ends_with("@example.org"));
}

#[test]
fn every_field_is_there_once() {
    let request = Request {
        sender: Some("王 <wang@example.com>".into()),
        to: vec!["李娜 <li@例子.中国>".into(), "Anna <anna@example.com>".into()],
        cc: vec!["ANNA@example.com".into(), "\"B, C\" <b@example.com>".into()],
        bcc: vec!["d@example.com".into()],
        subject: Some(
            "第三季度财务报告及明年预算草案——请审阅并于周五之前回复，谢谢各位同事的支持".into(),
        ),
        date: Some("2026-11-27T09:30:00+08:00".into()),
        ..request("x")
    };
    let draft = write(&request);
    let message = MessageParser::default().parse(&draft.content).unwrap();
    assert_eq!(message.subject(), request.subject.as_deref());
    assert_eq!(message.date().unwrap().to_rfc3339(), "2026-11-27T09:30:00+08:00");
    assert_eq!(
        draft.recipients,
        [
            "to: 李娜 <li@xn--fsqu00a.xn--fiqs8s>",
            "to: Anna <anna@example.com>",
            "cc: B, C <b@example.com>",
            "bcc: d@example.com"
        ]
    );
    let cc = message.cc().unwrap().first().unwrap();
    assert_eq!((cc.name(), cc.address()), (Some("B, C"), Some("b@example.com")));
    assert_eq!(message.bcc().unwrap().first().unwrap().address(), Some("d@example.com"));
    assert_eq!(draft.warnings.len(), 2, "{:?}", draft.warnings);
    assert!(draft.warnings[1].contains("ANNA@example.com is given twice"));
}

#[test]
fn long_names_of_people_are_whole() {
    let name = "第三季度财务报告审阅委员会（华东地区分公司）— Ünïcödé 😀 committee".to_owned();
    let request = Request { to: vec![format!("{name} <a@example.com>"); 1], ..request("x") };
    let draft = write(&request);
    let message = MessageParser::default().parse(&draft.content).unwrap();
    assert_eq!(message.to().unwrap().first().unwrap().name(), Some(&*name));
}

#[test]
fn a_reply_quotes_and_stays_in_its_conversation() {
    let request = Request {
        body: "Here it is.".into(),
        reply_to_mail: Some("mail.eml".into()),
        attachments: vec!["budget.xlsx".into()],
        ..Request::default()
    };
    let draft = write(&request);
    assert_eq!((&*draft.subject, &*draft.recipients[0]), ("Re: Budget", "to: Li <li@example.com>"));
    let message = MessageParser::default().parse(&draft.content).unwrap();
    assert_eq!(message.in_reply_to().as_text(), Some("m1@example.com"));
    assert_eq!(message.references().as_text(), Some("m1@example.com"));
    let text = message.body_text(0).unwrap();
    assert_eq!(text, "Here it is.\r\n\r\nLi wrote:\r\n\r\n> Please send it.");
    assert!(message.body_html(0).unwrap().contains("Please send it.\r\n</blockquote>"));
    let other = Request { reply_to_mail: Some("mail.msg".into()), ..request };
    assert!(error(&other).contains("save it as `.eml`"));
}

#[test]
fn a_line_break_in_a_field_is_refused() {
    let attack = "x\r\nBcc: evil@example.com";
    let base = request("x");
    for (place, request) in [
        ("subject", Request { subject: Some(attack.into()), ..base.clone() }),
        ("to[0]", Request { to: vec![format!("{attack} <a@b.com>")], ..base.clone() }),
        ("to[0]", Request { to: vec!["a@b.com\nBcc: c@d.com".into()], ..base.clone() }),
        ("cc[0]", Request { cc: vec![format!("a@b.com{attack}")], ..base.clone() }),
        ("bcc[0]", Request { bcc: vec![attack.into()], ..base.clone() }),
        ("sender", Request { sender: Some(format!("\"{attack}\" <a@b.com>")), ..base.clone() }),
        (
            "date",
            Request { date: Some("2026-11-27T09:30:00Z\r\nBcc: c@d.com".into()), ..base.clone() },
        ),
        ("attachments[0]", Request { attachments: vec!["a\r\nb.pdf".into()], ..base.clone() }),
        ("reply-to-mail", Request { reply_to_mail: Some("a\r\nb.eml".into()), ..base.clone() }),
    ] {
        let error = error(&request);
        assert!(error.starts_with(&format!("{place}: expected ")), "{place}: {error}");
    }
    // Markdown cannot write into a field, because its texts are encoded parts.
    let draft = write(&request(
        "a\r\n.\r\n--=_alternative_0\r\nBcc: evil@example.com\r\n\r\n![x\nBcc: y](chart.png)",
    ));
    let message = MessageParser::default().parse(&draft.content).unwrap();
    assert!(message.bcc().is_none());
    assert_eq!(message.parts.len(), 5);
}

#[test]
fn all_problems_are_listed() {
    let request = Request {
        to: vec!["anna".into(), "b@example.com, c@example.com".into()],
        cc: vec!["d@".into()],
        subject: None,
        date: Some("tomorrow".into()),
        ..request("x")
    };
    let error = error(&request);
    let places: Vec<_> = error.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(places, ["to[0]", "to[1]", "cc[0]", "subject", "date"]);
    assert!(error.contains("each address as an item"));
    let many = Request { to: vec!["x".into(); 100], ..self::request("x") };
    assert_eq!(self::error(&many).lines().count(), 21);
}

#[test]
fn missing_files_are_listed_by_name() {
    let request = Request {
        attachments: vec!["missing.pdf".into(), "fine.pdf".into()],
        ..request("![](missing.png) ![](missing2.png)")
    };
    let error = draft(&request, &read).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)));
    let error = error.to_string();
    assert!(error.starts_with("body: picture `missing.png`: no document"), "{error}");
    assert!(error.contains("there are: chart.png"));
    assert!(error.contains("\nbody: picture `missing2.png`"));
    assert!(error.contains("\nattachments[0] `missing.pdf`"));
    let request = Request { attachments: vec!["old.pdf".into()], ..self::request("x") };
    assert_eq!(
        draft(&request, &read).unwrap_err(),
        Error::Unsupported("attachments[0] `old.pdf`: the file was not kept".into())
    );
    assert!(self::error(&self::request("![](chart.svg)")).contains("expected a PNG, JPEG or GIF"));
    assert!(self::error(&self::request("![](../chart.png)")).contains("of this session"));
}

#[test]
fn limits() {
    let base = request("x");
    let body = |length| Request { body: "a".repeat(length), ..base.clone() };
    write(&body(MAX_BODY_BYTES));
    assert!(error(&body(MAX_BODY_BYTES + 1)).starts_with("body: expected at most 1024 KiB"));
    assert!(error(&body(10 * 1024 * 1024)).starts_with("body: "));

    let people = |count: usize| Request {
        to: (0..count).map(|n| format!("李{n} <p{n}@example.com>")).collect(),
        ..base.clone()
    };
    assert_eq!(write(&people(500)).recipients.len(), 500);
    assert!(error(&people(501)).contains("at most 500 recipients, got 501"));
    assert!(error(&people(1_000)).contains("got 1000"));

    let subject = |length| Request { subject: Some("题".repeat(length)), ..base.clone() };
    assert!(write(&subject(255)).warnings.is_empty());
    assert!(write(&subject(1_000)).warnings[0].contains("Outlook keeps 255"));
    assert!(error(&subject(1_001)).contains("at most 1000 characters"));

    let files = |count: usize| Request {
        attachments: (0..count).map(|n| format!("{n}.pdf")).collect(),
        ..base.clone()
    };
    assert_eq!(write(&files(50)).parts.len(), 52);
    assert!(error(&files(51)).contains("at most 50 files, got 51"));
    let pictures: String = (0..51).map(|n| format!("![]({n}.png)")).collect();
    assert!(error(&request(&pictures)).contains("at most 50 pictures"));

    let archive = |name: &str| name.to_owned();
    let one = Request { attachments: vec![archive("big.zip")], ..base.clone() };
    assert!(write(&one).content.len() > 13 * 1024 * 1024);
    let two = Request { attachments: vec![archive("big.zip"), archive("./big.zip")], ..base };
    let read_big = |_: &str| read("big.zip");
    let refused = draft(&two, &read_big).unwrap_err();
    assert!(
        matches!(&refused, Error::Quota(text) if text.contains("25 MiB with `./big.zip`")),
        "{refused}"
    );
}

#[test]
fn the_limit_counts_the_whole_draft() {
    // Files alone fit to the last bytes, and the texts do not.
    let size = MAX_DRAFT_BYTES / 78 * 57 - 1_000;
    let request = Request { attachments: vec!["a.bin".into()], ..request(&"word ".repeat(2_000)) };
    let read = |_: &str| Ok(vec![0; size]);
    let refused = draft(&request, &read).unwrap_err();
    assert!(matches!(&refused, Error::Quota(text) if text.contains("its texts")), "{refused}");
    let smaller = Request { body: "x".into(), ..request };
    let read = |_: &str| Ok(vec![0; size - 10_000]);
    assert!(draft(&smaller, &read).unwrap().content.len() <= MAX_DRAFT_BYTES);
}

#[test]
fn what_the_user_should_know_is_a_warning() {
    for (request, expected) in [
        (Request { to: vec![], ..request("x") }, "no recipient"),
        (request(" "), "no text"),
        (request("[a](javascript:x)"), "javascript:x"),
        (request(&"word ".repeat(30_000)), "Gmail shows the first 102"),
        (Request { attachments: vec!["a.exe".into()], ..request("x") }, "often block"),
        (
            Request { attachments: vec!["a.pdf".into(), "a.pdf".into()], ..request("x") },
            "attached once",
        ),
    ] {
        let draft = write(&request);
        assert_eq!(draft.warnings.len(), 1, "{:?}", draft.warnings);
        assert!(draft.warnings[0].contains(expected), "{:?}", draft.warnings);
    }
    let empty = |_: &str| Ok(Vec::new());
    let request = Request { attachments: vec!["a.pdf".into()], ..request("x") };
    assert!(draft(&request, &empty).unwrap().warnings[0].contains("is empty"));
}

#[test]
fn bombs_end_soon() {
    for bomb in [
        ">".repeat(MAX_BODY_BYTES),
        "[".repeat(MAX_BODY_BYTES),
        "![".repeat(MAX_BODY_BYTES / 2),
        "*a **b ".repeat(MAX_BODY_BYTES / 7),
        "`".repeat(MAX_BODY_BYTES),
        "<".repeat(MAX_BODY_BYTES),
        "- ".repeat(MAX_BODY_BYTES / 2),
        "a|".repeat(MAX_BODY_BYTES / 2),
        "[a](<b".repeat(MAX_BODY_BYTES / 6),
        "&".repeat(MAX_BODY_BYTES),
        "![](a.png)".repeat(MAX_BODY_BYTES / 10),
    ] {
        // Either result is fine; what counts is that there is one.
        if let Ok(draft) = draft(&request(&bomb), &read) {
            assert!(draft.content.len() < MAX_DRAFT_BYTES);
        }
    }
}
