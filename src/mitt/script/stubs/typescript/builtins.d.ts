// Check scripts with these settings, in a `tsconfig.json` beside them, and this file among its `files`:
//   "compilerOptions": { "target": "es2023", "lib": ["es2023"], "types": [], "module": "esnext", "moduleResolution": "bundler",
//                        "moduleDetection": "force", "strict": true, "noEmit": true }

/** A value of a table. A whole number beyond 2^53 is a bigint. */
type Cell = null | boolean | number | bigint | string;
type CellInput = Cell | Date;

/** A row of a table as an object. */
type Row = { [column: string]: any };

/** A table: one of the script, a list of rows, or the reference of one that is there, such as `"sales.csv"`. */
type TableInput =
    | Table
    | readonly Readonly<Row>[]
    | { readonly columns: readonly string[]; readonly rows: readonly (readonly CellInput[])[] }
    | { readonly $ref: string }
    | string;

/** A whole number of 64 bits in a result: its digits as text beyond 2^53. `BigInt(value)` is exact. */
type Int64 = number | string;
type Int64Input = number | bigint | string;

/** A number of any length: a bigint if it is whole and beyond 2^53, its digits as text if it is too large. */
type Decimal = number | bigint | string;
type DecimalInput = number | bigint | string;

/** Bytes, or Base64. Results have bytes as Base64. */
type BytesInput = ArrayBufferView | ArrayBuffer | string;

/** A value of JSON in a result, with its tables as `Table`. */
type Json = null | boolean | number | bigint | string | Table | Json[] | { [key: string]: Json };

/** Named columns, and rows with one cell per column. Rows of the host are fetched when they are needed. */
declare class Table {
    constructor(columns: readonly string[], rows?: Iterable<Iterable<CellInput>>, name?: string);
    static fromObjects(objects: Iterable<Readonly<Row>>, name?: string): Table;
    static fromRecords(objects: Iterable<Readonly<Row>>, name?: string): Table;
    static fromDicts(objects: Iterable<Readonly<Row>>, name?: string): Table;
    /** Without `columns`, the first row has their names. */
    static fromRows(rows: Iterable<readonly CellInput[]>, columns?: readonly string[], name?: string): Table;

    name: string;
    readonly columns: string[];
    readonly length: number;
    readonly rowCount: number;
    /** The rows as arrays. They are copies, unlike the rows as objects. */
    readonly rows: Cell[][];

    /** Row by its number, from the end if it is negative. */
    at(index: number): Row | undefined;
    column(name: string): any[];
    toObjects(): Row[];
    toArray(): Row[];
    records(): Row[];
    toDicts(): Row[];
    /** The rows, for `JSON.stringify`. */
    toJSON(): Row[];
    slice(start?: number, end?: number): Table;
    select(...names: (string | readonly string[])[]): Table;
    /** Names by old names. */
    rename(names: Readonly<Record<string, string>>): Table;
    markdown(): string;
    toString(): string;
    [Symbol.iterator](): Generator<Row, void, undefined>;

    /** Row by its number. */
    [index: number]: Row;
    /** Column by its name. */
    [column: string]: any;
}
/** What arrays can do, over the rows as objects. */
interface Table
    extends Pick<
        Row[],
        | "concat"
        | "entries"
        | "every"
        | "filter"
        | "find"
        | "findIndex"
        | "findLast"
        | "findLastIndex"
        | "flat"
        | "flatMap"
        | "forEach"
        | "includes"
        | "indexOf"
        | "join"
        | "keys"
        | "lastIndexOf"
        | "map"
        | "reduce"
        | "reduceRight"
        | "reverse"
        | "some"
        | "sort"
        | "toReversed"
        | "toSorted"
        | "toSpliced"
        | "values"
        | "with"
    > {}

/** The tables of a document, by number or by name. */
type Tables = readonly Table[] & { readonly [name: string]: Table };

/** A document of the session, read only. */
interface MittDocument {
    readonly name: string;
    readonly mediaType: string;
    readonly media_type: string;
    readonly title: string | null;
    readonly warnings: readonly string[];
    readonly text: string;
    readonly tables: Tables;
    toString(): string;
}

interface DocumentList {
    readonly names: string[];
    readonly length: number;
    readonly size: number;
    keys(): string[];
    values(): MittDocument[];
    entries(): [string, MittDocument][];
    get(name: string): MittDocument | undefined;
    has(name: string): boolean;
    map<Value>(each: (document: MittDocument, index: number) => Value): Value[];
    filter(each: (document: MittDocument, index: number) => unknown): MittDocument[];
    find(each: (document: MittDocument, index: number) => unknown): MittDocument | undefined;
    forEach(each: (document: MittDocument, index: number) => void): void;
    [Symbol.iterator](): IterableIterator<MittDocument>;
}

/** A failed call of a tool. */
declare class ToolError extends Error {
    private constructor();
    readonly kind: "unknown-tool" | "arguments" | "plugin" | "trap";
    readonly tool: string;
}

/** The skills by name. */
interface Skills {}
/** The functions of all skills by the names of their tools. */
interface ToolFunctions {}
/** What `require` finds. */
interface Modules {}

interface Mitt {
    readonly arguments: string[];
    readonly tools: typeof tools;
    readonly documents: typeof documents;
    readonly inputs: typeof inputs;
    readonly Table: typeof Table;
    readonly Document: abstract new () => MittDocument;
    readonly ToolError: typeof ToolError;
    /** Calls a tool by its name. */
    call<Name extends keyof ToolFunctions>(tool: Name, ...named: Arguments<ToolFunctions[Name]>): Result<ToolFunctions[Name]>;
    help(what?: unknown): void;
    text(value: unknown): void;
    store(name: string, value: unknown): Promise<void>;
    load<Value = any>(name: string): Promise<Value | undefined>;
    exit(code?: number): never;
    /** Names of the files in the session's workspace. */
    files(): string[];
    /** Reads a file of the workspace as text. */
    read(name: string): Promise<string>;
    readBytes(name: string): Promise<Uint8Array>;
    /** Writes a file of the workspace: text, bytes, or any other value as JSON. */
    write(name: string, content: unknown): Promise<void>;
    remove(name: string): Promise<void>;
}
type Arguments<Function> = Function extends (...values: infer Values) => unknown ? Values : never;
type Result<Function> = Function extends (...values: never) => infer Value ? Value : never;

/** The session's tools: `tools.table_tool.sort({ … })`. */
declare const tools: Skills & ToolFunctions;
/** The same as `tools`. */
declare const codemode: Skills & ToolFunctions;
/** The session's documents, by name or by number. */
declare const documents: DocumentList & { readonly [name: string]: MittDocument };
/** The values that the script was given. Each is also a variable of its own, which a script declares: `declare const year: number`. */
declare const inputs: { readonly [name: string]: any };
declare const mitt: Mitt;

/** Name and description of each tool that the script may call. */
declare const ALL_TOOLS: readonly { readonly name: string; readonly description: string }[];
/** Ends the script with what it has written so far. A number other than 0 is an error. */
declare function exit(code?: number): never;

/** Lists skills, or the functions of one: `help(tools.table_tool)`. */
declare function help(what?: unknown): void;
/** Writes a value as `console.log` does, an object as JSON. */
declare function text(value: unknown): void;
/** Keeps a JSON value in the session's workspace. */
declare function store(name: string, value: unknown): Promise<void>;
/** Returns a value that was kept; undefined if there is none. */
declare function load<Value = any>(name: string): Promise<Value | undefined>;
declare function require<Name extends keyof Modules>(name: Name): Modules[Name];
declare function require(name: "mitt"): Mitt;

declare module "mitt" {
    const $module: Mitt;
    export default $module;
    export const tools: Mitt["tools"];
    export const documents: Mitt["documents"];
    export const inputs: Mitt["inputs"];
    export const load: Mitt["load"];
    export const store: Mitt["store"];
    export const text: Mitt["text"];
    export const exit: Mitt["exit"];
    const $Table: typeof Table;
    const $ToolError: typeof ToolError;
    const $ALL_TOOLS: typeof ALL_TOOLS;
    export { $Table as Table, $ToolError as ToolError, $ALL_TOOLS as ALL_TOOLS };
}

interface Console {
    log(...values: unknown[]): void;
    info(...values: unknown[]): void;
    debug(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
    trace(...values: unknown[]): void;
    dir(value: unknown): void;
    table(rows: unknown, columns?: readonly string[]): void;
    assert(condition: unknown, ...values: unknown[]): void;
    group(...values: unknown[]): void;
    groupCollapsed(...values: unknown[]): void;
    groupEnd(): void;
    count(label?: string): void;
    countReset(label?: string): void;
    time(label?: string): void;
    timeLog(label?: string): void;
    timeEnd(label?: string): void;
}
declare var console: Console;

declare class TextEncoder {
    readonly encoding: "utf-8";
    encode(text?: string): Uint8Array;
}
declare class TextDecoder {
    /** Only UTF-8. */
    constructor(label?: "utf-8" | "utf8", options?: { readonly fatal?: boolean });
    readonly encoding: "utf-8";
    decode(data?: ArrayBufferView | ArrayBuffer): string;
}

declare class URLSearchParams {
    constructor(init?: string | Iterable<readonly [string, string]> | Readonly<Record<string, string>>);
    readonly size: number;
    get(name: string): string | null;
    getAll(name: string): string[];
    has(name: string): boolean;
    append(name: string, value: string): void;
    delete(name: string): void;
    set(name: string, value: string): void;
    sort(): void;
    forEach(each: (value: string, name: string, all: URLSearchParams) => void): void;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    entries(): IterableIterator<[string, string]>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
    toString(): string;
}
declare class URL {
    constructor(url: string | URL, base?: string | URL);
    static canParse(url: string | URL, base?: string | URL): boolean;
    readonly protocol: string;
    readonly username: string;
    readonly password: string;
    readonly hostname: string;
    readonly port: string;
    readonly host: string;
    readonly origin: string;
    readonly pathname: string;
    readonly search: string;
    readonly hash: string;
    readonly href: string;
    readonly searchParams: URLSearchParams;
    toString(): string;
    toJSON(): string;
}

declare const crypto: {
    getRandomValues<Numbers extends ArrayBufferView>(array: Numbers): Numbers;
    randomUUID(): string;
};
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function structuredClone<Value>(value: Value): Value;

/** Timers do not wait: they run in order when nothing else is left to do. */
declare function setTimeout<Values extends unknown[]>(each: (...values: Values) => void, delay?: number, ...values: Values): number;
declare function setInterval<Values extends unknown[]>(each: (...values: Values) => void, delay?: number, ...values: Values): number;
declare function setImmediate<Values extends unknown[]>(each: (...values: Values) => void, ...values: Values): number;
declare function clearTimeout(timer?: number): void;
declare function clearInterval(timer?: number): void;
declare function clearImmediate(timer?: number): void;
