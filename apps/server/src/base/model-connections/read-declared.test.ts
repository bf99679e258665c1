import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { problems } from "../settings/test-settings.ts";

const KEY = "sk-planted-0123456789";

const declare = (...entries: readonly unknown[]) => ({ SERVICE_MODEL_CONNECTIONS: JSON.stringify(entries) });

test("reads connections as POST takes them, with defaults, and shows no credential", () => {
	const { SERVICE_MODEL_CONNECTIONS: read } = readConfig(
		declare(
			{ name: "openai", kind: "openai", credentials: { api_key: { value: KEY } }, headers: { "X-Team": KEY } },
			{ name: "local", kind: "openai_compatible", base_url: "http://LOCALHOST:11434/v1/", models: ["a", "a"] },
		),
	);
	expect(read[0]?.definition).toEqual({
		name: "openai",
		kind: "openai",
		base_url: null,
		api: "responses",
		settings: {},
		models: null,
		default_model: null,
		enabled: true,
		use_by: "members",
		rules_by: "admins",
		max_concurrency: 8,
		requests_per_minute: null,
		tokens_per_minute: null,
		monthly_budget_usd: null,
		timeout_seconds: 120,
	});
	expect(read[0]?.credentials.api_key?.reveal()).toBe(KEY);
	expect(read[0]?.headers["x-team"]?.reveal()).toBe(KEY);
	expect(read[1]?.definition).toMatchObject({
		base_url: "http://localhost:11434/v1",
		api: "chat_completions",
		models: ["a"],
	});
	expect(JSON.stringify(read)).not.toContain(KEY);
});

const openai = { name: "openai", kind: "openai", credentials: { api_key: { value: KEY } } };

test.each([
	["no JSON", `[{"name": "${KEY}`, /this is not JSON/],
	["no array", JSON.stringify({ [KEY]: KEY }), /this is not an array/],
	["no object", declare(KEY), /entry \[0\]: /],
	["an unknown kind", declare(openai, { ...openai, kind: KEY }), /entry \[1\], kind: /],
	["a key as a text", declare({ ...openai, credentials: { api_key: KEY } }), /entry \[0\], credentials\.api_key: /],
	["a key with a line break", declare({ ...openai, credentials: { api_key: { value: `${KEY}\n${KEY}` } } }), /value: /],
	["the name of a secret", declare({ ...openai, credentials: { api_key: { secret: "A" } } }), /api_key\.secret/],
	["a misspelt member", declare({ ...openai, base_ulr: "https://a.example" }), /entry \[0\], base_ulr: /],
	["a key as a member", declare({ ...openai, [KEY]: 1 }), /a member that is not known/],
	["a key as a header", declare({ ...openai, headers: { [`${KEY} x`]: "1" } }), /entry \[0\], headers/],
	["an address with a password", declare({ ...openai, base_url: `https://u:${KEY}@a.example` }), /base_url: /],
	["no address", declare({ name: "x", kind: "openai_compatible" }), /entry \[0\], base_url: .* needs an address/],
	["no credential", declare({ name: "x", kind: "anthropic" }), /entry \[0\], credentials: .* needs api_key/],
	[
		"parts of two sets",
		declare({
			...openai,
			kind: "aws_bedrock",
			settings: { region: "a" },
			credentials: { api_key: { value: KEY }, access_key_id: { value: KEY } },
		}),
		/not parts of both/,
	],
	[
		"the credential of another kind",
		declare({ ...openai, credentials: { session_token: { value: KEY } } }),
		/takes api_key/,
	],
	[
		"a region that is no part of a host",
		declare({ ...openai, kind: "aws_bedrock", settings: { region: `a.${KEY}/` } }),
		/settings\.region: /,
	],
	[
		"no service account",
		declare({
			name: "x",
			kind: "google_vertex",
			settings: { project: "p", location: "l" },
			credentials: { service_account: { value: KEY } },
		}),
		/JSON of a service account/,
	],
	["a header that the kind sets", declare({ ...openai, headers: { Authorization: KEY } }), /headers\.authorization: /],
	["a header of the message", declare({ ...openai, headers: { Cookie: KEY } }), /headers\.cookie: /],
	["two headers of one name", declare({ ...openai, headers: { "x-a": KEY, "X-A": KEY } }), /headers: .*twice/],
	["a name twice", declare(openai, openai), /entry \[1\], name: /],
	["a limit outside of its range", declare({ ...openai, max_concurrency: 257 }), /max_concurrency: /],
] as const)("E09 names the entry and the member, and no value: %s", (_what, given, expected) => {
	const found = problems(typeof given === "string" ? { SERVICE_MODEL_CONNECTIONS: given } : given);
	expect(found).toHaveLength(1);
	expect(found[0]).toMatch(/^SERVICE_MODEL_CONNECTIONS /);
	expect(found[0]).toMatch(expected);
	expect(found.join()).not.toContain(KEY);
});

test("E09 names every bad entry at once, beside other settings", () => {
	const found = problems({ ...declare({ ...openai, api: "x" }, { ...openai, enabled: 1 }), SERVICE_PORT: "x" });
	expect(found).toHaveLength(2);
	expect(found.join()).toMatch(/entry \[0\], api: .*entry \[1\], enabled: /);
});
