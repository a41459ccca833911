//! Output of a script, bounded while it is written.
//!
//! Knows text. The session decides where the whole text goes.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard};

use mitt_base::limits::{SCRIPT_OUTPUT_CHARACTERS, SCRIPT_WHOLE_OUTPUT_BYTES};
use mitt_base::memory::{Account, Charge};
use mitt_base::text::TRUNCATED;
use mitt_base::{Error, Result, lock};
use mitt_guard::{Blocked, Guard, Hit, Stream};

/// Output stream of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// `sys.stdout`.
    Stdout,
    /// `sys.stderr`.
    Stderr,
}

/// Receives output as it is written.
pub(crate) type Listener = Box<dyn Fn(OutputStream, &str) + Send + Sync>;

/// Standard output and standard error of one script.
#[derive(Default)]
pub(crate) struct Output {
    stdout: Mutex<Captured>,
    stderr: Mutex<Captured>,
    listener: Option<Listener>,
}

impl Output {
    /// Returns the output of a script, charged to `budget`.
    pub(crate) fn charged_to(budget: &Account) -> Output {
        let stream = || Mutex::new(Captured { charge: budget.nothing(), ..Captured::default() });
        Output { stdout: stream(), stderr: stream(), listener: None }
    }

    /// Sends `listener` the part of the output that goes into the result.
    pub(crate) fn heard_by(self, listener: Option<Listener>) -> Output {
        Output { listener, ..self }
    }

    /// Makes `guard` check all output before it is passed on.
    pub(crate) fn guarded_by(self, guard: &Guard) -> Output {
        if !guard.is_empty() {
            self.stdout().guard = Some(guard.stream());
            self.stderr().guard = Some(guard.stream());
        }
        self
    }

    /// Adds output.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`](mitt_base::ErrorKind::Blocked) - the guard blocks it. No more output is accepted.
    pub(crate) fn write(&self, stream: OutputStream, text: &str) -> Result<()> {
        let mut captured = self.stream(stream);
        let text = captured.guarded(text).map_err(|blocked| blocked_in(stream, *blocked))?;
        self.take(stream, &mut captured, &text);
        Ok(())
    }

    /// Ends the output: adds what the guard has held back, and returns what it has found.
    ///
    /// # Errors
    ///
    /// Those of [`Output::write`].
    pub(crate) fn finish(&self) -> Result<Vec<Hit>> {
        let mut hits = Vec::new();
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            let mut captured = self.stream(stream);
            let text = captured.end_guard().map_err(|blocked| blocked_in(stream, *blocked))?;
            self.take(stream, &mut captured, &text);
            hits.append(&mut captured.hits);
        }
        Ok(hits)
    }

    fn take(&self, stream: OutputStream, captured: &mut Captured, text: &str) {
        let kept = captured.write(text);
        // Called under the lock, so that listeners receive the output in order.
        if let Some(listener) = self.listener.as_ref().filter(|_| !kept.is_empty()) {
            listener(stream, &kept);
        }
    }

    fn stream(&self, stream: OutputStream) -> MutexGuard<'_, Captured> {
        match stream {
            OutputStream::Stdout => self.stdout(),
            OutputStream::Stderr => self.stderr(),
        }
    }

    pub(crate) fn stdout(&self) -> MutexGuard<'_, Captured> {
        lock(&self.stdout)
    }

    pub(crate) fn stderr(&self) -> MutexGuard<'_, Captured> {
        lock(&self.stderr)
    }
}

/// One stream: its beginning, and the whole text unless it is too long.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    text: String,
    /// Bytes of `text` that go into the result; `None` while all of it does.
    cut: Option<usize>,
    characters: u64,
    /// `true` if the whole text was too long, or there was no memory for it. Only the beginning is left then.
    is_lost: bool,
    charge: Charge,
    /// Guard, which checks all text first.
    guard: Option<Stream>,
    /// What the guard has found.
    hits: Vec<Hit>,
}

fn blocked_in(stream: OutputStream, blocked: Blocked) -> Error {
    Error::from(blocked).at(match stream {
        OutputStream::Stdout => "standard output",
        OutputStream::Stderr => "standard error",
    })
}

impl Captured {
    /// Returns the part of the text so far that the guard has passed.
    fn guarded<'t>(&mut self, text: &'t str) -> Result<Cow<'t, str>, Box<Blocked>> {
        let Some(guard) = &mut self.guard else { return Ok(Cow::Borrowed(text)) };
        let passed = guard.push(text)?;
        self.hits.extend(passed.hits);
        Ok(Cow::Owned(passed.text))
    }

    fn end_guard(&mut self) -> Result<String, Box<Blocked>> {
        let Some(guard) = self.guard.take() else { return Ok(String::new()) };
        let passed = guard.finish()?;
        self.hits.extend(passed.hits);
        Ok(passed.text)
    }

    /// Adds text. Returns the part of it that goes into the result, with the mark if it is cut.
    fn write<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let (was_cut, before) = (self.is_cut(), self.text.len());
        self.take_in(text);
        match self.cut {
            None => Cow::Borrowed(text),
            Some(_) if was_cut => Cow::Borrowed(""),
            Some(cut) => {
                let kept = cut.checked_sub(before).and_then(|end| text.get(..end));
                Cow::Owned(format!("{}{TRUNCATED}", kept.unwrap_or_default()))
            }
        }
    }

    fn take_in(&mut self, text: &str) {
        if self.is_lost {
            return;
        }
        let before = self.text.len();
        let room = SCRIPT_WHOLE_OUTPUT_BYTES.saturating_sub(before as u64);
        let mut is_too_long = text.len() as u64 > room;
        if !is_too_long && self.charge.grow(text.len() as u64).is_err() {
            is_too_long = true;
            // The part for the result is small, and its end is marked.
            self.cut.get_or_insert(before);
        }
        if self.cut.is_none() {
            let left = SCRIPT_OUTPUT_CHARACTERS - self.characters;
            let fits = usize::try_from(left).unwrap_or(usize::MAX);
            match text.char_indices().nth(fits) {
                Some((end, _)) => self.cut = Some(before + end),
                // Text without a cut is at most as long as the limit allows.
                None => self.characters += text.chars().count() as u64,
            }
        }
        if !is_too_long {
            self.text.push_str(text);
            return;
        }
        if let Some(cut) = self.cut {
            if cut > before {
                self.text.push_str(&text[..cut - before]);
            }
            self.text.truncate(cut);
        }
        self.text.shrink_to_fit();
        self.is_lost = true;
        self.charge.shrink(self.charge.bytes().saturating_sub(self.text.len() as u64));
    }

    /// Returns whether part of the stream is missing from the result.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Returns the part for the result, with a mark where it was cut.
    pub(crate) fn kept(&self) -> String {
        match self.cut {
            None => self.text.clone(),
            Some(cut) => format!("{}{TRUNCATED}", self.text.get(..cut).unwrap_or_default()),
        }
    }

    /// Returns the whole text of a stream that was cut, if it is still available.
    pub(crate) fn take_whole(&mut self) -> Option<String> {
        (self.cut.is_some() && !self.is_lost).then(|| std::mem::take(&mut self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = SCRIPT_OUTPUT_CHARACTERS as usize;

    fn written(parts: &[&str]) -> Captured {
        let mut captured = Captured::default();
        let text: String = parts.iter().map(|part| captured.write(part)).collect();
        assert_eq!(text, captured.kept(), "what is shown is what is kept");
        captured
    }

    #[test]
    fn what_fits_is_kept_as_it_is() {
        let full = "年".repeat(LIMIT);
        for parts in [&["a", "", "b\n"][..], &[&full], &[&full[..3], &full[3..]]] {
            let captured = written(parts);
            assert_eq!(captured.kept(), parts.concat());
            assert!(!captured.is_cut());
        }
    }

    #[test]
    fn output_is_cut_between_characters_however_it_is_written() {
        let text = format!("{}é年tail", "年".repeat(LIMIT - 1));
        let kept = format!("{}é{TRUNCATED}", "年".repeat(LIMIT - 1));
        let ways: [Vec<String>; 3] = [
            vec![text.clone()],
            text.chars().map(String::from).collect(),
            vec![text[..99].to_owned(), text[99..].to_owned(), "more".to_owned()],
        ];
        for way in ways {
            let parts: Vec<&str> = way.iter().map(String::as_str).collect();
            let mut captured = written(&parts);
            assert_eq!(captured.kept(), kept);
            assert_eq!(captured.take_whole().unwrap(), way.concat());
        }
    }

    #[test]
    fn the_whole_text_is_charged_and_the_beginning_stays() {
        let budget = Account::root(mitt_base::Resource::CallMemory, 100_000);
        let output = Output::charged_to(&budget);
        output.write(OutputStream::Stdout, &"x".repeat(60_000)).unwrap();
        assert_eq!(budget.usage().used, 60_000);
        output.write(OutputStream::Stderr, "short").unwrap();
        output.write(OutputStream::Stderr, &"y".repeat(60_000)).unwrap();
        assert_eq!(output.stderr().kept(), format!("short{TRUNCATED}"));
        assert!(output.stderr().is_cut() && output.stderr().take_whole().is_none());
        assert_eq!(budget.usage().used, 60_005);
        output.write(OutputStream::Stdout, &"x".repeat(60_000)).unwrap();
        assert_eq!(output.stdout().kept(), format!("{}{TRUNCATED}", "x".repeat(LIMIT)));
        assert_eq!(budget.usage().used, LIMIT as u64 + 5);
        drop(output);
        assert_eq!(budget.usage().used, 0);
    }

    #[test]
    fn the_whole_text_is_bounded_too() {
        let line = "x".repeat(1 << 20);
        let mut captured = Captured::default();
        for _ in 0..8 {
            captured.write(&line);
        }
        assert!(captured.take_whole().is_some());
        let mut captured = Captured::default();
        for _ in 0..20 {
            captured.write(&line);
            assert!(captured.text.capacity() as u64 <= 2 * SCRIPT_WHOLE_OUTPUT_BYTES);
        }
        assert_eq!(captured.text.len(), LIMIT);
        assert_eq!(captured.kept(), format!("{}{TRUNCATED}", "x".repeat(LIMIT)));
        assert!(captured.take_whole().is_none());
        // Written in one piece.
        let mut captured = written(&[&"y".repeat(9 << 20)]);
        assert_eq!(captured.kept().len(), LIMIT + TRUNCATED.len());
        assert!(captured.take_whole().is_none());
    }
}
