//! Scripts with types, with a fake host.

mod fake;

use fake::{Fake, error, request, run, value};
use javascript::Engine;
use javascript::contract::exports::mitt::host::script::Value;

#[test]
fn types_are_removed() {
    for (code, expected) in [
        ("const a: number = 1; a", "1"),
        ("let a: string; a = 'x'; a", "\"x\""),
        ("let a!: number; a = 2; a", "2"),
        ("interface A { b: string }\nconst a: A = { b: 'x' }; a.b", "\"x\""),
        ("type A = { b: number } | null;\nconst a = { b: 1 } as A; a!.b", "1"),
        (
            "type Rows<T extends object = {}> = readonly T[]\nconst r: Rows<{ a: 1 }> = [{ a: 1 }]; r.length",
            "1",
        ),
        (
            "declare const missing: number\ndeclare function f(a: string): void\ndeclare class C { x: 1 }\n3",
            "3",
        ),
        (
            "declare module 'x' { export const y: number }\ndeclare global { interface Window { z: 1 } }\n4",
            "4",
        ),
        (
            "declare enum E { A }\ndeclare namespace N { const a: number }\nnamespace T { export type A = 1; interface B {} }\n5",
            "5",
        ),
        ("function f<T>(a: T, b?: number, ...rest: string[]): T { return a }\nf<number>(3)", "3"),
        (
            "function f(a: string): string\nfunction f(a: number): number\nfunction f(a: any): any { return a }\nf(4)",
            "4",
        ),
        (
            "function f(this: { n: number }, a: number) { return this.n + a }\nf.call({ n: 1 }, 2)",
            "3",
        ),
        ("function f(this: void): number { return 1 }\nf()", "1"),
        (
            "function isText(a: unknown): a is string { return typeof a === 'string' }\nisText('')",
            "true",
        ),
        ("function check(a: unknown): asserts a is string {}\ncheck(1); 1", "1"),
        ("const f = <T,>(a: T): T => a; f<string>('x')", "\"x\""),
        ("const f = async <T>(a: T): Promise<T> => a; await f(1)", "1"),
        ("const f = async <\nT\n>(a: T) => a; await f(1)", "1"),
        ("const f = (a: number): {\n  b: number\n} => ({ b: a }); f(1).b", "1"),
        ("const f = (a: number)\n: number => a; f(1)", "1"),
        ("const f = () => { return <\nT\n>(a: T) => a }; f()(7)", "7"),
        ("const a = [1, 2] as const; a.length", "2"),
        ("const f = async (): Promise<number> => 4; await (f() as Promise<number>)", "4"),
        ("type A = 1; await [5]", "[5]"),
        ("const a: number = await +6; await -a", "-6"),
        ("const a: RegExp = await /x/; await `${a}`", "\"/x/\""),
        ("const a = { b: 1 } satisfies Record<string, number>; a.b", "1"),
        ("const a = <number>JSON.parse('5'); a", "5"),
        ("const f = (a: any) => (<any>{ a }); f(1)", r#"{"a":1}"#),
        ("let a: any = { b: [1] }; (a as any).b![0]!", "1"),
        ("let a: any = {}; (a as any).b = 1; a!.c = 2; [a.b, a?.c!]", "[1,2]"),
        ("const m = new Map<string, number[]>([['a', [1]]]); m.get('a')!.length", "1"),
        ("const s = new Set<string>(['a']); s.size", "1"),
        ("const o: { [key: string]: number } = { a: 1 }; o['a']", "1"),
        ("try { throw new Error('x') } catch (e: unknown) { (e as Error).message }", "\"x\""),
        ("const { a, b }: { a: number; b: string } = { a: 1, b: '' }; a", "1"),
        (
            "for (const [k, v] of Object.entries({ a: 1 }) as [string, number][]) { k + v }",
            "\"a1\"",
        ),
        ("type T = typeof import('x'); type K = keyof T; type U = `a${string}`; 1", "1"),
        ("type F = new (...a: any[]) => object; type C = abstract new () => void; 1", "1"),
        ("type P<T> = T extends (infer U)[] ? { readonly [K in keyof U]?: U[K] } : never; 1", "1"),
        ("const x = 1 as unknown as string as any; x", "1"),
        ("export type A = 1; export interface B {}\nexport const a: A = 1; a", "1"),
        (
            "export default function f(a: number): number\nexport default function f(a: any) { return a }\nf(2)",
            "2",
        ),
        ("async function main(): Promise<number> { return 6 }\nmain()", "6"),
        ("async (): Promise<{ a: number }> => { return { a: 1 } }", r#"{"a":1}"#),
        ("const a: number = 7\nreturn a as number", "7"),
        ("const 年: string = '報'; 年!.length", "1"),
        ("// @ts-ignore\nconst a: number /* b */ = 1 // c\n;a", "1"),
        ("const f = function* (): Generator<number, void, unknown> { yield 1 }; [...f()]", "[1]"),
        (
            "const o = { async m<T>(this: any, a?: T): Promise<void> {}, get x(): number { return 1 } }; o.x",
            "1",
        ),
        ("let f: (a: number) => string = (a) => String(a); f(1)", "\"1\""),
        ("using: for (const a of [1] as number[]) { break using }", "nothing"),
        ("let x: any = 3; x = x! + 1; x++; x", "5"),
        ("const a = 1 as number\n;[2].length", "1"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn classes_lose_their_modifiers() {
    for (code, expected) in [
        (
            "abstract class A<T> {\n  private readonly a: number = 1\n  protected static b?: string\n  declare c: string\n  \
             abstract d(): void\n  abstract e: number\n  [key: string]: unknown\n  public constructor(x: T) { super_() }\n  \
             f(a: string): void\n  f(a: any) { return this.a }\n  override toString(): string { return 'A' }\n  g!: T\n  h?(): void\n  \
             get i(): number { return 2 }\n  set i(v: number) {}\n}\nfunction super_() {}\n\
             class B extends A<string> implements Iterable<number>, Other { static async j<T>(): Promise<T> { return 3 as any } \
             *[Symbol.iterator](): Iterator<number> { yield 4 } }\n\
             const b = new B('x'); [b.f(1), `${b}`, b.i, await B.j(), [...b], 'g' in b, 'c' in b, 'b' in B]",
            r#"[1,"A",2,3,[4],true,false,true]"#,
        ),
        // What follows a removed part stays another member, another statement.
        ("class A {\n  a = 1\n  public ['b'] = 2\n}\nconst x = new A(); [x.a, x.b]", "[1,2]"),
        ("class A {\n  a = [0] as any\n  ['b'] = 2\n}\nconst x = new A(); [x.a, x.b]", "[[0],2]"),
        ("class A {\n  a = 1\n  private *b() { yield 2 }\n}\n[...new A().b()]", "[2]"),
        (
            "class A {\n  get: number\n  ['b'] = 2\n}\n[Object.keys(new A()), new A().b]",
            r#"[["get","b"],2]"#,
        ),
        (
            "class A {\n  a = 1;\n  [key: string]: number\n  ['b']() { return 2 }\n}\nnew A().b()",
            "2",
        ),
        (
            "class A { static: number = 1; readonly: number = 2; public get() { return 3 } }\n[new A().static, new A().readonly, new A().get()]",
            "[1,2,3]",
        ),
        ("class A<T> implements B<T> { a = 1 }\nnew A<number>().a", "1"),
        ("const A = class implements B { a = 1 }; new A().a", "1"),
        ("export default abstract class A { static a: number = 1 }\nA.a", "1"),
        ("export abstract class A { static a: number = 1 }\nA.a", "1"),
        (
            "class A { #a: number = 1; static { const b: number = 2 } get a() { return this.#a! } }\nnew A().a",
            "1",
        ),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn lines_end_where_they_ended_with_types() {
    for (code, expected) in [
        ("let n = 0\nconst f = () => n++ as any\n(f)()\nn", "1"),
        ("const a = [5] as any\n[0].length\na", "[5]"),
        ("const a = 1\ninterface B {}\n(2)\na", "1"),
        ("let a = 1 as any\n`x`\na", "1"),
        ("let a = 2 as any\n+ 1\na", "3"),
        ("let a: any = 1\nlet b = a as number\n/ 2\nb", "0.5"),
        ("let i = 0\nlet a = i as number\n++i;\n[a, i]", "[0,1]"),
        ("const a = 1 satisfies number\n;(2)\na", "1"),
        ("let a = 0; if (a) a as any\nelse a = 2\na", "2"),
        ("let a = 0; do a++ as any\nwhile (a < 3)\na", "3"),
        ("type A = 1\n;[1].length", "1"),
        ("const a = 1; type A = 1; const b = 2; a + b", "3"),
        ("function f() { return 1 as\nany }\nf()", "1"),
        ("const f = (a: string): a is\n'x' => true; f('x')", "true"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn javascript_with_the_look_of_types_keeps_its_meaning() {
    for (code, expected) in [
        // TypeScript, although it is JavaScript.
        ("function f(a) { return a }\nf<number>(3)", "3"),
        ("function f(a) { return a }\nf<Record<string, Row[]>>(3)", "3"),
        ("function f(a) { return a }\nf<{ a: string }>(3)", "3"),
        ("function f(a) { return a[0] }\nf<string>`x`", "\"x\""),
        ("[1, 2].reduce<number>((a, b) => a + b, 0)", "3"),
        ("new Set<string>(['a']).size", "1"),
        ("const s = new Set<string>\ns.add('a').size", "1"),
        ("const m = new Map<string, number>()\nm.size", "0"),
        // JavaScript.
        ("const a = 1, b = 2, c = 3; a<b>(c)", "false"),
        ("const a = 1, MAX = 2, c = 0; a<MAX>(c)", "true"),
        ("const a = 1, B = 2, c = 0; [a < B, c > (0)]", "[true,false]"),
        ("const a = 1, Bb = 2, c = 0; [a < Bb, c >(0)]", "[true,false]"),
        ("const type = 1; const as = 2, satisfies = 3; type + as + satisfies", "6"),
        (
            "const declare = 1, namespace = 2, abstract = 3; [declare, namespace, abstract].length",
            "3",
        ),
        ("let x = 1\nx\n!x", "false"),
        ("const f = async (a) => a; const t = true ? (f) : f => 1; await t(2)", "2"),
        ("with_: for (;;) { break with_ }\nvar o = { a: 1 }; with (o) { a }", "1"),
        ("010 + 1", "9"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    // A script that compiles is never run twice.
    let (done, host) = run("await tools.a_tool.echo('x'); JSON.parse('{'); const a = 1");
    assert!(done.is_err());
    assert_eq!(host.0.borrow().calls.len(), 1);
    let (done, host) = run("await tools.a_tool.echo('x' as string); new Function('a b')");
    assert_eq!(done.unwrap_err().class, "SyntaxError");
    assert_eq!(host.0.borrow().calls.len(), 1);
}

#[test]
fn imports_of_types_are_removed() {
    for code in [
        "import { echo } from 'a-tool'; import type { Row } from './types';\nconst r: Row = 'x'; (await echo(r)).value",
        "import { echo, type Row } from 'a-tool'\nconst r: Row = 'x'; (await echo(r)).value",
        "import { type Row, echo } from 'a-tool'\n(await echo('x')).value",
        "import type Row from 'nowhere'\nimport { echo } from 'a-tool'\n(await echo('x')).value",
        "import type * as Types from 'nowhere'\nimport { echo } from 'a-tool'\n(await echo('x')).value",
        "import { type Row } from 'nowhere'\nimport { echo } from 'a-tool'\n(await echo('x')).value",
        "import { Row } from 'nowhere'\nimport { echo } from 'a-tool'\n(await echo('x' as Row)).value",
        "import { Row, echo } from 'a-tool'\nconst r: Row[] = ['x'];\n(await echo(r[0])).value",
        "import def, { Row } from 'a-tool'\nconst r: Row[] = ['x'];\n(await def.echo(r[0])).value",
        "import * as a from 'a-tool'\nconst r: string = 'x';\n(await a.echo(r)).value",
        "import { echo as type } from 'a-tool'\n(await type('x')).value",
        "import type from 'a-tool'\n(await type.echo('x')).value",
        "import { echo } from 'a-tool'\nexport type { Row } from './types'\nexport { type A } from 'x'\nconst r: string = 'x'; (await echo(r)).value",
    ] {
        assert_eq!(value(code), "\"x\"", "{code}");
    }
    assert_eq!(
        error("import { Row } from 'nowhere'\nconst a: number = 1").message,
        "no module `nowhere`; there are: a_tool, table_tool"
    );
}

#[test]
fn what_has_no_form_without_types_names_the_way_out() {
    for (code, line, column, message, hint) in [
        (
            "const a = 1;\n  enum Color { Red, Green = 'g', Blue = 4, Last }",
            2,
            3,
            "`enum Color` has values at run time and cannot be removed",
            "write `const Color = { Red: 0, Green: 'g', Blue: 4, Last: 5 } as const`",
        ),
        (
            "export const enum E { A = 1 << 2, B }",
            1,
            8,
            "`enum E` has values at run time and cannot be removed",
            "write `const E = { NAME: 0 } as const`",
        ),
        (
            "namespace N { export const a = 1 }",
            1,
            1,
            "`namespace N` has code and cannot be removed",
            "write its members at the top, or in an object: `const N = { … }`",
        ),
        (
            "class A { constructor(private readonly a: number) {} }",
            1,
            23,
            "the parameter `a` makes a field, and its modifiers cannot be removed",
            "declare the field in the class, and write `this.a = a` in the constructor",
        ),
        (
            "import a = require('a_tool')",
            1,
            1,
            "`import … =` has a value at run time and cannot be removed",
            "write `import * as a from 'a_tool'`",
        ),
        (
            "import a = b.c",
            1,
            1,
            "`import … =` has a value at run time and cannot be removed",
            "write `const a = b.c`",
        ),
        (
            "const a = 1;\nexport = a",
            2,
            1,
            "`export =` has a value at run time and cannot be removed",
            "the value of the last expression is the result; nothing is exported",
        ),
        (
            "@log class A {}",
            1,
            1,
            "decorators are not supported: `@log`",
            "call the function instead, for example `const f = log(f0)`",
        ),
        (
            "class A { @bound\n m() {} }",
            1,
            11,
            "decorators are not supported: `@bound`",
            "call the function instead, for example `const f = log(f0)`",
        ),
        (
            "const f = () => <Row>{ a: 1 }",
            1,
            17,
            "a type before its value cannot be removed here",
            "write `(value as Row)`",
        ),
        (
            "const a = 1;\nconst b = <\n  any>a",
            2,
            11,
            "a type before its value cannot be removed here",
            "write `(value as any)`",
        ),
    ] {
        let failed = error(code);
        assert_eq!(failed.class, "SyntaxError", "{code}");
        assert_eq!(failed.message, message, "{code}");
        assert_eq!((failed.line, failed.column), (Some(line), Some(column)), "{code}");
        assert!(failed.traceback.ends_with(&format!("\nhint: {hint}")), "{}", failed.traceback);
        assert!(failed.traceback.contains("^\n"), "{}", failed.traceback);
    }
}

#[test]
fn errors_of_scripts_with_types_have_their_place() {
    for (code, class, message, line, column) in [
        (
            "const a: number = 1;\nconst b: Record<string, 年> = c.d;",
            "ReferenceError",
            "c is not defined",
            2,
            30,
        ),
        (
            "const n: any = null, 年: Array<'年'> = [];\n年; n!.x",
            "TypeError",
            "cannot read property 'x' of null",
            2,
            4,
        ),
        (
            "import { type A, echo } from 'a_tool'; (x as A).y",
            "ReferenceError",
            "x is not defined",
            1,
            41,
        ),
        (
            "interface A {\n  b: string\n}\n\nthrow new RangeError('far' as string)",
            "RangeError",
            "far",
            5,
            11,
        ),
        ("const a: number = 1\nreturn y.z as string", "ReferenceError", "y is not defined", 2, 8),
        (
            "function f<T>(x: T): T {\n  return (x as any).a.b;\n}\nf<{}>({});",
            "TypeError",
            "cannot read property 'b' of undefined",
            2,
            11,
        ),
        // No TypeScript either.
        ("const a: number = ;", "SyntaxError", "unexpected token", 1, 19),
        ("interface A { b: }", "SyntaxError", "unexpected token", 1, 18),
        ("const a: string = 'x;\nconst b = 1", "SyntaxError", "unterminated string", 1, 19),
        // No JavaScript, and no types.
        ("let x = ;", "SyntaxError", "unexpected token in expression: ';'", 1, 9),
    ] {
        let failed = error(code);
        assert_eq!((failed.class.as_str(), failed.message.as_str()), (class, message), "{code}");
        assert_eq!(
            (failed.line, failed.column),
            (Some(line), Some(column)),
            "{code}\n{}",
            failed.traceback
        );
    }
    let failed = error("const a: number = 1;\nfunction f(x: Row): void { x.b.c }\nf({} as Row)");
    assert_eq!(
        failed.traceback,
        "Traceback (most recent call last):\n  File \"script.js\", line 3, column 1\n    f({} as Row)\n    ^\n  \
         File \"script.js\", line 2, column 28, in f\n    function f(x: Row): void { x.b.c }\n                               ^\n\
         TypeError: cannot read property 'c' of undefined"
    );
}

#[test]
fn kept_variables_have_no_types() {
    let mut engine = Engine::new();
    let mut done = |code: &str| match engine.run(Box::new(Fake::default()), &request(code)) {
        Ok(Value::Json(text) | Value::Repr(text)) => text,
        Ok(Value::Nothing) => "nothing".to_owned(),
        Err(failed) => failed.traceback,
    };
    assert_eq!(
        done(
            "import { echo, type Row } from 'a-tool';\ninterface A { b: number }\nconst a: A = { b: 1 }; let n: number = 2\n\
              class C<T> { d(x: T): T { return x } }\nfunction f<T>(x: T): T { return x }"
        ),
        "nothing"
    );
    assert_eq!(done("[a.b, n, new C().d(3), f(4), (await echo('x')).value]"), r#"[1,2,3,4,"x"]"#);
    assert_eq!(
        done(
            "const a: string = 'y'; class C { e(): number { return 5 } }\n[a as any, new C().e(), f<number>(6)]"
        ),
        r#"["y",5,6]"#
    );
    // A script that was refused has changed nothing.
    assert!(done("n = 9; enum E { A }").contains("has values at run time"));
    assert_eq!(done("n satisfies number"), "2");
}

#[test]
fn nesting_and_length_are_limited() {
    let deep = 100_000;
    let repeated = |text: &str| text.repeat(deep);
    let codes = [
        repeated("("),
        repeated("["),
        repeated("{"),
        repeated("<"),
        repeated("a<"),
        repeated("!"),
        repeated("`${"),
        repeated("a=>"),
        repeated("(a)=>"),
        repeated("new "),
        repeated("class extends "),
        repeated("if(1)"),
        repeated("a:"),
        repeated("a?b:"),
        repeated("a="),
        repeated("a**"),
        repeated("<T>"),
        repeated("async <T>(a)=>"),
        repeated("function f(){"),
        repeated("class A{static{"),
        repeated("namespace a{"),
        format!("namespace {}b {{}}", repeated("a.")),
        format!("type A = {}", repeated("(")),
        format!("type A = {}", repeated("[")),
        format!("type A = {}", repeated("{a:")),
        format!("type A = {}", repeated("B<")),
        format!("type A = {}", repeated("keyof ")),
        format!("type A = {}", repeated("?")),
        format!("type A = {}", repeated("!")),
        format!("type A = {}", repeated("infer ")),
        format!("type A = {}", repeated("()=>")),
        format!("type A = {}", repeated("new()=>")),
        format!("type A = {}", repeated("a extends b ? c : ")),
        format!("type A = {}", repeated("`${")),
        format!("type A = B{}", repeated("[]")),
        format!("type A = {}B", repeated("a.")),
        format!("type A = typeof {}B", repeated("a.")),
        format!("let {}", repeated("[")),
        format!("let {}", repeated("{a:")),
        format!("function f({}", repeated("[")),
        format!("const a: A = b{}", repeated(".c")),
        format!("const a: A = /*#__PURE__*/ b(){}", repeated(".c")),
        format!("const a: A = b{}", repeated("+1")),
        format!("const a: A = b{}", repeated("()")),
        format!("const a: A = b{}", repeated("!")),
        format!("const a: A = b{}", repeated(" as A")),
        format!("const a: A = {}b", repeated("- ")),
        format!("{}a{} = b as A", repeated("["), repeated("]")),
        format!("const a: A = {}b{}", repeated("("), repeated(")")),
        format!("const a: A = {}b", repeated("1,")),
        repeated("import("),
        repeated("@"),
        repeated("@("),
        repeated("a<b>(c)<d>"),
        repeated("else "),
        repeated("yield "),
        repeated("await "),
        repeated("/*"),
        repeated("enum A {"),
        repeated("f<Row>("),
        format!("{}1", repeated("x as ")),
    ];
    let worker = std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
        let mut engine = Engine::new();
        for code in &codes {
            let start = &code[..code.len().min(40)];
            let began = std::time::Instant::now();
            let done = engine.run(Box::new(Fake::default()), &request(code));
            println!("{:>6} ms  {start}", began.elapsed().as_millis());
            assert!(began.elapsed().as_secs() < 60, "{start}");
            if let Err(failed) = done {
                assert!(
                    matches!(
                        failed.class.as_str(),
                        "SyntaxError"
                            | "RangeError"
                            | "InternalError"
                            | "ReferenceError"
                            | "TypeError"
                    ),
                    "{start}\n{}",
                    failed.traceback
                );
            }
        }
        let long = format!("const a: number = 1;{}", " ".repeat(1 << 20));
        let failed = engine.run(Box::new(Fake::default()), &request(&long)).unwrap_err();
        assert_eq!(failed.message, "a script with types has at most 1048576 bytes, got 1048596");
        // A long script that is not deep.
        let long =
            "const f = (a: number): number => a * 2;\n".repeat(20_000).replace("const f", "var f");
        assert!(engine.run(Box::new(Fake::default()), &request(&long)).is_ok());
    });
    worker.unwrap().join().unwrap();
}
