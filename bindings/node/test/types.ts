// Read by `tsc --noEmit` only: the types of what programs write.
import { Host, MittError, fill, programPath, render, version } from 'mitt-node';
import type { Code, Document, Event, Report, RunReport, Session, Tool } from 'mitt-node';

export async function all(signal: AbortSignal): Promise<string> {
  using host = new Host({ cache: false, threads: 2, limits: { call: { time_ms: 1 }, session: { tool_calls: 1, parts: { files: 1 } } } });
  using other = new Host({ mode: 'process', interpreter: process.execPath });
  other.close();
  host.tool<{ article: string }>({ name: 'shop__price' }, async ({ article }, { signal }) => (signal.aborted ? null : article.length));
  using session: Session = host.session({ tenant: 'a', destructive: 'pause', onEvent: (event: Event) => event.event });
  const document: Document = await session.add('a.xlsx', { password: 'x', signal });
  await session.add(new Uint8Array(1), { name: 'a.txt' });
  const report: Report<number> = await session.call<number>('a__b', { a: 1 }, { signal, tables: { cells: 1 } });
  const cents: number = report.result;
  const { stdout }: { stdout: string } = (await session.script('1', { language: 'python', inputs: { a: [1] } })).result;
  const { tools }: { tools: Tool[] } = await session.tools();
  const run: RunReport = await session.run('a', {
    model: async (request) => ({ content: request.messages[0]?.content }), signal, tools: 'all', limits: { turns: 1 },
    output_schema: { type: 'object', required: ['sum'] },
  });
  if (run.output === null) return run.text;
  const bytes: Buffer = await session.artifact(run.delivered[0]!);
  await session.addTable('a', bytes);
  const { pages } = await render('# a', 'pdf', { paper: 'a4' });
  await fill('a.docx', { a: 1 });
  try {
    await session.resume('a', { decision: 'deny', reason: 'b' });
  } catch (error) {
    if (error instanceof MittError) {
      const code: Code = error.code;
      return `${code} ${error.place} ${error.hint} ${error.limit?.used} ${error.answer} ${error.report?.json}`;
    }
  }
  // @ts-expect-error a format that there is not
  await render('# a', 'odt');
  // @ts-expect-error a mode that there is not
  new Host({ mode: 'fiber' });
  // @ts-expect-error an unknown option
  host.session({ tenan: 'a' });
  // @ts-expect-error a model is needed
  await session.run('a', {});
  return `${version} ${programPath()} ${document.title} ${cents} ${stdout} ${tools.length} ${pages}`;
}
