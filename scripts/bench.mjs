// npm run bench [-- section …]: measures speed, size and faults and prints each figure beside its target.
import { buildWebApp, installDependencies, main, root, run } from "./setup.mjs";

await main(async () => {
	const node = await installDependencies();
	await buildWebApp(node);
	return run(node, ["--disable-warning=ExperimentalWarning", `${root}/bench/main.ts`, ...process.argv.slice(2)]);
});
