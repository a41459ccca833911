//! Mails: one case for each place where a word can stand.

use mail_parser::{MessageParser, MimeHeaders as _};
use redact_tool::{
    Error, MAX_FIELD, MAX_LEVELS, MailOptions, Redacted, redact_email, redact_email_with,
};

fn run(mail: &str, accepts_unread: bool) -> Result<Redacted, Error> {
    let words = ["Li Wei".to_owned(), "张伟".to_owned(), "secret".to_owned()];
    let patterns = ["[a-z.]+@corp\\.test".to_owned()];
    redact_email(mail.replace('\n', "\r\n").as_bytes(), &words, &patterns, accepts_unread)
}

fn clean(mail: &str) -> String {
    let found = run(mail, false).unwrap();
    String::from_utf8(found.bytes).unwrap().replace("\r\n", "\n")
}

#[test]
fn all_headers_are_searched_and_stay_headers() {
    let mail = "Received: from secret.test (1.2.3.4)\n\tby b.test; Mon, 1 Jan 2024\nFrom: \"Li Wei\" <li.wei@corp.test>\nTo: =?utf-8?B?5byg?=\n =?utf-8?Q?=E4=BC=9F?= <a@b.test>\nSubject: Re: =?gb2312?B?1cXOsA==?= and se\n cret, Li\n Wei\nMessage-ID: <1.secret@b.test>\nX-Note: ok\n\nhello\n";
    let out = clean(mail);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Received: from ******.test (1.2.3.4)");
    assert!(out.contains("From: \"** ***\" <****************>\n"), "{out}");
    assert!(out.contains("<a@b.test>") && out.contains("X-Note: ok\n\nhello\n"), "{out}");
    assert!(out.contains("Message-ID: <1.******@b.test>"), "{out}");
    let message = MessageParser::default().parse(out.as_bytes()).unwrap();
    assert_eq!(message.to().unwrap().first().unwrap().name(), Some("██"));
    let subject = message.subject().unwrap();
    assert!(subject.starts_with("Re: ██ and se cret, ** ***"), "{subject}");
}

#[test]
fn encoded_words_are_one_text() {
    // A character that is cut in two, and a word over two encodings.
    for subject in [
        "=?utf-8?B?5byg5Lw=?= =?utf-8?B?nw==?=",
        "=?utf-8?Q?=E5=BC=A0?= =?gb18030?B?zrA=?=",
        "张伟",
        "=?utf-8?q?Li_?=\n =?us-ascii?q?Wei?=",
    ] {
        let out = clean(&format!("From: a@b.test\nSubject: x {subject} y\n\nhello\n"));
        let message = MessageParser::default().parse(out.as_bytes()).unwrap();
        let subject = message.subject().unwrap().to_owned();
        assert!(subject.starts_with('x') && subject.ends_with('y'), "{subject}");
        assert!(subject.contains("█") || subject.contains("**"), "{subject}");
    }
}

#[test]
fn texts_keep_their_encodings() {
    let mail = |charset: &str, transfer: &str, body: &str| {
        format!(
            "From: a@b.test\nMIME-Version: 1.0\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {transfer}\n\n{body}\n"
        )
    };
    let out = clean(&mail("utf-8", "quoted-printable", "a =E5=BC=\n=A0=E4=BC=9F, Li=20=\nWei b"));
    assert!(out.contains("quoted-printable"), "{out}");
    let text = |out: &str| {
        let message = MessageParser::default().parse(out.as_bytes()).unwrap();
        message.body_text(0).unwrap().trim_end().to_owned()
    };
    assert_eq!(text(&out), "a ██, ██████ b");
    let out = clean(&mail("gb2312", "base64", "1cXOsCBzZWNyZXQ="));
    assert_eq!(text(&out), "██ ██████");
    let out = clean(&mail("us-ascii", "7bit", "the secret of Li\nWei"));
    assert_eq!(text(&out), "the ****** of **\n***");
    let out = clean(&mail("iso-8859-1", "quoted-printable", "Stra=DFe: secret"));
    assert_eq!(text(&out), "Straße: ******");
}

const MIXED: &str = "From: a@b.test\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"x-secret\"\nDKIM-Signature: v=1; b=abc\n\npreamble secret\n--x-secret\nContent-Type: text/html; charset=utf-8\n\n<p>Li <b>Wei</b> <img alt=\"secret\" src=\"data:image/png;base64,AAAA\"></p><!-- secret -->\n--x-secret\nContent-Type: text/csv; name=\"secret.csv\"\nContent-Disposition: attachment;\n filename*0*=utf-8''%E5%BC%A0;\n filename*1*=%E4%BC%9F.csv\nContent-Transfer-Encoding: base64\n\nYSwiTGkgV2VpIgo=\n--x-secret\nContent-Type: application/pdf; name=plan.pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0=\n--x-secret--\nepilogue\n";

#[test]
fn parts_names_and_signatures() {
    let found = run(MIXED, false).unwrap();
    let out = String::from_utf8(found.bytes).unwrap();
    assert!(
        !out.to_lowercase().contains("secret")
            && !out.contains("DKIM")
            && !out.contains("plan.pdf"),
        "{out}"
    );
    let message = MessageParser::default().parse(out.as_bytes()).unwrap();
    let table = message.attachment(0).unwrap();
    assert_eq!(table.attachment_name(), Some("██.csv"));
    assert_eq!(table.text_contents().unwrap().trim_end(), "a,\"******\"");
    let page = message.body_html(0).unwrap();
    assert!(page.contains("src=\"\"") && page.contains("<b>***</b>"), "{page}");
    assert!(
        found.warnings.iter().any(|it| it.contains("part 3: `plan.pdf`")),
        "{:?}",
        found.warnings
    );
    assert!(
        found.warnings.iter().any(|it| it.contains("header DKIM-Signature")),
        "{:?}",
        found.warnings
    );
    assert!(
        found.warnings.iter().any(|it| it.contains("1 picture within")),
        "{:?}",
        found.warnings
    );
    assert!(
        found.places.iter().any(|it| it.0 == "part 2: header Content-Disposition"),
        "{:?}",
        found.places
    );
    // What nobody searched stays if the caller accepts that.
    let found = run(MIXED, true).unwrap();
    let out = String::from_utf8(found.bytes).unwrap();
    assert!(out.contains("plan.pdf") && out.contains("data:image/png"), "{out}");
    assert!(
        found.warnings.iter().any(|it| it.contains("look at them: part 3: `plan.pdf`")),
        "{:?}",
        found.warnings
    );
    // But not with a hit in its bytes.
    let hit = MIXED.replace("JVBERi0=", "JVBERiBzZWNyZXQ=");
    let found = run(&hit, true).unwrap();
    assert!(!String::from_utf8(found.bytes).unwrap().contains("plan.pdf"));
}

#[test]
fn a_removed_file_alone_is_enough_only_if_the_caller_says_so() {
    let mail = "From: a@b.test\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b\r\nContent-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\nUEsDBA==\r\n--b--\r\n";
    let words = ["secret".to_owned()];
    let run = |mail: &str, accepts_unread, without_hits| {
        let options = MailOptions { accepts_unread, without_hits };
        redact_email_with(mail.as_bytes(), &words, &[], options)
    };
    assert!(matches!(run(mail, false, false), Err(Error::NotFound(_))));
    let found = run(mail, false, true).unwrap();
    assert_eq!(found.total, 0);
    assert!(found.warnings[0].contains("`a.zip`"), "{:?}", found.warnings);
    assert!(!String::from_utf8(found.bytes).unwrap().contains("UEsDBA"));
    // Nothing at all is still an error.
    assert!(matches!(run(mail, true, true), Err(Error::NotFound(_))));
    assert!(matches!(run("From: a@b.test\r\n\r\nhello\r\n", false, true), Err(Error::NotFound(_))));
}

#[test]
fn signed_mails_lose_signatures_that_no_longer_fit() {
    let signed = "From: a@b.test\nMIME-Version: 1.0\nContent-Type: multipart/signed; protocol=\"application/pgp-signature\"; boundary=b\n\n--b\nContent-Type: text/plain\n\nthe secret\n--b\nContent-Type: application/pgp-signature\n\nabc\n--b--\n";
    let found = run(signed, true).unwrap();
    let out = String::from_utf8(found.bytes).unwrap();
    assert!(out.contains("multipart/mixed") && !out.contains("pgp-signature"), "{out}");
    assert!(
        found.warnings.iter().any(|it| it.contains("signature of its parts")),
        "{:?}",
        found.warnings
    );
    let sealed = "From: secret <a@b.test>\nMIME-Version: 1.0\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\nContent-Transfer-Encoding: base64\n\nAAAA\n";
    let error = run(sealed, true).unwrap_err();
    assert!(matches!(&error, Error::Unsupported(text) if text.contains("encrypted")), "{error}");
}

#[test]
fn mails_in_mails_are_searched() {
    let mail = "From: a@b.test\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nFrom: c@d.test\nSubject: =?utf-8?Q?secr?= =?utf-8?Q?et?=\nContent-Type: text/plain\n\nhello Li Wei\n--b--\n";
    let out = clean(mail);
    let message = MessageParser::default().parse(out.as_bytes()).unwrap();
    let inner = message.attachment(0).unwrap().message().unwrap();
    assert_eq!(inner.subject(), Some("██████"));
    assert_eq!(inner.body_text(0).unwrap().trim_end(), "hello ******");
    let uu = "From: a@b.test\nSubject: secret\n\nhello\nbegin 644 a.txt\n#0V%T\n`\nend\n";
    let out = clean(uu);
    assert!(!out.contains("begin 644") && out.contains("a part of this mail was removed"), "{out}");
}

#[test]
fn bounds_and_nothing_found() {
    let error = run("From: a@b.test\n\nhello\n", false).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error}");
    let long = format!("X: {}\n\nsecret\n", "a".repeat(MAX_FIELD));
    let error = run(&long, false).unwrap_err();
    assert!(error.to_string().contains("headers of at most"), "{error}");
    let mut deep = "Content-Type: text/plain\n\nsecret\n".to_owned();
    for level in 0..=MAX_LEVELS {
        deep = format!(
            "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n{deep}\n--b{level}--\n"
        );
    }
    let error = run(&deep, false).unwrap_err();
    assert!(error.to_string().contains("levels of parts"), "{error}");
    let many = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n{}--b--\n",
        "--b\n\nsecret\n".repeat(redact_tool::MAX_PARTS)
    );
    let error = run(&many, false).unwrap_err();
    assert!(error.to_string().contains("parts"), "{error}");
}
