import { parentPort, workerData } from "node:worker_threads";
import type { ClickHouseWriterOptions } from "../../apps/server/src/storage/traces/clickhouse/trace-writer.ts";
import { openTraceWriter } from "../../apps/server/src/storage/traces/open-trace-writer.ts";
import { readStoredTexts } from "../../apps/server/src/storage/traces/span-meaning.ts";
import { type TestSpan, testSpan } from "../../apps/server/src/storage/traces/test-spans.ts";

/** A thread that writes what it is sent, and answers with the number of spans that were new. */
const writer = await openTraceWriter(workerData as ClickHouseWriterOptions, readStoredTexts);
parentPort?.on("message", async (spans: readonly TestSpan[]) => {
	const { written } = await writer.write(spans.map(testSpan), []);
	parentPort?.postMessage(written);
});
