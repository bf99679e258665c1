import { afterAll, beforeAll, describe, test as vitest } from "vitest";
import { conformsInAnalytics } from "../../apps/server/src/storage/traces/conformance/analytics.ts";
import { conformsInAnalyticsOfAnnotations } from "../../apps/server/src/storage/traces/conformance/analytics-of-annotations.ts";
import { conformsInAnalyticsOfErrors } from "../../apps/server/src/storage/traces/conformance/analytics-of-errors.ts";
import { conformsInAnnotations } from "../../apps/server/src/storage/traces/conformance/annotations.ts";
import { conformsInCosts } from "../../apps/server/src/storage/traces/conformance/costs.ts";
import { conformsInDeletes } from "../../apps/server/src/storage/traces/conformance/deletes.ts";
import { entitySuite } from "../../apps/server/src/storage/traces/conformance/entities.ts";
import { conformsInFilters } from "../../apps/server/src/storage/traces/conformance/filters.ts";
import { conformsInLists } from "../../apps/server/src/storage/traces/conformance/lists.ts";
import { conformsInRetention } from "../../apps/server/src/storage/traces/conformance/retention.ts";
import { conformsInRunningSpans } from "../../apps/server/src/storage/traces/conformance/running-spans.ts";
import { conformsInSpend } from "../../apps/server/src/storage/traces/conformance/spend.ts";
import type { OpenStore } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { conformsInTotals } from "../../apps/server/src/storage/traces/conformance/totals.ts";
import { conformsInNewProjects, conformsInWrites } from "../../apps/server/src/storage/traces/conformance/writes.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { HARMFUL_PROFILE } from "./harmful-profile.ts";
import { openStore } from "./open-store.ts";

const test = testWith("any clickhouse");
/** Random filters of each target, others in each run; each page of a list asks several statements, so there are fewer than elsewhere. */
const FILTERS = 5;
const QUESTIONS = 5;

let clickhouse: readonly ClickHouse[] = [];

// Random filters have any(…) of annotations.
describe.skipIf(test === vitest.skip)("K01 K04 K37 traces in ClickHouse", () => {
	beforeAll(async () => {
		// What statements mean does not depend on the profile.
		const start = () => startClickHouse({ profile: HARMFUL_PROFILE });
		clickhouse = await Promise.all([start(), start()]);
	});
	afterAll(async () => {
		await Promise.all(clickhouse.map((engine) => engine[Symbol.asyncDispose]()));
	});

	describe("K63 on two shards, beside PostgreSQL", () => conforms(() => openStore(clickhouse)));
	// All routes run on one shard beside SQLite, too; here is what a write asks of SQLite.
	describe("on one shard, beside SQLite", () =>
		conformsInNewProjects(() => openStore(clickhouse.slice(0, 1), "sqlite")));
});

function conforms(open: OpenStore): void {
	conformsInWrites(open);
	conformsInNewProjects(open);
	// Each seed and each small batch asks ClickHouse thousands of statements; the other databases run them all.
	conformsInDeletes(open, [2], 4);
	conformsInSpend(open);
	conformsInAnalytics(open, QUESTIONS);
	conformsInAnalyticsOfAnnotations(open, QUESTIONS);
	conformsInAnalyticsOfErrors(open, QUESTIONS);
	entitySuite(open);
	conformsInAnnotations(open);
	conformsInLists(open, { sorted: 16, scored: [7] });
	conformsInFilters(open, FILTERS);
	conformsInTotals(open, [3], [15]);
	conformsInRunningSpans(open, [22], [24]);
	conformsInRetention(open);
	conformsInCosts(open, [1]);
}
