//! The output folder and its files: links, names, modes, journals.
