import type { Client } from "../client.ts";
import type { EndUser, Operations } from "../generated/api.ts";
import { Paged } from "../paged.ts";

type Get = Operations["get"];
type ListOptions = Omit<NonNullable<Get["/v1/projects/{project_identifier}/end_users"]["query"]>, "cursor">;
type OneOptions = NonNullable<Get["/v1/projects/{project_identifier}/end_users/{user_id}"]["query"]>;

/** A user, and whether the figures are of the whole range: from `covered_start_time` on everything was read. */
export type EndUserInRange = EndUser & { is_partial: boolean; covered_start_time: string | null };

/** Who a project's traces were made for, by their `user.id`; of the last 30 days unless there are times or a range. */
export class EndUsers {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/**
	 * The most expensive first, unless sorted otherwise.
	 * @example
	 * for await (const user of spanward.endUsers.list("default", { range: "7d", sort: "errors" })) {
	 * 	console.log(user.user_id, user.error_count);
	 * }
	 */
	list(project: string, query: ListOptions = {}): Paged<EndUser> {
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/end_users", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	/** One of them. Ids that are `.` or `..` are no part of an address: find them with `list` and `q`. */
	async get(project: string, userId: string, query: OneOptions = {}): Promise<EndUserInRange> {
		const path = { project_identifier: project, user_id: userId };
		const answer = await this.#api.get("/v1/projects/{project_identifier}/end_users/{user_id}", { path, query });
		const { data, is_partial, covered_start_time } = answer;
		return { ...data, is_partial, covered_start_time };
	}
}
