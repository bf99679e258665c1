import { test } from "vitest";
import { missingOf, type Peer } from "./missing.ts";

/**
 * `const test = testWith("slapd");` for tests that need the program. Where it cannot run they are skipped, and the end
 * of the run says why; with CI=true they fail. `npm test` finds by this call what to install.
 */
export function testWith(...peers: readonly Peer[]) {
	const missing = missingOf(peers);
	if (missing.length === 0) return test;
	if (process.env["CI"] === "true") throw new Error(`${missing.join("; ")}. With CI=true nothing may be skipped.`);
	return test.skip;
}
