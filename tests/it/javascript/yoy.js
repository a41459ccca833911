import { parseNumbers, select, calculate, join, compare, group } from "table-tool";

/** The table with these columns as numbers; stops when a cell is none. */
async function numbers(table, columns) {
  const parsed = await parseNumbers(table, { columns });
  if (parsed.failures?.length) throw new Error(`不是数字：${JSON.stringify(parsed.failures)}`);
  return parsed.data;
}

// 2024 年的表以“万”为单位，2025 年的写成“1,452.3万”“1.26亿”，读成绝对数后再换算成“万”。
let old = documents["2024年经营报告.xlsx"].tables[0];
old = await numbers(old, ["日活跃用户（万人）", "营业收入（万元）"]);
old = (await select(old, { rename: [
  { column: "日活跃用户（万人）", name: "2024 DAU（万）" },
  { column: "营业收入（万元）", name: "2024 收入（万元）" },
] })).data;

let latest = documents["2025年经营报告.docx"].tables[0];
latest = await numbers(latest, ["日活跃用户", "营业收入"]);
latest = (await calculate(latest, { name: "2025 DAU（万）", expression: "[日活跃用户] / 10000", decimals: 4 })).data;
latest = (await calculate(latest, { name: "2025 收入（万元）", expression: "[营业收入] / 10000", decimals: 4 })).data;
latest = (await select(latest, { columns: ["月份", "2025 DAU（万）", "2025 收入（万元）"] })).data;

// 按月对比。
let months = (await join(old, latest, { on: [{ left: "月份", right: "月份" }] })).data;
months = (await compare(months, { base: "2024 DAU（万）", columns: ["2025 DAU（万）"] })).data;
months = (await compare(months, { base: "2024 收入（万元）", columns: ["2025 收入（万元）"] })).data;
months = (await select(months, {
  columns: [
    "月份",
    "2024 DAU（万）", "2025 DAU（万）", "2025 DAU（万）_growth",
    "2024 收入（万元）", "2025 收入（万元）", "2025 收入（万元）_growth",
  ],
  rename: [
    { column: "2025 DAU（万）_growth", name: "DAU 同比" },
    { column: "2025 收入（万元）_growth", name: "收入同比" },
  ],
})).data;

// 全年：DAU 取各月平均，收入取合计。
const year = (await group(months, { by: [], aggregates: [
  { column: "2024 DAU（万）", function: "mean", name: "DAU 2024" },
  { column: "2025 DAU（万）", function: "mean", name: "DAU 2025" },
  { column: "2024 收入（万元）", function: "sum", name: "收入 2024" },
  { column: "2025 收入（万元）", function: "sum", name: "收入 2025" },
], decimals: 4 })).data.toObjects()[0];
let summary = [
  { "指标": "平均 DAU（万）", "2024 年": year["DAU 2024"], "2025 年": year["DAU 2025"] },
  { "指标": "营业收入（万元）", "2024 年": year["收入 2024"], "2025 年": year["收入 2025"] },
];
summary = (await compare(summary, { base: "2024 年", columns: ["2025 年"] })).data;
summary = (await select(summary, { rename: [
  { column: "2025 年_change", name: "增减" },
  { column: "2025 年_growth", name: "同比" },
] })).data;

const formats = (names, number_format) => names.map((column) => ({ column, number_format }));
await tools.excel_tool.create_workbook({
  sheets: [
    { name: "年度对比", data: summary, columns: [...formats(["2024 年", "2025 年", "增减"], "#,##0.00"), ...formats(["同比"], "0.00%")] },
    { name: "按月对比", data: months, columns: formats(["DAU 同比", "收入同比"], "0.00%"), charts: [
      { kind: "column", title: "DAU（万）", category: "月份", values: ["2024 DAU（万）", "2025 DAU（万）"] },
      { kind: "line", title: "收入同比", category: "月份", values: ["收入同比"] },
    ] },
  ],
  filename: "2024-2025年经营对比.xlsx",
  title: "2024–2025 年经营对比",
});

const percent = (value) => `${(value * 100).toFixed(2)}%`;
const grouped = (value) => value.toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const best = months.reduce((a, b) => (b["收入同比"] > a["收入同比"] ? b : a));
const [dau, revenue] = summary;
await tools.report.deliver({
  markdown: `# 2024–2025 年经营对比总结\n\n- DAU 同比 **${percent(dau["同比"])}**，收入 ${grouped(revenue["2025 年"])} 万元，同比 **${percent(revenue["同比"])}**；\n- 最高的是 ${best["月份"]}，${percent(best["收入同比"])}。\n\n${months.markdown()}\n`,
  filename: "2024-2025年经营总结.pdf",
  title: "2024–2025 年经营对比总结",
});
console.log("完成");
[best["月份"], percent(best["收入同比"]), dau["同比"], revenue["2025 年"]];
