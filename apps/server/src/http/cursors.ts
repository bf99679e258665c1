import { createHash } from "node:crypto";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Keyset, Page } from "#storage/traces/trace-store.ts";
import { decodeBase64, decodeGlobalId, encodeGlobalId, type IdType } from "./global-ids.ts";
import { formatTime, parseTime } from "./wire-times.ts";

/**
 * What a keyset cursor compares: `DATETIME` microseconds, written as ISO-8601, `FLOAT` a number, or `STRING` a text,
 * written in base64url.
 */
type CursorKind = "DATETIME" | "FLOAT" | "STRING";

/** A position in a list by texts. */
interface TextKeyset {
	readonly value: string;
	readonly id: number;
}

/** How the keyset cursors of a list are written; with the list's sort where the kind alone does not tell it. */
export interface CursorForm {
	readonly kind: CursorKind;
	readonly sort?: string;
}

/** The form of the cursors of a list with this sort, other than by id. */
export function cursorForm(sort: string): CursorForm {
	if (sort === "start_time") return { kind: "DATETIME" };
	return { kind: sort === "end_time" ? "DATETIME" : "FLOAT", sort };
}

/** The schema of a page of `item`: `{ "data": […], "next_cursor": … }`. */
export function pageSchema<T extends z.ZodType>(item: T) {
	return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** `base64("<row number>:<kind>:<value>")`, with ` <hash of the sort>` after the value if the form has one */
export function encodeKeyset(form: CursorForm, { id, value }: Keyset): string {
	return encode(form, id, form.kind === "DATETIME" ? formatTime(value) : String(value));
}

/** As {@link encodeKeyset} for a list by texts. */
export function encodeTextKeyset(sort: string, { id, value }: TextKeyset): string {
	return encode({ kind: "STRING", sort }, id, Buffer.from(value).toString("base64url"));
}

function encode({ kind, sort }: CursorForm, id: number, value: string): string {
	const ofSort = sort === undefined ? "" : ` ${hashOf(sort)}`;
	return Buffer.from(`${id}:${kind}:${value}${ofSort}`, "latin1").toString("base64");
}

/** A sort may be longer than a cursor: it may have the name of annotations. */
function hashOf(sort: string): string {
	return createHash("sha256").update(sort).digest("base64url").slice(0, 8);
}

/** The cursor of the page after this one; null when it is the last. */
export function nextKeyset(form: CursorForm, page: Page<unknown>): string | null {
	return page.next === undefined ? null : encodeKeyset(form, page.next);
}

/** As {@link nextKeyset} for a list by id: the global id of the first item of the next page. */
export function nextId(type: IdType, page: Page<unknown>): string | null {
	return page.next === undefined ? null : encodeGlobalId(type, page.next.id);
}

const KEYSET = /^(\d{1,15}):(DATETIME|FLOAT|STRING):(\S{0,512})(?: ([\w-]{8}))?$/;

/**
 * The position a keyset cursor names.
 * @throws UserError 422 when it is forged or from a list with another sort
 */
export function decodeKeyset(form: CursorForm, cursor: string | undefined): Keyset | undefined {
	const position = decode(form, cursor);
	if (position === undefined) return undefined;
	const { id, text } = position;
	const value = form.kind === "DATETIME" ? parseTime(text)?.micros : Number(text);
	if (value === undefined || text === "" || !Number.isFinite(value)) throw invalidCursor();
	return { id, value };
}

/** As {@link decodeKeyset} for a list by texts. */
export function decodeTextKeyset(sort: string, cursor: string | undefined): TextKeyset | undefined {
	const position = decode({ kind: "STRING", sort }, cursor);
	return position && { id: position.id, value: Buffer.from(position.text, "base64url").toString() };
}

function decode({ kind, sort }: CursorForm, cursor: string | undefined): { id: number; text: string } | undefined {
	if (cursor === undefined || cursor === "") return undefined;
	const match = KEYSET.exec(decodeBase64(cursor) ?? "");
	if (match === null) throw invalidCursor();
	const [, id, cursorKind, text = "", ofSort] = match;
	if (cursorKind !== kind || ofSort !== (sort === undefined ? undefined : hashOf(sort)))
		throw invalidCursor(": it is from a list with another sort");
	return { id: Number(id), text };
}

function invalidCursor(reason = ""): UserError {
	return new UserError(422, "invalid_cursor", `Invalid cursor${reason}`);
}

/**
 * The row number a cursor of a list by id names.
 * @throws UserError 422 when it is no id of this type
 */
export function decodeIdCursor(type: IdType, cursor: string | undefined): number | undefined {
	if (cursor === undefined || cursor === "") return undefined;
	const rowId = decodeGlobalId(cursor, type);
	if (rowId !== undefined) return rowId;
	throw invalidCursor(type === "Span" ? "" : ` format: ${cursor.slice(0, 100)}`);
}

/** Cuts an over-fetched list (limit + 1 rows) to the page; the cursor names the first item of the next one. */
export function pageById<T extends { readonly id: number }>(
	type: IdType,
	rows: readonly T[],
	limit: number,
): { items: readonly T[]; next_cursor: string | null } {
	const next = rows[limit];
	return { items: rows.slice(0, limit), next_cursor: next === undefined ? null : encodeGlobalId(type, next.id) };
}

/**
 * A page of a list by id, as it is answered.
 * @param list reads at most `limit` rows, from the row number `fromId` on
 * @throws UserError 422 when the cursor is no id of this type
 */
export async function pageOf<Row extends { readonly id: number }, Item>(
	type: IdType,
	{ cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
	list: (part: { readonly fromId: number | undefined; readonly limit: number }) => Promise<readonly Row[]>,
	toItem: (row: Row) => Item,
): Promise<{ data: Item[]; next_cursor: string | null }> {
	const rows = await list({ fromId: decodeIdCursor(type, cursor), limit: limit + 1 });
	const { items, next_cursor } = pageById(type, rows, limit);
	return { data: items.map((row) => toItem(row)), next_cursor };
}
