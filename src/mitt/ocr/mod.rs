//! Text in pictures: who recognises it, and the program `tesseract` as one that does.
//!
//! What a recogniser is given was made in the sandbox (`plugins/reader-images`): a grey picture of a bounded size. Knows no documents
//! and no sessions.
//!
//! ```text
//! process.rs        a program with a deadline, a bound on its output and limits of the system
//!   tesseract.rs    finding it, its languages, what it is asked
//! layout.rs         its words as lines and paragraphs
//! ```

mod layout;
mod process;
mod tesseract;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use mitt_base::Result;

pub use tesseract::Tesseract;

/// Default of [`OcrOptions::time`].
const TIME: Duration = Duration::from_secs(600);

/// Default of [`OcrOptions::pages`].
const PAGES: usize = 500;

/// Who recognises text in pictures: a program, a library, a service.
#[async_trait::async_trait]
pub trait Ocr: Debug + Send + Sync {
    /// Read a picture. Whoever waits may stop to do so at any time: what was begun is then to be ended.
    ///
    /// # Errors
    ///
    /// Any: the page is then told as not read, and the others go on.
    async fn recognise(&self, picture: Picture) -> Result<Recognised>;

    /// By how many degrees clockwise the picture has to be turned so that its text stands upright: 0, 90, 180 or 270. It is asked of
    /// pictures whose text is not certain. None, the default, where nobody knows: then all are tried where next to nothing was legible.
    async fn turned(&self, _: Picture) -> Option<u32> {
        None
    }

    /// What it is, and for which languages, as users are told: `tesseract 5.3.0, chi_sim+eng`.
    async fn name(&self) -> String;

    /// What users are told of all that it reads, such as a language that is missing; nothing by default.
    async fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A picture that is to be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Picture {
    /// PNG, grey, of at most 20 million pixels.
    pub png: Arc<[u8]>,
}

impl Picture {
    pub(crate) fn new(png: Vec<u8>) -> Picture {
        Picture { png: png.into() }
    }
}

/// What was read of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recognised {
    /// Its text: paragraphs with empty lines between them, in reading order.
    pub text: String,
    /// How certain it is, in percent; none where nobody knows.
    pub confidence: Option<f64>,
    /// Lines that are not certain.
    pub doubtful: Vec<String>,
    /// By how many degrees clockwise the page was turned before. Said by Mitt, not by who recognises it.
    pub turned: u32,
}

/// How a host has text in pictures recognised. See [`HostBuilder::ocr`](crate::HostBuilder::ocr).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OcrOptions {
    /// Who does it.
    pub engine: Arc<dyn Ocr>,
    /// How long the pages of one document may take. Those that are left then are told as not read. Default 10 min.
    pub time: Duration,
    /// Most pages of one document; the first ones count. Default 500.
    pub pages: usize,
}

impl OcrOptions {
    /// The defaults, with this engine.
    pub fn new(engine: Arc<dyn Ocr>) -> OcrOptions {
        OcrOptions { engine, time: TIME, pages: PAGES }
    }
}
