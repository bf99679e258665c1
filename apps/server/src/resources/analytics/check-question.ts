import type { z } from "zod";
import { UserError, ValidationError } from "#base/errors.ts";
import { onlyParams, repeated, textParam } from "#http/query-params.ts";
import { parsePart } from "#http/validation.ts";
import { readQuestion } from "./analytics-routes.ts";
import { GROUP_FIELDS, readGroupBy } from "./group-fields.ts";
import { OF, question } from "./schemas.ts";

/** A question that is stored: the parameters of `GET /v1/analytics` as JSON, with the names of projects as `projects`. */
const StoredQuestion = onlyParams({
	...question,
	projects: repeated(textParam).refine(
		(projects) => projects === undefined || projects.length <= 50,
		"Input should have at most 50 projects",
	),
});
export type CheckedQuestion = z.output<typeof StoredQuestion>;

export interface QuestionContext {
	/** For a question that names no time. */
	readonly range: string;
	/** For a question that names none. */
	readonly timeZone: string;
	/** As the question is drawn where it names no bucket. */
	readonly bucket?: "auto";
	/** Microseconds since 1970. */
	readonly nowMicros: number;
}

/**
 * Reads a stored question as a request with these parameters would be read.
 * @throws ValidationError whose places begin with the name of a parameter
 */
export function checkQuestion(
	stored: Readonly<Record<string, unknown>>,
	{ range, timeZone, bucket, nowMicros }: QuestionContext,
): CheckedQuestion {
	const parsed = parsePart(StoredQuestion, "query", stored);
	if (parsed.error !== undefined) throw withoutPart(parsed.error);
	const { projects: _projects, ...asked } = parsed.value;
	const hasTimes = ["range", "start_time", "end_time"].some((name) => stored[name] !== undefined);
	const complete = {
		...asked,
		...(hasTimes ? {} : { range }),
		...(stored["time_zone"] === undefined ? { time_zone: timeZone } : {}),
		...(stored["bucket"] === undefined && bucket !== undefined ? { bucket } : {}),
	};
	try {
		readQuestion(complete, [], { nowMicros, timeoutMs: 0 });
	} catch (error) {
		throw toPlaces(error);
	}
	return parsed.value;
}

/** @throws ValidationError unless spans, traces or sessions can be grouped by it */
export function checkGroupField(name: string): void {
	if (Object.hasOwn(GROUP_FIELDS, name) || OF.some((of) => canGroupBy(of, name))) return;
	readGroupBy("spans", name);
}

function canGroupBy(of: (typeof OF)[number], name: string): boolean {
	try {
		readGroupBy(of, name);
		return true;
	} catch (error) {
		if (error instanceof ValidationError) return false;
		throw error;
	}
}

/** Which parameter an error is about that names none. */
const PARAMETERS: Readonly<Record<string, string>> = {
	invalid_filter: "filter",
	invalid_range: "range",
	too_many_buckets: "bucket",
	too_many_values: "limit",
};

function toPlaces(error: unknown): unknown {
	if (error instanceof ValidationError) return withoutPart(error);
	if (!(error instanceof UserError)) return error;
	const parameter = PARAMETERS[error.code];
	return new ValidationError([
		{ type: error.code, loc: parameter === undefined ? [] : [parameter], msg: error.message },
	]);
}

function withoutPart({ issues }: ValidationError): ValidationError {
	return new ValidationError(issues.map((issue) => ({ ...issue, loc: issue.loc.slice(1) })));
}
