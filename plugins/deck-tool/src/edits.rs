//! The edits of a presentation, as callers give them.

use crate::grid::Grid;
use crate::new_shape::Content;
use crate::new_slide::Filling;
use crate::write::Finding;

/// One edit. Slides and shapes are named by anchors; positions, rows and columns count from 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    SetText {
        shape: String,
        expected: Option<String>,
        text: String,
    },
    ReplaceText {
        find: String,
        replacement: String,
        finding: Finding,
    },
    SetCell {
        shape: String,
        row: u32,
        column: u32,
        expected: Option<String>,
        text: String,
    },
    InsertRows {
        shape: String,
        after: u32,
        rows: Vec<Vec<String>>,
    },
    DeleteRows {
        shape: String,
        row: u32,
        count: u32,
    },
    InsertColumns {
        shape: String,
        after: u32,
        columns: Vec<Vec<String>>,
    },
    DeleteColumns {
        shape: String,
        column: u32,
        count: u32,
    },
    SetChartData {
        shape: String,
        data: Grid,
    },
    ReplacePicture {
        shape: String,
        picture: String,
        alt: Option<String>,
    },
    SetNotes {
        slide: String,
        expected: Option<String>,
        text: String,
    },
    SetTitle {
        slide: String,
        expected: Option<String>,
        text: String,
    },
    DuplicateSlide {
        slide: String,
        position: Option<u32>,
    },
    MoveSlide {
        slide: String,
        position: u32,
    },
    DeleteSlide {
        slide: String,
        expected: Option<String>,
    },
    HideSlide {
        slide: String,
        is_hidden: bool,
    },
    NewSlide {
        layout: String,
        position: Option<u32>,
        fillings: Vec<Filling>,
        notes: Option<String>,
    },
    AddContent {
        slide: String,
        /// Left, top, width and height in cm.
        place: Vec<f64>,
        content: Content,
    },
    SetProperty {
        name: String,
        value: String,
    },
}
