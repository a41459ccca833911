//! Recognition of text in pictures: the interface for engines, and one that uses the program `tesseract`.
//!
//! An engine receives a picture that was made in the sandbox (`plugins/reader-images`): grey, of limited size. Knows no documents
//! and no sessions.
//!
//! ```text
//! process.rs        runs a program with a deadline, a limit on its output and system limits
//!   tesseract.rs    finds the program and its languages, and calls it
//! layout.rs         joins its words to lines and paragraphs
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

/// Recognises text in pictures, by a program, a library or a service.
#[async_trait::async_trait]
pub trait Ocr: Debug + Send + Sync {
    /// Recognises the text of a picture. The caller may drop the future at any time, which must end the work.
    ///
    /// # Errors
    ///
    /// Any error; the page is then reported as not read, and the others continue.
    async fn recognise(&self, picture: Picture) -> Result<Recognised>;

    /// Returns by how many degrees clockwise the picture must be rotated so that its text is upright: 0, 90, 180 or 270. Called
    /// for pictures with low confidence. The default is `None`, for unknown: all rotations are tried then if the text is
    /// illegible.
    async fn turned(&self, _: Picture) -> Option<u32> {
        None
    }

    /// Returns name and languages of the engine for users: `tesseract 5.3.0, chi_sim+eng`.
    async fn name(&self) -> String;

    /// Returns warnings that apply to all its results, such as a missing language. Default: none.
    async fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Picture whose text is recognised.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Picture {
    /// PNG, grey, at most 20 million pixels.
    pub png: Arc<[u8]>,
}

impl Picture {
    pub(crate) fn new(png: Vec<u8>) -> Picture {
        Picture { png: png.into() }
    }
}

/// Text recognised in a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recognised {
    /// The text: paragraphs in reading order, separated by empty lines.
    pub text: String,
    /// Confidence in percent; `None` if unknown.
    pub confidence: Option<f64>,
    /// Lines with low confidence.
    pub doubtful: Vec<String>,
    /// Degrees by which the page was rotated clockwise before. Set by Mitt, not by the engine.
    pub turned: u32,
}

/// Settings for recognising text in pictures. See `HostBuilder::ocr` of `mitt`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OcrOptions {
    /// Engine that recognises the text.
    pub engine: Arc<dyn Ocr>,
    /// Longest time for the pages of one document. Pages that remain then are reported as not read. Default: 10 min.
    pub time: Duration,
    /// Most pages of one document; the first ones are read. Default: 500.
    pub pages: usize,
}

impl OcrOptions {
    /// Returns the defaults, with this engine.
    pub fn new(engine: Arc<dyn Ocr>) -> OcrOptions {
        OcrOptions { engine, time: TIME, pages: PAGES }
    }
}
