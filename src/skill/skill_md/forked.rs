//! Skills that run as an agent of their own: `context: fork` in the front matter of `SKILL.md`, as in Claude Code.

use super::front::{self, Value};
use super::salvage;

/// Returns the agent for a `SKILL.md` with `context: fork`, by default `general-purpose`. `None` if the skill does not run as an
/// agent of its own.
pub(crate) fn forked_agent(text: &str) -> Option<String> {
    if !text.contains("context") {
        return None;
    }
    let split = front::split(text).ok()?;
    let fields = salvage::parsed(split.front);
    let value = |key: &str| {
        let field = fields.iter().find(|field| field.key == key)?;
        match &field.value {
            Value::Text(text) => Some(text.trim().to_owned()),
            _ => None,
        }
    };
    value("context").filter(|context| context == "fork")?;
    Some(value("agent").unwrap_or_else(|| "general-purpose".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_say_whether_they_fork() {
        let fork = |front: &str| forked_agent(&format!("---\nname: a\n{front}---\nbody\n"));
        assert_eq!(fork("context: fork\n").as_deref(), Some("general-purpose"));
        assert_eq!(fork("context: fork\nagent: explorer\n").as_deref(), Some("explorer"));
        assert_eq!(fork("context: inline\n"), None);
        assert_eq!(fork("description: the context: fork\n"), None);
        assert_eq!(forked_agent("context: fork"), None);
    }
}
