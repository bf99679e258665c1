import type { DatabaseSync } from "node:sqlite";

/** Calls of agents over MCP, the newest ones (`agents/calls/`). `user_id` is null while authentication is off. */
export function createAgentCalls(db: DatabaseSync): void {
	db.exec(`
		create table agent_calls (
			id integer primary key autoincrement,
			time integer not null,
			user_id integer references users (id) on delete cascade,
			tool text not null,
			client_name text,
			client_version text,
			outcome text not null check (outcome in ('ok', 'partial', 'refused', 'too_slow', 'cancelled', 'failed')),
			duration_ms real not null
		) strict;
		create index agent_calls_by_user on agent_calls (user_id, id);
		create index agent_calls_by_time on agent_calls (time);
	`);
}
