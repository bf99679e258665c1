import type { ExportGroupField, GroupBy } from "#storage/traces/analytics/analytics-query.ts";

/** What exports can be grouped by. */
export const EXPORT_GROUPS: Readonly<Record<ExportGroupField, { readonly description: string }>> = {
	reason: { description: "Why spans were rejected or requests refused; none for spans that were taken." },
	server: { description: "Which server answered: its host and port." },
};

/** Undefined for anything else. */
export function readExportGroup(text: string): GroupBy | undefined {
	return Object.hasOwn(EXPORT_GROUPS, text) ? { type: "export", name: text as ExportGroupField } : undefined;
}
