//! Bearer tokens, which identify the client of a request.
//!
//! The file holds hashes, or the names of environment variables that hold tokens. Tokens themselves are never stored, logged
//! or shown. The file is read again when it changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;

use blake3::Hash;
use serde::Deserialize;

use super::signed_tokens::{SignedTokens, TENANT_PREFIX, WireSignedTokens};
use super::tenant_limits::TenantLimits;
use super::token_headers::PREFIX;
use mitt_base::{Error, ErrorKind, Remedy, Result};

/// The version of the file format that is supported.
const SCHEMA: u32 = 1;
/// Largest file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Most clients of one server; each has its own tables.
const MAX_TOKENS: usize = 10_000;
/// Least length of a token that was not made by `mitt token`. Hashes are not salted, so it must not be guessable.
const MIN_TOKEN_BYTES: usize = 32;
const MAX_TENANT_BYTES: usize = 128;

/// A new token. The program that makes it shows it once.
pub struct Token {
    text: String,
}

impl Token {
    /// Generates a token from 256 random bits of the system.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers.
    pub fn generate() -> Result<Token> {
        use base64::Engine as _;
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Error::new(ErrorKind::Host, "the system gives no random numbers").caused_by(error)
        })?;
        let text = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
        Ok(Token { text: format!("{PREFIX}{text}") })
    }

    /// Returns a token that was generated earlier.
    pub fn from_text(text: &str) -> Token {
        Token { text: text.to_owned() }
    }

    /// Returns the token, for the client.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Returns its entry for a file of tokens.
    pub fn entry(&self, tenant: &str) -> TokenEntry {
        TokenEntry { tenant: tenant.into(), blake3: blake3::hash(self.text.as_bytes()) }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// An entry of a file of tokens. `Display` writes YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenEntry {
    /// The tenant of the token.
    pub tenant: String,
    blake3: Hash,
}

impl fmt::Display for TokenEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A JSON string is also a YAML string.
        let tenant = serde_json::Value::from(self.tenant.as_str());
        write!(f, "- {{ tenant: {tenant}, blake3: {} }}", self.blake3)
    }
}

/// What a token permits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Using `/mcp` as this tenant.
    Tenant(String),
    /// Reading `/metrics`.
    Metrics,
}

/// Identifies a token without revealing it: the first half of its hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TokenId(String);

impl TokenId {
    fn of(hash: &Hash) -> TokenId {
        TokenId(hash.to_hex()[..32].to_owned())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    fn is_of(&self, hash: &Hash) -> bool {
        hash.to_hex()[..32] == *self.0
    }
}

/// The tokens of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    entries: Vec<(Hash, Scope)>,
    tenants: BTreeMap<String, TenantLimits>,
    /// Tokens that LibreChat signs for its users; `None` if they are not accepted.
    signed: Option<SignedTokens>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    tokens: Vec<WireToken>,
    #[serde(default)]
    tenants: BTreeMap<String, TenantLimits>,
    librechat: Option<WireSignedTokens>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireToken {
    tenant: Option<String>,
    #[serde(default)]
    metrics: bool,
    blake3: Option<String>,
    env: Option<String>,
}

impl Tokens {
    /// Reads a file in YAML or JSON.
    pub(super) fn read(path: &Path) -> Result<Tokens> {
        let place = path.display();
        if looks_like_a_token(&path.to_string_lossy()) && !path.exists() {
            // The user passed the token itself instead of its file: keep it out of logs and terminals.
            return Err(Error::new(ErrorKind::Input, "expected a file of tokens, got a token")
                .remedy(Remedy::TokenLine));
        }
        let unreadable = |error: std::io::Error| {
            Error::new(ErrorKind::Input, format!("cannot read the tokens {place}"))
                .hint("name an existing file that you may read")
                .caused_by(error)
        };
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > MAX_FILE_BYTES {
            let message =
                format!("the tokens {place} have {size} bytes, more than {MAX_FILE_BYTES}");
            return Err(Error::new(ErrorKind::Input, message));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        Tokens::parse(&text, |name| std::env::var(name).ok()).map_err(|problem| {
            Error::new(ErrorKind::Input, format!("the tokens {place}: {problem}"))
                .remedy(Remedy::TokenLine)
        })
    }

    fn parse(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> std::result::Result<Tokens, String> {
        let wire: Wire = serde_saphyr::from_str(text).map_err(|error| malformed(&error))?;
        if wire.schema != SCHEMA {
            return Err(format!("expected schema {SCHEMA}, got {}", wire.schema));
        }
        if wire.tokens.len() > MAX_TOKENS {
            return Err(format!("expected at most {MAX_TOKENS} tokens, got {}", wire.tokens.len()));
        }
        let mut entries = Vec::with_capacity(wire.tokens.len());
        let mut seen = BTreeSet::new();
        for (index, token) in wire.tokens.into_iter().enumerate() {
            let entry =
                token.check(&variable).map_err(|problem| format!("tokens[{index}]: {problem}"))?;
            if !seen.insert(entry.0.to_hex().to_string()) {
                return Err(format!("tokens[{index}]: this token stands twice"));
            }
            entries.push(entry);
        }
        let signed = wire.librechat.map(WireSignedTokens::check).transpose();
        let signed = signed.map_err(|problem| format!("librechat: {problem}"))?;
        let is_of_user = |name: &str| signed.is_some() && name.starts_with(TENANT_PREFIX);
        let taken =
            |(_, scope): &(Hash, Scope)| matches!(scope, Scope::Tenant(it) if is_of_user(it));
        if let Some(index) = entries.iter().position(taken) {
            return Err(format!(
                "tokens[{index}]: tenant: names that begin with `{TENANT_PREFIX}` are those of LibreChat's users"
            ));
        }
        let known = |name: &str| {
            is_of_user(name)
                || entries.iter().any(|(_, scope)| matches!(scope, Scope::Tenant(it) if it == name))
        };
        for (index, (name, limits)) in wire.tenants.iter().enumerate() {
            // Do not quote the name: it may be a token.
            if !known(name) {
                return Err(format!("tenants[{index}]: expected the tenant of a token above"));
            }
            limits.check().map_err(|problem| format!("tenants[{index}]: {problem}"))?;
        }
        Ok(Tokens { entries, tenants: wire.tenants, signed })
    }

    /// Returns what a tenant may do.
    pub(super) fn limits_of(&self, tenant: &str) -> TenantLimits {
        let of_users = || {
            let signed = self.signed.as_ref().filter(|_| tenant.starts_with(TENANT_PREFIX))?;
            Some(&signed.limits)
        };
        self.tenants.get(tenant).or_else(of_users).cloned().unwrap_or_default()
    }

    /// Returns whose signed tokens are accepted; `None` if none are.
    pub(super) fn signed(&self) -> Option<&SignedTokens> {
        self.signed.as_ref()
    }

    /// Returns id and scope of a token. Compares all tokens in constant time, whichever matches.
    pub(super) fn find(&self, token: &[u8]) -> Option<(TokenId, &Scope)> {
        let hash = blake3::hash(token);
        let mut found = None;
        for (known, scope) in &self.entries {
            // `Hash` compares in constant time.
            if *known == hash {
                found = Some(scope);
            }
        }
        found.map(|scope| (TokenId::of(&hash), scope))
    }

    /// Returns `true` if the token with this id is still valid for the same tenant.
    pub(super) fn has(&self, id: &TokenId, tenant: &str) -> bool {
        self.entries.iter().any(|(hash, scope)| {
            id.is_of(hash) && matches!(scope, Scope::Tenant(name) if name == tenant)
        })
    }

    /// Returns the ids of all clients' tokens, with their tenants.
    pub(super) fn clients(&self) -> HashMap<TokenId, &str> {
        let clients = self.entries.iter().filter_map(|(hash, scope)| match scope {
            Scope::Tenant(name) => Some((TokenId::of(hash), name.as_str())),
            Scope::Metrics => None,
        });
        clients.collect()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// Describes where a file is malformed. Quotes nothing from it, because a token may stand anywhere.
fn malformed(error: &serde_saphyr::Error) -> String {
    let place = error.location().map_or_else(String::new, |location| {
        format!("line {}, column {}: ", location.line(), location.column())
    });
    format!(
        "{place}expected `schema: {SCHEMA}` and a list `tokens:` of `{{ tenant: NAME, blake3: HASH }}`, \
        `{{ tenant: NAME, env: VARIABLE }}` or the same with `metrics: true` for `tenant`, and perhaps `tenants:` and `librechat:` \
        with `public_key:` and `claim:`; what stands there is not shown, since it may be a token"
    )
}

/// Returns `true` for a text of the form that [`Token::generate`] makes.
fn looks_like_a_token(text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|rest| rest.len() == 43 && !rest.contains('.'))
}

impl WireToken {
    fn check(
        self,
        variable: &impl Fn(&str) -> Option<String>,
    ) -> std::result::Result<(Hash, Scope), String> {
        let scope = match (self.tenant, self.metrics) {
            (Some(tenant), false) => {
                let plain = |c: char| !c.is_control();
                if tenant.is_empty()
                    || tenant.len() > MAX_TENANT_BYTES
                    || !tenant.chars().all(plain)
                {
                    return Err(format!(
                        "tenant: expected 1 to {MAX_TENANT_BYTES} bytes of plain text"
                    ));
                }
                Scope::Tenant(tenant)
            }
            (None, true) => Scope::Metrics,
            _ => return Err("expected either `tenant: NAME` or `metrics: true`".into()),
        };
        let hash = match (self.blake3, self.env) {
            (Some(hex), None) => {
                Hash::from_hex(&hex).map_err(|_| "blake3: expected 64 hexadecimal digits")?
            }
            (None, Some(name)) => {
                // Do not quote the name: it may be the token itself.
                let token = variable(&name).ok_or(
                    "env: the variable named there is not set; `env` names one that holds the token",
                )?;
                if token.len() < MIN_TOKEN_BYTES {
                    return Err(format!(
                        "env: the token in that variable is shorter than {MIN_TOKEN_BYTES} characters"
                    ));
                }
                blake3::hash(token.as_bytes())
            }
            _ => return Err("expected either `blake3: HASH` or `env: VARIABLE`".into()),
        };
        Ok((hash, scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> std::result::Result<Tokens, String> {
        Tokens::parse(text, |name| match name {
            "LONG" => Some("0123456789abcdef0123456789abcdef".into()),
            "SHORT" => Some("secret".into()),
            _ => None,
        })
    }

    #[test]
    fn a_generated_token_is_found_by_its_entry() {
        let token = Token::generate().unwrap();
        let other = Token::generate().unwrap();
        assert_ne!(token.reveal(), other.reveal());
        let file = format!("schema: 1\ntokens:\n{}\n", token.entry("a \"b\": c"));
        let tokens = parse(&file).unwrap();
        let (id, scope) = tokens.find(token.reveal().as_bytes()).unwrap();
        assert_eq!(*scope, Scope::Tenant("a \"b\": c".into()));
        assert!(tokens.has(&id, "a \"b\": c"));
        assert!(!tokens.has(&id, "other"));
        assert!(tokens.find(other.reveal().as_bytes()).is_none());
        assert!(!format!("{token:?}{id:?}{tokens:?}").contains(&token.reveal()[5..]));
    }

    #[test]
    fn json_environment_and_metrics() {
        let text = r#"{"schema": 1, "tokens": [{"tenant": "a", "env": "LONG"}, {"metrics": true, "blake3": "0000000000000000000000000000000000000000000000000000000000000000"}]}"#;
        let tokens = parse(text).unwrap();
        let found = tokens.find(b"0123456789abcdef0123456789abcdef").unwrap();
        assert_eq!(*found.1, Scope::Tenant("a".into()));
        assert_eq!(tokens.len(), 2);
    }

    #[test]
    fn tenants_have_limits() {
        let file = |tenants: &str| {
            parse(&format!(
                "schema: 1\ntokens: [{{ tenant: a, env: LONG }}]\ntenants:\n{tenants}\n"
            ))
        };
        let tokens =
            file("  a: { models: [small], tokens_per_day: 1000, dollars_per_day: '2.50' }")
                .unwrap();
        let limits = tokens.limits_of("a");
        assert_eq!(limits.models.as_deref(), Some(&["small".to_owned()][..]));
        assert_eq!((limits.tokens_per_day, limits.own_model_key), (Some(1000), false));
        assert_eq!(limits.stored_bytes, None);
        let limits = file("  a: { stored_bytes: 10737418240, runs: 500, active_runs: 3 }").unwrap();
        let limits = limits.limits_of("a");
        let quotas = (limits.stored_bytes, limits.runs, limits.active_runs);
        assert_eq!(quotas, (Some(10_737_418_240), Some(500), Some(3)));
        assert_eq!(tokens.limits_of("b"), TenantLimits::default());
        for (tenants, expected) in [
            ("  b: {}", "tenants[0]: expected the tenant of a token above"),
            ("  a: { dollars_per_day: '-1' }", "tenants[0]: dollars_per_day: expected an amount"),
            ("  a: { dollars_per_day: '1.0000001' }", "tenants[0]: dollars_per_day"),
            ("  a: { models: small }", "line 4"),
            ("  a: { runs: -1 }", "line 4"),
        ] {
            let problem = file(tenants).unwrap_err();
            assert!(problem.contains(expected), "{tenants}: {problem}");
        }
    }

    #[test]
    fn users_of_librechat_are_tenants_of_their_own() {
        let key = "-----BEGIN PUBLIC KEY-----\n    \
                   MCowBQYDK2VwAyEA5DqZdXU5Gqh+iibfquJKkta283ZNziOLTpwnKQVuEew=\n    -----END PUBLIC KEY-----";
        let file = |tenant: &str, more: &str| {
            parse(&format!(
                "schema: 1\ntokens: [{{ tenant: {tenant}, env: LONG }}]\nlibrechat:\n  public_key: |\n    {key}\n{more}\n"
            ))
        };
        let tokens =
            file("a", "  claim: sub\n  limits: { runs: 5 }\ntenants:\n  librechat-7: { runs: 9 }");
        let tokens = tokens.unwrap();
        assert!(tokens.signed().is_some());
        for (tenant, runs) in [("librechat-6", Some(5)), ("librechat-7", Some(9)), ("a", None)] {
            assert_eq!(tokens.limits_of(tenant).runs, runs, "{tenant}");
        }
        for (tenant, more, expected) in [
            (
                "librechat-7",
                "  claim: sub",
                "tokens[0]: tenant: names that begin with `librechat-`",
            ),
            ("a", "", "expected `schema: 1`"),
            (
                "a",
                "  claim: sub\n  limits: { dollars_per_day: '-1' }",
                "librechat: limits: dollars_per_day",
            ),
            ("a", "  claim: ''", "librechat: claim: expected a text"),
            ("a", "  claim: sub\ntenants:\n  other-7: {}", "tenants[0]: expected the tenant"),
        ] {
            let problem = file(tenant, more).unwrap_err();
            assert!(problem.contains(expected), "{more}: {problem}");
        }
        let without = parse("schema: 1\ntokens: [{ tenant: librechat-7, env: LONG }]\n").unwrap();
        assert!(without.signed().is_none(), "without the section, the names are free");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let zero = "0".repeat(64);
        for (tokens, expected) in [
            (
                "[{ tenant: a }]".to_owned(),
                "tokens[0]: expected either `blake3: HASH` or `env: VARIABLE`",
            ),
            (
                format!("[{{ blake3: '{zero}' }}]"),
                "tokens[0]: expected either `tenant: NAME` or `metrics: true`",
            ),
            (
                format!("[{{ tenant: a, metrics: true, blake3: '{zero}' }}]"),
                "either `tenant: NAME`",
            ),
            ("[{ tenant: a, blake3: abc }]".into(), "blake3: expected 64 hexadecimal digits"),
            (
                "[{ tenant: a, env: NONE }]".into(),
                "tokens[0]: env: the variable named there is not set",
            ),
            ("[{ tenant: a, env: SHORT }]".into(), "shorter than 32 characters"),
            ("[{ tenant: '', env: LONG }]".into(), "tenant: expected 1 to 128 bytes"),
            (
                "[{ tenant: a, env: LONG }, { tenant: b, env: LONG }]".into(),
                "tokens[1]: this token stands twice",
            ),
            ("[{ tenant: a, token: x }]".into(), "line 2, column 23: expected `schema: 1`"),
        ] {
            let problem = parse(&format!("schema: 1\ntokens: {tokens}\n")).unwrap_err();
            assert!(problem.contains(expected), "{tokens}: {problem}");
        }
        assert!(parse("schema: 2\ntokens: []\n").unwrap_err().contains("expected schema 1"));
    }

    #[test]
    fn no_error_quotes_what_stands_in_the_file() {
        let secret = Token::generate().unwrap();
        let secret = secret.reveal();
        for text in [
            secret.to_owned(),
            format!("- {secret}"),
            format!("{secret}: alice"),
            format!("tenant: alice\ntoken: {secret}"),
            format!("schema: {secret}\ntokens: []"),
            format!("schema: 1\ntokens: {secret}"),
            format!("schema: 1\ntokens: [{secret}]"),
            format!("schema: 1\ntokens: [{{ {secret}: alice }}]"),
            format!("schema: 1\ntokens: [{{ tenant: alice, blake3: {secret} }}]"),
            format!("schema: 1\ntokens: [{{ tenant: alice, env: {secret} }}]"),
            format!("schema: 1\ntokens: [{{ tenant: alice, token: {secret} }}]"),
            format!("schema: 1\ntokens: [{{ tenant: alice, metrics: {secret} }}]"),
            format!("schema: 1\ntokens: [{{ tenant: alice, tenant: {secret} }}]"),
            format!("schema: 1\ntokens: [{{ tenant: alice, blake3: *{secret} }}]"),
            format!("schema: 1\ntokens: [{{ tenant: alice, blake3: !{secret} x }}]"),
            format!("schema: 1\ntokens:\n- tenant: \"{secret}"),
            format!("schema: 1\ntokens:\n\t- {secret}"),
        ] {
            let problem = parse(&text).unwrap_err();
            assert!(!problem.contains(&secret[5..]), "{text}: {problem}");
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tokens.yaml");
            std::fs::write(&path, &text).unwrap();
            let error_text = Tokens::read(&path).unwrap_err();
            let error_text = format!("{} {error_text:?}", error_text.render());
            assert!(!error_text.contains(&secret[5..]), "{text}: {error_text}");
        }
        let error_text = Tokens::read(Path::new(secret)).unwrap_err().render();
        assert!(
            error_text.contains("got a token") && !error_text.contains(&secret[5..]),
            "{error_text}"
        );
    }
}
