import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { at, type Json, list } from "./fixture-comparison.ts";
import type { TestServer } from "./server.ts";

const OF_PROJECT = "/v1/projects/{project_identifier}/";
/** A live view does not end, and who may see a project is no matter of its traces. */
const LEFT_OUT = /\/(stream|api_keys|access(\/.*)?)$/;
const RANGE = { start_time: "2025-01-01T00:00:00Z", end_time: "2027-01-01T00:00:00Z" };
/** Charts have at most 10,000 points, and answers of analytics 2,000 buckets. */
const SHORT_RANGE = { start_time: "2026-09-20T00:00:00Z", end_time: "2026-09-26T00:00:00Z" };
const SHORTER_RANGE = { ...SHORT_RANGE, end_time: "2026-09-21T00:00:00Z" };
/** What differs from one answer to the next: the place of a further page, and how long it took. */
const OF_ANSWER: ReadonlySet<string> = new Set(["next_cursor", "took_ms"]);
const MOST = "30";
/** Nothing in the data has a session that is annotated. */
const NOT_FOUND = 404;

interface Parameter {
	readonly in: string;
	readonly name: string;
	readonly schema: {
		readonly enum?: readonly string[];
		readonly anyOf?: readonly { readonly enum?: readonly string[] }[];
	};
}

interface Description {
	readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
}

/**
 * What the routes that read a project's traces answer, by address: each sort of a list in both orders, each unit and
 * group of a chart, a filter and a search where they take one.
 */
export async function readRoutes(server: TestServer, project: string): Promise<Readonly<Record<string, unknown>>> {
	const page = (await server.getJson(`/v1/projects/${project}/spans?sort=start_time&limit=1`)) as Json;
	const [span] = list(at(page, "data"));
	const ids = {
		project_identifier: project,
		trace_id: String(at(span ?? null, "context", "trace_id")),
		span_id: String(at(span ?? null, "context", "span_id")),
	};
	const addresses = [...addressesOf(ids)];
	const answers: [string, unknown][] = [];
	for (const address of addresses) answers.push([address, await read(server, address)]);
	return Object.fromEntries(answers);
}

async function read(server: TestServer, address: string): Promise<unknown> {
	const response = await server.fetch(address);
	const bytes = Buffer.from(await response.arrayBuffer());
	if (response.status === NOT_FOUND) return bytes.toString();
	if (!response.ok) throw new Error(`GET ${address} answered ${response.status}: ${bytes.toString().slice(0, 500)}`);
	if (response.headers.get("content-type")?.startsWith("application/json") !== true)
		return createHash("sha256").update(bytes).digest("hex");
	// Links name the server that was asked.
	return JSON.parse(bytes.toString().replaceAll(server.url, ""), (name, value: unknown) =>
		OF_ANSWER.has(name) ? undefined : value,
	);
}

function* addressesOf(ids: Readonly<Record<string, string>>): Generator<string> {
	const text = readFileSync(join(import.meta.dirname, "../docs/openapi.json"), "utf8");
	const { paths } = JSON.parse(text) as Description;
	for (const [path, { get }] of Object.entries(paths)) {
		if (get === undefined || !path.startsWith(OF_PROJECT) || LEFT_OUT.test(path)) continue;
		const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? ""));
		const filter = path.endsWith("/sessions") ? "any(x.latency_ms > 1 for x in spans)" : "latency_ms > 1";
		const charted = path.endsWith("/analytics") ? SHORTER_RANGE : SHORT_RANGE;
		for (const query of queriesOf(get.parameters ?? [], ids, filter, charted))
			yield `${place}?${new URLSearchParams(query)}`;
	}
}

type Query = Readonly<Record<string, string>>;

function* queriesOf(
	parameters: readonly Parameter[],
	{ trace_id = "", span_id = "" }: Query,
	filter: string,
	charted: Query,
): Generator<Query> {
	const names = new Map(parameters.filter((one) => one.in === "query").map((one) => [one.name, valuesOf(one)]));
	const [format = ""] = names.get("format") ?? [];
	const ids = { span_ids: span_id, trace_ids: trace_id, session_ids: "none" };
	const known = { ...RANGE, ...ids, limit: MOST, format, field: "model" };
	const always = Object.fromEntries(Object.entries(known).filter(([name]) => names.has(name)));
	const one = (name: string, fixed: Query = always) =>
		(names.get(name) ?? []).map((value) => ({ ...fixed, [name]: value }));
	const each = [...one("sort").flatMap((query) => one("order", query)), ...one("kind")];
	const charts = one("bucket", { ...always, ...charted }).flatMap((query) => [query, ...one("group_by", query)]);
	const plain = [...each, ...charts];
	yield* plain.length === 0 ? [always] : plain;
	const [first = always] = plain;
	if (names.has("filter")) yield { ...first, filter };
	if (names.has("q")) yield { ...first, q: "answer" };
	if (names.has("error")) yield { ...first, error: "true" };
}

function valuesOf({ schema }: Parameter): readonly string[] {
	return schema.enum ?? schema.anyOf?.flatMap((one) => one.enum ?? []) ?? [];
}
