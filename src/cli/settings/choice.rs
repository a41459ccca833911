//! Options and settings that are one of a few words.

use clap::ValueEnum;

/// When a worker process does long work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkerMode {
    /// A worker process does it if one can be started, otherwise this process.
    #[default]
    Auto,
    /// Without a worker process the work fails.
    Always,
    /// This process does it.
    Never,
}

/// When text in pictures is recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OcrMode {
    /// If the program for it is installed.
    #[default]
    Auto,
    /// Never.
    Never,
}

/// How texts of delivered CSV files are treated that a spreadsheet would calculate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormulasMode {
    /// An apostrophe is put in front of each.
    #[default]
    Harmless,
    /// The file is refused.
    Refuse,
    /// They stay as they are.
    Keep,
}

/// An option or setting that is one of a few words.
pub(crate) trait Choice: ValueEnum + Copy + Default + 'static {
    /// Returns the word.
    fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the choice of this word; the default one for another word, which the settings have refused before.
    fn of_word(word: &str) -> Self {
        Self::from_str(word, false).unwrap_or_default()
    }
}

impl Choice for WorkerMode {}
impl Choice for OcrMode {}
impl Choice for FormulasMode {}

#[cfg(test)]
mod tests {
    use super::super::key::{CSV_FORMULAS, OCR, WORKERS};
    use super::*;

    fn words<C: Choice>() -> Vec<String> {
        C::value_variants().iter().map(|choice| choice.word()).collect()
    }

    #[test]
    fn options_and_settings_have_the_same_words() {
        assert_eq!(words::<WorkerMode>(), WORKERS);
        assert_eq!(words::<OcrMode>(), OCR);
        assert_eq!(words::<FormulasMode>(), CSV_FORMULAS);
        assert_eq!(FormulasMode::of_word("keep"), FormulasMode::Keep);
        assert_eq!(WorkerMode::default().word(), WORKERS[0]);
    }
}
