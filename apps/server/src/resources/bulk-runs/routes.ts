import type { Kysely } from "kysely";
import { z } from "zod";
import { mayCall } from "#access/auth/may-call.ts";
import { idOf, type Leaving, mayWiden } from "#access/rights/wider-access.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { pageOf } from "#http/cursors.ts";
import { STORAGE_FULL } from "#http/error-wire.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { limitedSenderOf, type Principal, userOf } from "#http/principal.ts";
import { cursorParam, limitParam, textParam } from "#http/query-params.ts";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { checkAnnotations } from "../annotations/check-annotations.ts";
import { kindOf } from "../annotations/kinds.ts";
import { getDataset } from "../datasets/queries.ts";
import { getProject } from "../projects/queries.ts";
import {
	type BulkRunRow,
	cancelBulkRun,
	getBulkRun,
	insertBulkRun,
	listBulkRuns,
	ROLE_FOR_ACTION,
	type RunParameters,
} from "./bulk-runs.ts";
import { readSelection } from "./read-selection.ts";
import { BulkRunPage, CreateBulkRunBody, OneBulkRun } from "./schemas.ts";
import { toBulkRun } from "./to-bulk-run.ts";

const params = z.object({ run_id: z.string() });
const tags = ["bulk_runs"];

type Body = z.output<typeof CreateBulkRunBody>;

/** Actions on everything that is selected in a list, carried out in the background. */
export function bulkRunRoutes(app: App, { auth, capacity, db, events, now }: Context): void {
	app.post(
		"/v1/projects/:project_identifier/bulk_runs",
		{
			config: { access: "write", home: "project", whenFull: "allowed" },
			schema: {
				operationId: "createBulkRun",
				tags,
				summary: "Delete, move or annotate everything that is selected, or add it to a dataset",
				description:
					"Runs in the background, with the rights that who starts it has at each moment, within the limits of a key with permissions or projects; it fails when these end. Count the selection before by `GET /v1/projects/{project_identifier}/selection`.",
				params: z.object({ project_identifier: z.string() }),
				body: CreateBulkRunBody,
				response: { 202: OneBulkRun },
			},
		},
		async (request, reply) => {
			const { params, body, actor, principal } = request;
			if (body.action !== "delete" && capacity.isBlocked) throw new UserError(507, "storage_full", STORAGE_FULL);
			const project = await getProject(db.read, actor, params.project_identifier, ROLE_FOR_ACTION[body.action]);
			const { to, ...parameters } = await readParameters(actor, body);
			if (parameters.destinationProjectId === project.id) {
				throw new UserError(422, "same_project", "The traces are in this project already; choose another one.");
			}
			const selection = await readSelection(actor.traces, project.id, body, now());
			const row = await actor.change(async (transaction) => {
				if (
					to !== undefined &&
					(await widens(transaction, actor, { from: project.id, to, isAllowed: isAllowed(body) }))
				)
					await auth.audit.recordIn(transaction, {
						...{ action: "access.widened", outcome: "success", principal, request },
						target: { type: "project", id: project.id, name: project.name },
						details: { action: body.action, to: idOf(parameters.destinationProjectId ?? "library") },
					});
				return await insertBulkRun(transaction, {
					project_id: project.id,
					action: body.action,
					kind: body.kind,
					selection,
					parameters: { ...parameters, ...limitedSenderOf(principal) },
					user_id: userOf(principal)?.id ?? null,
					now: now(),
				});
			});
			events.emit("bulk_run_asked");
			return reply.code(202).send({ data: toBulkRun(row, actor.rights) });
		},
	);

	app.get(
		"/v1/bulk_runs",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listBulkRuns",
				tags,
				summary: "Page through the bulk runs, newest first",
				querystring: z.object({
					project: textParam.optional().describe("Name or id; all projects when absent."),
					cursor: cursorParam,
					limit: limitParam(100),
				}),
				response: { 200: BulkRunPage },
			},
		},
		async ({ actor, query }) => {
			const projectId = query.project === undefined ? undefined : (await getProject(db.read, actor, query.project)).id;
			return await pageOf(
				"BulkRun",
				query,
				(part) => listBulkRuns(db.read, actor.rights, { ...part, projectId }),
				(row) => toBulkRun(row, actor.rights),
			);
		},
	);

	app.get(
		"/v1/bulk_runs/:run_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getBulkRun",
				tags,
				summary: "Progress of a bulk run",
				params,
				response: { 200: OneBulkRun },
			},
		},
		async ({ actor, params }) => ({
			data: toBulkRun(await getBulkRun(db.read, actor, parseId(params.run_id)), actor.rights),
		}),
	);

	app.delete(
		"/v1/bulk_runs/:run_id",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "cancelBulkRun",
				tags,
				summary: "Cancel a bulk run of one's own, or any as an admin; what it has done stays",
				params,
				response: { 204: z.null() },
			},
		},
		async ({ params, actor }, reply) => {
			const id = parseId(params.run_id);
			await actor.change(async (transaction, current) => {
				assertMayCancel(current, await getBulkRun(transaction, actor, id));
				await cancelBulkRun(transaction, id, now());
			});
			return reply.code(204).send(null);
		},
	);

	async function readParameters(
		actor: Actor,
		body: Body,
	): Promise<z.output<typeof RunParameters> & { readonly to?: Home }> {
		const source = actor.principal.kind === "session" ? "APP" : "API";
		const allowed = isAllowed(body) ? { allowWiderAccess: true } : {};
		switch (body.action) {
			case "delete":
				return { source };
			case "move": {
				const { id } = await getProject(db.read, actor, body.destination_project_identifier);
				return { source, destinationProjectId: id, to: id, ...allowed };
			}
			case "annotate": {
				checkAnnotations(kindOf(body.kind), [body.annotation]);
				const { targetId: _targetId, documentPosition: _documentPosition, ...annotation } = body.annotation;
				return { source, annotation };
			}
			case "add_to_dataset": {
				const dataset = await getDataset(db.read, actor, body.dataset_id);
				return {
					source,
					to: toHome(dataset.project_id),
					...allowed,
					datasetId: dataset.id,
					...(body.splits == null ? {} : { splits: body.splits }),
				};
			}
		}
	}

	/** The actor, who may only read the project where things are taken from, enters it as an editor if so. */
	async function widens(transaction: Kysely<Tables>, actor: Actor, leaving: Leaving): Promise<boolean> {
		const isWider = await mayWiden({ auth }, transaction, leaving);
		if (isWider) actor.enter(leaving.from, "editor");
		return isWider;
	}
}

function isAllowed(body: Body): boolean {
	return "allow_wider_access" in body && body.allow_wider_access === true;
}

/** @throws UserError 403 */
function assertMayCancel(principal: Principal, { user_id }: BulkRunRow): void {
	const user = userOf(principal);
	if (user === undefined || user.id === user_id || mayCall(principal, "admin")) return;
	throw new UserError(403, "not_own_bulk_run", "Only admins cancel the runs of others.");
}

/** @throws UserError 422 */
function parseId(text: string): number {
	const id = decodeGlobalId(text, "BulkRun");
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_bulk_run_id", `Invalid bulk run id: ${text.slice(0, 100)}`);
}
