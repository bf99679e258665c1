import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { hexOf, joinInOrder, table } from "#storage/sql-pieces.ts";
import type { EntityKind } from "../entity.ts";
import type { TraceReader } from "../trace-store.ts";

/** Maximum length of an id that is not OpenTelemetry's, in characters. */
export const MAX_SENT_ID = 255;
const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/i;
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/i;

/** The trace id to store for a text: itself in lower case if it is OpenTelemetry's, otherwise derived from the text. */
export function storedTraceId(text: string): string {
	return TRACE_ID.test(text) ? text.toLowerCase() : derived("trace", text, 16);
}

/** As {@link storedTraceId}, for a span. A text has the same id in every trace, so that the text alone finds it. */
export function storedSpanId(text: string): string {
	return SPAN_ID.test(text) ? text.toLowerCase() : derived("span", text, 8);
}

/** As {@link storedTraceId}, for any kind; a text that cannot be an id stays unchanged, and is not found. */
export function storedId(kind: EntityKind, text: string): string {
	if (kind === "session" || text === "" || text.length > MAX_SENT_ID) return text;
	return kind === "trace" ? storedTraceId(text) : storedSpanId(text);
}

function derived(of: string, text: string, bytes: number): string {
	return createHash("sha256")
		.update(`spanward ${of} id\0${text}`)
		.digest("hex")
		.slice(0, 2 * bytes);
}

/** A stored id, with the stored id of its trace; for the trace itself both are the same. */
export interface StoredId {
	readonly traceId: string;
	readonly id: string;
}

/** A stored id with its text. Collisions are as unlikely as equal random ids; then the first text is shown. */
export interface SentId extends StoredId {
	readonly text: string;
}

/** Other processes may have written the first ones. */
const LOOK_AGAIN_MS = 1_000;

/** A text that is sent so long after it was remembered is remembered again. */
const REMEMBERED_MICROS = 1_800_000_000;

/** The original texts of ids that are not OpenTelemetry's. */
export class SentIds {
	readonly #db: Database;
	/** Whether there are any: most installations have none and need no look-ups. */
	#areThere = false;
	#lookedAt = Number.NEGATIVE_INFINITY;

	constructor(db: Database) {
		this.#db = db;
	}

	/** To be called before the spans are written. @param now microseconds since 1970 */
	async remember(ids: readonly SentId[], now: number): Promise<void> {
		if (ids.length === 0) return;
		const rows = new Map(ids.map((sent) => [keyOf(sent), [sent.traceId, sent.id, sent.text]]));
		// A trace may be gone for long and be sent again: its texts must not be deleted before it is there.
		await this.#db.write((transaction) =>
			sql`insert into sent_ids (trace_id, id, text, created_at)
				select trace_id, id, text, ${now}
				from ${table("new", { trace_id: "bytea", id: "bytea", text: "text" }, [...rows.values()])}
				where true
				on conflict (trace_id, id) do update set created_at = excluded.created_at
					where sent_ids.created_at < excluded.created_at - ${REMEMBERED_MICROS}`.execute(transaction),
		);
		this.#areThere = true;
	}

	/**
	 * The original texts of those of these ids that are not OpenTelemetry's; undefined when all are.
	 * @param db an open transaction
	 */
	async find(
		ids: Iterable<StoredId>,
		db: Kysely<Tables> = this.#db.read,
	): Promise<((id: StoredId) => string | undefined) | undefined> {
		if (!(await this.#lookWhetherThere(db))) return undefined;
		const wanted = new Map<string, readonly [string, string]>();
		for (const id of ids) wanted.set(keyOf(id), [id.traceId, id.id]);
		if (wanted.size === 0) return undefined;
		const { rows } = await sql<SentId>`
			select ${hexOf(sql`sent.trace_id`)} as "traceId", ${hexOf(sql`sent.id`)} as id, sent.text
			from ${table("wanted", { trace_id: "bytea", id: "bytea" }, [...wanted.values()])}
			${joinInOrder} sent_ids as sent on sent.trace_id = wanted.trace_id and sent.id = wanted.id`.execute(db);
		if (rows.length === 0) return undefined;
		const texts = new Map(rows.map((row) => [keyOf(row), row.text]));
		return (id) => texts.get(keyOf(id));
	}

	async #lookWhetherThere(db: Kysely<Tables>): Promise<boolean> {
		const age = performance.now() - this.#lookedAt;
		if (this.#areThere || age < (this.#db.isShared ? LOOK_AGAIN_MS : Number.POSITIVE_INFINITY)) return this.#areThere;
		const found = await db.selectFrom("sent_ids").select("created_at").limit(1).execute();
		this.#lookedAt = performance.now();
		this.#areThere ||= found.length > 0;
		return this.#areThere;
	}
}

function keyOf({ traceId, id }: StoredId): string {
	return `${traceId} ${id}`;
}

/**
 * Deletes a batch of texts that were remembered before a time and whose trace exists in no project.
 * @param before at least as long ago as a span may take to be stored after its ids were remembered
 * @returns where to continue; undefined at the end
 */
export async function forgetSentIds(
	db: Database,
	traces: Pick<TraceReader, "findTracesByTraceIds">,
	{ before, after, limit }: { readonly before: number; readonly after: string; readonly limit: number },
): Promise<string | undefined> {
	const { rows } = await sql<{ traceId: string }>`
		select ${hexOf(sql`trace_id`)} as "traceId" from sent_ids where trace_id > ${Buffer.from(after, "hex")}
		group by trace_id order by trace_id limit ${limit}`.execute(db.read);
	const ids = rows.map(({ traceId }) => traceId);
	const found = ids.length === 0 ? [] : await traces.findTracesByTraceIds(ids);
	// A store for everything outside of storage answers texts as they were sent.
	const there = new Set(found.map(({ traceId }) => storedTraceId(traceId)));
	const gone = ids.filter((id) => !there.has(id)).map((id) => [id]);
	if (gone.length > 0) {
		// Those of a trace that comes meanwhile are remembered again.
		await db.write((transaction) =>
			sql`delete from sent_ids
				where created_at < ${before}
					and trace_id in (select trace_id from ${table("gone", { trace_id: "bytea" }, gone)})`.execute(transaction),
		);
	}
	return ids.length < limit ? undefined : ids.at(-1);
}
