//! Files of skills in JavaScript and TypeScript.

mod fake;

use fake::{Fake, error, request, value};
use javascript::Engine;
use javascript::contract::exports::mitt::host::script::Value;

#[test]
fn files_are_imported_in_every_form() {
    for (code, expected) in [
        ("import { double } from 'a-tool/rows.ts'; double(4)", "8"),
        ("import { double } from 'a_tool/rows'; double(4)", "8"),
        ("import * as rows from 'a-tool/rows.js'; rows.double(4)", "8"),
        ("import Rows from 'a-tool/rows'; new Rows() instanceof Rows", "true"),
        ("const { year } = require('a-tool/dates/iso'); year('2025-01-01')", "4050"),
        ("(await import('a-tool/dates/iso.mjs')).year('2025')", "4050"),
        // An export is the present value of its variable.
        ("import * as rows from 'a-tool/rows'; rows.double(1); rows.double(1); rows.count", "2"),
        ("import { four } from 'a-tool/common.js'; four", "4"),
        ("import common from 'a-tool/common'; common.four", "4"),
        ("import { said } from 'a-tool/uses'; await said('年')", "\"年\""),
        // `index.js` stands beside the functions of the skill.
        (
            "import { ANSWER, double, echo } from 'a-tool'; [ANSWER, double(1), (await echo('x')).value]",
            "[42,2,\"x\"]",
        ),
        ("[tools.a_tool.ANSWER, 'year' in tools.a_tool]", "[42,true]"),
        ("import { a } from 'a-tool/circle/a'; a()", "\"ab\""),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn a_mistake_in_a_file_names_the_file_and_the_line() {
    for (code, class, words) in [
        ("import 'a-tool/bad.js'", "SyntaxError", &["a-tool/bad.js, line 2, column 14"][..]),
        ("import 'a-tool/enum.ts'", "SyntaxError", &["a-tool/enum.ts, line 1", "as const"]),
        ("import 'a-tool/rowz'", "Error", &["no file `a-tool/rowz`", "rows.ts"]),
        ("import { double } from 'a-tool/rows';\ndouble(-1)", "RangeError", &["negative"]),
    ] {
        let error = error(code);
        assert_eq!(error.class, class, "{error:?}");
        assert!(words.iter().all(|word| error.message.contains(word)), "{error:?}");
    }
    let error = error("import { double } from 'a-tool/rows';\ndouble(-1)");
    // The line of the script; the traceback has that of the file, too.
    assert_eq!(error.line, Some(2));
    assert!(
        error.traceback.contains("File \"a-tool/rows.ts\", line 5, in double"),
        "{}",
        error.traceback
    );
}

#[test]
fn files_are_read_anew_for_each_script() {
    let engine = &mut Engine::new();
    let code = "import * as rows from 'a-tool/rows'; rows.double(1); rows.count";
    for _ in 0..2 {
        let result = engine.run(Box::new(Fake::default()), &request(code));
        assert!(matches!(result, Ok(Value::Json(text)) if text == "1"));
    }
}
