import { inject } from "vitest";
import type { ClickHouse } from "./clickhouse.ts";
import type { Keycloak } from "./keycloak.ts";
import type { Postgres } from "./postgres.ts";
import type { Samba } from "./samba.ts";

/** Peers that take too long, or too much, to be started for each file of tests. */
export interface SharedPeers {
	readonly keycloak: Keycloak;
	readonly samba: Samba;
	readonly postgres: Pick<Postgres, "url">;
	readonly clickhouse: Pick<ClickHouse, "url">;
}

declare module "vitest" {
	interface ProvidedContext {
		/** Port of the one who starts shared peers; see `shared-setup.ts`. */
		sharedPeersPort: number;
	}
}

/** What is to know of the peer; the first who asks has it started. @throws when it cannot be */
export async function useSharedPeer<Name extends keyof SharedPeers>(name: Name): Promise<SharedPeers[Name]> {
	const response = await fetch(`http://127.0.0.1:${inject("sharedPeersPort")}/${name}`);
	const text = await response.text();
	if (!response.ok) throw new Error(text);
	return JSON.parse(text);
}
