//! Maps arguments of a Python call to parameters of a tool.

use crate::context::Function;
use crate::contract::mitt::host::tools::Parameter;

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Returns the parameters with the required ones first. WIT allows optional ones before them, Python does not.
fn ordered(function: &Function) -> Vec<&Parameter> {
    let parameters = &function.parameters;
    let (required, optional): (Vec<_>, Vec<_>) =
        parameters.iter().partition(|parameter| parameter.required);
    required.into_iter().chain(optional).collect()
}

fn python_name(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// Returns the signature for help: `(data: table, filename: option<string> = None)`.
pub(crate) fn shown(function: &Function) -> String {
    let parameters: Vec<String> = ordered(function)
        .into_iter()
        .map(|parameter| {
            let default = if parameter.required { "" } else { " = None" };
            format!("{}: {}{default}", python_name(&parameter.name), parameter.type_)
        })
        .collect();
    format!("({})", parameters.join(", "))
}

/// Assigns each argument to its parameter.
///
/// # Errors
/// The text of a `TypeError`, in the words of Python.
pub(crate) fn bind<T>(
    function: &Function,
    positional: Vec<T>,
    named: Vec<(String, T)>,
) -> Result<Vec<(String, T)>, String> {
    let parameters = ordered(function);
    let refused = |problem: String| {
        let Function { module, name, .. } = function;
        format!("{module}.{name}() {problem}; it is called as {name}{}", shown(function))
    };
    if positional.len() > parameters.len() {
        return Err(refused("too many positional arguments".to_owned()));
    }
    let mut bound: Vec<(String, T)> = positional
        .into_iter()
        .zip(&parameters)
        .map(|(value, parameter)| (parameter.name.clone(), value))
        .collect();
    for (name, value) in named {
        let Some(parameter) =
            parameters.iter().find(|parameter| python_name(&parameter.name) == name)
        else {
            return Err(refused(format!("got an unexpected keyword argument '{name}'")));
        };
        if bound.iter().any(|(taken, _)| *taken == parameter.name) {
            return Err(refused(format!("multiple values for argument '{name}'")));
        }
        bound.push((parameter.name.clone(), value));
    }
    let missing = parameters.iter().find(|parameter| {
        parameter.required && !bound.iter().any(|(name, _)| *name == parameter.name)
    });
    match missing {
        Some(parameter) => {
            Err(refused(format!("missing a required argument: '{}'", python_name(&parameter.name))))
        }
        None => Ok(bound),
    }
}

#[cfg(test)]
mod tests {
    use super::{bind, shown};
    use crate::context::Function;
    use crate::contract::mitt::host::tools::Parameter;

    fn function() -> Function {
        let parameter = |name: &str, type_: &str, required| Parameter {
            name: name.to_owned(),
            type_: type_.to_owned(),
            required,
        };
        Function {
            module: "a_tool".to_owned(),
            name: "f".to_owned(),
            description: String::new(),
            parameters: vec![
                parameter("from", "option<string>", false),
                parameter("data", "table", true),
            ],
        }
    }

    #[test]
    fn required_parameters_stand_first() {
        assert_eq!(shown(&function()), "(data: table, from_: option<string> = None)");
        let bound = bind(&function(), vec![1], vec![("from_".to_owned(), 2)]);
        assert_eq!(bound, Ok(vec![("data".to_owned(), 1), ("from".to_owned(), 2)]));
    }

    #[test]
    fn refusals_show_the_signature() {
        let named = |name: &str| vec![(name.to_owned(), 1)];
        for (positional, named, problem) in [
            (vec![], vec![], "missing a required argument: 'data'"),
            (vec![1, 2, 3], vec![], "too many positional arguments"),
            (vec![1], named("data"), "multiple values for argument 'data'"),
            (vec![1], named("file"), "got an unexpected keyword argument 'file'"),
        ] {
            let refused = bind(&function(), positional, named).unwrap_err();
            assert_eq!(
                refused,
                format!(
                    "a_tool.f() {problem}; it is called as f(data: table, from_: option<string> = None)"
                )
            );
        }
    }
}
