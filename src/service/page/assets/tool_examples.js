// Arguments that show what a bundled tool does, as JSON. They need no document.

const SALES =
  '{"columns": ["Month", "Region", "Revenue"], "rows": [["2025-01", "North", 1200], ["2025-01", "South", 950.5], ["2025-02", "North", 1350], ["2025-02", "South", 1010]]}';

/** @type {Record<string, string>} */
export const examples = {
  chart_tool__draw_chart: `{"data": ${SALES.replace('"Region", ', "").replace(/"(North|South)", /g,
    "")}, "form": "column", "options": {"title": "Revenue grows", "subtitle": "USD thousand"}}`,
  document_tool__list_documents: "{}",
  excel_tool__append_rows: `{"data": ${SALES}, "rows": {"columns": ["Month", "Region", "Revenue"], "rows": [["2025-03", "North", 1400]]}}`,
  excel_tool__create_excel: `{"data": ${SALES}, "filename": "sales.xlsx", "options": {"totals": [{"column": "Revenue", "function": "sum"}]}}`,
  excel_tool__create_workbook: `{"sheets": [{"name": "Sales", "data": ${SALES}}, {"name": "Plan", "data": {"columns": ["Month", "Plan"], "rows": [["2025-03", 1500], ["2025-04", 1600]]}}], "filename": "plan.xlsx"}`,
  python__run:
    '{"code": "import table_tool\\n\\nrows = [{\\"year\\": 2024, \\"revenue\\": 80}, {\\"year\\": 2025, \\"revenue\\": 100}]\\nprint(\\"two years\\")\\ntable_tool.growth(rows, columns=[\\"revenue\\"])"}',
  report__deliver:
    '{"markdown": "# Revenue\\n\\nRevenue grew by **25 %**.\\n\\n| Year | Revenue |\\n|---|---:|\\n| 2024 | 80 |\\n| 2025 | 100 |\\n", "filename": "revenue.pdf"}',
  sql_tool__query: `{"sql": "SELECT Region, sum(Revenue) AS total\\nFROM sales\\nGROUP BY Region\\nORDER BY total DESC", "tables": [{"name": "sales", "data": ${SALES}}]}`,
  table_tool__calculate: `{"data": ${SALES}, "name": "With tax", "expression": "[Revenue] * 1.19", "decimals": 2}`,
  table_tool__compare:
    '{"data": {"columns": ["Product", "Y2024", "Y2025"], "rows": [["A", 80, 100], ["B", 50, 45]]}, "base": "Y2024", "columns": ["Y2025"]}',
  table_tool__date_parts:
    '{"data": {"columns": ["Day"], "rows": [["2025-03-31"], ["2025-12-01"]]}, "column": "Day", "parts": ["year", "month"]}',
  table_tool__deduplicate:
    '{"data": {"columns": ["Name", "City"], "rows": [["Li", "Beijing"], ["Li", "Beijing"], ["Ann", "York"]]}}',
  table_tool__describe: `{"data": ${SALES}, "columns": ["Revenue"]}`,
  table_tool__fill:
    '{"data": {"columns": ["Day", "Price"], "rows": [["Mon", 10], ["Tue", null], ["Wed", 12]]}, "method": "previous"}',
  table_tool__filter: `{"data": ${SALES}, "conditions": [{"column": "Revenue", "operator": "ge", "values": [1000]}]}`,
  table_tool__group: `{"data": ${SALES}, "by": ["Region"], "aggregates": [{"column": "Revenue", "function": "sum", "name": "Total"}]}`,
  table_tool__growth:
    '{"data": {"columns": ["Year", "Revenue"], "rows": [[2023, 80], [2024, 100], [2025, 90]]}, "columns": ["Revenue"], "order_by": "Year"}',
  table_tool__join: `{"left": ${SALES}, "right": {"columns": ["Region", "Manager"], "rows": [["North", "Ann"], ["South", "Li"]]}, "on": [{"left": "Region", "right": "Region"}]}`,
  table_tool__parse_numbers:
    '{"data": {"columns": ["Item", "Amount"], "rows": [["A", "1.2亿"], ["B", "12.5%"], ["C", "1,234"]]}, "columns": ["Amount"]}',
  table_tool__pivot: `{"data": ${SALES}, "rows": ["Month"], "column": "Region", "values": "Revenue", "function": "sum"}`,
  table_tool__rank: `{"data": ${SALES}, "column": "Revenue"}`,
  table_tool__sample: `{"data": ${SALES}, "rows": 2, "method": "random", "seed": 7}`,
  table_tool__select: `{"data": ${SALES}, "columns": ["Region", "Revenue"], "rename": [{"column": "Revenue", "name": "USD thousand"}]}`,
  table_tool__share: `{"data": ${SALES}, "column": "Revenue", "group_by": ["Month"]}`,
  table_tool__sort: `{"data": ${SALES}, "keys": [{"column": "Revenue", "order": "descending"}]}`,
  table_tool__unpivot:
    '{"data": {"columns": ["Product", "2024", "2025"], "rows": [["A", 80, 100], ["B", 50, 45]]}, "keep": ["Product"], "name": "Year", "value": "Revenue"}',
  table_tool__window: `{"data": ${SALES}, "column": "Revenue", "function": "sum", "group_by": ["Region"]}`,
};
