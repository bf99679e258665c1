import { sql, type Transaction } from "kysely";
import { WriteBehind } from "#base/write-behind.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { table } from "#storage/sql-pieces.ts";

const TABLES = ["api_keys", "login_sessions", "oauth2_grants"] as const;
type Used = (typeof TABLES)[number];

interface Use {
	readonly at: number;
	/** Where a key or program was used from. */
	readonly ip?: string;
}

interface Refused {
	readonly at: number;
	readonly code: string;
}

const RESOLUTION_MICROS = 60_000_000;
const DELAY_MS = 1_000;
/** Beyond it, what was noted is forgotten, so that it is noted again. */
const MAX_REMEMBERED = 10_000;
const MAX_IP = 64;

/**
 * Notes when, and keys and programs also from where, keys, programs and sessions were last used, and when and why a key was last refused; to the
 * minute: at most one write a minute for each, many in one.
 */
export class LastUses implements AsyncDisposable {
	readonly #db: Database;
	#waiting: Readonly<Record<Used, Map<number, Use>>> = none();
	#refused = new Map<number, Refused>();
	/** The last refusal of each key that was noted. */
	readonly #noted = new Map<number, Refused>();
	readonly #later: WriteBehind;

	constructor(db: Database, onError: (error: unknown) => void) {
		this.#db = db;
		this.#later = new WriteBehind(() => this.#write().catch(onError), DELAY_MS);
	}

	/** @param lastUsedAt what the row says, microseconds */
	note(table: Used, id: number, lastUsedAt: number | null, now: number, ip?: string): void {
		if (lastUsedAt !== null && now - lastUsedAt < RESOLUTION_MICROS) return;
		this.#waiting[table].set(id, { at: now, ...(ip === undefined ? {} : { ip: ip.slice(0, MAX_IP) }) });
		this.#later.soon();
	}

	/** @param code that of the error */
	noteRefused(keyId: number, code: string, now: number): void {
		const before = this.#noted.get(keyId);
		if (before !== undefined && before.code === code && now - before.at < RESOLUTION_MICROS) return;
		if (this.#noted.size >= MAX_REMEMBERED) this.#noted.clear();
		this.#noted.set(keyId, { at: now, code });
		this.#refused.set(keyId, { at: now, code });
		this.#later.soon();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#later[Symbol.asyncDispose]();
	}

	async #write(): Promise<void> {
		const waiting = this.#waiting;
		const refused = this.#refused;
		if (TABLES.every((table) => waiting[table].size === 0) && refused.size === 0) return;
		this.#waiting = none();
		this.#refused = new Map();
		await this.#db.write(async (transaction) => {
			for (const name of TABLES) await noteUses(transaction, name, waiting[name]);
			await noteRefusals(transaction, refused);
		});
	}
}

async function noteUses(transaction: Transaction<Tables>, name: Used, uses: ReadonlyMap<number, Use>): Promise<void> {
	if (uses.size === 0) return;
	const rows = [...uses].map(([id, { at, ip }]) => [id, at, ip ?? null]);
	const used = sql.table(name);
	const isFromSomewhere = name !== "login_sessions";
	await sql`
		update ${used} set last_used_at = noted.at
			${isFromSomewhere ? sql`, last_used_ip = coalesce(noted.ip, ${used}.last_used_ip)` : sql``}
		from ${table("noted", { id: "bigint", at: "bigint", ip: "text" }, rows)}
		where ${used}.id = noted.id and (${used}.last_used_at is null or ${used}.last_used_at < noted.at)`.execute(
		transaction,
	);
}

async function noteRefusals(transaction: Transaction<Tables>, refused: ReadonlyMap<number, Refused>): Promise<void> {
	if (refused.size === 0) return;
	const rows = [...refused].map(([id, { at, code }]) => [id, at, code]);
	await sql`
		update api_keys set last_refused_at = noted.at, last_refused_code = noted.code
		from ${table("noted", { id: "bigint", at: "bigint", code: "text" }, rows)}
		where api_keys.id = noted.id
			and (api_keys.last_refused_at is null or api_keys.last_refused_at < noted.at)`.execute(transaction);
}

function none(): Record<Used, Map<number, Use>> {
	return { api_keys: new Map(), login_sessions: new Map(), oauth2_grants: new Map() };
}
