//! Names of models: which service, which wire, which key, and what the service can do.
//!
//! Knows services as data (`presets.json`). Sends nothing, and reads no key: only where one would be.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::Deserialize;

use mitt::schema::lower::Dialect;
use mitt_base::{Error, Result, text};

/// Environment variable with the key for a model that is given by its address. It is not that of a service, so that no
/// service's key goes to an address that only stands in a name.
pub const KEY_VARIABLE: &str = "MITT_MODEL_KEY";

/// How a service is asked and how it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Wire {
    /// Chat completions, which most servers speak.
    Chat,
    /// Responses of OpenAI, also as Open Responses.
    Responses,
    /// Messages of Anthropic.
    #[serde(rename = "anthropic")]
    Messages,
    /// `/api/chat` of Ollama.
    Ollama,
}

impl Wire {
    /// All of them.
    pub const ALL: [Wire; 4] = [Wire::Chat, Wire::Responses, Wire::Messages, Wire::Ollama];

    /// Its name, as it stands before `+` in the name of a model.
    pub fn name(self) -> &'static str {
        match self {
            Wire::Chat => "chat",
            Wire::Responses => "responses",
            Wire::Messages => "anthropic",
            Wire::Ollama => "ollama",
        }
    }

    fn from_name(name: &str) -> Result<Wire> {
        let wire = Wire::ALL.into_iter().find(|wire| wire.name() == name);
        wire.ok_or_else(|| {
            let names = Wire::ALL.map(Wire::name);
            let error = Error::model(format!("unknown wire `{}`", text::one_line(name)));
            near(error, name, names).hint(format!(
                "there are {}; and `spelled`, `blocks` for models that cannot call tools",
                names.join(", ")
            ))
        })
    }
}

/// How models of a service call tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Calls {
    /// The wire has tools, and the model can call them. A service that refuses tools is asked as by `Spelled`.
    #[default]
    Native,
    /// In the model's text: as an object where the service can be held to one, in blocks elsewhere.
    Spelled,
    /// In the model's text, in blocks.
    Blocks,
}

impl Calls {
    /// All of them.
    pub const ALL: [Calls; 3] = [Calls::Native, Calls::Spelled, Calls::Blocks];

    /// Its name, as it stands before `+` in the name of a model.
    pub fn name(self) -> &'static str {
        match self {
            Calls::Native => "native",
            Calls::Spelled => "spelled",
            Calls::Blocks => "blocks",
        }
    }
}

/// How a service is held to the form of a model's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Output {
    /// It takes a JSON Schema.
    Schema,
    /// It takes a grammar of llama.cpp, in chat completions.
    Grammar,
    /// It can be told to write JSON; the schema is put into words.
    Json,
    /// It can only be asked, in words.
    Words,
}

/// What a service can do, and what it calls things.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Traits {
    /// How its models call tools.
    pub calls: Calls,
    /// Ids of calls have exactly nine letters and digits, in chat completions.
    pub short_ids: bool,
    /// They may call several in one turn.
    pub parallel_calls: bool,
    /// It holds calls of tools that are marked as strict to their schema.
    pub strict: bool,
    /// It takes pictures, if the model does.
    pub images: bool,
    /// How it is held to the form of a text.
    pub output: Output,
    /// The field that asks for usage at the end of a stream; none if it comes unasked, or the field is refused.
    pub usage_option: Option<String>,
    /// The field with the most tokens of an answer, in chat completions.
    pub max_tokens: String,
    /// The field in which it wants the model's reasoning back, in chat completions.
    pub reasoning_field: Option<String>,
}

impl Default for Traits {
    /// What most servers of chat completions can do: everything but strict schemas.
    fn default() -> Traits {
        Traits {
            calls: Calls::Native,
            short_ids: false,
            parallel_calls: true,
            strict: false,
            images: true,
            output: Output::Schema,
            usage_option: Some("stream_options".to_owned()),
            max_tokens: "max_tokens".to_owned(),
            reasoning_field: None,
        }
    }
}

/// Where the key of a service is looked up. It is not kept here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeySource {
    /// A file with the key; goes before the variables.
    pub file: Option<PathBuf>,
    /// Environment variables; the first that is set counts.
    pub variables: Vec<String>,
    /// Whether the service answers nothing without one.
    pub is_required: bool,
}

/// A model and how to reach it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelSpec {
    /// Name of the preset; none of a model that is given by its address.
    pub preset: Option<String>,
    /// The model's name at the service.
    pub model: String,
    /// Address that the paths of the wire are added to; without `/` at its end.
    pub base_url: String,
    /// How it is asked.
    pub wire: Wire,
    /// Where its key is.
    pub key: KeySource,
    /// The form of JSON Schema that it wants.
    pub dialect: Dialect,
    /// What it can do.
    pub traits: Traits,
}

/// A service, as it stands in `presets.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Preset {
    base_url: String,
    base_url_variable: String,
    wire: Wire,
    key_variables: Vec<String>,
    #[serde(default = "yes")]
    needs_key: bool,
    #[serde(default = "portable")]
    dialect: String,
    #[serde(default)]
    traits: Traits,
}

fn yes() -> bool {
    true
}

fn portable() -> String {
    Dialect::Portable.name().to_owned()
}

static PRESETS: LazyLock<BTreeMap<String, Preset>> = LazyLock::new(|| {
    // The file is ours: a test reads it.
    serde_json::from_str(include_str!("presets.json")).unwrap_or_default()
});

/// Names of all presets, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.keys().map(String::as_str)
}

impl ModelSpec {
    /// Read the name of a model: `preset/model`, such as `ollama/qwen3`, or `address#model`, such as
    /// `http://127.0.0.1:8080/v1#qwen3`. Before either the name of a wire and `+` may stand, as in
    /// `anthropic+http://127.0.0.1:9000#claude`; without one an address is asked with chat completions. So may `spelled+` or
    /// `blocks+`, for models that cannot call tools; see [`Calls`].
    ///
    /// Variables of the environment such as `OPENAI_BASE_URL` change the address of a preset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - no such preset or wire, no model, or an address that is none.
    ///
    /// # Example: the two forms
    ///
    /// ```
    /// use mitt_agent::model::ModelSpec;
    ///
    /// let spec = ModelSpec::parse("anthropic+http://127.0.0.1:9000#claude")?;
    /// assert_eq!((spec.model.as_str(), spec.wire.name()), ("claude", "anthropic"));
    ///
    /// let error = ModelSpec::parse("olama/qwen3").unwrap_err();
    /// assert!(error.render().contains("did you mean `ollama`?"));
    /// # Ok::<(), mitt::Error>(())
    /// ```
    pub fn parse(name: &str) -> Result<ModelSpec> {
        ModelSpec::parse_with(name, &|variable| std::env::var(variable).ok())
    }

    /// Read the name of a model, with variables from elsewhere than the environment; see [`ModelSpec::parse`].
    ///
    /// # Errors
    ///
    /// As for [`ModelSpec::parse`].
    pub fn parse_with(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<ModelSpec> {
        let name = name.trim();
        let (mut wire, mut calls, mut rest) = (None, None, name);
        // A plus may be part of a model's name.
        while let Some((word, after)) = rest.split_once('+')
            && !word.contains(['/', ':', '#'])
        {
            match Calls::ALL.into_iter().find(|calls| calls.name() == word) {
                Some(found) => calls = Some(found),
                None => wire = Some(Wire::from_name(word)?),
            }
            rest = after;
        }
        let mut spec = match rest.contains("://") {
            true => by_address(rest, wire)?,
            false => by_preset(rest, wire, variable)?,
        };
        spec.traits.calls = calls.unwrap_or(spec.traits.calls);
        Ok(spec)
    }

    /// Take the key from a file.
    #[must_use]
    pub fn key_file(mut self, path: impl Into<PathBuf>) -> ModelSpec {
        self.key.file = Some(path.into());
        self
    }

    /// Whether the service is on this machine.
    pub fn is_local(&self) -> bool {
        let host = host(&self.base_url);
        let is_loopback = host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback());
        is_loopback || host == "localhost" || host == "[::1]"
    }
}

impl fmt::Display for ModelSpec {
    /// The name that it was given by, without the wire.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.preset {
            Some(preset) => write!(f, "{preset}/{}", self.model),
            None => write!(f, "{}#{}", self.base_url, self.model),
        }
    }
}

fn by_address(rest: &str, wire: Option<Wire>) -> Result<ModelSpec> {
    let (address, model) = rest.split_once('#').unwrap_or((rest, ""));
    if model.is_empty() {
        let error = Error::model(format!("`{}` names no model", shown(rest)));
        return Err(
            error.hint("write the model's name behind `#`, as in `http://127.0.0.1:8080/v1#qwen3`")
        );
    }
    Ok(ModelSpec {
        preset: None,
        model: model.to_owned(),
        base_url: base_url(address)?,
        wire: wire.unwrap_or(Wire::Chat),
        key: KeySource { variables: vec![KEY_VARIABLE.to_owned()], ..KeySource::default() },
        dialect: Dialect::Portable,
        // Back to the server that sent it: models that think between calls go on where they were. Others send none.
        traits: Traits {
            reasoning_field: Some("reasoning_content".to_owned()),
            ..Traits::default()
        },
    })
}

fn by_preset(
    rest: &str,
    wire: Option<Wire>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<ModelSpec> {
    let (name, model) = rest.split_once('/').unwrap_or((rest, ""));
    let known = || {
        format!(
            "there are {}; any other as `address#model`",
            names().collect::<Vec<_>>().join(", ")
        )
    };
    let Some(preset) = PRESETS.get(name) else {
        let error = Error::model(format!("unknown service `{}`", shown(name)));
        return Err(near(error, name, names()).hint(known()));
    };
    if model.is_empty() {
        let error = Error::model(format!("`{}` names no model", shown(rest)));
        return Err(error.hint(format!("write the model's name behind `/`, as in `{name}/model`")));
    }
    let address = variable(&preset.base_url_variable).filter(|address| !address.trim().is_empty());
    let address = match address {
        // Ollama's variable is a host and a port, often the one to listen at.
        Some(address) if !address.contains("://") => {
            format!("http://{}", address.trim().replace("0.0.0.0", "127.0.0.1"))
        }
        Some(address) => address,
        None => preset.base_url.clone(),
    };
    let base_url = base_url(&address).map_err(|error| error.at(&preset.base_url_variable))?;
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.name() == preset.dialect);
    Ok(ModelSpec {
        preset: Some(name.to_owned()),
        model: model.to_owned(),
        base_url,
        wire: wire.unwrap_or(preset.wire),
        key: KeySource {
            file: None,
            variables: preset.key_variables.clone(),
            is_required: preset.needs_key,
        },
        dialect: dialect.unwrap_or(Dialect::Portable),
        traits: preset.traits.clone(),
    })
}

/// A checked address, without what wires add themselves.
fn base_url(address: &str) -> Result<String> {
    let address = address.trim().trim_end_matches('/');
    let refuse = |why: &str| Err(Error::model(format!("`{}`: {why}", shown(address))));
    let Some((scheme, rest)) = address.split_once("://") else {
        return refuse("an address begins with `http://` or `https://`");
    };
    if !matches!(scheme, "http" | "https") {
        return refuse("an address begins with `http://` or `https://`");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') || rest.contains('?') {
        return refuse("an address holds no user, password or query, as it is shown in messages");
    }
    if authority.is_empty() || rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return refuse("an address has a host, and no spaces");
    }
    Ok(address.to_owned())
}

/// What of a name is shown: nothing that could be a password.
fn shown(name: &str) -> String {
    let name = text::one_line(&text::shortened(name, 200));
    let name = name.split_once('?').map_or(name.as_str(), |(before, _)| before);
    match (name.find("://"), name.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => {
            format!("{}***{}", &name[..scheme + 3], &name[at..])
        }
        _ => name.to_owned(),
    }
}

/// Host of an address, without its port.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '#']).next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn near<'a>(error: Error, name: &str, names: impl IntoIterator<Item = &'a str>) -> Error {
    match text::nearest(name, names).first() {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> Result<ModelSpec> {
        ModelSpec::parse_with(name, &|_| None)
    }

    fn refused(name: &str) -> String {
        parse(name).unwrap_err().render()
    }

    #[test]
    fn every_preset_can_be_used() {
        let presets: BTreeMap<String, Preset> =
            serde_json::from_str(include_str!("presets.json")).unwrap();
        assert_eq!(presets.len(), 13);
        for (name, preset) in &presets {
            let dialects: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
            assert!(dialects.contains(&preset.dialect.as_str()), "{name}: {}", preset.dialect);
            let spec = parse(&format!("{name}/a/b")).unwrap();
            assert_eq!((spec.model.as_str(), spec.to_string()), ("a/b", format!("{name}/a/b")));
            assert_eq!(spec.is_local(), !spec.key.is_required, "{name}");
            assert!(spec.is_local() || spec.base_url.starts_with("https://"), "{name}");
            assert!(!spec.key.variables.is_empty(), "{name}");
        }
    }

    #[test]
    fn addresses_name_wire_and_model() {
        let spec = parse("http://127.0.0.1:8080/v1/#org/model+x").unwrap();
        assert_eq!(
            (spec.base_url.as_str(), spec.model.as_str()),
            ("http://127.0.0.1:8080/v1", "org/model+x")
        );
        assert_eq!((spec.wire, spec.is_local()), (Wire::Chat, true));
        assert_eq!(spec.key.variables, [KEY_VARIABLE]);
        let spec = parse("anthropic+https://models.example.org#claude").unwrap();
        assert_eq!((spec.wire, spec.is_local()), (Wire::Messages, false));
        assert_eq!(parse("chat+openai/gpt-5").unwrap().wire, Wire::Chat);
        assert_eq!(parse("openrouter/a+b/c").unwrap().model, "a+b/c");
        let spec = parse("spelled+anthropic+http://127.0.0.1:9000#c").unwrap();
        assert_eq!((spec.wire, spec.traits.calls), (Wire::Messages, Calls::Spelled));
        assert_eq!(parse("blocks+ollama/gemma3").unwrap().traits.calls, Calls::Blocks);
        assert_eq!(parse("ollama/blocks+x").unwrap().traits.calls, Calls::Native);
        assert!(!parse("http://127.example.org/#m").unwrap().is_local());
        assert!(parse("http://[::1]:80#m").unwrap().is_local());
    }

    #[test]
    fn variables_change_the_address() {
        let with = |value: &'static str| {
            ModelSpec::parse_with("ollama/m", &move |name| {
                (name == "OLLAMA_HOST").then(|| value.to_owned())
            })
        };
        assert_eq!(with("0.0.0.0:9999").unwrap().base_url, "http://127.0.0.1:9999");
        assert_eq!(
            with("https://models.example.org/").unwrap().base_url,
            "https://models.example.org"
        );
        assert_eq!(with(" ").unwrap().base_url, "http://127.0.0.1:11434");
        assert!(with("ftp://x").unwrap_err().to_string().starts_with("OLLAMA_HOST: "));
    }

    #[test]
    fn refusals_say_what_there_is() {
        insta::assert_snapshot!(refused("olama/qwen3"), @r#"
        unknown service `olama`
        hint: did you mean `ollama`?
        hint: there are anthropic, deepseek, gemini, glm, kimi, llamacpp, lmstudio, mistral, ollama, openai, openrouter, qwen, vllm; any other as `address#model`
        "#);
        insta::assert_snapshot!(refused("ollama"), @r#"
        `ollama` names no model
        hint: write the model's name behind `/`, as in `ollama/model`
        "#);
        insta::assert_snapshot!(refused("http://127.0.0.1:1"), @r#"
        `http://127.0.0.1:1` names no model
        hint: write the model's name behind `#`, as in `http://127.0.0.1:8080/v1#qwen3`
        "#);
        insta::assert_snapshot!(refused("respnses+openai/x"), @r#"
        unknown wire `respnses`
        hint: did you mean `responses`?
        hint: there are chat, responses, anthropic, ollama; and `spelled`, `blocks` for models that cannot call tools
        "#);
        insta::assert_snapshot!(refused("ftp://x#m"), @"`ftp://x`: an address begins with `http://` or `https://`");
        insta::assert_snapshot!(refused("http://u:secret@x#m"), @"`http://***@x`: an address holds no user, password or query, as it is shown in messages");
        insta::assert_snapshot!(refused("http://x/?key=secret#m"), @"`http://x/`: an address holds no user, password or query, as it is shown in messages");
    }
}
