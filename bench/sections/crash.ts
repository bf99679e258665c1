import { CrashLoad, connectByGrpc, connectByHttp, findLosses, type Sender } from "../../e2e/crash.ts";
import { startPostgres } from "../../e2e/peers/postgres.ts";
import { type ServerOptions, startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber } from "../figure.ts";

const ROUNDS = 20;

/** Kills the server twenty times under full load, for each protocol and each database. */
export async function measureCrashes(): Promise<Figure[]> {
	await using postgres = await startPostgres({ settings: { fsync: "on", synchronous_commit: "on" } });
	const { url } = postgres;
	return [
		await killTwentyTimes("HTTP, SQLite", connectByHttp, {}),
		await killTwentyTimes("gRPC, SQLite", connectByGrpc, {}),
		await killTwentyTimes("HTTP, PostgreSQL", connectByHttp, { storage: { url, schema: "http" } }),
		await killTwentyTimes("gRPC, PostgreSQL", connectByGrpc, { storage: { url, schema: "grpc" } }),
	];
}

async function killTwentyTimes(
	name: string,
	connect: (server: TestServer) => Sender,
	options: ServerOptions,
): Promise<Figure> {
	await using server = await startServer(options);
	const load = new CrashLoad(connect);
	for (let round = 0; round < ROUNDS; round++) await load.crash(server, Math.random() * 1_500);
	const losses = await findLosses(server, load.acknowledged);
	for (const line of losses.slice(0, 20)) console.error(line);
	return {
		name: `spans lost, doubled, miscounted or not found after ${ROUNDS} × kill -9: ${name}`,
		value: losses.length,
		unit: "",
		target: { atMost: 0 },
		detail: `${formatNumber(load.acknowledged.size)} acknowledged spans, traces, sessions and metrics compared, a word of each request searched for`,
	};
}
