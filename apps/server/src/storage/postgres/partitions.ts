import type { ClientBase } from "pg";

/** A month of UTC, by its first microsecond since 1970. */
export function monthOf(micros: number): number {
	const date = new Date(Math.floor(micros / 1_000));
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) * 1_000;
}

/** Makes the partitions of the months from the one before `nowMicros` to two after it that are not there. */
export async function makePartitions(client: ClientBase, nowMicros: number): Promise<void> {
	const now = new Date(nowMicros / 1_000);
	for (let offset = -1; offset <= 2; offset += 1) {
		const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1);
		const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset + 1, 1);
		const name = new Date(start).toISOString().slice(0, 7).replace("-", "m");
		for (const table of ["spans", "blocks"])
			await client.query(
				`create table if not exists ${table}_y${name} partition of ${table} for values from (${start * 1_000}) to (${end * 1_000})`,
			);
	}
}
