//! Mails of other programs, damaged mails, and mails above the limits.

#[path = "../../reader-kit/tests/support/irregular.rs"]
mod irregular;

use mitt_reader_kit::{Content, ENCRYPTED, Error};
use reader_mail::read;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn mail(name: &str) -> Content {
    read(&fixture(name), name.rsplit_once('.').unwrap().1).unwrap()
}

fn value<'a>(content: &'a Content, name: &str) -> &'a str {
    content.metadata.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
}

fn parts(content: &Content) -> Vec<(&str, usize)> {
    content.parts.iter().map(|part| (part.name.as_str(), part.bytes.len())).collect()
}

/// Returns the text of a mail without its header.
fn body(content: &Content) -> &str {
    content.markdown.split_once("\n\n").unwrap().1.split_once("\n\n").unwrap().1
}

#[test]
fn a_mail_is_a_head_a_text_and_what_is_attached() {
    let content = mail("sales.eml");
    insta::assert_snapshot!(content.markdown, @r"
    # 二月销售数据

    From: 王芳 <wang.fang@example.com>\
    To: 李雷 <li.lei@example.com>, team@example.com\
    Cc: Zoë Müller <zoe@example.org>\
    Date: 2024-03-05T09:30:00+08:00

    各位好，

    二月数据见下表和附件。

    | 区域 | 金额 |
    | --- | --- |
    | 东 | 1200 |
    | 西 | 15% |

    > 上周的问题

    王芳

    Attached:

    - 销售 二月.csv (18 bytes)
    - ../../etc/passwd (13 bytes)
    - 里面的邮件.eml (354 bytes)
    ");
    assert_eq!(content.title.as_deref(), Some("二月销售数据"));
    assert_eq!(value(&content, "date"), "2024-03-05T09:30:00+08:00");
    assert_eq!(value(&content, "message-id"), "20240305.1@example.com");
    assert_eq!(content.tables.len(), 1);
    // The bytes are unchanged: the reader of the file detects the encoding.
    assert_eq!(content.parts[0].bytes, b"\xC7\xF8\xD3\xF2,\xBD\xF0\xB6\xEE\n\xB6\xAB,1200\n");
    assert_eq!(
        content.warnings,
        [
            "the plain text of the mail has words that its page lacks, and is not shown: 更早, 早的",
            "small pictures in the text that were left out: 1"
        ]
    );
    let inner = read(&content.parts[2].bytes, "eml").unwrap();
    assert_eq!((inner.title.as_deref(), body(&inner)), (Some("里面的邮件"), "转发的内容。\n"));
}

#[test]
fn texts_are_read_in_their_encodings_also_if_nothing_names_them() {
    for (name, text) in [
        ("gbk.eml", "关于第三季度销售数据的说明"),
        ("big5.eml", "關於第三季銷售數據的說明"),
        ("jp.eml", "第三四半期の売上について"),
    ] {
        let content = mail(name);
        assert_eq!((content.title.as_deref(), body(&content).trim()), (Some(text), text));
    }
    let content = mail("bare.eml");
    let text = "关于二〇二四年第三季度销售数据的说明";
    assert_eq!(content.title.as_deref(), Some(text));
    assert!(body(&content).starts_with(text), "{}", content.markdown);
    assert_eq!(parts(&content), [(format!("{text}.xls").as_str(), 3)]);
}

#[test]
fn bare_text_is_read_unless_it_is_a_shell() {
    let content = mail("flowed.eml");
    assert_eq!(
        body(&content),
        "one line that goes on\n\n> quoted too\n\nAttached:\n\n- cat.txt (3 bytes)\n"
    );
    assert_eq!(content.parts[0].bytes, b"Cat");
    let content = mail("shell.eml");
    assert!(
        body(&content).starts_with("# News\n\nAll that happened in spring"),
        "{}",
        content.markdown
    );
    assert!(content.tables.is_empty());
}

#[test]
fn each_mail_of_a_box_is_a_place() {
    let content = mail("box.mbox");
    let places: Vec<_> = content
        .places
        .iter()
        .map(|place| (place.label.as_str(), content.markdown[place.at..].lines().next().unwrap()))
        .collect();
    assert_eq!(
        places,
        [("mail 1", "## 第 1 封"), ("mail 2", "## 第 2 封"), ("mail 3", "## 第 3 封")]
    );
    assert!(content.markdown.contains("\nFrom here on it is text 3.\n"));
    assert_eq!(parts(&content), [("2/附件.txt", 17)]);
    assert_eq!(value(&content, "mails"), "3");
}

#[test]
fn a_saved_page_is_its_text() {
    let content = mail("page.mhtml");
    assert_eq!(content.title.as_deref(), Some("季度报告"));
    assert_eq!(value(&content, "url"), "https://example.com/report");
    assert!(content.markdown.ends_with("# 报告\n\n正文 €\n"), "{}", content.markdown);
    assert_eq!(content.warnings, ["pictures and styles of the page that were left out: 1"]);
}

#[test]
fn signed_mails_are_read_and_encrypted_ones_are_not() {
    for name in ["clear.eml", "opaque.eml", "stream.eml"] {
        let content = mail(name);
        assert_eq!(
            (content.title.as_deref(), body(&content)),
            (Some("signed"), "签名的内容\n"),
            "{name}"
        );
        assert_eq!(content.warnings, ["the signature was not checked"]);
        assert!(content.parts.is_empty());
    }
    let encrypted = Err(Error::Unsupported(ENCRYPTED.into()));
    assert_eq!(read(&fixture("secret.eml"), "eml"), encrypted);
    let pgp =
        "Subject: x\r\n\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nhQ\r\n-----END PGP MESSAGE-----\r\n";
    assert_eq!(read(pgp.as_bytes(), "eml"), encrypted);
    let pgp = "Subject: x\r\nContent-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n";
    assert_eq!(read(pgp.as_bytes(), "eml"), encrypted);
    let signed = "Subject: x\r\nFrom: a\r\n\r\n-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\ntext\r\n-----BEGIN PGP SIGNATURE-----\r\nx\r\n";
    assert_eq!(body(&read(signed.as_bytes(), "eml").unwrap()), "text\n");
}

/// Makes a mail of Outlook from properties.
fn outlook(
    properties: &[(&str, &[u8])],
    more: impl Fn(&mut cfb::CompoundFile<std::io::Cursor<Vec<u8>>>),
) -> Vec<u8> {
    use std::io::Write as _;
    let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).unwrap();
    let mut numbers = vec![0; 32];
    // The property with the time of sending.
    numbers.extend([0x40, 0, 0x39, 0, 0, 0, 0, 0]);
    numbers.extend(133_534_569_070_000_000_u64.to_le_bytes());
    file.create_stream("/__properties_version1.0").unwrap().write_all(&numbers).unwrap();
    for (name, bytes) in properties {
        file.create_stream(format!("/__substg1.0_{name}")).unwrap().write_all(bytes).unwrap();
    }
    more(&mut file);
    file.into_inner().into_inner()
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn mails_of_outlook_are_read_with_those_inside() {
    use std::io::Write as _;
    let page = "<p>见<b>附件</b></p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>";
    let bytes = outlook(
        &[
            ("0037001F", &wide("销售")),
            ("0C1A001F", &wide("王芳")),
            ("5D01001F", &wide("w@example.com")),
            ("10130102", page.as_bytes()),
        ],
        |file| {
            let mut put = |path: &str, bytes: &[u8]| {
                file.create_storage_all(std::path::Path::new(path).parent().unwrap()).unwrap();
                file.create_stream(path).unwrap().write_all(bytes).unwrap();
            };
            put("/__recip_version1.0_#00000000/__substg1.0_3001001F", &wide("李雷"));
            put("/__recip_version1.0_#00000000/__substg1.0_39FE001F", &wide("l@example.com"));
            put("/__attach_version1.0_#00000000/__substg1.0_3707001F", &wide("数据.csv"));
            put("/__attach_version1.0_#00000000/__substg1.0_37010102", b"a,b");
            let inner = "/__attach_version1.0_#00000001/__substg1.0_3701000D";
            put(&format!("{inner}/__properties_version1.0"), &[0; 24]);
            put(&format!("{inner}/__substg1.0_0037001F"), &wide("里面"));
            put(&format!("{inner}/__substg1.0_1000001F"), &wide("内文"));
        },
    );
    let content = read(&bytes, "msg").unwrap();
    insta::assert_snapshot!(content.markdown.replace(&content.parts[1].bytes.len().to_string(), "N"), @r"
    # 销售

    From: 王芳 <w@example.com>\
    To: 李雷 <l@example.com>\
    Date: 2024-02-26T21:35:07Z

    见**附件**

    | a | b |
    | --- | --- |
    | 1 | 2 |

    Attached:

    - 数据.csv (3 bytes)
    - 里面.msg (N bytes)
    ");
    let inner = read(&content.parts[1].bytes, "msg").unwrap();
    assert_eq!(inner.markdown, "# 里面\n\n内文\n");
    for (what, irregular) in irregular::irregular(&bytes) {
        assert_eq!(read(&irregular, "msg").as_ref(), Ok(&content), "{what}");
    }
}

#[test]
fn texts_of_outlook_may_be_rtf() {
    let rtf = compressed_rtf::compress_rtf(
        r"{\rtf1\ansi\ansicpg936\fromhtml1{\*\htmltag64 <p>}\'c4\'ea\'b1\'a8{\*\htmltag64 </p>}}",
    )
    .unwrap();
    let content = read(&outlook(&[("10090102", &rtf)], |_| {}), "msg").unwrap();
    assert_eq!(content.markdown, "Date: 2024-02-26T21:35:07Z\n\n年报\n");
    let cut =
        read(&outlook(&[("10090102", &rtf[..20]), ("1000001F", &wide("bare"))], |_| {}), "msg");
    let cut = cut.unwrap();
    assert!(cut.markdown.ends_with("bare\n"));
    assert_eq!(cut.warnings, ["the text of Outlook (RTF) is damaged"]);
}

#[test]
fn pieces_of_fields_are_joined_also_in_mails_inside() {
    let inner = "From: =?utf-8?B?5ZCI5ZCM57ut5w==?= =?utf-8?B?rb4=?= <a@b.org>\n\
                 Subject: =?gb2312?B?us/NrND4xw==?=\n =?gb2312?B?qQ==?=\n\nbody\n";
    let content = read(inner.as_bytes(), "eml").unwrap();
    assert_eq!(content.title.as_deref(), Some("合同续签"));
    assert_eq!(value(&content, "from"), "合同续签 <a@b.org>");
    let outer = format!(
        "Subject: x\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/plain\n\nx\n\
         --B\nContent-Type: message/rfc822\n\n{inner}\n--B\nContent-Type: text/csv;\n name*0*=utf-8''%E5%90;\n \
         name*1*=%88.csv\n\na\n--B--\n"
    );
    let content = read(outer.as_bytes(), "eml").unwrap();
    let names: Vec<_> = parts(&content).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["合同续签.eml", "合.csv"]);
    let found = read(&content.parts[0].bytes, "eml").unwrap();
    assert_eq!(found.title.as_deref(), Some("合同续签"));
}

#[test]
fn a_stub_of_text_does_not_hide_the_page() {
    let mail = |text: &str, page: &str| {
        let mail = format!(
            "Subject: x\nContent-Type: multipart/alternative; boundary=B\n\n--B\nContent-Type: text/plain\n\n{text}\n\
             --B\nContent-Type: text/html\n\n<p>{page}</p>\n--B--\n"
        );
        read(mail.as_bytes(), "eml").unwrap()
    };
    let stub = "Your mail program does not show HTML. View this message in a browser.";
    let content = mail(stub, "Invoice total 4,200 EUR is due on 2026-04-30.");
    assert!(content.markdown.contains("Invoice total 4,200 EUR is due on 2026-04-30."));
    assert_eq!(
        content.warnings,
        ["the plain text and the page of the mail say different things: both are shown"]
    );
    let text = "The invoice is due soon, and its total is known to you.";
    let content = mail(text, &format!("{text} It is 4,200 EUR."));
    assert!(content.markdown.contains("It is 4,200 EUR.") && content.warnings.is_empty());
    assert_eq!(content.markdown.matches("due soon").count(), 1);
    assert_eq!(mail(text, &format!("<b>{text}</b>")).markdown, format!("# x\n\n{text}\n"));
}

/// Returns a `winmail.dat` with these attributes.
fn winmail(attributes: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"\x78\x9F\x3E\x22\x01\0".to_vec();
    for (id, content) in attributes {
        out.push(1);
        out.extend(id.to_le_bytes());
        out.extend((content.len() as u32).to_le_bytes());
        out.extend(content);
        out.extend([0, 0]);
    }
    out
}

#[test]
fn a_winmail_of_its_own_is_a_mail() {
    let texts = |values: &[(u16, &str)]| {
        let mut out = (values.len() as u32).to_le_bytes().to_vec();
        for (id, text) in values {
            out.extend([0x1E, 0]);
            out.extend(id.to_le_bytes());
            out.extend(1_u32.to_le_bytes());
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
            out.resize(out.len().next_multiple_of(4), 0);
        }
        out
    };
    let recipients =
        [&1_u32.to_le_bytes()[..], &texts(&[(0x3001, "李雷"), (0x39FE, "li@b.org")])].concat();
    let date: Vec<u8> =
        [2026_u16, 1, 5, 9, 30, 0, 1].iter().flat_map(|part| part.to_le_bytes()).collect();
    let files = [
        (0x0006_9002, vec![0; 14]),
        (0x0001_8010, b"budget.csv\0".to_vec()),
        (0x0006_800F, b"item,eur\n".to_vec()),
    ];
    let new = winmail(
        &[
            vec![
                (0x0006_9007, 936_u64.to_le_bytes().to_vec()),
                (
                    0x0006_9003,
                    texts(&[(0x0037, "Budget note"), (0x1013, "<p>It is <b>77,500</b></p>")]),
                ),
                (0x0006_9004, recipients),
            ],
            files.to_vec(),
        ]
        .concat(),
    );
    let content = read(&new, "tnef").unwrap();
    assert_eq!(content.title.as_deref(), Some("Budget note"));
    assert_eq!(value(&content, "to"), "李雷 <li@b.org>");
    assert!(content.markdown.contains("It is **77,500**"), "{}", content.markdown);
    assert_eq!(parts(&content), [("budget.csv", 9)]);
    let old = winmail(&[
        (0x0006_9007, 936_u64.to_le_bytes().to_vec()),
        (0x0000_8000, b"\0\0\0\0\x04\0\x0D\0Ann\0SMTP:a@b.org\0".to_vec()),
        (0x0003_8005, date),
        (0x0001_8004, b"\xC4\xEA\xB1\xA8\0".to_vec()),
        (0x0002_800C, b"\xC4\xEA\xB1\xA8 7\0".to_vec()),
    ]);
    let content = read(&old, "tnef").unwrap();
    assert_eq!(
        content.markdown,
        "# 年报\n\nFrom: Ann <a@b.org>\\\nDate: 2026-01-05T09:30:00\n\n年报 7\n"
    );
    let cut = read(&new[..new.len() - 4], "tnef").unwrap();
    assert_eq!(
        cut.warnings,
        [
            "an object in winmail.dat was left out",
            "winmail.dat is damaged: the part behind the damage was not read"
        ]
    );
    for whole in [new, old] {
        for at in 0..whole.len() {
            let _ = read(&whole[..at], "tnef");
            let mut changed = whole.clone();
            changed[at] ^= 0xFF;
            let _ = read(&changed, "tnef");
        }
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    for (bytes, extension) in [
        (&b""[..], "eml"),
        (b"", "msg"),
        (b"", "tnef"),
        (b"\xD0\xCF\x11\xE0", "msg"),
        (b"", "mbox"),
    ] {
        assert!(matches!(read(bytes, extension), Err(Error::Malformed(_))), "{extension}");
    }
    assert_eq!(read(b"", "pst"), Err(Error::Unsupported("no mail: `pst`".into())));
}

#[test]
fn mails_that_are_made_to_be_too_much_end() {
    // Nested parts, nested mails, and more mails and files than the limits.
    let mut nested = String::from("Subject: x\r\nMIME-Version: 1.0\r\n");
    for level in 0..2_000 {
        nested.push_str(&format!(
            "Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n"
        ));
    }
    read(nested.as_bytes(), "eml").unwrap();
    let inside = format!("Subject: x\r\n{}", "Content-Type: message/rfc822\r\n\r\n".repeat(500));
    assert_eq!(read(inside.as_bytes(), "eml").unwrap().parts.len(), 1);
    let many = "From a@b Sat Jan  3 01:05:34 1996\nSubject: x\n\ny\n\n".repeat(2_100);
    let content = read(many.as_bytes(), "mbox").unwrap();
    assert_eq!((content.places.len(), content.warnings.len()), (2_000, 1));
    let part = "--b\r\nContent-Type: image/png\r\n\r\nx\r\n".repeat(1_200);
    let mail =
        format!("Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{part}--b--\r\n");
    let content = read(mail.as_bytes(), "eml").unwrap();
    assert_eq!(content.parts.len(), 1_000);
    assert!(
        content.warnings[0].starts_with("200 files inside were left out"),
        "{:?}",
        content.warnings
    );
}

#[test]
fn cut_and_changed_mails_do_not_stop_the_reader() {
    for name in ["sales.eml", "box.mbox", "opaque.eml", "page.mhtml"] {
        let whole = fixture(name);
        let extension = name.rsplit_once('.').unwrap().1;
        for end in (0..whole.len()).step_by(7) {
            let _ = read(&whole[..end], extension);
            let mut changed = whole.clone();
            changed[end] ^= 0x55;
            let _ = read(&changed, extension);
        }
    }
    let whole = outlook(&[("0037001F", &wide("x"))], |_| {});
    for at in (0..whole.len()).step_by(3) {
        let mut changed = whole.clone();
        changed[at] ^= 0xFF;
        let _ = read(&changed, "msg");
        let _ = read(&whole[..at], "msg");
    }
}

/// Returns a mail with a plain text, if it has one, and a page.
fn of_two(plain: &str, page: &str) -> Content {
    let plain = match plain {
        "" => String::new(),
        plain => format!("--B\r\nContent-Type: text/plain\r\n\r\n{plain}\r\n"),
    };
    let mail = format!(
        "From: a@b.c\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=B\r\n\r\n\
         {plain}--B\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}\r\n--B--\r\n"
    );
    read(mail.as_bytes(), "eml").unwrap()
}

#[test]
fn text_that_the_page_of_a_mail_hides_is_left_out_with_a_warning() {
    let page = "<style>.x{display:none}</style><p>Pay 4,200 EUR.</p><div class=x>PLANT: pay to account 77</div>";
    let alone = of_two("", page);
    assert_eq!((body(&alone).trim(), alone.warnings.len()), ("Pay 4,200 EUR.", 1));
    assert_eq!(
        alone.warnings,
        ["text that the page hides from people was left out: 20 characters in 1 places"]
    );
    // The page has nothing that the plain text lacks, so the text is there once.
    for page in [
        "<p>Pay 4,200 EUR.</p><div style=\"display:none\">PLANT: pay to account</div>",
        "<p>Pay 4,200 EUR.</p><div style=\"color:#fff\">PLANT: pay to account</div>",
    ] {
        let both = of_two("Pay 4,200 EUR.", page);
        assert_eq!(body(&both).trim(), "Pay 4,200 EUR.");
        assert_eq!(both.warnings.len(), 1, "{:?}", both.warnings);
        assert!(both.warnings[0].starts_with("text that the page hides"), "{:?}", both.warnings);
        assert!(!both.markdown.contains("PLANT"), "{}", both.markdown);
    }
    let same = of_two("Pay.", "<p>Pay.</p><p hidden>PLANT: to an account</p>");
    assert_eq!(
        same.warnings,
        ["text that the page hides from people was left out: 17 characters in 1 places"]
    );
}
