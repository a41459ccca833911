//! The viewer of documents: the modules that the page of the service and the MCP App share, and the app as one file.
//!
//! The modules are plain JavaScript that the browser loads as they are. An MCP App is one HTML file, so [`app`] joins them.

mod join;

use std::sync::OnceLock;

pub use join::{Joined, LATER, joined, stripped};

/// A file of the viewer: its name and content.
pub type ViewerFile = (&'static str, &'static str);

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("assets/", $name)))),*]
    };
}

/// The files of the viewer, by their names.
pub const FILES: &[ViewerFile] = files![
    "app.js",
    "characters.js",
    "chart.js",
    "comparison.js",
    "grid.js",
    "hooks.js",
    "htm.js",
    "i18n_core.js",
    "markdown.js",
    "pages.js",
    "parts.js",
    "preact.js",
    "sheet.js",
    "text.js",
    "ui.js",
    "view.js",
    "viewer.css",
    "viewer.html",
    "viewer_words.js",
];

/// Name of the module that runs in an MCP App.
const ENTRY: &str = "app.js";
/// The page of the app, with places for the style and the script.
const PAGE: &str = "viewer.html";
const STYLE_PLACE: &str = "/*{{style}}*/";
const SCRIPT_PLACE: &str = "/*{{script}}*/";

/// Returns the app as one HTML file, which loads nothing from anywhere.
pub fn app() -> &'static str {
    static APP: OnceLock<String> = OnceLock::new();
    APP.get_or_init(|| {
        let content = |name: &str| FILES.iter().find(|it| it.0 == name).map_or("", |it| it.1);
        let script = format!("\"use strict\";\n{}", joined(FILES, ENTRY, ENTRY).first);
        content(PAGE)
            .replace(STYLE_PLACE, &stripped(content("viewer.css")))
            .replace(SCRIPT_PLACE, &script)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("viewer/assets");
        let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|it| it.into_string().unwrap()).collect();
        names.sort();
        let listed: Vec<&str> = FILES.iter().map(|it| it.0).collect();
        assert_eq!(listed, names);
    }

    #[test]
    fn the_app_is_one_file_that_loads_nothing() {
        let app = app();
        assert!(!app.contains(STYLE_PLACE) && !app.contains(SCRIPT_PLACE));
        // The end tag of a script ends it, wherever it stands.
        assert_eq!(app.matches("</script").count(), 1);
        for wrong in ["<link", "<script src", "@import", "\nimport ", "\nexport ", "import("] {
            assert!(!app.contains(wrong), "{wrong}");
        }
    }
}
