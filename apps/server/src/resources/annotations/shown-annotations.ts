import { type Kysely, type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { joinInOrder, table } from "#storage/sql-pieces.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import type { TraceSummary } from "#storage/traces/trace-store.ts";
import { kindOf } from "./kinds.ts";
import type { ShownAnnotation } from "./schemas.ts";
import type { AnnotationRow } from "./to-annotation.ts";

const MOST_OF_ONE = 20;
/** For all items of a page together; more only if there are more items, as each annotated one shows at least one. */
const MOST_OF_ALL = 2_000;
const MAX_EXPLANATION = 2_000;

/** The fields that an item of a list shows for its annotations. */
export interface Shown {
	readonly annotations: z.output<typeof ShownAnnotation>[];
	readonly annotation_count: number;
}

/** The newest annotations of spans or sessions, by row number; undefined unless `include` has `annotations`. */
export async function includeAnnotations(
	db: Kysely<Tables>,
	include: readonly string[] | undefined,
	kind: "span" | "session",
	rowIds: readonly number[],
): Promise<ShownOf> {
	return await includeNewest(db, include, rowIds.length, ofTargets(kind, rowIds));
}

/** As {@link includeAnnotations} for traces, including the annotations of their root spans. */
export async function includeTraceAnnotations(
	db: Kysely<Tables>,
	include: readonly string[] | undefined,
	traces: readonly Pick<TraceSummary, "id" | "rootSpanRowId">[],
): Promise<ShownOf> {
	return await includeNewest(db, include, traces.length, ofTraces(traces));
}

/** What is shown of one item: a span or session, or a trace with the annotations of its root span. */
export type ShownTarget =
	| { readonly kind: "span" | "session"; readonly rowId: number }
	| { readonly kind: "trace"; readonly trace: Pick<TraceSummary, "id" | "rootSpanRowId"> };

/** The newest annotations of one item; of those that people wrote alone, if so. */
export async function listShown(
	db: Kysely<Tables>,
	target: ShownTarget,
	{ onlyByPeople }: { readonly onlyByPeople: boolean },
): Promise<Shown["annotations"]> {
	const all = target.kind === "trace" ? ofTraces([target.trace]) : ofTargets(target.kind, [target.rowId]);
	const byPeople = sql`select items.id, item from (${all}) as items
		${joinInOrder} annotations on annotations.id = items.id and annotations.annotator_kind = 'HUMAN'`;
	return (await findNewest(db, 1, onlyByPeople ? byPeople : all)).map(toShown);
}

type ShownOf = (rowId: number) => Shown | undefined;

async function includeNewest(
	db: Kysely<Tables>,
	include: readonly string[] | undefined,
	count: number,
	items: RawBuilder<unknown>,
): Promise<ShownOf> {
	if (include?.includes("annotations") !== true) return () => undefined;
	const rows = count === 0 ? [] : await findNewest(db, count, items);
	const byItem = Map.groupBy(rows, (row) => row.item);
	return (rowId) => {
		const shown = byItem.get(rowId) ?? [];
		return { annotations: shown.map(toShown), annotation_count: shown[0]?.total ?? 0 };
	};
}

interface NewestRow extends Omit<AnnotationRow, "metadata"> {
	/** Row number of the list item that shows it. */
	readonly item: number;
	/** How many annotations the item has. */
	readonly total: number;
}

async function findNewest(
	db: Kysely<Tables>,
	count: number,
	items: RawBuilder<unknown>,
): Promise<readonly NewestRow[]> {
	const { rows } = await sql<NewestRow>`
		with found as (
			select id, item, row_number() over (partition by item order by id desc) as place,
				count(*) over (partition by item) as total
			from (${items}) as items
		)
		select annotations.id, target, name, identifier, annotator_kind, label, score,
			substr(explanation, 1, ${MAX_EXPLANATION}) as explanation, source, user_id, created_at, updated_at, item, total
		from found ${joinInOrder} annotations on annotations.id = found.id
		where place <= ${MOST_OF_ONE}
		order by place, annotations.id desc
		limit ${Math.max(count, MOST_OF_ALL)}`.execute(db);
	return rows;
}

function ofTraces(traces: readonly Pick<TraceSummary, "id" | "rootSpanRowId">[]): RawBuilder<unknown> {
	const ids = traces.map(({ id }) => id);
	const roots = traces.map(({ id, rootSpanRowId }) => [id, rootSpanRowId]);
	return sql`${ofTargets("trace", ids)} union all select annotations.id, roots.item
		from ${table("roots", { item: "bigint", span: "bigint" }, roots)}
		${joinInOrder} annotations on target = 'span' and target_row_id = roots.span`;
}

function ofTargets(kind: EntityKind, rowIds: readonly number[]): RawBuilder<unknown> {
	return sql`select id, target_row_id as item from annotations
		where target = ${kind} and target_row_id in ${listed(rowIds)}`;
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
