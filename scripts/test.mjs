// npm test [filter …]: sets up what is missing, runs the tests whose path contains a filter (all without one) and counts them.
// With --fast only those that start no server and no browser; with --watch again whenever a file is saved that they use.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildWebApp, installDependencies, main, root, run, SetupError, say } from "./setup.mjs";
import { installBrowser, installPeers, installPythonClients, peersOf } from "./test-requirements.mjs";

const FLAGS = ["--fast", "--watch"];
const vitest = join(root, "node_modules/vitest/vitest.mjs");

await main(async () => {
	const args = process.argv.slice(2);
	const filters = args.filter((arg) => !FLAGS.includes(arg));
	try {
		if (args.includes("--watch")) return await watchTests(filters);
		return await runTests(filters, args.includes("--fast"));
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		say(error.message);
		console.log("0 passed, 1 failed");
		return 1;
	}
});

/** @param {string[]} filters @param {boolean} isFast */
async function runTests(filters, isFast) {
	const node = await installDependencies();
	const report = join(root, ".cache", "test-report.json");
	const env = { ...(isFast ? fastEnvironment() : await environmentOf(filters, node)), TEST_REPORT: report };
	mkdirSync(join(root, ".cache"), { recursive: true });
	rmSync(report, { force: true });
	const reporters = ["--reporter=default", "--reporter=./e2e/test-report.ts"];
	const code = await run(node, [vitest, "run", ...reporters, ...filters], { env });
	const { passed, failed } = count(report, code);
	console.log(`${passed} passed, ${failed} failed`);
	return failed > 0 || passed === 0 ? 1 : code;
}

/** Runs the tests of test:fast, or with a filter whatever has it in its path, and after that what a saved file touches. @param {string[]} filters */
async function watchTests(filters) {
	const node = await installDependencies();
	const env = filters.length === 0 ? fastEnvironment() : await environmentOf(filters, node);
	return await run(node, [vitest, "watch", ...filters], { env });
}

/** vitest.config.ts reads it. */
function fastEnvironment() {
	return { ...process.env, TEST_FAST: "true" };
}

/** Installs what the tests that have a filter in their path need. @param {string[]} filters */
async function environmentOf(filters, node) {
	const env = { ...process.env };
	if (filters.length === 0 || filters.some((filter) => /e2e|web/.test(filter))) {
		await buildWebApp(node);
		env.CHROMIUM = await installBrowser();
		env.E2E_PYTHON = await installPythonClients();
	}
	if (filters.length === 0 || filters.some((filter) => "e2e/sending/sending.test.ts".includes(filter))) {
		// What could not be installed has said so, and its tests fail.
		await run(node, [join(root, "e2e/sending/install.ts")], { env });
	}
	const peers = peersOf(filters);
	await installPeers(peers);
	env.E2E_PEERS = peers.join(",");
	return env;
}

/** What e2e/test-report.ts counted. A run that ended badly without a failed test was interrupted: one failure. */
function count(report, code) {
	if (!existsSync(report)) return { passed: 0, failed: 1 };
	const { passed, failed } = JSON.parse(readFileSync(report, "utf8"));
	return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
}
