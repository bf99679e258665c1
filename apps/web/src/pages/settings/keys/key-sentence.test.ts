import { expect, test } from "vitest";
import { PERMISSIONS } from "../../../limits/permissions.ts";
import { limitChanges, limitsFormOf } from "./key-changes.ts";
import type { ListedKey } from "./key-columns.tsx";
import { keyCurls } from "./key-curl.ts";
import { type LimitsForm, limitOf, NO_LIMITS, permissionsWithin, toSent } from "./key-purposes.ts";
import { type KeyLimits, keySentence, readingOnly } from "./key-sentence.ts";

const UNLIMITED: KeyLimits = {
	permissions: null,
	projects: null,
	hidden_project_count: 0,
	include_library: false,
	ip_ranges: null,
	allowed_origins: null,
	limits: { requests_per_minute: null, spans_per_day: null },
};
const projects = (...names: string[]) => names.map((name) => ({ id: name, name }));

test.each<[Partial<KeyLimits>, string]>([
	[{}, "This key can do everything that its owner may."],
	[{ permissions: ["ingest"] }, "This key can send traces; it can read nothing."],
	[{ permissions: ["read", "write"] }, "This key can read and write."],
	[
		{ permissions: ["read"], projects: projects("a", "b"), include_library: true },
		"This key can read in the projects a and b and the library.",
	],
	[
		{ permissions: ["read", "annotate"], projects: projects("a", "b", "c", "d", "e") },
		"This key can read and annotate in the projects a, b, c and 2 more.",
	],
	[
		{ permissions: ["read"], projects: projects("a"), hidden_project_count: 2 },
		"This key can read in the project a and 2 projects that you do not see.",
	],
	[{ permissions: ["read"], projects: [] }, "This key can read in no project any more."],
	[
		{ ip_ranges: ["10.0.0.0/8"], limits: { requests_per_minute: 60, spans_per_day: 1_000 } },
		"This key can do everything that its owner may from 10.0.0.0/8 only up to 60 requests a minute and 1,000 spans a day.",
	],
])("%j: %s", (limits, sentence) => {
	expect(keySentence({ ...UNLIMITED, ...limits }, "its owner")).toBe(sentence);
});

test("a key of somebody who may only read can do no more", () => {
	const shown = (permissions: KeyLimits["permissions"]) => {
		const able = readingOnly({ ...UNLIMITED, permissions });
		const { works, refused } = keyCurls(able, "https://x", "k");
		return [keySentence(able, "its owner"), ...[works, refused].map((command) => command?.split(" ").at(-1))];
	};
	const reads = ["This key can read.", "https://x/v1/projects", "https://x/v1/traces"];
	expect([shown(null), shown(["read", "ingest"])]).toEqual([reads, reads]);
	expect(shown(["ingest"])).toEqual([
		"This key can do nothing, as its owner may only read.",
		undefined,
		"https://x/v1/projects",
	]);
});

test("the commands show what a key can do and what not", () => {
	const commands = (permissions: KeyLimits["permissions"]) => {
		const { works, refused } = keyCurls({ ...UNLIMITED, permissions }, "https://x", "k");
		return [works, refused].map((command) => command?.split(" ").at(-1)?.replace("https://x", ""));
	};
	expect(commands(null)).toEqual(["/v1/projects", undefined]);
	expect(commands(["read"])).toEqual(["/v1/projects", "/v1/traces"]);
	expect(commands(["ingest"])).toEqual(["/v1/traces", "/v1/projects"]);
	expect(commands(["annotate"])).toEqual(["/v1/span_annotations", "/v1/projects"]);
	expect(commands(["read", "write"])).toEqual(["/v1/projects", "/v1/user/api_keys"]);
});

test("only what was typed is sent, and origins only with a key that can but send", () => {
	expect(toSent(NO_LIMITS)).toEqual({});
	const typed: LimitsForm = {
		...NO_LIMITS,
		projects: projects("a", "b"),
		ranges: " 10.0.0.1 \n\n::1",
		origins: "https://a.example",
		spans: " 7 ",
	};
	expect(toSent(typed)).toEqual({ projects: ["a", "b"], ip_ranges: ["10.0.0.1", "::1"], limits: { spans_per_day: 7 } });
	expect(toSent({ ...typed, permissions: ["ingest"] })).toMatchObject({ allowed_origins: ["https://a.example"] });
	expect(["", "0", "1.5", "x", "20"].map(limitOf)).toEqual([undefined, "invalid", "invalid", "invalid", 20]);
});

test("a change sends what differs, and offers only what the key has", () => {
	const listed = { ...UNLIMITED, permissions: ["write" as const], projects: projects("a", "b") } as ListedKey;
	const before = limitsFormOf(listed);
	expect(limitChanges(before, before)).toEqual({});
	const after: LimitsForm = {
		...before,
		permissions: ["annotate"],
		projects: projects("b"),
		ranges: "10.0.0.1",
		spans: "7",
	};
	expect(limitChanges(before, after)).toEqual({
		permissions: ["annotate"],
		projects: ["b"],
		include_library: false,
		ip_ranges: ["10.0.0.1"],
		limits: { requests_per_minute: null, spans_per_day: 7 },
	});
	expect(limitChanges(after, { ...after, ranges: "" })).toEqual({ ip_ranges: null });
	expect(([null, ["write"], ["read", "annotate"]] as const).map(permissionsWithin)).toEqual([
		PERMISSIONS,
		["ingest", "annotate", "write"],
		["read", "annotate"],
	]);
});
