import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { Tables } from "#storage/schema.ts";
import type { AuditTarget } from "../auth/audit.ts";

export const MAX_CLIENTS = 10_000;
const HOUR_MICROS = 3_600_000_000;
export const UNUSED_MICROS = 7 * 24 * HOUR_MICROS;
export const WITHOUT_GRANT_MICROS = 30 * 24 * HOUR_MICROS;

type ClientRow = Selectable<Tables["oauth2_clients"]>;

/** A program as it is registered. */
export interface Client {
	/** Row number; undefined for one that is known by its document only, and was never authorized. */
	readonly id: number | undefined;
	/** `client_id` of the protocol. */
	readonly clientId: string;
	readonly kind: ClientRow["kind"];
	readonly name: string;
	readonly redirectUris: readonly string[];
	readonly deviceFlow: boolean;
	readonly disabled: boolean;
	/** Microseconds since 1970. */
	readonly createdAt: number;
}

const LOOPBACK_CALLBACKS = ["http://127.0.0.1/callback", "http://localhost/callback", "http://[::1]/callback"];

/** The clients that every installation knows, with the names and addresses of their command lines. */
const SEEDED = [
	{ clientId: "spanward-cli", name: "Spanward command line" },
	{ clientId: "phoenix-cli", name: "Phoenix command line" },
] as const;

export const SEEDED_NAMES: readonly string[] = SEEDED.flatMap(({ clientId, name }) => [clientId, name]);

/** Creates the seeded clients that are missing. */
export async function createSeededClients({ db, now }: Pick<WritingContext, "db" | "now">): Promise<void> {
	const known = await db.read.selectFrom("oauth2_clients").select("id").where("kind", "=", "seeded").execute();
	if (known.length === SEEDED.length) return;
	const rows = SEEDED.map(({ clientId, name }) => ({
		...({ public_id: clientId, kind: "seeded", name, redirect_uris: JSON.stringify(LOOPBACK_CALLBACKS) } as const),
		...({ device_flow: 1, disabled: 0, created_at: now(), created_by: null, last_used_at: null } as const),
	}));
	await db.write((transaction) =>
		transaction
			.insertInto("oauth2_clients")
			.values(rows)
			.onConflict((conflict) => conflict.column("public_id").doNothing())
			.execute(),
	);
}

const Uris = z.array(z.string());

export function parseUris(json: string): string[] {
	return Uris.parse(JSON.parse(json));
}

const MAX_CLIENT_ID = 2_048;

/** Whether a text can be a `client_id` (RFC 6749, A.1). PostgreSQL takes no others. */
export function isClientId(text: string): boolean {
	return text.length <= MAX_CLIENT_ID && /^[\x20-\x7e]+$/.test(text);
}

export async function findClient(db: Kysely<Tables>, clientId: string): Promise<Client | undefined> {
	if (!isClientId(clientId)) return undefined;
	const row = await db.selectFrom("oauth2_clients").selectAll().where("public_id", "=", clientId).executeTakeFirst();
	return row === undefined ? undefined : toClient(row);
}

export function toClient(row: ClientRow): Client {
	return {
		id: row.id,
		clientId: row.public_id,
		kind: row.kind,
		name: row.name,
		redirectUris: parseUris(row.redirect_uris),
		deviceFlow: row.device_flow === 1,
		disabled: row.disabled === 1,
		createdAt: row.created_at,
	};
}

export interface NewClient {
	readonly clientId: string;
	readonly kind: ClientRow["kind"];
	readonly name: string;
	readonly redirectUris: readonly string[];
	readonly deviceFlow: boolean;
	readonly createdBy: number | null;
	readonly now: number;
}

/** @throws UserError 429 when there are too many */
export async function insertClient(transaction: Transaction<Tables>, client: NewClient): Promise<ClientRow> {
	await makeRoom(transaction, client.now);
	return await transaction
		.insertInto("oauth2_clients")
		.values({
			public_id: client.clientId,
			kind: client.kind,
			name: client.name,
			redirect_uris: JSON.stringify(client.redirectUris),
			device_flow: client.deviceFlow ? 1 : 0,
			disabled: 0,
			created_at: client.now,
			created_by: client.createdBy,
			last_used_at: null,
		})
		.returningAll()
		.executeTakeFirstOrThrow();
}

/** Of clients that registered themselves and were never used, the oldest goes first: a flood of them fills no database. */
async function makeRoom(transaction: Transaction<Tables>, now: number): Promise<void> {
	const { count } = await transaction
		.selectFrom("oauth2_clients")
		.select((select) => select.fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (Number(count) < MAX_CLIENTS) return;
	const unused = await transaction
		.selectFrom("oauth2_clients")
		.select("id")
		.where("kind", "in", ["registered", "metadata"])
		.where("last_used_at", "is", null)
		.where("created_at", "<", now - HOUR_MICROS)
		.orderBy("id")
		.limit(1)
		.executeTakeFirst();
	if (unused === undefined) {
		const message = `There are ${MAX_CLIENTS} clients already; an admin deletes those that nobody needs.`;
		throw new UserError(429, "too_many_clients", message, { retryAfter: 3_600 });
	}
	await transaction.deleteFrom("oauth2_clients").where("id", "=", unused.id).execute();
}

/** Deletes clients that registered themselves and that nobody uses. */
export async function deleteUnusedClients(transaction: Transaction<Tables>, now: number): Promise<void> {
	await transaction
		.deleteFrom("oauth2_clients")
		.where("kind", "in", ["registered", "metadata"])
		.where(({ eb, and, or, not, exists, selectFrom }) =>
			and([
				not(
					exists(
						selectFrom("oauth2_grants")
							.select(sql<number>`1`.as("one"))
							.whereRef("client_id", "=", "oauth2_clients.id"),
					),
				),
				or([
					and([eb("last_used_at", "is", null), eb("created_at", "<", now - UNUSED_MICROS)]),
					eb("last_used_at", "<", now - WITHOUT_GRANT_MICROS),
				]),
			]),
		)
		.execute();
}

/** A client as the audit log names it. */
export function clientTarget({ id, name }: Pick<ClientRow, "id" | "name">): AuditTarget {
	return { type: "oauth2_client", id, name };
}
