import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError, readConfig, settingWarnings } from "../config.ts";

const PAGES = join(import.meta.dirname, "../../../../../docs/sign-in");
const BASE = {
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_SECRET: "unit-test-secret-0123456789-abcdefghij",
	SERVICE_ROOT_URL: "https://traces.example.com",
	SERVICE_USE_SECURE_COOKIES: "true",
};
/** Settings that complete the blocks of pages about a part of a directory's settings. */
const DIRECTORY = {
	SERVICE_LDAP_HOST: "ldap.example.com",
	SERVICE_LDAP_USER_SEARCH_BASE_DNS: '["dc=example,dc=com"]',
	SERVICE_LDAP_GROUP_ROLE_MAPPINGS: '[{"group_dn": "*", "role": "VIEWER"}]',
	SERVICE_LDAP_ATTR_EMAIL: "mail",
};

type Variables = Readonly<Record<string, string>>;

/** The settings of a block as a shell reads them, without those that name files, which are not here. */
function readBlock(block: string): Variables {
	const output = execFileSync("sh", ["-c", `set -a\n${block}\nenv -0`], { env: { PATH: process.env["PATH"] } });
	const pairs = output
		.toString()
		.split("\0")
		.map((pair) => pair.split(/=([\s\S]*)/, 2));
	return Object.fromEntries(
		pairs
			.filter(([name = ""]) => name.startsWith("SERVICE_") && !name.endsWith("_FILE"))
			.map(([name, value = ""]) => [name, value]),
	);
}

function complaints(environment: Variables): readonly string[] {
	try {
		return settingWarnings(readConfig(environment), environment);
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		return error.problems;
	}
}

const pages = readdirSync(PAGES)
	.filter((name) => name.endsWith(".md"))
	.map((name) => {
		const blocks = readFileSync(join(PAGES, name), "utf8").matchAll(/^```env\n([\s\S]*?)^```$/gm);
		return { name, blocks: Array.from(blocks, ([, block = ""]) => readBlock(block)) };
	})
	.filter(({ blocks }) => blocks.length > 0);

test.each(pages)("the settings in $name are valid, each block together with those above it", ({ blocks }) => {
	const isWhole = blocks.some((block) => "SERVICE_LDAP_HOST" in block);
	let set: Variables = isWhole ? BASE : { ...BASE, ...DIRECTORY };
	for (const block of blocks) {
		set = { ...set, ...block };
		expect(complaints(set), JSON.stringify(block)).toEqual([]);
	}
});
