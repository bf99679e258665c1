import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Turn } from "../metadata/turns.ts";
import { PROJECTS } from "../tables.ts";
import { insertRows } from "./insert-rows.ts";

/** Which projects' names each shard has: a metadata database that was put back from a backup may lack the projects. */
export class NamedProjects {
	readonly #named = new Map<Shard, Set<number>>();

	/** Notes the names that the shard does not have as far as this process knows. */
	async name(shard: Shard, { projects, batch, version }: Turn): Promise<void> {
		const named = this.#named.get(shard) ?? new Set();
		this.#named.set(shard, named);
		const unnamed = [...projects].filter(([, id]) => !named.has(id));
		await insertRows(
			shard,
			PROJECTS,
			unnamed.map(([name, id]) => ({ id, name, version, is_deleted: 0 })),
			`batch ${batch}`,
		);
		for (const [, id] of unnamed) named.add(id);
	}
}
