import type { Kysely, Selectable } from "kysely";
import { z } from "zod";
import type { Tables } from "#storage/schema.ts";
import { providerOf } from "./providers.ts";

type Row = Pick<
	Selectable<Tables["model_connections"]>,
	"id" | "name" | "kind" | "base_url" | "models" | "default_model" | "failing_code"
>;

const Models = z.array(z.string());

interface Wanted {
	/** As it was recorded. */
	readonly provider: string | undefined;
	readonly model: string | undefined;
	readonly isAdmin: boolean;
	/** Authentication is on: what was made without it is of no use until an admin confirms it. */
	readonly needsConfirmed: boolean;
}

/** The connection, of those that the caller may use, that has this model of this provider; undefined where none has. */
export async function findConnection(
	db: Kysely<Tables>,
	{ provider, model, isAdmin, needsConfirmed }: Wanted,
): Promise<number | undefined> {
	if (model === undefined) return undefined;
	let query = db
		.selectFrom("model_connections")
		.select(["id", "name", "kind", "base_url", "models", "default_model", "failing_code"])
		.where("is_enabled", "=", 1)
		.orderBy("id");
	if (needsConfirmed) query = query.where("is_confirmed", "=", 1);
	if (!isAdmin) query = query.where("use_by", "=", "members");
	const rows = await query.execute();
	const ranked = rows
		.map((row) => ({ id: row.id, rank: rankOf(row, { provider, model }) }))
		.filter(({ rank }) => rank > 0)
		.toSorted((a, b) => b.rank - a.rank || a.id - b.id);
	return ranked[0]?.id;
}

/** 0 where the connection does not have the model. */
function rankOf(row: Row, { provider, model }: { provider: string | undefined; model: string }): number {
	const models = row.models === null ? undefined : Models.parse(JSON.parse(row.models));
	const isNamed = models?.includes(model) === true || row.default_model === model;
	if (models !== undefined && !isNamed) return 0;
	const isOfProvider = fitsProvider(row, provider, model);
	if (!isNamed && !isOfProvider) return 0;
	return (isOfProvider ? 4 : 0) + (isNamed ? 2 : 0) + (row.failing_code === null ? 1 : 0);
}

function fitsProvider({ kind, name, base_url }: Row, provider: string | undefined, model: string): boolean {
	const { kinds } = providerOf(provider, model);
	if (!kinds.includes(kind)) return false;
	// Many are like OpenAI; which one this is, its name or address tells.
	const word = provider?.toLowerCase().split(/[^a-z0-9]/)[0] ?? "";
	return kind !== "openai_compatible" || (word !== "" && `${name} ${base_url}`.toLowerCase().includes(word));
}
