//! Tool names: `<skill>__<function>` in snake case, injective and reversible.
//!
//! The constructor of a resource is `<skill>__<resource>`, its methods and static functions are
//! `<skill>__<resource>__<function>`. If two interfaces of a component contain the same name, the interface follows the skill.
//! Knows no components: `toolbox.rs` finds duplicate names.

use std::fmt;

use mitt_wit::value::resource_function;

/// Longest tool name that model providers accept.
pub(super) const MAX_TOOL_NAME: usize = 64;

/// Name of a tool as a model sees it, such as `excel_tool__create_excel`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName {
    text: String,
    split: usize,
}

impl ToolName {
    /// Returns the name of `function` of `skill`: the skill in kebab case, the function as it is exported, such as `create-excel`
    /// or `[method]reader.next`. `None` if the name has more than 64 characters or a part is not in kebab case.
    pub fn new(skill: &str, function: &str) -> Option<ToolName> {
        ToolName::of_parts(skill, None, function)
    }

    /// Like [`ToolName::new`], with the name of the interface (kebab case, without package and version) in between.
    pub fn in_interface(skill: &str, interface: &str, function: &str) -> Option<ToolName> {
        ToolName::of_parts(skill, Some(interface), function)
    }

    fn of_parts(skill: &str, interface: Option<&str>, function: &str) -> Option<ToolName> {
        let (item, member) = resource_function(function).unwrap_or((function, None));
        let mut text = String::new();
        for part in [Some(skill), interface, Some(item), member].into_iter().flatten() {
            if !is_kebab(part) {
                return None;
            }
            if !text.is_empty() {
                text.push_str("__");
            }
            text.push_str(&to_snake(part));
        }
        (text.len() <= MAX_TOOL_NAME).then_some(ToolName { text, split: skill.len() })
    }

    /// Splits a name into the skill in snake case and the rest: function, or interface, resource and function, joined by double
    /// underscores. `None` if `text` is not a tool name.
    ///
    /// Kebab-case names never contain two hyphens in a row, so each double underscore separates two names.
    pub fn split(text: &str) -> Option<(&str, &str)> {
        let (skill, rest) = text.split_once("__")?;
        let parts = rest.split("__");
        (is_snake(skill) && parts.clone().count() <= 3 && parts.clone().all(is_snake))
            .then_some((skill, rest))
    }

    /// Returns the whole name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the skill in snake case.
    pub fn skill(&self) -> &str {
        &self.text[..self.split]
    }

    /// Returns the function in snake case, with interface and resource in front: `reader__next`.
    pub fn function(&self) -> &str {
        &self.text[self.split + 2..]
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Converts kebab case to snake case.
pub fn to_snake(name: &str) -> String {
    name.replace('-', "_")
}

/// Returns whether a name is in kebab case as WIT defines it: words of letters and digits that begin with a letter, joined by
/// single hyphens.
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
    fn names_of_resources() {
        for (interface, function, expected) in [
            (None, "[constructor]big-reader", "a_b__big_reader"),
            (None, "[method]big-reader.next-row", "a_b__big_reader__next_row"),
            (None, "[static]big-reader.open", "a_b__big_reader__open"),
            (Some("in-out"), "go", "a_b__in_out__go"),
            (Some("in-out"), "[method]reader.next", "a_b__in_out__reader__next"),
        ] {
            let name = match interface {
                Some(interface) => ToolName::in_interface("a-b", interface, function),
                None => ToolName::new("a-b", function),
            };
            let name = name.unwrap();
            assert_eq!(name.as_str(), expected);
            assert_eq!(ToolName::split(expected), Some(("a_b", name.function())));
        }
        for function in
            ["[method]reader", "[method].next", "[method]a.b.c", "[other]a", "[static]a."]
        {
            assert_eq!(ToolName::new("a", function), None, "{function}");
        }
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
        for text in
            ["", "a", "a_b", "__a", "a__", "a__b c", "a___b", "a____b", "a__b__", "a__b__c__d__e"]
        {
            assert_eq!(ToolName::split(text), None, "{text}");
        }
    }
}
