// npm test [filter …]: sets up what is missing, runs the tests whose path contains a filter (all without one) and counts them.
// With --fast only those that start no server and no browser; with --watch again whenever a file is saved that they use.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolderInMemory } from "./memory-folder.mjs";
import { buildWebApp, installDependencies, main, root, run, SetupError, say } from "./setup.mjs";
import {
	endToEndTests,
	installAgentPrograms,
	installBrowser,
	installPeers,
	installPythonClients,
	peersOf,
	uvEnvironment,
} from "./test-requirements.mjs";

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
	const memory = makeFolderInMemory();
	const env = {
		...(isFast ? fastEnvironment() : await environmentOf(filters, node)),
		TEST_REPORT: report,
		...(memory === undefined ? {} : { TMPDIR: memory }),
	};
	mkdirSync(join(root, ".cache"), { recursive: true });
	rmSync(report, { force: true });
	const reporters = ["--reporter=default", "--reporter=./e2e/test-report.ts"];
	const code = await run(node, [vitest, "run", ...reporters, ...filters], { env });
	if (memory !== undefined) rmSync(memory, { recursive: true, force: true });
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

/** Installs what the tests that have a filter in their path need, all at once: much of it waits for the network. @param {string[]} filters */
async function environmentOf(filters, node) {
	const tests = endToEndTests(filters);
	const peers = peersOf(tests);
	const env = { ...process.env, E2E_PEERS: peers.join(",") };
	if (tests.length === 0) return env;
	const withPython = async () => {
		const python = await installPythonClients();
		Object.assign(env, python);
		if (!tests.includes("e2e/sending/sending.test.ts")) return;
		// What could not be installed has said so, and its tests fail.
		await run(node, [join(root, "e2e/sending/install.ts")], { env: { ...uvEnvironment(python.E2E_UV), ...python } });
	};
	const withBrowser = async () => {
		env.CHROMIUM = await installBrowser();
	};
	const withAgentPrograms = async () => {
		if (tests.some((path) => path.startsWith("e2e/agents/"))) await installAgentPrograms();
	};
	const installing = [buildWebApp(node), withPython(), withBrowser(), withAgentPrograms(), installPeers(peers)];
	const done = await Promise.allSettled(installing);
	const failed = done.find(({ status }) => status === "rejected");
	if (failed !== undefined) throw failed.reason;
	return env;
}

/** What e2e/test-report.ts counted. A run that ended badly without a failed test was interrupted: one failure. */
function count(report, code) {
	if (!existsSync(report)) return { passed: 0, failed: 1 };
	const { passed, failed } = JSON.parse(readFileSync(report, "utf8"));
	return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
}
