import { decodeResource, decodeSpan, OtlpDecodeError } from "@spanward/otlp";
import type { Shard, ShardReader } from "#storage/clickhouse/shard.ts";
import { shownText } from "#storage/traces/content/shown-texts.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import { readContents, readTogether } from "../read/contents.ts";
import { isOlder } from "../readings/older.ts";
import type { SpanRow } from "../tables.ts";
import { textBits, UNKNOWN_TEXTS } from "../texts.ts";
import { LogsBySpan, traceOfLog } from "../write/logs-by-span.ts";
import { readLogs } from "../write/stored-traces.ts";

/** The content of a span, as far as the row of its trace depends on it. */
export interface ReadContent {
	/** The texts as lists show them; null for none, and where they cannot be read. */
	readonly input: string | null;
	readonly output: string | null;
	readonly wrong: readonly Defect[];
}

interface Defect {
	readonly says: string;
	/** It is in the content itself, not in what the row of the span says of it. */
	readonly isLost: boolean;
}

const NO_TEXTS = { input: null, output: null };

/** Decodes the contents of spans, with their log records, a bounded number at a time. @returns by row number */
export async function checkContents(
	{ shard, shards }: { readonly shard: Shard; readonly shards: ShardReader },
	spans: readonly SpanRow[],
): Promise<ReadonlyMap<number, ReadContent>> {
	const read = new Map<number, ReadContent>();
	for (const part of readTogether(spans)) {
		const traceIds = [...new Set(part.map(({ trace_id }) => trace_id.toString("hex")))];
		const [contents, logRows] = await Promise.all([readContents(shard, part), readLogs(shards, traceIds)]);
		const logs = new LogsBySpan(logRows);
		for (const row of part) {
			const own = logs.find(traceOfLog(row), row.span_id.toString("hex"));
			read.set(row.id, checkContent(row, contents.get(row.id), own));
		}
	}
	return read;
}

/** A span without content is reported elsewhere. */
function checkContent(row: SpanRow, content: SpanContent | undefined, logs: readonly Uint8Array[]): ReadContent {
	const hasLogs = logs.length > 0;
	const wrong: Defect[] = [];
	const lose = (says: string) => wrong.push({ says, isLost: true });
	if (hasLogs !== (row.has_logs === 1))
		wrong.push({ says: `span row ${row.id} says wrongly whether it has log records`, isLost: false });
	if (content === undefined) return { ...NO_TEXTS, wrong };
	const bytes = content.span.length + content.scope.length + content.resource.length;
	if (bytes !== row.content_bytes)
		lose(`the content of span row ${row.id} has ${bytes} bytes, not the ${row.content_bytes} of its row`);
	const read = decode({ ...content, logs });
	if (read === undefined) {
		lose(`the content of span row ${row.id} cannot be read`);
		return { ...NO_TEXTS, wrong };
	}
	const { spanId, ...texts } = read;
	if (spanId !== row.span_id.toString("hex")) lose(`the content of span row ${row.id} is that of another span`);
	if (!isOlder(row) && row.texts !== UNKNOWN_TEXTS && row.texts !== textBits(texts))
		wrong.push({ says: `span row ${row.id} says wrongly whether it has an input and an output`, isLost: false });
	return { input: shownText(texts.input), output: shownText(texts.output), wrong };
}

/** Undefined when a part of it is not what it should be. */
function decode(content: SpanContent) {
	try {
		decodeResource(content.resource);
		return { spanId: decodeSpan(content.span).spanId, ...readStoredTexts(content) };
	} catch (error) {
		if (error instanceof OtlpDecodeError) return undefined;
		throw error;
	}
}
