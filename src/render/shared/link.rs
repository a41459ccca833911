//! Targets of links that are allowed. All other links become text: files and scripts must not be clickable in a report.

/// Most bytes of an address. The limit is Typst's; those of browsers and Word are similar.
const MAX_BYTES: usize = 8_000;

/// Returns the address of a link to a page of the web or to a mail address; `None` for any other.
pub(crate) fn target(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once(':')?;
    let is_known =
        ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    (is_known && !rest.is_empty() && url.len() <= MAX_BYTES).then_some(url)
}

/// Does what [`target`] does, and also accepts files beside the document, such as `docs/a.md#b`, where readers look for
/// them.
pub(crate) fn kept(url: &str) -> Option<&str> {
    target(url).or_else(|| relative(url))
}

/// Returns the address of a file beside the document: it has no scheme, and does not begin at a root.
fn relative(url: &str) -> Option<&str> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    // Readers drop control characters, so `java\nscript:` would have a scheme.
    let is_odd = |c: char| c == '\\' || c.is_control();
    let is_relative = !path.is_empty()
        && !path.starts_with('/')
        && !path.split('/').next().unwrap_or_default().contains(':')
        && !url.starts_with(char::is_whitespace)
        && !url.contains(is_odd);
    (is_relative && url.len() <= MAX_BYTES).then_some(url)
}

/// Escapes characters that no address may contain; Word calls a file damaged that has them. Letters of other scripts stay.
#[cfg(any(feature = "docx", feature = "pptx"))]
pub(crate) fn escaped(url: &str) -> String {
    use std::fmt::Write as _;

    let mut out = String::with_capacity(url.len());
    let mut has_fragment = false;
    for (at, c) in url.char_indices() {
        let is_fine = match c {
            '#' => !std::mem::replace(&mut has_fragment, true),
            '%' => url
                .as_bytes()
                .get(at + 1..at + 3)
                .is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit)),
            _ if c.is_ascii() => c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=".contains(c),
            _ => !c.is_whitespace() && !c.is_control(),
        };
        if is_fine {
            out.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_mail_addresses_only() {
        for url in ["https://a.test/x?y=z#w", "HTTP://a.test", "mailto:a@b.test"] {
            assert_eq!(target(url), Some(url));
        }
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "a.html",
            "#x",
            "http:",
            " http://a",
            "",
        ] {
            assert_eq!(target(url), None, "{url}");
        }
        assert_eq!(target(&format!("https://a.test/{}", "x".repeat(8_000))), None);
    }

    #[test]
    fn links_lead_to_files_beside_the_document_too() {
        for url in ["a.html", "docs/a b.md#x", "../说明.md", "./a?b=c:d", "a/b:c", "https://a.test"]
        {
            assert_eq!(kept(url), Some(url));
        }
        for url in [
            "",
            "#x",
            "?x",
            "/etc/passwd",
            "//host/share",
            "\\\\host\\share",
            "a\\b",
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "a\nb",
            " a",
            "C:/x",
            "data:text/html,x",
            "vbscript:x/y",
        ] {
            assert_eq!(kept(url), None, "{url}");
        }
    }

    #[cfg(any(feature = "docx", feature = "pptx"))]
    #[test]
    fn addresses_have_nothing_that_none_may_have() {
        for (url, expected) in [
            ("https://a.test/x?y=1&z=%20#top", "https://a.test/x?y=1&z=%20#top"),
            ("https://例子.测试/路径", "https://例子.测试/路径"),
            (
                "https://a.test/a b\"<>\\^`{|}[1]",
                "https://a.test/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D%5B1%5D",
            ),
            ("https://a.test/100%#a#b", "https://a.test/100%25#a%23b"),
        ] {
            assert_eq!(escaped(url), expected);
        }
    }
}
