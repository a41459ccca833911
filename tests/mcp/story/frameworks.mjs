// Frameworks for JavaScript, like `frameworks.py`: node frameworks.mjs NAME '{"model": …, "prompt": …, …}'

const [name, given] = [process.argv[2], JSON.parse(process.argv[3])];
const { model, prompt, url, command, args } = given;

async function provider() {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI({ baseURL: `${model}/v1`, apiKey: "none" }).chat("scripted");
}

const frameworks = {
    async "ai-sdk"() {
        const { generateText, stepCountIs, isStepCount } = await import("ai");
        const { createMCPClient } = await import("@ai-sdk/mcp");
        const { Experimental_StdioMCPTransport: Stdio } = await import("@ai-sdk/mcp/mcp-stdio");
        const transport = url ? { type: "http", url } : new Stdio({ command, args });
        const client = await createMCPClient({ transport });
        try {
            const stopWhen = (stepCountIs ?? isStepCount)(8);
            const result = await generateText({ model: await provider(), tools: await client.tools(), stopWhen, prompt });
            return result.text;
        } finally {
            await client.close();
        }
    },

    async mastra() {
        const { Agent } = await import("@mastra/core/agent");
        const { MCPClient } = await import("@mastra/mcp");
        const client = new MCPClient({ servers: { mitt: url ? { url: new URL(url) } : { command, args } } });
        try {
            const tools = await (client.listTools ?? client.getTools).call(client);
            const agent = new Agent({
                id: "reports", name: "reports", instructions: "Use the tools.", model: await provider(), tools,
            });
            return (await agent.generate(prompt, { maxSteps: 8 })).text;
        } finally {
            await client.disconnect();
        }
    },
};

console.log(await frameworks[name]());
