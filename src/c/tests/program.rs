//! A program in C does the story of the README with the library, and what must not crash.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Returns the shared library, which cargo builds beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    test.with_file_name(format!("{prefix}mitt_c{suffix}"))
}

fn compiler() -> Option<&'static str> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    ["cc", "gcc", "clang"].into_iter().find(is_there)
}

/// Runs a command, which must succeed, and returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

#[test]
#[cfg(unix)]
fn a_program_in_c_does_the_story_of_the_readme() {
    let Some(compiler) = compiler() else {
        eprintln!("skipped: there is no C compiler (cc, gcc or clang)");
        return;
    };
    let built = tempfile::tempdir().unwrap();
    let beside = built.path();
    // As `make` names it, so that `-lmitt` finds it.
    let name = format!("libmitt{}", std::env::consts::DLL_SUFFIX);
    std::os::unix::fs::symlink(library(), beside.join(name)).unwrap();
    let program = beside.join("story");
    let mut compile = Command::new(compiler);
    compile.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread", "-g"]);
    compile.arg("-I").arg(folder()).arg(folder().join("tests/story.c"));
    compile.arg("-o").arg(&program).arg("-L").arg(beside).arg("-lmitt");
    let mut rpath = OsStr::new("-Wl,-rpath,").to_owned();
    rpath.push(beside);
    run(compile.arg(rpath));
    let root = folder().join("../..");
    let mut story = Command::new(&program);
    story.arg(root.join("examples/yoy")).arg(root.join("target/mitt-cache")).arg(beside);
    let printed = run(&mut story);
    assert!(printed.ends_with("all done\n"), "{printed}");
    assert!(beside.join("2024-2025年经营对比.xlsx").is_file());
    assert!(beside.join("2024-2025年经营总结.pdf").is_file());
}

/// The header is one of C++, too.
#[test]
fn the_header_compiles_as_cpp() {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(compiler) = ["c++", "g++", "clang++"].into_iter().find(is_there) else {
        eprintln!("skipped: there is no C++ compiler (c++, g++ or clang++)");
        return;
    };
    let mut compile = Command::new(compiler);
    compile.args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++"]);
    run(compile.arg(folder().join("mitt.h")));
}
