//! Addresses of people: one each, checked, with domains as mail servers know them.

use crate::names::check_field;

/// Most characters of a display name.
const MAX_NAME: usize = 200;
/// Most bytes of the part before `@` and of an address (RFC 5321).
const MAX_LOCAL: usize = 64;
const MAX_MAILBOX: usize = 254;

/// An address with a display name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) name: Option<String>,
    local: String,
    domain: String,
    /// What a person should know about it.
    pub(crate) warning: Option<String>,
}

impl Address {
    /// Reads `anna@example.com` or `Anna Li <anna@example.com>`. `place` names the argument in the error.
    pub(crate) fn parse(place: &str, text: &str) -> Result<Self, String> {
        check_field(place, text)?;
        let text = text.trim();
        let expected = |why: &str| {
            let shown: String = text.chars().take(100).collect();
            format!(
                "{place}: expected an address such as `Anna Li <anna@example.com>`, got `{shown}`{why}"
            )
        };
        let (name, mailbox) = match text.strip_suffix('>') {
            Some(rest) => {
                let (name, mailbox) = rest.rsplit_once('<').ok_or_else(|| expected(""))?;
                (name.trim(), mailbox.trim())
            }
            None => ("", text),
        };
        let quoted = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let is_list =
            quoted.is_none() && name.contains(['@', '<', '>', ';']) || mailbox.contains([',', ';']);
        if is_list {
            return Err(expected("; give each address as an item of its own"));
        }
        let name = quoted.map_or_else(|| name.to_owned(), unescaped);
        let name = name.trim().to_owned();
        if name.chars().count() > MAX_NAME {
            return Err(format!("{place}: expected a name of at most {MAX_NAME} characters"));
        }
        let (local, domain) = mailbox.rsplit_once('@').ok_or_else(|| expected(""))?;
        if !local.is_ascii() {
            return Err(expected("; the part before `@` may only have ASCII characters"));
        }
        let is_text = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
        let is_local = local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_text));
        if !is_local || local.len() > MAX_LOCAL {
            return Err(expected("; the part before `@` is not valid"));
        }
        let ascii = idna::domain_to_ascii_strict(domain)
            .ok()
            .filter(|it| !it.is_empty() && !it.ends_with('.'))
            .ok_or_else(|| expected("; the domain is not valid"))?;
        if local.len() + 1 + ascii.len() > MAX_MAILBOX {
            return Err(expected("; it is too long"));
        }
        let warning = if !domain.is_ascii() {
            Some(format!("The address {local}@{domain} is written as {local}@{ascii}."))
        } else if !ascii.contains('.') {
            Some(format!("The domain of {local}@{ascii} has no dot: check it."))
        } else if name.contains('@') && !name.eq_ignore_ascii_case(mailbox) {
            Some(format!("The name of {local}@{ascii} looks like another address: {name}."))
        } else {
            None
        };
        let name = Some(name).filter(|name| !name.is_empty() && name != mailbox);
        Ok(Self { name, local: local.to_owned(), domain: ascii, warning })
    }

    pub(crate) fn mailbox(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    pub(crate) fn domain(&self) -> &str {
        &self.domain
    }

    /// Returns what is equal for two spellings of one address.
    ///
    /// No server in use treats letters of the local part differently by case.
    pub(crate) fn key(&self) -> String {
        self.mailbox().to_ascii_lowercase()
    }

    /// Returns the address as a person reads it.
    pub(crate) fn shown(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} <{}>", self.mailbox()),
            None => self.mailbox(),
        }
    }
}

/// Returns the text of a quoted string.
fn unescaped(quoted: &str) -> String {
    let mut out = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Address;

    fn parse(text: &str) -> Result<Address, String> {
        Address::parse("to[0]", text)
    }

    #[test]
    fn addresses() {
        for (text, name, mailbox) in [
            ("anna@example.com", None, "anna@example.com"),
            (" <anna+x@Example.COM> ", None, "anna+x@example.com"),
            ("Anna Li <a.li@example.com>", Some("Anna Li"), "a.li@example.com"),
            ("\"Li, \\\"A\\\"\" <a@example.com>", Some("Li, \"A\""), "a@example.com"),
            ("李娜 <a@例子.中国>", Some("李娜"), "a@xn--fsqu00a.xn--fiqs8s"),
            ("a@bücher.example", None, "a@xn--bcher-kva.example"),
        ] {
            let address = parse(text).unwrap();
            assert_eq!((address.name.as_deref(), &*address.mailbox()), (name, mailbox), "{text}");
            assert_eq!(address.warning.is_some(), !text.rsplit('@').next().unwrap().is_ascii());
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_its_place() {
        for bad in [
            "",
            "anna",
            "@example.com",
            "anna@",
            "anna@.com",
            "anna@example..com",
            "anna@example.com.",
            "anna@-example.com",
            "anna@exa mple.com",
            "anna@[127.0.0.1]",
            "an na@example.com",
            ".anna@example.com",
            "anna.@example.com",
            "李娜@example.com",
            "a@b.com, c@d.com",
            "a@b.com;c@d.com",
            "a@b.com, Anna <c@d.com>",
            "Anna <a@b.com> <c@d.com>",
            "Anna a@b.com>",
            "a@b.com\r\nBcc: c@d.com",
            "Anna\n <a@b.com>",
            "Anna\u{202e} <a@b.com>",
            "a@ex\u{200b}ample.com\u{0}",
        ] {
            assert!(parse(bad).unwrap_err().starts_with("to[0]: expected "), "{bad:?}");
        }
        assert!(parse(&format!("{}@b.com", "a".repeat(64))).is_ok());
        assert!(parse(&format!("{}@b.com", "a".repeat(65))).is_err());
        assert!(parse(&format!("{} <a@b.com>", "李".repeat(200))).is_ok());
        assert!(parse(&format!("{} <a@b.com>", "李".repeat(201))).is_err());
        let long = format!("a@{}.com", ["b".repeat(60).as_str(); 4].join("."));
        assert!(parse(&long).is_ok());
        assert!(parse(&format!("aaaaaaaaaaaa{long}")).unwrap_err().contains("too long"));
    }

    #[test]
    fn what_may_mislead_is_a_warning() {
        assert!(
            parse("\"boss@corp.com\" <x@evil.com>").unwrap().warning.unwrap().contains("another")
        );
        assert!(parse("anna@server").unwrap().warning.unwrap().contains("no dot"));
        assert_eq!(parse("\"a@b.com\" <a@b.com>").unwrap().name, None);
    }
}
