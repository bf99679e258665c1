import { z } from "zod";
import type { ProjectListQuery, Project as RestProject } from "#resources/projects/schemas.ts";
import { visibleLine } from "#resources/text-forms/untrusted.ts";
import { cursor, limit, link, maxTokens, nextCursor } from "../arguments.ts";
import { defineTool, type Tool } from "../tool.ts";
import { listed, type RestPage } from "./listed.ts";

type Project = z.output<typeof RestProject>;
type Sort = z.output<typeof ProjectListQuery>["sort"];

const count = z.int();

const listProjects = defineTool({
	name: "list_projects",
	title: "List projects",
	description:
		"The projects that you may see, with what each did in the last 24 hours: spans, errors, tokens, cost. Start here when you do not know the name of the project.",
	access: "read",
	input: z.object({
		name_contains: z.string().max(500).optional().describe("Part of the name, in any case."),
		sort: z
			.enum(["newest_trace_start_time", "name", "span_count", "error_rate", "total_cost"] satisfies readonly Sort[])
			.default("newest_trace_start_time")
			.describe("The most first; names by the alphabet."),
		limit,
		cursor,
		max_tokens: maxTokens,
	}),
	output: z.object({
		projects: z.array(
			z.object({
				name: z.string(),
				id: z.string(),
				description: z.string().nullable(),
				span_count: count.describe("Of the last 24 hours, as what follows."),
				error_count: count,
				token_count_total: count,
				total_cost: z.number(),
				newest_trace_start_time: z.string().nullable(),
				link,
			}),
		),
		next_cursor: nextCursor,
	}),
	async run(args, { rest, links }) {
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			maxTokens: args.max_tokens,
			limit: args.limit,
			heading: "Projects, with their last 24 hours.",
			noun: ["project", "projects"],
			read: (most) =>
				rest.get<RestPage<Project>>("/v1/projects", {
					...{ limit: most, sort: args.sort, order: args.sort === "name" ? "asc" : "desc" },
					...{ cursor: args.cursor, name_contains: args.name_contains, include: "activity" },
				}),
			toRow: ({ id, name, description, activity }: Project) => ({
				name: visibleLine(name, 255),
				id,
				description: description === null ? null : visibleLine(description, 200),
				span_count: sum(activity?.span_counts),
				error_count: sum(activity?.error_counts),
				token_count_total: activity?.token_count_total ?? 0,
				total_cost: activity?.total_cost ?? 0,
				newest_trace_start_time: activity?.newest_trace_start_time ?? null,
				link: links.project(id),
			}),
			toText: (row) =>
				`- ${row.name}: ${row.span_count} spans, ${row.error_count} errors, ${row.token_count_total} tokens, $${row.total_cost.toFixed(2)}; newest trace ${row.newest_trace_start_time ?? "none"}${row.description === null ? "" : `; ${row.description}`}\n  ${row.link}`,
		});
		return { data: { projects: rows, next_cursor: next }, text };
	},
});

function sum(numbers: readonly number[] | undefined): number {
	return (numbers ?? []).reduce((total, each) => total + each, 0);
}

export const PROJECT_TOOLS: readonly Tool[] = [listProjects];
