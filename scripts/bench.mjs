// npm run bench [-- section …]: measures speed, size and faults and prints each figure beside its target.
import { buildWebApp, installDependencies, main, root, run } from "./setup.mjs";
import { installPeers } from "./test-requirements.mjs";

/** What sections run against, beyond the server. */
const PEERS = {
	access: ["postgres"],
	"sign-in": ["slapd"],
	crash: ["postgres"],
	postgres: ["postgres"],
	clickhouse: ["clickhouse", "postgres"],
	watch: ["postgres"],
	review: ["postgres"],
};

await main(async () => {
	const node = await installDependencies();
	await buildWebApp(node);
	const sections = process.argv.slice(2);
	const asked = Object.entries(PEERS).filter(([name]) => sections.length === 0 || sections.includes(name));
	await installPeers(new Set(asked.flatMap(([, peers]) => peers)));
	return run(node, ["--disable-warning=ExperimentalWarning", `${root}/bench/main.ts`, ...sections]);
});
