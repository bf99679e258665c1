import { type FilterWarning, Paged } from "@spanward/client";
import type { Option } from "./command.ts";
import type { Invocation } from "./invocation.ts";
import { timeOf } from "./quantities.ts";

/** Options of everything that selects traces, spans or sessions. */
export const SELECTION: readonly Option[] = [
	{ name: "project", value: "<name>", does: "the project; SERVICE_PROJECT_NAME, else default", completes: "projects" },
	{ name: "filter", value: "<expression>", does: "only what matches: docs/filters.md; plain words search the text" },
	{ name: "since", value: "<time>", does: "from 90s, 30m, 2h, 7d ago on, or from a time such as 2026-01-31T12:00Z" },
	{ name: "until", value: "<time>", does: "before that time" },
];

export interface Selection {
	readonly filter?: string;
	readonly start_time?: string;
	readonly end_time?: string;
}

/** What the options select, as the REST API takes it. */
export function selectionOf(invocation: Invocation): Selection {
	const [filter, since, until] = ["filter", "since", "until"].map((option) => invocation.value(option));
	return {
		...(filter !== undefined && { filter }),
		...(since !== undefined && { start_time: timeOf(since, "since") }),
		...(until !== undefined && { end_time: timeOf(until, "until") }),
	};
}

interface Page<Item> {
	readonly data: readonly Item[];
	readonly next_cursor: string | null;
	readonly warnings?: readonly FilterWarning[];
}

/** A list whose warnings about the filter are said once. */
export function withWarnings<Item>(
	{ terminal }: Invocation,
	fetchPage: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): Paged<Item> {
	return new Paged(async (cursor) => {
		const page = await fetchPage(cursor === undefined ? {} : { cursor });
		if (cursor === undefined) {
			for (const { message, suggestions = [] } of page.warnings ?? []) {
				const meant = suggestions.length === 0 ? "" : ` Did you mean ${suggestions.slice(0, 3).join(" or ")}?`;
				terminal.note(terminal.oneLine(`Warning: ${message}${meant}`));
			}
		}
		return page;
	});
}
