import { afterAll, beforeAll, describe, test as vitest } from "vitest";
import { conformsInAnnotations } from "../../apps/server/src/storage/traces/conformance/annotations.ts";
import { conformsInCosts } from "../../apps/server/src/storage/traces/conformance/costs.ts";
import { conformsInDeletes } from "../../apps/server/src/storage/traces/conformance/deletes.ts";
import { entitySuite } from "../../apps/server/src/storage/traces/conformance/entities.ts";
import { conformsInFilters } from "../../apps/server/src/storage/traces/conformance/filters.ts";
import { conformsInLists } from "../../apps/server/src/storage/traces/conformance/lists.ts";
import { conformsInRetention } from "../../apps/server/src/storage/traces/conformance/retention.ts";
import { conformsInRunningSpans } from "../../apps/server/src/storage/traces/conformance/running-spans.ts";
import type { OpenStore } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { conformsInTotals } from "../../apps/server/src/storage/traces/conformance/totals.ts";
import { conformsInWrites } from "../../apps/server/src/storage/traces/conformance/writes.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { HARMFUL_PROFILE } from "./harmful-profile.ts";
import { openStore } from "./open-store.ts";

const test = testWith("any clickhouse");
/** Random filters of each target; each page of a list asks several statements, so there are fewer than elsewhere. */
const FILTERS = 25;

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
	// All routes run on one shard beside SQLite, too.
	describe("on one shard, beside SQLite", () => conformsInWrites(() => openStore(clickhouse.slice(0, 1), "sqlite")));
});

function conforms(open: OpenStore): void {
	conformsInWrites(open);
	// Each seed and each small batch asks ClickHouse thousands of statements; the other databases run them all.
	conformsInDeletes(open, [2]);
	entitySuite(open);
	conformsInAnnotations(open);
	conformsInLists(open);
	conformsInFilters(open, FILTERS);
	conformsInTotals(open, [3], [5, 81]);
	conformsInRunningSpans(open, [22], [8, 200]);
	conformsInRetention(open);
	conformsInCosts(open, [1]);
}
