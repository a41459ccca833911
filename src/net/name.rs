//! The name of a document: from its server, otherwise from the end of its address.

use percent_encoding::percent_decode_str;
use reqwest::Url;

use mitt_base::file_name::check_file_name;
use mitt_base::text;

/// Extensions for media types, for names without one: only the name says which kind of text it is.
const EXTENSIONS: [(&str, &str); 13] = [
    ("application/epub+zip", "epub"),
    ("application/json", "json"),
    ("application/msword", "doc"),
    ("application/pdf", "pdf"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("text/csv", "csv"),
    ("text/html", "html"),
    ("text/markdown", "md"),
    ("text/plain", "txt"),
    ("text/tab-separated-values", "tsv"),
];

/// Longest name that is kept, in characters.
const MAX_NAME_CHARACTERS: usize = 80;

/// Returns the name of the document at `url`. `disposition` is the value of `Content-Disposition`.
pub(crate) fn name(url: &Url, disposition: Option<&[u8]>, media_type: Option<&str>) -> String {
    let last = url.path_segments().and_then(|mut all| all.next_back()).unwrap_or_default();
    let of_path = percent_decode_str(last).decode_utf8_lossy().into_owned();
    let said = disposition.and_then(said);
    let host = || url.host_str().unwrap_or("document").trim_matches(['[', ']']).replace(':', "-");
    let found = [said, Some(of_path)].into_iter().flatten().map(|name| tidy(&name));
    let name = found.into_iter().find(|name| check_file_name(name).is_ok()).unwrap_or_else(host);
    let is_file = name.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=8).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    // `v1.2` and `example.com` seem to have an extension, but are not files.
    let is_known = is_file && Some(name.as_str()) != url.host_str();
    let extension = EXTENSIONS.iter().find(|(known, _)| Some(*known) == media_type);
    match extension {
        Some((_, extension)) if !is_known => format!("{name}.{extension}"),
        _ => name,
    }
}

/// Returns the name of a file whose address ends in `path`: the part behind the last slash, without characters that names of files
/// do not have. `None` if no name is left.
pub fn file_name(path: &str) -> Option<String> {
    Some(tidy(path)).filter(|name| check_file_name(name).is_ok())
}

/// Returns a name without characters and parts that names do not have.
fn tidy(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = text::one_line(name)
        .chars()
        .map(|c| if matches!(c, ':' | '<' | '>' | '"' | '|' | '?' | '*') { '_' } else { c })
        .collect();
    let name = name.trim_matches([' ', '.']);
    if name.chars().count() <= MAX_NAME_CHARACTERS {
        return name.to_owned();
    }
    // Keep the extension, which gives the format.
    let (stem, end) = name.rsplit_once('.').filter(|(_, end)| end.len() <= 8).unwrap_or((name, ""));
    let stem: String = stem.chars().take(MAX_NAME_CHARACTERS).collect();
    if end.is_empty() { stem } else { format!("{stem}.{end}") }
}

/// Returns the name in a `Content-Disposition` (RFC 6266): `filename*`, in UTF-8, before `filename`, which many servers send
/// in UTF-8 or percent-encoded.
fn said(disposition: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(disposition);
    let mut plain = None;
    for parameter in parameters(&text).into_iter().skip(1) {
        let Some((key, value)) = parameter.split_once('=') else { continue };
        match key.trim().to_ascii_lowercase().as_str() {
            "filename*" => {
                let (charset, rest) = value.trim().split_once('\'')?;
                let (_, encoded) = rest.split_once('\'')?;
                if charset.eq_ignore_ascii_case("utf-8") {
                    return Some(percent_decode_str(encoded).decode_utf8_lossy().into_owned());
                }
            }
            "filename" => plain = Some(unquoted(value.trim())),
            _ => {}
        }
    }
    plain.map(|name| match percent_decode_str(&name).decode_utf8() {
        Ok(decoded) if name.contains('%') => decoded.into_owned(),
        _ => name,
    })
}

/// Returns the parts between semicolons outside of quotes.
fn parameters(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ';' if !is_quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut name = String::new();
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        name.extend(if c == '\\' { characters.next() } else { Some(c) });
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_called_as_their_servers_call_them() {
        let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        for (url, disposition, media_type, expected) in [
            ("https://a.test/x/report.pdf?v=2", "", "application/pdf", "report.pdf"),
            ("https://a.test/%E6%8A%A5%E5%91%8A.docx", "", "", "报告.docx"),
            ("https://a.test/export", "", "text/csv", "export.csv"),
            ("https://a.test/v1.2", "", "text/html", "v1.2"),
            ("https://a.test/", "", "text/html", "a.test.html"),
            ("https://a.test/", "", "", "a.test"),
            ("https://[2606:4700::1111]/", "", "text/html", "2606-4700--1111.html"),
            (
                "https://a.test/get?id=7",
                "attachment; filename=\"a; b \\\"c\\\".xlsx\"",
                xlsx,
                "a; b _c_.xlsx",
            ),
            (
                "https://a.test/get",
                "attachment; filename=x.csv; filename*=UTF-8''%E6%95%B0%E6%8D%AE.csv",
                "",
                "数据.csv",
            ),
            ("https://a.test/get", "attachment; filename*=utf-8'en'a%20b.csv", "", "a b.csv"),
            ("https://a.test/get", "attachment; filename=\"%E6%95%B0.csv\"", "", "数.csv"),
            ("https://a.test/get", "attachment; filename=\"数据.csv\"", "", "数据.csv"),
            ("https://a.test/get", "attachment; filename=\"../../etc/passwd\"", "", "passwd"),
            ("https://a.test/get", "attachment; filename=\"C:\\\\a\\\\b.txt\"", "", "b.txt"),
            ("https://a.test/ok.txt", "attachment; filename=\"CON\"", "", "ok.txt"),
            ("https://a.test/ok.txt", "attachment; filename=\"..\"", "", "ok.txt"),
            ("https://a.test/ok.txt", "attachment", "", "ok.txt"),
            ("https://a.test/ok.txt", "attachment; filename*=utf-8", "", "ok.txt"),
            ("https://a.test/..%2F..%2Fx.csv", "", "", "x.csv"),
            // A long ending, or one with other characters, is not an extension.
            ("https://a.test/notes.september", "", "text/plain", "notes.september.txt"),
            ("https://a.test/No. 七", "", "application/pdf", "No. 七.pdf"),
            // An escaped quote does not end the text, and outside of quotes nothing is escaped.
            ("https://a.test/get", "attachment; filename=\"a\\\"; b.csv\"", "", "a_; b.csv"),
            ("https://a.test/get", "attachment; filename=a\\; filename*=UTF-8''b.csv", "", "b.csv"),
        ] {
            let disposition = Some(disposition.as_bytes()).filter(|it| !it.is_empty());
            let media_type = Some(media_type).filter(|it| !it.is_empty());
            let found = name(&Url::parse(url).unwrap(), disposition, media_type);
            assert_eq!(found, expected, "{url}");
            assert!(check_file_name(&found).is_ok(), "{found}");
        }
        let long = format!("https://a.test/{}.pdf", "长".repeat(300));
        let found = name(&Url::parse(&long).unwrap(), None, None);
        assert!(found.ends_with("长.pdf") && check_file_name(&found).is_ok(), "{found}");
    }

    #[test]
    fn the_name_of_a_file_is_the_end_of_its_path() {
        for (path, expected) in [
            ("runs/2026/report.pdf", Some("report.pdf")),
            ("report.pdf", Some("report.pdf")),
            ("a\\b\\c?.txt", Some("c_.txt")),
            ("runs/", None),
            ("a/..", None),
            ("CON", None),
            ("", None),
        ] {
            assert_eq!(file_name(path).as_deref(), expected, "{path}");
        }
    }
}
