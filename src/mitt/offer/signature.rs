//! Short signatures of tools, for a model that receives them in a result and not in a list of tools.
//!
//! Types stand in the short notation of [`Notation`]. Patterns and lengths are left out; the error of a call reports them.

use std::fmt::Write as _;

use mitt_base::text;
use mitt_skill::Tool;
use mitt_wit::value::{Notation, docs_comment};

/// Most characters of the description of a tool and of a parameter.
const DOCS: [usize; 2] = [600, 300];

/// Most bytes of one tool. A longer one is left to the list of tools.
const TOOL_BYTES: usize = 8_000;

/// Explanation of the notation.
const WORDS: &str = "`table` is {columns: string[], rows: cell[][]}, or names one that is there: \"sales.csv\", {\"$ref\": \"t:3\"}; \
    `cell` is string | number | boolean | null; `decimal` is a number or a string of digits; `base64` is a string; \
    what is written `name(…)` is `name` where it comes again";

/// Returns `tools` with their parameters, in at most `limit` bytes. Tools without room are listed by name.
pub fn signatures(tools: &[&Tool], limit: usize) -> String {
    let (mut out, mut left_out) = (String::new(), Vec::new());
    for tool in tools {
        let text = signature(tool);
        if text.len() > TOOL_BYTES || out.len() + text.len() > limit {
            left_out.push(tool.name.as_str());
        } else {
            out.push_str(&text);
        }
    }
    if !out.is_empty() {
        out = format!("({WORDS}.)\n\n{out}");
    }
    if !left_out.is_empty() {
        let names = text::truncate(&left_out.join(", "), limit as u64);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "\nToo long to be told here: {names}. The list of tools has their schemas, and the error of a call without arguments names \
             the parameters."
        );
    }
    out
}

/// Returns one tool: its name, its description, and a line for each parameter.
fn signature(tool: &Tool) -> String {
    let function = &tool.function;
    // The rest describes the parameters, which follow here anyway, and facts that an error would report.
    let docs = function.docs.split("\n- `").next().unwrap_or_default();
    let docs = text::shortened(&text::single_line(docs), DOCS[0]);
    let mut out = format!("- {}: {docs}\n", tool.name);
    let mut notation = Notation::inline(&function.params);
    for param in &function.params {
        let _ = writeln!(out, "  - {}{}", notation.field(param), docs_comment(param, DOCS[1]));
    }
    out
}
