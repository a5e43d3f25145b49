// Calls tools of an MCP server with the protocol's TypeScript client, which checks each answer against the tool's schema:
// node mcp.mjs CALLS PROGRAM ARGUMENT...
// CALLS is a JSON array of { name, arguments }. Prints the names of the tools, the answers, and the number of progress
// notifications.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [calls, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const { tools } = await client.listTools();

let progress = 0;
const call = (params) => client.callTool(params, undefined, { onprogress: () => progress++ });
const answers = [];
for (const params of JSON.parse(calls)) {
  let answer = await call(params);
  while (answer.structuredContent.state === "running") {
    answer = await call({ name: "status", arguments: { run: answer.structuredContent.run } });
  }
  answers.push(answer.structuredContent);
}
await client.close();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), answers, progress }));
