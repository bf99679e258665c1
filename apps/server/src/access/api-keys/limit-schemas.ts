import { z } from "zod";
import { canonicalRange } from "#base/ip-ranges.ts";
import { bareOrigin } from "#http/origins.ts";
import { KEY_PERMISSIONS, type KeyPermission } from "#http/principal.ts";

const MAX_PROJECTS = 100;
const MAX_RANGES = 50;
const MAX_ORIGINS = 20;

/** Each once, in the order of `KEY_PERMISSIONS`. */
const permissions = z
	.array(z.enum(KEY_PERMISSIONS))
	.min(1)
	.max(20)
	.transform((list) => KEY_PERMISSIONS.filter((each) => list.includes(each)));

const ipRange = z
	.string()
	.max(100)
	.transform((text, context) => {
		const range = canonicalRange(text);
		if (range !== undefined) return range;
		context.addIssue({ code: "custom", message: "this is no IP address and no range in CIDR notation" });
		return z.NEVER;
	});

const origin = z
	.string()
	.max(300)
	.transform((text, context) => {
		const bare = bareOrigin(text);
		if (bare !== undefined) return bare;
		context.addIssue({ code: "custom", message: "this is no origin such as https://app.example.com" });
		return z.NEVER;
	});

const once = <T>(list: readonly T[]): T[] => [...new Set(list)];

/** What a body may say of what a key can do; absent and null limit nothing. */
export const limitFields = {
	permissions: permissions
		.nullish()
		.describe("What the key may do, as far as its owner may; `write` includes `annotate` and `ingest`. Null: all."),
	projects: z
		.array(z.string().min(1).max(2_000))
		.max(MAX_PROJECTS)
		.nullish()
		.describe("Ids or names of the only projects that the key reaches. Null: all."),
	include_library: z
		.boolean()
		.nullish()
		.describe("Whether a key with `projects` also reaches the datasets and prompts of no project."),
	ip_ranges: z
		.array(ipRange)
		.min(1)
		.max(MAX_RANGES)
		.transform(once)
		.nullish()
		.describe("Addresses and ranges (CIDR) that the key may be used from. Null: everywhere."),
	allowed_origins: z
		.array(origin)
		.min(1)
		.max(MAX_ORIGINS)
		.transform(once)
		.nullish()
		.describe('Origins of web pages that may send with the key; only where `permissions` is `["ingest"]`.'),
	limits: z
		.strictObject({
			requests_per_minute: z.int().min(1).max(100_000).nullish().describe("At each server."),
			spans_per_day: z.int().min(1).max(1_000_000_000).nullish().describe("Of a day in UTC, at all servers together."),
		})
		.nullish(),
};

/** Names by which other products know these fields, to the field that is meant. */
const LOOKALIKES: ReadonlyMap<string, keyof typeof limitFields> = new Map([
	["scope", "permissions"],
	["scopes", "permissions"],
	["permission", "permissions"],
	["project", "projects"],
	["project_id", "projects"],
	["ip", "ip_ranges"],
	["ips", "ip_ranges"],
	["ip_allowlist", "ip_ranges"],
	["origins", "allowed_origins"],
	["rate_limit", "limits"],
]);

interface Refused {
	readonly path: readonly string[];
	readonly message: string;
}

/**
 * Fields by which somebody means to limit a key and which would be ignored; other unknown fields are, as released clients
 * expect.
 * @param body of a request that makes a key, as it came
 */
export function findMisspelt(body: unknown): Refused[] {
	const outer = fieldsOf(body);
	const inner = fieldsOf(outer["data"]);
	const misspelt = [
		...Object.keys(outer).map((name) => ({
			path: [name],
			meant: Object.hasOwn(limitFields, name) ? name : LOOKALIKES.get(name),
		})),
		...Object.keys(inner).map((name) => ({ path: ["data", name], meant: LOOKALIKES.get(name) })),
	];
	return misspelt.flatMap(({ path, meant }) =>
		meant === undefined ? [] : [{ path, message: `this would limit nothing: the field is data.${meant}` }],
	);
}

function fieldsOf(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Whether a key with these permissions can send and do nothing else. */
export function isIngestOnly(list: readonly KeyPermission[] | null): boolean {
	return list?.length === 1 && list[0] === "ingest";
}
