import { traceStoreConformance } from "../conformance.ts";
import { openTestStore } from "./test-store.ts";

traceStoreConformance("SQLite", () => openTestStore());
