//! Tools of a plugin's exported functions: a name for each, or the reason why it has none.
//!
//! Knows names and functions. Does not know plugins or grants.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::contract::{self, Contract, Contracted};
use super::name::MAX_TOOL_NAME;
use super::{ToolManifest, ToolName, ToolPolicy};
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_wit::value::{Function, Interface, Skipped, Type};

/// Tools of a plugin, sorted by name, and the functions that are not tools.
#[derive(Debug, Default)]
pub(super) struct Toolbox {
    pub(super) tools: Vec<ToolFunction>,
    pub(super) skipped: Vec<Skipped>,
}

/// Function with the name of its tool.
#[derive(Clone, Debug)]
pub(super) struct ToolFunction {
    pub(super) name: ToolName,
    pub(super) function: Arc<Function>,
    /// Computed once, because a type can be large.
    pub(super) uses_handles: bool,
    pub(super) gives_handles: bool,
    /// Policy; `None` if there are no settings.
    pub(super) policy: Option<Arc<ToolPolicy>>,
    /// Contract of a function of an Extism plug-in.
    pub(super) contract: Option<Arc<Contracted>>,
}

impl ToolFunction {
    fn new(name: ToolName, function: &Function) -> Result<ToolFunction> {
        let mut entry = ToolFunction {
            name,
            uses_handles: function.uses_handles(),
            gives_handles: function.result.as_ref().is_some_and(Type::holds_handle),
            function: Arc::new(function.clone()),
            policy: None,
            contract: None,
        };
        if contract::is_needed(function) {
            entry.apply_contract(&Contract::default())?;
        }
        Ok(entry)
    }

    /// Returns the name under which the plugin exports it.
    pub(super) fn exported(&self) -> &str {
        self.contract.as_ref().map_or(&self.function.name, |contract| contract.name())
    }

    /// Applies the description and the narrower bounds of `settings`.
    fn apply_settings(&mut self, settings: &ToolManifest) -> Result<()> {
        let mut function = Cow::Borrowed(&*self.function);
        if let Some(description) = &settings.description {
            function = Cow::Owned(function.described(description));
        }
        // Afterwards, because the description of a single parameter takes precedence.
        if let Some(schema) = &settings.input_schema {
            function = Cow::Owned(function.narrowed(schema)?);
        }
        if let Cow::Owned(function) = function {
            self.function = Arc::new(function);
        }
        Ok(())
    }

    /// Applies `contract` to the function.
    fn apply_contract(&mut self, contract: &Contract) -> Result<()> {
        let exported = Function {
            name: self.exported().to_owned(),
            instance: self.function.instance.clone(),
            ..Function::default()
        };
        let (function, contracted) = contract.applied_to(&exported)?;
        (self.function, self.contract) = (Arc::new(function), Some(Arc::new(contracted)));
        Ok(())
    }
}

impl Toolbox {
    /// Names the functions of a plugin of `skill`. If two interfaces contain the same name, the name of the interface is
    /// inserted. An invalid name is an error if `strict`, otherwise the function is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - two functions have the same tool name, or one has none.
    pub(super) fn new(skill: &str, interface: &Interface, strict: bool) -> Result<Toolbox> {
        let (functions, left): (Vec<&Function>, Vec<&Function>) =
            interface.functions.iter().partition(|function| is_tool(function));
        let shared = shared(&functions);
        let mut toolbox = Toolbox { skipped: interface.skipped.clone(), ..Toolbox::default() };
        for function in left {
            toolbox.skip(function, "an interface `exports` is what componentize-py leaves behind");
        }
        for function in functions {
            let place =
                function.instance.as_deref().map(short).filter(|_| shared.contains(item(function)));
            let name = match place {
                _ if contract::is_needed(function) => {
                    ToolName::new(skill, &contract::kebab(&function.name))
                }
                Some(place) => ToolName::in_interface(skill, place, &function.name),
                None => ToolName::new(skill, &function.name),
            };
            match name {
                Some(name) => toolbox.tools.push(ToolFunction::new(name, function)?),
                None => toolbox.refuse(skill, function, strict)?,
            }
        }
        toolbox.tools.sort_by(|a, b| a.name.cmp(&b.name));
        match toolbox.tools.windows(2).find(|pair| pair[0].name == pair[1].name) {
            None => Ok(toolbox),
            Some(pair) => Err(Error::new(
                ErrorKind::Load,
                format!(
                    "two exported functions make the same tool name `{}`: {} and {}",
                    pair[0].name,
                    full(&pair[0].function),
                    full(&pair[1].function)
                ),
            )
            .hint("rename one of them in the component's WIT")),
        }
    }

    /// Applies the manifest's settings for single tools.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the manifest names a tool that does not exist, or its bounds are wider than the interface.
    pub(super) fn with_policies(mut self, entries: &[ToolManifest]) -> Result<Toolbox> {
        for settings in entries {
            let at = |error: Error| error.at(format!("skill.yaml: tools: {}", settings.name));
            let by_name = |entry: &ToolFunction| entry.name.function() == settings.name;
            let by_function = |entry: &ToolFunction| entry.exported() == settings.name;
            let of_function = self.tools.iter().filter(|entry| by_function(entry)).count();
            let index = match self.tools.iter().position(by_name) {
                None if of_function > 1 => {
                    return Err(at(Error::new(
                        ErrorKind::Load,
                        "several interfaces have a function of this name",
                    )
                    .hint(
                        "write the tool's name without its skill, such as `interface__function`",
                    )));
                }
                None => self.tools.iter().position(by_function),
                found => found,
            };
            let Some(entry) = index.and_then(|index| self.tools.get_mut(index)) else {
                return Err(self.no_tool(&settings.name));
            };
            // The entries may use either of its names.
            if entry.policy.is_some() {
                return Err(at(Error::new(ErrorKind::Load, "the tool is named twice")));
            }
            entry.policy = Some(Arc::new(settings.policy.clone()));
            match &settings.contract {
                Some(contract) if entry.contract.is_some() => {
                    entry.apply_contract(contract).map_err(at)?
                }
                Some(_) if settings.has_forms => {
                    return Err(at(Error::new(
                        ErrorKind::Load,
                        "`input`, `output` and `outputSchema` are said of functions of an Extism plug-in; a component has types in their place",
                    )));
                }
                _ => entry.apply_settings(settings).map_err(at)?,
            }
        }
        Ok(self)
    }

    /// Marks all functions as using an instance that the session keeps, if `keeps_state`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the plugin is not an Extism plug-in.
    pub(super) fn keeping(mut self, keeps_state: bool) -> Result<Toolbox> {
        if !keeps_state {
            return Ok(self);
        }
        for entry in &mut self.tools {
            if entry.contract.is_none() {
                let message = "skill.yaml: state: only of an Extism plug-in; a component keeps state in resources";
                return Err(Error::new(ErrorKind::Load, message));
            }
            entry.uses_handles = true;
        }
        Ok(self)
    }

    /// Applies the bounds of overlays, by the part of the tool's name after the skill.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - there is no such tool, or its bounds are wider than before.
    pub(super) fn with_bounds(mut self, bounds: &[(String, Value)]) -> Result<Toolbox> {
        for (name, schema) in bounds {
            let at = |error: Error| error.at(format!("overlay: tools: {name}"));
            let known = self.tools.iter_mut().find(|entry| entry.name.function() == name);
            let Some(entry) = known else {
                return Err(at(Error::new(ErrorKind::Load, "the skill has no such tool")));
            };
            entry.function = Arc::new(entry.function.narrowed(schema).map_err(at)?);
        }
        Ok(self)
    }

    fn no_tool(&self, name: &str) -> Error {
        let error = Error::new(
            ErrorKind::Load,
            format!("skill.yaml: tools: the plugin exports no function `{name}`"),
        );
        let names = self.tools.iter().map(|entry| match entry.function.of_resource() {
            Some(_) => entry.name.function(),
            None => entry.exported(),
        });
        let names: Vec<&str> = names.collect();
        match text::nearest(name, names.iter().copied()).first() {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint(format!("it exports `{}`", names.join("`, `"))),
        }
    }

    fn refuse(&mut self, skill: &str, function: &Function, strict: bool) -> Result<()> {
        let reason = format!(
            "a tool name of at most {MAX_TOOL_NAME} characters is needed, and `{skill}` with the function's name is longer"
        );
        if strict {
            return Err(Error::new(ErrorKind::Load, format!("{}: {reason}", full(function)))
                .hint("give the skill or the function a shorter name"));
        }
        self.skip(function, reason);
        Ok(())
    }

    fn skip(&mut self, function: &Function, reason: impl Into<String>) {
        self.skipped.push(Skipped {
            instance: function.instance.clone(),
            name: function.name.clone(),
            reason: reason.into(),
        });
    }
}

/// Returns whether a function can be a tool: all functions of interfaces and of the root, except those that a language runtime
/// leaves behind, such as componentize-py's `exports`.
pub(super) fn is_tool(function: &Function) -> bool {
    function.instance.as_ref().is_none_or(|instance| instance != "exports")
}

/// Returns whether a function belongs to the interface that script engines export for the host.
pub(super) fn runs_scripts(function: &Function) -> bool {
    function.instance.as_ref().is_some_and(|instance| instance.starts_with("mitt:host/script@"))
}

/// Returns the name of a function in its interface: its own, or that of its resource.
fn item(function: &Function) -> &str {
    function.of_resource().map_or(function.name.as_str(), |(resource, _)| resource)
}

/// Returns names that occur in several interfaces.
fn shared<'f>(functions: &[&'f Function]) -> HashSet<&'f str> {
    let mut places: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
    for function in functions {
        places.entry(item(function)).or_default().insert(function.instance.as_deref());
    }
    places.into_iter().filter(|(_, places)| places.len() > 1).map(|(name, _)| name).collect()
}

/// Returns the short name of an interface: `tools` for `test:skill/tools@1.0.0`.
fn short(instance: &str) -> &str {
    let path = instance.rsplit('/').next().unwrap_or(instance);
    path.split('@').next().unwrap_or(path)
}

fn full(function: &Function) -> String {
    match &function.instance {
        Some(instance) => format!("`{}` of `{instance}`", function.name),
        None => format!("`{}`", function.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolbox(functions: &[(&str, &str)], strict: bool) -> Result<Toolbox> {
        let functions = functions.iter().map(|(instance, name)| Function {
            instance: (!instance.is_empty()).then(|| (*instance).to_owned()),
            name: (*name).to_owned(),
            ..Function::default()
        });
        let interface = Interface { functions: functions.collect(), ..Interface::default() };
        Toolbox::new("a-b", &interface, strict)
    }

    fn names(functions: &[(&str, &str)]) -> Vec<String> {
        toolbox(functions, true).unwrap().tools.iter().map(|entry| entry.name.to_string()).collect()
    }

    #[test]
    fn names_of_functions_and_resources() {
        assert_eq!(
            names(&[
                ("", "at-root"),
                ("x:y/tools@1.0.0", "do-it"),
                ("x:y/tools@1.0.0", "[constructor]big-reader"),
                ("x:y/tools@1.0.0", "[method]big-reader.next-row"),
                ("x:y/tools@1.0.0", "[static]big-reader.open"),
                ("plain", "parse-JSON"),
                ("exports", "init"),
            ]),
            [
                "a_b__at_root",
                "a_b__big_reader",
                "a_b__big_reader__next_row",
                "a_b__big_reader__open",
                "a_b__do_it",
                "a_b__parse_JSON",
            ]
        );
    }

    #[test]
    fn the_interface_stands_in_between_where_two_have_the_same() {
        assert_eq!(
            names(&[
                ("x:y/one@1.0.0", "go"),
                ("x:y/two-b@1.0.0", "go"),
                ("x:y/two-b@1.0.0", "stay"),
                ("x:y/one@1.0.0", "[constructor]reader"),
                ("x:y/one@1.0.0", "[static]reader.open"),
                ("x:y/two-b@1.0.0", "[constructor]reader"),
                ("", "run"),
                ("x:y/one@1.0.0", "run"),
            ]),
            [
                "a_b__one__go",
                "a_b__one__reader",
                "a_b__one__reader__open",
                "a_b__one__run",
                "a_b__run",
                "a_b__stay",
                "a_b__two_b__go",
                "a_b__two_b__reader",
            ]
        );
    }

    #[test]
    fn collisions_name_both() {
        let error = toolbox(&[("x:y/one@1.0.0", "go"), ("x:y/one@2.0.0", "go")], true).unwrap_err();
        insta::assert_snapshot!(error.render(), @r"
        two exported functions make the same tool name `a_b__one__go`: `go` of `x:y/one@1.0.0` and `go` of `x:y/one@2.0.0`
        hint: rename one of them in the component's WIT
        ");
        // The name of an interface can be that of a resource elsewhere.
        let error = toolbox(
            &[("x:y/reader", "next"), ("x:y/other", "next"), ("x:y/third", "[method]reader.next")],
            false,
        )
        .unwrap_err();
        assert!(error.to_string().contains("`[method]reader.next` of `x:y/third`"), "{error}");
    }

    #[test]
    fn long_names_are_refused_or_left_out() {
        let long = "f".repeat(60);
        let functions = [("", long.as_str()), ("", "ok")];
        let error = toolbox(&functions, true).unwrap_err();
        assert!(error.to_string().contains("at most 64 characters"), "{error}");
        let toolbox = toolbox(&functions, false).unwrap();
        assert_eq!((toolbox.tools.len(), toolbox.skipped.len()), (1, 1));
        assert_eq!(toolbox.skipped[0].name, long);
    }
}
