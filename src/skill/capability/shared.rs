//! Types that the capabilities share: errors that a plugin may handle, and the missing session.

use std::sync::Arc;

use mitt_contract::host::mitt::host::types;
use wasmtime::component::HasData;

use mitt_engine::StoreCore;

/// Service of one capability: a trait object of [`Services`](super::Services). Generated functions find it in a store's data.
pub(super) struct ServiceHost<S: ?Sized>(pub(super) Arc<S>);

impl<S: ?Sized + 'static> HasData for ServiceHost<S> {
    type Data<'a> = ServiceHost<S>;
}

/// Like [`ServiceHost`], for a capability that returns or takes handles: with the store that owns them.
pub(super) struct ServiceHostInStore<'a, S: ?Sized> {
    pub(super) session: Arc<S>,
    pub(super) core: &'a mut StoreCore,
}

impl<S: ?Sized + 'static> HasData for ServiceHostInStore<'static, S> {
    type Data<'a> = ServiceHostInStore<'a, S>;
}

/// Result of a generated function: the inner error is for the guest, the outer one ends its store.
pub(super) type HostResult<T> = wasmtime::Result<Result<T, types::Error>>;

/// Error that the plugin may handle; the cases are those of `mitt:host/types.error`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceError {
    /// An argument is invalid.
    InvalidArgument(String),
    /// The named object does not exist.
    NotFound(String),
    /// This host does not support the request.
    Unsupported(String),
    /// A quota would be exceeded.
    Quota(String),
}

impl ServiceError {
    /// Returns the text of the error.
    pub fn text(&self) -> &str {
        match self {
            ServiceError::InvalidArgument(text)
            | ServiceError::NotFound(text)
            | ServiceError::Unsupported(text)
            | ServiceError::Quota(text) => text,
        }
    }

    /// Converts the error for the plugin.
    pub(super) fn into_wit(self) -> types::Error {
        match self {
            ServiceError::InvalidArgument(text) => types::Error::InvalidArgument(text),
            ServiceError::NotFound(text) => types::Error::NotFound(text),
            ServiceError::Unsupported(text) => types::Error::Unsupported(text),
            ServiceError::Quota(text) => types::Error::Quota(text),
        }
    }

    /// Returns the error of a request without a session.
    pub(super) fn no_session() -> ServiceError {
        ServiceError::Unsupported("there is no session".into())
    }
}

/// Returns the text of a plugin's error.
pub(super) fn error_text(error: types::Error) -> String {
    match error {
        types::Error::InvalidArgument(text)
        | types::Error::NotFound(text)
        | types::Error::AlreadyExists(text)
        | types::Error::Unsupported(text)
        | types::Error::Malformed(text)
        | types::Error::Quota(text)
        | types::Error::Other(text) => text,
    }
}

/// Missing session, for instances that are created but never called. Each capability defines what it answers.
pub(crate) struct Nobody;

/// Interface of the shared types, which has no functions.
pub(super) struct Types;

impl types::Host for Types {}

impl HasData for Types {
    type Data<'a> = Types;
}
