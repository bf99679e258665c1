import type { Client } from "../client.ts";
import type { Operations, Session } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type ListOptions = Omit<
	NonNullable<Operations["get"]["/v1/projects/{project_identifier}/sessions"]["query"]>,
	"cursor"
>;

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

	/** With its traces. */
	async delete(session: string): Promise<void> {
		await this.#api.delete("/v1/sessions/{session_identifier}", { path: { session_identifier: session } });
	}

	/** With their traces. */
	async deleteMany(sessions: readonly string[]): Promise<void> {
		await this.#api.post("/v1/sessions/delete", { body: { session_identifiers: [...sessions] } });
	}
}
