//! `mitt config`: shows the effective settings, and the format of their files.

use std::process::ExitCode;

use serde_json::{Value as Json, json};

use crate::args::{ConfigCommand, Global};
use crate::output::Output;
use crate::settings::{
    JSON_SCHEMA, Key, Origin, SearchState, SearchedFile, SettingValue, Settings, Value, Whose,
};
use mitt_agent::model::ModelSpec;
use mitt_base::{Result, text};

pub(crate) fn config(
    global: &Global,
    command: &ConfigCommand,
    output: &Output,
) -> Result<ExitCode> {
    let settings = &global.settings;
    match command {
        ConfigCommand::Schema => output.data(JSON_SCHEMA)?,
        ConfigCommand::Show(_) if output.is_json() => output.value(&as_json(settings))?,
        ConfigCommand::Show(_) => output.line(as_toml(settings).trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(settings: &Settings) -> Json {
    let files = settings.searched_files().iter().map(|searched| {
        json!({ "file": searched.file.to_string_lossy(), "whose": whose(searched), "state": state(searched) })
    });
    let values = Key::ALL.into_iter().map(|key| {
        let found = in_force(settings, key);
        let values: Vec<Json> = found.iter().map(|found| found.value.to_json()).collect();
        let origins: Vec<Json> = found.iter().map(|it| json!(it.origin.to_string())).collect();
        let (value, origin) = if key.is_list() {
            (json!(values), json!(origins))
        } else {
            (
                values.into_iter().next().unwrap_or_default(),
                origins.into_iter().next().unwrap_or_else(|| json!(Origin::Default.to_string())),
            )
        };
        json!({ "key": key.name(), "value": value, "origin": origin })
    });
    json!({
        "files": files.collect::<Vec<_>>(), "settings": values.collect::<Vec<_>>(),
        "warnings": settings.warnings(),
    })
}

/// Returns the settings as a file, with their origins as comments.
fn as_toml(settings: &Settings) -> String {
    const WIDTH: usize = 40;
    let mut shown = String::new();
    for searched in settings.searched_files() {
        let file = text::one_line(&searched.file.display().to_string());
        shown +=
            &format!("# {:<15} {file} ({})\n", format!("{}:", whose(searched)), state(searched));
    }
    let mut table = "";
    for key in Key::ALL {
        if key.table() != table {
            table = key.table();
            shown += &format!("\n[{table}]\n");
        } else if key == Key::ALL[0] {
            shown.push('\n');
        }
        let name = key.last_name();
        let found = in_force(settings, key);
        let mut origins: Vec<String> = Vec::new();
        for origin in found.iter().map(|found| text::one_line(&found.origin.to_string())) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        let values: Vec<String> = found.iter().map(|found| found.value.to_string()).collect();
        let line = match (key.is_list(), values.first()) {
            (true, Some(_)) => format!("{name} = [{}]", values.join(", ")),
            (false, Some(value)) => format!("{name} = {value}"),
            (_, None) => format!("# {name} is not set"),
        };
        shown += &if origins.is_empty() {
            format!("{line}\n")
        } else {
            format!("{line:<WIDTH$} # {}\n", origins.join(", "))
        };
    }
    shown
}

/// Returns the effective values, including built-in ones. Hides an address of a model, which may contain a password.
fn in_force(settings: &Settings, key: Key) -> Vec<SettingValue> {
    let built_in = || key.built_in().map(|value| SettingValue { value, origin: Origin::Default });
    let mut found = settings.all(key).to_vec();
    if found.is_empty() {
        found.extend(built_in());
    }
    for found in found.iter_mut().filter(|_| key == Key::Model) {
        if let Value::Text(name) = &found.value
            && let Err(error) = ModelSpec::parse(name)
        {
            found.value = Value::Text(format!("not to be read: {error}"));
        }
    }
    found
}

fn whose(searched: &SearchedFile) -> &'static str {
    match searched.whose {
        Whose::User => "your file",
        Whose::Project => "project's file",
    }
}

fn state(searched: &SearchedFile) -> &'static str {
    match searched.state {
        SearchState::Read => "read",
        SearchState::Missing => "not there",
        SearchState::Foreign => "left out: another user's",
    }
}
