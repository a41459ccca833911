// Drives structured outputs and required calls with the npm packages `openai` (with `zod`) and `ai` (with `@ai-sdk/openai`),
// unchanged.
//
//     node structured_client.mjs http://127.0.0.1:PORT TOKEN
//
// The server's model must be `mock_model.py` beside this file.

import assert from "node:assert/strict";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const [base, key] = process.argv.slice(2);
const MODEL = "mock";
const Sum = z.object({ total: z.number().int(), parts: z.array(z.object({ name: z.string() })), note: z.string().nullable() });
const RIGHT = { total: 7, parts: [{ name: "a" }], note: null };
const SUM = `[json] ${JSON.stringify(RIGHT)} [/json]`;
const WRONG = `[json] It is seven. [/json] [mended]${JSON.stringify(RIGHT)}[/mended]`;

const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: key });
const provider = createOpenAI({ baseURL: `${base}/v1`, apiKey: key });

const checks = {
    "openai: chat.completions.parse with zodResponseFormat": async () => {
        for (const content of [SUM, WRONG]) {
            const completion = await client.chat.completions.parse({
                model: MODEL, messages: [{ role: "user", content }], response_format: zodResponseFormat(Sum, "sum"),
            });
            assert.deepEqual(completion.choices[0].message.parsed, RIGHT);
        }
    },
    "openai: responses.parse with zodTextFormat": async () => {
        for (const input of [SUM, WRONG]) {
            const response = await client.responses.parse({ model: MODEL, input, text: { format: zodTextFormat(Sum, "sum") } });
            assert.deepEqual(response.output_parsed, RIGHT);
        }
    },
    "ai: Output.object over responses and chat": async () => {
        for (const model of [provider.responses(MODEL), provider.chat(MODEL)]) {
            for (const prompt of [SUM, WRONG]) {
                const { output } = await generateText({ model, prompt, output: Output.object({ schema: Sum }) });
                assert.deepEqual(output, RIGHT);
            }
            const { partialOutputStream, output } = streamText({ model, prompt: WRONG, output: Output.object({ schema: Sum }) });
            for await (const part of partialOutputStream) assert.ok(part);
            assert.deepEqual(await output, RIGHT);
        }
    },
    "ai and openai: an answer that is never right is an error, once": async () => {
        const hopeless = "[json] It is seven. [/json] [mended]{}[/mended]";
        const runs = async () => {
            const listed = await fetch(`${base}/v1/runs?limit=100`, { headers: { authorization: `Bearer ${key}` } });
            return (await listed.json()).runs.length;
        };
        const before = await runs();
        for (const model of [provider.responses(MODEL), provider.chat(MODEL)]) {
            const asked = generateText({ model, prompt: hopeless, output: Output.object({ schema: Sum }) });
            await assert.rejects(asked, (error) => /does not have the demanded form/.test(error.message));
        }
        const parsed = client.chat.completions.parse({
            model: MODEL, messages: [{ role: "user", content: hopeless }], response_format: zodResponseFormat(Sum, "sum"),
        });
        await assert.rejects(parsed, (error) => error.code === "json_validate_failed" && error.error.failed_generation === "{}");
        const response = await client.responses.parse({ model: MODEL, input: hopeless, text: { format: zodTextFormat(Sum, "sum") } });
        assert.deepEqual([response.status, response.output_parsed, response.error.failed_generation], ["failed", null, "{}"]);
        assert.equal(await runs(), before + 4);
    },
    "ai: toolChoice": async () => {
        const tools = { weather: tool({ description: "The weather", inputSchema: z.object({}) }) };
        for (const model of [provider.responses(MODEL), provider.chat(MODEL)]) {
            for (const toolChoice of ["required", { type: "tool", toolName: "weather" }]) {
                const { toolCalls } = await generateText({ model, prompt: "Hello", tools, toolChoice, stopWhen: stepCountIs(1) });
                assert.deepEqual(toolCalls.map((it) => it.toolName), ["weather"]);
            }
        }
    },
};

for (const [name, run] of Object.entries(checks)) {
    const began = Date.now();
    try {
        await run();
    } catch (error) {
        console.log(`FAILED  ${name}`);
        console.error(error);
        process.exit(1);
    }
    console.log(`ok      ${name} (${(Date.now() - began) / 1000} s)`);
}
console.log("structured outputs: all checks passed");
