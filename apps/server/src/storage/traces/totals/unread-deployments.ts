import { OtlpDecodeError } from "@spanward/otlp";
import type { BlockSpan } from "../content/block.ts";
import { readStoredDeployment } from "../span-meaning.ts";
import { addDeployment } from "./rollup.ts";
import type { SpanNode } from "./span-node.ts";
import type { TraceRow } from "./trace-row.ts";
import { deploymentColumns } from "./trace-row-columns.ts";

/** Spans that are read in one step, in about 20 ms. */
export const STEP_SPANS = 512;

/** Row numbers of spans, both ends included, whose release and environment have not been read from their content. */
export interface UnreadRange {
	readonly first_span: number;
	readonly last_span: number;
}

/** A span of an unread range, and where its content is. */
export interface UnreadSpan {
	readonly id: number;
	readonly trace_row_id: number;
	readonly start_micros: number;
	readonly block_id: number;
	readonly ordinal: number;
}

/** What an unread span turned out to say. */
export interface ReadSpan extends UnreadSpan {
	readonly release: string | null;
	readonly environment: string | null;
}

/** Those of the spans that say something of what has sent them. @param spansOf the spans of a block */
export function readUnread(
	spans: readonly UnreadSpan[],
	spansOf: (blockId: number) => readonly BlockSpan[],
): ReadSpan[] {
	return spans.flatMap((span) => {
		const content = spansOf(span.block_id)[span.ordinal];
		const { release = null, environment = null } = content === undefined ? {} : deploymentIn(content);
		return release === null && environment === null ? [] : [{ ...span, release, environment }];
	});
}

function deploymentIn({ bytes, resource }: BlockSpan): ReturnType<typeof readStoredDeployment> {
	try {
		return readStoredDeployment({ span: bytes, resource: resource.bytes });
	} catch (error) {
		// Nothing can be read of a span that is damaged.
		if (error instanceof OtlpDecodeError) return {};
		throw error;
	}
}

/** The columns of a trace after these spans of it have been read. @param nodeById the spans to which the row refers */
export function traceAfter(row: TraceRow, read: readonly SpanNode[], nodeById: (id: number) => SpanNode) {
	const known = (id: number | null) => (id === null ? undefined : nodeById(id));
	const rollup = {
		root: nodeById(row.root_span),
		release: known(row.release_span),
		environment: known(row.environment_span),
	};
	for (const node of read) addDeployment(rollup, node);
	return deploymentColumns(rollup);
}

/** What is left of a range after a step that has seen these spans, the highest numbers first. */
export function restOf({ first_span }: UnreadRange, seen: readonly UnreadSpan[]): UnreadRange | undefined {
	const lowest = seen.length < STEP_SPANS ? first_span : (seen.at(-1)?.id ?? first_span);
	return lowest <= first_span ? undefined : { first_span, last_span: lowest - 1 };
}
