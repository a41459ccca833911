//! Tokens that LibreChat signs for its users: JWT (RFC 7519) with the public key of the operator's file.
//!
//! LibreChat signs with EdDSA or RS256, as its `CODEAPI_JWT_ALGORITHM` says. The kind of the key decides which of the two is
//! accepted, whatever a token says. Nothing of a token is believed before its signature was verified. Knows no requests.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ED25519, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::{Map, Value};
use spki::der::DecodePem as _;
use spki::{ObjectIdentifier, SubjectPublicKeyInfoOwned};

use super::tenant_limits::TenantLimits;
use super::token_headers::PREFIX;
use mitt_base::text;

/// Beginning of the tenants of LibreChat's users. No tenant of another token may have it.
pub(super) const TENANT_PREFIX: &str = "librechat-";

/// Longest token, in bytes.
const MAX_TOKEN_BYTES: usize = 8 * 1024;
/// Longest value of the claim that names the tenant, in bytes.
const MAX_USER_BYTES: usize = 100;
/// Seconds by which the clocks of both servers may differ.
const LEEWAY: u64 = 30;

/// Object identifiers of the keys (RFC 8410, RFC 8017).
const ED25519_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const RSA_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// The section `librechat` of a file of tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireSignedTokens {
    public_key: String,
    claim: String,
    #[serde(default = "issuer")]
    issuer: String,
    #[serde(default = "audience")]
    audience: String,
    #[serde(default)]
    limits: TenantLimits,
}

fn issuer() -> String {
    "librechat".to_owned()
}

fn audience() -> String {
    "codeapi".to_owned()
}

/// Whose signed tokens are accepted, and which claim names the tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SignedTokens {
    algorithm: Algorithm,
    /// The key, as `ring` reads it.
    key: Vec<u8>,
    claim: String,
    issuer: String,
    audience: String,
    /// What each user may do.
    pub(super) limits: TenantLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    EdDsa,
    Rs256,
}

impl Algorithm {
    fn name(self) -> &'static str {
        match self {
            Algorithm::EdDsa => "EdDSA",
            Algorithm::Rs256 => "RS256",
        }
    }
}

impl WireSignedTokens {
    /// Checks the section. The problem quotes no key.
    pub(super) fn check(self) -> Result<SignedTokens, String> {
        let WireSignedTokens { public_key, claim, issuer, audience, limits } = self;
        let wrong_key = "public_key: expected a public key of Ed25519 or RSA in PEM, as \
                         `openssl pkey -in private.pem -pubout` writes it";
        let info = SubjectPublicKeyInfoOwned::from_pem(public_key.trim()).map_err(|_| wrong_key)?;
        let kinds = [(ED25519_KEY, Algorithm::EdDsa), (RSA_KEY, Algorithm::Rs256)];
        let kind = kinds.into_iter().find(|(oid, _)| *oid == info.algorithm.oid);
        let (_, algorithm) = kind.ok_or(wrong_key)?;
        let key = info.subject_public_key.as_bytes().ok_or(wrong_key)?.to_vec();
        for (name, value) in [("claim", &claim), ("issuer", &issuer), ("audience", &audience)] {
            if value.trim().is_empty() {
                return Err(format!("{name}: expected a text"));
            }
        }
        limits.check().map_err(|problem| format!("limits: {problem}"))?;
        Ok(SignedTokens { algorithm, key, claim, issuer, audience, limits })
    }
}

/// Returns `true` for a text that has the form of a signed token, and not that of a token of this server.
pub(super) fn is_signed(token: &[u8]) -> bool {
    !token.starts_with(PREFIX.as_bytes()) && token.iter().filter(|it| **it == b'.').count() == 2
}

impl SignedTokens {
    /// Returns the tenant that a token names. `now` is the time after 1970.
    ///
    /// # Errors
    ///
    /// Why the token is refused: the part or the claim, what was expected, and what it is.
    pub(super) fn tenant(&self, token: &[u8], now: Duration) -> Result<String, String> {
        let claims = self.verified(token)?;
        self.check_times(&claims, now.as_secs())?;
        self.check_parties(&claims)?;
        let claim = &self.claim;
        let user = match claims.get(claim) {
            None => return Err(format!("the claim `{claim}` is missing")),
            Some(value) => value.as_str().unwrap_or_default(),
        };
        if user.is_empty() || user.len() > MAX_USER_BYTES || user.chars().any(char::is_control) {
            return Err(format!(
                "the claim `{claim}`: expected 1 to {MAX_USER_BYTES} bytes of plain text"
            ));
        }
        Ok(format!("{TENANT_PREFIX}{user}"))
    }

    /// Returns the claims of a token with a right signature.
    fn verified(&self, token: &[u8]) -> Result<Map<String, Value>, String> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(format!("it has {} bytes, more than {MAX_TOKEN_BYTES}", token.len()));
        }
        let form = || "expected three parts in base64url with points between them".to_owned();
        let token = std::str::from_utf8(token).map_err(|_| form())?;
        let (signed, signature) = token.rsplit_once('.').ok_or_else(form)?;
        let (header, claims) = signed.split_once('.').ok_or_else(form)?;
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| form());
        let header = object("its header", &decoded(header)?)?;
        let expected = self.algorithm.name();
        if header.get("alg").and_then(Value::as_str) != Some(expected) {
            let got = header.get("alg").map_or("nothing".to_owned(), shown);
            return Err(format!("`alg` of its header: expected `{expected}`, got {got}"));
        }
        // RFC 7515, section 4.1.11: what is not understood must be refused.
        if header.contains_key("crit") {
            return Err("`crit` of its header: extensions are not supported".to_owned());
        }
        let signature = decoded(signature)?;
        let verified = match self.algorithm {
            Algorithm::EdDsa => {
                UnparsedPublicKey::new(&ED25519, &self.key).verify(signed.as_bytes(), &signature)
            }
            Algorithm::Rs256 => UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.key)
                .verify(signed.as_bytes(), &signature),
        };
        verified.map_err(|_| "its signature does not belong to the `public_key`".to_owned())?;
        object("its second part", &decoded(claims)?)
    }

    fn check_times(&self, claims: &Map<String, Value>, now: u64) -> Result<(), String> {
        let seconds = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| {
                format!(
                    "the claim `{name}`: expected whole seconds after 1970, got {}",
                    shown(value)
                )
            }),
        };
        let Some(end) = seconds("exp")? else {
            return Err("the claim `exp` is missing".to_owned());
        };
        if now >= end.saturating_add(LEEWAY) {
            return Err(format!("the claim `exp`: it expired {} s ago", now - end));
        }
        if let Some(begin) = seconds("nbf")?
            && begin > now.saturating_add(LEEWAY)
        {
            return Err(format!("the claim `nbf`: it is good only in {} s", begin - now));
        }
        Ok(())
    }

    fn check_parties(&self, claims: &Map<String, Value>) -> Result<(), String> {
        let is_for = |value: &Value, expected: &str| match value {
            Value::String(one) => one == expected,
            Value::Array(several) => several.iter().any(|it| it == expected),
            _ => false,
        };
        for (name, expected) in [("iss", self.issuer.as_str()), ("aud", self.audience.as_str())] {
            let value = claims.get(name).ok_or_else(|| format!("the claim `{name}` is missing"))?;
            if !is_for(value, expected) {
                let got = shown(value);
                return Err(format!("the claim `{name}`: expected `{expected}`, got {got}"));
            }
        }
        Ok(())
    }
}

fn object(what: &str, json: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(json) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(format!("{what} is no JSON object")),
    }
}

/// Returns a value for an error, cut to a line.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    format!("`{}`", text::one_line(text::cut_bytes(&text, 100)))
}

#[cfg(test)]
mod tests {
    use ring::signature::Ed25519KeyPair;
    use serde_json::json;

    use super::*;

    /// Key pair of `openssl genpkey -algorithm ed25519`.
    const SEED: [u8; 32] = [
        0x9e, 0x3d, 0x18, 0xf5, 0xb2, 0xa8, 0x49, 0x11, 0xbb, 0x11, 0x29, 0xfe, 0x4f, 0x7a, 0x68,
        0x9e, 0x71, 0x49, 0xa2, 0x3b, 0x40, 0x46, 0x38, 0x9c, 0x1d, 0x51, 0x7c, 0x29, 0xc0, 0x09,
        0x98, 0xd2,
    ];
    const ED25519_PEM: &str = "\
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA5DqZdXU5Gqh+iibfquJKkta283ZNziOLTpwnKQVuEew=
-----END PUBLIC KEY-----
";
    /// Public key of `openssl genrsa 2048`, and a token that OpenSSL signed with its private key.
    const RSA_PEM: &str = "\
-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwsziOdYy5hQu/6owQJiv
UgPA1HQUqUJZOiURB5Q8xnoPctN5ECP+9MVnzAy8FgSQquvNT3yutjsPfd8CNm79
QCQ9LoS82vdC3AjBxdRNgpMHhLFDNSYPLauFSb/Cu9WJ7IRS/lbvGrWYMs5zEF8F
T3SlsPxtOdDpVpyp6gy9CzoUMizXrqv9x1XQZRBJpej2ywokewM3EKkMkkWKToXe
uZovdnPE5wHdHIoGnJ13JtYHvrzA6HSS2NHV6rzyYIYSQbT1fnL1rguvWb2uOMtU
Adj6hN4RwKbPUhUMqaiMYwxsGm/21T2v5nDAzJYBArOz/7XiWLzfCyM7MnHvF2fx
DQIDAQAB
-----END PUBLIC KEY-----
";
    const RSA_TOKEN: &str = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImxjLWNvZGVhcGktMjAyNi0wNSJ9.eyJpc3MiOiJsaWJyZWNoYXQiLCJhdWQiOiJjb\
     2RlYXBpIiwiaWF0IjoxNzY0NDYwODAwLCJuYmYiOjE3NjQ0NjA4MDAsImV4cCI6NDEwMjQ0NDgwMCwicm9sZSI6IlVTRVIiLCJzdWIiOiI2NmE\
     wYzFmMmU0YjBhMWIyYzNkNGU1ZjYiLCJ0ZW5hbnRfaWQiOiJhY21lIn0.q3nbOx4UBk5FQHhK2D2ov6BsKMSve4TtfGmd8qtaNTMZmBzrsqk7E\
     0gsbpkpTKXUfrCvMh7XLd1QTAFU09MIsP6AiAhE45a-ZPJhmEy9kUTXGVeJbgY4T0pIA_Ol0EfNxX7iFmERDgGe2Z9qblsMCD9m4gtlm9rzyvL\
     HFMWn7mo57Cb8wmiF17AJfi3jLVfa-CEZNEz-pm4oyKSBk4Gx717OzQsbwPUey-9WL6XofXYXjDlh2mhtbanvvbp0SzNr5Elkq9WujtB7hqib2\
     mIo35RrtgZrvJx7VVkT0cbbDHnCxbMA80GzINIkvv2SMAupsjfG0cVO28dRZVSFM-cP_g";

    const USER: &str = "66a0c1f2e4b0a1b2c3d4e5f6";
    const NOW: Duration = Duration::from_secs(1_800_000_000);

    fn trust(public_key: &str, claim: &str) -> Result<SignedTokens, String> {
        let (public_key, claim) = (public_key.to_owned(), claim.to_owned());
        let (issuer, audience) = (issuer(), audience());
        let limits = TenantLimits::default();
        WireSignedTokens { public_key, claim, issuer, audience, limits }.check()
    }

    /// Signs a token as LibreChat does.
    fn signed(header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let pair = Ed25519KeyPair::from_seed_unchecked(&SEED).unwrap();
        let signature = pair.sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn header() -> Value {
        json!({ "alg": "EdDSA", "typ": "JWT", "kid": "lc-codeapi-2026-05" })
    }

    /// Returns the claims that LibreChat signs, with other values.
    fn claims(other: Value) -> Value {
        let now = NOW.as_secs();
        let mut claims = json!({
            "iss": "librechat", "aud": "codeapi", "sub": USER, "iat": now, "nbf": now, "exp": now + 300,
            "tenant_id": "acme", "role": "USER", "principal_source": "librechat_jwt",
        });
        if let Value::Object(other) = other {
            for (name, value) in other {
                claims[name] = value;
            }
        }
        claims
    }

    #[test]
    fn a_token_of_each_kind_of_key_names_its_tenant() {
        let trusted = trust(ED25519_PEM, "sub").unwrap();
        let token = signed(&header(), &claims(json!({})));
        let tenant = |trusted: &SignedTokens, token: &str| trusted.tenant(token.as_bytes(), NOW);
        assert_eq!(tenant(&trusted, &token), Ok(format!("librechat-{USER}")));
        let several = signed(&header(), &claims(json!({ "aud": ["other", "codeapi"] })));
        assert_eq!(tenant(&trusted, &several), Ok(format!("librechat-{USER}")));
        let of_tenants = trust(ED25519_PEM, "tenant_id").unwrap();
        assert_eq!(tenant(&of_tenants, &token), Ok("librechat-acme".to_owned()));
        let of_rsa = trust(RSA_PEM, "sub").unwrap();
        assert_eq!(tenant(&of_rsa, RSA_TOKEN), Ok(format!("librechat-{USER}")));
        assert!(tenant(&of_rsa, &token).unwrap_err().contains("expected `RS256`, got `EdDSA`"));
    }

    #[test]
    fn what_is_not_signed_with_the_key_is_refused() {
        let trusted = trust(ED25519_PEM, "sub").unwrap();
        let refused = |token: &str| trusted.tenant(token.as_bytes(), NOW).unwrap_err();
        let token = signed(&header(), &claims(json!({})));
        let (body, signature) = token.rsplit_once('.').unwrap();
        let other = signed(&header(), &claims(json!({ "sub": "other" })));
        let wrong = format!("{}.{signature}", other.rsplit_once('.').unwrap().0);
        assert_eq!(refused(&wrong), "its signature does not belong to the `public_key`");
        assert_eq!(
            refused(&format!("{body}.")),
            "its signature does not belong to the `public_key`"
        );
        for (alg, got) in [("none", "`none`"), ("HS256", "`HS256`"), ("RS256", "`RS256`")] {
            let token = signed(&json!({ "alg": alg }), &claims(json!({})));
            let expected = format!("`alg` of its header: expected `EdDSA`, got {got}");
            assert_eq!(refused(&token), expected);
        }
        // Without a signature, as `none` has it.
        let none = signed(&json!({ "alg": "none" }), &claims(json!({})));
        let none = format!("{}.", none.rsplit_once('.').unwrap().0);
        assert!(refused(&none).contains("got `none`"));
        let extended = signed(&json!({ "alg": "EdDSA", "crit": ["b64"] }), &claims(json!({})));
        assert!(refused(&extended).starts_with("`crit`"));
        for malformed in ["a.b", "a.b.c.d", "!.!.!", "e30.e30", "..", &"x".repeat(9_000)] {
            let why = refused(malformed);
            assert!(!why.contains("claim"), "{malformed}: {why}");
        }
    }

    #[test]
    fn each_wrong_claim_is_named() {
        let trusted = trust(ED25519_PEM, "sub").unwrap();
        let now = NOW.as_secs();
        for (other, expected) in [
            (json!({ "exp": now - 40 }), "the claim `exp`: it expired 40 s ago"),
            (
                json!({ "exp": null }),
                "the claim `exp`: expected whole seconds after 1970, got `null`",
            ),
            (
                json!({ "exp": "4102444800" }),
                "the claim `exp`: expected whole seconds after 1970, got `4102444800`",
            ),
            (json!({ "nbf": now + 90 }), "the claim `nbf`: it is good only in 90 s"),
            (json!({ "iss": "other" }), "the claim `iss`: expected `librechat`, got `other`"),
            (json!({ "aud": ["a"] }), "the claim `aud`: expected `codeapi`, got `[\"a\"]`"),
            (json!({ "sub": "" }), "the claim `sub`: expected 1 to 100 bytes of plain text"),
            (json!({ "sub": 7 }), "the claim `sub`: expected 1 to 100 bytes of plain text"),
            (json!({ "sub": "a\nb" }), "the claim `sub`: expected 1 to 100 bytes of plain text"),
            (
                json!({ "sub": "x".repeat(101) }),
                "the claim `sub`: expected 1 to 100 bytes of plain text",
            ),
        ] {
            let token = signed(&header(), &claims(other));
            assert_eq!(trusted.tenant(token.as_bytes(), NOW), Err(expected.to_owned()));
        }
        for missing in ["exp", "iss", "aud", "sub"] {
            let mut claims = claims(json!({}));
            claims.as_object_mut().unwrap().shift_remove(missing);
            let token = signed(&header(), &claims);
            let expected = format!("the claim `{missing}` is missing");
            assert_eq!(trusted.tenant(token.as_bytes(), NOW), Err(expected));
        }
        // The clocks may differ a little.
        for close in [json!({ "exp": now - 29 }), json!({ "nbf": now + 29 })] {
            let token = signed(&header(), &claims(close));
            assert!(trusted.tenant(token.as_bytes(), NOW).is_ok());
        }
    }

    #[test]
    fn only_public_keys_are_taken_and_each_value_is_needed() {
        let private = ED25519_PEM.replace("PUBLIC", "PRIVATE");
        for key in ["", "secret", private.as_str(), &ED25519_PEM[..60]] {
            let problem = trust(key, "sub").unwrap_err();
            assert!(problem.starts_with("public_key: expected"), "{problem}");
            assert!(key.is_empty() || !problem.contains(key), "{problem}");
        }
        assert_eq!(trust(ED25519_PEM, " ").unwrap_err(), "claim: expected a text");
    }

    #[test]
    fn tokens_of_the_server_are_no_signed_ones() {
        assert!(is_signed(RSA_TOKEN.as_bytes()));
        for token in ["mitt_a.b.c", "word of the operator", "a.b", "a.b.c.d", ""] {
            assert!(!is_signed(token.as_bytes()), "{token}");
        }
    }
}
