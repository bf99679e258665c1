import { type DamageRepaired, damageRepaired } from "#storage/traces/clickhouse/upkeep/reconcile/repair-channel.ts";
import type { Family } from "./exposition.ts";
import { Counter } from "./recorders.ts";

/** What the reconciler of traces in ClickHouse has repaired; nothing anywhere else. */
export class ReconcilerRepairs implements Disposable {
	readonly #repairs = new Counter(
		"spanward_clickhouse_reconciler_repairs_total",
		"Damage in ClickHouse that this process found by itself and repaired, by kind.",
	);
	readonly #onRepair = (message: unknown) => {
		const { kind } = message as DamageRepaired;
		this.#repairs.add({ kind });
	};

	constructor() {
		damageRepaired.subscribe(this.#onRepair);
	}

	families(): readonly Family[] {
		return [this.#repairs.family()];
	}

	[Symbol.dispose](): void {
		damageRepaired.unsubscribe(this.#onRepair);
	}
}
