//! How users invoke a skill: keys in the front matter of `SKILL.md` beyond the standard, as in Claude Code.

use super::front::{self, Field, Value};
use super::salvage;

/// Most arguments that a skill may name.
const MAX_NAMED: usize = 16;

/// How users invoke a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invocation {
    /// `true` if users may invoke it; the front matter can say `user-invocable: false`. Default: `true`.
    pub by_user: bool,
    /// Hint about its arguments, from `argument-hint`.
    pub hint: Option<String>,
    /// Names of its arguments, from `arguments`: separated by blanks, or a list of names or of maps with `name`.
    pub arguments: Vec<String>,
    /// Instructions without the front matter.
    pub body: String,
}

impl Invocation {
    /// Parses the text of a `SKILL.md`. Invalid keys are ignored.
    pub(crate) fn of(text: &str) -> Invocation {
        let (fields, body) = match front::split(text) {
            Ok(split) => (salvage::parsed(split.front), split.body),
            Err(_) => (Vec::new(), text),
        };
        let value =
            |key: &str| fields.iter().find(|field| field.key == key).map(|field| &field.value);
        let said = |key: &str| value(key).and_then(text_of);
        Invocation {
            by_user: said("user-invocable") != Some("false"),
            hint: said("argument-hint").map(str::to_owned),
            arguments: value("arguments").map(names).unwrap_or_default(),
            body: body.trim_matches(['\n', ' ', '\t']).to_owned(),
        }
    }
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    }
}

fn names(value: &Value) -> Vec<String> {
    let name_of = |item: &Value| match item {
        Value::Map(fields) => {
            let name = fields.iter().find(|field: &&Field| field.key == "name")?;
            text_of(&name.value).map(str::to_owned)
        }
        item => text_of(item).map(str::to_owned),
    };
    let names: Vec<String> = match value {
        Value::Text(names) => names.split_whitespace().map(str::to_owned).collect(),
        Value::List(items) => items.iter().filter_map(name_of).collect(),
        _ => Vec::new(),
    };
    let is_name = |name: &String| {
        name.len() <= 64 && name.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it))
    };
    names.into_iter().filter(is_name).take(MAX_NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_matter_says_how_a_skill_is_called() {
        for (front, by_user, hint, arguments) in [
            ("name: a", true, None, &[][..]),
            ("user-invocable: false", false, None, &[]),
            ("user-invocable: no", true, None, &[]),
            (
                "argument-hint: '[year]'\narguments: year  kind",
                true,
                Some("[year]"),
                &["year", "kind"],
            ),
            (
                "arguments: [year, {name: kind, required: true}, 'a b', {}]",
                true,
                None,
                &["year", "kind"],
            ),
            ("description: Use it: always\nuser-invocable: false", false, None, &[]),
        ] {
            let said = Invocation::of(&format!("---\n{front}\n---\n\nDo it.\n"));
            assert_eq!(
                (said.by_user, said.hint.as_deref(), &said.arguments[..], said.body.as_str()),
                (
                    by_user,
                    hint,
                    &arguments.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..],
                    "Do it."
                ),
                "{front}"
            );
        }
        assert_eq!(Invocation::of("Only words.").body, "Only words.");
    }
}
