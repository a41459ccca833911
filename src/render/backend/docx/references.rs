//! What parts with text refer to: addresses, pictures, charts.

use std::collections::{BTreeSet, HashMap};

use crate::shared::chart::ChartParts;

/// Addresses to which a part refers, each once.
#[derive(Default)]
pub(super) struct Links {
    urls: Vec<String>,
    indices: HashMap<String, usize>,
    pictures: BTreeSet<usize>,
}

impl Links {
    pub(super) fn urls(&self) -> &[String] {
        &self.urls
    }

    /// Returns the numbers of the pictures that it shows.
    pub(super) fn pictures(&self) -> &BTreeSet<usize> {
        &self.pictures
    }

    pub(super) fn note_picture(&mut self, number: usize) {
        self.pictures.insert(number);
    }

    pub(super) fn index(&mut self, url: String) -> usize {
        *self.indices.entry(url).or_insert_with_key(|url| {
            self.urls.push(url.clone());
            self.urls.len() - 1
        })
    }
}

/// File of a chart.
pub(super) enum File {
    Native(ChartParts),
    Picture(Vec<u8>),
}

/// Charts of a document.
#[derive(Default)]
pub(super) struct Charts {
    files: Vec<File>,
    /// For each chart, `true` if it is in a note.
    in_notes: Vec<bool>,
}

impl Charts {
    /// Returns all charts with their numbers, which begin at 1.
    pub(super) fn files(&self) -> impl Iterator<Item = (usize, &File)> {
        self.files.iter().enumerate().map(|(index, file)| (index + 1, file))
    }

    /// Returns the charts in notes, or all others.
    pub(super) fn standing(&self, in_notes: bool) -> impl Iterator<Item = (usize, &File)> {
        self.files().zip(&self.in_notes).filter(move |(_, is)| **is == in_notes).map(|(it, _)| it)
    }

    pub(super) fn push(&mut self, file: File, in_notes: bool) -> usize {
        self.files.push(file);
        self.in_notes.push(in_notes);
        self.files.len()
    }
}
