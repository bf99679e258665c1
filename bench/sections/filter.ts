import { at, type Json, list } from "../../e2e/fixture-comparison.ts";
import { startServer } from "../../e2e/server.ts";
import { settledFolderSize } from "../disk.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { measureLatency } from "../latency.ts";
import { PROJECT, sendLoad, warmUp } from "../load-generator.ts";

const SPANS = 1_000_000;
const ANNOTATIONS = 100_000;
const REQUESTS = 50;
/** What the service takes for one request at most. */
const BATCH = 1_000;

/** How long filters take with a million spans and a hundred thousand annotations. */
export async function measureFilters(): Promise<Figure[]> {
	await using server = await startServer();
	await warmUp("-url", server.url);
	await sendLoad("-url", server.url, "-spans", String(SPANS), "-pool", "400", "-conc", "4");
	await annotateNewest(server.url, ANNOTATIONS);
	// The text index is filled behind the receiving.
	await settledFolderSize(server.workingDir);
	return await measureFiltersAt(server.url);
}

/** Scores of 0 to 1 on the newest spans, every hundredth of another name. */
export async function annotateNewest(url: string, count: number): Promise<void> {
	let cursor = "";
	for (let done = 0; done < count; done += BATCH) {
		const page = await getJson(`${url}/v1/projects/${PROJECT}/spans?limit=${BATCH}${cursor && `&cursor=${cursor}`}`);
		const data = list(at(page, "data")).map((span, index) => ({
			span_id: at(at(span, "context"), "span_id"),
			name: index % 100 === 0 ? "rare" : "quality",
			annotator_kind: "CODE",
			result: { score: (index % 101) / 100, label: index % 3 === 0 ? "good" : "bad" },
		}));
		const response = await fetch(`${url}/v1/span_annotations?sync=true`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ data }),
		});
		if (!response.ok) throw new Error(`annotating answered ${response.status}: ${await response.text()}`);
		cursor = encodeURIComponent(String(at(page, "next_cursor")));
	}
}

/** @param url of a service that holds spans of the load generator */
export async function measureFiltersAt(url: string): Promise<Figure[]> {
	const [newest] = list(at(await getJson(`${url}/v1/projects/${PROJECT}/traces?limit=1`), "data"));
	const filters: readonly (readonly [string, "spans" | "traces" | "sessions", string, number])[] = [
		["promoted fields, one span in five", "spans", "span_kind == 'LLM' and latency_ms > 10", 30],
		["promoted fields, one span in sixty", "spans", "status_code == 'ERROR' and 'timed out' in status_message", 20],
		["an attribute with a common value", "spans", "llm.model_name == 'gpt-4o'", 400],
		["an attribute with one value in 300", "spans", "metadata['tenant'] == 't-042'", 400],
		["an attribute with one value in 2,000", "spans", "attributes['user.id'] == 'user-0042'", 50],
		["a number in an attribute", "spans", "llm.token_count.prompt > 800", 100],
		["a text in an attribute", "spans", "'customer' in output.value and span_kind == 'TOOL'", 400],
		["free text", "spans", "rate limit reached", 50],
		["a common annotation", "spans", "annotations['quality'].score < 0.05", 400],
		["a rare annotation", "spans", "annotations['rare'].label == 'good'", 400],
		["a span of the trace", "traces", "any(x.span_kind == 'TOOL' and x.status_code == 'ERROR' for x in spans)", 400],
		["an annotation of a span of the trace", "traces", "any(x.annotations['rare'].score > 0.5 for x in spans)", 400],
		["totals of a session", "sessions", "token_count_total > 1000 and num_traces_with_error > 0", 400],
		["one trace by its id", "spans", `trace_id == '${String(at(newest ?? null, "trace_id"))}'`, 30],
	];
	const figures: Figure[] = [];
	for (const [name, items, filter, atMostMs] of filters) {
		figures.push(await measureFilter({ url, name, items, filters: [filter], atMostMs, requests: REQUESTS }));
	}
	return figures;
}

export interface FilterToMeasure {
	/** Of a service that holds spans of the load generator. */
	readonly url: string;
	/** What it is an example of. */
	readonly name: string;
	readonly items: "spans" | "traces" | "sessions";
	/** Asked in turn. */
	readonly filters: readonly [string, ...string[]];
	readonly atMostMs: number;
	readonly requests: number;
}

/** The median of the first page of 100 of a filter, or of several of the same kind. */
export async function measureFilter({
	url,
	name,
	items,
	filters,
	atMostMs,
	requests,
}: FilterToMeasure): Promise<Figure> {
	const addressOf = (filter: string) =>
		`${url}/v1/projects/${PROJECT}/${items}?limit=100&filter=${encodeURIComponent(filter)}`;
	const times = await measureLatency(filters.map(addressOf), requests);
	const found = list(at(await getJson(addressOf(filters[0])), "data")).length;
	return {
		name: `filter ${items}: ${name}`,
		value: quantile(times, 0.5),
		unit: "ms",
		target: { atMost: atMostMs },
		detail: `\`${filters[0]}\`: ${found} found; p50 of ${requests}; p99 ${formatNumber(quantile(times, 0.99))} ms`,
	};
}

async function getJson(url: string): Promise<Json> {
	const response = await fetch(url);
	if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as Json;
}
