// Says what GitHub's own schema has against documents of GraphQL: node graphql.mjs FILE...
import { readFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";

const text = readFileSync(
  new URL("node_modules/@octokit/graphql-schema/schema.graphql", import.meta.url),
  "utf8",
);
// GitHub has some fields in it twice.
const schema = buildSchema(text, { assumeValidSDL: true });

let isValid = true;
for (const file of process.argv.slice(2)) {
  for (const error of validate(schema, parse(readFileSync(file, "utf8")))) {
    console.error(`${file}: ${error.message}`);
    isValid = false;
  }
}
process.exit(isValid ? 0 : 1);
