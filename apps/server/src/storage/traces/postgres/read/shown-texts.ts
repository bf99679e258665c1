import { storableText } from "#storage/postgres/storable-text.ts";
import {
	type ShownTexts,
	ShownTextsCache,
	shownTextsOf,
	spansWithTexts,
	type TextSpans,
	type TextsBySpan,
} from "#storage/traces/content/shown-texts.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import { type Queryable, query } from "./query.ts";
import { type LocatedSpan, SpanContents } from "./span-contents.ts";

/** Reads the texts that rows of a list show, from the content of their spans. */
export class ShownTextsReader {
	readonly #cache = new ShownTextsCache();

	/**
	 * @param client in the transaction that reads the rows
	 * @param rows none of whose spans starts earlier than the row
	 */
	async read(
		client: Queryable,
		rows: readonly (TextSpans & { readonly start_micros: number })[],
	): Promise<TextsBySpan> {
		const found = new Map<number, ShownTexts>();
		const wanted = spansWithTexts(rows);
		if (wanted.length === 0) return found;
		const spans = await query<LocatedSpan & { readonly may_change: boolean }>(
			client,
			`select id, project_id, block_id, ordinal, start_micros, trace_id, span_id, (${runningSql("spans")} or exists (
					select 1 from log_records where log_records.trace_id = spans.trace_id and log_records.span_id = spans.span_id
						and log_records.project_id = spans.project_id
				)) as may_change
			from spans where id = any(?::bigint[]) and start_micros >= ? order by block_id, ordinal`,
			[wanted, rows.reduce((first, row) => Math.min(first, row.start_micros), Number.MAX_SAFE_INTEGER)],
		);
		const missing = spans.filter(({ id, may_change }) => {
			const known = may_change ? undefined : this.#cache.get(id);
			if (known !== undefined) found.set(id, known);
			return known === undefined;
		});
		for await (const { row, content } of new SpanContents(client, { onlyFirst: true }).read(missing)) {
			const texts = storable(shownTextsOf(content));
			found.set(row.id, texts);
			if (!row.may_change) this.#cache.set(row.id, texts);
		}
		return found;
	}
}

function storable({ input, output }: ShownTexts): ShownTexts {
	return {
		input: input === null ? null : storableText(input),
		output: output === null ? null : storableText(output),
	};
}
