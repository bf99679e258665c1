import { channel } from "node:diagnostics_channel";

/** What the reconciler has repaired. */
export interface DamageRepaired {
	/** One of few. */
	readonly kind: string;
}

/** Messages are {@link DamageRepaired}. */
export const damageRepaired = channel("spanward:damage-repaired");
