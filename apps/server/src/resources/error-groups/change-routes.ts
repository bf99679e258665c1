import type { FastifyReply, FastifyRequest } from "fastify";
import type { Transaction } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { HIDDEN } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { type Principal, userOf } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import { type Changer, changeGroup, type GroupChange } from "../error-grouping/change-group.ts";
import { MOST_FINGERPRINTS, mergeGroups, unmergeGroup } from "../error-grouping/merge-groups.ts";
import { readAssignee } from "./assignees.ts";
import { findGroups, type GroupRow, getGroup, groupNotFound } from "./find-groups.ts";
import { findFigures } from "./group-figures.ts";
import {
	ErrorGroupBatch,
	ErrorGroupBatchAnswer,
	ErrorGroupChange,
	MergeBody,
	noParams,
	OneErrorGroup,
	UnmergeAnswer,
	UnmergeBody,
} from "./schemas.ts";
import { toErrorGroup } from "./to-error-group.ts";
import { versionOf } from "./version-of.ts";

const params = z.object({ error_group_id: z.string() });
const tags = ["errors"];

type Change = z.output<typeof ErrorGroupChange>;

/** States, assignees, and what belongs together. */
export function errorGroupChangeRoutes(app: App, { auth, db, now }: Context): void {
	app.patch(
		"/v1/error_groups/:error_group_id",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "updateErrorGroup",
				tags,
				summary: "Resolve, ignore, reopen or assign a group of errors",
				params,
				querystring: noParams,
				body: ErrorGroupChange,
				response: { 200: OneErrorGroup },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const id = await actor.change(async (transaction, principal) => {
				const group = await getGroup(transaction, actor, request.params.error_group_id);
				assertIfMatch(request, versionOf(group));
				await apply(transaction, group, body, { request, principal });
				return group.id;
			});
			return { data: await one(reply, id) };
		},
	);

	app.post(
		"/v1/error_groups/batch",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "updateErrorGroups",
				tags,
				summary: "Make the same change of many groups of errors",
				querystring: noParams,
				body: ErrorGroupBatch,
				response: { 200: ErrorGroupBatchAnswer },
			},
		},
		async (request) => {
			const { actor, body } = request;
			const ids = [...new Set(body.ids)];
			const data = await actor.change(async (transaction, principal) => {
				const rowIds = ids.map((id) => decodeGlobalId(id, "ErrorGroup"));
				const found = await findGroups(
					transaction,
					rowIds.filter((id) => id !== undefined),
				);
				const groups = new Map(found.map((row) => [row.id, row]));
				const results = [];
				for (const [index, id] of ids.entries()) {
					const group = groups.get(rowIds[index] ?? 0);
					const status = await changeOne(transaction, group, body.change, { request, principal });
					results.push({ id, status });
				}
				return results;
			});
			return { data };
		},
	);

	app.post(
		"/v1/error_groups/:error_group_id/merge",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "mergeErrorGroups",
				tags,
				summary: "Put other groups into this one, with what comes of them",
				params,
				querystring: noParams,
				body: MergeBody,
				response: { 200: OneErrorGroup },
			},
		},
		async (request, reply) => {
			const { actor, body } = request;
			const id = await actor.change(async (transaction, principal) => {
				const group = await getGroup(transaction, actor, request.params.error_group_id);
				assertIfMatch(request, versionOf(group));
				const others = [];
				for (const other of body.ids) others.push(await getGroup(transaction, actor, other));
				const from = others.map((other) => other.id);
				const merged = await mergeGroups(transaction, group.id, from, { by: changerOf(principal), now: now() });
				if (merged.outcome === "not_found")
					throw new UserError(422, "other_project", "Only groups of one project can be merged.");
				if (merged.outcome === "too_many_fingerprints") throw tooManyFingerprints(merged.fingerprints);
				return group.id;
			});
			return { data: await one(reply, id) };
		},
	);

	app.post(
		"/v1/error_groups/:error_group_id/unmerge",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "unmergeErrorGroup",
				tags,
				summary: "Take fingerprints out of a group, each into a group of its own",
				params,
				querystring: noParams,
				body: UnmergeBody,
				response: { 200: UnmergeAnswer },
			},
		},
		async (request) => {
			const { actor, body } = request;
			const ids = await actor.change(async (transaction, principal) => {
				const group = await getGroup(transaction, actor, request.params.error_group_id);
				assertIfMatch(request, versionOf(group));
				const by = changerOf(principal);
				const unmerged = await unmergeGroup(transaction, group.id, body.fingerprints, { by, now: now() });
				if (unmerged.outcome === "not_found") throw groupNotFound();
				if (unmerged.outcome === "other_fingerprints") throw otherFingerprints(unmerged.fingerprints);
				if (unmerged.outcome === "all_fingerprints")
					throw new UserError(422, "last_fingerprint", "A group keeps at least one of its fingerprints.");
				return [group.id, ...unmerged.groupIds];
			});
			return { data: await show(ids) };
		},
	);

	interface By {
		readonly request: Pick<FastifyRequest, "actor">;
		readonly principal: Principal;
	}

	async function changeOne(
		transaction: Transaction<Tables>,
		group: GroupRow | undefined,
		change: Change,
		by: By,
	): Promise<z.output<typeof ErrorGroupBatchAnswer>["data"][number]["status"]> {
		const { actor } = by.request;
		if (group === undefined) return "not_found";
		if (!enterSeen(actor, group.project_id)) {
			actor.noteDenied(HIDDEN);
			return "not_found";
		}
		const [before, after] = await apply(transaction, group, change, by);
		return before === after ? "unchanged" : "changed";
	}

	/** @returns the revision before and after */
	async function apply(
		transaction: Transaction<Tables>,
		group: GroupRow,
		change: Change,
		{ request, principal }: By,
	): Promise<readonly [before: number, after: number | undefined]> {
		const { state, assignee_id: assignee } = change;
		const assigneeId =
			typeof assignee === "string"
				? await readAssignee({ auth }, transaction, {
						...{ text: assignee, projectId: group.project_id, actor: request.actor, principal },
					})
				: assignee;
		const wanted: GroupChange = {
			...(state === undefined ? {} : { state: toStateChange(state, change) }),
			...(assigneeId === undefined ? {} : { assigneeId }),
		};
		await changeGroup(transaction, group.id, wanted, { by: changerOf(principal), now: now() });
		const after = await transaction
			.selectFrom("error_groups")
			.select("revision")
			.where("id", "=", group.id)
			.executeTakeFirst();
		return [group.revision, after?.revision];
	}

	async function one(reply: FastifyReply, id: number) {
		const [row] = await findGroups(db.read, [id]);
		if (row === undefined) throw groupNotFound();
		setEtag(reply, versionOf(row));
		const figures = await findFigures(db.read, [id], {});
		return toErrorGroup(row, figures(id), now());
	}

	async function show(ids: readonly number[]) {
		const rows = await findGroups(db.read, ids);
		const figures = await findFigures(db.read, ids, {});
		return rows.map((row) => toErrorGroup(row, figures(row.id), now()));
	}
}

function changerOf(principal: Principal): Changer {
	return { kind: principal.kind, userId: userOf(principal)?.id ?? null };
}

function toStateChange(state: NonNullable<Change["state"]>, change: Change): NonNullable<GroupChange["state"]> {
	const { resolved_in_release: release, ignore_until: until } = change;
	switch (state) {
		case "open":
			return { state };
		case "resolved":
			return { state, ...(release == null ? {} : { inRelease: release }) };
		case "ignored":
			return {
				state,
				...(until == null
					? {}
					: {
							until: {
								...(until.time == null ? {} : { time: until.time }),
								...(until.occurrences == null ? {} : { occurrences: until.occurrences }),
								...(until.users == null ? {} : { users: until.users }),
							},
						}),
			};
	}
}

function tooManyFingerprints(count: number): UserError {
	return new UserError(
		409,
		"too_many_fingerprints",
		`The group would have ${count} fingerprints; at most ${MOST_FINGERPRINTS} can be together.`,
	);
}

function otherFingerprints(fingerprints: readonly string[]): UserError {
	return new UserError(422, "unknown_fingerprint", `The group does not have ${fingerprints.slice(0, 3).join(", ")}.`);
}
