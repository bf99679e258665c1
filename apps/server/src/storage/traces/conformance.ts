import { describe } from "vitest";
import { conformsInAnalytics } from "./conformance/analytics.ts";
import { conformsInAnalyticsOfAnnotations } from "./conformance/analytics-of-annotations.ts";
import { conformsInAnalyticsOfErrors } from "./conformance/analytics-of-errors.ts";
import { conformsInAnnotations } from "./conformance/annotations.ts";
import { conformsInCosts } from "./conformance/costs.ts";
import { conformsInDeletes } from "./conformance/deletes.ts";
import { entitySuite } from "./conformance/entities.ts";
import { conformsInFilters } from "./conformance/filters.ts";
import { conformsInLists } from "./conformance/lists.ts";
import { conformsInRetention } from "./conformance/retention.ts";
import { conformsInRunningSpans } from "./conformance/running-spans.ts";
import { conformsInSpend } from "./conformance/spend.ts";
import type { OpenStore } from "./conformance/store-under-test.ts";
import { conformsInTotals } from "./conformance/totals.ts";
import { conformsInNewProjects, conformsInWrites } from "./conformance/writes.ts";

/** How much is tried of what is random; the defaults where absent. */
interface Amounts {
	/** Random filters of each target. */
	readonly filters?: number;
	/** Random questions about each kind of rows. */
	readonly questions?: number;
	/** Seeds of totals, of running spans, of deletes and of costs. */
	readonly seeds?: {
		readonly totals: readonly number[];
		readonly runningSpans: readonly number[];
		readonly deletes: readonly number[];
		readonly costs: readonly number[];
	};
}

/** The conformance suite of `TraceStore`, run for each implementation on its real database. */
export function traceStoreConformance(
	name: string,
	open: OpenStore,
	{ filters, questions, seeds }: Amounts = {},
): void {
	describe(name, () => {
		conformsInWrites(open);
		conformsInNewProjects(open);
		conformsInLists(open);
		conformsInFilters(open, filters);
		conformsInTotals(open, seeds?.totals);
		conformsInRunningSpans(open, seeds?.runningSpans);
		conformsInDeletes(open, seeds?.deletes);
		conformsInSpend(open);
		conformsInAnalytics(open, questions);
		conformsInAnalyticsOfAnnotations(open, questions);
		conformsInAnalyticsOfErrors(open, questions);
		entitySuite(open);
		conformsInAnnotations(open);
		conformsInRetention(open);
		conformsInCosts(open, seeds?.costs);
	});
}
