import type { z } from "zod";
import { csvLine } from "#http/csv-line.ts";
import type { CheckedHome } from "./schemas.ts";

/** What somebody may do at a home, as a row. */
export type CheckRow = z.output<typeof CheckedHome>;

const RIGHTS = ["read", "ingest", "annotate", "write", "manage"] as const;

/** CSV (RFC 4180) with a row for each home: what the subject may do there, and why. */
export async function* checkCsv(
	subject: string,
	chunks: AsyncIterable<readonly CheckRow[]>,
	escaping: Parameters<typeof csvLine>[1],
): AsyncGenerator<string> {
	yield csvLine(["subject", "type", "home", "sees", "role", "counts_as", ...RIGHTS, "reason"], escaping);
	for await (const rows of chunks) {
		yield rows
			.map(({ home, sees, role, counts_as, may, reason }) => {
				const rights = RIGHTS.map((right) => String(may[right]));
				return csvLine([subject, home.type, home.name, String(sees), role, counts_as, ...rights, reason], escaping);
			})
			.join("");
	}
}
