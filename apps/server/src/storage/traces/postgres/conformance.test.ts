import { describe } from "vitest";
import { HAS_POSTGRES } from "#storage/postgres/test-postgres.ts";
import { traceStoreConformance } from "../conformance.ts";
import { openTestStore } from "./test-store.ts";

describe.skipIf(!HAS_POSTGRES)("on PostgreSQL", () =>
	traceStoreConformance("PostgresTraceStore", () => openTestStore()),
);
