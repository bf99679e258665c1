import { isDeepStrictEqual } from "node:util";
import type { Transaction } from "kysely";
import { ConfigError } from "#base/config.ts";
import type { DeclaredConnection } from "#base/model-connections/read-declared.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { findConnectionNamed, insertConnection, updateConnection } from "./queries.ts";
import { definitionOf } from "./stored-definition.ts";

/**
 * Gives each connection of the settings a row, by its name, to which budgets and evaluators refer; the row has no
 * credential. One that is not in the settings any more is switched off, and keeps what refers to it.
 * @throws ConfigError when a connection that was made over REST has one of the names
 */
export async function syncDeclared(db: Database, declared: readonly DeclaredConnection[], now: number): Promise<void> {
	const anyRow = await db.read
		.selectFrom("model_connections")
		.select("id")
		.where("origin", "=", "settings")
		.executeTakeFirst();
	if (declared.length === 0 && anyRow === undefined) return;
	await db.write(async (transaction) => {
		const taken: string[] = [];
		for (const entry of declared) {
			if (!(await syncOne(transaction, entry, now))) taken.push(entry.definition.name);
		}
		if (taken.length > 0) {
			throw new ConfigError(
				taken.map(
					(name) =>
						`SERVICE_MODEL_CONNECTIONS declares ${JSON.stringify(name)}, and a connection of this name was made in Settings → Models: delete or rename one of the two`,
				),
			);
		}
		await switchOffOthers(transaction, new Set(declared.map(({ definition }) => definition.name)), now);
	});
}

/** @returns false when the name belongs to a connection that the settings did not declare */
async function syncOne(
	transaction: Transaction<Tables>,
	{ definition }: DeclaredConnection,
	now: number,
): Promise<boolean> {
	const row = await findConnectionNamed(transaction, definition.name);
	if (row === undefined) {
		await insertConnection(transaction, definition, { origin: "settings", isConfirmed: true, userId: null, now });
	} else if (row.origin === "api") return false;
	else if (!isDeepStrictEqual(definitionOf(row), definition)) {
		await updateConnection(transaction, row, definition, { now });
	}
	return true;
}

async function switchOffOthers(
	transaction: Transaction<Tables>,
	declared: ReadonlySet<string>,
	now: number,
): Promise<void> {
	const rows = await transaction
		.selectFrom("model_connections")
		.selectAll()
		.where("origin", "=", "settings")
		.where("is_enabled", "=", 1)
		.execute();
	for (const row of rows) {
		if (!declared.has(row.name)) {
			await updateConnection(transaction, row, { ...definitionOf(row), enabled: false }, { now });
		}
	}
}
