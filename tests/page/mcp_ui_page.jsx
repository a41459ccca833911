// The page of a host of MCP Apps that is built with `@mcp-ui/client`, as its walkthrough shows it: a client of the official SDK
// that connects to `mitt serve` from the browser, and `AppRenderer` for the viewer. `mcp_ui.mjs` bundles and drives it.
import { StrictMode, useCallback, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { AppRenderer, UI_EXTENSION_CAPABILITIES } from "@mcp-ui/client";

const page = /** @type {any} */ (window);
/** What the viewer asked of the host. @type {{what: string, value: any}[]} */
page.log = [];
const note = (what, value) => page.log.push({ what, value });
/** @type {Client} */
let client;

/**
 * Connects to the server. Returns its tools that show the viewer, and the URI that they name.
 * @param {{server: string, token: string}} options
 */
page.connect = async ({ server, token }) => {
  const capabilities = { roots: { listChanged: true }, extensions: UI_EXTENSION_CAPABILITIES };
  client = new Client({ name: "my-mcp-client", version: "1.0.0" }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(server), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  }));
  const { tools } = await client.listTools({});
  return tools.filter((tool) => tool._meta?.ui?.resourceUri).map((tool) => [tool.name, tool._meta.ui.resourceUri]);
};

/** A call of a tool in the conversation. @param {any} props */
function ToolUI({ toolName, toolInput, sandboxUrl, html, hostCapabilities, hostContext: first, width }) {
  const [sandbox] = useState(() => ({ url: new URL(sandboxUrl) }));
  const [hostContext, setHostContext] = useState(first);
  const [frameWidth, setFrameWidth] = useState(width);
  const [toolResult, setToolResult] = useState(undefined);
  const [toolCancelled, setToolCancelled] = useState(false);
  const onFallbackRequest = useCallback(async (request) => {
    if (request.method !== "ui/download-file") throw new McpError(ErrorCode.MethodNotFound, `Unknown method: ${request.method}`);
    note("download", request.params);
    return {};
  }, []);
  useEffect(() => {
    page.setHostContext = setHostContext;
    page.setWidth = setFrameWidth;
    page.cancel = () => setToolCancelled(true);
    page.finish = async () => {
      const result = await client.callTool({ name: toolName, arguments: toolInput });
      setToolResult(result);
      return result;
    };
  }, [toolName, toolInput]);
  return <div id="conversation" style={{ width: `${frameWidth}px` }}>
    <AppRenderer client={client} toolName={toolName} sandbox={sandbox} html={html} toolInput={toolInput} toolResult={toolResult}
      toolCancelled={toolCancelled} hostContext={hostContext} hostCapabilities={hostCapabilities}
      onOpenLink={async ({ url }) => {
        note("link", url);
        window.open(url, "_blank");
        return {};
      }}
      onFallbackRequest={onFallbackRequest}
      onSizeChanged={(size) => note("size", size)}
      onError={(error) => note("error", String(error))} />
  </div>;
}

/** Shows a call of a tool. `page.finish` makes it. @param {any} props */
page.show = (props) => createRoot(document.body.appendChild(document.createElement("div")))
  .render(<StrictMode><ToolUI {...props} /></StrictMode>);
