import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Files that take a minute or more. Begun last, one of them would leave a worker alone with it at the end. */
const LONGEST = [
	"e2e/clickhouse/store.test.ts",
	"e2e/clickhouse/server.test.ts",
	"e2e/clickhouse/copy.test.ts",
	"e2e/schemathesis.test.ts",
	"e2e/clients-python.test.ts",
	"e2e/clickhouse/two-stores.test.ts",
	"e2e/clickhouse/crashes.test.ts",
	"e2e/cluster/faults.test.ts",
	"apps/server/src/storage/traces/postgres/conformance.test.ts",
	"e2e/clickhouse/integrity.test.ts",
	"e2e/clickhouse/server-outages.test.ts",
	"e2e/web/trace-page.test.ts",
	"apps/server/src/storage/traces/sqlite/conformance.test.ts",
];

/** Order of test files: the longest, the other ones of e2e, the rest. */
export default class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
	}
}

function rankOf({ moduleId }: TestSpecification): number {
	const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
	if (place >= 0) return place;
	return moduleId.includes("/e2e/") ? LONGEST.length : LONGEST.length + 1;
}
