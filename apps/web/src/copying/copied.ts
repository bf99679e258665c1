import type { RowFilters } from "../filtering/row-filters.ts";
import type { TimeRangeSearch } from "../lib/time-range.ts";

/** What a page shows, to be copied for an agent or as a command. */
export type Copied =
	| { readonly kind: "trace"; readonly project: string; readonly traceId: string }
	| { readonly kind: "span"; readonly project: string; readonly traceId: string; readonly spanId: string }
	| { readonly kind: "session"; readonly project: string; readonly sessionId: string }
	| CopiedList
	| {
			readonly kind: "examples";
			readonly dataset: string;
			readonly version?: string | undefined;
			readonly split?: string | undefined;
			readonly q?: string | undefined;
	  }
	| {
			readonly kind: "experiments";
			/** Of all datasets when absent. */
			readonly dataset?: string | undefined;
			readonly sort?: string | undefined;
			readonly order?: "asc" | undefined;
	  };

export interface CopiedList {
	readonly kind: "list";
	readonly of: "trace" | "span" | "session";
	readonly project: string;
	readonly search: Omit<RowFilters, "view"> & TimeRangeSearch & { readonly sort?: string; readonly order?: "asc" };
}

export const FORMS = ["agent", "curl", "command", "python", "typescript"] as const;
export type CopiedForm = (typeof FORMS)[number];
