//! The program as a user runs it: exit code, standard output and standard error.

use std::fs;

use serde_json::Value;

use crate::support::{TestSkill, command, mitt, text};

/// Runs in an empty folder.
fn run(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), args)
}

fn run_in(folder: &std::path::Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_missing_document_is_named() {
    let (code, stdout, stderr) = run(&["ingest", "missing.xlsx"]);
    assert_eq!((code, stdout.as_str()), (3, ""));
    insta::assert_snapshot!(stderr, @r"
    error: cannot read missing.xlsx
      cause: No such file or directory (os error 2)
    hint: name an existing file that you may read
    ");
}

/// Text that is cut for a model is not cut for a person.
#[test]
fn ingest_prints_the_whole_text() {
    let folder = tempfile::tempdir().unwrap();
    let whole = "0123456789\n".repeat(20_000);
    fs::write(folder.path().join("long.txt"), &whole).unwrap();
    let (code, stdout, stderr) = run_in(folder.path(), &["ingest", "long.txt"]);
    assert_eq!((code, stdout == whole), (0, true), "{} of {}: {stderr}", stdout.len(), whole.len());
}

#[test]
fn errors_are_json_for_machines() {
    let (code, stdout, _) = run(&["ingest", "missing.xlsx", "--json"]);
    assert_eq!(code, 3);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["error"]["kind"], "input");
}

#[test]
fn a_missing_task_is_named() {
    let (code, stdout, stderr) = run(&["run", "nowhere"]);
    assert_eq!((code, stdout.as_str()), (3, ""));
    insta::assert_snapshot!(stderr, @r"
    error: cannot read the task nowhere
      cause: No such file or directory (os error 2)
    hint: name a task file, or a folder with a `task.yaml`; an instruction has more than one word
    ");
}

#[test]
fn a_wrong_task_names_the_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("task.yaml"),
        "schema: 1\ninstruktion: x\nmodel: { replay: m.jsonl }\n",
    )
    .unwrap();
    let (code, _, stderr) = run_in(folder.path(), &["run", "."]);
    assert_eq!(code, 3);
    assert!(
        stderr.contains("task.yaml") && stderr.contains("instruktion") && stderr.contains("line 2"),
        "{stderr}"
    );
}

#[test]
fn wrong_command_lines_exit_with_2() {
    for args in [
        &["no-such-command"][..],
        &["call"],
        &["tools", "--max-time", "5"],
        &["tools", "--max-memory", "1MB"],
    ] {
        let (code, stdout, stderr) = run(args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}");
        assert!(stderr.contains("error:"), "{stderr}");
    }
}

#[test]
fn a_call_prints_its_result_and_writes_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = r#"{"data": [{"年份": 2025, "收入": 1.5}], "filename": "表.xlsx"}"#;
    let (code, stdout, stderr) =
        run_in(folder.path(), &["call", "excel_tool__create_excel", "--json", arguments]);
    assert_eq!(code, 0, "{stderr}");
    let result: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(result["name"], "表.xlsx");
    assert!(folder.path().join("out/表.xlsx").is_file());
    assert!(stderr.contains("call    excel_tool__create_excel"), "{stderr}");
}

#[test]
fn wrong_calls_have_exit_codes_of_their_own() {
    let (code, _, stderr) = run(&["call", "excel_tool__create_exel"]);
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("did you mean `excel_tool__create_excel`?"), "{stderr}");
    let (code, stdout, stderr) =
        run(&["call", "excel_tool__create_excel", "--json", "{\"data\": 1}"]);
    assert_eq!(code, 4, "{stderr}");
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["error"]["kind"], "arguments");
    let (code, _, stderr) =
        run(&["call", "report__deliver", "-j", r##"{"markdown": "x", "filename": "x.exe"}"##]);
    assert_eq!(code, 1, "{stderr}");
    let (code, _, stderr) = run(&["call", "no_such_skill__f"]);
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("there are the skills"), "{stderr}");
}

#[test]
fn limits_can_be_lowered_from_the_command_line() {
    let wat = r#"(component
        (core module $m (func (export "run") (loop (br 0))))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    let skill = TestSkill::new("spin", wat, "");
    let skills = skill.path().to_str().unwrap();
    let (code, stdout, stderr) =
        run(&["call", "spin__run", "--skills", skills, "--max-fuel", "100000"]);
    assert_eq!(code, 6, "{stderr}");
    let error: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(error["error"]["limit"]["what"], "fuel");
    assert_eq!(error["error"]["limit"]["limit"], 100_000);
    let lines: Vec<&str> = stderr.lines().collect();
    insta::assert_snapshot!(lines[lines.len() - 2..].join("\n"), @r"
    error: fuel limit of 100000 units reached: 100000 units
    hint: do less in one call, such as fewer rows of a table or a smaller part of a file; a call cannot raise the limit
    ");
}

#[test]
fn a_skill_without_its_grant_is_refused() {
    let wat = r#"(component
        (import "mitt:host/render@0.1.0" (instance (export "f" (func))))
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    let skill = TestSkill::new("greedy", wat, "");
    let (code, _, stderr) =
        run(&["call", "greedy__run", "--skills", skill.path().to_str().unwrap()]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("does not grant `render`"), "{stderr}");
}

#[test]
fn wrong_manifests_name_file_and_line() {
    let skill = TestSkill::new("wrong", "(component)", "grant: [log]");
    let (code, _, stderr) = run(&["tools", "--skills", skill.path().to_str().unwrap()]);
    assert_eq!(code, 8);
    assert!(
        stderr.contains("skill.yaml:6:1: unknown key `grant`")
            && stderr.contains("did you mean `grants`?"),
        "{stderr}"
    );
    for (manifest, problem) in [
        ("grants: [rendr]", "did you mean `render`?"),
        ("limits: { time: 5 }", "a duration such as"),
        ("limits: { time: 2h }", "at most 60s"),
        ("limits: { fuel: 0 }", "limits.fuel: expected 1 to"),
        ("limits: { memory: 1TB }", "a size such as"),
        ("limits: { memory: 4GiB }", "at most 512MiB"),
    ] {
        let skill = TestSkill::new("wrong", "(component)", manifest);
        let (code, _, stderr) = run(&["tools", "--skills", skill.path().to_str().unwrap()]);
        assert_eq!(code, 8, "{manifest}");
        assert!(stderr.contains(problem), "{manifest}: {stderr}");
    }
}

#[test]
fn tools_are_listed_with_their_documentation() {
    let (code, stdout, stderr) = run(&["tools"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("excel_tool__create_excel(data: table, filename: option<string>"),
        "{stdout}"
    );
    assert!(stdout.contains("    Write one table as an Excel file"), "{stdout}");
    assert!(stdout.contains("    - `sort-key` = {column: "), "records have their fields: {stdout}");
    let (_, stdout, _) = run(&["tools", "--json"]);
    let tools: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    assert!(tools.iter().all(|tool| tool["input_schema"]["type"] == "object"));
}

#[test]
fn tools_are_defined_for_each_provider() {
    let json = |args: &[&str]| -> (Value, String) {
        let (code, stdout, stderr) = run(args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        (serde_json::from_str(&stdout).unwrap(), stderr)
    };
    let tool = ["tools", "--tool", "document_tool__read_table", "--for"];
    let of = |dialect: &'static str| json(&[&tool[..], &[dialect]].concat());

    let (openai, stderr) = of("openai-strict");
    assert_eq!(openai[0]["type"], "function");
    assert_eq!(openai[0]["strict"], true);
    let names = ["name", "table", "first_row", "row_count"];
    assert_eq!(openai[0]["parameters"]["required"], serde_json::json!(names));
    assert!(
        stderr.contains(
            "warning: document_tool__read_table: `first_row` is not enforced: at most 18446744073709551615"
        ),
        "{stderr}"
    );
    let (anthropic, _) = of("anthropic-strict");
    assert_eq!(anthropic[0]["input_schema"]["required"], serde_json::json!(["name"]));
    let (gemini, _) = of("gemini");
    assert_eq!(gemini[0]["functionDeclarations"][0]["parametersJsonSchema"]["type"], "object");

    // Our own envelopes carry the losses, so there is nothing to warn about.
    for (dialect, place) in [
        ("ollama", "/format"),
        ("llguidance", "/grammars/0/json_schema"),
        ("vllm", "/structured_outputs/json"),
    ] {
        let (value, stderr) = of(dialect);
        let properties = &value.pointer(place).unwrap()["properties"];
        assert_eq!(properties["name"]["type"], "string", "{dialect}");
        assert!(!value["losses"].as_array().unwrap().is_empty() && stderr.is_empty(), "{stderr}");
        let (all, _) = json(&["tools", "--for", dialect]);
        assert!(all.pointer(place).unwrap()["anyOf"].as_array().unwrap().len() > 10, "{dialect}");
    }

    let (code, grammar, stderr) = run(&[&tool[..], &["gbnf", "--quiet"]].concat());
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(grammar.starts_with("root ::= o1\n"), "{grammar}");
    let (code, grammar, stderr) = run(&["tools", "--for", "gbnf"]);
    assert!(code == 0 && stderr.contains("warning: "), "{stderr}");
    assert!(grammar.contains(r#""\"document_tool__read_table\"""#), "{grammar}");
    let (value, stderr) = json(&["tools", "--for", "gbnf", "--json"]);
    assert_eq!(value["grammar"], grammar);
    assert!(!value["losses"].as_array().unwrap().is_empty() && stderr.is_empty(), "{stderr}");
}

#[test]
fn unknown_dialects_and_tools_are_named() {
    let (code, _, stderr) = run(&["tools", "--for", "openai"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("one of openai-strict, anthropic-strict, gemini, ollama"), "{stderr}");
    let (code, _, stderr) = run(&["tools", "--for", "gbnf", "--tool", "document_tool__read_tabel"]);
    assert_eq!(code, 4);
    assert!(stderr.contains("did you mean `document_tool__read_table`"), "{stderr}");
}

#[test]
fn an_operator_sets_how_large_a_file_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let line = "2024-12-31,Zürich,1234.50,a remark of some length about the row\n";
    let rows = (66 << 20) / line.len();
    let text = format!("day,place,amount,remark\n{}", line.repeat(rows));
    fs::write(folder.path().join("large.csv"), text).unwrap();
    let (code, _, stderr) = run_in(folder.path(), &["ingest", "large.csv"]);
    assert_eq!(code, 6, "{stderr}");
    assert!(stderr.contains("large.csv: document limit of 67108864 bytes"), "{stderr}");
    assert!(stderr.contains("raise the limit (`--document-size`)"), "{stderr}");
    let larger = ["ingest", "large.csv", "--csv", "--document-size", "80MiB"];
    let (code, stdout, stderr) = run_in(folder.path(), &larger);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout.lines().count(), rows + 1);
    let lower = ["ingest", "large.csv", "--document-size", "1MiB"];
    let (code, _, stderr) = run_in(folder.path(), &lower);
    assert!(code == 6 && stderr.contains("document limit of 1048576 bytes"), "{stderr}");
}

#[test]
fn limits_are_printed() {
    let (code, stdout, _) = run(&["limits"]);
    assert_eq!(code, 0);
    // As many as this machine has processors.
    let stdout: String = stdout
        .lines()
        .filter(|line| !line.contains("jobs-at-once"))
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!(stdout, @r"
    call:
      time                                   30000 ms
      fuel                             10000000000 units
      memory                             134217728 bytes
      table-elements                        100000 elements
      instances                                 64 instances
      memories                                  64 memories
      tables                                    64 tables
      handles                                 1024 handles
      output                                 65536 bytes
      transfer                            67108864 bytes
    script:
      time                                   30000 ms
      fuel                             40000000000 units
      memory                             268435456 bytes
      table-elements                        100000 elements
      instances                                 64 instances
      memories                                  64 memories
      tables                                    64 tables
      handles                                 1024 handles
      output                                 65536 bytes
      transfer                            67108864 bytes
      stdout                                 32768 characters
      stderr                                 32768 characters
      whole-output                         8388608 bytes
      helpers                                   64 files
      helper                                262144 bytes
      helpers-together                     1048576 bytes
    reader:
      time                                   60000 ms
      fuel                            100000000000 units
      memory                             536870912 bytes
      table-elements                        100000 elements
      instances                                 64 instances
      memories                                  64 memories
      tables                                    64 tables
      handles                                65536 handles
      output                                 65536 bytes
      transfer                           268435456 bytes
    session:
      arguments                            1048576 bytes
      arguments-by-plugins                16777216 bytes
      arguments-depth                           64 levels
      tool-calls                              1000 calls
      call-depth                                 4 levels
      handles                                 1024 handles
      artifact                            67108864 bytes
      artifacts                          268435456 bytes
      artifact-files                          1024 files
      workspace                           67108864 bytes
      workspace-files                          256 files
      document                            67108864 bytes
      documents                          536870912 bytes
      document-files                          1000 documents
      parts-time                            120000 ms
      parts-fuel                      200000000000 units
      parts-size                         268435456 bytes
      parts-files                             1000 files
      document-text                       10000000 characters
      table-text                            100000 characters
      result-text                            32000 characters
      model-turns                               50 turns
      journal-file                        67108864 bytes
    retry:
      attempts                                   1 attempts
      attempts-at-most                          10 attempts
      initial-delay                           1000 ms
      max-delay                              30000 ms
      max-delay-at-most                     300000 ms
    host:
      calls-at-once                             64 calls
      calls-at-once-per-tenant                  16 calls
      waiting-calls-per-tenant                 256 calls
      waiting-time                           10000 ms
    memory:
      call-memory                        805306368 bytes
      session-memory                    1073741824 bytes
      tenant-memory                     2147483648 bytes
      host-memory                       4294967296 bytes
      message                            100663296 bytes
    rendering and compiling:
      waiting-jobs-per-tenant                  256 jobs
      waiting-time-for-a-place               60000 ms
      rendering-time                        120000 ms
      rendering-memory                  1610612736 bytes
      compiling-time                        300000 ms
      compiling-memory                  2147483648 bytes
      waiting-time-for-a-component          120000 ms
    packed skill:
      archive                             67108864 bytes
      archive-ratio                            200 bytes out for one in
      archive-window                       8388608 bytes
      files                                   1024 files
      file                                67108864 bytes
      all-files                          134217728 bytes
      folders                                    8 levels
      path                                     150 bytes
    component:
      component                           67108864 bytes
      body-bytes                           1048576 bytes of code
      body-work                             400000 units of work (operators and the values that they move)
      body-area                           18000000 live values times branches
      locals                                 10000 locals
      br-table                                8192 targets of a `br_table`
      nesting                                 4096 blocks in one another
      loop-nesting                              64 loops in one another
      branches                               40000 branches, blocks and calls of a function
      type-values                              256 parameters and results of a function type
      functions                              32768 functions
      types                                  16384 types
      globals                                32768 globals
      tables                                    16 tables
      table-elements                        262144 elements of tables at the start
      memories                                  16 memories
      data-segments                          65536 data segments
      element-segments                        4096 element segments
      element-items                         131072 items of element segments
      constants                             131072 operators of constant expressions
      core-names                             32768 imports or exports
      all-body-bytes                      25165824 bytes of code in all functions
      all-work                            10000000 units of work in all functions
      all-area                            80000000 live values times branches in all functions
      all-functions                          40000 functions in all modules
      image-bytes                        134217728 bytes from the first to the last data segment of all memories
      modules                                  256 core modules
      components                               256 components
      component-depth                           16 components in one another
      core-instances                           512 core instances
      component-instances                     1024 component instances
      definitions                            65536 definitions of the component model
      type-parts                             65536 parts of interface types
      type-width                              2048 fields, cases or parameters of one interface type
    ");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("man1");
    let (code, stdout, _) = run(&["man", "-o", target.to_str().unwrap()]);
    assert_eq!((code, stdout.trim()), (0, target.to_str().unwrap()));
    let read = |name: &str| fs::read_to_string(target.join(name)).unwrap();
    for (name, part) in [
        ("mitt.1", "mitt\\-ingest(1)"),
        ("mitt-ingest.1", ".TH mitt-ingest 1"),
        ("mitt-pdf-sign.1", "\\-\\-key\\-password\\-file"),
        ("mitt-config-show.1", ".SH OPTIONS"),
    ] {
        let page = read(name);
        assert!(page.contains(part), "{name}: {page}");
    }
    assert!(!target.join("mitt-help.1").exists() && !target.join("mitt-worker.1").exists());
    // A file is in the way.
    let (code, _, stderr) = run(&["man", "-o", target.join("mitt.1").to_str().unwrap()]);
    assert!(code != 0 && stderr.contains("name another folder"), "{stderr}");
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, stdout, _) = run(&["completions", shell]);
        assert_eq!(code, 0);
        // The shell asks the program, which knows the names of tools.
        assert!(stdout.contains("mitt") && stdout.contains("COMPLETE"), "{shell}: {stdout}");
    }
    for (words, known) in [
        (&["mitt", "call", "table_tool__gro"][..], "table_tool__growth"),
        (&["mitt", "tools", "--tool", "report"], "report__deliver"),
        (&["mitt", "skill", "show", "excel"], "excel-tool"),
        (&["mitt", "ing"], "ingest"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let index = (words.len() - 1).to_string();
        let told = || {
            let asked = command(folder.path(), &[&["--"], words].concat())
                .env("COMPLETE", "bash")
                .env("_CLAP_COMPLETE_INDEX", &index)
                .env("_CLAP_COMPLETE_COMP_TYPE", "9")
                .env("_CLAP_COMPLETE_SPACE", "true")
                .env("_CLAP_IFS", "\n")
                .output()
                .unwrap();
            text(&asked.stdout)
        };
        // It waits a little for plugins that are being compiled, and keeps what it has compiled.
        let is_told = (0..60).any(|_| told().lines().any(|line| line.trim() == known));
        assert!(is_told, "{words:?}: {}", told());
    }
}

#[test]
fn markdown_is_rendered() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("report.md"), "# 年度报告\n\n**增长**：12.5%\n").unwrap();
    let args = ["render", "report.md", "-o", "report.pdf", "--clock", "0"];
    let (code, stdout, stderr) = run_in(folder.path(), &args);
    assert_eq!((code, stdout.as_str()), (0, "report.pdf\n"), "{stderr}");
    let first = fs::read(folder.path().join("report.pdf")).unwrap();
    assert!(first.starts_with(b"%PDF-"));
    run_in(folder.path(), &args);
    assert_eq!(fs::read(folder.path().join("report.pdf")).unwrap(), first, "not deterministic");
    let (code, _, stderr) = run_in(folder.path(), &["render", "missing.md", "-o", "x.pdf"]);
    assert_eq!(code, 3, "{stderr}");
    let (code, _, stderr) =
        run_in(folder.path(), &["render", "report.md", "-o", "no/such/folder/x.pdf"]);
    assert_eq!(code, 70, "{stderr}");
}

#[test]
fn markdown_becomes_word_files_and_pages() {
    let folder = tempfile::tempdir().unwrap();
    let source = "---\ntitle: 年度报告\npaper: letter\ntag: x\n---\n## 概况\n\n![图](a.png) **增长**：12.5%\n";
    fs::write(folder.path().join("report.md"), source).unwrap();
    let write = |name: &str, more: &[&str]| {
        let args = [&["render", "report.md", "-o", name, "--clock", "0"], more].concat();
        let (code, stdout, stderr) = run_in(folder.path(), &args);
        assert_eq!((code, stdout), (0, format!("{name}\n")), "{stderr}");
        (fs::read(folder.path().join(name)).unwrap(), stderr)
    };
    let (word, told) = write("report.docx", &["--contents"]);
    assert!(word.starts_with(b"PK"));
    for part in
        ["got `tag`", "`图` (block 2, under `概况`: `a.png`: there is no such file", "page numbers"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(write("report.docx", &["--contents"]).0, word, "not deterministic");
    let (page, _) = write("Report.HTML", &["--title", "T"]);
    let page = String::from_utf8(page).unwrap();
    assert!(
        page.contains("<title>T</title>") && page.contains("<body class=\"letter\">"),
        "{page}"
    );
    let (page, _) = write("a.htm", &["--paper", "a4", "--language", "zh-TW"]);
    let page = String::from_utf8(page).unwrap();
    assert!(
        page.contains("<html lang=\"zh-TW\">") && page.contains("<body class=\"a4\">"),
        "{page}"
    );
    // The paper size of the front matter applies to the PDF too.
    let (pdf, _) = write("report.pdf", &[]);
    assert_eq!(write("letter.pdf", &["--paper", "letter"]).0, pdf);
    assert_ne!(write("a4.pdf", &["--paper", "a4"]).0, pdf);
    for name in ["report.doc", "report", "report.md"] {
        let (code, _, stderr) =
            run_in(folder.path(), &["render", "report.md", "-o", name, "--force"]);
        assert_eq!(code, 3, "{stderr}");
        assert!(stderr.contains("`.pdf`, `.docx`, `.html`, `.pptx` or `.xlsx`, got"), "{stderr}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("report.md")).unwrap(), source);
}

#[test]
fn skills_compile_ahead_of_time_and_run_from_native_code() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = run_in(folder.path(), &["compile", "table-tool", "-o", "native"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(
        stdout.trim(),
        std::path::Path::new("native").join("table-tool").display().to_string()
    );
    let arguments =
        r#"{"data": [{"a": 1}, {"a": 2}], "keys": [{"column": "a", "order": "descending"}]}"#;
    let call = ["call", "table_tool__sort", "--json", arguments, "--no-bundled-skills", "--skills"];
    let call =
        |skills: &str, more: &[&str]| run_in(folder.path(), &[&call[..], &[skills], more].concat());
    // Sealed for this installation, which is that of the tests' cache folder.
    let (code, stdout, stderr) = call("native", &[]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("[[2],[1]]"), "{stdout}");
    let (code, _, stderr) = call("native", &["--cache-dir", "another"]);
    assert_eq!(code, 5, "native code of another installation: {stderr}");

    // Signed, for every installation that trusts the key.
    let (code, public, stderr) = run_in(folder.path(), &["compile", "--new-key", "key"]);
    assert_eq!(code, 0, "{stderr}");
    let sign = ["compile", "table-tool", "-o", "signed", "--sign-key", "key"];
    let (code, _, stderr) = run_in(folder.path(), &sign);
    assert_eq!(code, 0, "{stderr}");
    for key in [public.trim(), "key.pub"] {
        let elsewhere = ["--cache-dir", "another", "--precompiled-key", key];
        let (code, stdout, stderr) = call("signed", &elsewhere);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("[[2],[1]]"), "{stdout}");
    }
    let (code, _, stderr) = call("signed", &[]);
    assert_eq!(code, 5, "native code of an unknown key: {stderr}");
    assert!(stderr.contains(public.trim()) && stderr.contains("--precompiled-key"), "{stderr}");
    let (code, _, stderr) = call("signed", &["--precompiled-key", "key"]);
    assert_eq!(code, 3, "a private key as a public one: {stderr}");

    let (code, _, stderr) = run_in(folder.path(), &["compile", "table-tol", "-o", "native"]);
    assert_eq!(code, 8);
    assert!(stderr.contains("did you mean `table-tool`?"), "{stderr}");
}

/// The reader of our output may stop at any time.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_mitt");
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(folder.path()).args([
        "-c",
        "\"$0\" tools --json | true; \"$0\" limits 2>&1 | true",
        program,
    ]);
    shell.env("MITT_CACHE_DIR", crate::support::cache()).env("MITT_CONFIG", "");
    let output = shell.output().unwrap();
    assert_eq!(text(&output.stderr), "");
}

/// 16 MB of fonts are packed inside the program. Only typesetting unpacks them.
#[test]
fn a_command_that_sets_no_text_unpacks_no_fonts() {
    let folder = tempfile::tempdir().unwrap();
    let peak = |args: &[&str]| {
        let (output, peak) = crate::support::measured(command(folder.path(), args));
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        peak
    };
    let least = peak(&["config", "show"]);
    let most = peak(&["tools", "--no-bundled-skills"]);
    assert!(most < least + (28 << 20), "{} MiB more than `config show`", (most - least) >> 20);
}
