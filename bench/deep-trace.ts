import { randomBytes } from "node:crypto";

/** Spans of a request. */
const BATCH = 1_000;
const TOOLS = ["search_products", "read_file", "run_query", "send_mail", "look_up_order", "fetch_page", "list_files"];

export interface DeepTrace {
	readonly project: string;
	readonly traceId: string;
}

/**
 * Sends a trace as a long run of an agent leaves it: steps of one model call and three to seven tool calls, of which some
 * call further and one in a hundred fails.
 * @throws when the server does not store all of it
 */
export async function sendDeepTrace(url: string, spanCount: number): Promise<DeepTrace> {
	const traceId = randomBytes(16).toString("hex");
	const project = "deep";
	const spans = agentRun(traceId, spanCount);
	for (let first = 0; first < spans.length; first += BATCH) {
		const resource = { attributes: [text("openinference.project.name", project)] };
		const scopeSpans = [{ scope: { name: "bench" }, spans: spans.slice(first, first + BATCH) }];
		const response = await fetch(`${url}/v1/traces`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
		});
		const answer = await response.text();
		if (!response.ok || answer.includes("rejectedSpans")) throw new Error(`the trace was not stored: ${answer}`);
	}
	return { project, traceId };
}

function agentRun(traceId: string, spanCount: number): readonly { readonly spanId: string }[] {
	const begin = BigInt(Date.now() - 3_600_000) * 1_000_000n;
	const spans: { readonly spanId: string }[] = [];
	const add = (parent: string, { name, kind, at, ms, attributes = [], error }: Step): string => {
		const spanId = randomBytes(8).toString("hex");
		const time = (milliseconds: number) => String(begin + BigInt(milliseconds * 1_000_000));
		spans.push({
			...{ traceId, spanId, parentSpanId: parent, name, kind: 1 },
			...{ startTimeUnixNano: time(at), endTimeUnixNano: time(at + ms) },
			attributes: [text("openinference.span.kind", kind), ...attributes],
			status: error === undefined ? { code: 1 } : { code: 2, message: error },
		} as { readonly spanId: string });
		return spanId;
	};
	const about = [text("input.value", "find the order that failed"), text("output.value", "It is order 81.")];
	const root = add("", { name: "shop-agent", kind: "AGENT", at: 0, ms: spanCount * 6, attributes: about });
	for (let step = 0; spans.length < spanCount; step += 1) {
		const at = step * 30;
		const parent = add(root, { name: "step", kind: "CHAIN", at, ms: 29 });
		const model = step % 3 === 0 ? "claude-sonnet-4-5" : "gpt-4o";
		const tokens = [number("llm.token_count.prompt", 1_000 + step), number("llm.token_count.completion", 100)];
		const attributes = [
			...[text("llm.model_name", model), text("input.value", "question ".repeat(50))],
			...[text("output.value", "answer ".repeat(50)), ...tokens],
		];
		add(parent, { name: "ChatCompletion", kind: "LLM", at: at + 1, ms: 10, attributes });
		for (let call = 0; call < 3 + (step % 5); call += 1) {
			const name = TOOLS[(step + call * (step % 3)) % TOOLS.length] ?? "";
			const failed = (step * 7 + call) % 97 === 0 ? { error: `timeout after ${step % 4} s` } : {};
			const tool = add(parent, { name, kind: "TOOL", at: at + 12 + call, ms: 2, ...failed });
			if (call % 2 === 1) add(tool, { name: "GET /item", kind: "CHAIN", at: at + 12 + call, ms: 1 });
		}
	}
	return spans.slice(0, spanCount);
}

interface Step {
	readonly name: string;
	readonly kind: string;
	/** Milliseconds after the run began. */
	readonly at: number;
	readonly ms: number;
	readonly attributes?: readonly object[];
	readonly error?: string;
}

function text(key: string, stringValue: string): object {
	return { key, value: { stringValue } };
}

function number(key: string, value: number): object {
	return { key, value: { intValue: String(value) } };
}
