import type { Kysely } from "kysely";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { Entity, EntityKind } from "#storage/traces/entity.ts";
import { findEntities } from "../read/entities.ts";
import type { Damage, Looked, ReferringTable, Scope } from "./damage.ts";
import type { OpenBatches } from "./open-batches.ts";

/** Rows of the metadata database that are compared at a time. */
const PAGE = 2_000;

const KINDS = ["span", "trace", "session"] as const;

/** A row of the metadata database that refers to a span, trace or session. */
interface Referring {
	readonly id: number;
	readonly kind: EntityKind;
	readonly rowId: number;
	/** What else it says of the place; absent where it says no more. */
	readonly place?: {
		/** The row itself where it has no column for it. */
		readonly targetRowId?: number;
		readonly projectId: number;
		readonly traceRowId: number | null;
	};
}

interface Referrers {
	readonly table: ReferringTable;
	/** What a row is called. */
	readonly called: string;
	/** The next rows, by `id`; with `ids` those alone. */
	readonly list: (
		db: Kysely<Tables>,
		after: number,
		{ ids, projectId }: { readonly ids?: readonly number[]; readonly projectId?: number | undefined },
	) => Promise<{ readonly last: number | undefined; readonly referring: readonly Referring[] }>;
}

const ANNOTATIONS: Referrers = {
	table: "annotations",
	called: "annotation",
	async list(db, after, { ids, projectId }) {
		const columns = ["id", "target_row_id", "project_id", "span_row_id", "trace_row_id", "session_row_id"] as const;
		const all = db.selectFrom("annotations").select(columns).where("id", ">", after);
		const some = ids === undefined ? all : all.where("id", "in", listed(ids));
		const ofProject = projectId === undefined ? some : some.where("project_id", "=", projectId);
		const rows = await ofProject.orderBy("id").limit(PAGE).execute();
		return {
			last: rows.at(-1)?.id,
			referring: rows.flatMap((row) => {
				const kind = KINDS.find((kind) => row[`${kind}_row_id`] !== null);
				const rowId = kind && row[`${kind}_row_id`];
				if (kind === undefined || rowId == null) return [];
				const { id, target_row_id: targetRowId, project_id: projectId, trace_row_id: traceRowId } = row;
				return [{ id, kind, rowId, place: { targetRowId, projectId, traceRowId } }];
			}),
		};
	},
};

const EXAMPLES: Referrers = {
	table: "dataset_examples",
	called: "example",
	async list(db, after, { ids }) {
		const all = db.selectFrom("dataset_examples").select(["id", "span_row_id"]).where("id", ">", after);
		const some = ids === undefined ? all : all.where("id", "in", listed(ids));
		const rows = await some.where("span_row_id", "is not", null).orderBy("id").limit(PAGE).execute();
		return {
			last: rows.at(-1)?.id,
			referring: rows.flatMap(({ id, span_row_id }) =>
				span_row_id === null ? [] : [{ id, kind: "span" as const, rowId: span_row_id }],
			),
		};
	},
};

const OCCURRENCES: Referrers = {
	table: "error_occurrences",
	called: "occurrence of an error",
	async list(db, after, { ids, projectId }) {
		const columns = ["id", "project_id", "span_row_id", "trace_row_id"] as const;
		const all = db.selectFrom("error_occurrences").select(columns).where("id", ">", after);
		const some = ids === undefined ? all : all.where("id", "in", listed(ids));
		const ofProject = projectId === undefined ? some : some.where("project_id", "=", projectId);
		const rows = await ofProject.orderBy("id").limit(PAGE).execute();
		return {
			last: rows.at(-1)?.id,
			referring: rows.map(({ id, span_row_id: rowId, project_id: projectId, trace_row_id: traceRowId }) => ({
				...{ id, kind: "span", rowId },
				place: { projectId, traceRowId },
			})),
		};
	},
};

const REFERRERS: Readonly<Record<ReferringTable, Referrers>> = {
	annotations: ANNOTATIONS,
	dataset_examples: EXAMPLES,
	error_occurrences: OCCURRENCES,
};

interface Sources {
	readonly shards: ShardReader;
	/** The metadata tables. */
	readonly db: Kysely<Tables>;
	readonly batches: OpenBatches;
}

/**
 * What of the metadata database refers to spans, traces and sessions that are gone or elsewhere. Of one project these are
 * annotations and occurrences of errors: examples are of none.
 */
export async function* wrongReferences(sources: Sources, { projectId }: Scope = {}): AsyncGenerator<Looked> {
	for (const referrers of projectId === undefined ? Object.values(REFERRERS) : [ANNOTATIONS, OCCURRENCES]) {
		for (let after = Number.MIN_SAFE_INTEGER; ; ) {
			const { last, referring } = await referrers.list(sources.db, after, { projectId });
			if (last === undefined) break;
			after = last;
			const suspects = await findWrong(sources.shards, referring);
			if (suspects.length > 0) yield* confirmed(sources, referrers, suspects);
			yield { kind: "looked", count: referring.length };
		}
	}
}

/**
 * The next references of a table, by number, that may be wrong. What is being written may be among them.
 * @returns `last` undefined when there are no more
 */
export async function suspectReferences(
	{ shards, db }: Pick<Sources, "shards" | "db">,
	table: ReferringTable,
	after: number,
): Promise<{ readonly last: number | undefined; readonly suspects: readonly Damage[] }> {
	const referrers = REFERRERS[table];
	const { last, referring } = await referrers.list(db, after, {});
	const wrong = await findWrong(shards, referring);
	return { last, suspects: wrong.map((one) => damageOf(referrers, one)) };
}

/** The references among these that are wrong now, and where the row is that they are of. */
export async function findWrongReferences(
	{ shards, db }: Pick<Sources, "shards" | "db">,
	table: ReferringTable,
	ids: readonly number[],
): Promise<readonly Wrong[]> {
	const { list } = REFERRERS[table];
	return await findWrong(shards, (await list(db, Number.MIN_SAFE_INTEGER, { ids })).referring);
}

/** Those that are wrong when what was being written is complete. */
async function* confirmed(
	{ shards, db, batches }: Sources,
	{ table, called }: Referrers,
	suspects: readonly Wrong[],
): AsyncGenerator<Damage> {
	await batches.settle();
	const ids = suspects.map(({ id }) => id);
	for (const wrong of await findWrongReferences({ shards, db }, table, ids)) yield damageOf({ table, called }, wrong);
}

function damageOf({ table, called }: Pick<Referrers, "table" | "called">, { id, what, entity }: Wrong): Damage {
	return { kind: "reference", table, id, isMisplaced: entity !== undefined, says: `${called} ${id} is of ${what}` };
}

export interface Wrong {
	readonly id: number;
	readonly what: string;
	readonly kind: EntityKind;
	/** Row number of what it refers to. */
	readonly rowId: number;
	/** Undefined when it is gone. */
	readonly entity: Entity | undefined;
}

async function findWrong(shards: ShardReader, referring: readonly Referring[]): Promise<Wrong[]> {
	const wrong: Wrong[] = [];
	for (const [kind, ofKind] of Map.groupBy(referring, (row) => row.kind)) {
		const found = await findEntities(shards, kind, [...new Set(ofKind.map(({ rowId }) => rowId))]);
		const entities = new Map(found.map((entity) => [entity.rowId, entity]));
		for (const row of ofKind) {
			const entity = entities.get(row.rowId);
			const what = wrongOf(row, entity);
			if (what !== undefined) wrong.push({ id: row.id, what, kind, rowId: row.rowId, entity });
		}
	}
	return wrong;
}

function wrongOf({ kind, rowId, place }: Referring, entity: Entity | undefined): string | undefined {
	if (entity === undefined) return `${kind} row ${rowId}, which is not there`;
	if (place === undefined) return undefined;
	const { targetRowId = rowId, projectId, traceRowId } = place;
	const isThere = targetRowId === rowId && projectId === entity.projectId && traceRowId === entity.traceRowId;
	return isThere ? undefined : `${kind} row ${rowId}, and not where that is`;
}
