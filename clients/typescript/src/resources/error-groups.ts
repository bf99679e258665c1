import type { Client } from "../client.ts";
import type {
	ErrorActivity,
	ErrorComment,
	ErrorGroup,
	ErrorGroupBatchAnswer,
	ErrorGroupChangeInput,
	ErrorGroupDetail,
	ErrorOccurrence,
	Operations,
} from "../generated/api.ts";
import { Paged } from "../paged.ts";
import { type ChangeOptions, getTagged, type Tagged, toHeaders } from "../tagged.ts";

type Get = Operations["get"];
type ListOptions = Omit<NonNullable<Get["/v1/projects/{project_identifier}/error_groups"]["query"]>, "cursor">;
type DetailOptions = NonNullable<Get["/v1/error_groups/{error_group_id}"]["query"]>;
type OccurrenceOptions = Omit<NonNullable<Get["/v1/error_groups/{error_group_id}/occurrences"]["query"]>, "cursor">;
type IgnoreUntil = NonNullable<ErrorGroupChangeInput["ignore_until"]>;

/** In one request; a long list is several. */
const BATCH = 500;

/** Failures that are the same, as groups with a state and an assignee. */
export class ErrorGroups {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/**
	 * Open ones, unless `state` says otherwise.
	 * @example
	 * for await (const group of spanward.errorGroups.list("default", { range: "24h", sort: "users" })) {
	 * 	console.log(group.title, group.user_count);
	 * }
	 */
	list(project: string, query: ListOptions = {}): Paged<ErrorGroup> {
		return new Paged((cursor) =>
			this.#api.get("/v1/projects/{project_identifier}/error_groups", {
				path: { project_identifier: project },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	/** With why its failures are together, in `grouping`. */
	async get(groupId: string, query: DetailOptions = {}): Promise<ErrorGroupDetail> {
		return (await this.#api.get("/v1/error_groups/{error_group_id}", { path: { error_group_id: groupId }, query }))
			.data;
	}

	async getWithEtag(groupId: string): Promise<Tagged<ErrorGroupDetail>> {
		return await getTagged(this.#api, `/v1/error_groups/${encodeURIComponent(groupId)}`);
	}

	/** State and assignee at once; `resolve`, `ignore`, `reopen` and `assign` each do one thing. */
	async update(groupId: string, body: ErrorGroupChangeInput, options: ChangeOptions = {}): Promise<ErrorGroup> {
		const path = { error_group_id: groupId };
		return (await this.#api.patch("/v1/error_groups/{error_group_id}", { path, body, ...toHeaders(options) })).data;
	}

	/** Until it happens again, with `release` in one that was first seen after that one. */
	async resolve(
		groupId: string,
		{ release, ...options }: ChangeOptions & { release?: string } = {},
	): Promise<ErrorGroup> {
		const inRelease = release === undefined ? {} : { resolved_in_release: release };
		return await this.update(groupId, { state: "resolved", ...inRelease }, options);
	}

	/** For ever, or until the first of: a time, so many more occurrences, so many more users. */
	async ignore(
		groupId: string,
		{ until, ...options }: ChangeOptions & { until?: IgnoreUntil } = {},
	): Promise<ErrorGroup> {
		const untilThen = until === undefined ? {} : { ignore_until: until };
		return await this.update(groupId, { state: "ignored", ...untilThen }, options);
	}

	async reopen(groupId: string, options: ChangeOptions = {}): Promise<ErrorGroup> {
		return await this.update(groupId, { state: "open" }, options);
	}

	/** To a user, by id or `me`; to nobody with null. */
	async assign(groupId: string, assigneeId: string | null, options: ChangeOptions = {}): Promise<ErrorGroup> {
		return await this.update(groupId, { assignee_id: assigneeId }, options);
	}

	/** The same change of many. @returns what became of each */
	async updateMany(groupIds: readonly string[], change: ErrorGroupChangeInput): Promise<ErrorGroupBatchAnswer["data"]> {
		const results: ErrorGroupBatchAnswer["data"] = [];
		for (let start = 0; start < groupIds.length; start += BATCH) {
			const body = { ids: groupIds.slice(start, start + BATCH), change };
			results.push(...(await this.#api.post("/v1/error_groups/batch", { body })).data);
		}
		return results;
	}

	/** The failures of a group, newest first. */
	occurrences(groupId: string, query: OccurrenceOptions = {}): Paged<ErrorOccurrence> {
		return new Paged((cursor) =>
			this.#api.get("/v1/error_groups/{error_group_id}/occurrences", {
				path: { error_group_id: groupId },
				query: { ...query, ...(cursor && { cursor }) },
			}),
		);
	}

	/** Groups that may be the same: of the same kind and type of error, in the same place. */
	async similar(groupId: string): Promise<ErrorGroup[]> {
		return (await this.#api.get("/v1/error_groups/{error_group_id}/similar", { path: { error_group_id: groupId } }))
			.data;
	}

	/** Puts other groups into this one, also what comes of them later. */
	async merge(groupId: string, others: readonly string[], options: ChangeOptions = {}): Promise<ErrorGroup> {
		const path = { error_group_id: groupId };
		const parts = { path, body: { ids: [...others] }, ...toHeaders(options) };
		return (await this.#api.post("/v1/error_groups/{error_group_id}/merge", parts)).data;
	}

	/** Takes fingerprints out, each into a group of its own. @returns this group and those */
	async unmerge(groupId: string, fingerprints: readonly string[], options: ChangeOptions = {}): Promise<ErrorGroup[]> {
		const path = { error_group_id: groupId };
		const parts = { path, body: { fingerprints: [...fingerprints] }, ...toHeaders(options) };
		return (await this.#api.post("/v1/error_groups/{error_group_id}/unmerge", parts)).data;
	}

	/** Oldest first. */
	comments(groupId: string): Paged<ErrorComment> {
		return new Paged((cursor) =>
			this.#api.get("/v1/error_groups/{error_group_id}/comments", {
				path: { error_group_id: groupId },
				query: { limit: 100, ...(cursor && { cursor }) },
			}),
		);
	}

	/** Adds a comment, in Markdown. */
	async comment(groupId: string, text: string): Promise<ErrorComment> {
		const path = { error_group_id: groupId };
		return (await this.#api.post("/v1/error_groups/{error_group_id}/comments", { path, body: { text } })).data;
	}

	/** One's own. */
	async updateComment(commentId: string, text: string): Promise<ErrorComment> {
		const path = { comment_id: commentId };
		return (await this.#api.patch("/v1/error_comments/{comment_id}", { path, body: { text } })).data;
	}

	/** One's own, or anybody's by admins. */
	async deleteComment(commentId: string): Promise<void> {
		await this.#api.delete("/v1/error_comments/{comment_id}", { path: { comment_id: commentId } });
	}

	/** Who did what, and what happened by itself, newest first. */
	activity(groupId: string): Paged<ErrorActivity> {
		return new Paged((cursor) =>
			this.#api.get("/v1/error_groups/{error_group_id}/activity", {
				path: { error_group_id: groupId },
				query: { limit: 100, ...(cursor && { cursor }) },
			}),
		);
	}
}
