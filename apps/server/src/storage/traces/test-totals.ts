import { NOTHING, shownSpend } from "./conformance/read-spend.ts";
import type { NormalizedSpan } from "./span-batch.ts";
import { summedCostOf } from "./totals/cost-pico.ts";
import { QUARTER_MICROS } from "./totals/spend-changes.ts";
import type { Cumulative, MetricsPoint, MetricsQuery } from "./trace-store.ts";

/**
 * What a store has to show, computed slowly from the spans by the definitions, independently of the stores. `spans` are
 * the stored ones: each identity once.
 */

export interface ExpectedTrace {
	readonly project: string;
	readonly traceId: string;
	readonly sessionId: string | null;
	readonly userId: string | null;
	readonly release: string | null;
	readonly environment: string | null;
	readonly start: NormalizedSpan["start"];
	readonly end: NormalizedSpan["end"];
	readonly spanCount: number;
	readonly runningCount: number;
	readonly errorCount: number;
	readonly tokens: { readonly prompt: number; readonly completion: number; readonly total: number };
	readonly totalCost: number | null;
	readonly rootName: string;
	readonly rootSpanId: string;
	readonly rootStatusCode: number;
	readonly rootKind: string;
	readonly firstInput: string | null;
	readonly lastOutput: string | null;
}

export interface ExpectedSession
	extends Omit<ExpectedTrace, `root${string}` | "traceId" | "sessionId" | "release" | "environment"> {
	readonly sessionId: string;
	readonly traceCount: number;
}

export function identityOf(span: NormalizedSpan): string {
	return `${span.projectName} ${span.traceId} ${span.spanId} ${span.start.micros} ${span.start.nanos}`;
}

/** Of each identity the first span with an end, else the first one. */
export function distinct(spans: readonly NormalizedSpan[]): NormalizedSpan[] {
	const seen = new Map<string, NormalizedSpan>();
	for (const span of spans) {
		const known = seen.get(identityOf(span));
		if (known === undefined || (known.isRunning && !span.isRunning)) seen.set(identityOf(span), span);
	}
	return [...seen.values()];
}

export function expectedTraces(spans: readonly NormalizedSpan[]): ExpectedTrace[] {
	return tracesOf(spans).map(({ trace }) => trace);
}

export interface EvaluatedTrace {
	readonly trace: ExpectedTrace;
	readonly root: NormalizedSpan;
	readonly counted: readonly NormalizedSpan[];
}

/** Traces with their root span and the spans whose tokens and cost count. */
export function tracesOf(spans: readonly NormalizedSpan[]): EvaluatedTrace[] {
	return [...Map.groupBy(spans, (span) => `${span.projectName} ${span.traceId}`).values()].map(evaluate);
}

function evaluate(spans: readonly NormalizedSpan[]): EvaluatedTrace {
	const byStart = [...spans].sort(compareStart);
	const byEnd = [...spans].sort((a, b) => compareInstant(a.end, b.end) || compareStart(a, b));
	const root = byStart.find((span) => span.parentSpanId === null) ?? byStart[0];
	const last = byEnd.at(-1);
	if (root === undefined || byStart[0] === undefined || last === undefined) throw new Error("a trace has spans");
	const counted = countedOf(spans);
	const llms = (list: readonly NormalizedSpan[]) => list.filter((span) => span.facts.kind === "LLM");
	const firstInput = [root, ...llms(byStart)].map((span) => span.texts([]).input).find(Boolean);
	const lastOutput = [root, ...llms(byEnd).reverse()].map((span) => span.texts([]).output).find(Boolean);
	const ofRootOrEarliest = (name: "user_id" | "release" | "environment") =>
		[root, ...byStart].map(({ facts }) => facts[name]).find((value) => value !== undefined) ?? null;
	const trace = {
		project: root.projectName,
		traceId: root.traceId,
		sessionId: byStart.find((span) => span.facts.session_id !== undefined)?.facts.session_id ?? null,
		userId: ofRootOrEarliest("user_id"),
		release: ofRootOrEarliest("release"),
		environment: ofRootOrEarliest("environment"),
		start: byStart[0].start,
		end: last.end,
		spanCount: spans.length,
		runningCount: spans.filter((span) => span.isRunning).length,
		errorCount: spans.filter((span) => span.statusCode === 2).length,
		...sums(counted),
		rootName: root.name,
		rootSpanId: root.spanId,
		rootStatusCode: root.statusCode,
		rootKind: root.facts.kind,
		firstInput: firstInput ?? null,
		lastOutput: lastOutput ?? null,
	};
	return { trace, root, counted };
}

/** Spans without a descendant that has usage; aggregates by convention neither count nor are usage. */
function countedOf(spans: readonly NormalizedSpan[]): NormalizedSpan[] {
	return spans.filter(
		(span) => !span.facts.tokens_are_aggregate && !descendantsOf(span, spans).some((other) => hasUsage(other)),
	);
}

function hasUsage({ facts: { tokens, tokens_are_aggregate } }: NormalizedSpan): boolean {
	return !tokens_are_aggregate && ((tokens.prompt ?? 0) > 0 || (tokens.completion ?? 0) > 0 || (tokens.total ?? 0) > 0);
}

function descendantsOf(span: NormalizedSpan, spans: readonly NormalizedSpan[]): NormalizedSpan[] {
	const found = new Set<NormalizedSpan>();
	const open = [span.spanId];
	for (let id = open.pop(); id !== undefined; id = open.pop())
		for (const child of spans) {
			if (child.parentSpanId !== id || child.spanId === child.parentSpanId || found.has(child)) continue;
			found.add(child);
			open.push(child.spanId);
		}
	return [...found];
}

function sums(spans: readonly NormalizedSpan[]) {
	const prompt = sum(spans, ({ facts }) => facts.tokens.prompt ?? 0);
	const completion = sum(spans, ({ facts }) => facts.tokens.completion ?? 0);
	const total = sum(spans, ({ facts: { tokens } }) => tokens.total ?? (tokens.prompt ?? 0) + (tokens.completion ?? 0));
	const costed = spans.filter((span) => span.cost !== null);
	const pico = costed.reduce((all, { cost }) => all + toPico(cost?.total ?? 0), 0n);
	return { tokens: { prompt, completion, total }, totalCost: costed.length === 0 ? null : toDollars(pico) };
}

function toDollars(pico: bigint): number {
	const [dollars, rest] = [pico / 10n ** 12n, pico % 10n ** 12n];
	return rest < 0n ? Number(pico) / 1e12 : Number(`${dollars}.${String(rest).padStart(12, "0")}`);
}

/**
 * In picodollars, so that the order of adding does not matter; large amounts are rounded to a millionth of a dollar.
 */
function toPico(dollars: number): bigint {
	const pico = Math.round(dollars * 1e12);
	return Number.isSafeInteger(pico) ? BigInt(pico) : BigInt(Math.round(dollars * 1e6)) * 1_000_000n;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
	return items.reduce((total, item) => total + of(item), 0);
}

export function expectedSessions(spans: readonly NormalizedSpan[]): ExpectedSession[] {
	const inSessions = tracesOf(spans).filter(({ trace }) => trace.sessionId !== null);
	const groups = Map.groupBy(inSessions, ({ trace }) => `${trace.project} ${trace.sessionId}`);
	return [...groups.values()].map((members) => {
		const traces = members
			.map(({ trace }) => trace)
			.sort((a, b) => compareInstant(a.start, b.start) || compareText(a.traceId, b.traceId));
		const [first] = traces;
		const last = traces.at(-1);
		const ends = traces.map((trace) => trace.end).sort(compareInstant);
		const end = ends.at(-1);
		if (first === undefined || last === undefined || end === undefined) throw new Error("a session has traces");
		return {
			project: first.project,
			sessionId: first.sessionId ?? "",
			userId: first.userId,
			start: first.start,
			end,
			traceCount: traces.length,
			spanCount: sum(traces, (trace) => trace.spanCount),
			runningCount: sum(traces, (trace) => trace.runningCount),
			errorCount: sum(traces, (trace) => trace.errorCount),
			...sums(members.flatMap(({ counted }) => counted)),
			firstInput: first.firstInput,
			lastOutput: last.lastOutput,
		};
	});
}

const WIDTHS = { minute: 60e6, hour: 3_600e6, day: 86_400e6 } as const;

/** With exact latencies. */
export function expectedMetrics(
	spans: readonly NormalizedSpan[],
	{ startMicros, endMicros, bucket, groupBy }: Omit<MetricsQuery, "projectId">,
): MetricsPoint[] {
	const width = WIDTHS[bucket];
	const from = Math.floor(startMicros / width) * width;
	const to = Math.ceil(endMicros / width) * width;
	const groupOf = ({ name, facts }: NormalizedSpan) =>
		groupBy === "name" ? name : groupBy === "kind" ? facts.kind : groupBy === "model" ? (facts.model ?? null) : null;
	const keyOf = (micros: number, group: string | null) => JSON.stringify([Math.floor(micros / width) * width, group]);
	const traces = tracesOf(spans);
	const counted = new Set(traces.flatMap((trace) => trace.counted));
	const spansByKey = Map.groupBy(spans, (span) => keyOf(span.start.micros, groupOf(span)));
	const tracesByKey = Map.groupBy(traces, ({ trace, root }) => keyOf(trace.start.micros, groupOf(root)));
	return [...new Set([...spansByKey.keys(), ...tracesByKey.keys()])].flatMap((key) => {
		const [bucketStart, group] = JSON.parse(key) as [number, string | null];
		if (bucketStart < from || bucketStart >= to) return [];
		const members = spansByKey.get(key) ?? [];
		const { tokens, totalCost } = sums(members.filter((span) => counted.has(span)));
		const ended = members.filter((span) => !span.isRunning);
		const latencies = ended.map((span) => Math.max(0, span.end.micros - span.start.micros)).sort((a, b) => a - b);
		const at = (share: number) => (latencies[Math.max(0, Math.ceil(share * latencies.length) - 1)] ?? 0) / 1_000;
		return [
			{
				startMicros: bucketStart,
				group,
				traceCount: tracesByKey.get(key)?.length ?? 0,
				spanCount: members.length,
				runningCount: members.length - ended.length,
				errorCount: members.filter((span) => span.statusCode === 2).length,
				latencyMs: latencies.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
				tokens,
				cost: totalCost ?? 0,
			},
		];
	});
}

/** Totals of each span including its descendants, by identity. */
export function expectedCumulative(spans: readonly NormalizedSpan[]): Map<string, Cumulative> {
	const result = new Map<string, Cumulative>();
	for (const trace of Map.groupBy(spans, (span) => `${span.projectName} ${span.traceId}`).values()) {
		const counted = new Set(countedOf(trace));
		for (const span of trace) {
			const subtree = [...new Set([span, ...descendantsOf(span, trace)])];
			const { tokens, totalCost } = sums(subtree.filter((member) => counted.has(member)));
			const errorCount = subtree.filter((member) => member.statusCode === 2).length;
			result.set(identityOf(span), { errorCount, tokens, cost: totalCost ?? 0 });
		}
	}
	return result;
}

function compareStart(a: NormalizedSpan, b: NormalizedSpan): number {
	return compareInstant(a.start, b.start) || compareText(a.spanId, b.spanId);
}

function compareInstant(a: NormalizedSpan["start"], b: NormalizedSpan["start"]): number {
	return a.micros - b.micros || a.nanos - b.nanos;
}

function compareText(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** What these spans spend by quarter of an hour, user and key, as `readSpend` shows it. */
export function expectedSpend(spans: readonly NormalizedSpan[]): Record<string, string> {
	const groups = new Map<string, NormalizedSpan[]>();
	for (const { trace, counted } of tracesOf(spans))
		for (const span of counted) {
			const quarter = Math.floor(span.start.micros / QUARTER_MICROS);
			const group = JSON.stringify([quarter, span.facts.user_id ?? trace.userId, span.apiKeyId ?? 0]);
			groups.set(group, [...(groups.get(group) ?? []), span]);
		}
	const spent = [...groups].map(([group, own]) => {
		const cost = summedCostOf(own.map((span) => span.cost?.total ?? 0));
		return [group, shownSpend(sums(own).tokens.total, cost)] as const;
	});
	return Object.fromEntries(spent.filter(([, shown]) => shown !== NOTHING));
}
