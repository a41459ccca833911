//! LibreChat's Code API, as the npm package `@librechat/agents` and LibreChat's server call it. Set
//! `LIBRECHAT_CODE_BASEURL=<address>/librechat`.
//!
//! | file | contents |
//! |---|---|
//! | `wire` | bodies of requests and responses |
//! | `error` | problems in the form that the client reads |
//! | `exec` | `/exec` |
//! | `files` | uploads, lists, downloads |
//! | `names` | names of the caller's tools as names of Python functions |
//! | `record` | what a paused script has called, in the store |
//! | `replay` | answers calls of a script from the record, and notes new ones |
//! | `programmatic` | `/exec/programmatic` |
//! | `paths` | which paths are those of this interface |
//! | `endpoints` | the routes |

mod endpoints;
mod error;
mod exec;
mod files;
mod names;
mod paths;
mod programmatic;
mod record;
mod replay;
mod wire;

pub(crate) use endpoints::endpoints;
pub(crate) use error::problem_form;
pub(crate) use paths::is_ours;
