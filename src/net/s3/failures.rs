//! Errors of an object store: what it said, where, and the way out.

use mitt_base::{Error, ErrorKind, text};

/// What a server said when it did not do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// Code such as `NoSuchKey`; empty if there is none.
    pub(super) code: String,
    pub(super) message: String,
    /// Region of the bucket, if the server names it.
    pub(super) region: Option<String>,
}

impl Refusal {
    /// Reads the body of a response; one that is no XML of S3 has no code.
    pub(super) fn new(status: u16, body: &str, region: Option<String>) -> Refusal {
        let code = element(body, "Code").unwrap_or_default();
        let message = element(body, "Message").unwrap_or_default();
        let region = region.or_else(|| element(body, "Region"));
        Refusal { status, code, message, region }
    }

    /// Returns `true` if the same request may succeed soon.
    pub(super) fn passes(&self) -> bool {
        matches!(self.status, 429 | 500 | 502 | 503 | 504)
            || matches!(
                self.code.as_str(),
                "InternalError"
                    | "OperationAborted"
                    | "RequestTimeout"
                    | "ServiceUnavailable"
                    | "SlowDown"
            )
    }

    /// Returns `true` if there is no object of this key.
    pub(super) fn is_missing_object(&self) -> bool {
        // A response to HEAD has no body.
        self.status == 404 && matches!(self.code.as_str(), "" | "NoSuchKey" | "NotFound")
    }

    /// Returns `true` if the object has no byte in the range that was asked for, as an empty one has none.
    pub(super) fn is_beyond_end(&self) -> bool {
        self.status == 416
    }

    /// Returns the error. `server` is the host, `place` the address of the object.
    #[cold]
    pub(super) fn error(&self, server: &str, place: &str) -> Error {
        let said = match (self.code.as_str(), self.message.as_str()) {
            ("", _) => format!("status {}", self.status),
            (code, "") => format!("{code}, status {}", self.status),
            (code, message) => format!("{code}, {message} (status {})", self.status),
        };
        let message = format!("the object store at {server} refused: {said}");
        let error = Error::new(ErrorKind::Host, message).at(place);
        error.hint(self.hint()).retryable(self.passes())
    }

    fn hint(&self) -> String {
        let words = self.message.to_ascii_lowercase();
        let is_of_time =
            words.contains("expired") || words.contains("skew") || words.contains("not yet valid");
        let hint = match self.code.as_str() {
            "NoSuchBucket" => {
                "create the bucket, or correct its name; a bucket of another region or account is not found either"
            }
            "InvalidAccessKeyId" | "SignatureDoesNotMatch" => {
                "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that they are those of this server"
            }
            "ExpiredToken" | "InvalidToken" | "TokenRefreshRequired" => {
                "the temporary key has ended or is wrong: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN anew"
            }
            "RequestTimeTooSkewed" | "RequestExpired" => SKEW,
            "AccessDenied" if is_of_time => SKEW,
            "AccessDenied" | "AllAccessDisabled" | "AccountProblem" => {
                "the key needs s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload below this prefix"
            }
            "NoSuchKey" => {
                "the object was deleted by something else, or this is another bucket or prefix than the one that it was stored in"
            }
            "NoSuchUpload" => {
                "the parts were deleted, or an earlier try made the object; with `s3:GetObject` its size shows which it was"
            }
            "EntityTooLarge" | "QuotaExceeded" | "XMinioStorageFull" => {
                "make room in the object store, or raise its quota"
            }
            _ if self.is_of_region() => {
                return match &self.region {
                    Some(region) => {
                        format!("set AWS_REGION to `{region}`, the region of the bucket")
                    }
                    None => {
                        "set AWS_REGION to the region of the bucket, and check AWS_ENDPOINT_URL_S3"
                            .to_owned()
                    }
                };
            }
            _ if self.passes() => {
                "the object store is busy or ill; the request was tried again several times"
            }
            _ if self.status == 403 => "check the key, and the policy of the bucket",
            _ => "see the documentation of the object store for this code",
        };
        hint.to_owned()
    }

    fn is_of_region(&self) -> bool {
        matches!(self.status, 301 | 307 | 308)
            || matches!(
                self.code.as_str(),
                "AuthorizationHeaderMalformed"
                    | "AuthorizationQueryParametersError"
                    | "IllegalLocationConstraintException"
                    | "PermanentRedirect"
                    | "TemporaryRedirect"
            )
    }
}

const SKEW: &str =
    "the clock of this machine differs from that of the object store: set it, for example with NTP";

/// Returns the text of the first element of this name; `None` if there is none.
fn element(body: &str, name: &str) -> Option<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let (_, rest) = body.split_once(&open)?;
    let (content, _) = rest.split_once(&close)?;
    Some(text::one_line(&text::shortened(content.trim(), 200)))
}

/// No response came.
#[cold]
pub(super) fn unreachable(server: &str, place: &str, cause: String) -> Error {
    let error =
        Error::new(ErrorKind::Host, format!("the object store at {server} cannot be reached"));
    let hint = if cause.contains(crate::tls::UNKNOWN_ISSUER) {
        "if you trust its certificate, name a PEM file with the certificate of its issuer in the environment variable `SSL_CERT_FILE`"
    } else {
        "check AWS_ENDPOINT_URL_S3, AWS_REGION and the network"
    };
    error.at(place).caused_by(cause).hint(hint).retryable(true)
}

/// Another content was stored while the object was read.
#[cold]
pub(super) fn changed(server: &str, place: &str) -> Error {
    let message = format!("the object at {server} changed while it was read");
    let error = Error::new(ErrorKind::Host, message).at(place);
    error.hint("read it again when it is whole").retryable(true)
}

/// The response is none that S3 sends.
#[cold]
pub(super) fn unexpected(server: &str, place: &str, message: &str) -> Error {
    let message = format!(
        "the object store at {server} answered with something else than expected: {message}"
    );
    let error = Error::new(ErrorKind::Host, message).at(place);
    error.hint("check that AWS_ENDPOINT_URL_S3 is the address of a server with the interface of S3")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_way_out() {
        for (status, code, message, hint) in [
            (404, "NoSuchBucket", "", "create the bucket"),
            (404, "NoSuchKey", "", "the object was deleted by something else"),
            (404, "NoSuchUpload", "", "the parts were deleted"),
            (403, "SignatureDoesNotMatch", "", "check AWS_ACCESS_KEY_ID"),
            (403, "ExpiredToken", "", "the temporary key has ended"),
            (403, "RequestTimeTooSkewed", "", SKEW),
            (403, "AccessDenied", "Request has expired", SKEW),
            (403, "AccessDenied", "Too much skew", SKEW),
            (403, "AccessDenied", "not yet valid", SKEW),
            (403, "AccessDenied", "", "the key needs s3:GetObject"),
            (507, "XMinioStorageFull", "", "make room in the object store"),
            (400, "EntityTooLarge", "", "make room in the object store"),
            (301, "PermanentRedirect", "", "set AWS_REGION to the region"),
            (307, "", "", "set AWS_REGION to the region"),
            (400, "AuthorizationHeaderMalformed", "", "set AWS_REGION to the region"),
            (503, "Other", "", "the object store is busy or ill"),
            (400, "SlowDown", "", "the object store is busy or ill"),
            (403, "Other", "", "check the key, and the policy of the bucket"),
            (400, "Other", "", "see the documentation of the object store"),
        ] {
            let body = format!("<Code>{code}</Code><Message>{message}</Message>");
            let found = Refusal::new(status, &body, None).hint();
            assert!(found.starts_with(hint), "{status} {code} {message}: {found}");
        }
        let elsewhere = Refusal::new(301, "", Some("eu-west-1".into())).hint();
        assert_eq!(elsewhere, "set AWS_REGION to `eu-west-1`, the region of the bucket");
    }

    #[test]
    fn only_the_status_for_it_says_that_a_range_is_beyond_the_end() {
        for status in [400, 403, 404, 415, 416, 417, 500] {
            assert_eq!(Refusal::new(status, "", None).is_beyond_end(), status == 416, "{status}");
        }
    }
}
