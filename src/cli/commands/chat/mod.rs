//! `mitt chat`: a conversation at the terminal.

mod answer;
mod echo;
mod line;
mod local;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;

use super::conversation_log::{
    ConversationLog, NewConversation, add_documents, log_document, open, read_given, resume,
};
use super::exec::terminal::ask;
use super::pictures::{give, picture};
use super::run::found;
use super::start_options;
use super::work::Work;
use crate::agent_args::no_model;
use crate::args::{Chat, Global};
use crate::interrupt::{Signal, or_signal};
use crate::model_args::ModelArgs;
use crate::output::{Output, note};
use crate::person;
use crate::progress::Progress;
use crate::runs::{OpenRun, RECORDING};
use crate::settings::Settings;
use crate::signing;
use answer::AnswerDisplay;
use echo::Silent;
use line::{LineEditor, LineInput};
use mitt::{ApprovalRequest, Approver, Decision, url_of};
use mitt_agent::model::http::local_servers;
use mitt_agent::model::{ChatModel as _, Cost, Image, Prices, SwitchModel, Usage};
use mitt_agent::{Conversation, LoggedRun, RunReport};
use mitt_base::rows::{counted, grouped};
use mitt_base::{Error, Result, text};
use words::{COMMANDS, Typed, is_own, understand};

/// Most characters of an earlier message that are shown again.
const SHOWN: usize = 400;

/// A conversation at the terminal.
struct Talk<'a> {
    conversation: Conversation<'a>,
    work: &'a Work,
    line: LineEditor,
    display: Arc<AnswerDisplay>,
    output: &'a Output,
    /// The model, which the user can replace.
    model: Arc<SwitchModel>,
    /// The name by which the user gave it.
    name: String,
    model_args: &'a ModelArgs,
    settings: &'a Settings,
    logged: ConversationLog,
    /// Pictures for the model, sent with the next message.
    images: Vec<Image>,
}

/// `mitt chat`
pub(crate) async fn chat(global: &Global, mut command: Chat, output: &Output) -> Result<ExitCode> {
    let resumed = command.resume.as_deref().map(resume).transpose()?;
    if let Some(OpenRun { name, run, .. }) = &resumed
        && !run.is_finished()
        && run.plan()?.is_some()
    {
        let error = Error::input(format!("run {name} follows a plan"));
        return Err(error.hint(format!(
            "`mitt run --resume {name}` goes on with it; then it can be talked about"
        )));
    }
    let header = resumed.as_ref().map(|open| open.run.header().clone());
    let mut global = global.clone();
    if let Some(header) = &header {
        start_options::restore(&header.options, &mut global, &mut command.agent_args, None);
    }
    let global = &global;
    let (model_args, settings) = (&command.agent_args.model_args, &global.settings);
    // A recording has no further turns, so the user continues with a model.
    let logged_model = header.as_ref().map(|header| header.model.clone());
    let logged_model = logged_model.filter(|name| !name.starts_with(RECORDING));
    let line = LineEditor::open()?;
    let known = model_args.model.clone().or(logged_model).or_else(|| model_args.name(settings));
    let name = match known.filter(|_| !command.local) {
        Some(name) => name,
        None if command.local || person::is_there() => {
            local::choose(&line, model_args, settings).await?
        }
        None => return Err(no_model(found().await)),
    };
    if header.is_none() && !command.local {
        model_args.note_project_model(settings);
    }
    let model = Arc::new(SwitchModel::new(model_args.open(&name, settings)?));
    let tools =
        header.as_ref().map_or_else(|| command.agent_args.tools(settings), |header| header.tools);
    let folder = command.out.named().or(header.and_then(|header| header.folder));
    let display = Arc::new(AnswerDisplay::default());
    let keys = signing::keys(global)?;
    let work = Work::open_with(global, output, |options, progress| {
        options.signing_keys = Some(keys);
        options.folder = Some(folder.unwrap_or_else(|| command.out.folder(settings)));
        options.events = Some(display.sink(progress));
        let (line, progress) = (line.clone(), progress.clone());
        options.approver = Some(Arc::new(Asks { line, progress }));
    })
    .await?
    .with_password(&command.password)?;
    let (documents, images) = read_given(&work, &command.docs).await?;
    let agent =
        command.agent_args.agent(model.clone(), tools, settings, &work.session, false).await?;
    if let Some(open) = &resumed {
        add_documents(&work, &open.run, true).await?;
        work.progress.finish();
        tell_what_was(&open.name, &open.run);
    }
    let options = start_options::of(global, &command.agent_args, None);
    let new = NewConversation { model: &name, tools, options };
    let new = (!command.log.no_log).then_some(new);
    let (conversation, logged) = open(&agent, &work, resumed, new, &documents).await?;
    work.progress.finish();
    work.progress.set_brief(true);
    note(&format!("{name}; /help tells what can be typed, Ctrl-D ends"));
    display.set_model(&name);
    let work = &work;
    let mut talk = Talk {
        conversation,
        work,
        line,
        display,
        output,
        model,
        name,
        model_args,
        settings,
        logged,
        images,
    };
    talk.run().await
}

fn tell_what_was(name: &str, run: &LoggedRun) {
    let n_said = run.instructions().count();
    let said = run.instructions().next_back().unwrap_or_default();
    let said = text::shortened(&text::single_line(said), SHOWN);
    note(&format!(
        "{name} of {}: said something {}, at last: {said}",
        run.header().time,
        counted(n_said as u64, "time")
    ));
    if !run.is_finished() {
        note("That was not followed to its end: /continue goes on with it.");
    }
}

impl Talk<'_> {
    async fn run(&mut self) -> Result<ExitCode> {
        loop {
            let typed = match or_signal(self.line.read("> ", true)).await {
                Ok(Ok(LineInput::Line(typed))) => typed,
                Ok(Ok(LineInput::Interrupted)) => {
                    note("Ctrl-D or /quit ends");
                    continue;
                }
                Ok(Ok(LineInput::End)) => return Ok(ExitCode::SUCCESS),
                Ok(Err(error)) => return Err(error),
                Err(signal) => return Err(signal.error()),
            };
            match understand(&typed, |path| path.is_file() || is_address(path)) {
                Typed::Nothing => {}
                Typed::Command(command) if command == "/quit" => return Ok(ExitCode::SUCCESS),
                Typed::Command(command) if command == "/continue" => self.turn(None).await?,
                Typed::Command(command) if command == "/model" => self.tell_model().await,
                Typed::Model(name) => self.change_model(name).await,
                Typed::Command(command) if is_own(&command) => self.command(&command)?,
                Typed::Command(command) => self.skill(command).await?,
                Typed::Words { text, files, unknown } => {
                    for name in unknown {
                        note(&format!("warning: there is no file {name}: it is taken as a word"));
                    }
                    match self.given(&files).await {
                        Ok(images) => {
                            self.images.extend(images);
                            let images = std::mem::take(&mut self.images);
                            self.turn(Some((text, images))).await?;
                        }
                        // Nothing was sent to the model.
                        Err(error) => note(&format!("error: {}", error.render())),
                    }
                }
            }
        }
    }

    /// Runs a command that the chat does not have itself. It may name a skill; if it does not, the routing reports it.
    async fn skill(&mut self, command: String) -> Result<()> {
        let n_before = self.conversation.messages().len();
        let own = text::nearest(&command, COMMANDS.iter().map(|(name, _)| *name));
        let own = own.first().map(|own| format!("hint: the chat itself has `{own}`"));
        let images = std::mem::take(&mut self.images);
        self.turn(Some((command, images.clone()))).await?;
        if self.conversation.messages().len() == n_before {
            // Nothing was sent to the model, so it has not seen the pictures.
            self.images = images;
            own.iter().for_each(|hint| note(hint));
        }
        Ok(())
    }

    /// Reads the files of a line: documents for the session, pictures for the model.
    async fn given(&mut self, files: &[String]) -> Result<Vec<Image>> {
        let mut images = Vec::new();
        for path in files.iter().map(Path::new) {
            if let Some(image) = picture(path)? {
                give(&self.work.session, path, &image);
                images.push(image);
                continue;
            }
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let sha256 = |path| {
                let most = self.work.session.host().session_limits().document_bytes;
                mitt_base::plain_file::read(path, most)
                    .ok()
                    .map(|it| mitt_base::digest::sha256(&it))
            };
            let known = self
                .work
                .session
                .documents()
                .into_iter()
                .find(|it| Some(&it.name) == name.as_ref());
            if known.is_some_and(|it| Some(&it.sha256) == sha256(path).as_ref()) {
                continue;
            }
            let document = self.work.add_file(path).await;
            self.work.progress.finish();
            log_document(&mut self.conversation, &*document?, path);
        }
        Ok(images)
    }

    /// Runs a turn of the model; without `said`, continues the one that was stopped.
    async fn turn(&mut self, said: Option<(String, Vec<Image>)>) -> Result<()> {
        if said.is_none() && !self.conversation.is_unfinished() {
            note("there is nothing to go on with: the last words were followed to their end");
            return Ok(());
        }
        let n_before = self.work.session.artifacts();
        let n_asked = self.display.usage().len();
        self.work.progress.go_on();
        self.work.progress.doing("asking the model");
        let live = self.display.begin(*self.output, &self.work.progress);
        let done = or_signal(async {
            match said {
                Some((text, images)) => self.conversation.say_with(&text, images).await.map(Some),
                None => self.conversation.go_on().await,
            }
        });
        let silent = Silent::begin();
        let done = done.await;
        self.display.end(live);
        drop(silent);
        self.work.progress.finish();
        for artifact in self.work.session.artifacts() {
            if !n_before.contains(&artifact) {
                self.output.data_line(&self.work.path(&artifact))?;
            }
        }
        let usage = self.display.usage();
        if let Some(spent) = usage.get(n_asked..).filter(|it| !it.is_empty()) {
            let context = self.model.context_tokens().await;
            note(&format!("({})", spent_on(spent, context)));
        }
        match done {
            Ok(Ok(report)) => report.iter().for_each(tell_missing),
            Ok(Err(error)) => {
                note(&format!("error: {}", error.render()));
                // A refused command does not begin a turn.
                if self.conversation.is_unfinished() {
                    note("/continue goes on with it");
                }
            }
            Err(Signal::CtrlC) => note("stopped; /continue goes on with it"),
            Err(signal) => return Err(signal.error()),
        }
        Ok(())
    }

    fn command(&self, command: &str) -> Result<()> {
        let session = &self.work.session;
        match command {
            "/help" => {
                for (name, does) in COMMANDS {
                    note(&format!("{name:<10} {does}"));
                }
                note(
                    "@FILE      in a sentence: give the model a document, an address or a picture; @\"A FILE\" with spaces",
                );
                note(
                    "/SKILL     and arguments: let the model use this skill; //WORD says a word with a slash",
                );
                note("\\          at the end of a line: go on in the next one");
                note("Ctrl-C     stop the model");
            }
            "/docs" => {
                for document in session.documents() {
                    let tables = counted(document.tables.len() as u64, "table");
                    self.output.line(&format!("{}  {tables}", document.name))?;
                }
            }
            "/files" => {
                for path in self.work.paths() {
                    self.output.data_line(&path)?;
                }
            }
            "/usage" => note(&self.usage()),
            "/details" => {
                let progress = &self.work.progress;
                progress.set_brief(!progress.is_brief());
                note(if progress.is_brief() {
                    "each call is one line from now on"
                } else {
                    "calls are shown with their measures and what they call from now on"
                });
            }
            "/log" => match &self.logged.name {
                Some(name) => {
                    note(&format!("run {name}: `mitt chat --resume {name}`, `mitt replay {name}`"))
                }
                None => note("it is not written down"),
            },
            other => note(&format!("there is no {other}; /help tells what there is")),
        }
        Ok(())
    }

    /// Prints which model is used, and which others could be.
    async fn tell_model(&self) {
        let context = match self.model.context_tokens().await {
            Some(tokens) => format!(", with a context of {} tokens", grouped(tokens)),
            None => String::new(),
        };
        note(&format!("{}{context}", self.name));
        let servers = local_servers().await;
        let others = servers.iter().flat_map(|server| &server.models);
        let others: Vec<&str> = others.map(String::as_str).filter(|it| *it != self.name).collect();
        if !others.is_empty() {
            note(&format!("on this machine there are also {}", others.join(", ")));
        }
        note("`/model NAME` takes another one; `mitt model list` shows the services");
    }

    /// Switches to another model. If it cannot be opened, nothing changes.
    async fn change_model(&mut self, name: String) {
        let opened =
            self.model_args.open(&name, self.settings).and_then(|it| self.model.switch(it));
        if let Err(error) = opened {
            note(&format!("error: {}", error.render()));
            return note(&format!("the model is still {}", self.name));
        }
        self.conversation.model_changed();
        self.display.set_model(&name);
        self.name = name;
        self.work.progress.finish();
        self.tell_model().await;
    }

    fn usage(&self) -> String {
        let usage = self.display.usage();
        let prices = Prices::known();
        let costs = usage.iter().map(|(model, usage)| prices.cost(model, usage));
        let cost = match costs.sum::<Option<Cost>>() {
            Some(cost) => format!("; about {cost} at the prices of {}", prices.date()),
            None => String::new(),
        };
        let sum = |part: fn(&Usage) -> u64| grouped(usage.iter().map(|(_, it)| part(it)).sum());
        let given = match self.display.given() {
            0 => String::new(),
            tokens => format!("; agents {} tokens beside that", grouped(tokens)),
        };
        format!(
            "{} tokens read, {} of them from a cache; {} written{cost}{given}",
            sum(|usage| usage.input),
            sum(|usage| usage.cached),
            sum(|usage| usage.output)
        )
    }
}

/// Returns a summary of what these requests used, and how much of its context the conversation fills.
fn spent_on(usage: &[(Arc<str>, Usage)], context: Option<u64>) -> String {
    let sum = |part: fn(&Usage) -> u64| grouped(usage.iter().map(|(_, it)| part(it)).sum());
    let costs = usage.iter().map(|(model, usage)| Prices::known().cost(model, usage));
    let cost = costs.sum::<Option<Cost>>().map_or_else(String::new, |it| format!(", about {it}"));
    // The next request begins with the context of the last one.
    let length = usage.last().map_or(0, |(_, usage)| usage.input + usage.output);
    let of = match context {
        Some(context) => {
            let percent = length.saturating_mul(100) / context.max(1);
            format!(" of {} ({percent} %)", grouped(context))
        }
        None => String::new(),
    };
    format!(
        "{} tokens read, {} written{cost}; the conversation has {}{of}",
        sum(|usage| usage.input),
        sum(|usage| usage.output),
        grouped(length)
    )
}

/// Returns `true` if a word of a sentence is an address, without characters that may belong to the sentence.
fn is_address(path: &Path) -> bool {
    let ends_well =
        |url: &str| url.ends_with(|c: char| c.is_ascii_alphanumeric() || "/=-_~%&".contains(c));
    url_of(path).is_some_and(|url| url.is_ascii() && ends_well(url))
}

fn tell_missing(report: &RunReport) {
    report.citations.problems().iter().for_each(|it| note(&format!("warning: {it}")));
    for missing in &report.missing {
        note(&format!("warning: {missing} was asked for and not delivered"));
    }
}

/// Asks the person at the terminal before a destructive tool is called.
struct Asks {
    line: LineEditor,
    progress: Progress,
}

#[async_trait]
impl Approver for Asks {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let read = async {
            match self.line.read("Go on? [y/N] ", false).await {
                Ok(LineInput::Line(answer)) => Some(answer),
                _ => None,
            }
        };
        ask(request, &self.progress, read).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_turn_used_is_of_the_context() {
        let mut usage = Usage::default();
        (usage.input, usage.output) = (2_900, 172);
        let spent = |context| spent_on(&[("m/unknown".into(), usage)], context);
        assert_eq!(
            spent(Some(4_096)),
            "2 900 tokens read, 172 written; the conversation has 3 072 of 4 096 (75 %)"
        );
        assert_eq!(spent(None), "2 900 tokens read, 172 written; the conversation has 3 072");
        assert!(spent(Some(0)).ends_with("of 0 (307200 %)"));
    }
}
