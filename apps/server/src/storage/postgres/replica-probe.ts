import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { SCHEMA_VERSION } from "./migrations.ts";
import { withProbeTimeout } from "./probe-timeout.ts";
import { WatchedConnection, type WatchSignals } from "./watched-connection.ts";

/** How often the replica is checked. */
const PROBE_MS = 2_000;

export interface ReplicaProbeOptions {
	/** A connection to the replica that is not open yet. */
	readonly makeClient: () => pg.Client;
	/** Called with the connection each time that the replica answered and has the tables of this Spanward. */
	readonly look: (client: pg.Client) => Promise<void>;
	/** After {@link look}. */
	readonly onUp: () => void;
	readonly onDown: (error: unknown) => void;
}

/** Checks every two seconds, until disposed of, whether traces can be read from a replica. */
export function probeReplica({ makeClient, look, onUp, onDown }: ReplicaProbeOptions): AsyncDisposable {
	const use = async (client: pg.Client, { ended, stopped }: WatchSignals) => {
		let wasUp = false;
		try {
			await withProbeTimeout(client.connect());
			while (!ended.aborted) {
				await withProbeTimeout(checkTables(client));
				await withProbeTimeout(look(client));
				wasUp = true;
				onUp();
				await sleep(PROBE_MS, undefined, { signal: ended }).catch(() => undefined);
			}
			return wasUp;
		} catch (error) {
			if (!stopped.aborted) onDown(error);
			return false;
		}
	};
	return new WatchedConnection({ makeClient, use, restMs: PROBE_MS });
}

/** The replica may lag behind the creation or the upgrade of the schema. */
async function checkTables(client: pg.Client): Promise<void> {
	const { rows } = await client.query(
		"select to_regclass('schema_version') is not null as has_version, to_regclass('traces') is not null as has_traces",
	);
	const isThere = rows[0]?.has_version === true && rows[0]?.has_traces === true;
	if (isThere) {
		const { rows: versions } = await client.query("select max(version) as version from schema_version");
		if (Number(versions[0]?.version) >= SCHEMA_VERSION) return;
	}
	throw new Error("it does not have the tables of this Spanward yet");
}
