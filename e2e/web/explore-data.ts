import type { Receiver } from "../fixture-sources.ts";
import { msOfNow, type SentSpan, sendSpans } from "./otlp-json.ts";

export const MODELS = ["gpt-4o", "gpt-4o-mini", "claude-sonnet"] as const;
/** Among them ids that addresses and pages might not take. */
export const USERS = ["ann", "bob", "a/b?c#d", "😀", "long-".repeat(200)] as const;
const DAY_MS = 86_400_000;

/** What was sent of a trace: a root of a user in a session, with one model call below it. */
export interface SentTrace {
	readonly traceId: string;
	readonly user: string | undefined;
	readonly model: string;
	readonly isError: boolean;
	/** Milliseconds since 1970. */
	readonly at: number;
}

/** Traces of the default project over `days` days, the same on each run. */
export async function sendTraffic(receiver: Receiver, days: number): Promise<readonly SentTrace[]> {
	const traces: SentTrace[] = [];
	const spans: SentSpan[] = [];
	const begun = Date.now() - msOfNow();
	for (let day = 0; day < days; day += 1) {
		for (let index = 0; index < 4 + ((days - day) % 5) * 2; index += 1) {
			const number = traces.length + 1;
			const trace: SentTrace = {
				traceId: number.toString(16).padStart(32, "0"),
				user: number % 7 === 0 ? undefined : USERS[(number * 3) % USERS.length],
				model: MODELS[(number * number) % MODELS.length] ?? "",
				isError: number % 9 === 0,
				at: begun - day * DAY_MS - (number % 20) * 1_000,
			};
			traces.push(trace);
			spans.push(...spansOf(trace, number, trace.at - begun));
		}
	}
	await sendSpans(receiver, spans);
	return traces;
}

/** @param startMs as that of a {@link SentSpan} */
function spansOf({ traceId, user, model, isError }: SentTrace, number: number, startMs: number): SentSpan[] {
	const root = `${number.toString(16).padStart(15, "0")}a`;
	const latency = 200 + ((number * 137) % 1_900);
	const session = { "session.id": `session-${Math.floor(number / 3)}` };
	return [
		{
			...{ traceId, spanId: root, name: "answer", startMs, endMs: startMs + latency + 50 },
			attributes: {
				"openinference.span.kind": "CHAIN",
				...session,
				...(user === undefined ? {} : { "user.id": user }),
			},
			...(isError ? { error: "the tool timed out" } : {}),
		},
		{
			...{ traceId, spanId: `${number.toString(16).padStart(15, "0")}b`, parentSpanId: root, name: "model call" },
			...{ startMs: startMs + 10, endMs: startMs + 10 + latency },
			attributes: {
				"openinference.span.kind": "LLM",
				"llm.model_name": model,
				"llm.token_count.prompt": BigInt(100 + (number % 50) * 10),
				"llm.token_count.completion": BigInt(20 + (number % 30)),
			},
		},
	];
}
