import { describe } from "vitest";
import { HAS_POSTGRES } from "#storage/postgres/test-postgres.ts";
import { traceStoreConformance } from "../conformance.ts";
import { openTestStore } from "./test-store.ts";

/** Random filters of each target, others in each run; on SQLite, which asks no other process, there are more. */
const FILTERS = 150;

describe.skipIf(!HAS_POSTGRES)("on PostgreSQL", () =>
	traceStoreConformance("PostgresTraceStore", () => openTestStore(), FILTERS),
);
