// npm run generate: docs/openapi.json, docs/api-coverage.md, docs/problems.md, docs/settings.md, the types of the TypeScript client and the
// statements that make tables in ClickHouse, from the code.
// With --check nothing is written; it fails when a file is stale.
import { join } from "node:path";
import { installDependencies, main, root, run } from "./setup.mjs";

await main(async () => {
	const node = await installDependencies();
	return run(node, [join(root, "scripts/generate-files.ts"), ...process.argv.slice(2)]);
});
