import { traceStoreConformance } from "../conformance.ts";
import { openTestStore } from "./test-store.ts";

/** Random filters and questions are others in each run. Each of the other databases has seeds of its own. */
const AMOUNTS = {
	questions: 25,
	seeds: { totals: [1, 2], runningSpans: [23], deletes: [2, 3], costs: [1] },
};

traceStoreConformance("SQLite", () => openTestStore(), AMOUNTS);
