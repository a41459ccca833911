//! Names of models: service, wire, key, and abilities of the service.
//!
//! Knows services as data (`presets.json`). Sends nothing and reads no key; it only says where the key is.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::Deserialize;

use mitt::schema::lower::Dialect;
use mitt_base::{Error, Result, text};

/// Environment variable with the key for a model that is given by its address. It belongs to no service, so no service's key
/// is sent to an address that somebody put into a name.
pub const KEY_VARIABLE: &str = "MITT_MODEL_KEY";

/// Protocol of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Wire {
    /// Chat completions, which most servers support.
    Chat,
    /// Responses of OpenAI, also known as Open Responses.
    Responses,
    /// Messages of Anthropic.
    #[serde(rename = "anthropic")]
    Messages,
    /// `/api/chat` of Ollama.
    Ollama,
}

impl Wire {
    /// All wires.
    pub const ALL: [Wire; 4] = [Wire::Chat, Wire::Responses, Wire::Messages, Wire::Ollama];

    /// Returns its name, which stands before `+` in the name of a model.
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
    /// By the wire, with a model that can call tools. If a service refuses tools, the client goes on as with `Spelled`.
    #[default]
    Native,
    /// In the model's text: as a JSON object if the service can enforce one, otherwise in blocks.
    Spelled,
    /// In the model's text, in blocks.
    Blocks,
}

impl Calls {
    /// All ways to call.
    pub const ALL: [Calls; 3] = [Calls::Native, Calls::Spelled, Calls::Blocks];

    /// Returns its name, which stands before `+` in the name of a model.
    pub fn name(self) -> &'static str {
        match self {
            Calls::Native => "native",
            Calls::Spelled => "spelled",
            Calls::Blocks => "blocks",
        }
    }
}

/// How a service can be made to keep the form of a model's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Output {
    /// It enforces a JSON Schema.
    Schema,
    /// It enforces a grammar of llama.cpp, in chat completions.
    Grammar,
    /// It enforces JSON; the schema is described in words.
    Json,
    /// It enforces nothing; the form is described in words.
    Words,
}

/// Abilities of a service, and its names for fields.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Traits {
    /// How its models call tools.
    pub calls: Calls,
    /// Ids of calls must have exactly nine letters and digits, in chat completions.
    pub short_ids: bool,
    /// Models may make several calls in one turn.
    pub parallel_calls: bool,
    /// It enforces the schema of tools that are marked as strict.
    pub strict: bool,
    /// It accepts images, if the model does.
    pub images: bool,
    /// How it enforces the form of a text.
    pub output: Output,
    /// It enforces the form beside tools, of the text alone. Others would write the form where a call belongs, or refuse both
    /// together, so that the form is described in words while tools may be called.
    pub output_with_tools: bool,
    /// The field that requests usage at the end of a stream; `None` if usage comes anyway or the field is refused.
    pub usage_option: Option<String>,
    /// The field with the most tokens of an answer, in chat completions.
    pub max_tokens: String,
    /// The field in which it needs the model's reasoning back, in chat completions.
    pub reasoning_field: Option<String>,
}

impl Default for Traits {
    /// Returns the abilities of most servers of chat completions: everything but strict schemas.
    fn default() -> Traits {
        Traits {
            calls: Calls::Native,
            short_ids: false,
            parallel_calls: true,
            strict: false,
            images: true,
            output: Output::Schema,
            output_with_tools: false,
            usage_option: Some("stream_options".to_owned()),
            max_tokens: "max_tokens".to_owned(),
            reasoning_field: None,
        }
    }
}

/// Where the key of a service is looked up. Holds no key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeySource {
    /// A file with the key; takes precedence over the variables.
    pub file: Option<PathBuf>,
    /// Environment variables; the first one that is set counts.
    pub variables: Vec<String>,
    /// `true` if the service answers no request without a key.
    pub is_required: bool,
}

/// A model and how to reach it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelSpec {
    /// Name of the preset; `None` for a model that is given by its address.
    pub preset: Option<String>,
    /// The model's name at the service.
    pub model: String,
    /// Address to which the paths of the wire are added, without a final `/`.
    pub base_url: String,
    /// Protocol of the service.
    pub wire: Wire,
    /// Where its key is looked up.
    pub key: KeySource,
    /// The form of JSON Schema that it needs.
    pub dialect: Dialect,
    /// Abilities of the service.
    pub traits: Traits,
}

/// A service in `presets.json`.
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
    // The file is part of the program, and a test reads it.
    serde_json::from_str(include_str!("presets.json")).unwrap_or_default()
});

/// Returns the names of all presets, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.keys().map(String::as_str)
}

impl ModelSpec {
    /// Reads the name of a model: `preset/model`, such as `ollama/qwen3`, or `address#model`, such as
    /// `http://127.0.0.1:8080/v1#qwen3`. Both may begin with the name of a wire and `+`, as in
    /// `anthropic+http://127.0.0.1:9000#claude`; without one, the wire of an address is chat completions. `spelled+` or
    /// `blocks+` may also stand there, for models that cannot call tools; see [`Calls`].
    ///
    /// Environment variables such as `OPENAI_BASE_URL` change the address of a preset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - no such preset or wire, no model, or an invalid address.
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

    /// Does what [`ModelSpec::parse`] does with variables from another source than the environment.
    ///
    /// # Errors
    ///
    /// Those of [`ModelSpec::parse`].
    pub fn parse_with(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<ModelSpec> {
        let name = name.trim();
        let (mut wire, mut calls, mut rest) = (None, None, name);
        // A plus may also be part of a model's name.
        while let Some((word, after)) = rest.split_once('+')
            && !word.contains(['/', ':', '#'])
        {
            match Calls::ALL.into_iter().find(|calls| calls.name() == word) {
                Some(found) => calls = Some(found),
                None => wire = Some(Wire::from_name(word)?),
            }
            rest = after;
        }
        let mut spec = if rest.contains("://") {
            by_address(rest, wire)?
        } else {
            by_preset(rest, wire, variable)?
        };
        spec.traits.calls = calls.unwrap_or(spec.traits.calls);
        Ok(spec)
    }

    /// Reads the key from a file.
    #[must_use]
    pub fn key_file(mut self, path: impl Into<PathBuf>) -> ModelSpec {
        self.key.file = Some(path.into());
        self
    }

    /// Returns `true` if the service is on this machine.
    pub fn is_local(&self) -> bool {
        let host = host(&self.base_url);
        let is_loopback = host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback());
        is_loopback || host == "localhost" || host == "[::1]"
    }
}

impl fmt::Display for ModelSpec {
    /// Writes the name that it was given by, without the wire.
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
        // Models that think between calls need their reasoning back; a server that sends none gets none.
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
        // Ollama's variable is a host and a port, often the one on which it listens.
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

/// Checks an address and removes what wires add themselves.
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

/// Returns the part of a name that may be shown: nothing that could be a password.
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

/// Returns the host of an address, without its port.
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
