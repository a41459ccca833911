//! A read-only agent cannot write: not by a tool, not by a script, not by a tool that calls another one.

use super::*;

fn python(code: &str) -> (&'static str, Value) {
    ("python__run", json!({ "code": code, "language": "python-lite" }))
}

#[tokio::test]
async fn a_reader_that_tries_to_write_does_not() {
    let kept = |code: &str| {
        let arguments = json!({ "code": code, "language": "python-lite", "state": "session" });
        ("python__run", arguments)
    };
    let main = script([
        calls(&[kept("def total(x):\n    return sum(x)\n")]),
        calls(&[task("reader", "Write")]),
        calls(&[kept("total([1, 2])")]),
        says("Done."),
    ]);
    let attempts = || {
        calls(&[
            excel("a.xlsx"),
            ("report__deliver", json!({ "markdown": "# a", "filename": "a.pdf" })),
            python(
                "import excel_tool\nexcel_tool.create_excel(data=[{'a': 1}], filename='b.xlsx')",
            ),
            python(
                "import tools\ntools.call('excel_tool__create_excel', {'data': [{'a': 1}], 'filename': 'c.xlsx'})",
            ),
            python("open('notes.txt', 'w').write('x')"),
            python(
                "for i in range(20000):\n    print('a line that is long enough to be too much')\n",
            ),
            kept("def total(x):\n    return 'stolen'\n"),
            python(
                "import table_tool\ntable_tool.describe({'columns': ['a'], 'rows': [[1], [2]]})",
            ),
        ])
    };
    let reader = script([attempts(), says("I could not.")]);
    let stage = Stage::new(main).agent("reader", "read-only: true\n", reader);
    stage.run("Go").await.unwrap();
    let tools = stage.tools("reader", 0);
    assert!(
        tools.iter().any(|it| it == "python__run")
            && tools.iter().any(|it| it == "sql_tool__query")
    );
    for writer in ["excel_tool__", "report__", "chart_tool__", "word_tool__", DELEGATE, TRANSFER] {
        assert!(!tools.iter().any(|it| it.starts_with(writer)), "{writer}: {tools:?}");
    }
    let output = stage.results("reader", 1);
    assert!(output[0].contains("Unknown tool: excel_tool__create_excel"), "{}", output[0]);
    assert!(output[0].contains("this agent has only `"), "{}", output[0]);
    assert!(output[1].contains("Unknown tool: report__deliver"), "{}", output[1]);
    for output in &output[2..5] {
        assert!(output.contains("\"status\":\"error\"") || output.contains("rror"), "{output}");
    }
    assert!(
        output[5].contains("\"truncated\":true") || output[5].contains("truncat"),
        "{}",
        output[5]
    );
    assert!(!output[5].contains("python-stdout"), "{}", output[5]);
    assert!(
        output[7].contains("\"status\":\"success\"") || !output[7].contains("rror"),
        "{}",
        output[7]
    );
    assert!(stage.session.artifacts().is_empty());
    assert!(stage.session.deliver_workspace().is_empty(), "the workspace was written to");
    // The variables that it left are not those of the writer.
    let output = &stage.results("main", 3)[2];
    assert!(output.contains('3') && !output.contains("stolen"), "{output}");
}

#[tokio::test]
async fn only_the_named_tools_are_there_inside_too() {
    let main = script([calls(&[task("sums", "Sum")]), says("Done.")]);
    let sums = script([
        calls(&[
            python("import table_tool\nprint('imported')"),
            python("import document_tool\nprint(document_tool.list_documents())"),
            ("document_tool__list_documents", json!({})),
            python("import tools\nprint(len(tools.list()))"),
        ]),
        says("Summed."),
    ]);
    let front = "tools: python__run, table-tool\ndisallowedTools: table_tool__describe\n";
    let stage = Stage::new(main).agent("sums", front, sums);
    stage.run("Go").await.unwrap();
    let tools = stage.tools("sums", 0);
    assert!(
        tools.iter().all(|it| it == "python__run" || it.starts_with("table_tool__")),
        "{tools:?}"
    );
    assert!(tools.len() > 3 && !tools.contains(&"table_tool__describe".to_owned()), "{tools:?}");
    let output = stage.results("sums", 1);
    assert!(output[0].contains("imported"), "{}", output[0]);
    assert!(output[1].contains("document_tool") && output[1].contains("rror"), "{}", output[1]);
    assert!(output[2].contains("Unknown tool: document_tool__list_documents"), "{}", output[2]);
}

#[tokio::test]
async fn narrowing_only_ever_narrows() {
    use mitt::skill::ToolFilter;
    let stage = Stage::new(script([says("-")]));
    let reader = stage.session.for_agent(ToolFilter::new().read_only());
    let again = reader.for_agent(ToolFilter::new());
    assert!(again.reads_only() && !stage.session.reads_only());
    assert_eq!((stage.session.agent(), reader.agent(), again.agent()), (None, Some(1), Some(2)));
    let report = again.call(excel("a.xlsx").0, &excel("a.xlsx").1.to_string()).await;
    assert!(report.result.unwrap_err().to_string().contains("Unknown tool"));
    let none = stage.session.for_agent(ToolFilter::new().only(["no-such-skill"]));
    assert!(none.registry().tools().await.is_empty());
    let report = none.call("table_tool__describe", "{}").await;
    assert!(report.result.unwrap_err().render().contains("this agent has no tools"));
    // The session itself still has all tools.
    let report = stage.session.call(excel("a.xlsx").0, &excel("a.xlsx").1.to_string()).await;
    assert!(report.result.is_ok());
    let tools = stage.session.registry().tools().await;
    let names = ["Read".to_owned(), "table-tool".to_owned(), "python__run".to_owned()];
    assert_eq!(ToolFilter::unknown(&names, &tools), ["Read"]);
}
