import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { expect } from "vitest";
import { at, Differences, type Json, list } from "./fixture-comparison.ts";
import { metadataOf } from "./grpc-metadata.ts";
import { createLoad, LOAD_PROJECT, type LoadRequest, uniqueWordOf } from "./load.ts";
import type { TestServer } from "./server.ts";

const SENDERS = 4;
const EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/** Requests of few spans, whose blocks are merged, have other trace ids than those of many. */
const FIRST_SMALL = 2 ** 24;

/** How a sender reaches a server. */
export interface Sender {
	/** @throws when the answer is neither that all is stored nor that the server is too busy */
	send(body: Uint8Array): Promise<"stored" | "busy" | "broken">;
	close(): void;
}

/** Keeps a server busy, kills it, and knows which spans it acknowledged. */
export class CrashLoad {
	/** "trace id/span id" of every span whose request was answered with 200. */
	readonly acknowledged = new Set<string>();
	readonly #connect: (server: TestServer) => Sender;
	readonly #makeLarge = createLoad();
	readonly #makeSmall = createLoad(1);
	#large = 0;
	#small = FIRST_SMALL;

	constructor(connect: (server: TestServer) => Sender = connectByHttp) {
		this.#connect = connect;
	}

	/**
	 * Sends with eight senders at full speed, half of them four spans at a time, kills the server with SIGKILL some milliseconds after the first answer, and
	 * starts it again.
	 */
	async crash(server: TestServer, milliseconds: number): Promise<void> {
		await this.beside(server, async () => {
			await sleep(milliseconds);
			await server.kill();
		});
		await server.start();
	}

	/** Sends as `crash` does while something happens, until the server is gone or `work` is done. */
	async beside(server: TestServer, work: () => Promise<void>): Promise<void> {
		const before = this.acknowledged.size;
		const ended = new AbortController();
		const senders = Array.from({ length: SENDERS }, () => [
			this.#sendUntilRefused(server, ended.signal, () => this.#makeLarge(this.#large++)),
			this.#sendUntilRefused(server, ended.signal, () => this.#makeSmall(this.#small++)),
		]).flat();
		while (this.acknowledged.size === before) await sleep(10);
		await work();
		ended.abort();
		await Promise.all(senders);
	}

	async #sendUntilRefused(server: TestServer, ended: AbortSignal, makeRequest: () => LoadRequest): Promise<void> {
		const sender = this.#connect(server);
		while (!ended.aborted) {
			const { body, spanKeys } = makeRequest();
			const answer = await sender.send(body);
			if (answer === "broken") return sender.close();
			if (answer === "stored") for (const key of spanKeys) this.acknowledged.add(key);
			// Who is refused waits, as exporters do.
			if (answer === "busy") await sleep(20);
		}
		sender.close();
	}
}

export function connectByHttp(server: TestServer): Sender {
	const headers = { "content-type": "application/x-protobuf" };
	return {
		async send(body) {
			let response: Response;
			let answer: ArrayBuffer;
			try {
				response = await server.fetch("/v1/traces", { method: "POST", headers, body: Buffer.from(body) });
				answer = await response.arrayBuffer();
			} catch (error) {
				if (error instanceof TypeError) return "broken"; // how fetch says that the connection broke
				throw error;
			}
			if (response.status === 429 || response.status === 503) return "busy";
			if (response.status === 200 && answer.byteLength === 0) return "stored";
			throw new Error(`an export was answered with ${response.status} and ${answer.byteLength} bytes`);
		},
		close: () => undefined,
	};
}

export function connectByGrpc(server: TestServer): Sender {
	// A connection of its own: one that broke is tried again only after a while.
	const options = { "grpc.use_local_subchannel_pool": 1 };
	const client = new Client(server.grpcAddress, credentials.createInsecure(), options);
	const same = (bytes: Buffer) => bytes;
	return {
		async send(body) {
			const [error, answer] = await new Promise<[ServiceError | null, Buffer | undefined]>((resolve) => {
				const call = [EXPORT, same, same, Buffer.from(body), metadataOf(server)] as const;
				client.makeUnaryRequest(...call, (refusal, answered) => resolve([refusal, answered]));
			});
			if (error?.code === status.RESOURCE_EXHAUSTED) return "busy";
			if (error?.code === status.UNAVAILABLE || error?.code === status.CANCELLED) return "broken";
			if (error === null && answer?.length === 0) return "stored";
			throw error ?? new Error(`an export was answered with ${answer?.length} bytes`);
		},
		close: () => client.close(),
	};
}

/** Kills a server with SIGKILL after it has grouped some of the failures that wait, starts it again, and waits for the rest. */
export async function crashWhileGrouping(server: TestServer): Promise<void> {
	await expect.poll(async () => (await readErrorGroups(server)).length).toBeGreaterThan(0);
	await server.kill();
	await server.start();
	await expect
		.poll(async () => /^spanward_error_grouping_waiting_traces (\d+)$/m.exec(await readProcessMetrics(server))?.[1])
		.toBe("0");
}

async function readProcessMetrics(server: TestServer): Promise<string> {
	return await (await server.fetch("/metrics")).text();
}

async function readErrorGroups(server: TestServer): Promise<Json[]> {
	return await readPages(server, "error_groups?state=open&limit=100&start_time=2026-09-01&end_time=2026-10-31");
}

/** What is wrong with the groups of failures and with what is told about exports, one line each; each failing span is one failure. */
export async function findMiscountedFailures(server: TestServer): Promise<string[]> {
	const { traces } = await readStoredSpans(server);
	const spans = [...traces.values()].flat();
	const failing = spans.filter(({ isError }) => isError).length;
	const groups = await readErrorGroups(server);
	const differences = new Differences("groups of failures");
	for (const name of ["count", "total_count"])
		differences.compare(
			name,
			failing,
			groups.reduce<number>((sum, group) => sum + Number(at(group, name)), 0),
		);
	return differences.lines;
}

interface StoredSpan {
	readonly spanId: string;
	readonly parentId: string | undefined;
	readonly isError: boolean;
	/** Undefined for a span without token counts. */
	readonly tokens: { readonly prompt: number; readonly completion: number } | undefined;
}

interface Totals {
	readonly spans: number;
	readonly errors: number;
	readonly prompt: number;
	readonly completion: number;
}

/**
 * What is wrong with the stored spans, one line each: an acknowledged span that is missing, or that search does not find
 * by a word that only its trace has; a span that is there twice; a total of a trace, of a session or of the project's metrics that its spans do not add up to.
 * @param words how many words are searched for, from the first to the last that was sent; all of them when absent
 */
export async function findLosses(
	server: TestServer,
	acknowledged: ReadonlySet<string>,
	words = Number.POSITIVE_INFINITY,
): Promise<string[]> {
	const { traces, lines } = await readStoredSpans(server);
	const missing = [...acknowledged].filter((key) => {
		const [traceId = "", spanId] = key.split("/");
		return !traces.get(traceId)?.some((span) => span.spanId === spanId);
	});
	if (missing.length > 0) lines.push(`${missing.length} acknowledged spans are missing, such as ${missing[0]}`);
	lines.push(...(await searchWords(server, acknowledged, words)));
	const totals = new Map([...traces].map(([traceId, spans]) => [traceId, sumSpans(spans)]));
	lines.push(...(await compareTraces(server, totals)));
	const all = sumTotals([...totals.values()]);
	lines.push(...compareTotals("metrics", all, sumTotals((await readMetrics(server)).map(toTotals))));
	const sessions = await readPages(server, "sessions?limit=1000&include_traces=false");
	lines.push(...compareTotals("sessions", all, sumTotals(sessions.map(toTotals))));
	return lines;
}

async function searchWords(server: TestServer, acknowledged: ReadonlySet<string>, most: number): Promise<string[]> {
	const lines: string[] = [];
	const wanted = Map.groupBy(acknowledged, uniqueWordOf);
	wanted.delete(undefined);
	const step = Math.max(1, Math.ceil(wanted.size / most));
	for (const [word, keys] of [...wanted].filter((_, index) => index % step === 0)) {
		const page = (await server.getJson(`/v1/projects/${LOAD_PROJECT}/spans?limit=10&filter=${word}`)) as Json;
		const found = list(at(page, "data")).map(
			(span) => `${at(span, "context", "trace_id")}/${at(span, "context", "span_id")}`,
		);
		for (const key of keys) if (!found.includes(key)) lines.push(`search for ${word} does not find span ${key}`);
	}
	return lines;
}

async function readStoredSpans(server: TestServer): Promise<{ traces: Map<string, StoredSpan[]>; lines: string[] }> {
	const lines: string[] = [];
	const traces = new Map<string, StoredSpan[]>();
	const seen = new Set<string>();
	for await (const span of exportSpans(server)) {
		const traceId = String(at(span, "context", "trace_id"));
		const spanId = String(at(span, "context", "span_id"));
		if (seen.has(`${traceId}/${spanId}`)) lines.push(`span ${traceId}/${spanId} is there twice`);
		seen.add(`${traceId}/${spanId}`);
		const prompt = at(span, "attributes", "llm.token_count.prompt");
		const completion = at(span, "attributes", "llm.token_count.completion");
		const stored: StoredSpan = {
			spanId,
			parentId: at(span, "parent_id")?.toString(),
			isError: at(span, "status_code") === "ERROR",
			tokens: prompt === undefined ? undefined : { prompt: Number(prompt), completion: Number(completion) },
		};
		const spans = traces.get(traceId);
		if (spans === undefined) traces.set(traceId, [stored]);
		else spans.push(stored);
	}
	return { traces, lines };
}

/** Every span of the project, from the streaming export. */
async function* exportSpans(server: TestServer): AsyncGenerator<Json> {
	const response = await server.fetch(`/v1/projects/${LOAD_PROJECT}/spans.ndjson`);
	if (!response.ok || response.body === null) throw new Error(`the export answered ${response.status}`);
	let rest = "";
	for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
		const lines = (rest + text).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) if (line !== "") yield JSON.parse(line) as Json;
	}
	if (rest !== "") yield JSON.parse(rest) as Json;
}

/** Tokens count where no stored descendant has tokens, so that nothing is counted twice. */
function sumSpans(spans: readonly StoredSpan[]): Totals {
	const hasTokensBelow = (span: StoredSpan): boolean =>
		spans.some((child) => child.parentId === span.spanId && (child.tokens !== undefined || hasTokensBelow(child)));
	const counted = spans.filter((span) => span.tokens !== undefined && !hasTokensBelow(span));
	return {
		spans: spans.length,
		errors: spans.filter((span) => span.isError).length,
		prompt: counted.reduce((sum, span) => sum + (span.tokens?.prompt ?? 0), 0),
		completion: counted.reduce((sum, span) => sum + (span.tokens?.completion ?? 0), 0),
	};
}

async function compareTraces(server: TestServer, totals: ReadonlyMap<string, Totals>): Promise<string[]> {
	const lines: string[] = [];
	const listed = await readPages(server, "traces?limit=1000");
	if (listed.length !== totals.size) lines.push(`${listed.length} traces are listed, ${totals.size} have spans`);
	for (const trace of listed) {
		const traceId = String(at(trace, "trace_id"));
		lines.push(...compareTotals(`trace ${traceId}`, totals.get(traceId), toTotals(trace)));
	}
	return lines;
}

function compareTotals(subject: string, expected: Totals | undefined, actual: Totals): string[] {
	const differences = new Differences(subject);
	differences.compare("totals", expected, actual);
	return differences.lines;
}

async function readMetrics(server: TestServer): Promise<Json[]> {
	const range = "start_time=2026-09-01T00:00:00Z&end_time=2026-10-31T00:00:00Z&bucket=hour";
	const answer = await server.getJson(`/v1/projects/${LOAD_PROJECT}/metrics?${range}`);
	return list(at(answer as Json, "data"));
}

async function readPages(server: TestServer, path: string): Promise<Json[]> {
	const items: Json[] = [];
	let cursor: Json | undefined = null;
	do {
		const from = cursor === null ? "" : `&cursor=${encodeURIComponent(String(cursor))}`;
		const page = (await server.getJson(`/v1/projects/${LOAD_PROJECT}/${path}${from}`)) as Json;
		items.push(...list(at(page, "data")));
		cursor = at(page, "next_cursor") ?? null;
	} while (cursor !== null);
	return items;
}

function toTotals(wire: Json): Totals {
	return {
		spans: Number(at(wire, "span_count")),
		errors: Number(at(wire, "error_count")),
		prompt: Number(at(wire, "token_count_prompt")),
		completion: Number(at(wire, "token_count_completion")),
	};
}

function sumTotals(totals: readonly Totals[]): Totals {
	return totals.reduce(
		(sum, next) => ({
			spans: sum.spans + next.spans,
			errors: sum.errors + next.errors,
			prompt: sum.prompt + next.prompt,
			completion: sum.completion + next.completion,
		}),
		{ spans: 0, errors: 0, prompt: 0, completion: 0 },
	);
}
