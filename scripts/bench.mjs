// npm run bench [-- section …]: measures speed, size and faults and prints each figure beside its target.
import { buildWebApp, installDependencies, main, root, run } from "./setup.mjs";
import { installPeers } from "./test-requirements.mjs";

await main(async () => {
	const node = await installDependencies();
	await buildWebApp(node);
	const sections = process.argv.slice(2);
	if (sections.length === 0 || sections.includes("sign-in")) await installPeers(["slapd"]);
	return run(node, ["--disable-warning=ExperimentalWarning", `${root}/bench/main.ts`, ...sections]);
});
