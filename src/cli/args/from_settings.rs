//! Fills options that were not given from the settings; no other module joins the two.

use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::Global;
use crate::settings::{Choice as _, FormulasMode, Key, OcrMode, Settings, Value, WorkerMode};
use mitt_base::Result;

impl Global {
    /// Records which of the options with a default were given on the command line.
    pub(super) fn mark_given(&mut self, matches: &ArgMatches) {
        // The names of the fields.
        let with_default = ["no_bundled_skills", "full_journal", "trust_skills", "worker", "quiet"];
        let is_given = |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
        self.given = with_default.into_iter().filter(is_given).collect();
    }

    /// Reads the settings, and fills in the options that were not given.
    ///
    /// # Errors
    ///
    /// Those of [`Settings::load`].
    pub(crate) fn fill(&mut self) -> Result<()> {
        self.settings = Settings::load(self.options())?;
        let settings = &self.settings;
        let paths = |key: Key| -> Vec<PathBuf> {
            let path = |value: &Value| match value {
                Value::Path(path) => Some(path.clone()),
                _ => None,
            };
            settings.all(key).iter().filter_map(|found| path(&found.value)).collect()
        };
        let texts = |key: Key| -> Vec<String> {
            let text = |value: &Value| match value {
                Value::Text(text) => Some(text.clone()),
                // A key may be given itself or as a file.
                Value::Path(path) => Some(path.to_string_lossy().into_owned()),
                _ => None,
            };
            settings.all(key).iter().filter_map(|found| text(&found.value)).collect()
        };
        self.skills = paths(Key::Skills);
        self.components = paths(Key::Component);
        self.replace_skills = texts(Key::ReplaceSkill);
        self.no_bundled_skills = settings.is_on(Key::NoBundledSkills);
        self.host_memory = settings.number(Key::HostMemory);
        self.full_journal = settings.is_on(Key::FullJournal);
        self.no_cache = settings.is_on(Key::NoCache);
        self.cache_dir = settings.path(Key::CacheDir).map(PathBuf::from);
        self.overlays = paths(Key::Overlay);
        self.words = paths(Key::Words);
        self.tenant_words = texts(Key::TenantWords);
        self.signing_keys = texts(Key::Signing);
        self.fetch_hosts = texts(Key::FetchHost);
        self.fetch_networks = texts(Key::FetchNetwork);
        self.mcp_configs = paths(Key::McpConfig);
        self.engine = settings.text(Key::Engine).map(str::to_owned);
        self.trust_skills = settings.is_on(Key::TrustSkills);
        self.precompiled_keys = texts(Key::Signer);
        self.trusted_folders = paths(Key::TrustPrecompiled);
        self.max_time = settings.time(Key::MaxTime);
        self.max_fuel = settings.number(Key::MaxFuel);
        self.max_memory = settings.number(Key::MaxMemory);
        self.document_size = settings.number(Key::DocumentSize);
        self.documents_size = settings.number(Key::DocumentsSize);
        self.parts_time = settings.time(Key::PartsTime);
        self.parts_fuel = settings.number(Key::PartsFuel);
        self.parts_size = settings.number(Key::PartsSize);
        self.parts_files = settings.number(Key::PartsFiles);
        self.fonts = paths(Key::Font);
        self.font_folders = paths(Key::FontFolder);
        if let Some(worker) = settings.text(Key::Worker) {
            self.worker = WorkerMode::of_word(worker);
        }
        if let Some(ocr) = settings.text(Key::Ocr) {
            self.ocr = OcrMode::of_word(ocr);
        }
        if let Some(formulas) = settings.text(Key::CsvFormulas) {
            self.csv_formulas = FormulasMode::of_word(formulas);
        }
        self.clock = settings.number(Key::Clock);
        self.quiet = settings.is_on(Key::Quiet);
        Ok(())
    }

    /// Returns the given options as settings.
    fn options(&self) -> Vec<(Key, Value)> {
        let mut given = Vec::new();
        let mut add =
            |key: Key, value: Option<Value>| given.extend(value.map(|value| (key, value)));
        for (key, paths) in [
            (Key::Skills, &self.skills),
            (Key::Component, &self.components),
            (Key::Overlay, &self.overlays),
            (Key::Words, &self.words),
            (Key::McpConfig, &self.mcp_configs),
            (Key::TrustPrecompiled, &self.trusted_folders),
            (Key::Font, &self.fonts),
            (Key::FontFolder, &self.font_folders),
        ] {
            paths.iter().for_each(|path| add(key, Some(Value::Path(path.clone()))));
        }
        for (key, texts) in [
            (Key::ReplaceSkill, &self.replace_skills),
            (Key::TenantWords, &self.tenant_words),
            (Key::Signing, &self.signing_keys),
            (Key::Signer, &self.precompiled_keys),
            (Key::FetchHost, &self.fetch_hosts),
            (Key::FetchNetwork, &self.fetch_networks),
        ] {
            texts.iter().for_each(|text| add(key, Some(Value::Text(text.clone()))));
        }
        let is_given = |name: &str| self.given.contains(&name);
        for (key, name, is_on) in [
            (Key::NoBundledSkills, "no_bundled_skills", self.no_bundled_skills),
            (Key::FullJournal, "full_journal", self.full_journal),
            (Key::TrustSkills, "trust_skills", self.trust_skills),
            (Key::Quiet, "quiet", self.quiet),
        ] {
            add(key, is_given(name).then_some(Value::Switch(is_on)));
        }
        add(Key::NoCache, self.no_cache.then_some(Value::Switch(true)));
        add(Key::Worker, is_given("worker").then(|| Value::Text(self.worker.word())));
        add(Key::Ocr, is_given("ocr").then(|| Value::Text(self.ocr.word())));
        let formulas = Value::Text(self.csv_formulas.word());
        add(Key::CsvFormulas, is_given("csv_formulas").then_some(formulas));
        add(Key::CacheDir, self.cache_dir.clone().map(Value::Path));
        add(Key::Engine, self.engine.clone().map(Value::Text));
        add(Key::HostMemory, self.host_memory.map(Value::Size));
        add(Key::MaxTime, self.max_time.map(Value::Time));
        add(Key::MaxFuel, self.max_fuel.map(Value::Number));
        add(Key::MaxMemory, self.max_memory.map(Value::Size));
        add(Key::DocumentSize, self.document_size.map(Value::Size));
        add(Key::DocumentsSize, self.documents_size.map(Value::Size));
        add(Key::PartsTime, self.parts_time.map(Value::Time));
        add(Key::PartsFuel, self.parts_fuel.map(Value::Number));
        add(Key::PartsSize, self.parts_size.map(Value::Size));
        add(Key::PartsFiles, self.parts_files.map(Value::Number));
        add(Key::Clock, self.clock.map(Value::Number));
        given
    }
}
