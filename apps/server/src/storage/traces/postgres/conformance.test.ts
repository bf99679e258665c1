import { describe } from "vitest";
import { HAS_POSTGRES } from "#storage/postgres/test-postgres.ts";
import { traceStoreConformance } from "../conformance.ts";
import { openTestStore } from "./test-store.ts";

/** Random filters and questions are others in each run. Each of the other databases has seeds of its own. */
const AMOUNTS = {
	...{ filters: 30, questions: 20 },
	seeds: { totals: [4], runningSpans: [21], deletes: [1], costs: [2] },
};

describe.skipIf(!HAS_POSTGRES)("on PostgreSQL", () =>
	traceStoreConformance("PostgresTraceStore", () => openTestStore(), AMOUNTS),
);
