// The conformance suite uses its own names for tools, prompts and resources; ours are named after skills. This proxy stands
// between both and only replaces names, in messages and in `Mcp-Name`.
//
//     node rename.mjs http://127.0.0.1:PORT FOLDER-OF-THE-SKILL
//
// A call of `test_trigger_…_change` first changes the skill, so that the suite sees the server's own reload.
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';

const target = new URL(process.argv[2]);
const skill = process.argv[3];
// The skill's files stay between runs, so a count that begins anew would write what they hold already, which changes nothing.
let changes = Date.now();
const change = (what) => {
  changes += 1;
  const [file, pattern, text] = what === 'tool'
    ? ['skill.yaml', /title: Do nothing[^,]*/, 'title: Do nothing']
    : ['SKILL.md', /calls by name\..*/, 'calls by name.'];
  const path = `${skill}/${file}`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, `${text} ${changes}`));
};

// Their name, our name. If several of theirs map to one of ours, lists show the first.
const names = [
  ['test_simple_text', 'conformance__simple_text'],
  ['test_embedded_resource', 'conformance__deliver'],
  ['test_error_handling', 'conformance__failing'],
  ['test_tool_with_logging', 'conformance__logging'],
  ['test_tool_with_progress', 'conformance__logging'],
  ['test_logging_tool', 'conformance__logging'],
  ['test_streaming_elicitation', 'conformance__logging'],
  ['test_elicitation', 'conformance__change'],
  ['test_missing_capability', 'conformance__change'],
  ['test_input_required_result_elicitation', 'conformance__change'],
  ['test_input_required_result_request_state', 'conformance__change'],
  ['test_input_required_result_tampered_state', 'conformance__change'],
  ['test_input_required_result_capabilities', 'conformance__change'],
  ['greet', 'conformance__greet'],
  ['slow_compute', 'conformance__slow_compute'],
  ['failing_job', 'conformance__failing_job'],
  ['confirm_delete', 'conformance__change'],
  ['test_trigger_tool_change', 'conformance__empty'],
  ['test_trigger_prompt_change', 'conformance__empty'],
  ['test_simple_prompt', 'conformance'],
  ['test_prompt_with_arguments', 'prompt-with-arguments'],
  ['test://static-text', 'skill://conformance/SKILL.md'],
  ['test://static-binary', 'skill://conformance/pixel.png'],
  ['test://template/123/data', 'mitt://documents/123.txt'],
  ['test://watched-resource', 'mitt://documents/123.txt'],
];
// Names for our single question in scenarios that expect their own.
const questions = { test_input_required_result_elicitation: 'user_name' };

// Names are whole JSON strings, so no text is changed in the middle.
const quoted = (name) => `"${name}"`;
const question = (text) => Object.entries(questions).find(([tool]) => text.includes(quoted(tool)))?.[1];
const ours = (text) => names.reduce((text, [theirs, ours]) => text.replaceAll(quoted(theirs), quoted(ours)),
  question(text) ? text.replaceAll(quoted(question(text)), quoted('approval')) : text);

/** What was renamed in this request is renamed back in its answer. */
const theirs = (request) => {
  const used = names.filter(([theirs]) => request.includes(quoted(theirs)));
  const asked = question(request);
  const rest = names.filter(([, ours]) => ours.includes('__') || ours.includes('://'));
  return (text) => [...used, ...rest].reduce((text, [theirs, ours]) => text.replaceAll(quoted(ours), quoted(theirs)),
    asked ? text.replaceAll(quoted('approval'), quoted(asked)) : text);
};

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const body = Buffer.from(ours(text));
    const trigger = text.match(/"test_trigger_(tool|prompt)_change"/);
    if (trigger) change(trigger[1]);
    const headers = { ...request.headers };
    if (headers['mcp-name']) headers['mcp-name'] = ours(quoted(headers['mcp-name'].trim())).slice(1, -1);
    delete headers['transfer-encoding'];
    if (body.length || headers['content-length']) headers['content-length'] = body.length;
    // The suite uses `localhost` and our own port; any other value is part of a test.
    if (headers.host === `${target.hostname}:${server.address().port}`) headers.host = target.host;
    const options = { host: target.hostname, port: target.port, path: request.url, method: request.method, headers };
    const upstream = http.request(options, (answer) => {
      const back = theirs(text);
      const fields = { ...answer.headers };
      delete fields['content-length'];
      response.writeHead(answer.statusCode, fields);
      response.flushHeaders();
      let line = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        // Events are lines, so a name is never split.
        const end = (line + chunk).lastIndexOf('\n') + 1;
        const whole = (line + chunk).slice(0, end);
        line = (line + chunk).slice(end);
        if (whole) response.write(back(whole));
      });
      answer.on('end', () => response.end(back(line)));
      answer.on('error', () => response.destroy());
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
