import type { Client } from "../client.ts";
import type { Operations, Session } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type ListOptions = Omit<
	NonNullable<Operations["get"]["/v1/projects/{project_identifier}/sessions"]["query"]>,
	"cursor"
>;

/** As many ids as an address has room for. */
const TRACES_AT_A_TIME = 100;

/** A trace of a session. `input` and `output` are absent where its root span says none. */
export interface SessionTurn {
	readonly traceId: string;
	readonly startTime: string;
	readonly endTime: string;
	readonly input?: unknown;
	readonly output?: unknown;
}

/** Sessions, by the id that the application gave or that of the server. */
export class Sessions {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** `filter` is an expression over sessions such as `num_traces > 3`, or words to look for. */
	list(project: string, query: ListOptions = {}): Paged<Session> {
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/sessions", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	async get(session: string): Promise<Session> {
		return (await this.#api.get("/v1/sessions/{session_identifier}", { path: { session_identifier: session } })).data;
	}

	/** The conversation, oldest first: what each trace was asked and what it answered. */
	async turns(session: string): Promise<SessionTurn[]> {
		const { project_id: project, traces } = await this.get(session);
		const turns: SessionTurn[] = [];
		for (let start = 0; start < traces.length; start += TRACES_AT_A_TIME) {
			const some = traces.slice(start, start + TRACES_AT_A_TIME);
			const roots = new Paged((cursor) =>
				this.#api.get("/v1/projects/{project_identifier}/spans", {
					path: { project_identifier: project },
					query: {
						trace_id: some.map((trace) => trace.trace_id),
						parent_id: "null",
						limit: TRACES_AT_A_TIME,
						...(cursor && { cursor }),
					},
				}),
			);
			const attributes = new Map<string, Readonly<Record<string, unknown>>>();
			for await (const root of roots) attributes.set(root.context.trace_id, root.attributes);
			turns.push(...some.map((trace) => toTurn(trace, attributes.get(trace.trace_id) ?? {})));
		}
		return turns;
	}

	/** With its traces. */
	async delete(session: string): Promise<void> {
		await this.#api.delete("/v1/sessions/{session_identifier}", { path: { session_identifier: session } });
	}

	/** With their traces. */
	async deleteMany(sessions: readonly string[]): Promise<void> {
		await this.#api.post("/v1/sessions/delete", { body: { session_identifiers: [...sessions] } });
	}
}

function toTurn(trace: Session["traces"][number], attributes: Readonly<Record<string, unknown>>): SessionTurn {
	return {
		traceId: trace.trace_id,
		startTime: trace.start_time,
		endTime: trace.end_time,
		input: attributes["input.value"],
		output: attributes["output.value"],
	};
}
