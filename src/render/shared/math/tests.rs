use super::*;

const FORMULAS: &str = include_str!("formulas.txt");

/// Returns every formula of the list, and every command for a sign.
pub(crate) fn samples() -> Vec<String> {
    let listed = FORMULAS.lines().filter(|line| !line.starts_with('#')).map(str::to_owned);
    listed.chain(signs::all_commands()).collect()
}

fn parsed(source: &str) -> Formula {
    formula(source).unwrap_or_else(|what| panic!("{source}: {what}"))
}

fn refused(source: &str) -> String {
    formula(source).expect_err(source)
}

#[test]
fn common_formulas_are_understood() {
    assert!(FORMULAS.lines().count() > 300);
    let failed: Vec<_> = samples()
        .iter()
        .filter_map(|source| Some(format!("{source}: {}", formula(source).err()?)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_is_not_understood_is_named() {
    for (source, what) in [
        (r"x + \foo", r"\foo"),
        (r"\newcommand{\R}{x}", r"\newcommand"),
        (r"\ce{H2O}", r"\ce"),
        (r"\begin{foo} x \end{foo}", r"\begin{foo}"),
        (r"\begin{matrix} x", r"\begin{matrix} without its end"),
        (r"\begin{matrix} x \end{cases}", r"\begin{matrix} without its end"),
        (r"\begin", r"\begin without a name"),
        (r"\end{matrix}", r"\end without its beginning"),
        (r"{x", "{ without }"),
        (r"x}", "} without {"),
        (r"\sqrt[3{x}", "[ without ]"),
        (r"\left( x", r"\left without \right"),
        (r"\left x", r"\left x"),
        (r"\right)", r"\right without its beginning"),
        (r"\frac{a}", r"\frac without an argument"),
        ("x^", "^ without an argument"),
        ("x^a^b", "two superscripts"),
        ("x_a_b", "two subscripts"),
        (r"\text{a", "{ without }"),
        (r"\text{\foo}", r"\foo"),
        (r"\not x", r"\not"),
        (r"\hspace{x}", r"\hspace without a width"),
        (r"\operatorname{}", r"\operatorname without a name"),
        ("a\u{7}b", "U+0007"),
        ("$", "$"),
    ] {
        assert_eq!(refused(source), what, "{source}");
    }
}

#[test]
fn bounds_hold() {
    let deep = |n: usize| format!("{}x{}", "{".repeat(n), "}".repeat(n));
    // The list of all lines, that of the first cell, and the groups.
    parsed(&deep(MAX_DEPTH - 2));
    assert_eq!(refused(&deep(MAX_DEPTH - 1)), "more than 24 levels");
    assert_eq!(refused(&"{".repeat(10_000)), "more than 24 levels");
    assert_eq!(refused(&r"\sqrt".repeat(3_000)), "more than 24 levels");
    assert_eq!(refused(&r"\left(".repeat(2_000)), "more than 24 levels");
    assert_eq!(refused(&r"a\over ".repeat(2_000)), "more than 24 levels");
    assert_eq!(refused(&r"\displaystyle ".repeat(1_000)), "more than 24 levels");
    assert_eq!(refused(&r"\text{".repeat(1_000)), "more than 24 levels");
    assert_eq!(refused(&r"\begin{matrix}".repeat(1_000)), "more than 24 levels");
    assert_eq!(refused(&"x^".repeat(1_000)), "two superscripts");
    parsed(&"x".repeat(MAX_BYTES));
    assert_eq!(refused(&"x".repeat(MAX_BYTES + 1)), "more than 16384 bytes");
    assert_eq!(refused(&"x".repeat(1 << 20)), "more than 16384 bytes");
    let grid = |columns: usize, rows: usize| {
        format!("{}{}", "&".repeat(columns - 1), r"\\".repeat(rows - 1)) + "x"
    };
    parsed(&grid(64, MAX_CELLS / 64));
    assert_eq!(refused(&grid(64, MAX_CELLS / 64 + 1)), "more than 2048 cells");
    assert_eq!(refused(&grid(4_000, 4_000)), "more than 2048 cells");
}

#[test]
fn signs_are_spaced_by_what_stands_beside_them() {
    let classes = |source: &str| -> Vec<Class> {
        parsed(source).body.parts().iter().map(Node::class).collect()
    };
    use Class::{Binary, Closing, Opening, Ordinary, Relation};
    assert_eq!(classes("a-b"), [Ordinary, Binary, Ordinary]);
    assert_eq!(classes("-b"), [Ordinary, Ordinary]);
    assert_eq!(classes("a=-b"), [Ordinary, Relation, Ordinary, Ordinary]);
    assert_eq!(classes("(-b)"), [Opening, Ordinary, Ordinary, Closing]);
    assert_eq!(classes("a+"), [Ordinary, Ordinary]);
    // A group counts as a letter.
    assert_eq!(classes("1{,}000"), [Ordinary, Ordinary, Ordinary]);
}

#[test]
fn letters_of_one_name_are_one() {
    let Node::Symbol(symbol) = parsed(r"\mathrm{km}").body else { panic!() };
    assert_eq!((symbol.text.as_str(), symbol.letters.is_italic), ("km", Some(false)));
    assert_eq!(parsed("km").body.parts().len(), 2);
    assert_eq!(parsed("3.14").body.parts().len(), 1);
    // An argument without braces is one digit.
    assert_eq!(parsed(r"\frac12"), parsed(r"\frac{1}{2}"));
}

#[test]
fn tags_and_looks() {
    assert_eq!(parsed(r"a=b \tag{3.1}").tag.as_deref(), Some("3.1"));
    assert_eq!(
        parsed(r"\begin{align} a &= b \tag{1} \\ c &= d \end{align}").tag.as_deref(),
        Some("1")
    );
    let lines = parsed(r"\begin{align} a &= b \tag{1} \\ c &= d \tag{2} \end{align}");
    assert_eq!(lines.tag, None);
    let Node::Grid(grid) = lines.body else { panic!() };
    assert_eq!((grid.columns.len(), grid.rows.len()), (3, 2));
    assert_eq!(
        parsed(r"\color{red} x \textcolor{blue}{y} \color{red} z").left_out,
        [r"\color", r"\textcolor"]
    );
    let Node::Grid(grid) =
        parsed(r"\begin{array}{|c|cc|} \hline a&b&c \\[2pt] \hline \end{array}").body
    else {
        panic!()
    };
    assert_eq!((grid.lines, grid.rules, grid.rows.len()), (vec![1, 2, 4], vec![1, 2], 1));
}

#[test]
fn any_text_is_read_or_refused() {
    // Pieces of LaTeX in any order, from a deterministic generator.
    const PIECES: [&str; 48] = [
        "{",
        "}",
        "^",
        "_",
        "&",
        "\\\\",
        "\\frac",
        "\\sqrt",
        "[",
        "]",
        "\\left",
        "\\right",
        "\\middle",
        "(",
        ")",
        ".",
        "|",
        "\\begin{matrix}",
        "\\end{matrix}",
        "\\begin{cases}",
        "\\end{cases}",
        "\\begin{array}{c|c}",
        "\\end{array}",
        "\\text{",
        "$",
        "'",
        "\\sum",
        "\\limits",
        "x",
        "12",
        "中文",
        " ",
        "\\",
        "\\mathbf",
        "\\rm",
        "\\over",
        "\\hat",
        "\\underbrace",
        "\\big",
        "\\not",
        "\\operatorname{",
        "\\tag{",
        "\\hline",
        "~",
        "\u{301}",
        "\u{1F600}",
        "\\hspace{",
        "\\substack{",
    ];
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut understood = 0;
    for _ in 0..20_000 {
        let source: String = (0..next(24)).map(|_| PIECES[next(PIECES.len())]).collect();
        understood += usize::from(formula(&source).is_ok());
        let bytes: Vec<u8> = (0..next(40)).map(|_| next(256) as u8).collect();
        let _ = formula(&String::from_utf8_lossy(&bytes));
    }
    assert!(understood > 1_000, "{understood}");
}
