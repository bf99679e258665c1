import { type Kysely, type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { joinInOrder } from "#storage/sql-pieces.ts";
import { kindOf, type PlaceKind } from "./kinds.ts";
import type { ShownAnnotation } from "./schemas.ts";
import type { AnnotationRow } from "./to-annotation.ts";

const MOST_OF_ONE = 20;
/** Of all items together, unless there are more items: each shows one at least. */
const MOST_OF_ALL = 2_000;
const MAX_EXPLANATION = 2_000;

/** What an item of a list says of its annotations. */
export interface Shown {
	readonly annotations: z.output<typeof ShownAnnotation>[];
	readonly annotation_count: number;
}

/**
 * The newest annotations of spans, traces or sessions, by row number; those of a trace with those of its root span.
 * Gives nothing unless `include` asks for them.
 */
export async function includeAnnotations(
	db: Kysely<Tables>,
	include: readonly string[] | undefined,
	kind: PlaceKind,
	rowIds: readonly number[],
): Promise<(rowId: number) => Shown | undefined> {
	if (include?.includes("annotations") !== true) return () => undefined;
	const rows = rowIds.length === 0 ? [] : await findNewest(db, kind, rowIds);
	const byItem = Map.groupBy(rows, (row) => row.item);
	return (rowId) => {
		const shown = byItem.get(rowId) ?? [];
		return { annotations: shown.map(toShown), annotation_count: shown[0]?.total ?? 0 };
	};
}

interface NewestRow extends Omit<AnnotationRow, "metadata"> {
	/** What it is shown with. */
	readonly item: number;
	/** How many the item has. */
	readonly total: number;
}

async function findNewest(
	db: Kysely<Tables>,
	kind: PlaceKind,
	rowIds: readonly number[],
): Promise<readonly NewestRow[]> {
	const { rows } = await sql<NewestRow>`
		with found as (
			select id, item, row_number() over (partition by item order by id desc) as place,
				count(*) over (partition by item) as total
			from (${itemsOf(kind, rowIds)}) as items
		)
		select annotations.id, target, name, identifier, annotator_kind, label, score,
			substr(explanation, 1, ${MAX_EXPLANATION}) as explanation, source, user_id, created_at, updated_at, item, total
		from found ${joinInOrder} annotations on annotations.id = found.id
		where place <= ${MOST_OF_ONE}
		order by place, annotations.id desc
		limit ${Math.max(rowIds.length, MOST_OF_ALL)}`.execute(db);
	return rows;
}

function itemsOf(kind: PlaceKind, ids: readonly number[]): RawBuilder<unknown> {
	const own = sql`select id, target_row_id as item from annotations
		where target = ${kind} and target_row_id in ${listed(ids)}`;
	if (kind !== "trace") return own;
	return sql`${own} union all select annotations.id, traces.id as item
		from traces ${joinInOrder} annotations on target = 'span' and target_row_id = traces.root_span
		where traces.id in ${listed(ids)}`;
}

function toShown(row: NewestRow): z.output<typeof ShownAnnotation> {
	return {
		id: encodeGlobalId(kindOf(row.target).idType, row.id),
		target: row.target === "document" ? "span" : row.target,
		name: row.name,
		annotator_kind: row.annotator_kind,
		result: { label: row.label, score: row.score, explanation: row.explanation },
		identifier: row.identifier,
		source: row.source,
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}
