// npm start: sets up what has changed since the last time, then runs the server.
import { buildWebApp, installDependencies, main, root, run } from "./setup.mjs";

/**
 * The main thread only hands bodies on; V8's default lets its garbage grow to some 20 MB more. And a heap may grow by three
 * quarters of what is in use before it is collected, not by three times that: some 80 MB less at a million spans.
 */
const SMALL_HEAPS = ["--max-semi-space-size=8", "--heap-growing-percent=75"];

await main(async () => {
	const node = await installDependencies("product");
	await buildWebApp(node);
	return run(node, [...SMALL_HEAPS, `${root}/apps/server/src/main.ts`, ...process.argv.slice(2)]);
});
