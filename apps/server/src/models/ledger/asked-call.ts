import type { CallUse } from "../call-model.ts";
import type { ConnectionRow } from "../connections/stored-definition.ts";
import type { ModelError } from "../model-error.ts";
import type { CallSize } from "./call-size.ts";

/** A call that is about to be made. */
export interface Asked {
	readonly connectionId: number;
	readonly model: string;
	readonly purpose: CallUse["purpose"];
	readonly isInteractive: boolean;
	readonly isAdmin: boolean;
	/** Beside that of the connection. */
	readonly budgets: CallUse["budgets"];
	readonly size: CallSize;
}

/** A call that has its place and its money. */
export interface Begun {
	readonly id: number;
	readonly asked: Asked;
	readonly connection: ConnectionRow;
	readonly provider: string | undefined;
	/** Whether spending is limited, so that the answer's tokens have to be, too. */
	readonly outputLimit: number | undefined;
	readonly scopes: readonly string[];
	readonly reservedNanos: number;
	readonly reservedTokens: number;
	/** Microseconds since 1970, by the database's clock. */
	readonly startedAt: number;
}

export type Beginning =
	| { readonly kind: "begun"; readonly call: Begun }
	/** Nothing of this key can begin before; `isFreed` when a call that ends may change that. Milliseconds. */
	| { readonly kind: "wait"; readonly key: string; readonly forMs: number; readonly isFreed: boolean }
	| { readonly kind: "refused"; readonly error: ModelError };

/** All that a call may have to wait for; see `key` of {@link Beginning}. */
export function keysOf({ model, isInteractive, budgets }: Asked): readonly string[] {
	const ofWork = isInteractive ? [] : ["place of work"];
	return ["place", ...ofWork, "rate", keyOfModel(model), "budget", ...budgets.map(({ scope }) => scope)];
}

export function keyOfModel(model: string): string {
	return `model ${model}`;
}
