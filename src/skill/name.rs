//! Tool names: `<skill>__<function>` in snake case, injective and reversible.

use std::fmt;

/// Longest tool name that model providers accept.
const MAX_TOOL_NAME: usize = 64;

/// Name of a tool as a model sees it, such as `excel_tool__create_excel`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName {
    text: String,
    split: usize,
}

impl ToolName {
    /// The name of `function` of `skill`, both in kebab case. None when it is longer than 64 characters or either part
    /// is not a kebab-case name.
    pub fn new(skill: &str, function: &str) -> Option<ToolName> {
        if !is_kebab(skill) || !is_kebab(function) {
            return None;
        }
        let text = format!("{}__{}", to_snake(skill), to_snake(function));
        (text.len() <= MAX_TOOL_NAME).then_some(ToolName { text, split: skill.len() })
    }

    /// The skill in snake case and the function in snake case. None when `text` is not a tool name.
    ///
    /// Kebab-case names never hold two hyphens in a row, so the first double underscore is the only one.
    pub fn split(text: &str) -> Option<(&str, &str)> {
        let (skill, function) = text.split_once("__")?;
        (is_snake(skill) && is_snake(function)).then_some((skill, function))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The skill in snake case.
    pub fn skill(&self) -> &str {
        &self.text[..self.split]
    }

    /// The function in snake case.
    pub fn function(&self) -> &str {
        &self.text[self.split + 2..]
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Kebab case to snake case.
pub fn to_snake(name: &str) -> String {
    name.replace('-', "_")
}

/// Whether a name is kebab case as WIT has it: words of letters and digits that begin with a letter, joined by single
/// hyphens.
pub(super) fn is_kebab(name: &str) -> bool {
    is_words(name, '-')
}

fn is_snake(name: &str) -> bool {
    is_words(name, '_')
}

fn is_words(name: &str, separator: char) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .split(separator)
            .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_reversible() {
        let name = ToolName::new("excel-tool", "create-excel").unwrap();
        assert_eq!(name.as_str(), "excel_tool__create_excel");
        assert_eq!((name.skill(), name.function()), ("excel_tool", "create_excel"));
        assert_eq!(ToolName::split(name.as_str()), Some(("excel_tool", "create_excel")));
    }

    #[test]
    fn refuses_what_is_no_name() {
        for (skill, function) in
            [("", "f"), ("a--b", "f"), ("a-", "f"), ("a_b", "f"), ("1a", "f"), ("a", "f g")]
        {
            assert_eq!(ToolName::new(skill, function), None, "{skill} {function}");
        }
        assert_eq!(ToolName::new("a", &"f".repeat(62)), None);
        assert!(ToolName::new("a", &"f".repeat(61)).is_some());
        for text in ["", "a", "a_b", "__a", "a__", "a__b__c", "a__b c", "a___b"] {
            assert_eq!(ToolName::split(text), None, "{text}");
        }
    }
}
