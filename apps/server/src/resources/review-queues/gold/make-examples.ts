import type { Keyset, Page, StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import type { QueueRow } from "../queues.ts";
import { exampleKind } from "../targets.ts";
import { type GoldExample, toGoldExample } from "./gold-examples.ts";
import type { FoundGold } from "./gold-items.ts";
import type { LeftOut } from "./gold-runs.ts";
import { findSourceSpans } from "./source-spans.ts";

/** Spans, and bytes of them, that are read at a time. */
const PAGE = 50;
const PAGE_BYTES = 4 * 1_024 * 1_024;
/** Characters of examples after which a step ends. */
const STEP_CHARACTERS = 8 * 1_024 * 1_024;

interface MadeExamples {
	/** How many of the items, from the first, were looked at: fewer than all where their examples are large. */
	readonly taken: number;
	readonly examples: readonly GoldExample[];
	readonly leftOut: readonly LeftOut[];
}

const GONE = "What was reviewed is gone, or has no span.";

/** Examples of items, and why others have none. Two items with the same span make one example. */
export async function makeExamples(
	traces: TraceReader,
	queue: QueueRow,
	found: readonly FoundGold[],
	outputConfigId: number | undefined,
): Promise<MadeExamples> {
	const kind = exampleKind(queue);
	const entities = await traces.findEntities(
		kind,
		found.map(({ item }) => item.target_row_id),
	);
	const sources = await findSourceSpans(traces, kind, entities);
	const projects = new Map(entities.map(({ rowId, projectId }) => [rowId, projectId]));
	const examples = new Map<number, GoldExample>();
	const leftOut: LeftOut[] = [];
	let taken = 0;
	let characters = 0;
	for (let start = 0; start < found.length && characters < STEP_CHARACTERS; start += PAGE) {
		const part = found.slice(start, start + PAGE);
		const spans = await readSpans(
			traces,
			part.flatMap(({ item: { target_row_id } }) => {
				const [projectId, rowId] = [projects.get(target_row_id), sources.get(target_row_id)];
				return projectId === undefined || rowId === undefined ? [] : { projectId, rowId };
			}),
		);
		for (const { item, gold } of part) {
			const span = spans.get(sources.get(item.target_row_id) ?? 0);
			const about = { queueId: queue.id, itemId: item.id, gold, outputConfigId };
			const made = span === undefined ? GONE : toGoldExample(span, about);
			if (typeof made === "string") leftOut.push({ itemId: item.id, reason: made });
			else {
				examples.set(made.span.rowId, made);
				const { input, output, metadata } = made.content;
				characters += input.length + output.length + metadata.length;
			}
		}
		taken += part.length;
	}
	return { taken, examples: [...examples.values()], leftOut };
}

/** @param wanted row numbers, with the project @returns by row number */
async function readSpans(
	traces: TraceReader,
	wanted: readonly { readonly projectId: number; readonly rowId: number }[],
): Promise<ReadonlyMap<number, StoredSpan>> {
	const found = new Map<number, StoredSpan>();
	for (const [projectId, spans] of Map.groupBy(wanted, (span) => span.projectId)) {
		const rowIds = spans.map(({ rowId }) => rowId);
		let from: Keyset | undefined;
		do {
			const page: Page<StoredSpan> = await traces.listStoredSpans({
				...{ projectId, rowIds, sort: "id", order: "asc", limit: PAGE, maxContentBytes: PAGE_BYTES },
				...(from === undefined ? {} : { from }),
			});
			for (const span of page.items) found.set(span.summary.id, span);
			from = page.next;
		} while (from !== undefined);
	}
	return found;
}
