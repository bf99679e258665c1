/** The tabs of a span's details, in the address. */
export const TRACE_TABS = ["preview", "attributes", "events", "raw"] as const;
export type TraceTab = (typeof TRACE_TABS)[number];

/** The tab with this name, else the first one. */
export function traceTab(value: string | undefined): TraceTab {
	return TRACE_TABS.find((tab) => tab === value) ?? "preview";
}
