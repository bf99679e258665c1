import type pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { connectionConfig, makeClient, UNLIMITED } from "./connection.ts";

/**
 * Connects to the primary and begins a transaction that reads one moment, whatever servers write meanwhile and for as
 * long as it takes. It can write nothing.
 * @param name shown in `pg_stat_activity`
 */
export async function openSnapshot(settings: PostgresSettings, name: string): Promise<pg.Client> {
	const client = makeClient(connectionConfig(settings, settings.primary, { name, ...UNLIMITED }));
	try {
		await client.connect();
		await client.query("begin isolation level repeatable read read only");
		return client;
	} catch (error) {
		await client.end().catch(() => undefined);
		throw error;
	}
}
