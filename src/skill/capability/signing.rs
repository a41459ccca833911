//! The capability `signing`: signatures with keys that the operator has named. A plugin sees names and certificates only.
//!
//! Its functions are linked by hand because generated ones would copy a message before its size is checked.

use std::sync::Arc;

use mitt_contract::host::mitt::host::types;
use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Linker, Lower, WasmList};

use super::shared::{Nobody, ServiceError};
use mitt_base::Error;
use mitt_engine::StoreData;
use mitt_types::signing::{
    ForEachAlgorithm, MAX_MESSAGE_BYTES, SigningAlgorithm, SigningKeyInternal as _, SigningKeys,
};

/// Name of the interface in imports.
const INTERFACE: &str = "mitt:host/signing@0.1.0";

/// Interface to the session. A [`ServiceError`] is a value for the guest, an [`Error`] ends the guest's store.
pub trait Signing: Send + Sync + 'static {
    /// Returns the keys, of which there is at least one, and the time in seconds since 1970.
    fn signing_means(&self) -> Result<Result<(SigningKeys, i64), ServiceError>, Error>;

    /// Returns the signature of a key over `message`.
    fn sign(&self, key: &str, message: &[u8]) -> Result<Result<Vec<u8>, ServiceError>, Error>;
}

/// How a key signs, as in `wit/signing.wit`.
#[derive(Clone, Copy, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
enum WitAlgorithm {
    #[component(name = "rsa-pkcs1-sha256")]
    RsaPkcs1Sha256,
    #[component(name = "ecdsa-p256-sha256")]
    EcdsaP256Sha256,
    #[component(name = "ecdsa-p384-sha384")]
    EcdsaP384Sha384,
    #[component(name = "ed25519")]
    Ed25519,
}

impl From<SigningAlgorithm> for WitAlgorithm {
    fn from(algorithm: SigningAlgorithm) -> WitAlgorithm {
        let all = ForEachAlgorithm {
            rsa_pkcs1_sha256: WitAlgorithm::RsaPkcs1Sha256,
            ecdsa_p256_sha256: WitAlgorithm::EcdsaP256Sha256,
            ecdsa_p384_sha384: WitAlgorithm::EcdsaP384Sha384,
            ed25519: WitAlgorithm::Ed25519,
        };
        all.of(algorithm)
    }
}

/// A key, as in `wit/signing.wit`.
#[derive(ComponentType, Lower)]
#[component(record)]
struct WitKey {
    #[component(name = "name")]
    name: String,
    #[component(name = "subject")]
    subject: String,
    #[component(name = "algorithm")]
    algorithm: WitAlgorithm,
    #[component(name = "certificates")]
    certificates: Vec<Vec<u8>>,
    #[component(name = "expires")]
    expires: i64,
}

/// Keys and the time, as in `wit/signing.wit`.
#[derive(ComponentType, Lower)]
#[component(record)]
struct WitMeans {
    #[component(name = "keys")]
    keys: Vec<WitKey>,
    #[component(name = "now")]
    now: i64,
}

/// Returns `signing` for an agent that may only read.
pub(super) fn nothing_signed() -> Arc<dyn Signing> {
    Arc::new(ReadingOnly)
}

struct ReadingOnly;

impl Signing for ReadingOnly {
    fn signing_means(&self) -> Result<Result<(SigningKeys, i64), ServiceError>, Error> {
        Ok(Err(ServiceError::Unsupported("this agent only reads: it signs nothing".to_owned())))
    }

    fn sign(&self, _: &str, _: &[u8]) -> Result<Result<Vec<u8>, ServiceError>, Error> {
        Ok(Err(ServiceError::Unsupported("this agent only reads: it signs nothing".to_owned())))
    }
}

impl Signing for Nobody {
    fn signing_means(&self) -> Result<Result<(SigningKeys, i64), ServiceError>, Error> {
        Ok(Err(ServiceError::no_session()))
    }

    fn sign(&self, _: &str, _: &[u8]) -> Result<Result<Vec<u8>, ServiceError>, Error> {
        Ok(Err(ServiceError::no_session()))
    }
}

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> Arc<dyn Signing>,
) -> wasmtime::Result<()> {
    let mut signing = linker.instance(INTERFACE)?;
    signing.func_wrap("means", move |mut store: StoreContextMut<'_, T>, (): ()| {
        let means = host_getter(store.data_mut()).signing_means()?;
        let means = means.map(|(keys, now)| WitMeans { keys: wit_keys(&keys), now });
        Ok((means.map_err(ServiceError::into_wit),))
    })?;
    signing.func_wrap(
        "sign",
        move |mut store: StoreContextMut<'_, T>, (key, message): (String, WasmList<u8>)| {
            let session = host_getter(store.data_mut());
            let signed = match check_length(message.len()) {
                Ok(()) => {
                    let message = message.as_le_slice(&store).to_vec();
                    session.sign(&key, &message)?
                }
                Err(error) => Err(error),
            };
            Ok((signed.map_err(ServiceError::into_wit) as Result<Vec<u8>, types::Error>,))
        },
    )
}

/// Refuses a message that is empty or too long.
fn check_length(bytes: usize) -> Result<(), ServiceError> {
    if (1..=MAX_MESSAGE_BYTES).contains(&bytes) {
        return Ok(());
    }
    Err(ServiceError::InvalidArgument(format!(
        "message: expected 1 to {MAX_MESSAGE_BYTES} bytes, got {bytes}"
    )))
}

fn wit_keys(keys: &SigningKeys) -> Vec<WitKey> {
    let of = |key: &mitt_types::signing::SigningKey| WitKey {
        name: key.name().to_owned(),
        subject: key.subject().to_owned(),
        algorithm: key.algorithm().into(),
        certificates: key.certificates().to_vec(),
        expires: key.expires(),
    };
    keys.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_a_length() {
        assert_eq!(check_length(1), Ok(()));
        assert_eq!(check_length(65_536), Ok(()));
        for bytes in [0, 65_537] {
            let error = check_length(bytes).unwrap_err();
            assert!(error.text().contains("expected 1 to 65536 bytes"), "{}", error.text());
        }
    }

    #[test]
    fn an_agent_that_only_reads_signs_nothing() {
        let signing = nothing_signed();
        assert!(signing.signing_means().unwrap().is_err());
        let refused = signing.sign("office", b"message").unwrap().unwrap_err();
        assert!(refused.text().contains("only reads"));
    }
}
