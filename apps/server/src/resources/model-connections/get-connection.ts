import type { Kysely } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { findConnection } from "#models/connections/queries.ts";
import type { ConnectionRow } from "#models/connections/stored-definition.ts";
import type { Tables } from "#storage/schema.ts";

/** @throws UserError 422 for what is no id, 404 when there is no such connection */
export async function getConnection(db: Kysely<Tables>, text: string): Promise<ConnectionRow> {
	const id = decodeGlobalId(text, "ModelConnection");
	if (id === undefined) {
		throw new UserError(422, "invalid_model_connection_id", `Invalid model connection id: ${text.slice(0, 100)}`);
	}
	const row = await findConnection(db, id);
	if (row === undefined) throw notFound("model_connection_not_found", "There is no such model connection");
	return row;
}
