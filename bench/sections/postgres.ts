import { setTimeout as sleep } from "node:timers/promises";
import { settingsOfAddress } from "../../apps/server/src/command-line/postgres-address.ts";
import { checkIntegrity } from "../../apps/server/src/storage/traces/postgres/check-integrity.ts";
import { WITH_ACCOUNTS } from "../../e2e/access/accounts.ts";
import { ENDED, Rights } from "../../e2e/cluster/rights.ts";
import { type Postgres, startPostgres } from "../../e2e/peers/postgres.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { sendLoad, warmUp } from "../load-generator.ts";
import { readSettledCpu } from "../process-cpu.ts";
import { measureQueries, measureRates, PROBE_SPANS } from "./million.ts";

const MILLION = 1_000_000;
const SHARED_SPANS = 51_200;
const TURNS = 5;
const RIGHTS = 50;

/** PostgreSQL on this machine that waits for the disk, and commits that wait for it, with the memory of a small server. */
export const DURABLE = { fsync: "on", synchronous_commit: "on", shared_buffers: "512MB", max_wal_size: "4GB" };

/** The service on PostgreSQL: generator, servers and database share this machine. */
export async function measurePostgres(): Promise<Figure[]> {
	await using postgres = await startPostgres({ settings: DURABLE });
	return [
		...(await measureOneServer(postgres)),
		...(await measureTwoServers(postgres)),
		await measureEndedRights(postgres),
	];
}

async function measureOneServer({ url }: Postgres): Promise<Figure[]> {
	await using server = await startServer({ storage: { url, schema: "one" } });
	await warmUp("-url", server.url);
	const empty = await measureRates(server, 3);
	const stored = 25_600 + 3 * PROBE_SPANS;
	await sendLoad("-url", server.url, "-spans", String(MILLION - stored), "-pool", "400", "-conc", "4");
	// Signatures are grouped behind the load.
	await readSettledCpu(server.pid);
	const queries = await measureQueries(server, "1 M", { atMostMs: 30 });
	const full = await measureRates(server, 3);
	return [
		{
			name: "durable spans/s into PostgreSQL, one process",
			value: quantile(empty, 0.5),
			unit: "spans/s",
			target: { atLeast: 25_000 },
			detail: `${describeSpread(empty)}; 512 a request, 4 senders, fsync on`,
		},
		{
			name: "rate at 1,000,000 spans stored in PostgreSQL against empty",
			value: (quantile(full, 0.5) / quantile(empty, 0.5)) * 100,
			unit: "%",
			target: { atLeast: 80 },
			detail: `at 1 M ${describeSpread(full)}`,
		},
		...queries.map((figure) => ({ ...figure, name: `PostgreSQL: ${figure.name}` })),
	];
}

/** In turns, so that what else the machine does meets both. */
async function measureTwoServers({ url }: Postgres): Promise<Figure[]> {
	const storage = { url, schema: "two" };
	await using one = await startServer({ storage });
	await using other = await startServer({ storage });
	await Promise.all([one, other].map((server) => warmUp("-url", server.url)));
	const alone: number[] = [];
	const together: number[] = [];
	for (let turn = 0; turn < TURNS; turn += 1) {
		alone.push(await rate([one]));
		together.push(await rate([one, other]));
	}
	const wrong = await checkIntegrity(settingsOfAddress(url, storage.schema, {}));
	for (const line of wrong.slice(0, 20)) console.error(line);
	return [
		{
			name: "spans/s of two processes against one",
			value: (quantile(together, 0.5) / quantile(alone, 0.5)) * 100,
			unit: "%",
			target: { atLeast: 100 },
			detail: `medians, in turns; ${describeSpread(together)} against ${describeSpread(alone)} spans/s`,
		},
		{
			name: "totals that differ from a recount after two processes wrote",
			value: wrong.length,
			unit: "",
			target: { atMost: 0 },
			detail: `${formatNumber(2 * 25_600 + 2 * TURNS * SHARED_SPANS)} spans; every trace, session and hour`,
		},
	];
}

/** From the answer of one server that a key, a session and a role are gone to the last answer of the other that knew them. */
async function measureEndedRights({ url }: Postgres): Promise<Figure> {
	const settings = { storage: { url, schema: "rights" }, authentication: false, env: WITH_ACCOUNTS };
	await using one = await startServer(settings);
	await using other = await startServer(settings);
	const times: number[] = [];
	for (let turn = 0; turn < RIGHTS; turn += 1) {
		const rights = await Rights.create(one);
		await rights.statuses(other);
		await rights.end(one);
		const start = performance.now();
		while (String(await rights.statuses(other)) !== String(ENDED)) await sleep(1);
		times.push(performance.now() - start);
	}
	return {
		name: "until rights that end on one server have ended on another, at most",
		value: Math.max(...times),
		unit: "ms",
		target: { atMost: 2_000 },
		detail: `${RIGHTS} times a deleted key, a log-out and a lost role, each known to both; p50 ${Math.round(quantile(times, 0.5))} ms`,
	};
}

/** Spans a second, sent to all servers at once with four senders in all. */
async function rate(servers: readonly TestServer[]): Promise<number> {
	const spans = String(SHARED_SPANS / servers.length);
	const senders = String(4 / servers.length);
	const start = performance.now();
	await Promise.all(servers.map((server) => sendLoad("-url", server.url, "-spans", spans, "-conc", senders)));
	return SHARED_SPANS / ((performance.now() - start) / 1_000);
}
