//! `mitt man`: writes manual pages, made of the same descriptions as `--help`.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_mangen::Man as Page;

use crate::args::{Args, Man};
use crate::output::Output;
use mitt_base::{Error, ErrorKind, Result};

/// Writes a page of the program and of each command, and prints the folder.
pub(crate) fn man(command: &Man, output: &Output) -> Result<ExitCode> {
    let folder = &command.output;
    write(folder).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot write manual pages to {}", folder.display()))
            .hint("name another folder with `--output`")
            .caused_by(error)
    })?;
    output.data_line(&folder.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut root = Args::command();
    // Gives each command its whole name, by which its page is found: `man mitt-pdf-sign`.
    root.build();
    pages(&root, folder)
}

/// Writes the page of a command, and those of the commands below it.
fn pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    let page = Page::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    fs::write(folder.join(page.get_filename()), text)?;
    command
        .get_subcommands()
        .filter(|it| !it.is_hide_set() && it.get_name() != "help")
        .try_for_each(|it| pages(it, folder))
}
