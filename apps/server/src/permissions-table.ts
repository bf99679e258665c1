import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Written by hand: what the service answers has to agree with it, not the other way round. */
const FILE = join(import.meta.dirname, "../../../docs/permissions.md");

/** Who calls, in the order of the table's columns. */
export const CALLERS = [
	"nothing",
	"bad token",
	"viewer",
	"member",
	"admin",
	"reset due",
	"viewer key",
	"member key",
	"admin key",
	"system key",
	"admin secret",
	"auth off",
] as const;

export type Caller = (typeof CALLERS)[number];

/** A row as the table has it: `| GET | /v1/projects | read | 401 | … |`. */
export function toRow(method: string, path: string, policy: string, statuses: readonly (number | string)[]): string {
	return `| ${[method, path, policy, ...statuses].join(" | ")} |`;
}

/**
 * The rows of `docs/permissions.md` by method and path.
 * @throws when a route has two rows, or the columns are different
 */
export async function readRows(): Promise<Map<string, string>> {
	const rows = new Map<string, string>();
	for (const line of (await readFile(FILE, "utf8")).split("\n")) {
		const cells = line.split("|").map((cell) => cell.trim());
		const [, method = "", path = "", policy = "", ...statuses] = cells.slice(0, -1);
		if (/^-/.test(method) || !line.startsWith("|")) continue;
		if (method === "method") {
			if (statuses.join() !== CALLERS.join()) throw new Error(`the columns of the table have to be ${CALLERS.join()}`);
			continue;
		}
		const route = `${method} ${path}`;
		if (rows.has(route)) throw new Error(`two rows of ${route}`);
		rows.set(route, toRow(method, path, policy, statuses));
	}
	return rows;
}
