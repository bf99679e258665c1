import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Context } from "#context.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { limitedSenderOf, userOf } from "#http/principal.ts";
import { type BulkRunRow, insertBulkRun } from "../bulk-runs/bulk-runs.ts";
import { readSelection } from "../bulk-runs/read-selection.ts";
import { getProject } from "../projects/queries.ts";
import type { SelectionFilters } from "../selections/schemas.ts";
import { getOpenQueue } from "./queues.ts";
import type { AddItemsBody } from "./schemas.ts";
import { filteredKind } from "./targets.ts";

type Body = z.output<typeof AddItemsBody>;

interface Asked extends Pick<Body, "time_range" | "limit" | "priority"> {
	readonly queueId: string;
	readonly filter: NonNullable<Body["filter"]>;
	readonly project: string;
}

/**
 * Starts a run that adds what matches a filter, and had arrived by then, to a queue.
 * @throws ValidationError for a queue of runs of experiments; UserError 404, 400 or 422 for a filter that cannot be read, 403 `project_role_needed`, 409 for an archived queue or
 * too many runs
 */
export async function startFilling(
	{ auth, db, events, now }: Context,
	request: FastifyRequest,
	{ queueId, filter, project: identifier, time_range, limit, priority }: Asked,
): Promise<BulkRunRow> {
	const { actor } = request;
	const kind = filteredKind((await getOpenQueue(db.read, queueId)).target, ["body", "filter"]);
	const project = await getProject(db.read, actor, identifier);
	const filters = within(typeof filter === "string" ? { filter } : filter, time_range);
	const selection = await readSelection(actor.traces, project.id, { kind, selection: { filter: filters } }, now());
	const run = await actor.change(async (transaction, principal) => {
		const queue = await getOpenQueue(transaction, queueId);
		const source = principal.kind === "session" ? "APP" : "API";
		const row = await insertBulkRun(transaction, {
			...{ project_id: project.id, action: "add_to_review_queue", kind, selection },
			parameters: {
				...{ source, reviewQueueId: queue.id, priority, ...limitedSenderOf(principal) },
				...(limit === undefined ? {} : { limit }),
			},
			...{ user_id: userOf(principal)?.id ?? null, now: now() },
		});
		await auth.audit.recordIn(transaction, {
			...{ action: "review_queue.fill", outcome: "success", principal, request },
			target: { type: "review_queue", id: queue.id, name: queue.name },
			details: { run: encodeGlobalId("BulkRun", row.id), project: project.name },
		});
		return row;
	});
	events.emit("bulk_run_asked");
	return run;
}

/** Filters that also select by a range of time. */
function within(filters: SelectionFilters, range: Body["time_range"] = {}): SelectionFilters {
	const starts = [filters.start_time, range.start_time].filter((time) => time !== undefined);
	const ends = [filters.end_time, range.end_time].filter((time) => time !== undefined);
	return {
		...filters,
		...(starts.length === 0 ? {} : { start_time: Math.max(...starts) }),
		...(ends.length === 0 ? {} : { end_time: Math.min(...ends) }),
	};
}
