//! The worker process: what cannot be bounded in the host is ended there, and only there.
