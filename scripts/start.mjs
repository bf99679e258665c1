// npm start: sets up what has changed since the last time, then runs the server.
import { buildWebApp, installDependencies, main, root, run, SMALL_HEAPS } from "./setup.mjs";

await main(async () => {
	const node = await installDependencies("product");
	await buildWebApp(node);
	return run(node, [...SMALL_HEAPS, `${root}/apps/server/src/main.ts`, ...process.argv.slice(2)]);
});
