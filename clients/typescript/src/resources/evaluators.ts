import type { Client } from "../client.ts";
import type { Evaluator, EvaluatorVersionOfEvaluator, Operations } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type Versions = Operations["post"]["/v1/evaluators/{evaluator_identifier}/versions"];

/** Evaluators that the server runs, by name or id. Those that run in your program are made with `createEvaluator`. */
export class Evaluators {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	list(query: Omit<NonNullable<Operations["get"]["/v1/evaluators"]["query"]>, "cursor"> = {}): Paged<Evaluator> {
		return new Paged((cursor) => this.#api.get("/v1/evaluators", { query: { ...query, ...(cursor && { cursor }) } }));
	}

	async get(evaluator: string): Promise<Evaluator> {
		const path = { evaluator_identifier: evaluator };
		return (await this.#api.get("/v1/evaluators/{evaluator_identifier}", { path })).data;
	}

	/** With its first version. */
	async create(body: Operations["post"]["/v1/evaluators"]["body"]): Promise<Evaluator> {
		return (await this.#api.post("/v1/evaluators", { body })).data;
	}

	/** Newest first. */
	versions(evaluator: string): Paged<EvaluatorVersionOfEvaluator> {
		const path = { evaluator_identifier: evaluator };
		return new Paged((cursor) =>
			this.#api.get("/v1/evaluators/{evaluator_identifier}/versions", {
				path,
				query: cursor === undefined ? {} : { cursor },
			}),
		);
	}

	async createVersion(evaluator: string, body: Versions["body"]): Promise<EvaluatorVersionOfEvaluator> {
		const path = { evaluator_identifier: evaluator };
		return (await this.#api.post("/v1/evaluators/{evaluator_identifier}/versions", { path, body })).data;
	}

	/** Its versions and results stay. */
	async archive(evaluator: string): Promise<void> {
		await this.#api.delete("/v1/evaluators/{evaluator_identifier}", { path: { evaluator_identifier: evaluator } });
	}
}
