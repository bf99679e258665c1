import { CrashLoad, findLosses } from "../../e2e/crash.ts";
import { startServer } from "../../e2e/server.ts";
import { type Figure, formatNumber } from "../figure.ts";

const ROUNDS = 20;

/** Kills the server twenty times under full load. */
export async function measureCrashes(): Promise<Figure[]> {
	await using server = await startServer();
	const load = new CrashLoad();
	for (let round = 0; round < ROUNDS; round++) await load.crash(server, Math.random() * 1_500);
	const losses = await findLosses(server, load.acknowledged);
	for (const line of losses.slice(0, 20)) console.error(line);
	return [
		{
			name: `spans lost, doubled or miscounted after ${ROUNDS} × kill -9`,
			value: losses.length,
			unit: "",
			target: { atMost: 0 },
			detail: `${formatNumber(load.acknowledged.size)} acknowledged spans, traces, sessions and metrics compared`,
		},
	];
}
