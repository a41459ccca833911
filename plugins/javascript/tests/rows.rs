//! Rows of tables that a script changes.

mod fake;

use fake::{error, run, value};

fn users(code: &str) -> String {
    value(&format!("const t = documents['2024.xlsx'].tables[0];\n{code}"))
}

fn large(code: &str) -> String {
    value(&format!("const t = documents['2024.xlsx'].tables[1];\n{code}"))
}

#[test]
fn a_row_is_the_same_object_each_time() {
    for code in [
        "t[0] === t[0] && t.at(-1) === t[2] && t.find((row) => row.DAU > 12) === t[1]",
        "[...t][1] === t[1] && [...t.slice(1)][0] === t[1] && t.slice(1).slice(1)[0] === t[2]",
        "t.includes(t[2]) && t.indexOf(t[2]) === 2 && t.lastIndexOf(t[0]) === 0 && t.findLastIndex((row) => row.DAU > 0) === 2",
        "const made = Table.fromObjects([{ a: 1 }]); made[0] === made[0] && [...made][0] === made[0]",
        "t.toObjects()[0] !== t[0] && t.toObjects()[0].DAU === t[0].DAU",
        "const [row] = [...documents['2024.xlsx'].tables[1]].slice(9000); row === documents['2024.xlsx'].tables[1][9000]",
    ] {
        assert_eq!(users(code), "true", "{code}");
    }
}

#[test]
fn changes_of_rows_are_in_the_table() {
    let twice = r#"{"columns":["Month","DAU","twice"],"rows":[["Jan",10,20],["Feb",12.5,25],["Mar",11,22]]}"#;
    let add = "(row) => { row.twice = row.DAU * 2 }";
    for (code, expected) in [
        (format!("t.forEach({add}); t"), twice),
        (format!("for (const row of t) ({add})(row); t"), twice),
        (format!("t.map({add}); t"), twice),
        (format!("for (let i = 0; i < t.length; i++) ({add})(t[i]); t"), twice),
        (format!("[...t].forEach({add}); t"), twice),
        (format!("t.slice(0).forEach({add}); t"), twice),
        (format!("t.forEach({add}); [t[1].twice, t.twice, t.columns.length, t.column('twice')]"), r#"[25,[20,25,22],3,[20,25,22]]"#),
        (format!("t.forEach({add}); [t.select('twice').rows, t.slice(1).rows[0], t.rename({{ twice: 'x' }}).columns]"),
            r#"[[[20],[25],[22]],["Feb",12.5,25],["Month","DAU","x"]]"#),
        (format!("t.forEach({add}); 'twice' in t"), "true"),
        ("t[1].DAU = 0; [t.DAU, t.rows[1], t.toObjects()[1], t.reduce((sum, row) => sum + row.DAU, 0)]".to_owned(),
            r#"[[10,0,11],["Feb",0],{"Month":"Feb","DAU":0},21]"#),
        ("t[1]['DAU']++; Object.assign(t[0], { DAU: 1 }); Reflect.set(t[2], 'DAU', 2); t.DAU".to_owned(), "[1,13.5,2]"),
        ("Object.defineProperty(t[0], 'DAU', { value: 7, enumerable: true }); t.DAU".to_owned(), "[7,12.5,11]"),
        ("for (const row of t) delete row.DAU; t.columns".to_owned(), r#"["Month"]"#),
        ("delete t[0].DAU; t".to_owned(), r#"{"columns":["Month","DAU"],"rows":[["Jan",null],["Feb",12.5],["Mar",11]]}"#),
        ("t[0] = { Month: 'X', extra: 1 }; [t[0], t.rows, t.columns]".to_owned(),
            r#"[{"Month":"X","extra":1},[["X",null,1],["Feb",12.5,null],["Mar",11,null]],["Month","DAU","extra"]]"#),
        ("[t[0], t[2]] = [t[2], t[0]]; t.Month".to_owned(), r#"["Mar","Feb","Jan"]"#),
        ("t.slice(1)[0].DAU = 0; t.DAU".to_owned(), "[10,0,11]"),
        ("const s = t.slice(1); t[2].DAU = 0; t[0].x = 1; [s.DAU, s.columns]".to_owned(), r#"[[12.5,0],["Month","DAU","x"]]"#),
        ("t[0].DAU = 1; t.DAU; t[0].DAU = 2; t.DAU".to_owned(), "[2,12.5,11]"),
        ("t.sort((a, b) => b.DAU - a.DAU); [t.Month, t[0].DAU]".to_owned(), r#"[["Feb","Mar","Jan"],12.5]"#),
        ("t.slice(1).reverse(); t.Month".to_owned(), r#"["Jan","Mar","Feb"]"#),
        ("t.toSorted((a, b) => b.DAU - a.DAU); t.toReversed(); t.Month".to_owned(), r#"["Jan","Feb","Mar"]"#),
        ("const c = structuredClone(t); c[0].DAU = 0; [t.DAU, c.DAU]".to_owned(), "[[10,12.5,11],[0,12.5,11]]"),
        ("const rows = t.toObjects(); rows[0].DAU = 0; t.DAU".to_owned(), "[10,12.5,11]"),
        ("const made = Table.fromObjects([{ a: 1 }, { a: 2 }]); made.forEach((row) => { row.b = row.a * 2 }); made".to_owned(),
            r#"{"columns":["a","b"],"rows":[[1,2],[2,4]]}"#),
        ("const { data } = await tools.a_tool.table(); data[0].n = 5; data.column('n')[0]".to_owned(), "5"),
        ("t.name = 'Renamed'; [t.name, t[0].DAU]".to_owned(), r#"["Renamed",10]"#),
    ] {
        assert_eq!(users(&code), expected, "{code}");
    }
}

#[test]
fn a_changed_table_is_passed_on_as_it_is() {
    let (done, host) = run(
        "const t = documents['2024.xlsx'].tables[0];\nfor (const row of t) row.Month;\nawait tools.a_tool.echo(t);\nt[0].DAU = 1;\n\
         await tools.a_tool.echo(t);\nawait tools.a_tool.echo({ value: t.slice(0, 1) });\nconst big = documents['2024.xlsx'].tables[1];\n\
         big[5].n = -1;\nawait tools.a_tool.echo(big)",
    );
    assert!(done.is_ok(), "{done:?}");
    assert_eq!(
        host.0.borrow().calls,
        [
            r#"a_tool__echo {"value":{"$ref":"2024.xlsx#Users"}}"#,
            r#"a_tool__echo {"value":{"columns":["Month","DAU"],"rows":[["Jan",1],["Feb",12.5],["Mar",11]]}}"#,
            r#"a_tool__echo {"value":{"columns":["Month","DAU"],"rows":[["Jan",1]]}}"#,
            r#"a_tool__echo {"value":{"$ref":"t:1"}}"#,
        ]
    );
}

#[test]
fn large_tables_keep_changes_and_let_other_rows_go() {
    for (code, expected) in [
        (
            "t.forEach((row) => { row.x = 1 }); [t.x.length, t.rows[9999].length, t.at(-1).x]",
            "[10000,5,1]",
        ),
        ("t[7000].n = -1; for (const row of t) row.n; t.column('n')[7000]", "-1"),
        (
            "let sum = 0; for (let i = 0; i < t.length; i++) { sum += t[i].n ?? 0; t[i].sum = sum } [t[9999].sum, t.column('sum')[1]]",
            "[33326667,1]",
        ),
        // More rounds than the kept rows hold: a changed row and a row in use stay.
        (
            "const held = t[1];\nt[4200].n = -5;\nlet it = t[Symbol.iterator]();\nfor (let i = 0; i < 8; i++) for (const row of t) row.n;\n\
             held.n = -7;\nlet first = it.next().value;\nfirst.n = -9;\n[t[4200].n, t.column('n')[4200], t[1].n, t.column('n')[1], t[0].n, t.column('n')[0]]",
            "[-5,-5,-7,-7,-9,-9]",
        ),
        (
            "const few = t.slice(5000, 5010); few[3].n = -1; [few.n, t[5003].n].flat().filter((n) => n === -1).length",
            "2",
        ),
        (
            "const made = Table.fromObjects(t.toObjects()); for (let i = 0; i < 9; i++) for (const row of made) row.n; made[9999].n = -1; made.column('n')[9999]",
            "-1",
        ),
    ] {
        assert_eq!(large(code), expected, "{code}");
    }
    // A short slice reads its own rows only.
    let (done, host) = run("[...documents['2024.xlsx'].tables[1].slice(5000, 5010)].length");
    assert!(done.is_ok());
    assert!(
        host.0.borrow().slices.iter().all(|&(_, start, length)| (start, length) == (5_000, 10))
    );
    // A row that is read again and again is read once.
    let (done, host) = run(
        "const t = documents['2024.xlsx'].tables[1]; for (let i = 0; i < 100; i++) t[0].n; t.at(-1).n",
    );
    assert!(done.is_ok());
    assert_eq!(host.0.borrow().slices.len(), 8);
}

#[test]
fn what_a_table_cannot_do_is_an_error() {
    let advice = "`const rows = table.toObjects()` makes an array of rows";
    for (code, words) in [
        ("t.push({})", "table.push: a table has a fixed number of rows"),
        ("t.splice(0, 1)", "table.splice: a table has a fixed number of rows"),
        ("delete t[0]", "table.0: a table has a fixed number of rows"),
        ("t[3] = {}", "table.3: a table has a fixed number of rows"),
        (
            "t.total = [1, 2, 3]",
            "table.total = ...: set it in each row: table.forEach((row, at) => { row.total = ... })",
        ),
        ("t.length = 0", "table.length = ...: set it in each row"),
    ] {
        let message =
            error(&format!("const t = documents['2024.xlsx'].tables[0];\n{code}")).message;
        assert!(message.contains(words) && message.contains(advice), "{code}: {message}");
    }
    assert_eq!(
        error("documents['2024.xlsx'].tables[0][0] = [1]").message,
        "table[0] = ...: expected a row as an object, got [ 1 ]"
    );
    // Columns come before these names.
    assert_eq!(value("Table.fromObjects([{ push: 1 }]).push"), "[1]");
}

#[test]
fn tables_have_the_methods_of_arrays() {
    for (code, expected) in [
        ("t.concat(t, [1]).length", "7"),
        ("[0].concat(t).length", "4"),
        ("t.with(0, 1)[0]", "1"),
        ("t.toSpliced(0, 2).length", "1"),
        ("t.slice(0, 2).join('|')", "\"[object Object]|[object Object]\""),
        ("t.includes({})", "false"),
        (
            "[t.at(0.9).DAU, t.at(-4) ?? null, t.slice(-2, -1).DAU, t.slice(1.7).length]",
            "[10,null,[12.5],2]",
        ),
    ] {
        assert_eq!(users(code), expected, "{code}");
    }
}

/// Does the same random changes to a table and to an array of its rows, and compares them.
const MODEL: &str = r#"
let seed = SEED;
const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
const source = WHICH === 0 ? documents["2024.xlsx"].tables[1].slice(100 * random(90), 9500)
  : Table.fromRows(Array.from({ length: 700 }, (_, i) => [i, `r${i}`]), ["n", "text"]);
const table = source, array = source.toObjects(), held = [], names = [...source.columns, "x", "y"];
const difference = () => {
  const columns = table.columns;
  for (const name of columns) {
    const left = table.column(name), right = array.map((row) => row[name] ?? null);
    for (let at = 0; at < array.length; at++) if (left[at] !== right[at]) return `${name} ${at}: ${left[at]} ${right[at]}`;
  }
  const own = new Set(array.flatMap((row) => Object.keys(row)));
  if ([...own].some((name) => !columns.includes(name))) return `columns ${columns}`;
  return "";
};
for (let step = 0; step < 60; step++) {
  const at = random(array.length), name = names[random(names.length)];
  switch (random(9)) {
    case 0: table[at][name] = array[at][name] = step; break;
    case 1: table.at(at - array.length)[name] = array[at][name] = `s${step}`; break;
    case 2: held.push([table[at], array[at]]); break;
    case 3: if (held.length > 0) {
      const [left, right] = held[random(held.length)];
      left[name] = right[name] = -step;
    } break;
    case 4: table[at] = { ...array[at], y: step }; array[at] = { ...array[at], y: step }; break;
    case 5: for (const row of table) row.n; break;
    case 6: { const part = table.slice(at, at + 9); part.forEach((row, i) => { row[name] = array[at + i][name] = i; }); break; }
    case 7: delete table[at][name]; delete array[at][name]; break;
    default: { const problem = difference(); if (problem) throw new Error(`step ${step}: ${problem}`); }
  }
}
const problem = difference();
if (problem) throw new Error(problem);
const rows = table.rows, records = table.toObjects();
records.length === array.length && rows.every((row, at) => row.every((cell, i) => cell === (array[at][table.columns[i]] ?? null)));
"#;

#[test]
fn random_changes_are_kept_as_in_an_array() {
    for seed in 1..=12_u32 {
        let code = MODEL
            .replace("SEED", &(seed * 7919).to_string())
            .replace("WHICH", &(seed % 2).to_string());
        assert_eq!(value(&code), "true", "seed {seed}");
    }
}
