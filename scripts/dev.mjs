// npm run dev: the server restarts and the web app reloads when a source changes. Open the address that Vite prints.
import { installDependencies, main, root, run } from "./setup.mjs";

/**
 * Node's watcher has each worker thread report what it imports, as messages among the thread's own. Nobody asked: what is
 * watched is named below.
 */
const SILENT_THREADS = "--import=data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES";

await main(async () => {
	const node = await installDependencies();
	const stop = new AbortController();
	// Named, because --watch alone does not see what only worker threads import.
	const watched = ["apps/server/src", "packages"].map((folder) => `--watch-path=${root}/${folder}`);
	const port = process.env.SERVICE_PORT || "6006";
	const env = { SPANWARD_DEV_SERVER: `http://127.0.0.1:${port}`, ...process.env };
	const commands = [
		run(node, [...watched, SILENT_THREADS, `${root}/apps/server/src/main.ts`], { signal: stop.signal }),
		run(node, [`${root}/node_modules/vite/bin/vite.js`], { cwd: `${root}/apps/web`, env, signal: stop.signal }),
	];
	const code = await Promise.race(commands);
	stop.abort();
	await Promise.allSettled(commands);
	return code;
});
