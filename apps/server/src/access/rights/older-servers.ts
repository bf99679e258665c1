import { UserError } from "#base/errors.ts";
import type { Cluster } from "#storage/cluster.ts";

/**
 * Refuses what a server of an older version on the same database would not heed.
 * @throws UserError 409 saying which
 */
export async function assertNoOlderServer(cluster: Pick<Cluster, "findOlderServers">): Promise<void> {
	const older = await cluster.findOlderServers();
	if (older.length === 0) return;
	throw new UserError(
		409,
		"older_server_running",
		`A server of an older version runs on the same database and would not heed this: upgrade or stop it first (${older.slice(0, 5).join("; ")}).`,
	);
}
