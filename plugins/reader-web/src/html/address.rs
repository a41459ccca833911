//! Resolves addresses of links. Relative ones become absolute, and only those that a person would follow stay.

/// Longest address that is written, in bytes. A longer one is data.
const MAX_LENGTH: usize = 2_000;

/// Base address of a page, which its relative links refer to. Without an origin, they are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Base {
    /// `https://example.org`
    origin: String,
    /// `/a/b`, without a query.
    path: String,
}

impl Base {
    /// Returns the base of a book, whose relative links lead to places in the book.
    pub(crate) fn inside() -> Base {
        Base::default()
    }

    /// Returns a base on the web; `None` for other addresses.
    pub(crate) fn new(address: &str) -> Option<Base> {
        let address = address.trim();
        let (scheme, rest) = address.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let path = path.split(['?', '#']).next().unwrap_or_default();
        if authority.is_empty() {
            return None;
        }
        Some(Base { origin: format!("{scheme}://{authority}"), path: path.to_owned() })
    }
}

/// Returns the address of a link, escaped for Markdown; `None` for a link inside the page or one that runs a script.
pub(crate) fn resolve(base: Option<&Base>, target: &str) -> Option<String> {
    let target: String = target.trim().chars().filter(|it| !it.is_control()).collect();
    if target.is_empty() || target.starts_with('#') || target.len() > MAX_LENGTH {
        return None;
    }
    let whole = match scheme(&target) {
        Some(scheme) => {
            let known = ["http", "https", "mailto", "tel", "ftp", "ftps", "doi", "urn"];
            let is_known = known.iter().any(|it| it.eq_ignore_ascii_case(scheme));
            is_known.then_some(target)?
        }
        None => match base {
            Some(base) if base.origin.is_empty() => return None,
            Some(base) => absolute(base, &target),
            None => target,
        },
    };
    Some(escape(&whole))
}

fn scheme(target: &str) -> Option<&str> {
    let (scheme, _) = target.split_once(':')?;
    let is_scheme = scheme.starts_with(|it: char| it.is_ascii_alphabetic())
        && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it));
    is_scheme.then_some(scheme)
}

fn absolute(Base { origin, path }: &Base, target: &str) -> String {
    if let Some(rest) = target.strip_prefix("//") {
        let scheme = origin.split("//").next().unwrap_or_default();
        return format!("{scheme}//{rest}");
    }
    if target.starts_with('?') {
        return format!("{origin}{path}{target}");
    }
    let end = target.find(['?', '#']).unwrap_or(target.len());
    let (place, rest) = target.split_at(end);
    let folder = if place.starts_with('/') {
        ""
    } else {
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    };
    let mut steps: Vec<&str> = Vec::new();
    let place = place.strip_prefix('/').unwrap_or(place);
    let mut all = folder.split('/').skip(1).chain(place.split('/')).peekable();
    while let Some(step) = all.next() {
        let is_last = all.peek().is_none();
        match step {
            "." | ".." => {
                if step == ".." {
                    steps.pop();
                }
                if is_last {
                    steps.push("");
                }
            }
            step => steps.push(step),
        }
    }
    format!("{origin}/{}{rest}", steps.join("/"))
}

/// Escapes what would end the address in Markdown.
fn escape(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for character in address.chars() {
        match character {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            it if it.is_whitespace() => out.push_str("%20"),
            it => out.push(it),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses_become_whole() {
        let base = Base::new("https://example.org/a/b/page.html?x=1#y").unwrap();
        for (target, expected) in [
            ("c.html", Some("https://example.org/a/b/c.html")),
            ("../c.html?q=1#z", Some("https://example.org/a/c.html?q=1#z")),
            ("../../../../c", Some("https://example.org/c")),
            ("./", Some("https://example.org/a/b/")),
            ("/c d(1)", Some("https://example.org/c%20d%281%29")),
            ("//cdn.example.org/x", Some("https://cdn.example.org/x")),
            ("?page=2", Some("https://example.org/a/b/page.html?page=2")),
            ("HTTPS://other.org/x", Some("HTTPS://other.org/x")),
            ("mailto:a@b.c", Some("mailto:a@b.c")),
            ("#top", None),
            ("javascript:alert(1)", None),
            ("java\nscript:alert(1)", None),
            ("data:text/html,x", None),
            ("", None),
        ] {
            assert_eq!(resolve(Some(&base), target).as_deref(), expected, "{target}");
        }
        assert_eq!(resolve(None, "a/b.html").as_deref(), Some("a/b.html"));
        assert!(Base::new("file:///etc/passwd").is_none());
        assert_eq!(
            resolve(Base::new("https://example.org").as_ref(), "x").as_deref(),
            Some("https://example.org/x")
        );
    }
}
