import { storableText } from "#storage/postgres/storable-text.ts";
import {
	type ShownTexts,
	shownTextsOf,
	spansWithTexts,
	type TextSpans,
	type TextsBySpan,
} from "#storage/traces/content/shown-texts.ts";
import { type Queryable, query } from "./query.ts";
import { type LocatedSpan, SpanContents } from "./span-contents.ts";

/** @param rows none of whose spans starts earlier than the row */
export async function readShownTexts(
	client: Queryable,
	rows: readonly (TextSpans & { readonly start_micros: number })[],
): Promise<TextsBySpan> {
	const texts = new Map<number, ShownTexts>();
	const wanted = spansWithTexts(rows);
	if (wanted.length === 0) return texts;
	const spans = await query<LocatedSpan>(
		client,
		`select id, block_id, ordinal, start_micros, trace_id, span_id from spans
		where id = any(?::bigint[]) and start_micros >= ? order by block_id, ordinal`,
		[wanted, rows.reduce((first, row) => Math.min(first, row.start_micros), Number.MAX_SAFE_INTEGER)],
	);
	for await (const { row, content } of new SpanContents(client).read(spans)) {
		const { input, output } = shownTextsOf(content);
		texts.set(row.id, { input: storable(input), output: storable(output) });
	}
	return texts;
}

function storable(text: string | null): string | null {
	return text === null ? null : storableText(text);
}
