import type { TestServer } from "./server.ts";
import { msOfNow, type SentSpan, sendSpans } from "./web/otlp-json.ts";

const HOUR_MS = 3_600_000;
const HOURS = 7 * 24;
const USERS = ["ada", "grace", "edsger", "barbara", "donald", "radia", "alan"];
const MODELS = ["gpt-4o", "gpt-4o", "gpt-4o-mini", "gpt-4o-mini", "gpt-4o-mini", "claude-3-5-sonnet"] as const;
const FAILURES = [
	{ name: "search orders", kind: "TOOL", error: "TimeoutError: the order database did not answer within 30 s" },
	{ name: "search orders", kind: "TOOL", error: "TimeoutError: the order database did not answer within 30 s" },
	{ name: "answer", kind: "LLM", error: "Error code: 429 - Rate limit reached for requests. Try again in 1.2s" },
	{ name: "refund", kind: "TOOL", error: "ValueError: amount must be positive" },
] as const;

/** A week of a shop's assistant: busier by day, a bad release yesterday, failures of three kinds. */
export async function tellProductionStory(server: TestServer): Promise<void> {
	const traces = Array.from({ length: HOURS }, (_, hour) => {
		const count = 2 + Math.round(6 * Math.sin((Math.PI * (hour % 24)) / 24) ** 2);
		return Array.from({ length: count }, (_, at) => traceOf(hour * 10 + at, hour + at / count));
	});
	await sendSpans(server, traces.flat(2));
}

/** @param hour since a week ago */
function traceOf(number: number, hour: number): SentSpan[] {
	const startMs = msOfNow() - HOUR_MS * (HOURS - hour);
	const traceId = (number + 1).toString(16).padStart(32, "7");
	const id = (index: number) => (number * 10 + index + 1).toString(16).padStart(16, "0");
	const isBad = hour > HOURS - 24;
	const failure = number % (isBad ? 4 : 17) === 0 ? FAILURES[number % FAILURES.length] : undefined;
	const call = (index: number, name: string, kind: string, seconds: number, attributes: object, error?: string) => ({
		...{ traceId, spanId: id(index), ...(index === 0 ? {} : { parentSpanId: id(0) }), name },
		...{ startMs: startMs + index, endMs: startMs + index + 1_000 * seconds },
		...(error === undefined ? {} : { error }),
		attributes: { "openinference.span.kind": kind, ...attributes },
	});
	const model = MODELS[number % MODELS.length] ?? "";
	const seconds = 0.8 + (number % 13) / 5 + (isBad ? 2 : 0);
	const root = call(
		...([0, "answer customer", "AGENT", seconds + 1] as const),
		{
			...{ "user.id": USERS[number % USERS.length], "session.id": `session-${number % 40}` },
			"app.version": isBad ? "2.14" : "2.13",
		},
		failure?.error,
	);
	const answer = call(1, "answer", "LLM", seconds, {
		...{ "llm.model_name": model, "llm.provider": model.startsWith("gpt") ? "openai" : "anthropic" },
		"llm.token_count.prompt": BigInt(900 + (number % 7) * 120),
		"llm.token_count.completion": BigInt(120 + (number % 11) * 25),
	});
	if (failure === undefined) return [root, answer];
	return [root, answer, call(2, failure.name, failure.kind, 0.5, { "tool.name": failure.name }, failure.error)];
}
