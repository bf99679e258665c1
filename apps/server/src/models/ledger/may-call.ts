import { type ConnectionRow, modelsOf } from "../connections/stored-definition.ts";
import { ModelError } from "../model-error.ts";

export interface Caller {
	readonly model: string;
	readonly isAdmin: boolean;
	/** Whether authentication is on, so that what was made without it has to be confirmed. */
	readonly needsConfirmed: boolean;
}

/** Why a connection may not be used for a call; undefined when it may. */
export function whyNot(connection: ConnectionRow, caller: Caller): ModelError | undefined {
	const name = JSON.stringify(connection.name);
	if (connection.is_enabled === 0) {
		return new ModelError("connection_off", `The connection ${name} is switched off in Settings → Models.`);
	}
	if (connection.is_confirmed === 0 && caller.needsConfirmed) {
		return new ModelError(
			"connection_unconfirmed",
			`The connection ${name} was made or changed while authentication was off: an admin has to confirm it in Settings → Models.`,
		);
	}
	if (connection.use_by === "admins" && !caller.isAdmin) {
		return new ModelError(
			"connection_off",
			`Only admins may use the connection ${name}: choose another one, or ask an admin.`,
		);
	}
	const models = modelsOf(connection);
	if (models !== null && !models.includes(caller.model)) {
		return new ModelError(
			"model_not_found",
			`The model ${JSON.stringify(caller.model)} is not among those that the connection ${name} may use: choose one of its models, or ask an admin to add it.`,
		);
	}
	return undefined;
}
