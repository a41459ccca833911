//! Names of servers, and our names of their tools.

/// Prefix of the names of all these tools, so that none can be confused with a tool of a skill.
const PREFIX: &str = "mcp-";

/// Longest name of a server. Its tools need room in the 64 characters that model services allow.
const MAX_SERVER_BYTES: usize = 32;

/// Longest name of a tool, including that of its server.
const MAX_TOOL_BYTES: usize = 64;

/// Returns `true` for lower-case words of letters and digits that are joined by single `-` and begin with a letter.
pub(crate) fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    name.len() <= MAX_SERVER_BYTES
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.split('-').all(is_word)
}

/// Returns the prefix of a server's tools, in kebab case.
pub(crate) fn prefix(server: &str) -> String {
    format!("{PREFIX}{server}")
}

/// Returns our name of a tool, in kebab case: `createIssue`, `create_issue` and `create.issue` become `create-issue`. A long
/// name is cut, and gets eight digits of its digest. `None` if nothing of it is left.
pub(crate) fn function(server: &str, tool: &str) -> Option<String> {
    let mut name = String::new();
    let mut was_lower = false;
    for character in tool.chars() {
        if !character.is_ascii_alphanumeric() {
            if !name.is_empty() && !name.ends_with('-') {
                name.push('-');
            }
            was_lower = false;
            continue;
        }
        if character.is_ascii_uppercase() && was_lower {
            name.push('-');
        }
        was_lower = !character.is_ascii_uppercase();
        name.push(character.to_ascii_lowercase());
    }
    let name = name.trim_matches('-');
    if name.is_empty() {
        return None;
    }
    let name = if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.to_owned()
    } else {
        format!("n{name}")
    };
    let room = MAX_TOOL_BYTES - prefix(server).len() - "__".len();
    if name.len() <= room {
        return Some(name);
    }
    let digest = mitt_base::digest::sha256(tool.as_bytes());
    // The last word begins with a letter: the name of a Python function must not begin with a digit.
    let end = format!("-h{}", &digest[..8]);
    Some(format!("{}{end}", name[..room - end.len()].trim_end_matches('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_plain_names() {
        for name in ["github", "my-notes", "a1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "Github", "a_b", "-a", "a--b", "1a", "a b", "笔记", &"a".repeat(33)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn tools_have_names_of_ours() {
        for (theirs, ours) in [
            ("create_issue", "create-issue"),
            ("createIssue", "create-issue"),
            ("create.issue/v2", "create-issue-v2"),
            ("getURL", "get-url"),
            ("__x__", "x"),
            ("3d", "n3d"),
            ("查找 find", "find"),
        ] {
            assert_eq!(function("s", theirs).as_deref(), Some(ours), "{theirs}");
        }
        assert_eq!(function("s", "查找"), None);
        let long = function("github", &"word_".repeat(30)).unwrap();
        assert_eq!(prefix("github").len() + 2 + long.len(), MAX_TOOL_BYTES);
        assert_ne!(Some(long), function("github", &"word_".repeat(31)));
        assert!(mitt::skill::HostFunction::new(&prefix("a"), "get-url", "").is_ok());
    }
}
