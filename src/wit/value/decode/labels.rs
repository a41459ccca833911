//! Decodes names of a type: enum values and flags.

use super::super::json::Json;
use super::super::path::Path;
use super::super::problem::{cut, quoted, shown, suggestion};
use super::super::types::{EnumType, FlagsType, Label, same_name};
use super::Decoder;
use wasmtime::component::Val;

impl Decoder<'_> {
    pub(super) fn enumeration(
        &mut self,
        definition: &EnumType,
        text: &str,
        at: &Path<'_>,
    ) -> Option<Val> {
        match find_label(&definition.cases, text) {
            Some(index) => Some(Val::Enum(definition.cases[index].name.clone())),
            None => self.fail(at, || {
                let near = suggestion(
                    text,
                    definition.cases.iter().map(|case| case.name.as_str()),
                    "the values are",
                );
                format!("expected {}, got string {}{near}", definition.name, quoted(text))
            }),
        }
    }

    pub(super) fn flags(
        &mut self,
        flags: &FlagsType,
        items: Vec<Json>,
        at: &Path<'_>,
    ) -> Option<Val> {
        let mut set = vec![false; flags.flags.len()];
        let mut sound = true;
        for (index, item) in items.into_iter().enumerate() {
            let at = at.index(index);
            let found = match &item {
                Json::String(text) => find_label(&flags.flags, text),
                _ => None,
            };
            match found {
                Some(flag) if !set[flag] => set[flag] = true,
                Some(flag) => {
                    sound = false;
                    self.problems.add(&at, || {
                        format!("the flag `{}` appears twice", flags.flags[flag].name)
                    });
                }
                None => {
                    sound = false;
                    self.problems.add(&at, || unknown_flag(flags, &item));
                }
            }
        }
        sound.then(|| flags_val(flags, &set))
    }

    pub(super) fn flags_object(
        &mut self,
        flags: &FlagsType,
        entries: Vec<(String, Json)>,
        at: &Path<'_>,
    ) -> Option<Val> {
        let mut set = vec![false; flags.flags.len()];
        let mut given = set.clone();
        let mut sound = true;
        for (key, json) in entries {
            let problem = match (find_label(&flags.flags, &key), json) {
                (Some(flag), Json::Bool(value)) if !given[flag] => {
                    given[flag] = true;
                    set[flag] = value;
                    continue;
                }
                (Some(_), Json::Bool(_)) => "the flag appears twice".to_owned(),
                (Some(_), got) => format!("expected bool, got {}", shown(&got)),
                (None, _) => unknown_flag(flags, &Json::String(key.clone())),
            };
            sound = false;
            self.problems.add(&at.given(&key), || problem);
        }
        sound.then(|| flags_val(flags, &set))
    }
}

fn find_label(labels: &[Label], text: &str) -> Option<usize> {
    labels.iter().position(|label| same_name(&label.name, text))
}

fn unknown_flag(flags: &FlagsType, got: &Json) -> String {
    let near = match got {
        Json::String(text) => {
            suggestion(text, flags.flags.iter().map(|flag| flag.name.as_str()), "the flags are")
        }
        _ => String::new(),
    };
    format!("expected a flag of {}, got {}{near}", cut(&flags.name, 60), shown(got))
}

fn flags_val(flags: &FlagsType, set: &[bool]) -> Val {
    let names = flags.flags.iter().zip(set).filter(|(_, set)| **set);
    Val::Flags(names.map(|(flag, _)| flag.name.clone()).collect())
}
