import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { decodeBase64 } from "#http/global-ids.ts";
import type { GroupPosition, Range } from "#storage/traces/analytics/analytics-query.ts";

/**
 * Where a page ends, and what the first page was about: its range, and the highest number of a trace then. Later pages
 * are about the same traces, so that users keep their order while spans arrive.
 */
export interface EndUsersCursor extends Range {
	readonly lastRow: number;
	readonly after: GroupPosition;
}

const whole = z.int();
const CursorText = z.tuple([z.string(), whole, whole, whole.gte(0), z.number().nullable(), z.string().max(16)]);

/** @param order the sort, the order and all else that pages of one list share */
export function encodeCursor(order: string, { startMicros, endMicros, lastRow, after }: EndUsersCursor): string {
	const text = JSON.stringify([order, startMicros, endMicros, lastRow, after.value, after.hash]);
	return Buffer.from(text).toString("base64");
}

/** @throws UserError 422 when it is forged or from a list with another sort */
export function decodeCursor(order: string, cursor: string | undefined): EndUsersCursor | undefined {
	if (cursor === undefined || cursor === "") return undefined;
	const { data } = CursorText.safeParse(parsed(decodeBase64(cursor)));
	if (data === undefined) throw new UserError(422, "invalid_cursor", "Invalid cursor");
	const [ofOrder, startMicros, endMicros, lastRow, value, hash] = data;
	if (ofOrder !== order || startMicros >= endMicros)
		throw new UserError(422, "invalid_cursor", "Invalid cursor: it is from a list with another sort");
	return { startMicros, endMicros, lastRow, after: { value, hash } };
}

function parsed(text: string | undefined): unknown {
	try {
		return JSON.parse(text ?? "");
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
