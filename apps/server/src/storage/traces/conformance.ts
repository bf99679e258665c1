import { describe } from "vitest";
import { conformsInAnnotations } from "./conformance/annotations.ts";
import { conformsInCosts } from "./conformance/costs.ts";
import { conformsInDeletes } from "./conformance/deletes.ts";
import { entitySuite } from "./conformance/entities.ts";
import { conformsInFilters } from "./conformance/filters.ts";
import { conformsInLists } from "./conformance/lists.ts";
import { conformsInRetention } from "./conformance/retention.ts";
import { conformsInRunningSpans } from "./conformance/running-spans.ts";
import type { OpenStore } from "./conformance/store-under-test.ts";
import { conformsInTotals } from "./conformance/totals.ts";
import { conformsInWrites } from "./conformance/writes.ts";

/**
 * The conformance suite of `TraceStore`, run for each implementation on its real database.
 * @param filters how many random filters of each target; the default when absent
 */
export function traceStoreConformance(name: string, open: OpenStore, filters?: number): void {
	describe(name, () => {
		conformsInWrites(open);
		conformsInLists(open);
		conformsInFilters(open, filters);
		conformsInTotals(open);
		conformsInRunningSpans(open);
		conformsInDeletes(open);
		entitySuite(open);
		conformsInAnnotations(open);
		conformsInRetention(open);
		conformsInCosts(open);
	});
}
