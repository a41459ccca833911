//! Merges settings from files, variables and options.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::File;
use super::find::{Places, SearchState, SearchedFile};
use super::key::{Key, Reach};
use super::value::{Origin, SettingValue, Value};
use mitt::TextBudget;
use mitt_agent::{AgentLimits, TeamLimits};
use mitt_base::Result;

/// The effective settings. From the lowest precedence: built in, the user's file, the project's file, the environment, the
/// command line. Items of lists are combined, those of the project first, so that later ones win.
///
/// A project's file can only lower limits. What the user's own file approves for all skills does not cover skills of the
/// project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    found: BTreeMap<Key, Vec<SettingValue>>,
    searched_files: Vec<SearchedFile>,
    warnings: Vec<String>,
    /// The model of the user's file; the key file there is for its service.
    own_model: Option<String>,
}

impl Settings {
    /// Loads the settings of this process. `options` were given on the command line.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a file cannot be read or has invalid content.
    pub(crate) fn load(options: Vec<(Key, Value)>) -> Result<Settings> {
        Settings::of(&Places::of_process(), &|name| std::env::var_os(name), options)
    }

    fn of(
        places: &Places,
        variable: &dyn Fn(&str) -> Option<OsString>,
        options: Vec<(Key, Value)>,
    ) -> Result<Settings> {
        let mut settings = Settings::default();
        let of_user = places.of_user()?;
        // A user who names the project's file as their own declares to trust it.
        let is_own = |searched: &SearchedFile| {
            let own = of_user.as_ref().map(|own| &own.file);
            own.is_some_and(|own| same_file(own, &searched.file))
        };
        let of_project = places.of_project().filter(|searched| !is_own(searched));
        let read = |searched: &Option<SearchedFile>| match searched {
            Some(SearchedFile { file, whose, state: SearchState::Read }) => {
                File { path: file, whose: *whose, home: places.home.as_deref() }.read()
            }
            _ => Ok(Vec::new()),
        };
        let (own, project) = (read(&of_user)?, read(&of_project)?);
        settings.searched_files = of_user.into_iter().chain(of_project).collect();
        settings.tell_foreign();
        let model = own.iter().find(|(key, _)| *key == Key::Model);
        if let Some((_, SettingValue { value: Value::Text(name), .. })) = model {
            settings.own_model = Some(name.clone());
        }
        let own = settings.without_approvals(own, &project);
        // In a list, the project's items come first.
        let (lists, single): (Vec<_>, Vec<_>) =
            project.into_iter().partition(|(key, _)| key.is_list());
        lists.into_iter().chain(own).for_each(|(key, found)| settings.set(key, found));
        for (key, found) in single {
            match key.reach() {
                Reach::Lower => settings.lower(key, found),
                _ => settings.set(key, relative(found, places.working.as_deref())),
            }
        }
        settings.environment(variable);
        for (key, value) in options {
            settings.set(key, SettingValue { value, origin: Origin::Option(key.last_name()) });
        }
        settings.one_cache();
        Ok(settings)
    }

    fn set(&mut self, key: Key, found: SettingValue) {
        let all = self.found.entry(key).or_default();
        if !key.is_list() {
            all.clear();
        }
        all.push(found);
    }

    /// Applies a limit of the project only if it is lower.
    fn lower(&mut self, key: Key, found: SettingValue) {
        let (holds, origin) = match self.get(key) {
            Some(of_user) => (Some(of_user.value.clone()), of_user.origin.clone()),
            None => (key.built_in(), Origin::Default),
        };
        match holds {
            Some(holds) if holds.is_below(&found.value) => self.warnings.push(format!(
                "{}: {}: {holds} ({origin}) counts, as a project's file can only lower a limit, not raise it to {}",
                found.origin,
                key.name(),
                found.value
            )),
            _ => self.set(key, found),
        }
    }

    /// Drops approvals of the user's file for all skills if the project brings skills: they were meant for the user's own
    /// skills, before these were known.
    fn without_approvals(
        &mut self,
        own: Vec<(Key, SettingValue)>,
        project: &[(Key, SettingValue)],
    ) -> Vec<(Key, SettingValue)> {
        let brought = project.iter().find(|(key, _)| matches!(key, Key::Skills | Key::Component));
        let Some((_, brought)) = brought else { return own };
        let is_approval = |key: Key, value: &Value| match key {
            Key::TrustSkills | Key::NoBundledSkills => *value == Value::Switch(true),
            Key::ReplaceSkill => true,
            _ => false,
        };
        let (left_out, rest): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|(key, found)| is_approval(*key, &found.value));
        for (key, found) in left_out {
            self.warnings.push(format!(
                "{}: {} does not count here, as {} brings skills of the project; `--{}` says it of those too",
                found.origin,
                key.name(),
                brought.origin,
                key.last_name()
            ));
        }
        rest
    }

    fn tell_foreign(&mut self) {
        let foreign =
            self.searched_files.iter().filter(|searched| searched.state == SearchState::Foreign);
        let warnings = foreign.map(|searched| {
            let file = searched.file.display();
            format!("{file} is left out: it belongs to another user than the working folder")
        });
        self.warnings.extend(warnings);
    }

    /// Reads the variables that name settings. An empty one is ignored.
    fn environment(&mut self, variable: &dyn Fn(&str) -> Option<OsString>) {
        let get = |name: &str| variable(name).filter(|value| !value.is_empty());
        let text = |name: &str| get(name).and_then(|value| value.into_string().ok());
        let origin = Origin::Environment;
        if let Some(model) = text("MITT_MODEL").filter(|name| !name.trim().is_empty()) {
            self.set(
                Key::Model,
                SettingValue { value: Value::Text(model), origin: origin("MITT_MODEL") },
            );
        }
        if let Some(folder) = get("MITT_CACHE_DIR") {
            let value = Value::Path(PathBuf::from(folder));
            self.set(Key::CacheDir, SettingValue { value, origin: origin("MITT_CACHE_DIR") });
        }
        // Clients that install Mitt with one click pass settings by the environment, empty ones too.
        if let Some(file) = get("MITT_WORDS") {
            let value = Value::Path(PathBuf::from(file));
            self.set(Key::Words, SettingValue { value, origin: origin("MITT_WORDS") });
        }
        if let Some(seconds) = variable("SOURCE_DATE_EPOCH") {
            // The reader of the clock refuses a value that is not a number.
            self.found.remove(&Key::Clock);
            if let Some(seconds) = seconds.to_str().and_then(|text| text.parse().ok()) {
                let value = Value::Number(seconds);
                self.set(Key::Clock, SettingValue { value, origin: origin("SOURCE_DATE_EPOCH") });
            }
        }
    }

    /// A folder for native code and no cache at all exclude each other; the later setting wins.
    fn one_cache(&mut self) {
        let rank = |found: Option<&SettingValue>| match found.map(|found| &found.origin) {
            None | Some(Origin::Default) => 0,
            Some(Origin::User { .. } | Origin::Project { .. }) => 1,
            Some(Origin::Environment(_)) => 2,
            Some(Origin::Option(_)) => 3,
        };
        if self.is_on(Key::NoCache) && rank(self.get(Key::CacheDir)) > rank(self.get(Key::NoCache))
        {
            self.found.remove(&Key::NoCache);
        }
    }
}

/// Methods that read the effective settings.
impl Settings {
    /// Returns the value of a setting other than a list, if it was set.
    pub(crate) fn get(&self, key: Key) -> Option<&SettingValue> {
        self.all(key).last()
    }

    /// Returns the items of a list; for other settings the value.
    pub(crate) fn all(&self, key: Key) -> &[SettingValue] {
        self.found.get(&key).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn text(&self, key: Key) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn path(&self, key: Key) -> Option<&Path> {
        match &self.get(key)?.value {
            Value::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Returns a number, or a size in bytes.
    pub(crate) fn number(&self, key: Key) -> Option<u64> {
        match self.get(key)?.value {
            Value::Number(number) | Value::Size(number) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn time(&self, key: Key) -> Option<Duration> {
        match self.get(key)?.value {
            Value::Time(time) => Some(time),
            _ => None,
        }
    }

    pub(crate) fn is_on(&self, key: Key) -> bool {
        self.get(key).is_some_and(|found| found.value == Value::Switch(true))
    }

    /// Returns the limits on a run with a model.
    pub(crate) fn agent_limits(&self) -> AgentLimits {
        let mut limits = AgentLimits::default();
        let set = |key, limit: &mut u64| *limit = self.number(key).unwrap_or(*limit);
        limits.turns = self.number(Key::RunTurns).or(limits.turns);
        set(Key::RunCalls, &mut limits.calls);
        set(Key::RunTokens, &mut limits.tokens);
        set(Key::RunWrongTurns, &mut limits.wrong_turns);
        set(Key::RunContextTokens, &mut limits.context_tokens);
        limits.time = self.time(Key::RunTime).unwrap_or(limits.time);
        if let Some(characters) = self.number(Key::RunContextCharacters) {
            limits.context_characters = usize::try_from(characters).unwrap_or(usize::MAX);
        }
        limits.documents = self.documents();
        limits
    }

    /// Applies the settings for what the agents of a run may do together.
    pub(crate) fn limit_team(&self, limits: &mut TeamLimits) {
        for (key, limit) in [
            (Key::AgentsDepth, &mut limits.depth),
            (Key::AgentsDelegations, &mut limits.delegations),
            (Key::AgentsFailures, &mut limits.failures),
            (Key::AgentsTransfers, &mut limits.transfers),
            (Key::AgentsSummaryCharacters, &mut limits.summary_characters),
        ] {
            *limit = self.number(key).unwrap_or(*limit);
        }
        if let Some(number) = self.number(Key::AgentsAtOnce) {
            limits.at_once = usize::try_from(number).unwrap_or(usize::MAX);
        }
    }

    /// Returns how much text of documents a model gets; `None` for none.
    fn documents(&self) -> Option<TextBudget> {
        let mut budget = TextBudget::default();
        let mut is_set = false;
        for (key, limit) in [
            (Key::RunDocumentsTokens, &mut budget.tokens),
            (Key::RunDocumentsCharacters, &mut budget.characters),
            (Key::RunDocumentTokens, &mut budget.document_tokens),
            (Key::RunDocumentCharacters, &mut budget.document_characters),
        ] {
            if let Some(number) = self.number(key) {
                (*limit, is_set) = (number, true);
            }
        }
        is_set.then_some(budget)
    }

    /// Returns the key file of the user's file, and the model whose service the key is for.
    pub(crate) fn key_file(&self) -> Option<(&Path, &str)> {
        Some((self.path(Key::SecretFile)?, self.own_model.as_deref()?))
    }

    /// Returns the place in the project's file where a setting was made, if that value is effective.
    pub(crate) fn of_project(&self, key: Key) -> Option<&Origin> {
        let origin = &self.get(key)?.origin;
        matches!(origin, Origin::Project { .. }).then_some(origin)
    }

    /// Returns `true` if this item of a list comes from the project's file.
    pub(crate) fn brings(&self, key: Key, path: &Path) -> bool {
        self.all(key).iter().any(|found| {
            matches!(found.origin, Origin::Project { .. })
                && matches!(&found.value, Value::Path(found) if found == path)
        })
    }

    /// Returns the places where files were looked for.
    pub(crate) fn searched_files(&self) -> &[SearchedFile] {
        &self.searched_files
    }

    /// Returns the entries of the files that were ignored, with the reasons.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Returns a path below the working folder in the form that the user would write.
fn relative(found: SettingValue, working: Option<&Path>) -> SettingValue {
    match (&found.value, working) {
        (Value::Path(path), Some(working)) => {
            let path = path.strip_prefix(working).unwrap_or(path).to_owned();
            SettingValue { value: Value::Path(path), ..found }
        }
        _ => found,
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
