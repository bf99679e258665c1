// npm start: sets up what has changed since the last time, then runs the server.
import { buildWebApp, installDependencies, main, root, run } from "./setup.mjs";

await main(async () => {
	const node = await installDependencies();
	await buildWebApp(node);
	return run(node, [`${root}/apps/server/src/main.ts`, ...process.argv.slice(2)]);
});
