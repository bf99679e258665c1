import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { cursorParam, limitParam } from "#http/query-params.ts";
import { getProject } from "../projects/queries.ts";
import { cancelRepair, getRepair, insertRepair, listRepairs } from "./repair-runs.ts";
import { CreateStorageRepairBody, StorageRepair } from "./schemas.ts";
import { toStorageRepair } from "./to-storage-repair.ts";

const OneRepair = z.object({ data: StorageRepair });
const params = z.object({ repair_id: z.string() });
const tags = ["storage"];

/** Repairs of what is wrong in the tables of traces, for admins. */
export function repairRoutes(app: App, { auth, db, events, now }: Context): void {
	app.get(
		"/v1/storage/repairs",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "listStorageRepairs",
				tags,
				summary: "Page through the repairs of traces, newest first",
				querystring: z.object({ cursor: cursorParam, limit: limitParam(100) }),
				response: { 200: pageSchema(StorageRepair).meta({ id: "StorageRepairPage" }) },
			},
		},
		async ({ query }) => await pageOf("StorageRepair", query, (part) => listRepairs(db.read, part), toStorageRepair),
	);

	app.get(
		"/v1/storage/repairs/:repair_id",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "getStorageRepair",
				tags,
				summary: "Progress of a repair",
				params,
				response: { 200: OneRepair },
			},
		},
		async ({ params }) => ({ data: toStorageRepair(await getRepair(db.read, parseId(params.repair_id))) }),
	);

	app.post(
		"/v1/storage/repairs",
		{
			config: { access: "admin_session", home: "none", repeats: "answered", whenFull: "allowed" },
			schema: {
				operationId: "createStorageRepair",
				tags,
				summary: "Look for damage of traces, and repair it",
				description:
					"Runs in the background, one repair after the other, and rests between its steps. With `dry_run` it only counts what is wrong.",
				body: CreateStorageRepairBody,
				response: { 202: OneRepair },
			},
		},
		async (request, reply) => {
			const { body, actor, principal } = request;
			const [start, end] = [body.start_time ?? null, body.end_time ?? null];
			if (start !== null && end !== null && start >= end)
				throw new UserError(422, "invalid_range", "`start_time` must be strictly earlier than `end_time`.");
			const project = body.project_id == null ? undefined : await getProject(db.read, actor, body.project_id);
			const row = await actor.change(async (transaction) => {
				const created = await insertRepair(transaction, {
					kind: body.kind,
					project_id: project?.id ?? null,
					start_micros: start,
					end_micros: end,
					dry_run: body.dry_run === true ? 1 : 0,
					user_id: userOf(principal)?.id ?? null,
					now: now(),
				});
				await auth.audit.recordIn(transaction, {
					...{ action: "repair.start", outcome: "success", principal, request },
					target: { type: "repair", id: created.id },
					details: { kind: created.kind, dry_run: created.dry_run === 1 },
				});
				return created;
			});
			events.emit("repair_asked");
			return reply.code(202).send({ data: toStorageRepair(row) });
		},
	);

	app.delete(
		"/v1/storage/repairs/:repair_id",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "cancelStorageRepair",
				tags,
				summary: "Cancel a repair; what it has repaired stays so",
				params,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, principal } = request;
			const id = parseId(request.params.repair_id);
			await actor.change(async (transaction) => {
				await getRepair(transaction, id);
				if (!(await cancelRepair(transaction, id, now()))) return;
				await auth.audit.recordIn(transaction, {
					...{ action: "repair.cancel", outcome: "success", principal, request },
					target: { type: "repair", id },
				});
			});
			return reply.code(204).send(null);
		},
	);
}

/** @throws UserError 422 */
function parseId(text: string): number {
	const id = decodeGlobalId(text, "StorageRepair");
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_repair_id", `Invalid repair id: ${text.slice(0, 100)}`);
}
