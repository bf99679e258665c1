import { z } from "zod";
import { bodyList } from "#http/body-list.ts";
import { type ParsedTime, parseTime } from "#http/wire-times.ts";

/** The latest time that OTLP can represent, as unsigned 64-bit nanoseconds since 1970. */
const MAX_MICROS = 18_446_744_073_709_000;
const MAX_SPANS = 10_000;
/** Of a span. */
const MAX_EVENTS = 100_000;
const MAX_DEPTH = 32;
const text = z.string().max(1_000_000);

const zonedTime = z
	.union([z.string(), z.number()])
	.meta({ type: "string", format: "date-time" })
	.transform((value, context): ParsedTime => {
		const time = parseTime(String(value).trim());
		if (time?.zoned && time.micros >= 0 && time.micros < MAX_MICROS) return time;
		const [type, message] =
			time === undefined
				? ["datetime_from_date_parsing", "Input should be a valid datetime or date"]
				: time.zoned
					? ["datetime_out_of_range", "Input should be a time from 1970 to 2554"]
					: ["timezone_aware", "Input should have timezone info"];
		context.addIssue({ code: "custom", params: { type }, message });
		return z.NEVER;
	});

/** Any JSON object. Zod must not copy it, as that would lose keys such as `__proto__`. */
const attributes = z
	.custom<Readonly<Record<string, unknown>>>(
		(value) => typeof value === "object" && value !== null && !Array.isArray(value),
		{ params: { type: "dict_type" }, message: "Input should be a valid dictionary" },
	)
	.refine((value) => isWithinDepth(value, MAX_DEPTH), `attributes nest deeper than ${MAX_DEPTH}`)
	.meta({ type: "object", additionalProperties: true });

const NewSpan = z
	.object({
		name: text,
		context: z.object({
			trace_id: text.describe("32 hex digits, or any text of 1 to 255 characters."),
			span_id: text.describe("16 hex digits, or any text of 1 to 255 characters."),
		}),
		span_kind: text,
		parent_id: text.nullish(),
		start_time: zonedTime,
		end_time: zonedTime,
		status_code: text,
		status_message: text.nullish(),
		attributes: attributes.nullish(),
		events: bodyList(z.object({ name: text, timestamp: zonedTime, attributes: attributes.nullish() }), {
			max: MAX_EVENTS,
		}).nullish(),
	})
	.meta({ id: "NewSpan" });

export type NewSpan = z.output<typeof NewSpan>;

export const CreateSpansBody = z.object({ data: bodyList(NewSpan, { max: MAX_SPANS }) });

export const CreateSpansAnswer = z.object({ total_received: z.int(), total_queued: z.int() });

/** Breadth-first, so that a hostile depth does not overflow the stack. */
function isWithinDepth(value: unknown, limit: number): boolean {
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > limit) return false;
		level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
	}
	return true;
}
