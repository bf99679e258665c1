import { NotFoundError, type Span } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { printText } from "../long-text.ts";
import { projectsToLookIn } from "../projects/places.ts";
import { formatCost, formatDuration, formatTime } from "../quantities.ts";
import { formatFields } from "../table.ts";

/** `spanward span show` */
export async function showSpan(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const span = await findSpan(invocation, invocation.argument(0));
	if (terminal.isJson) {
		await terminal.printJson(span);
		return undefined;
	}
	const fields = formatFields(terminal, [
		["name", span.name],
		["kind", span.span_kind],
		["status", span.status_code],
		["message", span.status_message],
		["started", formatTime(span.start_time)],
		["took", span.latency_ms === null ? span.state : formatDuration(span.latency_ms)],
		["model", span.model],
		["tokens", span.token_count_total],
		["cost", formatCost(span.total_cost)],
		["span", span.context.span_id],
		["parent", span.parent_id],
		["trace", span.context.trace_id],
		["session", span.session_id],
		["user", span.user_id],
	]);
	for (const line of fields) await terminal.print(line);
	if (Object.keys(span.attributes).length > 0) await terminal.print();
	for (const [key, value] of Object.entries(span.attributes)) await printText(invocation, key, value);
	for (const { name, timestamp, attributes } of span.events) {
		await terminal.print();
		await terminal.print(`event ${terminal.oneLine(name)}  ${formatTime(timestamp)}`);
		for (const [key, value] of Object.entries(attributes)) await printText(invocation, key, value);
	}
	return undefined;
}

async function findSpan(invocation: Invocation, spanId: string): Promise<Span> {
	const spanward = await invocation.connect();
	for await (const project of projectsToLookIn(invocation, spanward)) {
		const [span] = await spanward.spans.list(project, { span_id: [spanId], limit: 1 }).toArray(1);
		if (span !== undefined) return span;
	}
	throw new NotFoundError(404, "span_not_found", `there is no span ${spanId}`);
}
