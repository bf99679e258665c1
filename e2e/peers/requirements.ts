import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import programs from "./programs.json" with { type: "json" };

/** Where `npm test` unpacks it. */
export const KEYCLOAK_FOLDER = join(import.meta.dirname, "../../.cache/keycloak");

/** What each peer runs with, as `npm test` installs it. */
const NEEDS = { ...programs, keycloak: [...programs.keycloak, join(KEYCLOAK_FOLDER, "bin/kc.sh")] };

export type Peer = keyof typeof NEEDS;

/**
 * `const test = testWith("slapd");` for tests that need the program. Where it cannot run they are skipped, and say so;
 * with CI=true they fail. `npm test` finds by this call what to install.
 */
export function testWith(...peers: readonly Peer[]) {
	const missing = peers.flatMap((peer) => describeMissing(peer) ?? []);
	if (missing.length === 0) return test;
	const reason = `skipped: ${missing.join("; ")}`;
	if (process.env["CI"] === "true") throw new Error(`${reason}. With CI=true nothing may be skipped.`);
	process.stderr.write(`\n${reason}\n`);
	return test.skip;
}

function describeMissing(peer: Peer): string | undefined {
	const missing = NEEDS[peer].filter((path) => !existsSync(path));
	if (missing.length > 0) return `${peer} needs ${missing.join(", ")}`;
	if (peer === "samba" && process.getuid?.() !== 0) return "samba needs root: its ports are below 1024";
	return undefined;
}
