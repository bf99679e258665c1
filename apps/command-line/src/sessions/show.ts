import type { Invocation } from "../invocation.ts";
import { printText } from "../long-text.ts";
import { formatCost, formatDuration, formatTime } from "../quantities.ts";
import { formatFields } from "../table.ts";

/** `spanward session show`: what was asked and answered, in order. */
export async function showSession(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect();
	const project = invocation.value("project");
	const { data: session } = await spanward.api.get("/v1/sessions/{session_identifier}", {
		path: { session_identifier: invocation.argument(0) },
		query: project === undefined ? {} : { project },
	});
	const turns = await spanward.sessions.turns(session.id);
	if (terminal.isJson) {
		await terminal.printJson({ ...session, turns });
		return undefined;
	}
	const fields = formatFields(terminal, [
		["session", session.session_id],
		["user", session.user_id],
		["from", formatTime(session.start_time)],
		["to", formatTime(session.end_time)],
		["traces", session.trace_count],
		["spans", session.span_count],
		["errors", session.error_count],
		["tokens", session.token_count_total],
		["cost", formatCost(session.total_cost)],
	]);
	for (const line of fields) await terminal.print(line);
	for (const { traceId, startTime, endTime, input, output } of turns) {
		const took = formatDuration(Date.parse(endTime) - Date.parse(startTime));
		await terminal.print();
		await terminal.print(
			terminal.style(`${formatTime(startTime)}  ${took}  trace ${terminal.oneLine(traceId)}`, "dim"),
		);
		await printText(invocation, "in", input);
		await printText(invocation, "out", output);
	}
	return undefined;
}
