//! The address of a bucket, and the settings of its client.

use std::fmt;

use mitt_base::{Error, Result, text};
use reqwest::Url;
use rusty_s3::Credentials;

/// Longest key of an object, in bytes, as S3 has it.
const MAX_KEY_BYTES: usize = 1024;

/// A bucket and a prefix, or the key of an object: `s3://bucket/prefix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3Address {
    /// Name of the bucket.
    pub bucket: String,
    /// Prefix or key, without a slash at its ends; may be empty.
    pub key: String,
}

impl S3Address {
    /// Parses `s3://bucket/prefix`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - this is no such address, or its key cannot be in an address.
    pub fn parse(address: &str) -> Result<S3Address> {
        let shown = || text::one_line(&text::shortened(address, 100));
        let expected = |message: String| {
            Error::input(message).hint("write it as `s3://bucket/prefix`, without a query")
        };
        let Some(rest) = address.strip_prefix("s3://") else {
            return Err(expected(format!("expected an address `s3://…`, got `{}`", shown())));
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_bucket(bucket) {
            let message =
                "expected the name of a bucket: 3 to 63 letters, digits, `.`, `-` and `_`";
            return Err(expected(format!("{message}, got `{}`", shown())));
        }
        let key = key.trim_end_matches('/');
        if !key.is_empty() {
            check_key(key)?;
        }
        Ok(S3Address { bucket: bucket.to_owned(), key: key.to_owned() })
    }
}

impl fmt::Display for S3Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => write!(f, "s3://{}", self.bucket),
            key => write!(f, "s3://{}/{key}", self.bucket),
        }
    }
}

fn is_bucket(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    (3..=63).contains(&name.len())
        && name.bytes().all(is_known)
        && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// Refuses a key that an address cannot hold: `.` and `..` would lead to another object or bucket.
pub(super) fn check_key(key: &str) -> Result<()> {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_allowed = !key.chars().any(char::is_control) && key.split('/').all(is_plain);
    if is_allowed && key.len() <= MAX_KEY_BYTES {
        return Ok(());
    }
    let key = text::one_line(&text::shortened(key, 100));
    let message = format!("this key of an object cannot be used: `{key}`");
    let hint = "use at most 1024 bytes, no control characters, and no empty part, `.` or `..` between slashes";
    Err(Error::input(message).hint(hint))
}

/// How a bucket is reached: what the AWS tools read from the environment.
#[derive(Clone)]
pub struct S3Settings {
    /// Address of a server other than AWS; its buckets are in the path.
    pub(super) endpoint: Option<Url>,
    pub(super) region: String,
    pub(super) credentials: Credentials,
}

impl fmt::Debug for S3Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endpoint = self.endpoint.as_ref().map(Url::as_str);
        f.debug_struct("S3Settings")
            .field("endpoint", &endpoint)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

impl S3Settings {
    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or `AWS_DEFAULT_REGION`, and
    /// `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` from `variable`. Without an endpoint, the bucket is one of AWS.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a variable is missing or malformed. No message has a secret.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<S3Settings> {
        let first = |names: &[&str]| {
            let mut values = names.iter().map(|name| variable(name));
            values.find_map(|value| value.filter(|value| !value.trim().is_empty()))
        };
        let needed = |name: &str| {
            let missing = || {
                let message = format!("the environment variable {name} is not set");
                let hint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; roles of machines and profiles are not read";
                Error::input(message).hint(hint)
            };
            first(&[name]).map(|value| value.trim().to_owned()).ok_or_else(missing)
        };
        let (key, secret) = (needed("AWS_ACCESS_KEY_ID")?, needed("AWS_SECRET_ACCESS_KEY")?);
        let credentials = match first(&["AWS_SESSION_TOKEN"]) {
            Some(token) => Credentials::new_with_token(key, secret, token.trim()),
            None => Credentials::new(key, secret),
        };
        let endpoint = first(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]);
        let endpoint = endpoint.map(|endpoint| parse_endpoint(endpoint.trim())).transpose()?;
        let region = first(&["AWS_REGION", "AWS_DEFAULT_REGION"]);
        let region = region.map(|region| region.trim().to_owned());
        let region = match region.or_else(|| endpoint.as_ref().map(|_| "us-east-1".to_owned())) {
            Some(region) if is_region(&region) => region,
            Some(region) => {
                let region = text::one_line(&text::shortened(&region, 60));
                let message = format!("expected a region such as `eu-central-1`, got `{region}`");
                return Err(Error::input(message).at("AWS_REGION"));
            }
            None => {
                let error = Error::input("the environment variable AWS_REGION is not set");
                return Err(error.hint("set it to the region of the bucket, or AWS_ENDPOINT_URL_S3 for a server other than AWS"));
            }
        };
        Ok(S3Settings { endpoint, region, credentials })
    }

    /// Returns the address of the server.
    pub(super) fn server(&self) -> Result<Url> {
        if let Some(endpoint) = &self.endpoint {
            return Ok(endpoint.clone());
        }
        let suffix = if self.region.starts_with("cn-") { ".cn" } else { "" };
        let server = format!("https://s3.{}.amazonaws.com{suffix}", self.region);
        Url::parse(&server).map_err(Error::bug)
    }
}

fn is_region(region: &str) -> bool {
    (1..=40).contains(&region.len())
        && region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Parses the address of a server. The message does not quote it, because it may have a password.
fn parse_endpoint(endpoint: &str) -> Result<Url> {
    let refused = |message: &str| {
        Error::input(message)
            .at("AWS_ENDPOINT_URL_S3")
            .hint("write it as `https://s3.example.com` or `http://127.0.0.1:9000`")
    };
    let url = Url::parse(endpoint).map_err(|_| refused("this is no address of a server"))?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if !is_web || url.query().is_some() || url.fragment().is_some() {
        return Err(refused("expected the address of a server, with `http` or `https`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("expected an address without a name and a password"));
    }
    Ok(url)
}
