// Plays a user of `tests/support/talking_functions` through the official TypeScript clients.
//   node talking_scenario.cjs SDK ERA WAY TARGET...
// SDK, ERA and TARGET as in notes_scenario.cjs. WAY says what the connection lets a server do: "asks"
// (the server's questions reach the client), or "tells" (stateless HTTP with a handshake: nothing comes
// but the answer). Prints "ok" and exits with 0, or the first difference and 1.
const { createRequire } = require("node:module");
const assert = require("node:assert/strict");
const packages = createRequire(process.env.NODE_CLIENTS + "/package.json");

const [sdk, era, way, ...target] = process.argv.slice(2);

function parts() {
  if (sdk === "v1") {
    return {
      ...packages("@modelcontextprotocol/sdk/client/index.js"),
      ...packages("@modelcontextprotocol/sdk/client/stdio.js"),
      ...packages("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      ...packages("@modelcontextprotocol/sdk/types.js"),
    };
  }
  return { ...packages("@modelcontextprotocol/client"), ...packages("@modelcontextprotocol/client/stdio") };
}

const library = parts();
// The first library names requests by their schemas, the second by their methods.
const named = (method, schema) => (sdk === "v1" ? library[schema] : method);

let reply = async () => ({ action: "accept", content: { name: "Ada", color: "blue" } });

async function connected(updated) {
  const { Client, StdioClientTransport, StreamableHTTPClientTransport } = library;
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const options = era === "legacy" ? { capabilities } : { capabilities, versionNegotiation: { mode: { pin: era } } };
  const client = new Client({ name: "talking-scenario", version: "1.0.0" }, options);
  client.setRequestHandler(named("elicitation/create", "ElicitRequestSchema"), () => reply());
  client.setRequestHandler(named("sampling/createMessage", "CreateMessageRequestSchema"), async () => ({
    role: "assistant", content: { type: "text", text: "Hi" }, model: "m",
  }));
  client.setRequestHandler(named("roots/list", "ListRootsRequestSchema"), async () => ({ roots: [{ uri: "file:///a" }] }));
  client.setNotificationHandler(
    named("notifications/resources/updated", "ResourceUpdatedNotificationSchema"),
    (notification) => updated(notification.params.uri),
  );
  const transport = target[0].startsWith("http")
    ? new StreamableHTTPClientTransport(new URL(target[0]))
    : new StdioClientTransport({
        command: target[0], args: target.slice(1), env: process.env, stderr: "inherit",
      });
  await client.connect(transport);
  return client;
}

async function readEverything(client) {
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map((resource) => resource.uri).filter((uri) => uri.startsWith("note")).sort(),
    ["note://milk", "note://rent", "notes://all"],
  );
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some((template) => template.uriTemplate === "note://{note_id}"));
  const { contents } = await client.readResource({ uri: "note://milk" });
  assert.equal(contents[0].text, "Buy milk.");
  await assert.rejects(client.readResource({ uri: "hidden://all" }), (error) => error.code === -32602);
  await assert.rejects(client.readResource({ uri: "folder://../etc/passwd" }), (error) => error.code === -32602);
  const { contents: [cover] } = await client.readResource({ uri: "picture://cover" });
  assert.deepEqual([cover.mimeType, cover.blob], ["image/png", "iVBORw=="]);
  const { contents: [wheels] } = await client.readResource({ uri: "note://r%C3%A4der" });
  assert.equal(wheels.text, "Räder wechseln ★");
  const files = (await client.readResource({ uri: "folder://a/b" })).contents;
  assert.deepEqual(files.map((file) => "text" in file), [true, false]);
  for (const uri of ["folder:///etc", "folder://a/%2e%2e/b", "folder://%252e%252e/b", "folder://a%5cb", "folder://a%00"]) {
    await assert.rejects(client.readResource({ uri }), (error) => error.code === -32602 && error.data.uri === uri);
  }
  await assert.rejects(client.readResource({ uri: "broken://all" }), (error) => error.code === -32603 && !/secret/.test(error.message));
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === "review"));
  assert.ok(!prompts.some((prompt) => prompt.name === "hidden_prompt"));
  const { messages } = await client.getPrompt({ name: "review", arguments: { note_id: "milk", most: "3" } });
  assert.deepEqual(messages.map((message) => message.role), ["user", "assistant", "user"]);
  assert.match(messages[2].content.text, /at most 3 remarks/);
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "review" }, argument: { name: "tone", value: "k" },
  });
  assert.deepEqual(completion.values, ["kind"]);
  const ofTemplate = await client.complete({
    ref: { type: "ref/resource", uri: "note://{note_id}" }, argument: { name: "note_id", value: "R" },
  });
  assert.deepEqual(ofTemplate.completion.values, ["rent", "räder"]);
  const drawing = await client.getPrompt({ name: "draw" });
  assert.deepEqual(drawing.messages.map((message) => message.content.type), ["image", "text"]);
  for (const [name, args] of [["review", {}], ["review", { note_id: "milk", most: "many" }], ["reviews", {}], ["hidden_prompt", {}]]) {
    await assert.rejects(client.getPrompt({ name, arguments: args }), (error) => error.code === -32602);
  }
}

async function beAsked(client) {
  const text = async (name) => (await client.callTool({ name, arguments: {} })).content[0].text;
  if (way === "tells") {
    assert.match(await text("greet"), /^AppFunctionNotSupportedException|^MissingClientCapability/);
    return;
  }
  assert.equal(await text("greet"), "Hello, Ada!");
  assert.equal(await text("introduce"), "Ada: Hi ['file:///a']");
  assert.equal(await text("sign_up"), "Ada likes blue");
  assert.equal(await text("greet_in_thread"), "Hello, Ada!");
  assert.equal(await text("agree"), '{"result":true}');
  const erased = await client.callTool({ name: "erase", arguments: { note_id: "milk" } });
  assert.equal(erased.content[0].text, "erased milk");
  const { messages } = await client.getPrompt({ name: "plan" });
  assert.equal(messages[0].content.text, "A plan for Ada.");
  const answer = reply;
  reply = async () => ({ action: "decline" });
  assert.equal(await text("greet"), "Hello, stranger!");
  assert.equal(await text("agree"), '{"result":false}');
  const declined = await client.callTool({ name: "erase", arguments: { note_id: "milk" } });
  assert.match(declined.content[0].text, /^AppFunctionDeniedException: the user declined/);
  reply = async () => ({ action: "cancel" });
  assert.equal(await text("greet"), "Hello, stranger!");
  const answers = [{ name: 5 }, {}, { name: "Ada", age: 36 }];
  reply = async () => ({ action: "accept", content: answers.shift() });
  assert.equal(await text("greet"), "Hello, Ada!");
  reply = answer;
  const { contents } = await client.readResource({ uri: "asking://user" });
  assert.deepEqual(JSON.parse(contents[0].text), { name: "Ada" });
}

async function hearOfChanges(client, heard) {
  if (era === "legacy") {
    await client.subscribeResource({ uri: "note://milk" });
  } else {
    await client.listen({ resourceSubscriptions: ["note://milk"] });
  }
  if (way === "tells") return;
  await client.callTool({ name: "touch", arguments: { uri: "note://rent" } });
  await client.callTool({ name: "touch", arguments: { uri: "note://milk" } });
  assert.equal(await heard, "note://milk");
}

async function main() {
  let tell;
  const heard = new Promise((resolve) => { tell = resolve; });
  const client = await connected((uri) => tell(uri));
  await readEverything(client);
  await beAsked(client);
  await hearOfChanges(client, heard);
  await client.close();
}

main().then(
  () => { console.log("ok"); process.exit(0); },
  (error) => { console.error(error); process.exit(1); },
);
