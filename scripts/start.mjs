// npm start: sets up what has changed since the last time, then runs the server.
import { buildWebApp, installDependencies, main, root, run } from "./setup.mjs";

/** The main thread only hands bodies on; V8's default lets its garbage grow to some 20 MB more. */
const SMALL_YOUNG_GENERATION = "--max-semi-space-size=8";

await main(async () => {
	const node = await installDependencies();
	await buildWebApp(node);
	return run(node, [SMALL_YOUNG_GENERATION, `${root}/apps/server/src/main.ts`, ...process.argv.slice(2)]);
});
