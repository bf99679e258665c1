import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { hexOf, joinInOrder, table } from "#storage/sql-pieces.ts";
import type { EntityKind } from "../entity.ts";

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
		const rows = ids.map(({ traceId, id, text }) => [traceId, id, text]);
		await this.#db.write((transaction) =>
			sql`insert into sent_ids (trace_id, id, text, created_at)
				select trace_id, id, text, ${now}
				from ${table("new", { trace_id: "bytea", id: "bytea", text: "text" }, rows)}
				where true
				on conflict (trace_id, id) do nothing`.execute(transaction),
		);
		this.#areThere = true;
	}

	/** The original texts of those of these ids that are not OpenTelemetry's. @param db an open transaction */
	async find(
		ids: readonly StoredId[],
		db: Kysely<Tables> = this.#db.read,
	): Promise<(id: StoredId) => string | undefined> {
		if (ids.length === 0 || !(await this.#lookWhetherThere(db))) return () => undefined;
		const wanted = new Map(ids.map((id) => [keyOf(id), [id.traceId, id.id]]));
		const { rows } = await sql<SentId>`
			select ${hexOf(sql`sent.trace_id`)} as "traceId", ${hexOf(sql`sent.id`)} as id, sent.text
			from ${table("wanted", { trace_id: "bytea", id: "bytea" }, [...wanted.values()])}
			${joinInOrder} sent_ids as sent on sent.trace_id = wanted.trace_id and sent.id = wanted.id`.execute(db);
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
 * Deletes a batch of texts that were stored before a time and whose trace exists in no project.
 * @returns where to continue; undefined at the end
 */
export async function forgetSentIds(
	db: Database,
	{ before, after, limit }: { readonly before: number; readonly after: string; readonly limit: number },
): Promise<string | undefined> {
	const { rows } = await sql<{ traceId: string; isGone: number | boolean }>`
		select ${hexOf(sql`sent.trace_id`)} as "traceId",
			not exists (select 1 from traces where traces.trace_id = sent.trace_id) as "isGone"
		from (
			select trace_id from sent_ids where trace_id > ${Buffer.from(after, "hex")}
			group by trace_id order by trace_id limit ${limit}
		) as sent
		order by sent.trace_id`.execute(db.read);
	const gone = rows.filter(({ isGone }) => Boolean(isGone)).map(({ traceId }) => [traceId]);
	if (gone.length > 0) {
		await db.write((transaction) =>
			sql`delete from sent_ids
				where created_at < ${before}
					and trace_id in (select trace_id from ${table("gone", { trace_id: "bytea" }, gone)})
					and not exists (select 1 from traces where traces.trace_id = sent_ids.trace_id)`.execute(transaction),
		);
	}
	return rows.length < limit ? undefined : rows.at(-1)?.traceId;
}
