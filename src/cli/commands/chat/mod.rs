//! `mitt chat`: a conversation at the terminal.

mod line;
mod told;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;

use super::exec::terminal::ask;
use super::logged::{Begun, Logged, add_documents, log_document, open, read_given, resume};
use super::pictures::{give, picture};
use super::run::found;
use super::started;
use super::work::Work;
use crate::args::{Chat, Global};
use crate::asking::no_model;
use crate::interrupt::{Signal, or_signal};
use crate::output::{Output, note};
use crate::progress::Progress;
use crate::runs::{OpenRun, RECORDING};
use line::{Line, Read};
use mitt::{ApprovalRequest, Approver, Decision, url_of};
use mitt_agent::model::{Cost, Image, Prices, Usage};
use mitt_agent::{Conversation, LoggedRun, RunReport};
use mitt_base::rows::{counted, grouped};
use mitt_base::{Error, Result, text};
use told::Told;
use words::{COMMANDS, Typed, is_own, understand};

/// Most characters of what was said before that are shown again.
const SHOWN: usize = 400;

/// A conversation at the terminal.
struct Talk<'a> {
    conversation: Conversation<'a>,
    work: &'a Work,
    line: Line,
    told: Arc<Told>,
    output: &'a Output,
    model: &'a str,
    logged: Logged,
    /// Pictures that the model is shown with the next words.
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
        started::restore(&header.options, &mut global, &mut command.asking, None);
    }
    let global = &global;
    let (asking, settings) = (&command.asking.named, &global.settings);
    // A recording has no more to say: whoever goes on talking does so with a model.
    let logged_model = header.as_ref().map(|header| header.model.clone());
    let logged_model = logged_model.filter(|name| !name.starts_with(RECORDING));
    let Some(name) = asking.model.clone().or(logged_model).or_else(|| asking.name(settings)) else {
        return Err(no_model(found().await));
    };
    if header.is_none() {
        asking.tell_project(settings);
    }
    let model = asking.open(&name, settings)?;
    let tools =
        header.as_ref().map_or_else(|| command.asking.tools(settings), |header| header.tools);
    let folder = command.out.named().or(header.and_then(|header| header.folder));
    let line = Line::open()?;
    let told = Arc::new(Told::default());
    let work = Work::open_with(global, output, |options, progress| {
        options.folder = Some(folder.unwrap_or_else(|| command.out.folder(settings)));
        options.events = Some(told.sink(progress));
        let (line, progress) = (line.clone(), progress.clone());
        options.approver = Some(Arc::new(Asks { line, progress }));
    })
    .await?
    .with_password(&command.password)?;
    let (documents, images) = read_given(&work, &command.docs).await?;
    let agent = command.asking.agent(model, tools, settings, &work.session, false).await?;
    if let Some(open) = &resumed {
        add_documents(&work, &open.run, true).await?;
        work.progress.finish();
        tell_what_was(&open.name, &open.run);
    }
    let options = started::of(global, &command.asking, None);
    let begun = Begun { model: &name, tools, options };
    let begun = (!command.log.no_log).then_some(begun);
    let (conversation, logged) = open(&agent, &work, resumed, begun, &documents).await?;
    work.progress.finish();
    work.progress.set_brief(true);
    note(&format!("{name}; /help tells what can be typed, Ctrl-D ends"));
    let mut talk =
        Talk { conversation, work: &work, line, told, output, model: &name, logged, images };
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
                Ok(Ok(Read::Line(typed))) => typed,
                Ok(Ok(Read::Interrupted)) => {
                    note("Ctrl-D or /quit ends");
                    continue;
                }
                Ok(Ok(Read::End)) => return Ok(ExitCode::SUCCESS),
                Ok(Err(error)) => return Err(error),
                Err(signal) => return Err(signal.error()),
            };
            match understand(&typed, |path| path.is_file() || is_address(path)) {
                Typed::Nothing => {}
                Typed::Command(command) if command == "/quit" => return Ok(ExitCode::SUCCESS),
                Typed::Command(command) if command == "/continue" => self.turn(None).await?,
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
                        // Nothing was said to the model.
                        Err(error) => note(&format!("error: {}", error.render())),
                    }
                }
            }
        }
    }

    /// Follow a command that is none of the chat's own: it names a skill, perhaps, and whoever routes it says so if not.
    async fn skill(&mut self, command: String) -> Result<()> {
        let n_before = self.conversation.messages().len();
        let own = text::nearest(&command, COMMANDS.iter().map(|(name, _)| *name));
        let own = own.first().map(|own| format!("hint: the chat itself has `{own}`"));
        let images = std::mem::take(&mut self.images);
        self.turn(Some((command, images.clone()))).await?;
        if self.conversation.messages().len() == n_before {
            // Nothing was said to the model, so it has not seen them.
            self.images = images;
            own.iter().for_each(|hint| note(hint));
        }
        Ok(())
    }

    /// Read the files of a line: documents for the session, pictures for the model.
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

    /// Let the model work; without words, on what was stopped.
    async fn turn(&mut self, said: Option<(String, Vec<Image>)>) -> Result<()> {
        if said.is_none() && !self.conversation.is_unfinished() {
            note("there is nothing to go on with: the last words were followed to their end");
            return Ok(());
        }
        let n_before = self.work.session.artifacts();
        let n_asked = self.told.usage().len();
        self.work.progress.go_on();
        self.work.progress.doing("asking the model");
        let streamed = self.told.begin(*self.output, &self.work.progress);
        let done = or_signal(async {
            match said {
                Some((text, images)) => self.conversation.say_with(&text, images).await.map(Some),
                None => self.conversation.go_on().await,
            }
        });
        let done = done.await;
        self.told.end(streamed);
        self.work.progress.finish();
        for artifact in self.work.session.artifacts() {
            if !n_before.contains(&artifact) {
                self.output.data_line(&self.work.path(&artifact))?;
            }
        }
        let usage = self.told.usage();
        if let Some(spent) = usage.get(n_asked..).filter(|it| !it.is_empty()) {
            note(&format!("({})", self.spent(spent)));
        }
        match done {
            Ok(Ok(report)) => report.iter().for_each(tell_missing),
            Ok(Err(error)) => {
                note(&format!("error: {}", error.render()));
                // A command that cannot be followed begins nothing.
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
                note(match progress.is_brief() {
                    true => "each call is one line from now on",
                    false => "calls are shown with their measures and what they call from now on",
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

    /// What these requests took, in a few words.
    fn spent(&self, usage: &[Usage]) -> String {
        let sum = |part: fn(&Usage) -> u64| grouped(usage.iter().map(part).sum());
        let costs = usage.iter().map(|usage| Prices::known().cost(self.model, usage));
        let cost =
            costs.sum::<Option<Cost>>().map_or_else(String::new, |it| format!(", about {it}"));
        // What the last request had is what the next one begins with.
        let length = usage.last().map_or(0, |usage| usage.input + usage.output);
        format!(
            "{} tokens read, {} written{cost}; the conversation has {}",
            sum(|usage| usage.input),
            sum(|usage| usage.output),
            grouped(length)
        )
    }

    fn usage(&self) -> String {
        let usage = self.told.usage();
        let prices = Prices::known();
        let costs = usage.iter().map(|usage| prices.cost(self.model, usage));
        let cost = match costs.sum::<Option<Cost>>() {
            Some(cost) => format!("; about {cost} at the prices of {}", prices.date()),
            None => String::new(),
        };
        let sum = |part: fn(&Usage) -> u64| grouped(usage.iter().map(part).sum());
        let given = match self.told.given() {
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

/// Whether a word of a sentence is an address, without what may belong to the sentence.
fn is_address(path: &Path) -> bool {
    let ends_well =
        |url: &str| url.ends_with(|c: char| c.is_ascii_alphanumeric() || "/=-_~%&".contains(c));
    url_of(path).is_some_and(|url| url.is_ascii() && ends_well(url))
}

fn tell_missing(report: &RunReport) {
    for missing in &report.missing {
        note(&format!("warning: {missing} was asked for and not delivered"));
    }
}

/// Asks the person at the terminal before a tool is called that may destroy something.
struct Asks {
    line: Line,
    progress: Progress,
}

#[async_trait]
impl Approver for Asks {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let read = async {
            match self.line.read("Go on? [y/N] ", false).await {
                Ok(Read::Line(answer)) => Some(answer),
                _ => None,
            }
        };
        ask(request, &self.progress, read).await
    }
}
