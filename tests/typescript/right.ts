// A script as users write it: the compiler must accept all of it.
import { growth, sort } from "table-tool";
import excelTool, { createExcel, type SheetOptionsInput } from "excel-tool";
import * as report from "report";
import mitt2, { load as loaded, tools as allTools, Table as Rows } from "mitt";

declare const year: number;
const table = documents["2024.xlsx"].tables[0];
const sales = documents[0].tables["Sales"] ?? Table.fromObjects([{ Month: "Jan", DAU: 12 }]);

// Each form of a call.
const { data, warnings } = await growth(table, { columns: ["DAU"] });
await growth({ data: table, columns: ["DAU"], order_by: null, lag: 1 });
await growth("sales.csv", ["DAU"], "Month");
await tools.table_tool.growth(sales, ["DAU"], { decimals: 2 });
await tools.tableTool.growth({ data: { $ref: "t:3" }, columns: ["DAU"] });
await codemode.table_tool__growth({ data: [{ DAU: 1n, Day: new Date() }], columns: ["DAU"] });
await mitt.call("table_tool__growth", { data: { columns: ["DAU"], rows: [[1], [null]] }, columns: ["DAU"] });
const sorted = await sort(data, [{ column: "DAU", order: "descending" }], { limit: 3 });

// Tables.
const best = data.toObjects().reduce((a, b) => ((b.DAU_growth ?? 0) > (a.DAU_growth ?? 0) ? b : a));
for (const row of sorted.data) console.log(`${row.Month}: ${(row.DAU * 100).toFixed(1)}%`, table[0].Month, table.at(-1)?.Month);
const sum: number = data.column("DAU").reduce((a: number, b: number) => a + b, 0) + data.DAU.length + data.length;
const top = data.slice(0, 10).select("Month", "DAU").rename({ DAU: "users" }).filter((row) => row.users > sum).map((row) => row.Month);
const cells: (string | number | bigint | boolean | null)[][] = data.rows;
interface Sale { month: string; amount: number }
const list: Sale[] = [{ month: "Jan", amount: 12.5 }];

// Files, in parallel.
const options: SheetOptionsInput = {};
const [file, page] = await Promise.all([
    createExcel({ data: list, filename: "dau.xlsx", options }),
    report.deliver("# Report", "report.pdf", { title: `${year}` }),
]);
console.log(file.name, Number(file.size) / 1024, page.media_type, warnings.join(), top, cells, best);
await excelTool.append_rows(data, sales);

// Everything else.
try {
    await require("table-tool").describe(data);
} catch (error) {
    if (!(error instanceof ToolError) || error.kind === "trap") throw error;
    text(`${error.tool}: ${error.message}`);
}
await store("best", best);
const kept = await load<{ Month: string }>("best");
await mitt.write("a.csv", new TextEncoder().encode("n\n1\n"));
const size = (await mitt2.readBytes("a.csv")).length + mitt.files().length + mitt.arguments.length + Number(inputs.year);
for (const document of documents) help(document.tables.map((each) => each.columns));
setTimeout((month: string) => console.table([{ month, size }]), 0, kept?.Month ?? crypto.randomUUID());
if (ALL_TOOLS.some((tool) => tool.name === "report__deliver") && size < 0) exit();
await allTools.table_tool.describe(Rows.fromObjects([{ a: await loaded<number>("n") }]));
table[0]!.DAU = 13;
console.log(JSON.stringify({ table }), table.indexOf(table[0]!), (13.5).toLocaleString("zh-CN"));
new URL("https://example.com/?a=1").searchParams.get("a") ?? structuredClone(atob(btoa("a")));
best.DAU_growth;
