// npm run bench [-- section …]: measures speed, size and faults and prints each figure beside its target.
import { buildWebApp, installDependencies, main, root, run } from "./setup.mjs";
import { installBrowser, installPeers } from "./test-requirements.mjs";

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
/** Sections that open pages. */
const WITH_BROWSER = ["web", "watch", "review"];

await main(async () => {
	const node = await installDependencies();
	await buildWebApp(node);
	const sections = process.argv.slice(2);
	const isAsked = (name) => sections.length === 0 || sections.includes(name);
	const asked = Object.entries(PEERS).filter(([name]) => isAsked(name));
	await installPeers(new Set(asked.flatMap(([, peers]) => peers)));
	const env = WITH_BROWSER.some(isAsked) ? { ...process.env, CHROMIUM: await installBrowser() } : process.env;
	return run(node, ["--disable-warning=ExperimentalWarning", `${root}/bench/main.ts`, ...sections], { env });
});
