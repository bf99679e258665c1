import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { decodeTraceRequest, encodeTraceRequest, type KeyValue, type ResourceSpans, type Span } from "@spanward/otlp";
import fastify from "fastify";
import { readConfig } from "#base/config.ts";
import { DATABASE_FILE, openForWriting } from "#storage/sqlite/connection.ts";
import { migrate } from "#storage/sqlite/migrations.ts";
import { createWriteLockMemory, releaseLockOfEndedThread } from "#storage/sqlite/write-lock.ts";
import { decompress } from "#storage/traces/content/block.ts";
import { createIngest } from "./create-ingest.ts";
import { registerOtlpHttp } from "./receive-http.ts";

/** Real workers on a real file, reached over HTTP. */
export async function openReceiver(environment: Record<string, string> = {}, folder?: string, silenceMs?: number) {
	const config = readConfig({ SERVICE_GRPC_PORT: "0", ...environment });
	const ownFolder = folder ?? (await mkdtemp(join(tmpdir(), "spanward-ingest-")));
	const path = join(ownFolder, DATABASE_FILE);
	const setup = openForWriting(path, 1);
	migrate(setup);
	setup.close();
	const logged: string[] = [];
	const write = (details: object, message: string) => void logged.push(JSON.stringify({ ...details, message }));
	const log = { warn: write, error: write };
	const mutex = createWriteLockMemory();
	const writerOptions = { kind: "sqlite", path, mutex, textIndex: true } as const;
	const releaseWriter = (threadId: number) => releaseLockOfEndedThread(mutex, threadId);
	const storage = { writerOptions, releaseWriter };
	const ingest = createIngest(config, { storage, onChange: () => {}, log, now: () => Date.now() * 1_000 });
	const app = fastify();
	app.decorateRequest("principal");
	app.addHook("onRequest", async (request) => {
		request.principal = { kind: "anonymous" };
	});
	registerOtlpHttp(app, { config, ingest, findSender: async () => undefined }, silenceMs);
	const url = await app.listen({ port: 0, host: "127.0.0.1" });

	return {
		config,
		ingest,
		url,
		path,
		/** Lines of the log. */
		logged,
		/** Each stored span with its resource, in no particular order. */
		storedSpans: (): { project: string; span: Span; resource: ResourceSpans["resource"] }[] => {
			const db = new DatabaseSync(path, { readOnly: true });
			const rows = db
				.prepare(
					`select spans.ordinal, blocks.data, projects.name
					from spans
					join blocks on blocks.id = spans.block_id
					join projects on projects.id = spans.project_id`,
				)
				.all();
			db.close();
			return rows.flatMap(({ ordinal, data, name }) =>
				decodeTraceRequest(decompress(data as Uint8Array))
					.flatMap(({ resource, scopeSpans }) =>
						scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ project: String(name), span, resource }))),
					)
					.slice(Number(ordinal), Number(ordinal) + 1),
			);
		},
		[Symbol.asyncDispose]: async () => {
			await app.close();
			await ingest[Symbol.asyncDispose]();
			if (folder === undefined) await rm(ownFolder, { recursive: true });
		},
	};
}

let made = 0;

/** A span of its own trace. */
export function makeSpan(fields: Partial<Span> = {}): Span {
	made += 1;
	return {
		traceId: made.toString(16).padStart(32, "a"),
		spanId: made.toString(16).padStart(16, "b"),
		parentSpanId: "",
		traceState: "",
		flags: 0,
		name: `span ${made}`,
		kind: 1,
		startTimeUnixNano: 1_700_000_000_000_000_001n,
		endTimeUnixNano: 1_700_000_001_000_000_002n,
		attributes: [],
		droppedAttributesCount: 0,
		events: [],
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: { code: 0, message: "" },
		...fields,
	};
}

/** An `ExportTraceServiceRequest` in protobuf. */
export function encodeSpans(spans: readonly Span[], resource: readonly KeyValue[] = []): Uint8Array<ArrayBuffer> {
	const scope = { name: "test", version: "1", attributes: [], droppedAttributesCount: 0 };
	const request = encodeTraceRequest([
		{
			resource: { attributes: resource, droppedAttributesCount: 0 },
			scopeSpans: [{ scope, spans, schemaUrl: "" }],
			schemaUrl: "",
		},
	]);
	return new Uint8Array(request);
}

export function stringAttribute(key: string, value: string): KeyValue {
	return { key, value: { type: "string", value } };
}
