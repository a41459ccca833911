//! Prepares the documentation of functions for display, and reads descriptions of parameters from it.
//!
//! Does not know where the documentation comes from.

use super::types::{Function, same_name};
use mitt_base::visible::{Lines, visible};

impl Function {
    /// Returns this function with `docs` as its documentation. A bullet in it, such as `` - `text`: … ``, becomes the documentation of
    /// the parameter that it names. Other parameters keep theirs.
    pub fn described(&self, docs: &str) -> Function {
        let mut function = self.clone();
        function.docs = clean(Some(docs)).unwrap_or_default();
        for param in &mut function.params {
            if let Some(found) = param_docs(&function.docs, &param.name) {
                param.docs = Some(found);
            }
        }
        function
    }
}

/// Returns a text in a form for display. `None` if it is empty.
pub(super) fn clean(text: Option<&str>) -> Option<String> {
    let text = text.map(str::trim).filter(|text| !text.is_empty())?;
    // Anybody can write a component, and its documentation is shown to people and models.
    Some(visible(text, Lines::Many).into_owned())
}

/// Returns the description of a parameter in a function's documentation, from a bullet: `` - `name`: … ``
pub(super) fn param_docs(docs: &str, name: &str) -> Option<String> {
    let mut lines = docs.lines().skip_while(|line| bullet(line, name).is_none());
    let mut found = bullet(lines.next()?, name)?.to_owned();
    for line in lines {
        // The bullet ends at the next one, or where text returns to the margin.
        if line.trim().is_empty()
            || !line.starts_with(' ')
            || line.trim_start().starts_with(['-', '*'])
        {
            break;
        }
        found.push(' ');
        found.push_str(line.trim());
    }
    clean(Some(&found))
}

fn bullet<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(['-', '*'])?.trim_start().strip_prefix('`')?;
    let (named, rest) = rest.split_once('`')?;
    let rest = rest.trim_start().strip_prefix([':', '-', '–', '—'])?;
    same_name(name, named).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Field, Type};

    #[test]
    fn bullets() {
        for (docs, found) in [
            ("- `a-b`: text", Some("text")),
            ("Intro.\n\n  - `a_b`: text\n    more\n  - `c`: other", Some("text more")),
            ("* `a-b` - text", Some("text")),
            // The bullet ends at a blank line, at the margin, or at the next bullet.
            ("- `a-b`: one\n  two\n\n  three", Some("one two")),
            ("- `a-b`: one\n  two\nthree", Some("one two")),
            ("- `a-b`: one\n  - `c`: two", Some("one")),
            ("- `a-b`: one\n  two\n  * three", Some("one two")),
            ("- `a-b`:", None),
            ("- `ab`: text", None),
            ("`a-b`: text", None),
            ("- a-b: text", None),
            ("- `a-b` text", None),
            ("", None),
        ] {
            assert_eq!(param_docs(docs, "a-b").as_deref(), found, "{docs}");
        }
    }

    #[test]
    fn a_description_stands_in_place_of_the_documentation() {
        let params = vec![
            Field::new("one", Type::String, Some("before".into())),
            Field::new("two", Type::String, Some("kept".into())),
        ];
        let function = Function { docs: "Old.".into(), params, ..Function::default() };
        let described = function.described(" Does\u{1b} it.\n\n- `one`: the first\n");
        assert_eq!(described.docs, "Does\\u{1b} it.\n\n- `one`: the first");
        let docs: Vec<_> = described.params.iter().map(|it| it.docs.as_deref()).collect();
        assert_eq!(docs, [Some("the first"), Some("kept")]);
    }
}
