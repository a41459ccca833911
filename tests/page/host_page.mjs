// The page of a host of MCP Apps, with the bridge of the official SDK: it shows one viewer in a sandboxed frame. `host.mjs`
// bundles and drives it.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const page = /** @type {any} */ (window);

/**
 * Shows the viewer until it is ready, and gives it the arguments of a call.
 * @param {{html: string, tool: any, input: any, capabilities: any, context?: any}} options
 */
page.start = async ({ html, tool, input, capabilities, context = {} }) => {
  /** What the viewer asked of the host. @type {{what: string, value: any}[]} */
  page.log = [];
  const note = (what, value) => page.log.push({ what, value });
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  Object.assign(frame.style, { width: "700px", height: "500px", border: "0" });
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: "host", version: "1.0.0" }, capabilities, {
    hostContext: {
      toolInfo: { id: 1, tool }, theme: "dark", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"],
      containerDimensions: { maxHeight: 500, maxWidth: 700 }, locale: "en-US", platform: "web", ...context,
    },
  });
  page.bridge = bridge;
  bridge.oncalltool = async (params) => {
    note("call", params);
    return page.callTool(params);
  };
  bridge.onopenlink = async (params) => {
    note("link", params.url);
    return {};
  };
  bridge.ondownloadfile = async (params) => {
    note("download", params.contents);
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    note("mode", mode);
    return { mode };
  };
  bridge.addEventListener("sizechange", (size) => note("size", size));
  bridge.onerror = (error) => note("error", String(error));
  const ready = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  const inner = /** @type {Window} */ (frame.contentWindow);
  const transport = new PostMessageTransport(inner, inner);
  await bridge.connect(transport);
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: input });
};
