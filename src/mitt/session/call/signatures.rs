//! Signatures with the keys of the session, counted and recorded.

use serde_json::json;

use super::services::CallServices;
use mitt_base::{Error, ErrorKind, Remedy, Result, text};
use mitt_skill::capability::{Log as _, LogLevel, ServiceError, Signing};
use mitt_types::signing::{
    MAX_SIGNATURES, SigningKeyInternal as _, SigningKeys, SigningKeysInternal as _,
};

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
        if !self.signs() {
            let message = "signing is for tools that are `destructive`, so that it is approved";
            return Ok(Err(ServiceError::Unsupported(message.to_owned())));
        }
        if !found.may_sign(message) {
            let message = "expected the signed attributes of a PAdES signature with the certificate of this key, in DER";
            return Ok(Err(ServiceError::InvalidArgument(message.to_owned())));
        }
        if !self.take_signature() {
            let message = "expected one signature of a call, because each is approved";
            return Ok(Err(ServiceError::Quota(message.to_owned())));
        }
        if !context.signatures().add() {
            return Ok(Err(ServiceError::Quota(format!(
                "expected at most {MAX_SIGNATURES} signatures of a session"
            ))));
        }
        let signature = found.sign(message)?;
        let details = json!({
            "key": found.name(), "subject": found.subject(), "tool": self.tool(),
            "call": self.call().number, "parent": self.call().parent,
        });
        // An entry that a flood of messages cannot displace.
        context.journal().note_well("signature", details, context.now());
        self.log(LogLevel::Info, &format!("signed with the key `{}`", found.name()));
        Ok(Ok(signature))
    }
}
