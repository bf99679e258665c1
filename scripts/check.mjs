// npm run check: types, lint and format, dead code, generated files. Runs every step even when one fails.
import { join } from "node:path";
import { installDependencies, main, root, run, say } from "./setup.mjs";

const WORKSPACES = [
	"packages/agreement",
	"packages/error-groups",
	"packages/filter-language",
	"packages/otlp",
	"packages/semconv",
	"clients/typescript",
	"clients/typescript-otel",
	"apps/command-line",
	"apps/server",
	"apps/web",
	"e2e",
	"bench",
];

await main(async () => {
	const node = await installDependencies();
	const tool = (path) => join(root, "node_modules", path);
	const steps = [
		...WORKSPACES.map((workspace) => [`types of ${workspace}`, tool("typescript/bin/tsc"), "--project", workspace]),
		["lint and format", tool("@biomejs/biome/bin/biome"), "ci", "--error-on-warnings", "."],
		["dead code", tool("knip/bin/knip.js")],
		["generated files", join(root, "scripts/generate.mjs"), "--check"],
	];
	const failed = [];
	for (const [name, ...args] of steps) {
		const start = Date.now();
		const code = await run(node, args);
		say(`${code === 0 ? "ok    " : "FAILED"} ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
		if (code !== 0) failed.push(name);
	}
	if (failed.length > 0) say(`failed: ${failed.join(", ")}`);
	return failed.length === 0 ? 0 : 1;
});
