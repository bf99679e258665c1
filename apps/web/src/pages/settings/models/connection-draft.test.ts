import { describe, expect, test } from "vitest";
import { modelsTexts as TEXTS } from "../../../texts/models-en.ts";
import { asksAgain, changedBody, draftOf, draftProblems, newBody, newDraft } from "./connection-draft.ts";
import type { ModelConnection } from "./model-queries.ts";

const stored: ModelConnection = {
	...{ id: "1", name: "main", kind: "openai_compatible", models: ["a", "b"], default_model: "a", enabled: true },
	...{ state: "ready", use_by: "members", rules_by: "admins", api: "chat_completions", settings: {} },
	...{ base_url: "https://models.example.com/v1", address: "https://models.example.com/v1" },
	credentials: { api_key: { secret: null, updated_at: null } },
	headers: ["x-own", "x-other"],
	...{ max_concurrency: 8, requests_per_minute: null, tokens_per_minute: null, monthly_budget_usd: 5 },
	timeout_seconds: 120,
};
const preset = {
	id: "groq",
	name: "Groq",
	kind: "openai_compatible",
	base_url: "https://a.example",
	needs_key: true,
} as const;

test("a preset gives its address and its stored key", () => {
	const draft = newDraft("openai_compatible", { ...preset, secret: { key: "GROQ_API_KEY", is_stored: true } });
	expect(draftProblems(draft, undefined)).toEqual({});
	expect(newBody(draft)).toMatchObject({
		...{ name: "groq", base_url: "https://a.example", models: null, max_concurrency: 8 },
		credentials: { api_key: { secret: "GROQ_API_KEY" } },
	});
	const without = newDraft("openai_compatible", { ...preset, secret: { key: "GROQ_API_KEY", is_stored: false } });
	expect(newBody({ ...without, credentials: { api_key: " k " } }).credentials).toEqual({
		api_key: { value: "k" },
	});
});

test("what a kind needs is asked for", () => {
	expect(draftProblems({ ...newDraft("openai"), name: " " }, undefined)).toEqual({
		name: TEXTS.nameMissing,
		api_key: TEXTS.credentialMissing,
	});
	expect(Object.keys(draftProblems(newDraft("azure_openai"), undefined))).toEqual(["base_url", "api_key"]);
	expect(Object.keys(draftProblems({ ...newDraft("azure_openai"), way: 1 }, undefined))).toEqual([
		...["base_url", "tenant_id", "client_id", "client_secret"],
	]);
	expect(Object.keys(draftProblems(newDraft("aws_bedrock"), undefined))).toEqual([
		...["region", "access_key_id", "secret_access_key"],
	]);
	const odd = { ...newDraft("openai"), credentials: { api_key: "k" }, budget: "-1", models: "a\nb", defaultModel: "c" };
	expect(Object.keys(draftProblems(odd, undefined))).toEqual(["default_model", "budget"]);
});

describe("of a stored connection", () => {
	const draft = draftOf(stored);

	test("nothing is sent again that was not entered", () => {
		expect(draftProblems(draft, stored)).toEqual({});
		expect(changedBody(draft, stored)).toMatchObject({
			...{ models: ["a", "b"], default_model: "a", monthly_budget_usd: 5, requests_per_minute: null },
			...{ credentials: {}, headers: {} },
		});
	});

	test("another host asks for the key again, another path does not", () => {
		expect(asksAgain({ ...draft, address: "https://models.example.com/v2" }, stored)).toBe(false);
		for (const address of [
			"https://other.example.com/v1",
			"http://models.example.com/v1",
			"https://models.example.com:8443",
		]) {
			expect(draftProblems({ ...draft, address }, stored)).toEqual({ api_key: TEXTS.again });
		}
	});

	test("a removed header is deleted, an entered one is sent, and one of another name is new", () => {
		const [own] = draft.headers;
		if (own === undefined) throw new Error("there is a header");
		const headers = [
			{ ...own, value: "v" },
			{ name: "X-New", value: "w", isStored: false },
		];
		expect(changedBody({ ...draft, headers }, stored).headers).toEqual({ "x-own": "v", "X-New": "w", "x-other": null });
	});

	test("credentials of the other set are deleted", () => {
		const azure = { ...stored, kind: "azure_openai" } as const;
		const entra = { tenant_id: "t", client_id: "c", client_secret: "s" };
		expect(changedBody({ ...draftOf(azure), way: 1, credentials: entra }, azure).credentials).toEqual({
			...{ api_key: null, tenant_id: { value: "t" }, client_id: { value: "c" }, client_secret: { value: "s" } },
		});
	});
});
