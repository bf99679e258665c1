import type { Project, Spanward } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { formatCost, formatDuration, formatTime } from "../quantities.ts";
import { formatFields } from "../table.ts";

/** `spanward project show` */
export async function showProject(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect();
	const { id, name } = await spanward.projects.get(invocation.argument(0));
	const project = await withActivity(spanward, id, name);
	if (terminal.isJson) {
		await terminal.printJson(project);
		return undefined;
	}
	const { activity } = project;
	const sum = (counts: readonly number[] | undefined) => counts?.reduce((total, count) => total + count, 0);
	const lines = formatFields(terminal, [
		["name", project.name],
		["description", project.description],
		["id", project.id],
		["created", formatTime(project.created_at)],
		["spans 24h", sum(activity?.span_counts)],
		["errors 24h", sum(activity?.error_counts)],
		["tokens 24h", activity?.token_count_total],
		["cost 24h", formatCost(activity?.total_cost)],
		["latency p50", formatDuration(activity?.latency_ms?.p50)],
		["latency p95", formatDuration(activity?.latency_ms?.p95)],
		["newest trace", formatTime(activity?.newest_trace_start_time)],
	]);
	for (const line of lines) await terminal.print(line);
	return undefined;
}

/** Only the list says what projects did. */
async function withActivity(spanward: Spanward, id: string, name: string): Promise<Project> {
	const named = spanward.projects.list({ name_contains: name, include: ["activity", "access"], limit: 1_000 });
	for await (const project of named) if (project.id === id) return project;
	return await spanward.projects.get(id);
}
