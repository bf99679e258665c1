import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const REPLAY = join(FIXTURES, "replay.mjs");

/** expect.json of a source, as fixtures/SCHEMA.md describes it: what its exports say. */
export interface ExpectedSource {
	readonly source: string;
	readonly spanCount: number;
	readonly traceCount: number;
	readonly resource: Readonly<Record<string, unknown>>;
	readonly projectName: string | null;
	readonly traces: readonly ExpectedTrace[];
	readonly spans: readonly ExpectedSpan[];
}

export interface ExpectedTokens {
	readonly prompt?: number;
	readonly completion?: number;
	readonly total?: number;
	readonly cacheRead?: number;
	readonly cacheWrite?: number;
	readonly reasoning?: number;
}

export interface ExpectedTrace {
	readonly traceId: string;
	readonly rootSpanName: string;
	readonly rootSpanId: string;
	readonly spanCount: number;
	readonly errorSpanCount: number;
	readonly rootStatus: string;
	readonly startUnixNano: string;
	readonly endUnixNano: string;
	readonly tokens?: ExpectedTokens;
	readonly models?: readonly string[];
	readonly sessionIds?: readonly string[];
	readonly userIds?: readonly string[];
	readonly rootInputText?: string;
	readonly rootOutputText?: string;
}

export interface ExpectedMessage {
	readonly role: string;
	readonly text?: string;
	readonly toolCalls?: readonly { readonly id?: string; readonly name?: string; readonly arguments?: unknown }[];
	readonly toolCallId?: string;
	readonly images?: number;
	readonly name?: string;
}

export interface ExpectedSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId: string | null;
	readonly name: string;
	readonly otelKind: string;
	readonly startUnixNano: string;
	readonly endUnixNano: string;
	readonly status: string;
	readonly scope: { readonly name: string; readonly version: string };
	readonly attributeCount: number;
	readonly eventNames?: readonly string[];
	readonly links: number;
	readonly convention: string;
	readonly kind: string;
	readonly kindAccept: readonly string[];
	readonly model?: string | null;
	readonly requestModel?: string;
	readonly provider?: string;
	readonly tokens?: ExpectedTokens;
	readonly tokensAreAggregate?: boolean;
	readonly cost?: { readonly input?: number; readonly output?: number; readonly total?: number };
	readonly error?: { readonly type?: string; readonly message?: string };
	readonly input?: { readonly attribute: string; readonly value: unknown; readonly mime?: string };
	readonly output?: { readonly attribute: string; readonly value: unknown; readonly mime?: string };
	readonly inputText?: string;
	readonly outputText?: string;
	readonly inputMessages?: readonly ExpectedMessage[];
	readonly outputMessages?: readonly ExpectedMessage[];
	readonly tool?: { readonly name?: string; readonly description?: string; readonly callId?: string };
	readonly toolDefinitions?: readonly string[];
	readonly documents?: readonly Readonly<Record<string, unknown>>[];
	readonly documentsLevel?: string;
	readonly embeddings?: Readonly<Record<string, unknown>>;
	readonly promptTemplate?: Readonly<Record<string, unknown>>;
	readonly agentName?: string;
	readonly sessionId?: string;
	readonly userId?: string;
	/** "should": ids are not sent as a key of the span's own convention. */
	readonly idsLevel?: string;
	readonly metadata?: unknown;
	readonly tags?: readonly string[];
	readonly contentNotCaptured?: boolean;
	readonly level?: string;
	readonly statusMessage?: string;
	readonly traceName?: string;
	readonly environment?: string;
	readonly version?: string;
	readonly release?: string;
	readonly functionId?: string;
	readonly finishReason?: string;
}

/** The names of the recorded sources. */
export function listSources(): string[] {
	return readdirSync(FIXTURES, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && entry.name !== "agents")
		.map(({ name }) => name)
		.sort();
}

export function readExpected(source: string): ExpectedSource {
	return JSON.parse(readFileSync(join(FIXTURES, source, "expect.json"), "utf8")) as ExpectedSource;
}

export function hasLogs(source: string): boolean {
	return readdirSync(join(FIXTURES, source)).some((file) => file.startsWith("logs-"));
}

/** Where to send, and what with each request. */
export interface Receiver {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** Sends what was recorded to a server. @throws when a request is not answered with 2xx */
export async function replay(to: Receiver, sources: readonly string[], ...flags: string[]): Promise<void> {
	const headers = Object.entries(to.headers).flatMap(([name, value]) => ["--header", `${name}=${value}`]);
	const named = sources.flatMap((source) => ["--source", source]);
	await promisify(execFile)(process.execPath, [REPLAY, "--url", to.url, "--quiet", ...headers, ...named, ...flags]);
}
