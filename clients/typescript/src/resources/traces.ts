import type { Client } from "../client.ts";
import type { Operations, Trace, TraceWithSpans } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type ListOptions = Omit<NonNullable<Operations["get"]["/v1/projects/{project_identifier}/traces"]["query"]>, "cursor">;

/** Traces, by their hex id. */
export class Traces {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** `filter` is an expression over traces such as `error_count > 0`, or words to look for. */
	list(project: string, query: ListOptions = {}): Paged<Trace> {
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/traces", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	/** A trace with its spans. */
	async get(project: string, traceId: string): Promise<TraceWithSpans["data"]> {
		const path = { project_identifier: project, trace_id: traceId };
		return (await this.#api.get("/v1/projects/{project_identifier}/traces/{trace_id}", { path })).data;
	}

	async delete(traceId: string): Promise<void> {
		await this.#api.delete("/v1/traces/{trace_identifier}", { path: { trace_identifier: traceId } });
	}

	/** @returns how many were moved */
	async move(traceIds: readonly string[], toProject: string): Promise<number> {
		const body = { trace_identifiers: [...traceIds], destination_project_identifier: toProject };
		return (await this.#api.post("/v1/traces/transfer", { body })).data.transferred_trace_count;
	}
}
