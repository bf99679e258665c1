import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { connectionConfig, makeClient } from "./connection.ts";
import { PostgresOpenError, toOpenError } from "./open-errors.ts";

const RETRY_MS = 500;

/**
 * Connects to the primary. It may still be starting, so that servers and database can be started together in any order.
 * @param tell gets a sentence when it waits
 * @throws PostgresOpenError when there is no connection within `waitMs`, or waiting cannot help
 */
export async function connectToStart(
	settings: PostgresSettings,
	tell: (sentence: string) => void,
	waitMs: number,
): Promise<pg.Client> {
	const config = connectionConfig(settings, settings.primary, { name: "start", statementTimeoutMs: 0 });
	const deadline = performance.now() + waitMs;
	for (let tries = 1; ; tries += 1) {
		const client = makeClient(config);
		try {
			await client.connect();
			return client;
		} catch (cause) {
			await client.end().catch(() => undefined);
			const error = toOpenError(cause, settings);
			const mayPass = error instanceof PostgresOpenError && error.mayPass;
			if (!mayPass || performance.now() >= deadline) throw error;
			if (tries === 1) tell(`${error.message}; waiting for it for ${waitMs / 1_000} s`);
			await sleep(RETRY_MS);
		}
	}
}
