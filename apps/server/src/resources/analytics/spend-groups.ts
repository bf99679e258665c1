import type { GroupBy } from "#storage/traces/analytics/analytics-query.ts";

/** What can be grouped by that was spent. */
export const SPEND_GROUPS: Readonly<Record<string, { readonly description: string }>> = {
	project: { description: "Project, deleted ones too." },
	user: { description: "User, of a span its own or else its trace's." },
	api_key: {
		description:
			"Key that the span came with, deleted ones too; none for other credentials, and before keys were noted.",
	},
};

/** Undefined for anything else. */
export function readSpendGroup(text: string): GroupBy | undefined {
	return text === "project" || text === "user" || text === "api_key" ? { type: "field", name: text } : undefined;
}
