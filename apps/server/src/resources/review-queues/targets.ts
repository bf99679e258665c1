import { type Kysely, Transaction } from "kysely";
import { type Issue, ValidationError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId, encodeGlobalId, type IdType } from "#http/global-ids.ts";
import { toHome } from "#http/seen-homes.ts";
import { listed } from "#storage/listed.ts";
import type { ReviewTarget, Tables } from "#storage/schema.ts";
import type { Entity, EntityKind } from "#storage/traces/entity.ts";
import { inOrderOf } from "#storage/traces/find-entities.ts";
import { ENTITY_ID_TYPES } from "../annotations/kinds.ts";

/** A run of an experiment. */
export interface RunTarget {
	readonly kind: "experiment_run";
	readonly rowId: number;
	/** Global id. */
	readonly id: string;
	/** Of the dataset; null for the library. */
	readonly projectId: number | null;
	readonly traceRowId: null;
	readonly traceId: null;
}

/** What an item of a queue is about, as it is now. */
export type Target = Entity | RunTarget;

type Looking = Pick<Actor, "traces" | "rights" | "noteHidden">;

const ID_TYPES: Readonly<Record<ReviewTarget, IdType>> = { ...ENTITY_ID_TYPES, experiment_run: "ExperimentRun" };

export function globalIdOf(kind: ReviewTarget, rowId: number): string {
	return encodeGlobalId(ID_TYPES[kind], rowId);
}

/** The project that an item is in; null for the library. */
export function projectIdOf(projectId: number | null): string | null {
	return projectId === null ? null : encodeGlobalId("Project", projectId);
}

/** Those of these targets that are there, in this order, and in homes that the actor sees; others are noted as hidden. */
export async function findTargets(
	db: Kysely<Tables>,
	actor: Looking,
	kind: ReviewTarget,
	rowIds: readonly number[],
): Promise<readonly Target[]> {
	if (kind === "experiment_run") return inOrderOf(rowIds, await findRuns(db, actor, rowIds));
	return await actor.traces.findEntities(kind, rowIds, db instanceof Transaction ? db : undefined);
}

/** The run of each id that was sent; ids of no run that the actor sees are absent. */
export async function resolveRuns(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "noteHidden">,
	ids: readonly string[],
): Promise<ReadonlyMap<string, RunTarget>> {
	const wanted = ids.map((id) => decodeGlobalId(id, "ExperimentRun"));
	const found = await findRuns(
		db,
		actor,
		wanted.filter((id) => id !== undefined),
	);
	const byRow = new Map(found.map((run) => [run.rowId, run]));
	return new Map(
		ids.flatMap((id, index) => {
			const run = byRow.get(wanted[index] ?? 0);
			return run === undefined ? [] : [[id, run]];
		}),
	);
}

async function findRuns(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "noteHidden">,
	rowIds: readonly number[],
): Promise<readonly RunTarget[]> {
	const rows = await db
		.selectFrom("experiment_runs")
		.innerJoin("experiments", "experiments.id", "experiment_runs.experiment_id")
		.innerJoin("datasets", "datasets.id", "experiments.dataset_id")
		.select(["experiment_runs.id", "datasets.project_id as home"])
		.where("experiment_runs.id", "in", listed([...new Set(rowIds)]))
		.where("datasets.state", "=", "ready")
		.orderBy("experiment_runs.id")
		.execute();
	return rows.flatMap(({ id, home }) => {
		if (actor.rights.roleAt(toHome(home)) === undefined) {
			actor.noteHidden(toHome(home));
			return [];
		}
		const kind = "experiment_run";
		return { kind, rowId: id, id: globalIdOf(kind, id), projectId: home, traceRowId: null, traceId: null };
	});
}

/** The kind of what becomes an example. @throws ValidationError for a queue of runs of experiments, which are of one */
export function exampleKind({ target }: { readonly target: ReviewTarget }): EntityKind {
	if (target !== "experiment_run") return target;
	const msg = "Runs of experiments are of an example already";
	throw new ValidationError([{ type: "wrong_target", loc: ["path", "queue_id"], msg }]);
}

/**
 * The kind of a queue that can be filled by what matches a filter.
 * @param loc where the filter was sent
 * @throws ValidationError for a queue of runs of experiments
 */
export function filteredKind(kind: ReviewTarget, loc: Issue["loc"]): EntityKind {
	if (kind !== "experiment_run") return kind;
	const msg = "Runs of experiments are added by their ids, or by that of their experiment";
	throw new ValidationError([{ type: "wrong_target", loc, msg }]);
}
