// Plays a user of the sample app through the official TypeScript clients.
//   node notes_scenario.cjs SDK ERA TARGET...
// SDK: v1 (@modelcontextprotocol/sdk) or v2 (@modelcontextprotocol/client); ERA: legacy or 2026-07-28;
// TARGET: a URL, or the command that starts a stdio server. NODE_CLIENTS names the folder that holds
// node_modules. Prints "ok" and exits with 0, or the first difference and 1.
const { createRequire } = require("node:module");
const assert = require("node:assert/strict");
const packages = createRequire(process.env.NODE_CLIENTS + "/package.json");

const [sdk, era, ...target] = process.argv.slice(2);

function parts() {
  if (sdk === "v1") {
    return {
      ...packages("@modelcontextprotocol/sdk/client/index.js"),
      ...packages("@modelcontextprotocol/sdk/client/stdio.js"),
      ...packages("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    };
  }
  return { ...packages("@modelcontextprotocol/client"), ...packages("@modelcontextprotocol/client/stdio") };
}

async function connected() {
  const { Client, StdioClientTransport, StreamableHTTPClientTransport } = parts();
  const options = era === "legacy" ? {} : { versionNegotiation: { mode: { pin: era } } };
  const client = new Client({ name: "notes-scenario", version: "1.0.0" }, options);
  const transport = target[0].startsWith("http")
    ? new StreamableHTTPClientTransport(new URL(target[0]))
    : new StdioClientTransport({
        command: target[0], args: target.slice(1), env: process.env, stderr: "inherit",
      });
  await client.connect(transport);
  return client;
}

async function main() {
  const client = await connected();
  const call = (name, args) => client.callTool({ name, arguments: args });
  const value = async (name, args) => {
    const result = await call(name, args);
    assert.ok(!result.isError, JSON.stringify(result.content));
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  };

  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of ["create_note", "get_note", "find_notes", "update_note", "export_notes"]) {
    assert.ok(names.includes(name), `${name} is not among ${names}`);
  }
  assert.ok(!names.includes("delete_note"), "delete_note is listed though it is off");

  const note = await value("create_note", { title: "Заметка о молоке ★", content: "Two litres" });
  assert.equal(note.title, "Заметка о молоке ★");
  const found = await value("find_notes", { query: "заметк" });
  assert.ok(JSON.stringify(found).includes(note.id), "the Russian prefix finds the note");

  const renamed = await value("update_note", { note_id: note.id, title: { value: "Milk" } });
  assert.deepEqual([renamed.title, renamed.content], ["Milk", "Two litres"]);
  const cleared = await value("update_note", { note_id: note.id, content: { value: null } });
  assert.deepEqual([cleared.title, cleared.content], ["Milk", null]);
  await value("update_note", { note_id: note.id, content: { value: "again" } });
  const clearedAgain = await value("update_note", { note_id: note.id, content: { clear: true } });
  assert.deepEqual([clearedAgain.title, clearedAgain.content], ["Milk", null]);

  const missing = await call("get_note", { note_id: "no such note" });
  assert.equal(missing.isError, true);
  assert.match(missing.content[0].text, /^AppFunctionElementNotFoundException: /);
  assert.equal(missing._meta["appfunctions/error"].code, 1500);

  await assert.rejects(call("no_such_tool", {}), (error) => error.code === -32602);
  await client.close();
}

main().then(
  () => { console.log("ok"); process.exit(0); },
  (error) => { console.error(error); process.exit(1); },
);
