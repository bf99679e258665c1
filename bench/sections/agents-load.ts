import { ADMIN_SECRET, asAdmin, startWithAuth } from "../../e2e/access/accounts.ts";
import { callAtOnce } from "../../e2e/agents/crowd.ts";
import type { TestServer } from "../../e2e/server.ts";
import { describeSpread, type Figure, quantile } from "../figure.ts";
import { compareRates, inTurns } from "../in-turns.ts";
import { headerFlags, PROJECT, sendLoad, warmUp } from "../load-generator.ts";

const RUNS = 5;
const SPANS = 102_400;
const CALLS = 1_000;
/** One agent that has run wild, and a team's. */
const CROWDS = [1, 25] as const;
const ENV = {
	SERVICE_ENABLE_PROMETHEUS: "true",
	SERVICE_ENABLE_TEXT_INDEX: "false",
} as const;

/** What a thousand calls of MCP at once do to receiving, and to whoever else asks. */
export async function measureAgentsUnderLoad(): Promise<Figure[]> {
	await using server = await startWithAuth(ENV, undefined, { inProcess: false });
	const [sender = ""] = await makeKeys(server, 1);
	const authorized = headerFlags({ authorization: `Bearer ${sender}` });
	await warmUp("-url", server.url, ...authorized);
	const send = async () => {
		const flags = ["-url", server.url, "-spans", String(SPANS), "-conc", "4", ...authorized];
		return (await sendLoad(...flags)).acked_spans_per_s;
	};
	const figures: Figure[] = [];
	for (const callers of CROWDS) {
		const lateness: number[] = [];
		const refused: number[] = [];
		const rates = await inTurns(RUNS, {
			alone: send,
			beside: async () => {
				// Those of the turn before have used up their minute.
				const keys = await makeKeys(server, callers);
				await readLateness(server);
				const [rate, { statuses }] = await Promise.all([
					send(),
					callAtOnce(server, keys, CALLS, "search_traces", { project: PROJECT, limit: 5 }),
				]);
				lateness.push(await readLateness(server));
				refused.push(statuses.get(429) ?? 0);
				const answered = [...statuses.keys()].filter((status) => status !== 200 && status !== 429);
				if (answered.length > 0) throw new Error(`calls were answered with ${answered.join(", ")}`);
				return rate;
			},
		});
		const whose = callers === 1 ? "one caller" : `${callers} callers`;
		const name = `while ${CALLS} calls of MCP by ${whose} arrive at once`;
		// The first turn does not count.
		const counted = lateness.slice(1);
		figures.push(compareRates(`ingest ${name}`, rates.beside, rates.alone, 90, `spans/s, ${SPANS} sent by 4 senders`), {
			name: `p99 of how late the event loop is ${name}, and spans are received`,
			value: quantile(counted, 0.5),
			unit: "ms",
			target: { atMost: 100 },
			detail: `median; ${describeSpread(counted)}; ${quantile(refused, 0.5)} calls were refused with 429`,
		});
	}
	return figures;
}

async function makeKeys(server: TestServer, count: number): Promise<string[]> {
	const keys: string[] = [];
	while (keys.length < count) {
		const data = { name: `caller ${keys.length}` };
		keys.push((await asAdmin(server).data("POST", "/v1/system/api_keys", { data })).key);
	}
	return keys;
}

/** Milliseconds, since it was read before. */
async function readLateness(server: TestServer): Promise<number> {
	const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_SECRET}` } });
	const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(await response.text()) ?? [];
	if (seconds === undefined) throw new Error("the metrics say nothing of the event loop");
	return Number(seconds) * 1_000;
}
