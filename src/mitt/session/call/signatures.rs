//! Signatures with the keys of the session, counted and recorded.

use super::services::CallServices;
use crate::capability::{Log as _, LogLevel, ServiceError, Signing};
use crate::signing::{MAX_SIGNATURES, SigningKeys};
use mitt_base::{Error, ErrorKind, Remedy, Result, text};

/// Returns the error of a session without keys.
pub(super) fn no_key() -> Error {
    let message = "this session has no key to sign with: its operator has named none";
    Error::new(ErrorKind::Denied, message).remedy(Remedy::SigningKey)
}

impl Signing for CallServices {
    fn signing_means(&self) -> Result<Result<(SigningKeys, i64), ServiceError>> {
        let context = &self.session().context;
        let keys = context.signing_keys();
        if keys.is_empty() {
            return Err(no_key());
        }
        let now = i64::try_from(context.now().as_secs()).unwrap_or(i64::MAX);
        Ok(Ok((keys.clone(), now)))
    }

    fn sign(&self, key: &str, message: &[u8]) -> Result<Result<Vec<u8>, ServiceError>> {
        let context = &self.session().context;
        let Some(found) = context.signing_keys().get(key) else {
            let shown = text::one_line(text::cut_bytes(key, 128));
            let names: Vec<_> =
                context.signing_keys().iter().map(|it| format!("`{}`", it.name())).collect();
            return Ok(Err(ServiceError::NotFound(format!(
                "there is no key `{shown}`; there are: {}",
                names.join(", ")
            ))));
        };
        if !context.signatures().add() {
            return Ok(Err(ServiceError::Quota(format!(
                "expected at most {MAX_SIGNATURES} signatures of a session"
            ))));
        }
        let signature = found.sign(message)?;
        self.log(LogLevel::Info, &format!("signed with the key `{}`", found.name()));
        Ok(Ok(signature))
    }
}
