import { fromPlain, type KeyValue, type PlainValue, type ResourceSpans } from "@spanward/otlp";
import type { Context } from "#context.ts";
import { toJsonText } from "#http/json-values.ts";
import { VERSION } from "#http/versions.ts";
import type { SpanProject } from "#models/caller/own-sender.ts";
import { storeOwnSpans } from "#models/caller/store-span.ts";
import type { Evaluation } from "./evaluation-result.ts";
import type { InputValues } from "./mapping.ts";

/** The span of one run of an evaluator, below which are those of a judge's calls. */
export interface EvaluatorSpan {
	readonly traceId: string;
	readonly spanId: string;
	/** Of the evaluator. */
	readonly name: string;
	readonly kind: "LLM" | "CODE";
	/** The global id of the version; absent for one that is only tried. */
	readonly versionId?: string;
	readonly startMicros: number;
	readonly endMicros: number;
	readonly inputs: InputValues;
	readonly outputs: Evaluation["outputs"];
	readonly failure: Evaluation["failure"];
	readonly warnings: readonly string[];
	/** What code wrote with `console`. */
	readonly log?: string;
}

/** Characters of inputs that are kept in the span; a judge's whole prompt is in the span of its call. */
const MAX_INPUTS = 262_144;
const INTERNAL = 1;
const OK = 1;
const ERROR = 2;

function toResourceSpans(span: EvaluatorSpan): ResourceSpans[] {
	const { traceId, spanId, name, startMicros, endMicros, failure } = span;
	const event = { timeUnixNano: BigInt(endMicros) * 1_000n, droppedAttributesCount: 0 };
	const scope = { name: "spanward.evaluation", version: VERSION, attributes: [], droppedAttributesCount: 0 };
	const resource = { attributes: toKeyValues({ "service.name": "spanward" }), droppedAttributesCount: 0 };
	const written = {
		traceId,
		spanId,
		parentSpanId: "",
		traceState: "",
		flags: 0,
		name,
		kind: INTERNAL,
		startTimeUnixNano: BigInt(startMicros) * 1_000n,
		endTimeUnixNano: BigInt(Math.max(endMicros, startMicros + 1)) * 1_000n,
		attributes: toKeyValues(attributesOf(span)),
		droppedAttributesCount: 0,
		events:
			failure === undefined
				? []
				: [
						{
							...event,
							name: "exception",
							attributes: toKeyValues({ "exception.type": failure.code, "exception.message": failure.message }),
						},
					],
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: failure === undefined ? { code: OK, message: "" } : { code: ERROR, message: failure.message },
	};
	return [{ resource, scopeSpans: [{ scope, spans: [written], schemaUrl: "" }], schemaUrl: "" }];
}

function attributesOf({ kind, versionId, inputs, outputs, failure, warnings, log }: EvaluatorSpan) {
	const given = toJsonText(inputs);
	const isCut = given.length > MAX_INPUTS;
	return {
		"openinference.span.kind": "EVALUATOR",
		"spanward.origin": "evaluator",
		"spanward.evaluator.kind": kind,
		"input.value": isCut ? `${given.slice(0, MAX_INPUTS).toWellFormed()} … (cut)` : given,
		"input.mime_type": isCut ? "text/plain" : "application/json",
		"output.value": toJsonText(outputs),
		"output.mime_type": "application/json",
		...(versionId === undefined ? {} : { "spanward.evaluator_version.id": versionId }),
		...(failure === undefined ? {} : { "error.type": failure.code }),
		...(warnings.length === 0 ? {} : { "spanward.warnings": [...warnings] }),
		...(log === undefined || log === "" ? {} : { "spanward.evaluator.log": log }),
	};
}

function toKeyValues(attributes: Readonly<Record<string, PlainValue>>): KeyValue[] {
	return Object.entries(attributes).map(([key, value]) => ({ key, value: fromPlain(value) }));
}

/** Stores the span. @throws StorageUnavailable when it could not be for a minute */
export async function storeEvaluatorSpan(
	parts: Pick<Context, "db" | "ingest" | "log">,
	span: EvaluatorSpan,
	project: SpanProject,
): Promise<void> {
	await storeOwnSpans(parts, [() => toResourceSpans(span)], project);
}
