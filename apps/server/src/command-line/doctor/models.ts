import { deriveSigningKeys } from "#access/auth/signing-keys.ts";
import type { Step } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import { MAX_CONNECTIONS } from "#base/model-connections/connection-schemas.ts";
import type { ConnectionDefinition } from "#base/model-connections/definition.ts";
import { createOutgoing } from "#base/outgoing/create-outgoing.ts";
import type { OutgoingGuard } from "#base/outgoing/outgoing-guard.ts";
import { listHeld } from "#models/connections/credentials.ts";
import { connectionKeys, openConnection } from "#models/connections/open-connection.ts";
import { listConnections } from "#models/connections/queries.ts";
import { definitionOf } from "#models/connections/stored-definition.ts";
import { addressOf } from "#models/connections/target.ts";
import { ModelError } from "#models/model-error.ts";
import type { Database } from "#storage/database.ts";
import type { ReportStep, Section } from "./report.ts";

interface Checked {
	readonly definition: ConnectionDefinition;
	/** Whether an admin has seen what was made while authentication was off. */
	readonly isConfirmed: boolean;
}

/** Goes the way to each model connection's host, as the server would, and sends it nothing. */
export async function checkModels(config: Config, database: Database | undefined): Promise<readonly Section[]> {
	const connections = [...(await listStored(database)), ...listDeclared(config)];
	if (connections.length === 0) return [];
	const title = "Model connections";
	if (!config.SERVICE_ENABLE_MODEL_CALLS) {
		return [{ title, steps: [step("settings", "skipped", "Calls to models are off: SERVICE_ENABLE_MODEL_CALLS.")] }];
	}
	await using outgoing = createOutgoing(config);
	const steps = await Promise.all(connections.map((connection) => check(outgoing, config, connection)));
	return [{ title, steps: [...(await checkCredentials(config, database)), ...steps.flat()] }];
}

/** Opens the stored credentials of each connection as a call would, and shows none. */
async function checkCredentials(config: Config, database: Database | undefined): Promise<readonly ReportStep[]> {
	if (database === undefined) return [];
	const keys = connectionKeys(config, { keys: deriveSigningKeys(config) });
	const rows = await listConnections(database.read, { limit: 2 * MAX_CONNECTIONS });
	const stored = rows.filter(({ origin }) => origin === "api");
	const held = await listHeld(
		database.read,
		stored.map(({ id }) => id),
	);
	const steps: ReportStep[] = [];
	for (const { id, name } of stored) {
		if (!held.some(({ connection_id: of }) => of === id)) continue;
		try {
			await openConnection(database.read, keys, id);
			steps.push(step("secrets", "ok", `${name}: its credentials can be decrypted.`));
		} catch (error) {
			if (!(error instanceof ModelError)) throw error;
			const settings = error.code === "authentication" ? ["SERVICE_SECRET", "SERVICE_SECRET_PREVIOUS"] : [];
			steps.push({ ...step("secrets", "failed", `${error.message}.`), settings });
		}
	}
	return steps;
}

async function listStored(database: Database | undefined): Promise<readonly Checked[]> {
	if (database === undefined) return [];
	const rows = await listConnections(database.read, { limit: 2 * MAX_CONNECTIONS });
	return rows
		.filter(({ origin }) => origin === "api")
		.map((row) => ({ definition: definitionOf(row), isConfirmed: row.is_confirmed === 1 }));
}

function listDeclared({ SERVICE_MODEL_CONNECTIONS: declared }: Config): readonly Checked[] {
	return declared.map(({ definition }) => ({ definition, isConfirmed: true }));
}

async function check(outgoing: OutgoingGuard, config: Config, checked: Checked): Promise<readonly ReportStep[]> {
	const { name, enabled } = checked.definition;
	if (!enabled) return [step("address", "skipped", `${name}: it is switched off.`)];
	if (config.SERVICE_ENABLE_AUTH && !checked.isConfirmed) {
		const text = `${name}: it was made or changed while authentication was off; confirm it in Settings → Models.`;
		return [step("address", "warning", text)];
	}
	const address = addressOf(checked.definition);
	if (address === undefined) return [step("address", "failed", `${name}: it has no address.`)];
	const way = await outgoing.probe(address);
	return way.map(({ name: at, seen, fault }) => {
		const as = at === "certificate" ? "tls" : at;
		const settings = fault?.setting === undefined ? [] : [fault.setting];
		const facts = [{ name: "address", value: address }];
		return { ...step(as, fault === undefined ? "ok" : "failed", `${name}: ${seen}`), settings, facts };
	});
}

function step(name: string, outcome: Step["outcome"], text: string): ReportStep {
	return { name, outcome, text, settings: [], facts: [] };
}
