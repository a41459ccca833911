//! The inbox of a run as its owner reads it: in order, and each request once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use bytes::Bytes;
use tokio::sync::Notify;

use super::control::{Control, Stop};
use super::desk::{Desk, answered};
use super::entry::{InboxRecord, NewDocument, Withdrawal};
use super::options::ToolOutput;
use super::spec::AnswerDemand;
use super::state::Question;
use crate::store::{RunKey, Store, StoreError, StoreResult, Stream};
use mitt_agent::Steering;
use mitt_base::{Error, ErrorKind, Result, lock};

/// Records that are read at once.
const AT_ONCE: usize = 64;

/// Most instructions that clients wanted back and that are remembered.
const MAX_WITHDRAWALS: usize = 100;

/// An instruction from the inbox.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    /// Number of its record.
    pub(super) number: u64,
    /// Its text.
    pub(super) text: String,
    /// Documents that come with it and are not in the session yet.
    pub(super) documents: VecDeque<NewDocument>,
    /// The container in which scripts run from then on.
    pub(super) container: Option<String>,
    /// What the caller demands of the answer.
    pub(super) demand: AnswerDemand,
}

/// The inbox of a run.
pub(super) struct Inbox {
    store: Arc<dyn Store>,
    key: RunKey,
    control: Arc<Control>,
    /// Set before anything is read.
    /// Weak, because the desk has the keeper, which reads the progress of this inbox.
    desk: OnceLock<Weak<Desk>>,
    state: Mutex<State>,
    /// Notified when an instruction arrives.
    pub(super) arrived: Notify,
    /// Notified when the model has got an instruction, so that clients see that it does not wait any more.
    pub(super) changed: Notify,
}

#[derive(Default)]
struct State {
    /// Number of the last record that was read.
    read: u64,
    /// Instructions that wait.
    waiting: VecDeque<Said>,
    /// Instructions that the model gets before its next turn.
    given: VecDeque<Said>,
    /// The conversation that gets them, while there is one. Its queue has the last ones of `given`.
    steering: Option<Steering>,
    /// Instructions that clients wanted back.
    withdrawals: Vec<Withdrawal>,
    /// Results of the caller's functions, with the numbers of their records.
    outputs: Vec<(u64, ToolOutput)>,
    /// A question of an earlier session.
    parked: Option<Question>,
    /// `true` if a client wants to go on with what was interrupted.
    is_resumed: bool,
    /// `true` if a client answered the question of the earlier session.
    is_answered: bool,
    /// `true` if a client cancelled the run, and nothing came after that.
    is_cancelled: bool,
    /// The last title, with the number of its record.
    title: Option<(u64, String)>,
    /// `true` if the title or a withdrawal may not be in the record of the run yet.
    needs_write: bool,
}

/// What clients want of a run that is taken up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Go on with what was interrupted, or with the answer to a question.
    pub(super) goes_on: bool,
    /// Do nothing.
    pub(super) is_cancelled: bool,
}

impl Inbox {
    pub(super) fn new(store: Arc<dyn Store>, key: RunKey, control: Arc<Control>) -> Inbox {
        Inbox {
            store,
            key,
            control,
            desk: OnceLock::new(),
            state: Mutex::default(),
            arrived: Notify::new(),
            changed: Notify::new(),
        }
    }

    /// Sets who gets the answers to questions.
    pub(super) fn set_desk(&self, desk: &Arc<Desk>) {
        // It is set once.
        let _ = self.desk.set(Arc::downgrade(desk));
    }

    /// Begins after the record of this number. `parked` is the question of an earlier session.
    pub(super) fn begin(&self, done: u64, parked: Option<Question>) {
        *lock(&self.state) = State { read: done, parked, ..State::default() };
    }

    /// Returns the number of the last record that need not be read again.
    pub(super) fn done(&self) -> u64 {
        let state = lock(&self.state);
        let said = state.given.iter().chain(&state.waiting).map(|said| said.number);
        let open = said.chain(state.outputs.iter().map(|(number, _)| *number)).min();
        open.map_or(state.read, |open| open.saturating_sub(1))
    }

    /// Returns the last title that a client sent, with the number of its record.
    pub(super) fn title(&self) -> Option<(u64, String)> {
        lock(&self.state).title.clone()
    }

    /// Returns the last instructions that clients wanted back.
    pub(super) fn withdrawals(&self) -> Vec<Withdrawal> {
        lock(&self.state).withdrawals.clone()
    }

    /// Returns `true` if the store has a record that was not read and that needs a worker, which a title and a withdrawal do
    /// not.
    pub(super) async fn has_unread_work(&self) -> bool {
        let read = lock(&self.state).read;
        let read = self.store.read(&self.key, Stream::Inbox, read, AT_ONCE).await;
        let is_work = |record: &Bytes| {
            let record = serde_json::from_slice(record);
            !matches!(record, Ok(InboxRecord::Title { .. } | InboxRecord::Withdraw { .. }))
        };
        read.is_ok_and(|records| records.len() >= AT_ONCE || records.iter().any(is_work))
    }

    /// Reads what is there, before anything is done.
    ///
    /// # Errors
    ///
    /// The store failed, or the run was deleted.
    pub(super) async fn collect(&self) -> StoreResult<Wanted> {
        self.read_all(false).await?;
        let mut state = lock(&self.state);
        state.parked = None;
        let goes_on = state.is_resumed || state.is_answered;
        (state.is_resumed, state.is_answered) = (false, false);
        Ok(Wanted { goes_on, is_cancelled: std::mem::take(&mut state.is_cancelled) })
    }

    /// Reads requests as they arrive, until the run is lost.
    pub(super) async fn listen(&self) {
        let failed = match self.listen_until_failure().await {
            StoreError::Failed(error) => Stop::Failed(error),
            _ => Stop::Lost,
        };
        self.control.stop(failed);
    }

    async fn listen_until_failure(&self) -> StoreError {
        let mut watch = match self.store.watch(&self.key, Stream::Inbox).await {
            Ok(watch) => watch,
            Err(error) => return error,
        };
        loop {
            if let Err(error) = self.read_all(true).await {
                return error;
            }
            self.write_new().await;
            let read = lock(&self.state).read;
            if let Err(error) = watch.last_after(read).await {
                return error;
            }
        }
    }

    /// Writes a title or a withdrawal that has arrived into the record of the run, so that clients see it soon.
    async fn write_new(&self) {
        let is_new = std::mem::take(&mut lock(&self.state).needs_write);
        if is_new && let Some(desk) = self.desk.get().and_then(Weak::upgrade) {
            // A run that is lost is stopped by the keeper.
            let _ = desk.keeper.touch().await;
        }
    }

    async fn read_all(&self, is_working: bool) -> StoreResult<()> {
        loop {
            let read = lock(&self.state).read;
            let records = self.store.read(&self.key, Stream::Inbox, read, AT_ONCE).await?;
            if records.is_empty() {
                return Ok(());
            }
            for record in records {
                // A record of a later version is left out.
                self.take_in(serde_json::from_slice(&record).ok(), is_working);
            }
        }
    }

    fn take_in(&self, record: Option<InboxRecord>, is_working: bool) {
        let mut state = lock(&self.state);
        state.read += 1;
        let number = state.read;
        match record {
            Some(InboxRecord::Message { text, documents, container, demand, .. }) => {
                state.is_cancelled = false;
                let documents = documents.into();
                state.waiting.push_back(Said { number, text, documents, container, demand });
                drop(state);
                self.arrived.notify_one();
            }
            Some(InboxRecord::Withdraw { message }) => {
                let is_done = state.withdraw(message);
                if state.withdrawals.len() >= MAX_WITHDRAWALS {
                    state.withdrawals.remove(0);
                }
                state.withdrawals.push(Withdrawal { record: number, is_done });
                state.needs_write = true;
            }
            Some(InboxRecord::Answer(answer)) => {
                let parked = state.parked.take_if(|question| question.id() == answer.question);
                state.is_answered |= parked.is_some();
                drop(state);
                let Some(desk) = self.desk.get().and_then(Weak::upgrade) else { return };
                match parked {
                    Some(question) => {
                        desk.outbox.push(None, answered(&answer));
                        desk.keep(question, answer);
                    }
                    // A question that nobody asks any more needs no answer.
                    None => drop(desk.answer(answer)),
                }
            }
            Some(InboxRecord::Output { call, output }) => {
                state.outputs.push((number, ToolOutput { call, output }));
            }
            Some(InboxRecord::Title { title }) => {
                (state.title, state.needs_write) = (Some((number, title)), true);
            }
            Some(InboxRecord::Resume) => (state.is_resumed, state.is_cancelled) = (true, false),
            Some(InboxRecord::Cancel) => {
                let (title, needs_write) = (state.title.take(), state.needs_write);
                let withdrawals = std::mem::take(&mut state.withdrawals);
                *state = State {
                    read: number,
                    is_cancelled: true,
                    title,
                    withdrawals,
                    needs_write,
                    ..State::default()
                };
                drop(state);
                if is_working {
                    self.control.stop(Stop::Cancelled);
                }
            }
            None => {}
        }
    }

    /// Returns the text of the instruction in the record of this number.
    ///
    /// # Errors
    ///
    /// The store failed, or the record is none.
    pub(super) async fn text_of(&self, number: u64) -> Result<String> {
        let damaged = || Error::new(ErrorKind::Host, "the inbox of the run is damaged");
        let before = number.saturating_sub(1);
        let records = match self.store.read(&self.key, Stream::Inbox, before, 1).await {
            Ok(records) => records,
            Err(StoreError::Failed(error)) => return Err(error),
            Err(_) => return Err(damaged()),
        };
        let record = records.first().and_then(|record| serde_json::from_slice(record).ok());
        match record {
            Some(InboxRecord::Message { text, .. }) => Ok(text),
            _ => Err(damaged()),
        }
    }

    /// Returns the results of the caller's functions that have arrived.
    pub(super) fn outputs(&self) -> Vec<ToolOutput> {
        lock(&self.state).outputs.iter().map(|(_, output)| output.clone()).collect()
    }

    /// Returns `true` if results of the caller's functions have arrived.
    pub(super) fn has_outputs(&self) -> bool {
        !lock(&self.state).outputs.is_empty()
    }

    /// Forgets the results of the caller's functions, which the model has or does not need any more.
    pub(super) fn clear_outputs(&self) {
        lock(&self.state).outputs.clear();
    }

    /// Returns the next document of the first instruction that waits, with the number of the instruction.
    pub(super) fn next_document(&self) -> Option<(u64, NewDocument)> {
        let state = lock(&self.state);
        let said = state.waiting.front()?;
        Some((said.number, said.documents.front().cloned()?))
    }

    /// Notes that the next document of instruction `number` was added, or why it was not, which the model reads.
    pub(super) fn document_done(&self, number: u64, problem: Option<&str>) {
        let mut state = lock(&self.state);
        // It may have been taken back meanwhile.
        let Some(said) = state.waiting.front_mut().filter(|said| said.number == number) else {
            return;
        };
        said.documents.pop_front();
        if let Some(problem) = problem {
            said.text.push_str("\n\n(From the host, not from the user.) ");
            said.text.push_str(problem);
        }
    }

    /// Returns `true` if an instruction waits.
    pub(super) fn is_waiting(&self) -> bool {
        !lock(&self.state).waiting.is_empty()
    }

    /// Takes the next instruction, if its documents are in the session.
    pub(super) fn next(&self) -> Option<Said> {
        lock(&self.state).next_ready()
    }

    /// Sets the conversation that gets further instructions.
    pub(super) fn set_steering(&self, steering: Steering) {
        lock(&self.state).steering = Some(steering);
    }

    /// Gives the next instruction whose documents are in the session to the model, which reads it before its next turn. Returns
    /// `false` if the model has too many already, or if the caller demands something of its answer: then it waits.
    pub(super) fn give(&self) -> bool {
        let mut state = lock(&self.state);
        if state.waiting.front().is_some_and(|said| !said.demand.is_none()) {
            return false;
        }
        let Some(said) = state.next_ready() else { return true };
        let queued = state.steering.as_ref().map(|steering| steering.say(said.text.clone()));
        let is_given = matches!(queued, Some(Ok(())));
        if is_given {
            state.given.push_back(said);
        } else {
            state.waiting.push_front(said);
        }
        is_given
    }

    /// Notes that the model has got the first of the given instructions.
    pub(super) fn was_read(&self) {
        lock(&self.state).given.pop_front();
        self.changed.notify_one();
    }

    /// Takes back what the model has not got.
    pub(super) fn take_back(&self) {
        let mut state = lock(&self.state);
        state.steering = None;
        while let Some(said) = state.given.pop_back() {
            state.waiting.push_front(said);
        }
    }
}

impl State {
    /// Takes the next instruction whose documents are in the session.
    fn next_ready(&mut self) -> Option<Said> {
        self.waiting.front().filter(|said| said.documents.is_empty())?;
        self.waiting.pop_front()
    }

    /// Takes an instruction back. Returns `false` if the model has it already.
    fn withdraw(&mut self, number: u64) -> bool {
        let at = |said: &VecDeque<Said>| said.iter().position(|said| said.number == number);
        if let Some(at) = at(&self.waiting) {
            return self.waiting.remove(at).is_some();
        }
        let (Some(at), Some(steering)) = (at(&self.given), &self.steering) else { return false };
        let mut texts = steering.take();
        // The conversation has taken the others, and reports soon that the model has them.
        let first = self.given.len().saturating_sub(texts.len());
        let is_queued = at >= first;
        if is_queued {
            texts.remove(at - first);
            self.given.remove(at);
        }
        for text in texts {
            // It had a place before.
            let _ = steering.say(text);
        }
        is_queued
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(waiting: &[u64], given: &[u64], queued: &[u64]) -> State {
        let said = |number: &u64| Said {
            number: *number,
            text: number.to_string(),
            documents: VecDeque::new(),
            container: None,
            demand: AnswerDemand::default(),
        };
        let steering = Steering::default();
        queued.iter().for_each(|number| steering.say(number.to_string()).unwrap());
        State {
            waiting: waiting.iter().map(said).collect(),
            given: given.iter().map(said).collect(),
            steering: Some(steering),
            ..State::default()
        }
    }

    #[test]
    fn an_instruction_is_taken_back_until_the_model_has_it() {
        for (number, expected, left) in [
            (1, false, "1234 34"),
            (3, true, "124 4"),
            (4, true, "123 3"),
            (5, true, "1234 34"),
            (7, false, "1234 34"),
        ] {
            // The conversation has taken 1 and 2, and has not reported that yet.
            let mut state = state(&[5, 6], &[1, 2, 3, 4], &[3, 4]);
            assert_eq!(state.withdraw(number), expected, "{number}");
            let given: String = state.given.iter().map(|said| said.text.as_str()).collect();
            let queued = state.steering.as_ref().unwrap().take().concat();
            assert_eq!(format!("{given} {queued}"), left, "{number}");
            assert_eq!(state.waiting.len(), if number == 5 { 1 } else { 2 });
        }
    }
}
