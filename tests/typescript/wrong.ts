// Each line after `@ts-expect-error` is wrong, and the compiler must say so.
import { growth } from "table-tool";
import { createExcel } from "excel-tool";
// @ts-expect-error no such function
import { grow } from "table-tool";
// @ts-expect-error no such skill
import { sort } from "tabel-tool";

const table = documents["2024.xlsx"].tables[0];
// @ts-expect-error no such function
await tools.table_tool.grow({ data: table, columns: ["DAU"] });
// @ts-expect-error no such skill
await tools.tabel_tool.growth({ data: table, columns: ["DAU"] });
// @ts-expect-error no such tool
await codemode.table_tool__grow({ data: table, columns: ["DAU"] });
// @ts-expect-error no such tool
await mitt.call("table_tool__grow", { data: table, columns: ["DAU"] });
// @ts-expect-error nothing given
await growth();
// @ts-expect-error `data` is missing
await growth({ columns: ["DAU"] });
// @ts-expect-error `columns` is missing
await growth(table);
// @ts-expect-error `columns` is missing
await growth(table, { lag: 1 });
// @ts-expect-error `columns` is missing
await mitt.call("table_tool__growth", { data: table });
// @ts-expect-error a list is expected
await growth({ data: table, columns: "DAU" });
// @ts-expect-error a table is expected
await growth({ data: 3, columns: ["DAU"] });
// @ts-expect-error no such parameter
await growth({ data: table, columns: ["DAU"], order: "Month" });
// @ts-expect-error `columns` is given twice
await growth(table, ["DAU"], { columns: ["DAU"] });
// @ts-expect-error no such value
await tools.table_tool.sort(table, [{ column: "DAU", order: "down" }]);
// @ts-expect-error a promise
(await growth(table, ["DAU"])).data.length + growth(table, ["DAU"]).data.length;
// @ts-expect-error no such field
(await createExcel({ data: table })).path;
// @ts-expect-error a number or digits
(await createExcel({ data: table })).size.toFixed(1);
// @ts-expect-error no such module
require("fs");
// @ts-expect-error not there in a script
fetch("https://example.com");
// @ts-expect-error not there in a script
process.exit();
// @ts-expect-error read only
documents.names = [];
// @ts-expect-error a document is no table
await growth(documents[0], ["DAU"]);
