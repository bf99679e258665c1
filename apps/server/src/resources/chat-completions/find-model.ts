import type { Kysely, Selectable } from "kysely";
import { decodeGlobalId } from "#http/global-ids.ts";
import { MODEL_PROVIDERS, type ModelProvider } from "#models/definition-schemas.ts";
import { whyNot } from "#models/ledger/may-call.ts";
import type { Tables } from "#storage/schema.ts";
import { ChatError } from "./chat-error.ts";
import { modelProviderOf } from "./model-providers.ts";

type Row = Selectable<Tables["model_connections"]>;

interface Asker {
	readonly isAdmin: boolean;
	/** Whether authentication is on, so that what was made without it has to be confirmed. */
	readonly needsConfirmed: boolean;
}

export interface FoundModel {
	readonly connectionId: number;
	readonly model: string;
}

/**
 * The connection and model that a name means: `<connection>:<model>`, `custom:<id>:<model>`, or `<provider>:<model>`. A
 * connection's name goes before a provider's.
 * @throws ChatError
 */
export async function findModel(db: Kysely<Tables>, name: string, asker: Asker): Promise<FoundModel> {
	const rows = await db.selectFrom("model_connections").selectAll().orderBy("id").execute();
	const { row, model } = findNamed(rows, name) ?? findCustom(rows, name) ?? findOfProvider(rows, name, asker);
	if (model === "") throw unknown(name);
	return { connectionId: row.id, model };
}

interface Found {
	readonly row: Row;
	readonly model: string;
}

/** Names of connections have no colon, those of models may. */
function findNamed(rows: readonly Row[], name: string): Found | undefined {
	const [prefix, model] = cut(name);
	const row = rows.find((one) => one.name === prefix);
	return row === undefined ? undefined : { row, model };
}

function cut(name: string): readonly [before: string, after: string] {
	const colon = name.indexOf(":");
	return colon === -1 ? ["", name] : [name.slice(0, colon), name.slice(colon + 1)];
}

function findCustom(rows: readonly Row[], name: string): Found | undefined {
	const [prefix, rest] = cut(name);
	if (prefix !== "custom") return undefined;
	const [id, model] = cut(rest);
	const number = decodeGlobalId(id, "GenerativeModelCustomProvider") ?? decodeGlobalId(id, "ModelConnection");
	const row = rows.find((one) => one.id === number);
	return row === undefined ? undefined : { row, model };
}

/** Of the connections to the provider, the first that may be used, best one that names the model. */
function findOfProvider(rows: readonly Row[], name: string, { isAdmin, needsConfirmed }: Asker): Found {
	const [prefix, model] = cut(name);
	const provider = providerNamed(prefix);
	if (provider === undefined) throw unknown(name);
	const candidates = rows.filter((row) => modelProviderOf(row) === provider);
	const rank = (row: Row) => {
		if (whyNot(row, { model, isAdmin, needsConfirmed }) !== undefined) return 0;
		return 1 + (row.failing_code === null ? 1 : 0) + (row.models === null && row.default_model !== model ? 0 : 2);
	};
	const [best] = candidates.toSorted((a, b) => rank(b) - rank(a));
	if (best !== undefined) return { row: best, model };
	const message = `There is no connection to ${provider}: an admin can add one in Settings → Models.`;
	throw new ChatError(400, "no_model_connection", message);
}

function providerNamed(text: string): ModelProvider | undefined {
	const wanted = text.toUpperCase().replaceAll("-", "_");
	return MODEL_PROVIDERS.find((provider) => provider === wanted);
}

function unknown(name: string): ChatError {
	return new ChatError(
		404,
		"model_not_found",
		`There is no model ${JSON.stringify(name.slice(0, 200))}: name it <connection>:<model>, <provider>:<model>, or custom:<id>:<model>; GET /v1/model_connections lists the connections.`,
	);
}
