// The same tools on the TypeScript SDK, version 2.
//   typescript_server.mjs FOLDER COUNT [PORT]
// BENCHMARK_NODE names the folder that holds node_modules.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.BENCHMARK_NODE + "/package.json");
// By way of import.meta so that the packages' ES modules are loaded, not their CommonJS copies.
const load = (name) => import(pathToFileURL(esModule(name)).href);
const esModule = (name) => require.resolve(name).replace(/\.cjs$/, ".mjs");

const { McpServer } = await load("@modelcontextprotocol/server");
const { z } = await import(pathToFileURL(require.resolve("zod").replace(/\.cjs$/, ".js")).href);

const count = Number(process.argv[3]);
const noteResult = z.object({ id: z.string(), title: z.string(), content: z.string().nullable() });
const numberResult = z.object({ result: z.int() });
const sumParameters = z.object({
  a: z.int().describe("The first number."),
  b: z.int().describe("The second number."),
});
const noteParameters = z.object({
  title: z.string().describe("The title of the note."),
  content: z.string().optional().describe("The body text of the note."),
});
const updateParameters = z.object({
  note_id: z.string().describe("The ID of the note."),
  title: z.string().optional().describe("The new title, if any."),
  tags: z.array(z.string()).optional().describe("All tags of the note."),
  pinned: z.boolean().optional().describe("Whether the note stays on top."),
});

const structured = (value) => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: value,
});
const sum = async ({ a, b }) => structured({ result: a + b });
const note = async ({ title, content }) => structured({ id: "n1", title: title ?? "", content: content ?? null });
// Node has one thread for functions: one that blocks blocks all.
const pause = async ({ milliseconds }) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  return structured({ result: milliseconds });
};

function bench() {
  const server = new McpServer({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
  const tool = (name, description, inputSchema, outputSchema, run) =>
    server.registerTool(name, { description, inputSchema, outputSchema }, run);
  tool("add", "Adds two integers.", sumParameters, numberResult, sum);
  tool("create_note", "Creates a note.", noteParameters, noteResult, note);
  tool("echo", "Returns the text.", z.object({ text: z.string().describe("Any text.") }), undefined,
    async ({ text }) => ({ content: [{ type: "text", text }] }));
  tool("pause", "Blocks its thread for a while.",
    z.object({ milliseconds: z.int().describe("How long.") }), numberResult, pause);
  for (let i = 4; i < count; i++) {
    if (i % 3 === 0) tool(`add_${i}`, `Adds two integers of ledger ${i}.`, sumParameters, numberResult, sum);
    else if (i % 3 === 1)
      tool(`create_note_${i}`, `Creates a note in notebook ${i}.`, noteParameters, noteResult, note);
    else tool(`update_note_${i}`, `Changes a note in notebook ${i}.`, updateParameters, noteResult, note);
  }
  return server;
}

async function serveHttp(port) {
  const { createServer } = await import("node:http");
  const { createMcpHandler } = await load("@modelcontextprotocol/server");
  const { NodeStreamableHTTPServerTransport, toNodeHandler } = await load("@modelcontextprotocol/node");
  const largest = 64_000_000;
  const options = { sessionIdGenerator: undefined, enableJsonResponse: true, maxRequestBodySize: largest };
  const modern = toNodeHandler(createMcpHandler(bench, { responseMode: "json", maxRequestBodySize: largest }), {
    maxRequestBodySize: largest,
  });
  createServer(async (request, response) => {
    if (request.headers["mcp-protocol-version"] === "2026-07-28") return modern(request, response);
    const server = bench();
    const transport = new NodeStreamableHTTPServerTransport(options);
    await server.connect(transport);
    response.on("close", () => server.close());
    await transport.handleRequest(request, response);
  }).listen(port, "127.0.0.1");
}

async function serveOverStdio() {
  const { serveStdio, StdioServerTransport } = await load("@modelcontextprotocol/server/stdio");
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: 64_000_000 });
  serveStdio(bench, { transport });
}

await (process.argv[4] ? serveHttp(Number(process.argv[4])) : serveOverStdio());
