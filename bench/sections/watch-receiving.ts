import { startServer, type TestServer } from "../../e2e/server.ts";
import { databaseSize, settledFolderSize } from "../disk.ts";
import { type Figure, formatNumber } from "../figure.ts";
import { compareRates, inTurns } from "../in-turns.ts";
import { sendLoad, warmUp } from "../load-generator.ts";

const RUNS = 5;
const SPANS = 102_400;
const UNGROUPED = { SERVICE_ENABLE_ERROR_GROUPS: "false" };

/** What grouping failures takes from receiving and from the disk. */
export async function measureWatchReceiving(): Promise<Figure[]> {
	await using plain = await startServer({ env: UNGROUPED });
	await using grouping = await startServer();
	await using storm = await startServer();
	for (const { url } of [plain, grouping, storm]) await warmUp("-url", url);
	const send = async ({ url }: TestServer, ...flags: string[]) =>
		(await sendLoad("-url", url, "-spans", String(SPANS), "-conc", "4", ...flags)).acked_spans_per_s;
	const rates = await inTurns(RUNS, {
		plain: () => send(plain),
		grouping: () => send(grouping),
		storm: () => send(storm, "-failing"),
	});
	const [before, after] = [await sizeOf(plain), await sizeOf(grouping)];
	const unit = `spans/s, ${SPANS} sent by 4 senders`;
	return [
		compareRates("ingest with failures grouped, 1 in 50 failing", rates.grouping, rates.plain, 92, unit),
		compareRates("ingest with failures grouped, every span failing", rates.storm, rates.plain, 80, unit),
		{
			name: "bytes on disk that groups of failures add, 1 in 50 failing",
			value: 100 * (after / before - 1),
			unit: "%",
			target: { atMost: 6 },
			detail: `databases of equally many spans, settled: ${formatNumber(before)} and ${formatNumber(after)} B`,
		},
	];
}

/** Without the write-ahead log, whose size is that of what was last written at once. */
async function sizeOf(server: TestServer): Promise<number> {
	await settledFolderSize(server.workingDir);
	await server.stop();
	return databaseSize(server.workingDir);
}
