import type { ClientBase } from "pg";
import { query } from "../read/query.ts";

const known = new WeakMap<ClientBase, string>();

/**
 * The collation, in SQL, whose `lower` equals that of JavaScript. A PostgreSQL without ICU has none; then it is the
 * database's own.
 */
export async function lowerCollation(client: ClientBase): Promise<string> {
	const found = known.get(client);
	if (found !== undefined) return found;
	const rows = await query(client, "select 1 from pg_collation where collname = 'und-x-icu' limit 1");
	const collation = rows.length > 0 ? '"und-x-icu"' : '"default"';
	known.set(client, collation);
	return collation;
}
