//! Where a host keeps native code, and which native code it trusts.

use std::path::PathBuf;

use super::shared::HostBuilder;
use crate::engine::{CacheDir, ProblemSink, PublicKey};

impl HostBuilder {
    /// Sets the folder that caches compiled components. Default: [`CacheDir::of_user`], so that each version of a component is
    /// compiled once for each user and not in each process.
    #[must_use]
    pub fn cache(mut self, cache: impl Into<Option<CacheDir>>) -> HostBuilder {
        self.engine.cache = cache.into();
        self
    }

    /// Keeps no compiled components: each process compiles those that it uses, which takes seconds for a large one.
    #[must_use]
    pub fn no_cache(self) -> HostBuilder {
        self.cache(None)
    }

    /// Sets a function that is called once if the cache cannot be written. Default: not reported.
    #[must_use]
    pub fn cache_problems(mut self, sink: ProblemSink) -> HostBuilder {
        self.engine.cache_problems = Some(sink);
        self
    }

    /// Trusts native code that was signed with this key. May be called several times. See
    /// [`EngineOptions::precompiled_keys`](crate::engine::EngineOptions::precompiled_keys).
    #[must_use]
    pub fn precompiled_key(mut self, key: PublicKey) -> HostBuilder {
        self.engine.precompiled_keys.push(key);
        self
    }

    /// Trusts native code in this folder as much as the program itself: it is loaded without being compared with its record. May
    /// be called several times. See [`EngineOptions::trusted_folders`](crate::engine::EngineOptions::trusted_folders).
    #[must_use]
    pub fn trusted_folder(mut self, folder: impl Into<PathBuf>) -> HostBuilder {
        self.engine.trusted_folders.push(folder.into());
        self
    }
}
