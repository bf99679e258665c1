// npm test [filter …]: sets up what is missing, runs the tests whose path contains a filter (all without one) and counts them.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildWebApp, installDependencies, main, root, run, SetupError, say } from "./setup.mjs";
import { installBrowser, installPeers, installPythonClients, peersOf } from "./test-requirements.mjs";

await main(async () => {
	try {
		return await runTests(process.argv.slice(2));
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		say(error.message);
		console.log("0 passed, 1 failed");
		return 1;
	}
});

/** @param {string[]} filters */
async function runTests(filters) {
	const node = await installDependencies();
	const env = { ...process.env };
	if (filters.length === 0 || filters.some((filter) => /e2e|web/.test(filter))) {
		await buildWebApp(node);
		env.CHROMIUM = await installBrowser();
		env.E2E_PYTHON = await installPythonClients();
	}
	const peers = peersOf(filters);
	await installPeers(peers);
	env.E2E_PEERS = peers.join(",");
	const report = join(root, ".cache", "test-report.json");
	mkdirSync(join(root, ".cache"), { recursive: true });
	rmSync(report, { force: true });
	const vitest = join(root, "node_modules/vitest/vitest.mjs");
	const reporters = [
		"--reporter=default",
		"--reporter=./e2e/second-tries.ts",
		"--reporter=json",
		`--outputFile.json=${report}`,
	];
	const code = await run(node, [vitest, "run", ...reporters, ...filters], { env });
	const { passed, failed, skipped } = count(report, code);
	if (skipped > 0) console.log(`${skipped} skipped: see above for what this machine could not run`);
	console.log(`${passed} passed, ${failed} failed`);
	return failed > 0 || passed === 0 ? 1 : code;
}

/** A run that ended badly without a failed test (a file that does not load, an unhandled rejection) counts as one failure. */
function count(report, code) {
	if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
	const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
		readFileSync(report, "utf8"),
	);
	const unloaded = testResults.filter(
		(file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
	);
	const failed = numFailedTests + unloaded.length;
	return {
		passed: numPassedTests,
		failed: failed === 0 && code !== 0 ? 1 : failed,
		skipped: numPendingTests + numTodoTests,
	};
}
