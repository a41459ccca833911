//! Reads one file: its keys with their lines, or everything that is wrong with it.
//!
//! Messages never quote a line or the value of an unknown key: it may be a secret in the wrong place.

use std::path::{Component, Path, PathBuf};

use toml_edit::{ImDocument, Item, Key as TomlKey, TableLike, Value as TomlValue};

use super::find::Whose;
use super::key::{Count, Form, Key, Reach};
use super::value::{Origin, SettingValue, Value};
use mitt::PublicKey;
use mitt::skill::{parse_duration, parse_size};
use mitt_agent::model::ModelSpec;
use mitt_base::by_line::{LineProblem, by_line, line_of};
use mitt_base::limits::KIB;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Largest file, in bytes.
const MAX_BYTES: u64 = 64 * KIB;

/// A settings file.
pub(super) struct File<'a> {
    pub(super) path: &'a Path,
    pub(super) whose: Whose,
    /// What `~` stands for in the user's own file.
    pub(super) home: Option<&'a Path>,
}

/// The result so far.
#[derive(Default)]
struct Reading {
    found: Vec<(Key, SettingValue)>,
    problems: Vec<LineProblem>,
}

type ParseResult<T> = std::result::Result<T, (String, String)>;

impl File<'_> {
    /// Returns its settings in order; each item of a list is a separate entry.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the file cannot be read, is not TOML, or has invalid content.
    pub(super) fn read(&self) -> Result<Vec<(Key, SettingValue)>> {
        let file = self.path.display();
        let wrong = |what: &str| Error::new(ErrorKind::Input, format!("{file}: {what}"));
        let bytes = plain_file::read(self.path, MAX_BYTES).map_err(|error| {
            Error::new(ErrorKind::Input, format!("cannot read the settings {file}"))
                .hint("make it a file that you may read, or remove it")
                .caused_by(error)
        })?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(wrong(&format!("expected at most {MAX_BYTES} bytes, got more")));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong("expected UTF-8"))?;
        self.parse(&text)
    }

    fn parse(&self, text: &str) -> Result<Vec<(Key, SettingValue)>> {
        let document = ImDocument::parse(text).map_err(|error| {
            // Without the line itself, which the error of the library would quote.
            let what = text::shortened(&text::single_line(error.message()), 300);
            let line = line_of(text, error.span());
            let message = format!("{}:{line}: {what}", self.path.display());
            Error::new(ErrorKind::Input, message)
                .hint("expected TOML, such as `model = \"ollama/qwen3\"`")
        })?;
        let mut reading = Reading::default();
        self.table(document.as_table(), "", text, &mut reading);
        self.together(&mut reading);
        if reading.problems.is_empty() {
            Ok(reading.found)
        } else {
            Err(by_line(&self.path.display().to_string(), reading.problems, |count| {
                format!("{count} problems with the settings")
            }))
        }
    }

    fn table(&self, table: &dyn TableLike, prefix: &str, text: &str, reading: &mut Reading) {
        for (name, item) in table.iter() {
            let span = table.key(name).and_then(TomlKey::span);
            let line = line_of(text, span.or_else(|| item.span()));
            let full = format!("{prefix}{name}");
            // In quotes, a name can contain a dot that does not separate tables.
            let is_plain = !name.contains('.');
            if let Some(key) = Key::from_name(&full).filter(|_| is_plain) {
                match self.values(key, item) {
                    Ok(values) => reading.found.extend(values.into_iter().map(|value| {
                        let file = self.path.to_owned();
                        let origin = match self.whose {
                            Whose::User => Origin::User { file, line },
                            Whose::Project => Origin::Project { file, line },
                        };
                        (key, SettingValue { value, origin })
                    })),
                    Err((what, hint)) => {
                        reading.problems.push(LineProblem {
                            line,
                            what: format!("{full}: {what}"),
                            hint,
                        });
                    }
                }
                continue;
            }
            let is_table = is_plain && Key::TABLES.contains(&full.as_str());
            let (what, hint) = match (is_table, item.as_table_like()) {
                (true, Some(inner)) => {
                    self.table(inner, &format!("{full}."), text, reading);
                    continue;
                }
                (true, None) => {
                    let what = format!("{full}: expected a table, got {}", item.type_name());
                    (what, format!("write `[{full}]`, and its settings below it"))
                }
                (false, _) => unknown(&full, name),
            };
            reading.problems.push(LineProblem { line, what, hint });
        }
    }

    /// Returns the values of a key in the form of that key.
    fn values(&self, key: Key, item: &Item) -> ParseResult<Vec<Value>> {
        if let (Whose::Project, Reach::Own(why)) = (self.whose, key.reach()) {
            let hint = format!("{IN_OWN_FILE}, or give {} yourself", given(key));
            return Err((format!("a project's file cannot set it: {why}"), hint));
        }
        let array = item.as_array().filter(|_| key.count() == Count::Many);
        match (array, item.as_value()) {
            (Some(array), _) => array.iter().map(|value| self.value(key, value)).collect(),
            (None, Some(value)) => self.value(key, value).map(|value| vec![value]),
            (None, None) => Err(expected(key.form(), item.type_name())),
        }
    }

    fn value(&self, key: Key, value: &TomlValue) -> ParseResult<Value> {
        let form = key.form();
        let wrong = || expected(form, &shown(value));
        let number = |least: u64| {
            let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
            number.filter(|number| *number >= least)
        };
        let text = value.as_str().filter(|text| !text.trim().is_empty());
        let found = match form {
            Form::Switch => value.as_bool().map(Value::Switch),
            Form::Number => number(1).map(Value::Number),
            Form::Seconds => number(0).map(Value::Number),
            Form::Size => {
                let size = text.and_then(parse_size).filter(|size| *size > 0);
                size.or_else(|| number(1)).map(Value::Size)
            }
            Form::Time => {
                text.and_then(parse_duration).filter(|time| !time.is_zero()).map(Value::Time)
            }
            Form::Word(words) => {
                text.filter(|text| words.contains(text)).map(|text| Value::Text(text.to_owned()))
            }
            Form::Text => text.map(|text| Value::Text(text.to_owned())),
            Form::Model => {
                let name = text.ok_or_else(wrong)?;
                return self.model(name).map(|()| Value::Text(name.to_owned()));
            }
            Form::PublicKey if text.is_some_and(|text| text.parse::<PublicKey>().is_ok()) => {
                text.map(|text| Value::Text(text.to_owned()))
            }
            Form::TenantPath | Form::NamedPath => {
                let (tenant, path) = text.and_then(tenant_and_path).ok_or_else(wrong)?;
                let path = self.place(key, path)?;
                // The path comes from text, and so does the folder unless its name is not UTF-8.
                path.to_str().map(|path| Value::Text(format!("{tenant}={path}")))
            }
            Form::Path | Form::PublicKey => {
                return self.place(key, text.ok_or_else(wrong)?).map(Value::Path);
            }
        };
        found.ok_or_else(wrong)
    }

    /// Checks that a model may be named here. A project's file must not name an address, which documents would be sent to.
    fn model(&self, name: &str) -> ParseResult<()> {
        // Variables with addresses are read when the model is used.
        let spec = ModelSpec::parse_with(name, &|_| None);
        let is_address =
            spec.as_ref().map_or_else(|_| name.contains("://"), |spec| spec.preset.is_none());
        if self.whose == Whose::Project && is_address {
            let what = "expected a service and a model, such as `ollama/qwen3`, got an address";
            let hint = format!("if the documents may go there: {IN_OWN_FILE}, or give `--model`");
            return Err((what.to_owned(), hint));
        }
        spec.map(drop).map_err(|error| (error.to_string(), error.hints().join("; ")))
    }

    /// Returns the file or folder that is meant.
    fn place(&self, key: Key, written: &str) -> ParseResult<PathBuf> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        if self.whose == Whose::Project {
            return inside(folder, written).map_err(|problem| {
                let hint = format!("for any other place: {IN_OWN_FILE}, or give {}", given(key));
                (problem, hint)
            });
        }
        if let Some(rest) = written.strip_prefix("~/") {
            let home = self.home.ok_or_else(|| {
                ("`~` stands for the home folder, and there is none".to_owned(), String::new())
            })?;
            return Ok(home.join(rest));
        }
        let path = Path::new(written);
        // The default folder is relative to where the user works, where a link of that name may lie.
        if key == Key::Out && path.is_relative() {
            let mut parts = path.components();
            return match (parts.next(), parts.next()) {
                (Some(Component::Normal(name)), None) => Ok(name.into()),
                _ => {
                    let what = "expected a name, of a folder wherever you work, or a path from `/` or `~/`";
                    Err((what.to_owned(), String::new()))
                }
            };
        }
        Ok(folder.join(path))
    }

    /// Checks rules about several keys. All of them belong to the user: a project's file has none of them.
    fn together(&self, reading: &mut Reading) {
        let found = |key: Key| reading.found.iter().find(|(found, _)| *found == key);
        let line = |key: Key| found(key).and_then(|(_, found)| found.origin.line());
        let problem = |line: usize, what: &str, hint: &str| LineProblem {
            line,
            what: what.to_owned(),
            hint: hint.to_owned(),
        };
        let is_off =
            found(Key::NoCache).is_some_and(|(_, found)| found.value == Value::Switch(true));
        let mut problems = Vec::new();
        // A model that was refused counts as present.
        if let (Some(line), None, true) =
            (line(Key::SecretFile), line(Key::Model), reading.problems.is_empty())
        {
            problems.push(problem(
                line,
                "key-file: expected a `model` in the same file: the key goes to its service and to no other",
                "add `model`, or set the variable of the service, such as OPENAI_API_KEY",
            ));
        }
        if let (Some(line), true) = (line(Key::CacheDir), is_off) {
            let what = "cache-dir: it does not go with `no-cache = true`";
            problems.push(problem(line, what, "remove one of them"));
        }
        reading.problems.extend(problems);
    }
}

/// Describes an unknown key: a secret, a misspelling, or another mistake.
fn unknown(full: &str, name: &str) -> (String, String) {
    let plain = name.to_lowercase().replace('_', "-");
    let elsewhere = Key::ALL.into_iter().find(|key| key.last_name() == plain);
    let word = plain.trim_end_matches('s');
    let is_secret = ["key", "token", "secret", "password"].into_iter().any(|it| word.ends_with(it));
    let near = text::nearest(full, Key::ALL.into_iter().map(Key::name).chain(Key::TABLES));
    let full = text::one_line(&text::shortened(full, 120));
    if is_secret && elsewhere.is_none() && full == name {
        let what =
            format!("{full}: no secret stands in a file of settings, which is easily shared");
        let hint = "set the variable of the service, such as OPENAI_API_KEY (`mitt model list` names them), or name a file \
                    that holds the key: `key-file` in your own file of settings";
        return (what, hint.to_owned());
    }
    let hint = match (elsewhere, near.first()) {
        (Some(key), _) if key.table().is_empty() && full.contains('.') => {
            format!("`{}` stands above the first table", key.name())
        }
        (Some(key), _) => format!("did you mean `{}`?", key.name()),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => "`mitt config show` lists all settings".to_owned(),
    };
    (format!("{full}: unknown setting"), hint)
}

/// Where the user can set what a project's file must not.
const IN_OWN_FILE: &str =
    "set it in your own file of settings (`mitt config show` says where that is)";

/// Returns the option with which the user sets it.
fn given(key: Key) -> String {
    format!("`--{}`", key.last_name())
}

/// Splits `alice=words.txt`.
pub(crate) fn tenant_and_path(text: &str) -> Option<(&str, &str)> {
    let (tenant, path) = text.split_once('=')?;
    (!tenant.trim().is_empty() && !path.trim().is_empty()).then_some((tenant, path))
}

/// Describes the expected form and the actual value.
fn expected(form: Form, got: &str) -> (String, String) {
    let wanted = match form {
        Form::Model => "the name of a model such as \"ollama/qwen3\"".to_owned(),
        Form::Text => "a name in quotes".to_owned(),
        Form::Word(words) => format!("one of {}", words.join(", ")),
        Form::Path => "a path in quotes".to_owned(),
        Form::TenantPath => "a tenant and a path such as \"alice=words.txt\"".to_owned(),
        Form::NamedPath => "a name and a path such as \"office=office.p12\"".to_owned(),
        Form::PublicKey => "a file, or a public key in hexadecimal digits".to_owned(),
        Form::Switch => "true or false".to_owned(),
        Form::Seconds => "a number of seconds".to_owned(),
        Form::Number => "a whole number from 1".to_owned(),
        Form::Size => "a size such as \"64MiB\" or a number of bytes".to_owned(),
        Form::Time => "a duration such as \"500ms\", \"15s\" or \"1m30s\"".to_owned(),
    };
    (format!("expected {wanted}, got {got}"), String::new())
}

/// Returns a value of a known key in the form of a message.
fn shown(value: &TomlValue) -> String {
    match value {
        TomlValue::String(text) => {
            format!("\"{}\"", text::one_line(&text::shortened(text.value(), 60)))
        }
        TomlValue::Integer(number) => number.value().to_string(),
        TomlValue::Boolean(on) => on.value().to_string(),
        other => other.type_name().to_owned(),
    }
}

/// Returns a place below `folder` that no link leads out of, even if another user filled the folder.
fn inside(folder: &Path, written: &str) -> std::result::Result<PathBuf, String> {
    let names: Option<Vec<_>> = Path::new(written)
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let names = names.filter(|names| !names.is_empty() && !written.starts_with('~'));
    let Some(names) = names else {
        let got = text::one_line(&text::shortened(written, 120));
        return Err(format!("in a project's file, expected a path below its folder, got `{got}`"));
    };
    let mut place = folder.to_owned();
    for name in names {
        place.push(name);
        if place.is_symlink() {
            let link = text::one_line(&text::shortened(&place.display().to_string(), 200));
            return Err(format!("in a project's file, no link is followed, and `{link}` is one"));
        }
    }
    Ok(place)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
