// npm run dev: the server restarts and the web app reloads when a source changes. Open the address that Vite prints.
import { installDependencies, main, root, run } from "./setup.mjs";

await main(async () => {
	const node = await installDependencies();
	const stop = new AbortController();
	const commands = [
		run(node, ["--watch", `${root}/apps/server/src/main.ts`], { signal: stop.signal }),
		run(node, [`${root}/node_modules/vite/bin/vite.js`], { cwd: `${root}/apps/web`, signal: stop.signal }),
	];
	const code = await Promise.race(commands);
	stop.abort();
	await Promise.allSettled(commands);
	return code;
});
