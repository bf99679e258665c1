import { sql } from "kysely";
import { QUARTERS_OF_HOUR } from "../totals/spend-changes.ts";

/** Selects project and hour where the ledger says something of stored spans; an hour may come several times. */
export const HOURS_OF_LEDGER = sql`select project_id, quarter / ${sql.lit(QUARTERS_OF_HOUR)} as hour from spend
	where tokens <> 0 or cost_micro <> 0 or cost_pico <> 0`;
