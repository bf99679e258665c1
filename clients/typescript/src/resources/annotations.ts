import type { Client } from "../client.ts";
import type { Operations } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type Post<Path extends keyof Operations["post"]> = Operations["post"][Path] extends { body: infer Body } ? Body : never;
type Data<Response> = Response extends { data: infer Value } ? Value : never;
type Item<Response> = Response extends { data: (infer Value)[] } ? Value : never;
type Get<Path extends keyof Operations["get"]> = Operations["get"][Path]["response"];

export type NewSpanAnnotation = Post<"/v1/span_annotations">["data"][number];
export type NewTraceAnnotation = Post<"/v1/trace_annotations">["data"][number];
export type NewSessionAnnotation = Post<"/v1/session_annotations">["data"][number];
export type NewDocumentAnnotation = Post<"/v1/document_annotations">["data"][number];

interface LogOptions {
	/**
	 * Answer once they are stored, with their ids, and refuse what is about nothing that is stored (the default); with
	 * `false` an annotation may come before its span and waits for it.
	 */
	wait?: boolean;
}

interface NoteOptions {
	/** The same one again writes over the note. */
	identifier?: string;
}

interface ListOptions {
	names?: string[];
	excludeNames?: string[];
}

type ProjectAnnotations<Target extends "span" | "trace" | "session" | "document"> = Item<
	Get<`/v1/projects/{project_identifier}/${Target}_annotations`>
>;

/**
 * What people and programs say about spans, traces, sessions and documents. The same name and identifier on the same
 * target is written over.
 */
export class Annotations {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logSpans(data: readonly NewSpanAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		return await inBatches(data, (batch) =>
			this.#api.post("/v1/span_annotations", { query: { sync: wait }, body: { data: batch } }),
		);
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logTraces(data: readonly NewTraceAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		return await inBatches(data, (batch) =>
			this.#api.post("/v1/trace_annotations", { query: { sync: wait }, body: { data: batch } }),
		);
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logSessions(data: readonly NewSessionAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		return await inBatches(data, (batch) =>
			this.#api.post("/v1/session_annotations", { query: { sync: wait }, body: { data: batch } }),
		);
	}

	/** @returns the ids, in order; none with `wait: false` */
	async logDocuments(data: readonly NewDocumentAnnotation[], { wait = true }: LogOptions = {}): Promise<string[]> {
		return await inBatches(data, (batch) =>
			this.#api.post("/v1/document_annotations", { query: { sync: wait }, body: { data: batch } }),
		);
	}

	/** @returns the id */
	async noteSpan(spanId: string, note: string, { identifier }: NoteOptions = {}): Promise<string> {
		const data = { span_id: spanId, note, ...(identifier === undefined ? {} : { identifier }) };
		return (await this.#api.post("/v1/span_notes", { body: { data } })).data.id;
	}

	/** @returns the id */
	async noteTrace(traceId: string, note: string, { identifier }: NoteOptions = {}): Promise<string> {
		const data = { trace_id: traceId, note, ...(identifier === undefined ? {} : { identifier }) };
		return (await this.#api.post("/v1/trace_notes", { body: { data } })).data.id;
	}

	/** @returns the id */
	async noteSession(sessionId: string, note: string, { identifier }: NoteOptions = {}): Promise<string> {
		const data = { session_id: sessionId, note, ...(identifier === undefined ? {} : { identifier }) };
		return (await this.#api.post("/v1/session_notes", { body: { data } })).data.id;
	}

	ofSpans(project: string, spanIds: readonly string[], options: ListOptions = {}): Paged<ProjectAnnotations<"span">> {
		return Paged.ofParts(inParts(spanIds), (ids, cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/span_annotations", {
				path: { project_identifier: project },
				query: { span_ids: ids, ...toQuery(options, cursor) },
			}),
		);
	}

	ofTraces(
		project: string,
		traceIds: readonly string[],
		options: ListOptions = {},
	): Paged<ProjectAnnotations<"trace">> {
		return Paged.ofParts(inParts(traceIds), (ids, cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/trace_annotations", {
				path: { project_identifier: project },
				query: { trace_ids: ids, ...toQuery(options, cursor) },
			}),
		);
	}

	ofSessions(
		project: string,
		sessionIds: readonly string[],
		options: ListOptions = {},
	): Paged<ProjectAnnotations<"session">> {
		return Paged.ofParts(inParts(sessionIds), (ids, cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/session_annotations", {
				path: { project_identifier: project },
				query: { session_ids: ids, ...toQuery(options, cursor) },
			}),
		);
	}

	/** By the ids of their spans. */
	ofDocuments(
		project: string,
		spanIds: readonly string[],
		options: ListOptions = {},
	): Paged<ProjectAnnotations<"document">> {
		return Paged.ofParts(inParts(spanIds), (ids, cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/document_annotations", {
				path: { project_identifier: project },
				query: { span_ids: ids, ...toQuery(options, cursor) },
			}),
		);
	}

	async get(annotationId: string): Promise<Data<Get<"/v1/annotations/{annotation_id}">>> {
		return (await this.#api.get("/v1/annotations/{annotation_id}", { path: { annotation_id: annotationId } })).data;
	}

	/** What is not given stays. */
	async update(
		annotationId: string,
		body: Operations["patch"]["/v1/annotations/{annotation_id}"]["body"],
	): Promise<Data<Get<"/v1/annotations/{annotation_id}">>> {
		const path = { annotation_id: annotationId };
		return (await this.#api.patch("/v1/annotations/{annotation_id}", { path, body })).data;
	}

	async delete(annotationId: string): Promise<void> {
		await this.#api.delete("/v1/annotations/{annotation_id}", { path: { annotation_id: annotationId } });
	}

	/** Those whose target has not come yet. */
	waiting(): Paged<Item<Get<"/v1/waiting_annotations">>> {
		return new Paged((cursor) =>
			this.#api.get("/v1/waiting_annotations", { query: { limit: 100, ...(cursor && { cursor }) } }),
		);
	}
}

function toQuery({ names, excludeNames }: ListOptions, cursor: string | undefined) {
	return {
		limit: 1_000,
		...(names && { include_annotation_names: names }),
		...(excludeNames && { exclude_annotation_names: excludeNames }),
		...(cursor && { cursor }),
	};
}

/** In one request; a long list is several. */
const BATCH = 1_000;

async function inBatches<T>(
	annotations: readonly T[],
	send: (batch: T[]) => Promise<{ data: readonly { id: string }[] }>,
): Promise<string[]> {
	const ids: string[] = [];
	for (let start = 0; start === 0 || start < annotations.length; start += BATCH) {
		const { data } = await send(annotations.slice(start, start + BATCH));
		ids.push(...data.map(({ id }) => id));
	}
	return ids;
}

/** So many that an address has room for them. */
function inParts(ids: readonly string[]): string[][] {
	return Array.from({ length: Math.ceil(ids.length / 100) }, (_, part) => ids.slice(part * 100, part * 100 + 100));
}

type Config = Data<Get<"/v1/annotation_configs/{config_identifier}">>;

/** What people annotate with, by id or name. */
export class AnnotationConfigs {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	list(): Paged<Config> {
		return new Paged((cursor) =>
			this.#api.get("/v1/annotation_configs", { query: { limit: 100, ...(cursor && { cursor }) } }),
		);
	}

	async get(config: string): Promise<Config> {
		const path = { config_identifier: config };
		return (await this.#api.get("/v1/annotation_configs/{config_identifier}", { path })).data;
	}

	async create(body: Post<"/v1/annotation_configs">): Promise<Config> {
		return (await this.#api.post("/v1/annotation_configs", { body })).data;
	}

	/** Replaces it. */
	async update(
		configId: string,
		body: Operations["put"]["/v1/annotation_configs/{config_id}"]["body"],
	): Promise<Config> {
		return (await this.#api.put("/v1/annotation_configs/{config_id}", { path: { config_id: configId }, body })).data;
	}

	/** What people who annotate in the project are asked for. */
	async assign(project: string, config: string): Promise<void> {
		const path = { project_identifier: project, config_identifier: config };
		await this.#api.put("/v1/projects/{project_identifier}/annotation_configs/{config_identifier}", { path });
	}

	async unassign(project: string, config: string): Promise<void> {
		const path = { project_identifier: project, config_identifier: config };
		await this.#api.delete("/v1/projects/{project_identifier}/annotation_configs/{config_identifier}", { path });
	}

	async delete(configId: string): Promise<void> {
		await this.#api.delete("/v1/annotation_configs/{config_id}", { path: { config_id: configId } });
	}
}
