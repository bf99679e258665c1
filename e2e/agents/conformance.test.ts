import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Balancer } from "../cluster/balancer.ts";
import { startServer, type TestServer } from "../server.ts";
import { runProgram } from "./programs.ts";

/** 0.1, the last release that is not a preview, knows nothing of the revision 2026-07-28. */
const SUITE = "@modelcontextprotocol/conformance/dist/index.js";

/** Why a scenario does not apply, by what its failed checks say. */
const REASONS = {
	/** It calls a tool, or asks for a prompt or resource, that only the suite's own server has to have. */
	ownTool:
		/(Tool|Prompt) test_\w+ not found|Resource not found: test:|diagnostic tool 'test_|'json_schema_2020_12_tool'/,
	/** As before, but it says only what did not come. */
	ownToolUnnamed: /^Expected InputRequiredResult|^Prerequisite failed: could not get initial InputRequiredResult/,
	/** The server offers no such capability: its log is for operators, and what it keeps is not subscribed to. */
	notOffered: /Method not found/,
	/** It needs a tool with a parameter that is repeated in a header; none has one. */
	noHeaderParameter: /^Not testable: server exposes no tool with x-mcp-header annotations/,
} as const;

const INAPPLICABLE: Readonly<Record<string, Readonly<Record<keyof typeof REASONS, readonly string[]>>>> = {
	"2025-11-25": {
		ownTool: [
			...["completion-complete", "json-schema-2020-12", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
			...["prompts-get-embedded-resource", "prompts-get-simple", "prompts-get-with-args", "prompts-get-with-image"],
			...["resources-read-binary", "resources-read-text", "resources-templates-read"],
			...["tools-call-audio", "tools-call-elicitation", "tools-call-embedded-resource", "tools-call-error"],
			...["tools-call-image", "tools-call-mixed-content", "tools-call-sampling", "tools-call-simple-text"],
			"tools-call-with-progress",
		],
		ownToolUnnamed: [],
		notOffered: ["logging-set-level", "resources-subscribe", "resources-unsubscribe", "tools-call-with-logging"],
		noHeaderParameter: [],
	},
	"2026-07-28": {
		ownTool: [
			...["completion-complete", "json-schema-2020-12"],
			...["input-required-result-basic-elicitation", "input-required-result-basic-list-roots"],
			...["input-required-result-basic-sampling", "input-required-result-capability-check"],
			...["input-required-result-multiple-input-requests", "input-required-result-non-tool-request"],
			...["input-required-result-request-state", "input-required-result-result-type"],
			...["prompts-get-embedded-resource", "prompts-get-simple", "prompts-get-with-args", "prompts-get-with-image"],
			...["resources-read-binary", "resources-read-text", "resources-templates-read"],
			// Four of its 28 checks.
			"server-stateless",
			...["tools-call-audio", "tools-call-embedded-resource", "tools-call-error", "tools-call-image"],
			...["tools-call-mixed-content", "tools-call-simple-text", "tools-call-with-progress"],
		],
		ownToolUnnamed: ["input-required-result-multi-round", "input-required-result-tampered-state"],
		notOffered: [],
		noHeaderParameter: ["http-custom-header-server-validation"],
	},
};

/** Scenarios without a failed check. */
const PASSED: Readonly<Record<string, readonly string[]>> = {
	"2025-11-25": [
		...["dns-rebinding-protection", "ping", "prompts-list", "resources-list", "server-initialize"],
		// The latter only advises: streams that can be resumed need a server that remembers them.
		...["server-session-lifecycle", "server-sse-multiple-streams", "server-sse-polling", "tools-list"],
	],
	"2026-07-28": [
		...["caching", "dns-rebinding-protection", "http-header-validation", "input-required-result-ignore-extra-params"],
		...["input-required-result-missing-input-response", "input-required-result-unsupported-methods"],
		...["input-required-result-validate-input", "prompts-list", "resources-list", "sep-2164-resource-not-found"],
		...["server-sse-multiple-streams", "tools-list"],
	],
};

let server: TestServer;
let balancer: Balancer;
let folder: string;

beforeAll(async () => {
	const env = { SERVICE_TRUSTED_PROXIES: "127.0.0.1" };
	server = await startServer({ env, authentication: false, inProcess: true });
	// The suite sends more requests a minute than one address may.
	balancer = await Balancer.start([server], { asMany: true });
	folder = await mkdtemp(join(tmpdir(), "spanward-conformance-"));
});
afterAll(async () => {
	await balancer[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
	await rm(folder, { recursive: true, force: true });
});

interface Check {
	readonly scenario: string;
	readonly status: string;
	readonly errorMessage?: string;
}

async function runSuite(revision: string): Promise<readonly Check[]> {
	const output = join(folder, revision);
	const what = ["server", "--url", `${balancer.url}/mcp`, "--suite", "all", "--spec-version", revision];
	const { stderr } = await runProgram(SUITE, [...what, "--output-dir", output]);
	const checks: Check[] = [];
	for (const name of await readdir(output)) {
		const [, scenario = name] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(name) ?? [];
		const found = JSON.parse(await readFile(join(output, name, "checks.json"), "utf8")) as Omit<Check, "scenario">[];
		checks.push(...found.map((check) => ({ ...check, scenario })));
	}
	if (checks.length === 0) throw new Error(`the suite checked nothing: ${stderr}`);
	return checks;
}

function reasonOf({ errorMessage = "" }: Check): string {
	const found = Object.entries(REASONS).find(([, said]) => said.test(errorMessage));
	return found?.[0] ?? errorMessage;
}

test.each(Object.entries(INAPPLICABLE))(
	"AG01 of revision %s every scenario passes that applies",
	async (revision, by) => {
		const checks = await runSuite(revision);
		const failed = checks.filter(({ status }) => status === "FAILURE");
		const inapplicable = Object.entries(by).flatMap(([reason, scenarios]) =>
			scenarios.map((scenario) => `${scenario}: ${reason}`),
		);
		expect([...new Set(failed.map((check) => `${check.scenario}: ${reasonOf(check)}`))].toSorted()).toEqual(
			inapplicable.toSorted(),
		);
		const failing = new Set(failed.map(({ scenario }) => scenario));
		const passed = new Set(checks.map(({ scenario }) => scenario).filter((scenario) => !failing.has(scenario)));
		expect([...passed].toSorted()).toEqual(PASSED[revision]);
	},
);
