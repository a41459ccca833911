//! Expands `${NAME}` and `${NAME:-default}` in the description of a server, which keeps secrets out of the file.

use mitt_base::{Error, ErrorKind, Result};

/// Longest text after all variables are expanded, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Returns `text` with its variables expanded; values are not expanded again. Errors name `place`.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a variable is not set and has no default, a `${` is not closed, or the text becomes too long.
pub(crate) fn expanded(
    text: &str,
    place: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String> {
    let wrong = |problem: String| Error::new(ErrorKind::Input, format!("{place}: {problem}"));
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let inside = &rest[at + 2..];
        let end = inside.find('}').ok_or_else(|| wrong("expected `}` after `${`".to_owned()))?;
        let (name, default) = match inside[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&inside[..end], None),
        };
        let value = variable(name).or_else(|| default.map(str::to_owned));
        let value = value.ok_or_else(|| {
            let name = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 64));
            wrong(format!("the variable `{name}` is not set"))
                .hint("set it before Mitt is started, or write `${NAME:-default}`")
        })?;
        out.push_str(&value);
        rest = &inside[end + 1..];
        if out.len() > MAX_BYTES {
            return Err(wrong(format!("expected at most {MAX_BYTES} bytes, got more")));
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str) -> Option<String> {
        match name {
            "KEY" => Some("s3cret".to_owned()),
            "TWICE" => Some("${KEY}".to_owned()),
            "LONG" => Some("x".repeat(MAX_BYTES)),
            _ => None,
        }
    }

    #[test]
    fn variables_are_put_in_once() {
        for (text, expected) in [
            ("", ""),
            ("plain $KEY $", "plain $KEY $"),
            ("Bearer ${KEY}", "Bearer s3cret"),
            ("${NONE:-a}${KEY}${NONE:-}", "as3cret"),
            ("${TWICE}", "${KEY}"),
        ] {
            assert_eq!(expanded(text, "headers", &given).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_not_set_is_named() {
        for (text, expected) in [
            ("a ${NONE}", "env.A: the variable `NONE` is not set"),
            ("${KEY", "env.A: expected `}` after `${`"),
            ("${LONG}${KEY}", "env.A: expected at most 65536 bytes, got more"),
        ] {
            assert_eq!(expanded(text, "env.A", &given).unwrap_err().to_string(), expected);
        }
    }
}
