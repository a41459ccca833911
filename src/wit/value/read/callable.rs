//! Decides which exported functions can be called with JSON, and why the others cannot.
//!
//! A handle must come from somewhere: a function that takes one can be called only if another callable function returns such
//! handles. Knows only our own types.

use super::super::types::{Function, ResourceType, Skipped, Type};
use std::collections::{HashMap, HashSet};

/// Returns the functions that can be called, in their order, and the others. `exported` are the names of exported
/// interfaces.
pub(super) fn sort(
    functions: Vec<Function>,
    exported: &HashSet<String>,
) -> (Vec<Function>, Vec<Skipped>) {
    let mut reasons: Vec<Option<String>> =
        functions.iter().map(|function| refusal(function, exported)).collect();
    for (index, missing) in without_source(&functions, &reasons) {
        let text = format!(
            "it needs a handle of `{}`, and no function that can be called gives one out",
            missing.name
        );
        reasons[index] = Some(text);
    }
    let (mut callable, mut skipped) = (Vec::new(), Vec::new());
    for (function, reason) in functions.into_iter().zip(reasons) {
        match reason {
            None => callable.push(function),
            Some(reason) => {
                let Function { instance, name, .. } = function;
                skipped.push(Skipped { instance, name, reason });
            }
        }
    }
    (callable, skipped)
}

/// Returns why a function can never be called, whatever the others return.
fn refusal(function: &Function, exported: &HashSet<String>) -> Option<String> {
    let types = || function.params.iter().map(|param| &param.ty).chain(&function.result);
    if let Some(part) = types().find_map(Type::unsupported) {
        return Some(format!("`{part}` has no JSON form"));
    }
    let mut resources = needed(function);
    function.result.iter().for_each(|ty| collect(ty, &mut resources));
    let foreign = resources.into_iter().find(|resource| {
        resource.instance.as_ref().is_none_or(|instance| !exported.contains(instance))
    })?;
    let place = match &foreign.instance {
        Some(instance) => format!("the imported interface `{instance}`"),
        None => "an import".to_owned(),
    };
    Some(format!(
        "`{}` is a resource of {place}, of which nothing here can make a handle",
        foreign.name
    ))
}

/// Returns the functions that no sequence of calls can reach, each with a resource that it lacks.
///
/// Visits each function and each resource once, because a component may have very many of both.
fn without_source<'f>(
    functions: &'f [Function],
    refused: &[Option<String>],
) -> Vec<(usize, &'f ResourceType)> {
    let mut lacking: Vec<usize> = vec![0; functions.len()];
    let mut waiting: HashMap<&ResourceType, Vec<usize>> = HashMap::new();
    let mut ready = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        if refused[index].is_some() {
            continue;
        }
        let needs: HashSet<&ResourceType> = needed(function).into_iter().collect();
        lacking[index] = needs.len();
        if needs.is_empty() {
            ready.push(index);
        }
        #[expect(clippy::iter_over_hash_type, reason = "each lands in a list of its own")]
        for resource in needs {
            waiting.entry(resource).or_default().push(index);
        }
    }
    while let Some(index) = ready.pop() {
        let mut gives = Vec::new();
        functions[index].result.iter().for_each(|ty| collect(ty, &mut gives));
        for resource in gives {
            for next in waiting.remove(resource).unwrap_or_default() {
                lacking[next] -= 1;
                if lacking[next] == 0 {
                    ready.push(next);
                }
            }
        }
    }
    let mut found = Vec::new();
    for (index, function) in functions.iter().enumerate().filter(|(index, _)| lacking[*index] > 0) {
        let missing = needed(function).into_iter().find(|resource| waiting.contains_key(resource));
        found.extend(missing.map(|missing| (index, missing)));
    }
    found
}

/// Returns the resources of which a call needs a handle.
fn needed(function: &Function) -> Vec<&ResourceType> {
    let mut found = Vec::new();
    function.params.iter().for_each(|param| collect_needed(&param.ty, &mut found));
    found
}

/// Collects the resources of which every value of type `ty` holds a handle. Null, an empty list and a case without a value
/// need none.
fn collect_needed<'t>(ty: &'t Type, found: &mut Vec<&'t ResourceType>) {
    match ty {
        Type::Option(_) | Type::List(_) | Type::Map(_) => {}
        Type::Variant(variant) if variant.cases.iter().any(|case| free(case.ty.as_ref())) => {}
        Type::Result(types) if free(types.0.as_ref()) || free(types.1.as_ref()) => {}
        Type::Own(resource) | Type::Borrow(resource) => found.push(resource),
        _ => ty.for_each_part(&mut |part| collect_needed(part, found)),
    }
}

/// Returns `true` if a value can be made without a handle. Nested handles count as needed, so a function that could be
/// called in an unusual way may be left out.
fn free(ty: Option<&Type>) -> bool {
    ty.is_none_or(|ty| !ty.holds_handle())
}

/// Collects the resources of which a value of type `ty` holds handles.
fn collect<'t>(ty: &'t Type, found: &mut Vec<&'t ResourceType>) {
    match ty {
        Type::Own(resource) | Type::Borrow(resource) => found.push(resource),
        _ => ty.for_each_part(&mut |part| collect(part, found)),
    }
}
