import { mayHaveFailed } from "@spanward/error-groups";
import type { Rejection, ScannedLogs, ScannedResource, ScannedScope, ScannedSpan, ScannedTraces } from "@spanward/otlp";
import { readFacts } from "@spanward/semconv";
import { hasImplausibleCost, MAX_SPAN_COST } from "#pricing/max-cost.ts";
import type { SpanPrices } from "#pricing/price-of.ts";
import type { NormalizedLogRecord, NormalizedSpan } from "#storage/traces/span-batch.ts";
import { textsOf } from "#storage/traces/span-meaning.ts";
import { ProjectNameTooLong, readProjectName } from "./project-name.ts";

/** Where a request's items get their project from, besides their resource. */
export interface Naming {
	/** Of the whole request (`x-project-name`). */
	readonly requested: string | undefined;
	/** For items that name none. */
	readonly fallback: string;
}

export interface NormalizeOptions {
	readonly prices: SpanPrices;
	/** Nobody looks for failures. */
	readonly ignoresFailures: boolean;
	/** That the spans came with. */
	readonly apiKeyId?: number | undefined;
}

interface Normalized<T> {
	readonly items: T[];
	/**
	 * Items left out because their project's name is unusable; those with a count of 0 only tell the sender something.
	 */
	readonly rejected: Rejection[];
}

/** Gives spans their meaning as far as rows need it: project, kind, model, tokens, cost, session, user, deployment. */
export function normalizeSpans(
	scanned: ScannedTraces,
	naming: Naming,
	meaning: NormalizeOptions,
): Normalized<NormalizedSpan> {
	const projects = new ProjectNames(scanned.resources, naming);
	const items: NormalizedSpan[] = [];
	for (const span of scanned.spans) {
		const scope = scanned.scopes[span.scope];
		const resource = scope && scanned.resources[scope.resource];
		if (scope === undefined || resource === undefined) throw new Error("a scanned span has no scope or resource");
		const projectName = projects.of(scope.resource);
		if (projectName !== undefined) items.push(toNormalizedSpan(span, scope, resource, projectName, meaning));
	}
	return { items, rejected: [...projects.rejected(), ...implausibleCosts(items)] };
}

/** Their spans are stored, but the sender would not find out otherwise that the costs do not count. */
function implausibleCosts(spans: readonly NormalizedSpan[]): Rejection[] {
	const found = spans.filter(({ facts }) => hasImplausibleCost(facts));
	const [first] = found;
	if (first === undefined) return [];
	const which = found.length === 1 ? `span ${first.spanId}` : `${found.length} spans, the first is ${first.spanId}`;
	const message = `A cost of more than ${MAX_SPAN_COST.toLocaleString("en")} US dollars was sent (${which}): it does not count; everything else was stored.`;
	return [{ reason: "implausible_cost", count: 0, message }];
}

export function normalizeLogs(scanned: ScannedLogs, naming: Naming): Normalized<NormalizedLogRecord> {
	const projects = new ProjectNames(scanned.resources, naming);
	const items: NormalizedLogRecord[] = [];
	for (const { resource, traceId, spanId, timeMicros, timeNanos, bytes } of scanned.records) {
		const projectName = projects.of(resource);
		if (projectName === undefined) continue;
		items.push({ projectName, traceId, spanId, time: { micros: timeMicros, nanos: timeNanos }, bytes });
	}
	return { items, rejected: projects.rejected() };
}

function toNormalizedSpan(
	span: ScannedSpan,
	scope: ScannedScope,
	resource: ScannedResource,
	projectName: string,
	{ prices, ignoresFailures, apiKeyId }: NormalizeOptions,
): NormalizedSpan {
	// The writer asks for a root's texts while others wait for the write lock, so they are read before.
	const rootTexts = span.parentSpanId === null ? textsOf(span.bytes, scope.name, []) : undefined;
	const facts = readFacts(span.name, scope.name, span.promoted, resource.promoted);
	const start = { micros: span.startMicros, nanos: span.startNanos };
	const isRunning = span.endMicros === 0 && span.endNanos === 0;
	return {
		projectName,
		traceId: span.traceId,
		spanId: span.spanId,
		parentSpanId: span.parentSpanId,
		name: span.name,
		otelKind: span.kind,
		start,
		end: isRunning ? start : { micros: span.endMicros, nanos: span.endNanos },
		isRunning,
		statusCode: span.statusCode,
		statusMessage: span.statusMessage,
		mayHaveFailed: !ignoresFailures && mayHaveFailed(span.statusCode, span.bytes),
		facts,
		...(apiKeyId === undefined ? {} : { apiKeyId }),
		cost: prices.priceOf(facts, span.startMicros),
		texts: (logs) => (logs.length === 0 ? rootTexts : undefined) ?? textsOf(span.bytes, scope.name, logs),
		bytes: span.bytes,
		scope,
		resource,
	};
}

/** The project of each resource, found once. */
class ProjectNames {
	readonly #resources: readonly ScannedResource[];
	readonly #naming: Naming;
	readonly #names = new Map<number, string | ProjectNameTooLong>();
	readonly #rejected = new Map<number, Rejection>();

	constructor(resources: readonly ScannedResource[], naming: Naming) {
		this.#resources = resources;
		this.#naming = naming;
	}

	/** Undefined, and counted, when the item has to be left out. */
	of(resource: number): string | undefined {
		let name = this.#names.get(resource);
		if (name === undefined) {
			name = this.#read(resource);
			this.#names.set(resource, name);
		}
		if (typeof name === "string") return name;
		const rejection = this.#rejected.get(resource);
		if (rejection === undefined) {
			this.#rejected.set(resource, { reason: "project_name_too_long", count: 1, message: name.message });
		} else rejection.count += 1;
		return undefined;
	}

	rejected(): Rejection[] {
		return [...this.#rejected.values()];
	}

	#read(resource: number): string | ProjectNameTooLong {
		if (this.#naming.requested !== undefined) return this.#naming.requested;
		try {
			const sent = this.#resources[resource]?.projectName;
			return readProjectName("openinference.project.name", sent) ?? this.#naming.fallback;
		} catch (error) {
			if (error instanceof ProjectNameTooLong) return error;
			throw error;
		}
	}
}
