// Prints how many tokens of o200k_base the text on stdin is. BENCHMARK_NODE names the folder that
// holds node_modules.
const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const { Tiktoken } = createRequire(process.env.BENCHMARK_NODE + "/package.json")("js-tiktoken/lite");
const ranks = createRequire(process.env.BENCHMARK_NODE + "/package.json")("js-tiktoken/ranks/o200k_base");
process.stdout.write(String(new Tiktoken(ranks).encode(readFileSync(0, "utf8")).length));
