//! Damaged scripts: seeds with pieces put in, taken out, doubled and cut.

/// Scripts without loops and recursion, which damage could make endless.
pub(crate) const SEEDS: [&str; 15] = [
    "import { echo, type Row } from \"a-tool\";\ninterface A<T = {}> extends B { b?: string; [key: string]: unknown }\n\
     const a: A<Row> = { b: 'x' } as A<Row>;\nconst { value }: { value: string } = await echo(a.b!);\nvalue satisfies string;",
    "type Keys<T> = T extends (infer U)[] ? { readonly [K in keyof U]?: `a${string & K}` } : never;\n\
     const f = async <T,>(a: T, ...rest: [x?: number]): Promise<\n  T\n> => a;\nawait f<Keys<string[]>>(null!)",
    "abstract class A<T> implements B<T> {\n  private static readonly a: number = 1\n  declare b: string\n  abstract c(): void\n  \
     public ['d']?: T\n  get e(): number { return A.a! }\n  constructor(a: T) { this.d = a }\n}\nnew (class extends A<string> { c() {} })('x').e",
    "function f(this: void, a: string): string;\nfunction f(a: any): any { return <any>a }\nlet x!: number, y = f('1') as const;\n\
     export type { A } from './a';\nexport default f<string>(`${y as string}`)",
    "declare module 'x' { export = y }\ndeclare global { var z: 1 }\nnamespace N { export type A = typeof import('y') }\n\
     enum E { A = 1 << 2, B = 'b' }\nimport q = require('q');\n@log class C { constructor(private a: number) {} }",
    "const table = documents[\"2024.xlsx\"].tables[0];\nconst best = table.toObjects().reduce((a, b) => (b.DAU ?? 0) > (a?.DAU ?? 0) ? b : a);\n\
     console.log(`${best.Month}: ${(best.DAU * 100).toFixed(1)}%`);\nbest.DAU;",
    "const all = await Promise.all(['a', 'b'].map(async (v) => (await tools.a_tool.echo(v)).value));\n\
     try { await tools.a_tool.fail() } catch ({ kind, message }) { console.error(kind, message) }\nreturn { all, n: 2n ** 64n }",
    "export class A extends Object { static #x = /[/\\]年]{2,}/giu; static { this.y = 1 } }\nexport { A as B };\n\
     const [p, { q = 3, ...r }, ...s] = [1, { z: 2 }, 'é\\u{1f600}'];\n({ p, q, r, s, [`k${p}`]: A.y, get g() { return 0x1f } })",
    "async () => {\n  const { echo } = await import('a-tool'), m = require('a-tool');\n  // comment }\n  /* { */\n  \
     label: { if (m) break label; else throw new ToolError('x') }\n  return (await echo({ value: [1, null, true] })).value;\n}",
    "const m = new Map<string, number[]>([['a', [1]]]);\nswitch (m.get('a')![0]) { case 1: m.set('b', []); default: m.size }\n\
     [1, 2].map((n: number): string => n.toFixed()).join`,`",
    "var o = { async *m<T>(this: any, a?: T): AsyncGenerator<T> { yield a as T }, 'x': 1, 2: 3, __proto__: null };\n\
     delete o.x, void o?.m?.(1), typeof o[2]! === 'number' ? new.target : ~-+!o;",
    "'use strict';\nlet a = 1, b = 2\n;[a, b] = [b, a]\n++a\nconst c = a<b>(1), d = a < b, e = a >> b >>> 1\n`x${a}y${`z${b}`}`\n#!/x\n<!-- y",
    "const f = 1, n = [1, 2];\nimport * as later from 'a-tool';\nfor (const x of n) { try { if (x > 1) { return { x } } } finally { f }\n}\n\
     let f = 2; var n; class f {} function n() { return f }\n{ f, n: later.echo, ...{} }",
    "```ts\nexport const k = await 1, { d } = { d: [k] }\nexport default async function* main<T>({ y = k }: { y?: T }) { return y as T }\n\
     switch (d?.[0]) { case 1: { return main } default: return }\n```\n",
    "const o = { a: 1 }\n[o]\n  .b?.c\n  .d\nasync function (input, ...rest) {\n  const k = 1; k++; return { [input]: rest }\n};",
];

/// Pieces that damage puts in.
pub(crate) const PIECES: [&str; 44] = [
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "`",
    "${",
    "'",
    "\"",
    "/",
    "/*",
    "*/",
    "//",
    "\\",
    ":",
    "?",
    "!",
    "=>",
    "=",
    ";",
    ",",
    ".",
    "...",
    "as ",
    "type ",
    "enum ",
    "import ",
    "export ",
    "declare ",
    "abstract ",
    "return ",
    "await ",
    "async ",
    "class ",
    "\n",
    "\u{2028}",
    "年",
    "\0",
    "0n",
    "\u{feff}",
    "@",
];

/// A generator of numbers that are the same in each run (xorshift).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }

    /// Returns a place between two letters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn range(&mut self, text: &str, longest: usize) -> (usize, usize) {
        let start = self.place(text);
        let length = self.below(longest);
        let end = text[start..].char_indices().nth(length).map_or(text.len(), |(at, _)| start + at);
        (start, end)
    }

    /// Returns a seed that is damaged at one to four places.
    pub(crate) fn damaged(&mut self) -> String {
        let mut text = SEEDS[self.below(SEEDS.len())].to_owned();
        for _ in 0..=self.below(4) {
            match self.below(6) {
                0 => {
                    let (start, end) = self.range(&text, 12);
                    text.replace_range(start..end, "");
                }
                1 | 2 => {
                    let at = self.place(&text);
                    text.insert_str(at, PIECES[self.below(PIECES.len())]);
                }
                3 => {
                    let (start, end) = self.range(&text, 30);
                    let (piece, at) = (text[start..end].to_owned(), self.place(&text));
                    text.insert_str(at, &piece);
                }
                4 => {
                    let other = SEEDS[self.below(SEEDS.len())];
                    let (start, end) = self.range(other, 60);
                    let at = self.place(&text);
                    text.insert_str(at, &other[start..end]);
                }
                _ => {
                    let at = self.place(&text);
                    text.truncate(at);
                }
            }
        }
        text
    }
}
